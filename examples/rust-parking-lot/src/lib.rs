//! A queue of print jobs on parking_lot's locks, with results over a crossbeam channel: once with a
//! lost wake-up, once without.

#![forbid(unsafe_code)]

pub mod buggy;
pub mod fixed;

/// Pages to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    /// How many.
    pub pages: u32,
}
