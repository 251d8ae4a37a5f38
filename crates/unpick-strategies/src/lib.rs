//! Exploration techniques, one file each.
//!
//! A technique reads like the pseudo-code of its paper, knows nothing of how tasks are run, and
//! carries the same name as file, as type, on the command line and as page in `docs/techniques`.
//! [`Spec`] makes one from its text, as in `pct:d=3`.

#![no_std]

extern crate alloc;

mod actor_pct;
mod actor_random;
mod along;
mod atom_fuzzer;
mod bounding;
mod confirm;
mod deadlock_fuzzer;
mod dfs;
mod dpor;
mod follow;
mod hbr_cache;
mod idb;
mod ipb;
mod lazy_dpor;
mod lazy_hbr_cache;
mod lazy_odpor;
mod maple;
mod names;
mod odpor;
mod pct;
mod portfolio;
mod pos;
mod ppct;
mod preempt_always;
mod preempt_bound;
mod priorities;
mod random;
mod random_sleep;
mod random_source;
mod replay;
mod retrace;
mod round_robin;
mod spec;
mod surw;
mod technique;
mod visited;
mod watched;

pub use actor_pct::ActorPct;
pub use actor_random::ActorRandom;
pub use along::Along;
pub use atom_fuzzer::AtomFuzzer;
pub use confirm::Confirm;
pub use deadlock_fuzzer::DeadlockFuzzer;
pub use dfs::Dfs;
pub use dpor::Dpor;
pub use follow::Follow;
pub use hbr_cache::{Bound, HbrCache};
pub use idb::Idb;
pub use ipb::Ipb;
pub use lazy_dpor::LazyDpor;
pub use lazy_hbr_cache::LazyHbrCache;
pub use lazy_odpor::LazyOdpor;
pub use maple::Maple;
pub use odpor::Odpor;
pub use pct::Pct;
pub use portfolio::Portfolio;
pub use pos::Pos;
pub use ppct::{Ppct, PpctDraw};
pub use preempt_always::PreemptAlways;
pub use preempt_bound::PreemptBound;
pub use priorities::Priorities;
pub use random::{Random, RandomLinger};
pub use random_sleep::RandomSleep;
pub use random_source::RandomSource;
pub use replay::Replay;
pub use retrace::Retrace;
pub use round_robin::RoundRobin;
pub use spec::{Spec, SpecError};
pub use surw::{Select, Surw};
pub use technique::{Technique, techniques};
pub use watched::Watched;
