//! Words for what unpick finds.
//!
//! A failure says five things, in this order: what failed, how it was found, why, how to replay it,
//! and where it is kept. This crate renders them, and the schedule itself for those who want to look at it
//! ([`Timeline`]); it runs nothing and reads and writes no files.

mod count;
mod explained;
mod failure;
mod operation;
mod regression;
mod several;
mod show;
mod why;

pub use count::{count, thousands};
pub use explained::{explained, note_explanation};
pub use failure::{FREE, FailureReport, PREDICTED, Way, headline};
pub use regression::{NEAR, changed, fixed};
pub use several::{count_line, more_line};
pub use show::{Columns, Sources, Timeline, columns, page, perfetto, printable, schedule};
pub use why::why;
