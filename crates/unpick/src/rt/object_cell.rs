//! The place in every drop-in type that ties it to an object of the current execution.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use unpick_engine::Shape;
use unpick_trace::ObjectId;

const INDEX_BITS: u32 = 24;

/// Stamps of executions are multiples of this: an object is known by one number, a stamp plus an index.
pub(super) const STAMP_UNIT: u64 = 1 << INDEX_BITS;

/// Set for ever once the value was changed outside an exploration.
const CHANGED_OUTSIDE: u64 = 1 << 63;

/// Which object of which execution a value is: an execution's stamp and an index, or zero for a
/// value that no execution has used yet. It can be made in a constant, so statics can hold it.
pub(crate) struct ObjectCell {
    /// Relaxed everywhere: a cell is used by one execution at a time, and atomic only so that a
    /// value wrongly shared by two executions cannot tear.
    packed: AtomicU64,
}

impl ObjectCell {
    pub const fn new() -> ObjectCell {
        ObjectCell {
            packed: AtomicU64::new(0),
        }
    }

    /// The object, if the execution with this stamp has used the value before, and nobody has changed
    /// it outside. That is the usual case, and quickly found out.
    #[inline]
    pub fn get_usual(&self, stamp: u64) -> Option<ObjectId> {
        let index = self.packed.load(Ordering::Relaxed) ^ stamp;
        (index < STAMP_UNIT).then_some(ObjectId(index as u32))
    }

    /// The object, if the execution with this stamp has used the value before.
    pub fn get(&self, stamp: u64) -> Option<ObjectId> {
        let index = (self.packed.load(Ordering::Relaxed) & !CHANGED_OUTSIDE) ^ stamp;
        (index < STAMP_UNIT).then_some(ObjectId(index as u32))
    }

    pub fn set(&self, stamp: u64, object: ObjectId) {
        assert!(
            u64::from(object.0) < STAMP_UNIT,
            "internal error: more than {STAMP_UNIT} objects in one execution"
        );
        let mark = self.packed.load(Ordering::Relaxed) & CHANGED_OUTSIDE;
        let packed = mark | stamp | u64::from(object.0);
        self.packed.store(packed, Ordering::Relaxed);
    }

    /// Remembers that the value may have been changed outside an exploration.
    #[inline]
    pub fn note_change_outside(&self) {
        let packed = self.packed.load(Ordering::Relaxed);
        if packed & CHANGED_OUTSIDE == 0 {
            self.packed.fetch_or(CHANGED_OUTSIDE, Ordering::Relaxed);
        }
    }

    /// Whether the value may have been changed outside an exploration.
    pub fn is_changed_outside(&self) -> bool {
        self.packed.load(Ordering::Relaxed) & CHANGED_OUTSIDE != 0
    }
}

impl Default for ObjectCell {
    fn default() -> ObjectCell {
        ObjectCell::new()
    }
}

impl fmt::Debug for ObjectCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ObjectCell")
    }
}

/// A value that is an object of the execution that uses it.
pub(crate) trait Modelled {
    /// Where its identity is kept.
    fn cell(&self) -> &ObjectCell;

    /// What the engine shall take it for, should this be its first use.
    fn shape(&self) -> Shape;

    /// Whether the value may be put back to what it is now, byte for byte, should it be a static.
    /// `false` for one that can tell that it was changed before the execution, and so may own things.
    fn is_initial(&self) -> bool {
        true
    }

    /// What it holds, as a number, if it is a variable that can be in a store buffer.
    fn word(&self) -> u64 {
        0
    }

    /// What it holds, as the number that steps tell of it, if that number is the whole value.
    fn value(&self) -> Option<u64> {
        None
    }

    /// Makes it hold what [`Modelled::word`] gave.
    fn set_word(&self, _word: u64) {}

    /// Whether it gives out references to its inside that live as long as itself. As a static, what
    /// it holds is then leaked when it is put back, since somebody may have kept such a reference.
    fn lends_inside(&self) -> bool {
        false
    }
}
