//! What an access, an allocation and a synchronisation cost, in nanoseconds: the best of some
//! rounds, as other work on the machine only ever adds.

use std::alloc::{Layout, alloc_zeroed};
use std::hint::black_box;
use std::time::Instant;

use unpick_memory::{AccessKind, Clocks, Heap, Origin, Shadow};
use unpick_trace::{ObjectId, TaskId};

const ROUND_COUNT: usize = 15;
const CALL_COUNT: usize = 200_000;
const LARGE_CALL_COUNT: usize = 2_000;
const SHADOW_BYTES: usize = 65 << 20;
const HEAP_BYTES: usize = 64 << 20;
const ADDRESS: usize = 0x5555_5555_4000;

fn main() {
    accesses();
    ranges();
    synchronisation();
    allocations();
}

/// Prints the cost of one call.
fn measure(name: &str, call: impl FnMut(usize)) {
    measure_some(name, CALL_COUNT, call);
}

fn measure_some(name: &str, count: usize, mut call: impl FnMut(usize)) {
    let mut best = f64::INFINITY;
    for _ in 0..ROUND_COUNT {
        let start = Instant::now();
        for index in 0..count {
            call(index);
        }
        best = best.min(start.elapsed().as_nanos() as f64 / count as f64);
    }
    println!("{best:8.1} ns  {name}");
}

fn zeroed(bytes: usize) -> *mut u8 {
    // SAFETY: the layout is not empty; the memory is never given back.
    unsafe { alloc_zeroed(Layout::from_size_align(bytes, 4096).unwrap()) }
}

fn shadow() -> Shadow {
    // SAFETY: zeroed memory of that size that nobody else knows.
    unsafe { Shadow::new(zeroed(SHADOW_BYTES), SHADOW_BYTES) }
}

fn tasks() -> Clocks {
    let mut clocks = Clocks::new();
    clocks.begin(None, TaskId(0));
    for task in 1..4 {
        clocks.begin(Some(TaskId(0)), TaskId(task));
    }
    clocks
}

fn accesses() {
    let (mut shadow, mut clocks) = (shadow(), tasks());
    measure("the same access again, 512 ints", |index| {
        let address = ADDRESS + index % 512 * 4;
        let kind = AccessKind::Write;
        black_box(shadow.access(&clocks, TaskId(1), address, 4, kind, 0x40_1000));
    });
    measure(
        "a read and a write of an int, 512 ints, a new epoch each 64",
        |index| {
            let address = ADDRESS + index / 2 % 512 * 4;
            let kind = [AccessKind::Read, AccessKind::Write][index % 2];
            if index % 64 == 0 {
                clocks.release(TaskId(1), ObjectId(0));
            }
            black_box(shadow.access(&clocks, TaskId(1), address, 4, kind, 0x40_1000));
        },
    );
    let mut shadow = self::shadow();
    measure(
        "the first access of an execution to a word, 4,096 words",
        |index| {
            if index % 4096 == 0 {
                shadow.begin_execution();
            }
            let address = ADDRESS + index % 4096 * 8;
            let kind = AccessKind::Write;
            black_box(shadow.access(&clocks, TaskId(1), address, 8, kind, 0x40_1000));
        },
    );
    let mut shadow = self::shadow();
    measure("a shared counter under a lock, four tasks", |index| {
        let task = TaskId(index as u32 / 2 % 4);
        let kind = [AccessKind::Read, AccessKind::Write][index % 2];
        if index % 2 == 0 {
            clocks.acquire(task, ObjectId(0));
        }
        black_box(shadow.access(&clocks, task, ADDRESS, 4, kind, 0x40_1000));
        if index % 2 == 1 {
            clocks.release(task, ObjectId(0));
        }
    });
}

fn ranges() {
    let (mut shadow, clocks) = (shadow(), tasks());
    measure_some("a write of 1 KiB", LARGE_CALL_COUNT, |index| {
        let address = ADDRESS + index % 64 * 1024;
        let kind = AccessKind::Write;
        black_box(shadow.access(&clocks, TaskId(1), address, 1024, kind, 0x40_1000));
    });
    measure("freeing and allocating 64 bytes", |index| {
        let address = ADDRESS + index % 1024 * 64;
        black_box(shadow.free(TaskId(1), address, 64, 0x40_1000, &clocks));
        shadow.allocate(address, 64);
    });
    let name = "freeing and allocating 1 MiB that nobody touched";
    measure_some(name, LARGE_CALL_COUNT, |_| {
        let address = ADDRESS + (16 << 20);
        black_box(shadow.free(TaskId(1), address, 1 << 20, 0x40_1000, &clocks));
        shadow.begin_execution();
        shadow.allocate(address, 1 << 20);
    });
}

fn synchronisation() {
    let mut clocks = tasks();
    measure("an acquire and a release, four tasks", |index| {
        let task = TaskId(index as u32 % 4);
        clocks.acquire(task, ObjectId(0));
        clocks.release(task, ObjectId(0));
    });
}

fn allocations() {
    let memory = zeroed(HEAP_BYTES);
    let format = || {
        // SAFETY: memory of that size that nobody else uses.
        unsafe { Heap::format(memory, HEAP_BYTES, 32 << 20) }
    };
    let mut heap = format();
    measure("allocating and freeing 1 to 64 bytes", |index| {
        if index == 0 {
            heap = format();
        }
        let block = heap.allocate(index % 64 + 1, 16, Origin::NONE);
        black_box(heap.release(block, Origin::NONE)).unwrap();
    });
}
