//! Nothing is allocated once an execution of the same size has been seen.

#[path = "model/owned.rs"]
mod owned;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use owned::Owned;
use unpick_memory::{AccessKind, Clocks, Shadow};
use unpick_trace::{ObjectId, TaskId};

struct Counting;

thread_local! {
    /// Allocations of this thread: the harness has others.
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

fn count() -> usize {
    COUNT.with(Cell::get)
}

// SAFETY: hands on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // A thread that ends may have lost its count already.
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's promises are handed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises are handed on.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn execution(clocks: &mut Clocks, shadow: &mut Shadow) {
    clocks.reset();
    shadow.begin_execution();
    clocks.begin(None, TaskId(0));
    for task in (1..12).map(TaskId) {
        clocks.begin(Some(TaskId(0)), task);
    }
    for round in 0..50 {
        for task in (0..12).map(TaskId) {
            let object = ObjectId(round % 7);
            clocks.acquire(task, object);
            clocks.observe(task, object);
            clocks.fence_acquire(task);
            clocks.fence_release(task);
            clocks.update(task, object);
            let pc = (task.0 + round) as usize;
            shadow.access(clocks, task, 4096, 8, AccessKind::Read, pc);
            let address = 8192 + pc * 8;
            shadow.access(clocks, task, address, 20, AccessKind::AtomicWrite, pc);
            shadow.free(task, 65_536 + pc * 4096, 10_000, pc, clocks);
            shadow.allocate(65_536 + pc * 4096, 10_000);
            clocks.release(task, object);
        }
        clocks.acquire_all(TaskId(1));
    }
    for task in (1..12).map(TaskId) {
        clocks.join(TaskId(0), task);
    }
}

#[test]
fn later_executions_allocate_nothing() {
    let mut owned = Owned::new();
    let mut clocks = Clocks::new();
    let before = count();
    execution(&mut clocks, &mut owned.shadow);
    let first = count();
    assert!(first > before);
    for _ in 0..20 {
        execution(&mut clocks, &mut owned.shadow);
    }
    assert_eq!(count(), first);
}
