//! What a program's memory is used for, by raw address: a deterministic heap, freed ranges, data
//! races.
//!
//! Knows nothing of processes, threads or system calls: all memory is handed to it. It runs inside
//! the program under test, so it has no thread-locals, no locks and no global state.
//!
//! | part | answers |
//! |---|---|
//! | [`Clocks`] | what happened before what, from the synchronisation that tasks perform |
//! | [`Shadow`] | which access races, which one touches freed memory, which places share memory |
//! | [`Heap`] | where the program's blocks are, and whether what it frees is one; which block an address belongs to |

#![no_std]

extern crate alloc;

mod clocks;
mod heap;
mod shadow;
mod shared;

pub use clocks::{Clock, Clocks};
pub use heap::{Heap, Misuse, Origin, Placed, Released};
pub use shadow::{Access, AccessKind, Finding, Learning, Shadow};
pub use shared::Shared;
