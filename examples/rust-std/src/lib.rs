//! A bank whose accounts have a lock each: once with a bug, once without.
//!
//! Ordinary code with ordinary tests; nothing here knows that somebody else may choose the schedule.

#![forbid(unsafe_code)]

pub mod buggy;
pub mod fixed;

/// Why a transfer was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotCovered;
