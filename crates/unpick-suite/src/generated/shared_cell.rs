//! A plain cell that several tasks use without any protection: what a program with a data race has.

use unpick::cell::Cell;

/// A cell that may be shared inside an exploration, where a race is a failure of the program.
pub(crate) struct SharedCell {
    inner: Cell<u32>,
}

// SAFETY: all tasks of an execution run on one thread, one at a time, and the constructor refuses to
// work outside an execution.
unsafe impl Sync for SharedCell {}

impl SharedCell {
    /// A cell that holds zero.
    ///
    /// # Panics
    /// Outside an exploration.
    pub(crate) fn new() -> SharedCell {
        assert!(
            unpick::is_exploring(),
            "a program with a data race can only be executed inside an exploration"
        );
        SharedCell {
            inner: Cell::new(0),
        }
    }

    pub(crate) fn get(&self) -> u32 {
        self.inner.get()
    }

    pub(crate) fn set(&self, value: u32) {
        self.inner.set(value);
    }
}
