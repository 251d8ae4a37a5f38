//! The program's heap: its own region, the same addresses in every execution, freed memory watched.
//!
//! What was allocated before `main` belongs to the C library, and goes back there unless freed memory is watched.

use crate::bounds;
use crate::instrumented;
use crate::interpose::interpose;
use crate::memory::report;
use crate::posix;
use crate::restoring::Restoring;
use crate::runtime::{fail, running, runtime};
use crate::sys::{self, set_errno};
use alloc::{format, string::String, vec::Vec};
use core::ffi::{c_int, c_void};
use core::ptr::null_mut;
use core::slice::from_raw_parts_mut;
use unpick_engine::Proviso;
use unpick_memory::{Finding, Heap, Misuse, Origin};
use unpick_protocol::Reexecution;
use unpick_trace::FailureKind;

/// Where the program's heap lies.
const HEAP_AT: usize = 0x6200_0000_0000;
const HEAP_SIZE: usize = 32 << 30;
/// Memory that is handed out before any is used again.
const FRESH: usize = 64 << 20;
/// Used heaps up to this size are cleared; larger ones are given back to the kernel.
pub const CLEARED_MAX: usize = 4 << 20;

unsafe extern "C" {
    fn __libc_malloc(size: usize) -> *mut c_void;
    fn __libc_calloc(count: usize, size: usize) -> *mut c_void;
    fn __libc_realloc(block: *mut c_void, size: usize) -> *mut c_void;
    fn __libc_free(block: *mut c_void);
    fn __libc_memalign(align: usize, size: usize) -> *mut c_void;
}

/// Reserves the heap.
pub fn open() -> Heap {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    let memory = sys::map(HEAP_AT, HEAP_SIZE, flags, -1);
    let memory = memory.expect("cannot reserve the program's heap");
    // SAFETY: fresh memory of that size.
    unsafe { Heap::format(memory, HEAP_SIZE, FRESH) }
}

/// Where the heap lies. It is emptied, and so needs no copy.
pub fn region() -> core::ops::Range<usize> {
    HEAP_AT..HEAP_AT + HEAP_SIZE
}

/// Empties the heap, or puts an image of it back: the next execution finds it as the last one did, with
/// zeroes everywhere else.
pub fn reset(heap: &mut Heap, image: &[u8], restoring: Restoring) {
    let used = heap.used_end();
    let start = HEAP_AT as *mut u8;
    // SAFETY: the execution that used it is over.
    unsafe {
        match used {
            0..=CLEARED_MAX => {
                let rest = used.saturating_sub(image.len());
                restoring.clear(from_raw_parts_mut(start.add(image.len()), rest));
            }
            _ => {
                let advice = i64::from(libc::MADV_DONTNEED);
                let arguments = [HEAP_AT as i64, used as i64, advice, 0, 0, 0];
                sys::call(libc::SYS_madvise, arguments);
            }
        }
        if image.is_empty() {
            *heap = Heap::format(start, HEAP_SIZE, FRESH);
        } else {
            restoring.put_back(from_raw_parts_mut(start, image.len()), image);
            *heap = Heap::attach(start);
        }
    }
}

/// The heap as it is now.
pub fn copy(heap: &Heap) -> Vec<u8> {
    // SAFETY: that much of it has been used, and nobody runs.
    unsafe { core::slice::from_raw_parts(HEAP_AT as *const u8, heap.used_end()) }.to_vec()
}

fn is_ours(block: *const c_void) -> bool {
    is_in(block as usize)
}

/// Whether an address is one of the heap.
#[inline(always)]
pub fn is_in(address: usize) -> bool {
    address.wrapping_sub(HEAP_AT) < HEAP_SIZE
}

/// The running task, at a place in its code.
fn origin(pc: usize) -> Origin {
    Origin::new(runtime().current.0, pc)
}

pub fn allocate(size: usize, align: usize, pc: usize) -> *mut c_void {
    let this = runtime();
    let fresh = HEAP_AT + this.heap.used_end();
    let block = this.heap.allocate(size, align, origin(pc));
    if block.is_null() {
        set_errno(libc::ENOMEM);
    } else if (block as usize) < fresh && this.watches_memory() {
        // Nothing is known of memory that was never handed out. What was not asked for goes with it.
        let capacity = this.heap.capacity_of(block).unwrap_or(size);
        this.shadow.allocate(block as usize, capacity);
    }
    block.cast()
}

/// The running task has written all of a block that was just handed out to it. Code that is not instrumented may hand it
/// on by what is not seen: what such code writes is not watched, here as elsewhere.
fn imprint(block: *mut c_void, size: usize, pc: usize) {
    let this = runtime();
    if this.watches_memory() && instrumented::is_at(pc) {
        let (task, start) = (this.current, block as usize);
        this.shadow.imprint(task, start, size, pc, &this.clocks);
    }
}

/// Clears a block that was handed out.
fn clear(block: &mut [u8]) {
    let this = runtime();
    match this.launch.reexecution {
        // It was cleared with the heap, as a rule, and looking takes less time than writing.
        Reexecution::Snapshot => this.snapshot.restoring.clear(block),
        // What is behind it is to be had from the kernel, which takes longer when it is looked at first.
        Reexecution::Fork | Reexecution::Exec => block.fill(0),
    }
}

