//! Store buffers at odd moments.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use unpick::sync::atomic::{AtomicUsize, Ordering::Relaxed, Ordering::SeqCst, fence};
use unpick::{Config, Memory, explore, thread};

struct StoresAtLast(Arc<AtomicUsize>);

impl Drop for StoresAtLast {
    fn drop(&mut self) {
        self.0.store(1, Relaxed);
    }
}

/// A new task stores while it unwinds, before it has come to an operation of its own; then fences must keep
/// both from missing the other's store.
fn store_while_unwinding() {
    let x = Arc::new(AtomicUsize::new(0));
    let y = Arc::new(AtomicUsize::new(0));
    let other = {
        let (x, y) = (Arc::clone(&x), Arc::clone(&y));
        thread::spawn(move || {
            let unwound = catch_unwind(AssertUnwindSafe(|| {
                let _stores = StoresAtLast(x);
                resume_unwind(Box::new(()));
            }));
            assert!(unwound.is_err());
            fence(SeqCst);
            y.load(Relaxed)
        })
    };
    y.store(1, Relaxed);
    fence(SeqCst);
    let seen = x.load(Relaxed);
    assert!(seen + other.join().unwrap() > 0, "the fences do not hold");
}

#[test]
fn what_a_new_task_stores_while_it_unwinds_is_drained() {
    for memory in [Memory::Sc, Memory::Tso, Memory::Pso] {
        let config = Config::new().strategy("dfs").memory(memory);
        let found = explore(config.executions(10_000), store_while_unwinding);
        assert!(found.complete, "{memory:?}");
        assert_eq!(found.failures, 0, "{memory:?}");
    }
}
