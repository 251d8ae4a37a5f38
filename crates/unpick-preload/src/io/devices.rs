//! The kernel's source of randomness as a file: the same bytes in every execution.

use crate::interpose::interpose;
use crate::real;
use crate::runtime::running;
use core::ffi::{CStr, c_char, c_void};

/// Whether a device number is that of `/dev/random` or `/dev/urandom`.
pub fn is_random(device: u64) -> bool {
    device == libc::makedev(1, 8) || device == libc::makedev(1, 9)
}

/// Whether a device number is that of `/dev/null`.
pub fn is_nothing(device: u64) -> bool {
    device == libc::makedev(1, 3)
}

/// # Safety
///
/// A string of the program.
unsafe fn is_random_path(path: *const c_char) -> bool {
    // SAFETY: by the caller.
    let path = unsafe { CStr::from_ptr(path) };
    path == c"/dev/urandom" || path == c"/dev/random"
}

/// What the C library calls for a stream of our making.
#[repr(C)]
pub struct Functions {
    read: unsafe extern "C" fn(*mut c_void, *mut u8, usize) -> isize,
    write: usize,
    seek: usize,
    close: usize,
}

// SAFETY: called by the C library with room for that many bytes.
unsafe extern "C" fn read(_stream: *mut c_void, out: *mut u8, count: usize) -> isize {
    match running() {
        Some(_) => crate::random::fill(out, count),
        None => 0,
    }
}

/// Opens a stream of random bytes.
fn open_random(mode: *const c_char) -> *mut c_void {
    let functions = Functions {
        read,
        write: 0,
        seek: 0,
        close: 0,
    };
    // SAFETY: the functions that are not there are null, as the C library wants it.
    unsafe { real::fopencookie()(core::ptr::null_mut(), mode, functions) }
}

interpose! {
    fn fopen(path: *const c_char, mode: *const c_char; pc) -> *mut c_void {
        if running().is_some() && is_random_path(path) {
            return open_random(mode);
        }
        real::fopen()(path, mode)
    }

    fn fopen64(path: *const c_char, mode: *const c_char; pc) -> *mut c_void {
        if running().is_some() && is_random_path(path) {
            return open_random(mode);
        }
        real::fopen64()(path, mode)
    }
}
