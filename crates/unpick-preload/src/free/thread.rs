//! Threads of a free execution, and how each of them knows its record.
//!
//! The controlled runtime has no thread-locals, because its tasks share one thread. Here each thread must
//! find its record within a nanosecond or two, and without a call that could allocate: a word of static
//! thread-local storage, at an offset that the loader puts into a table (the *initial-exec* model). That is
//! possible because this library is always there when the program starts. Controlled programs never look
//! at the word.

use super::{desk, priorities, reach, record};
use crate::real::Start;
use crate::sys;
use core::arch::{asm, global_asm};
use core::ffi::{c_int, c_void};
use core::sync::atomic::Ordering;
use unpick_noise::{Operation, Placement, Random};
use unpick_protocol::{FreeDesk, FreeThread, UNKNOWN};

global_asm!(
    ".pushsection .tbss.unpick_free_thread,\"awT\",@nobits",
    ".p2align 3",
    ".globl unpick_free_thread",
    ".hidden unpick_free_thread",
    ".type unpick_free_thread,@object",
    ".size unpick_free_thread, 8",
    "unpick_free_thread:",
    ".zero 8",
    ".popsection",
);

/// The record of the running thread, if it has one.
#[inline(always)]
pub fn known() -> Option<&'static FreeThread> {
    let record: *const FreeThread;
    // SAFETY: reads a word of the thread's own. It is zero, or was written by `know`.
    unsafe {
        asm!(
            "mov {record}, qword ptr [rip + unpick_free_thread@GOTTPOFF]",
            "mov {record}, qword ptr fs:[{record}]",
            record = out(reg) record,
            options(nostack, readonly, preserves_flags),
        );
        record.as_ref()
    }
}

fn know(thread: &'static FreeThread) {
    // SAFETY: writes a word of the thread's own, which nothing else uses.
    unsafe {
        asm!(
            "mov {offset}, qword ptr [rip + unpick_free_thread@GOTTPOFF]",
            "mov qword ptr fs:[{offset}], {record}",
            offset = out(reg) _,
            record = in(reg) core::ptr::from_ref(thread),
            options(nostack, preserves_flags),
        );
    }
}

/// The record of the running thread. One that was not created here gets one now, if there is any left.
#[inline(always)]
pub fn current() -> Option<&'static FreeThread> {
    known().or_else(adopt_stranger)
}

#[cold]
fn adopt_stranger() -> Option<&'static FreeThread> {
    let desk = desk()?;
    let (number, thread) = take(desk)?;
    thread.index.store(UNKNOWN, Ordering::Relaxed);
    priorities::admit(desk, number, thread);
    adopt(desk, number, thread);
    Some(thread)
}

/// Gives the first thread its record.
pub fn adopt_first(desk: &'static FreeDesk) {
    if let Some((number, thread)) = take(desk) {
        priorities::admit(desk, number, thread);
        adopt(desk, number, thread);
    }
}

/// A record that nobody has yet.
fn take(desk: &'static FreeDesk) -> Option<(u32, &'static FreeThread)> {
    let number = desk.threads.fetch_add(1, Ordering::Relaxed);
    record(desk, number).map(|thread| (number, thread))
}

/// Makes a record that of the running thread.
fn adopt(desk: &FreeDesk, number: u32, thread: &'static FreeThread) {
    let random = Random::new(desk.order.seed, number);
    thread.random.store(random.state(), Ordering::Relaxed);
    know(thread);
    // SAFETY: only asks.
    let kernel_id = unsafe { sys::call(libc::SYS_gettid, [0; 6]) };
    thread.kernel_id.store(kernel_id as u32, Ordering::Release);
}

/// The number of a thread.
pub fn number_of(desk: &FreeDesk, thread: &FreeThread) -> u32 {
    let first = desk.thread_at(0).unwrap_or(0);
    let size = desk.thread_at(1).map_or(1, |second| second - first);
    let offset = core::ptr::from_ref(thread) as usize - core::ptr::from_ref(desk) as usize;
    ((offset - first) / size) as u32
}

/// Creates a thread by a function of the C library, which gets what to begin with and puts the handle of
/// the thread into `out`.
pub fn create(
    (start, argument): (Start, *mut c_void),
    out: *const libc::pthread_t,
    pc: usize,
    call: impl FnOnce(Start, *mut c_void) -> c_int,
) -> c_int {
    let Some(desk) = desk() else {
        return call(start, argument);
    };
    reach(Placement::before(Operation::Create), 0, pc);
    let child = current().and_then(|parent| {
        let (number, child) = take(desk)?;
        priorities::admit(desk, number, child);
        let index = parent.children.load(Ordering::Relaxed);
        parent.children.store(index + 1, Ordering::Relaxed);
        child
            .parent
            .store(number_of(desk, parent), Ordering::Relaxed);
        child.index.store(index, Ordering::Relaxed);
        child.start[0].store(start as *const () as u64, Ordering::Relaxed);
        child.start[1].store(argument as u64, Ordering::Relaxed);
        Some(child)
    });
    let result = match child {
        Some(child) => call(begin, core::ptr::from_ref(child).cast_mut().cast()),
        None => call(start, argument),
    };
    if let Some(child) = child.filter(|_| result != 0) {
        priorities::withdraw(desk, child);
    }
    let handle = match result {
        // SAFETY: the C library has put it there.
        0 => unsafe { *out as usize },
        _ => 0,
    };
    reach(Placement::after(Operation::Create), handle, pc);
    result
}

// SAFETY: called by the C library as the beginning of a thread, with the record that `create` passed.
unsafe extern "C" fn begin(child: *mut c_void) -> *mut c_void {
    // SAFETY: a record, which is there for good. What it begins with was stored before the thread was made.
    let (thread, start, argument) = unsafe {
        let thread = &*child.cast::<FreeThread>();
        let [start, argument] = [0, 1].map(|at: usize| thread.start[at].load(Ordering::Relaxed));
        let start = core::mem::transmute::<usize, Start>(start as usize);
        (thread, start, argument as *mut c_void)
    };
    if let Some(desk) = desk() {
        adopt(desk, number_of(desk, thread), thread);
        reach(
            Placement::after(Operation::Begin),
            0,
            start as *const () as usize,
        );
    }
    // SAFETY: as the program asks.
    let result = unsafe { start(argument) };
    leave(start as *const () as usize);
    result
}

/// The running thread comes to its end. The first one ends with the program.
pub fn leave(pc: usize) {
    if let (Some(desk), Some(thread)) = (desk(), known())
        && number_of(desk, thread) != 0
        && thread.is_ended.swap(1, Ordering::Relaxed) == 0
    {
        reach(Placement::before(Operation::End), 0, pc);
    }
}
