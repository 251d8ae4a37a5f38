//! Values with several owners inside an execution: counted without locking, in memory that a runtime
//! keeps for the next ones.

use super::runtime::current;
use super::task::stamp;
use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// How many own a value that was made inside an execution.
///
/// Inside it nothing needs to be locked: its tasks run one at a time on one thread. If an owner gives up on
/// another thread at the very moment at which the count changes inside, the count can be one too high
/// afterwards, never too low, and the value is leaked. A new owner outside is not counted at all: the value
/// then lives for ever.
pub(super) struct Owners {
    count: AtomicU32,
    lives_for_ever: AtomicBool,
    /// Of the execution.
    stamp: u64,
}

impl Owners {
    #[inline]
    pub fn new(count: u32) -> Owners {
        Owners {
            count: AtomicU32::new(count),
            lives_for_ever: AtomicBool::new(false),
            stamp: stamp(),
        }
    }

    /// Whether the execution still runs, on this thread.
    #[inline]
    pub fn are_here(&self) -> bool {
        self.stamp == stamp()
    }

    /// The stamp of the execution.
    pub fn stamp(&self) -> u64 {
        self.stamp
    }

    /// One owner more.
    #[inline]
    fn add(&self) {
        let count = self.count.load(Ordering::Relaxed);
        if self.are_here() && count < u32::MAX {
            self.count.store(count + 1, Ordering::Relaxed);
        } else {
            self.lives_for_ever.store(true, Ordering::Relaxed);
        }
    }

    /// One owner fewer. Answers whether it was the last.
    #[inline]
    pub fn give_up(&self) -> bool {
        match self.are_here() {
            // SAFETY: they are.
            true => unsafe { self.give_up_here() },
            false => self.is_last(self.count.fetch_sub(1, Ordering::AcqRel)),
        }
    }

    /// The same of an owner who knows where it is.
    ///
    /// # Safety
    /// The execution still runs, on this thread.
    #[inline]
    pub unsafe fn give_up_here(&self) -> bool {
        let count = self.count.load(Ordering::Acquire);
        self.count.store(count.wrapping_sub(1), Ordering::Release);
        self.is_last(count)
    }

    /// Whether the owner who has found this count was the last.
    #[inline]
    fn is_last(&self, count: u32) -> bool {
        // Who is not counted has said so before, and so have those whose giving up was counted.
        count == 1 && !self.lives_for_ever.load(Ordering::Relaxed)
    }
}

/// As `Arc`, for values that belong to an execution and are used inside of it.
pub(crate) struct Shared<T>(NonNull<Owned<T>>);

struct Owned<T> {
    owners: Owners,
    value: T,
}

// SAFETY: as for `Arc`: owners count with care, and whoever is the last drops the value.
unsafe impl<T: Send + Sync> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Shared<T> {}

impl<T> Shared<T> {
    #[inline]
    pub fn new(value: T) -> Shared<T> {
        Shared(place(|| Owned {
            owners: Owners::new(1),
            value,
        }))
    }

    #[inline]
    fn owned(&self) -> &Owned<T> {
        // SAFETY: it lives until all owners are dropped.
        unsafe { self.0.as_ref() }
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.owned().value
    }
}

impl<T> Clone for Shared<T> {
    #[inline]
    fn clone(&self) -> Shared<T> {
        self.owned().owners.add();
        Shared(self.0)
    }
}

impl<T> Drop for Shared<T> {
    #[inline]
    fn drop(&mut self) {
        if self.owned().owners.give_up() {
            // SAFETY: nobody else owns it any more.
            unsafe { destroy_apart(self.0) };
        }
    }
}

/// Apart, so that all owners but the last are done in a few instructions.
///
/// # Safety
/// As for [`destroy`].
#[inline(never)]
unsafe fn destroy_apart<P>(value: NonNull<P>) {
    // SAFETY: as the caller promises.
    unsafe { destroy(value) };
}

/// Memory that a runtime keeps, in blocks of one size.
pub(super) struct Blocks {
    /// Its capacity says how many are kept.
    spare: Vec<NonNull<u8>>,
}

/// Enough for a closure with a dozen captured pointers.
const BLOCK: Layout = match Layout::from_size_align(176, 16) {
    Ok(layout) => layout,
    Err(_) => panic!("not a layout"),
};

