//! Rust's standard library, which comes compiled without instrumentation: its functions that wait and wake are
//! replaced.
//!
//! What code without instrumentation does from one system call to the next would be one step, and what it does with
//! its words would be unseen. So each of these functions begins with a jump to ours, which does the same with the
//! same words, operation by operation. The parts of the library that are compiled into the program, such as the lock
//! of a mutex that is free, are instrumented and use these words too.
//!
//! Ours leave out what only saves time: spinning before a wait, and a look before an exchange.

mod locks;
mod once;
mod threads;

use crate::runtime::Runtime;
use crate::sys;
use core::sync::atomic::{AtomicUsize, Ordering};
use unpick_protocol::StandardFunction::{self, *};
use unpick_protocol::{JUMP_SIZE, StandardCode};

/// Orders of atomic operations, as compilers number them.
const RELAXED: i32 = 0;
const ACQUIRE: i32 = 2;
const RELEASE: i32 = 3;

/// Bytes of a page of memory.
const PAGE: usize = 4096;

/// What replacements ask for: addresses of the program.
struct Known {
    current_thread: AtomicUsize,
    create_current_thread: AtomicUsize,
    once_call: AtomicUsize,
    once_wait: AtomicUsize,
}

static KNOWN: Known = Known {
    current_thread: AtomicUsize::new(0),
    create_current_thread: AtomicUsize::new(0),
    once_call: AtomicUsize::new(0),
    once_wait: AtomicUsize::new(0),
};

/// Replaces what the program has of it. Nothing of the program runs yet.
pub fn replace(this: &Runtime) {
    if this.standard.is_empty() {
        return;
    }
    let program = this.sites.modules.iter().find(|one| one.path.is_empty());
    let Some(base) = program.map(|program| program.base) else {
        return;
    };
    let Some(moved) = sys::map(0, PAGE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1) else {
        return;
    };
    let mut moved = Moved(moved as usize);
    let page = moved.0;
    for code in &this.standard {
        let entry = base.wrapping_add(code.start) as usize;
        match code.function {
            CurrentThread => KNOWN
                .current_thread
                .store(code.start as usize, Ordering::Relaxed),
            CreateCurrentThread => KNOWN.create_current_thread.store(entry, Ordering::Relaxed),
            OnceCall => KNOWN
                .once_call
                .store(moved.take(entry, code), Ordering::Relaxed),
            OnceWait => KNOWN
                .once_wait
                .store(moved.take(entry, code), Ordering::Relaxed),
            _ => {}
        }
        if let Some(ours) = replacement(code.function) {
            put_jump(entry, ours);
        }
    }
    protect(page, PAGE, libc::PROT_READ | libc::PROT_EXEC);
}

/// The function that stands in for one of the library's.
fn replacement(function: StandardFunction) -> Option<usize> {
    let entry = match function {
        MutexLock => locks::mutex_lock::entry as *const (),
        MutexWake | FutexWake => locks::wake_one::entry as *const (),
        CondvarWait => locks::condvar_wait::entry as *const (),
        CondvarWaitTimeout => locks::condvar_wait_timeout::entry as *const (),
        CondvarNotifyOne => locks::condvar_notify_one::entry as *const (),
        CondvarNotifyAll => locks::condvar_notify_all::entry as *const (),
        RwLockRead => locks::rwlock_read::entry as *const (),
        RwLockWrite => locks::rwlock_write::entry as *const (),
        RwLockWake => locks::rwlock_wake::entry as *const (),
        OnceCall => once::call::entry as *const (),
        OnceWait => once::wait::entry as *const (),
        BarrierWait => threads::barrier_wait::entry as *const (),
        Park => threads::park_current::entry as *const (),
        ParkTimeout => threads::park_current_timeout::entry as *const (),
        ThreadPark => threads::park::entry as *const (),
        ThreadParkTimeout => threads::park_timeout::entry as *const (),
        ScopeEnter => threads::scope_enter::entry as *const (),
        ScopeLeave => threads::scope_leave::entry as *const (),
        CurrentThread | CreateCurrentThread => return None,
    };
    Some(entry as usize)
}

