//! A search that is divided among workers or among shards.
//!
//! [`Search`] keeps the parts and puts together what they find, in the order of the search; it never runs
//! anything itself. [`share`] makes the parts of one shard; a [`slice()`] is that of a randomised strategy. A [`Team`] is the workers of one exploration,
//! threads or processes: how they wait for each other is up to the front end, by [`Meeting`].

mod frontier;
mod search;
mod slices;
mod team;

pub use frontier::share;
pub use search::Search;
pub use slices::{last_lesson, learned_before, of_slice, slice};
pub use team::{Lookout, Meeting, Team};
