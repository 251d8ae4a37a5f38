//! The runtime's own memory: shared with forks of the process, untouched by snapshots.
//!
//! Engine and strategies keep everything here. Because it is shared, what the strategy learned in a
//! forked execution is known to its parent. Blocks have sizes that are powers of two; a freed block
//! is used again for one of its size.
//!
//! Processes that work together ([`crew`](crate::crew)) each have an arena of their own and see all of
//! them, so that what one has made can be used by another. Nobody has to lock anything: whoever frees a
//! block, wherever it came from, keeps it for the next one of its size.
//!
//! Where every execution is a process of its own, the arena is the end of the file of the desk, which each
//! of them maps to the same place and takes over as the last one has left it.

use crate::sys;
use core::alloc::{GlobalAlloc, Layout};
use core::sync::atomic::{AtomicUsize, Ordering};
use unpick_protocol::DESK_SIZE;

/// Where the arenas lie: far from where the kernel puts things by itself.
const ARENAS_AT: usize = 0x6100_0000_0000;
/// Room for all of them.
const ARENAS_SIZE: usize = 1 << 40;
/// Bytes of an arena, at most. Pages that are never touched cost nothing.
const ARENA_MAX: usize = 64 << 30;

/// The arena of this process. Written before anything is allocated.
static OWN: AtomicUsize = AtomicUsize::new(ARENAS_AT);

const CLASSES: usize = 48;

#[repr(C)]
struct Header {
    /// The first address that was never handed out.
    next: usize,
    /// The first address behind the arena.
    end: usize,
    /// Freed blocks by the logarithm of their size; the first word of each leads to the next.
    free: [usize; CLASSES],
}

fn size_of_each(count: usize) -> usize {
    (ARENAS_SIZE / count).min(ARENA_MAX) & !4095
}

/// Maps so many arenas and takes the first one. Nothing can be allocated before.
pub fn open(count: usize) -> bool {
    let flags = libc::MAP_SHARED | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    let size = size_of_each(count);
    let memory = sys::map(ARENAS_AT, count * size, flags, -1);
    let is_there = memory.is_some();
    if is_there {
        prepare(count);
    }
    is_there
}

/// Maps one arena that can be taken over by another process, from the end of a file; prepares it unless
/// it `is_inherited`.
pub fn open_file(file: i32, is_inherited: bool) -> bool {
    let size = size_of_each(1);
    let flags = libc::MAP_SHARED | libc::MAP_NORESERVE;
    let length = (DESK_SIZE + size) as i64;
    // SAFETY: only makes the file longer.
    let result = unsafe { sys::call(libc::SYS_ftruncate, [i64::from(file), length, 0, 0, 0, 0]) };
    let memory = sys::map_from(ARENAS_AT, size, flags, (file, DESK_SIZE));
    let is_there = result == 0 && memory.is_some();
    if is_there && !is_inherited {
        prepare(1);
    }
    is_there
}

/// Makes arenas of memory that is mapped.
fn prepare(count: usize) {
    let size = size_of_each(count);
    for number in 0..count {
        let start = ARENAS_AT + number * size;
        // SAFETY: fresh memory, large enough and aligned.
        let header = unsafe { &mut *(start as *mut Header) };
        header.next = (start + size_of::<Header>()).next_multiple_of(4096);
        header.end = start + size;
    }
}

/// Takes another of the arenas that were mapped.
pub fn move_to(number: usize, count: usize) {
    OWN.store(ARENAS_AT + number * size_of_each(count), Ordering::Relaxed);
}

/// Takes memory for good: whole pages, zeroes. `None` if there is not so much.
pub fn reserve(bytes: usize) -> Option<*mut u8> {
    // SAFETY: the arena is mapped before anything is taken of it.
    let header = unsafe { &mut *own() };
    let start = header.next.next_multiple_of(4096);
    let end = start + bytes.next_multiple_of(4096);
    if end > header.end {
        return None;
    }
    header.next = end;
    Some(start as *mut u8)
}

fn own() -> *mut Header {
    OWN.load(Ordering::Relaxed) as *mut Header
}

struct Arena;

#[global_allocator]
static ARENA: Arena = Arena;

fn class(layout: Layout) -> usize {
    let size = layout.size().max(layout.align()).max(16);
    size.next_power_of_two().trailing_zeros() as usize
}

// SAFETY: one task of a process runs at a time, so that nobody allocates from an arena while another does;
// blocks are disjoint, and aligned because their sizes are powers of two and so are their places.
unsafe impl GlobalAlloc for Arena {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the arena is mapped before anything is allocated.
        let header = unsafe { &mut *own() };
        let class = class(layout);
        let block = header.free[class];
        if block != 0 {
            // SAFETY: a free block begins with the address of the next one.
            header.free[class] = unsafe { *(block as *const usize) };
            return block as *mut u8;
        }
        let size = 1_usize << class;
        let start = header.next.next_multiple_of(size.min(4096));
        if start + size > header.end {
            return core::ptr::null_mut();
        }
        header.next = start + size;
        start as *mut u8
    }

    // SAFETY: as the trait asks: the caller gives back what it got here, with its layout.
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as above; the block is free now, and large enough for a word.
        unsafe {
            let header = &mut *own();
            let class = class(layout);
            *block.cast::<usize>() = header.free[class];
            header.free[class] = block as usize;
        }
    }
}