/// Where the beginnings of functions go that are replaced and called.
struct Moved(usize);

impl Moved {
    /// Copies the beginning of a function; gives where it begins now.
    fn take(&mut self, entry: usize, code: &StandardCode) -> usize {
        let (place, size) = (self.0, usize::from(code.movable));
        // SAFETY: the page is ours and has room for a few; the driver has measured the beginning.
        unsafe {
            core::ptr::copy_nonoverlapping(entry as *const u8, place as *mut u8, size);
            write_jump(place + size, entry + size);
        }
        self.0 += (size + JUMP_SIZE).next_multiple_of(16);
        place
    }
}

/// Makes a function begin with a jump.
fn put_jump(entry: usize, target: usize) {
    let start = entry & !(PAGE - 1);
    let size = (entry + JUMP_SIZE).next_multiple_of(PAGE) - start;
    protect(start, size, libc::PROT_READ | libc::PROT_WRITE);
    // SAFETY: the driver has found that the function is as long, and nothing of the program runs.
    unsafe { write_jump(entry, target) };
    protect(start, size, libc::PROT_READ | libc::PROT_EXEC);
}

/// `movabs r11, target; jmp r11`: no argument of a function lies in that register.
///
/// # Safety
///
/// The memory can be written, and what lies there is not needed.
unsafe fn write_jump(place: usize, target: usize) {
    let mut jump = [0x49, 0xbb, 0, 0, 0, 0, 0, 0, 0, 0, 0x41, 0xff, 0xe3];
    const { assert!(JUMP_SIZE == 13) };
    jump[2..10].copy_from_slice(&target.to_le_bytes());
    // SAFETY: by the caller.
    unsafe { core::ptr::copy_nonoverlapping(jump.as_ptr(), place as *mut u8, jump.len()) };
}

fn protect(start: usize, size: usize, protection: i32) {
    let arguments = [start as i64, size as i64, i64::from(protection), 0, 0, 0];
    // SAFETY: code of the program, which nothing runs now, and a page of ours.
    let result = unsafe { sys::call(libc::SYS_mprotect, arguments) };
    assert!(result == 0, "cannot change the program's code");
}

/// A moment so far from now, if there is one.
fn deadline(seconds: u64, nanoseconds: u32) -> Option<libc::timespec> {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: ours, which writes the time.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) };
    const SECOND_NS: i64 = 1_000_000_000;
    let rest = now.tv_nsec + i64::from(nanoseconds);
    let seconds = i64::try_from(seconds).ok()?;
    let seconds = now
        .tv_sec
        .checked_add(seconds)?
        .checked_add(rest / SECOND_NS)?;
    Some(libc::timespec {
        tv_sec: seconds,
        tv_nsec: rest % SECOND_NS,
    })
}

/// Defines functions that stand in for others whose arguments are passed as those of C. Each is a module with an
/// `entry`; its body sees `pc`, the address the call returns to.
macro_rules! stand_in {
    ($($(#[$meta:meta])* fn $name:ident($($argument:ident: $kind:ty),* $(,)?; $pc:ident) $(-> $result:ty)? $body:block)*) => {
        $($(#[$meta])* pub mod $name {
            use super::*;

            // SAFETY: the program vouches for what it passes.
            unsafe extern "C" fn body($($argument: $kind,)* $pc: usize) $(-> $result)? {
                #[allow(unused_unsafe)]
                // SAFETY: as above.
                unsafe { $body }
            }

            // SAFETY: it does what the function does that it stands in for.
            #[unsafe(naked)]
            pub unsafe extern "C" fn entry($($argument: $kind),*) $(-> $result)? {
                core::arch::naked_asm!(
                    concat!("mov ", $crate::interpose::register!($($argument)*), ", [rsp]"),
                    "jmp {body}",
                    body = sym body,
                )
            }
        })*
    };
}

use stand_in;
