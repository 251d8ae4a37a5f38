//! Puts memory back to what it was, which most of it is: what differs is looked for with all that the
//! processor can compare at once.

use core::arch::asm;
use core::arch::x86_64::{__cpuid, __cpuid_count};

/// Bytes that are put back together.
const BLOCK: usize = 256;

/// How memory is put back: by the widest registers of the processor, as far as is known.
#[derive(Clone, Copy, Default)]
pub enum Restoring {
    /// 16 bytes at once, as on every processor.
    #[default]
    Plain,
    /// 32 bytes.
    Avx2,
    /// 64 bytes, a line of the cache.
    Avx512,
}

impl Restoring {
    /// The best way on this processor. Asking it takes long in a virtual machine.
    pub fn new() -> Restoring {
        /// The system saves wide registers, and the processor has them.
        const WIDE: u32 = 1 << 27 | 1 << 28;
        /// What the system saves of them.
        const AVX2_SAVED: u32 = 0x06;
        const AVX512_SAVED: u32 = 0xe6;
        const AVX2: u32 = 1 << 5;
        const AVX512: u32 = 1 << 16;
        if __cpuid(0).eax < 7 || __cpuid(1).ecx & WIDE != WIDE {
            return Restoring::Plain;
        }
        let saved: u32;
        // SAFETY: only asks; the system has said that one may.
        unsafe {
            asm!("xgetbv", in("ecx") 0, out("eax") saved, out("edx") _, options(nomem, nostack));
        }
        let known = __cpuid_count(7, 0).ebx;
        if saved & AVX512_SAVED == AVX512_SAVED && known & AVX512 != 0 {
            Restoring::Avx512
        } else if saved & AVX2_SAVED == AVX2_SAVED && known & AVX2 != 0 {
            Restoring::Avx2
        } else {
            Restoring::Plain
        }
    }

    /// Makes memory equal to a copy of the same length.
    pub fn put_back(self, memory: &mut [u8], copy: &[u8]) {
        match self {
            Restoring::Plain => put_back(memory, copy),
            // SAFETY: the processor knows it.
            Restoring::Avx2 => unsafe { put_back_by_avx2(memory, copy) },
            // SAFETY: the processor knows it.
            Restoring::Avx512 => unsafe { put_back_by_avx512(memory, copy) },
        }
    }

    /// Makes memory zero: half as much to look at.
    pub fn clear(self, memory: &mut [u8]) {
        match self {
            Restoring::Plain => clear(memory),
            // SAFETY: the processor knows it.
            Restoring::Avx2 => unsafe { clear_by_avx2(memory) },
            // SAFETY: the processor knows it.
            Restoring::Avx512 => unsafe { clear_by_avx512(memory) },
        }
    }
}

#[target_feature(enable = "avx2")]
fn put_back_by_avx2(memory: &mut [u8], copy: &[u8]) {
    put_back(memory, copy);
}

#[target_feature(enable = "avx512f")]
fn put_back_by_avx512(memory: &mut [u8], copy: &[u8]) {
    put_back(memory, copy);
}

#[target_feature(enable = "avx2")]
fn clear_by_avx2(memory: &mut [u8]) {
    clear(memory);
}

#[target_feature(enable = "avx512f")]
fn clear_by_avx512(memory: &mut [u8]) {
    clear(memory);
}

#[inline(always)]
fn put_back(memory: &mut [u8], copy: &[u8]) {
    let (blocks, rest) = memory.as_chunks_mut::<BLOCK>();
    let (copies, copy_of_rest) = copy.as_chunks::<BLOCK>();
    for (block, copy) in blocks.iter_mut().zip(copies) {
        let pairs = block.iter().zip(copy);
        if pairs.fold(0, |differs, (one, other)| differs | (one ^ other)) != 0 {
            *block = *copy;
        }
    }
    if !rest.is_empty() {
        rest.copy_from_slice(copy_of_rest);
    }
}

#[inline(always)]
fn clear(memory: &mut [u8]) {
    let (blocks, rest) = memory.as_chunks_mut::<BLOCK>();
    for block in blocks {
        if block.iter().fold(0, |differs, one| differs | one) != 0 {
            *block = [0; BLOCK];
        }
    }
    if !rest.is_empty() {
        rest.fill(0);
    }
}
