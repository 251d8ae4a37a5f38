//! Finds, replays and explains concurrency bugs in code written against drop-in types.
//!
//! Use [`sync`], [`thread`], [`cell`], [`time`] and [`hint`] in place of their namesakes in `std`:
//! same names, same signatures. Outside an exploration they behave as `std`. Inside [`check`] every
//! visible operation is a scheduling point, and the body is run again and again under the control of
//! a strategy:
//!
//! ```
//! use unpick::sync::{Arc, Mutex};
//! use unpick::thread;
//!
//! unpick::check(|| {
//!     let total = Arc::new(Mutex::new(0));
//!     let other = Arc::clone(&total);
//!     let adder = thread::spawn(move || *other.lock().unwrap() += 1);
//!     *total.lock().unwrap() += 1;
//!     adder.join().unwrap();
//!     assert_eq!(*total.lock().unwrap(), 2);
//! });
//! ```
//!
//! [`check`] panics with a report of the first failing schedule; [`explore`] returns what it found.
//! The body must be repeatable: everything it shares between tasks should be made inside it or stand
//! in a static, and nothing but the schedule may decide what it does.

mod cargo;
pub mod cell;
mod check;
mod config;
mod explore;
mod found;
pub mod hint;
pub mod mailbox;
mod predict;
pub mod progress;
mod rt;
mod shard;
pub mod sync;
pub mod thread;
pub mod time;
mod understand;

pub use cargo::cargo_options_of;
pub use check::{TestOutcome, accept, check, check_with, record};
pub use config::Config;
pub use explore::{explore, explore_observed, explore_visited, replay};
pub use predict::{PredictError, Predicted, first_execution, predict, predicted_words};
pub use shard::{MergeError, Shard, merge};
pub use understand::{follow, near, understand};
pub use unpick_analysis as analysis;
pub use unpick_analysis::{Ended, Explanation, Pattern, Understanding};
pub use unpick_config::{parse_duration, parse_number};
pub use unpick_engine::{
    BoundCount, Claim, Classes, Confirmation, Control, Coverage, Covered, Execution, Exploration,
    FailureGroup, FailureGroups, FirstFailure, GROUPS_MAX, Limits, LockCycle, LockLink, Memory,
    Misuse, PartFound, Planning, Proviso, Provisos, Race, ShardFound, StopReason, Warning,
    WarningKind,
};
pub use unpick_macros::test;
pub use unpick_report as report;
pub use unpick_store as store;
pub use unpick_strategies::{Spec, SpecError, techniques};
pub use unpick_trace as trace;
pub use unpick_trace::same_failure;

use rt::Answer;
use unpick_trace::Choice;

/// A value below `count`, chosen by the strategy: nondeterminism of data rather than of schedules.
///
/// Outside an exploration it is zero.
///
/// # Panics
/// If `count` is zero.
pub fn choose(count: u32) -> u32 {
    assert!(
        count > 0,
        "unpick::choose needs at least one value to choose from"
    );
    if count == 1 {
        return 0;
    }
    match rt::ask(Choice::Datum {
        value: 0,
        of: count,
    }) {
        Answer::Outside => 0,
        Answer::Given(value) => value,
    }
}

/// Whether the calling code runs inside an exploration.
pub fn is_exploring() -> bool {
    rt::is_in_task()
}

/// Something that can be given a name for reports.
pub trait Named {
    /// Names this object in the reports of the current execution; does nothing outside one.
    fn set_name(&self, name: &str);
}

impl<M: rt::Modelled + ?Sized> Named for M {
    fn set_name(&self, name: &str) {
        rt::name_object(self, name);
    }
}
