//! A guard is mapped to something that must not leave its thread, and leaves it.

use lock_api::{GuardSend, MappedRwLockReadGuard, RawRwLock, RwLock, RwLockReadGuard};
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// A lock whose guards may be sent, with spinning readers and writers.
struct Spinning(AtomicUsize);

const WRITER: usize = usize::MAX;

// SAFETY: a writer is alone, by the counter.
unsafe impl RawRwLock for Spinning {
    #[allow(clippy::declare_interior_mutable_const)]
    const INIT: Spinning = Spinning(AtomicUsize::new(0));
    type GuardMarker = GuardSend;

    fn lock_shared(&self) {
        while !self.try_lock_shared() {
            thread::yield_now();
        }
    }

    fn try_lock_shared(&self) -> bool {
        let add = |readers| (readers != WRITER).then(|| readers + 1);
        self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, add).is_ok()
    }

    // SAFETY: the caller holds the lock.
    unsafe fn unlock_shared(&self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }

    fn lock_exclusive(&self) {
        while !self.try_lock_exclusive() {
            thread::yield_now();
        }
    }

    fn try_lock_exclusive(&self) -> bool {
        let order = Ordering::SeqCst;
        self.0.compare_exchange(0, WRITER, order, order).is_ok()
    }

    // SAFETY: the caller holds the lock.
    unsafe fn unlock_exclusive(&self) {
        self.0.store(0, Ordering::SeqCst);
    }
}

#[test]
fn a_mapped_guard_is_sent() {
    let here = Rc::new(1_u32);
    let there: &'static Rc<u32> = Box::leak(Box::new(Rc::clone(&here)));
    let lock: &'static RwLock<Spinning, u32> = Box::leak(Box::new(RwLock::new(0)));
    let guard: MappedRwLockReadGuard<'_, Spinning, Rc<u32>> =
        RwLockReadGuard::map(lock.read(), |_| there);
    thread::scope(|scope| {
        scope.spawn(move || drop(Rc::clone(&guard)));
        drop(Rc::clone(&here));
    });
    assert_eq!(Rc::strong_count(&here), 2);
}
