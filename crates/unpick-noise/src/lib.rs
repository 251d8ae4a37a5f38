//! Noise for programs that run freely: where it may fire, how strongly, and what came of it.
//!
//! A *placement* is a kind of place in a program: before or after an operation. A [`Plan`] says at which
//! placements a thread is held up, how, how often and for how long. The runtime inside the program asks
//! the [`Seeding`] of a placement each time it is reached; nothing here holds anybody up, starts a program
//! or prints. With the feature `std` there is what a person wants to know afterwards: [`statistics`], the
//! coverage of pairs of synchronisation ([`pairs`]), and the choice of the next plan ([`bandit`]).
//!
//! Filipe de Luna, *OSCAR: A Noise Injection Framework for Testing Concurrent Software*, dissertation, NOVA
//! University Lisbon, 2022. Departures: placements are those of native programs; types of noise, mixed types,
//! distributions, decay, aim and the search over plans are beyond what was built there; random numbers come
//! from a seed and are drawn by each thread for itself.

#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

mod order;
mod placement;
mod plan;
mod random;
mod seeding;

#[cfg(feature = "std")]
pub mod bandit;
#[cfg(feature = "std")]
pub mod pairs;
#[cfg(feature = "std")]
pub mod statistics;

pub use order::{AIM_MAX, NoiseOrder, Variables, is_in_set, set_of};
pub use placement::{Category, Operation, PLACEMENT_COUNT, Placement, Placements, Side};
pub use plan::{Plan, PlanError, Strength};
pub use random::Random;
pub use seeding::{Decay, Distribution, Noise, Seeding, Type};
