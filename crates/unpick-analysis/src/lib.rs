//! From a failing schedule to the little of it that matters, and how different many schedules are.
//!
//! Pure functions of traces, and searches that run the program again through a function they are
//! handed: whether that is a closure, a native program or a suite program is no matter here. Nothing is
//! printed, stored or timed; whoever hands over the function ends a search by answering `None`.

pub mod compare;
mod explain;
mod near;
mod shrink;
mod understanding;

pub use explain::{At, Cause, Event, Explanation, Intrusion, Meaning, Pattern, explain};
pub use near::{NEAR_MAX, Near, near, near_segments};
pub use shrink::{Ended, Run, Shrunk, shrink};
pub use understanding::{Size, Understanding};
