//! Once warm, a step allocates nothing, and a million executions need no more memory than a few.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use unpick::sync::atomic::AtomicUsize;
use unpick::sync::{Condvar, Mutex, RwLock};
use unpick::{Config, explore, thread};

/// Counts allocations and the bytes that are in use.
struct Counting;

thread_local! {
    /// Of this thread only: the test harness allocates on its own, whenever it likes. All tasks of an
    /// exploration share one thread.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

static BYTES: AtomicI64 = AtomicI64::new(0);

// SAFETY: everything is passed on to the system's allocator; the counters are atomic.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        BYTES.fetch_add(layout.size() as i64, Ordering::Relaxed);
        // SAFETY: the caller keeps the rules of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        BYTES.fetch_sub(layout.size() as i64, Ordering::Relaxed);
        // SAFETY: the caller keeps the rules of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Tables that may double between the middle and the last execution.
const DOUBLINGS_MAX: u64 = 3;

/// What users of cells write themselves.
struct SharedCell(unpick::cell::Cell<usize>);

// SAFETY: the test uses it inside explorations, where tasks share one thread.
unsafe impl Sync for SharedCell {}

// SAFETY: as above.
unsafe impl Send for SharedCell {}

/// Two tasks that perform `rounds` rounds of every kind of operation, without allocating.
fn program(rounds: usize) {
    struct Shared {
        counter: AtomicUsize,
        mutex: Mutex<usize>,
        condvar: Condvar,
        rwlock: RwLock<usize>,
        cell: SharedCell,
    }
    let shared = Arc::new(Shared {
        counter: AtomicUsize::new(0),
        mutex: Mutex::new(0),
        condvar: Condvar::new(),
        rwlock: RwLock::new(0),
        cell: SharedCell(unpick::cell::Cell::new(0)),
    });
    let work = move |shared: &Shared| {
        for _ in 0..rounds {
            shared.counter.fetch_add(1, Ordering::SeqCst);
            {
                let mut number = shared.mutex.lock().unwrap();
                *number += 1;
                shared.cell.0.set(*number);
                // One lock inside the other.
                let _ = *shared.rwlock.read().unwrap();
            }
            *shared.rwlock.write().unwrap() += 1;
            shared.condvar.notify_one();
            thread::yield_now();
        }
    };
    let other = Arc::clone(&shared);
    let task = thread::spawn(move || work(&other));
    work(&shared);
    task.join().unwrap();
}

/// One test for both claims: the counters are global, and tests run at the same time.
#[test]
fn steps_do_not_allocate_and_executions_do_not_grow_memory() {
    for strategy in [
        "random",
        "pct",
        "ppct",
        "pos",
        "dfs",
        "preempt-bound",
        "random-sleep",
    ] {
        let allocations_of = |rounds: usize, races: bool| {
            let executions = 400;
            // The counter as the middle and the last execution begin, on the thread that runs them.
            let noted = Arc::new([AtomicU64::new(0), AtomicU64::new(0)]);
            let notes = Arc::clone(&noted);
            let count = AtomicU64::new(0);
            let config = Config::new().strategy(strategy).executions(executions);
            let found = explore(config.races(races), move || {
                let number = count.fetch_add(1, Ordering::Relaxed);
                if number == executions / 2 {
                    notes[0].store(ALLOCATIONS.get(), Ordering::Relaxed);
                } else if number == executions - 1 {
                    notes[1].store(ALLOCATIONS.get(), Ordering::Relaxed);
                }
                program(rounds);
            });
            assert!(found.is_clean());
            noted[1].load(Ordering::Relaxed) - noted[0].load(Ordering::Relaxed)
        };
        let (short, long) = (allocations_of(2, true), allocations_of(20, true));
        // Ten times the steps, the same allocations: those of spawn and of the program's own Arc.
        // A writer that has to wait takes one more step, so that an execution can be longer than all before
        // it. Tables double then, which a few executions of these do at most.
        assert!(
            long.abs_diff(short) <= DOUBLINGS_MAX,
            "{strategy}: {short} allocations, {long} with ten times the steps"
        );
        let without = allocations_of(20, false);
        assert!(
            long.abs_diff(without) <= DOUBLINGS_MAX,
            "{strategy}: the pass for races allocates"
        );
    }
    let in_use = |executions: u64| {
        let before = BYTES.load(Ordering::Relaxed);
        let peak = Arc::new(AtomicI64::new(0));
        let noted = Arc::clone(&peak);
        let count = AtomicU64::new(0);
        let config = Config::new().strategy("random").executions(executions);
        let found = explore(config, move || {
            if count.fetch_add(1, Ordering::Relaxed) == executions - 1 {
                noted.store(BYTES.load(Ordering::Relaxed) - before, Ordering::Relaxed);
            }
            let x = Arc::new(AtomicUsize::new(0));
            let other = Arc::clone(&x);
            let task = thread::spawn(move || other.fetch_add(1, Ordering::SeqCst));
            x.fetch_add(1, Ordering::SeqCst);
            task.join().unwrap();
        });
        assert_eq!(found.executions, executions);
        peak.load(Ordering::Relaxed)
    };
    let (few, many) = (in_use(1_000), in_use(1_000_000));
    assert!(
        many <= few + 1_024,
        "{few} bytes after 1,000, {many} after 1,000,000 executions"
    );
}
