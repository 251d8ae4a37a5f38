//! Copying before the functions of the C library are known. The compiler must not make calls of the very
//! functions out of this that it stands in for.

use core::arch::asm;
use core::ffi::{c_int, c_void};

/// Copies memory, also to where it overlaps.
///
/// # Safety
///
/// As with `memmove`.
pub unsafe fn copy(target: *mut c_void, source: *const c_void, size: usize) -> *mut c_void {
    let is_forward = (target as usize).wrapping_sub(source as usize) >= size;
    // SAFETY: by the caller; the flag of direction is as it was at the end.
    unsafe {
        if is_forward {
            asm!("rep movsb", inout("rcx") size => _, inout("rdi") target => _,
                 inout("rsi") source => _, options(nostack, preserves_flags));
        } else {
            let last = size - 1;
            asm!("std", "rep movsb", "cld", inout("rcx") size => _,
                 inout("rdi") target.byte_add(last) => _, inout("rsi") source.byte_add(last) => _,
                 options(nostack));
        }
    }
    target
}

/// Fills memory.
///
/// # Safety
///
/// As with `memset`.
pub unsafe fn fill(target: *mut c_void, value: c_int, size: usize) -> *mut c_void {
    // SAFETY: by the caller.
    unsafe {
        asm!("rep stosb", inout("rcx") size => _, inout("rdi") target => _,
             in("al") value as u8, options(nostack, preserves_flags));
    }
    target
}

/// Compares memory.
///
/// # Safety
///
/// As with `memcmp`.
pub unsafe fn compare(one: *const c_void, other: *const c_void, size: usize) -> c_int {
    for at in 0..size {
        // SAFETY: by the caller; a volatile read is no part of a pattern that is replaced by a call.
        let (mine, theirs) = unsafe {
            (
                one.cast::<u8>().add(at).read_volatile(),
                other.cast::<u8>().add(at).read_volatile(),
            )
        };
        if mine != theirs {
            return c_int::from(mine) - c_int::from(theirs);
        }
    }
    0
}
