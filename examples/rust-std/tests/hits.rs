//! A counter of hits in plain memory that claims to be shareable, and one that is.

mod buggy {
    use std::cell::UnsafeCell;

    pub struct Hits(UnsafeCell<u32>);

    // SAFETY: none. This claim is the bug: nothing keeps two threads from adding at the same time.
    unsafe impl Sync for Hits {}

    impl Hits {
        pub const fn new() -> Hits {
            Hits(UnsafeCell::new(0))
        }

        pub fn add(&self) {
            // SAFETY: none, see above; this is a data race.
            unsafe { *self.0.get() += 1 }
        }

        pub fn count(&self) -> u32 {
            // SAFETY: the callers have joined all threads that add.
            unsafe { *self.0.get() }
        }
    }
}

mod fixed {
    use std::sync::atomic::{AtomicU32, Ordering};

    pub struct Hits(AtomicU32);

    impl Hits {
        pub const fn new() -> Hits {
            Hits(AtomicU32::new(0))
        }

        pub fn add(&self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }

        pub fn count(&self) -> u32 {
            self.0.load(Ordering::Relaxed)
        }
    }
}

#[test]
fn buggy_hits_are_all_counted() {
    static HITS: buggy::Hits = buggy::Hits::new();
    let other = std::thread::spawn(|| HITS.add());
    HITS.add();
    other.join().unwrap();
    assert_eq!(HITS.count(), 2);
}

#[test]
fn fixed_hits_are_all_counted() {
    static HITS: fixed::Hits = fixed::Hits::new();
    let other = std::thread::spawn(|| HITS.add());
    HITS.add();
    other.join().unwrap();
    assert_eq!(HITS.count(), 2);
}