/// Blocks that a runtime keeps, at most.
const SPARE_COUNT_MAX: usize = 64;

impl Blocks {
    pub fn new() -> Blocks {
        Blocks {
            spare: Vec::with_capacity(SPARE_COUNT_MAX),
        }
    }
}

impl Drop for Blocks {
    fn drop(&mut self) {
        for block in self.spare.drain(..) {
            // SAFETY: all were allocated as blocks, and nobody uses them.
            unsafe { dealloc(block.as_ptr(), BLOCK) };
        }
    }
}

/// Whether a value of this layout lies in a block.
#[inline]
fn is_small(layout: Layout) -> bool {
    layout.size() <= BLOCK.size() && layout.align() <= BLOCK.align()
}

/// Makes a value in memory of its own, until it is [destroyed](destroy). The memory comes first, so that
/// the value need not be moved there.
#[inline]
pub(super) fn place<P>(make: impl FnOnce() -> P) -> NonNull<P> {
    let memory = allocate(Layout::new::<P>()).cast::<P>();
    // SAFETY: the memory is fresh, and large enough.
    unsafe { memory.write(make()) };
    memory
}

#[inline]
fn allocate(layout: Layout) -> NonNull<u8> {
    let runtime = current();
    if is_small(layout) && !runtime.is_null() {
        // SAFETY: not null means current; the reference ends at once.
        if let Some(block) = unsafe { (*runtime).blocks.spare.pop() } {
            return block;
        }
    }
    allocate_anew(if is_small(layout) { BLOCK } else { layout })
}

#[cold]
fn allocate_anew(layout: Layout) -> NonNull<u8> {
    // SAFETY: neither a block nor a value with owners is of size zero.
    let memory = unsafe { alloc(layout) };
    NonNull::new(memory).unwrap_or_else(|| handle_alloc_error(layout))
}

/// Drops a value and gives its memory back.
///
/// # Safety
/// It was [placed](place), and nobody uses it any more.
#[inline]
pub(super) unsafe fn destroy<P: ?Sized>(value: NonNull<P>) {
    // SAFETY: as the caller promises. The memory is given back also if a destructor unwinds.
    unsafe {
        let _memory = Memory {
            start: value.cast(),
            layout: Layout::for_value(value.as_ref()),
        };
        value.drop_in_place();
    }
}

/// The memory of a value that is being dropped.
struct Memory {
    start: NonNull<u8>,
    layout: Layout,
}

impl Drop for Memory {
    #[inline]
    fn drop(&mut self) {
        let is_small = is_small(self.layout);
        let runtime = current();
        // SAFETY: not null means current, and no reference is live. The memory was allocated as a
        // block if it is small, and nobody uses it any more.
        unsafe {
            if is_small && !runtime.is_null() {
                let spare = &mut (*runtime).blocks.spare;
                if spare.len() < spare.capacity() {
                    spare.push(self.start);
                    return;
                }
            }
            let layout = if is_small { BLOCK } else { self.layout };
            dealloc(self.start.as_ptr(), layout);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::AtomicUsize;

    /// Counts its drops. Outside any execution the stamp is zero, so this thread stands for the inside.
    struct Counted(Arc<AtomicUsize>);

    impl Drop for Counted {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn shared() -> (Shared<Counted>, Arc<AtomicUsize>) {
        let drops = Arc::new(AtomicUsize::new(0));
        (Shared::new(Counted(Arc::clone(&drops))), drops)
    }

    #[test]
    fn the_last_owner_drops_the_value() {
        let (first, drops) = shared();
        let second = first.clone();
        drop(first);
        assert_eq!(drops.load(Ordering::Relaxed), 0);
        drop(second);
        assert_eq!(drops.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn an_owner_outside_is_never_left_without_its_value() {
        let (mut first, drops) = shared();
        // SAFETY: nobody else owns it yet.
        unsafe { first.0.as_mut().owners.stamp = u64::MAX };
        let second = first.clone();
        drop(first);
        assert_eq!(drops.load(Ordering::Relaxed), 0);
        drop(second);
        assert_eq!(drops.load(Ordering::Relaxed), 0, "it is leaked");
    }
}
