//! A shadow with memory of its own.

use std::alloc::{Layout, alloc_zeroed, dealloc};

use unpick_memory::Shadow;

/// 32 pages of cells, with the entries of the pages.
const MEMORY_BYTES: usize = (1 << 20) + (1 << 14);

pub struct Owned {
    pub shadow: Shadow,
    memory: *mut u8,
}

impl Owned {
    pub fn new() -> Owned {
        let layout = Layout::from_size_align(MEMORY_BYTES, 64).unwrap();
        // SAFETY: the layout is not empty.
        let memory = unsafe { alloc_zeroed(layout) };
        // SAFETY: zeroed, of that size, and nobody else knows it.
        let shadow = unsafe { Shadow::new(memory, MEMORY_BYTES) };
        Owned { shadow, memory }
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        let layout = Layout::from_size_align(MEMORY_BYTES, 64).unwrap();
        // SAFETY: allocated with this layout; the shadow is not used any more.
        unsafe { dealloc(self.memory, layout) }
    }
}
