//! The runtime's own memory: shared with forks of the process, untouched by snapshots.
//!
//! Engine and strategies keep everything here. Because it is shared, what the strategy learned in a
//! forked execution is known to its parent. Blocks have sizes that are powers of two; a freed block
//! is used again for one of its size.

use crate::sys;
use core::alloc::{GlobalAlloc, Layout};

/// Where the arena lies: far from where the kernel puts things by itself.
pub const ARENA_AT: usize = 0x6100_0000_0000;
/// Its size. Pages that are never touched cost nothing.
pub const ARENA_SIZE: usize = 64 << 30;

const CLASSES: usize = 48;

#[repr(C)]
struct Header {
    /// The first address that was never handed out.
    next: usize,
    /// Freed blocks by the logarithm of their size; the first word of each leads to the next.
    free: [usize; CLASSES],
}

/// Maps the arena. Nothing can be allocated before.
pub fn open() -> bool {
    let flags = libc::MAP_SHARED | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    let Some(memory) = sys::map(ARENA_AT, ARENA_SIZE, flags, -1) else {
        return false;
    };
    // SAFETY: fresh memory, large enough and aligned.
    let header = unsafe { &mut *memory.cast::<Header>() };
    header.next = (ARENA_AT + size_of::<Header>()).next_multiple_of(4096);
    true
}

struct Arena;

#[global_allocator]
static ARENA: Arena = Arena;

fn class(layout: Layout) -> usize {
    let size = layout.size().max(layout.align()).max(16);
    size.next_power_of_two().trailing_zeros() as usize
}

// SAFETY: one task runs at a time, so that nobody allocates while another does; blocks are disjoint,
// and aligned because their sizes are powers of two and so are their places.
unsafe impl GlobalAlloc for Arena {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the arena is mapped before anything is allocated.
        let header = unsafe { &mut *(ARENA_AT as *mut Header) };
        let class = class(layout);
        let block = header.free[class];
        if block != 0 {
            // SAFETY: a free block begins with the address of the next one.
            header.free[class] = unsafe { *(block as *const usize) };
            return block as *mut u8;
        }
        let size = 1_usize << class;
        let start = header.next.next_multiple_of(size.min(4096));
        if start + size > ARENA_AT + ARENA_SIZE {
            return core::ptr::null_mut();
        }
        header.next = start + size;
        start as *mut u8
    }

    // SAFETY: as the trait asks: the caller gives back what it got here, with its layout.
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as above; the block is free now, and large enough for a word.
        unsafe {
            let header = &mut *(ARENA_AT as *mut Header);
            let class = class(layout);
            *block.cast::<usize>() = header.free[class];
            header.free[class] = block as usize;
        }
    }
}
