//! One controlled execution, and the loop over executions.
//!
//! The engine knows the next operation of every task, blocked ones included, computes from its model
//! of the shared objects which tasks may go on, asks the [`Strategy`] and records what it answers.
//! It knows nothing of fibers, processes, files, clocks, environment or printing, holds no
//! thread-locals and needs no operating system: the very same code runs behind a Rust library and
//! inside a foreign process.

#![no_std]

extern crate alloc;

mod claim;
mod classes;
mod coverage;
mod deadlock;
mod execution;
mod exploration;
mod fairness;
mod footprint;
mod groups;
mod history;
mod leaks;
mod liveness;
mod lock_order;
mod memory;
mod misuse;
mod model;
mod object;
pub mod parts;
mod race;
mod recording;
mod site;
mod sketch;
mod spin;
mod strategy;
pub mod transcript;
mod view;
mod warning;
mod watch;

pub use claim::{Claim, Proviso, Provisos};
pub use classes::{Classes, state_hash};
pub use coverage::{Coverage, Covered, CoveredSoFar, TREE, portion_of};
pub use execution::{Decision, Execution, Grant, Settings, Timer};
pub use exploration::{
    BoundCount, Control, End, Exploration, FirstFailure, LEARNING_MAX, Limits, PartFound, Runtime,
    ShardFound, StopReason, epoch, explore, explore_range,
};
pub use footprint::{Access, Location, Mode, conflict, merge_access};
pub use groups::{FailureGroup, FailureGroups, GROUPS_MAX};
pub use history::{Event, History, Relation};
pub use memory::Memory;
pub use misuse::Misuse;
pub use object::{Held, Shape};
pub use race::Race;
pub use recording::Recording;
pub use sketch::Sketch;
pub use strategy::{Begin, Findings, Planning, Profile, Round, Sample, Stop, Strategy};
pub use view::View;
pub use warning::{Confirmation, LockCycle, LockLink, Warning, WarningKind};
pub use watch::{Effect, Ration};
