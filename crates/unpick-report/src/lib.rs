//! Words for what unpick finds.
//!
//! A failure says five things, in this order: what failed, how it was found, why, how to replay it,
//! and where it is kept. This crate renders them; it runs nothing and writes no files.

mod explained;
mod failure;
mod schedule;
mod why;

pub use explained::explained;
pub use failure::{FailureReport, Size, headline, thousands};
pub use schedule::schedule;
pub use why::why;
