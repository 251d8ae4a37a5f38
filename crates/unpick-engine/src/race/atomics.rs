//! What atomic operations and fences hand from task to task, by their memory orders.
//!
//! The rules are those of C++20 and of Rust. A write that releases publishes what its task knows; a relaxed
//! one what its task knew at its last release fence. A read that acquires learns what the write has
//! published from which it takes its value; after a relaxed read the next acquire fence does. The
//! read-modify-writes that follow a write go on with its release sequence: a reader of theirs learns what
//! the write has published, too. Any other write ends the sequence.

use super::{Handover, Member};
use core::sync::atomic::Ordering::{self, AcqRel, Acquire, Relaxed, Release, SeqCst};

impl Member {
    /// A read in this order takes the value of the last write of a variable.
    pub(super) fn read(&mut self, variable: &Handover, order: Ordering) {
        match order {
            Acquire | AcqRel | SeqCst => self.clock.join(&variable.released),
            _ => self.observed.join(&variable.released),
        }
    }

    /// A write in this order, other than that of a read-modify-write.
    pub(super) fn write(&self, variable: &mut Handover, order: Ordering) {
        variable.released.copy_from(self.published(order));
    }

    /// A read-modify-write in this order.
    pub(super) fn modify(&mut self, variable: &mut Handover, order: Ordering) {
        self.read(variable, order);
        variable.released.join(self.published(order));
    }

    /// A fence in this order. One that is both acquires first, so that later writes publish also what
    /// earlier reads have seen.
    pub(super) fn fence(&mut self, order: Ordering) {
        if matches!(order, Acquire | AcqRel | SeqCst) {
            self.clock.join(&self.observed);
        }
        if matches!(order, Release | AcqRel | SeqCst) {
            self.fenced.copy_from(&self.clock);
        }
    }

    /// What a write in this order publishes.
    pub(super) fn published(&self, order: Ordering) -> &super::Clock {
        match order {
            Relaxed | Acquire => &self.fenced,
            _ => &self.clock,
        }
    }
}
