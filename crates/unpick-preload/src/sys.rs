//! System calls, made directly: the functions of the C library that make them are ours.

use core::arch::asm;
use core::fmt;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// The exit code of a process in which the runtime itself has failed.
pub const INTERNAL_ERROR: i32 = 70;

/// Whether the runtime has made a system call since that was last forgotten.
static HAS_CALLED: AtomicBool = AtomicBool::new(false);

/// Forgets that system calls were made.
pub fn forget_calls() {
    HAS_CALLED.store(false, Ordering::Relaxed);
}

/// Whether the runtime has made a system call since.
pub fn has_called() -> bool {
    HAS_CALLED.load(Ordering::Relaxed)
}

/// Makes a system call.
///
/// # Safety
///
/// As with the call itself.
#[inline]
pub unsafe fn call(number: i64, arguments: [i64; 6]) -> i64 {
    HAS_CALLED.store(true, Ordering::Relaxed);
    let result: i64;
    // SAFETY: the kernel preserves everything but the result, rcx and r11.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") number => result,
            in("rdi") arguments[0],
            in("rsi") arguments[1],
            in("rdx") arguments[2],
            in("r10") arguments[3],
            in("r8") arguments[4],
            in("r9") arguments[5],
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    result
}

/// A byte of the program's memory, if there is one.
pub fn peek(address: usize) -> Option<u8> {
    let mut byte = 0u8;
    let part = |base: usize| libc::iovec {
        iov_base: base as *mut libc::c_void,
        iov_len: 1,
    };
    let (into, from) = (part((&raw mut byte) as usize), part(address));
    // SAFETY: writes one byte, ours; what cannot be read is an error.
    let count = unsafe {
        let process = call(libc::SYS_getpid, [0; 6]);
        let (into, from) = ((&raw const into) as i64, (&raw const from) as i64);
        call(libc::SYS_process_vm_readv, [process, into, 1, from, 1, 0])
    };
    (count == 1).then_some(byte)
}

/// Maps memory; at `address` exactly if that is not zero.
pub fn map(address: usize, bytes: usize, flags: i32, file: i32) -> Option<*mut u8> {
    map_from(address, bytes, flags, (file, 0))
}

/// The same, of a file from an offset on.
pub fn map_from(
    address: usize,
    bytes: usize,
    flags: i32,
    (file, offset): (i32, usize),
) -> Option<*mut u8> {
    let fixed = match address {
        0 => 0,
        _ => libc::MAP_FIXED_NOREPLACE,
    };
    let protection = i64::from(libc::PROT_READ | libc::PROT_WRITE);
    let flags = i64::from(flags | fixed);
    let arguments = [
        address as i64,
        bytes as i64,
        protection,
        flags,
        i64::from(file),
        offset as i64,
    ];
    // SAFETY: memory that nobody uses yet.
    let result = unsafe { call(libc::SYS_mmap, arguments) };
    let is_there = result > 0 && (address == 0 || result as usize == address);
    is_there.then_some(result as *mut u8)
}

/// Unmaps memory.
///
/// # Safety
///
/// Nobody uses it any more.
pub unsafe fn unmap(address: usize, bytes: usize) {
    // SAFETY: by the caller.
    unsafe { call(libc::SYS_munmap, [address as i64, bytes as i64, 0, 0, 0, 0]) };
}

/// Waits while a word has a value. May return early.
pub fn futex_wait(word: &AtomicU32, value: u32) {
    let address = word.as_ptr() as i64;
    let operation = i64::from(libc::FUTEX_WAIT);
    // SAFETY: the word outlives the call.
    unsafe {
        call(
            libc::SYS_futex,
            [address, operation, i64::from(value), 0, 0, 0],
        )
    };
}

/// The same, but not for longer than so many milliseconds.
pub fn futex_wait_briefly(word: &AtomicU32, value: u32, milliseconds: i64) {
    futex_wait_for(word, value, milliseconds as u64 * 1_000_000);
}

/// The same, but not for longer than so many nanoseconds.
pub fn futex_wait_for(word: &AtomicU32, value: u32, nanoseconds: u64) {
    let address = word.as_ptr() as i64;
    let operation = i64::from(libc::FUTEX_WAIT);
    let time = libc::timespec {
        tv_sec: (nanoseconds / 1_000_000_000) as i64,
        tv_nsec: (nanoseconds % 1_000_000_000) as i64,
    };
    let limit = &raw const time as i64;
    // SAFETY: word and time outlive the call.
    unsafe {
        call(
            libc::SYS_futex,
            [address, operation, i64::from(value), limit, 0, 0],
        )
    };
}

/// Wakes all who wait for a word, in whatever process.
pub fn futex_wake(word: &AtomicU32) {
    let address = word.as_ptr() as i64;
    let operation = i64::from(libc::FUTEX_WAKE);
    // SAFETY: the kernel only looks who waits there.
    unsafe {
        call(
            libc::SYS_futex,
            [address, operation, i64::from(i32::MAX), 0, 0, 0],
        )
    };
}

/// Writes to the error stream.
pub fn print(text: &[u8]) {
    // SAFETY: the kernel only reads the text.
    unsafe {
        call(
            libc::SYS_write,
            [2, text.as_ptr() as i64, text.len() as i64, 0, 0, 0],
        )
    };
}

/// Ends the process at once.
pub fn exit_process(code: i32) -> ! {
    loop {
        // SAFETY: there is no way back.
        unsafe { call(libc::SYS_exit_group, [i64::from(code), 0, 0, 0, 0, 0]) };
    }
}

/// Sets `errno` of the running task.
pub fn set_errno(value: i32) {
    // SAFETY: the C library gives the address of the caller's own variable.
    unsafe { *libc::__errno_location() = value };
}

/// The result of a system call as the C library gives it.
pub fn with_errno(result: i64) -> i64 {
    if (-4095..0).contains(&result) {
        set_errno(-result as i32);
        return -1;
    }
    result
}

/// A little text made without allocation.
pub struct Text {
    bytes: [u8; 1024],
    length: usize,
}

impl Text {
    pub fn new() -> Text {
        Text {
            bytes: [0; 1024],
            length: 0,
        }
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

impl fmt::Write for Text {
    /// What does not fit is left out.
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for &byte in text.as_bytes() {
            if let Some(place) = self.bytes.get_mut(self.length) {
                *place = byte;
                self.length += 1;
            }
        }
        Ok(())
    }
}
