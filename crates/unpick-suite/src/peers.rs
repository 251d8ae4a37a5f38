//! The families of programs on which the other Rust tools were measured, one file for each.
//!
//! Re-stated over `unpick`; `Arc` is the standard library's, so that every tool sees the same
//! operations. Where a program has a `bug` parameter, 0 gives the variant that cannot fail.

pub(crate) mod bounded_buffer;
pub(crate) mod channel;
pub(crate) mod crossed;
pub(crate) mod independent;
pub(crate) mod last_zero;
pub(crate) mod lb;
pub(crate) mod lock_order;
pub(crate) mod missed_outcome;
pub(crate) mod mp;
pub(crate) mod mutex_disjoint;
pub(crate) mod philosophers;
pub(crate) mod race_counter;
pub(crate) mod read_pair;
pub(crate) mod readers;
pub(crate) mod reorder;
pub(crate) mod rmw_counter;
pub(crate) mod rwlock_init;
pub(crate) mod sb;
pub(crate) mod spinlock;
pub(crate) mod treiber;