pub fn release(block: *mut c_void, pc: usize) {
    let Some(this) = running() else {
        // The heap goes away as a whole.
        return;
    };
    if this.is_planned && this.races && !this.is_alone() {
        this.execution.assume(Proviso::Unplanned);
    }
    let released = this.heap.release(block.cast(), origin(pc));
    let start = block as usize;
    if let Ok(released) = &released {
        this.buffers.forget(start..start + released.size);
        posix::note_freed(start..start + released.size);
    }
    match released {
        Ok(released) => watch_freed(start, released.size, pc),
        Err(Misuse::DoubleFree) => {
            let before = this.heap.locate(start, 1).and_then(|block| block.freed);
            let message = match before {
                Some(by) => format!(
                    "double free of what {},",
                    bounds::mention(this, by, "freed")
                ),
                None => String::from("double free"),
            };
            fail(FailureKind::InvalidFree, &message, pc)
        }
        Err(Misuse::NotABlock) => fail(
            FailureKind::InvalidFree,
            "free of what was never allocated",
            pc,
        ),
    }
}

/// The running task has freed a block: nobody may use it until it is handed out again.
fn watch_freed(start: usize, size: usize, pc: usize) {
    let this = runtime();
    if !this.watches_memory() {
        return;
    }
    let found = this
        .shadow
        .free(this.current, start, size, pc, &this.clocks);
    match found.filter(|_| this.races) {
        Some(Finding::Race { .. }) if this.has_learned_unseen(start..start + size) => {}
        Some(finding) => report(finding, "free", pc),
        None => {}
    }
}

/// Frees what was allocated before `main`. The C library does not get it back if it is watched, since it would
/// write into it and hand it out; the next execution finds it allocated anyway.
fn release_early(block: *mut c_void, pc: usize) {
    match running().is_some_and(|this| this.watches_memory()) {
        true => watch_freed(block as usize, usable_size(block), pc),
        // SAFETY: the C library's own block, as the program says.
        false => unsafe { __libc_free(block) },
    }
}

/// How much of a block of the C library can be used.
fn usable_size(block: *mut c_void) -> usize {
    // SAFETY: what the C library keeps in front of a block: its size, with flags in the low bits.
    unsafe { (*block.cast::<usize>().sub(1) & !7) - 2 * size_of::<usize>() }
}

fn reallocate(block: *mut c_void, size: usize, pc: usize) -> *mut c_void {
    let Some(old) = runtime().heap.size_of(block.cast()) else {
        fail(
            FailureKind::InvalidFree,
            "realloc of what is not allocated",
            pc,
        );
    };
    let new = allocate(size, 16, pc);
    if !new.is_null() {
        let count = old.min(size);
        // SAFETY: both blocks are at least that large, and they are different.
        unsafe { core::ptr::copy_nonoverlapping(block.cast::<u8>(), new.cast(), count) };
        imprint(new, count, pc);
        release(block, pc);
    }
    new
}

fn resize(block: *mut c_void, size: usize, pc: usize) -> *mut c_void {
    match (block.is_null(), is_ours(block)) {
        (true, _) => allocate(size, 16, pc),
        (_, true) => reallocate(block, size, pc),
        // SAFETY: the C library's own block, as the program says.
        (_, false) => unsafe { __libc_realloc(block, size) },
    }
}

/// A size of several things; `None` if there is no such number.
fn product(count: usize, size: usize) -> Option<usize> {
    let bytes = count.checked_mul(size);
    if bytes.is_none() {
        set_errno(libc::ENOMEM);
    }
    bytes
}

interpose! {
    fn malloc(size: usize; pc) -> *mut c_void {
        if running().is_none() {
            return __libc_malloc(size);
        }
        allocate(size, 16, pc)
    }

    fn calloc(count: usize, size: usize; pc) -> *mut c_void {
        if running().is_none() {
            return __libc_calloc(count, size);
        }
        let Some(bytes) = product(count, size) else {
            return null_mut();
        };
        let block = allocate(bytes, 16, pc);
        if !block.is_null() {
            clear(from_raw_parts_mut(block.cast(), bytes));
            imprint(block, bytes, pc);
        }
        block
    }

    fn free(block: *mut c_void; pc) {
        if block.is_null() {
            return;
        }
        match is_ours(block) {
            true => release(block, pc),
            false => release_early(block, pc),
        }
    }

    fn realloc(block: *mut c_void, size: usize; pc) -> *mut c_void {
        if running().is_none() {
            return __libc_realloc(block, size);
        }
        resize(block, size, pc)
    }

    fn reallocarray(block: *mut c_void, count: usize, size: usize; pc) -> *mut c_void {
        let Some(bytes) = product(count, size) else {
            return null_mut();
        };
        match running().is_some() {
            true => resize(block, bytes, pc),
            false => __libc_realloc(block, bytes),
        }
    }

    fn memalign(align: usize, size: usize; pc) -> *mut c_void {
        if running().is_none() {
            return __libc_memalign(align, size);
        }
        allocate(size, align.next_power_of_two(), pc)
    }

    fn aligned_alloc(align: usize, size: usize; pc) -> *mut c_void {
        if running().is_none() {
            return __libc_memalign(align, size);
        }
        allocate(size, align.next_power_of_two(), pc)
    }

    fn valloc(size: usize; pc) -> *mut c_void {
        if running().is_none() {
            return __libc_memalign(4096, size);
        }
        allocate(size, 4096, pc)
    }

    fn posix_memalign(out: *mut *mut c_void, align: usize, size: usize; pc) -> c_int {
        if !align.is_power_of_two() || !align.is_multiple_of(size_of::<usize>()) {
            return libc::EINVAL;
        }
        let block = match running() {
            None => __libc_memalign(align, size),
            Some(_) => allocate(size, align, pc),
        };
        if block.is_null() {
            return libc::ENOMEM;
        }
        *out = block;
        0
    }

    fn malloc_usable_size(block: *mut c_void; pc) -> usize {
        match block.is_null() {
            true => 0,
            false if is_ours(block) => crate::runtime::runtime().heap.size_of(block.cast()).unwrap_or(0),
            false => usable_size(block),
        }
    }
}
