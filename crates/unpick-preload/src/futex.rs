//! `syscall`, the door through which Rust's standard library, parking_lot and libstdc++ wait.

use crate::buffers;
use crate::free;
use crate::posix::enlist;
use crate::real;
use crate::refusal::refused_call;
use crate::runtime::{operate, refuse, running, runtime};
use crate::sys::set_errno;
use crate::time::{Limit, nanoseconds};
use core::ffi::c_long;
use unpick_engine::Grant;
use unpick_noise::Operation;
use unpick_protocol::TroubleKind;
use unpick_trace::{Op, OpKind};

/// Flags of a futex operation that say nothing about what it does.
const FLAGS: i32 = libc::FUTEX_PRIVATE_FLAG | libc::FUTEX_CLOCK_REALTIME;
/// The wait has an absolute deadline.
const WAIT_BITSET: i32 = libc::FUTEX_WAIT_BITSET;
/// As many as there are.
pub const ALL: u32 = i32::MAX as u32;
const MATCH_ANY: u32 = u32::MAX;

/// How a wait for a word came to its end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Waited {
    Woken,
    /// The word had another value.
    Changed,
    TimedOut,
}

/// Waits while a word has a value. The check is one operation, the wait another.
fn wait(address: usize, value: u32, limit: Limit, pc: usize) -> Waited {
    let this = runtime();
    let variable = this.variable(address);
    operate(Op::new(OpKind::Load, variable), pc);
    // SAFETY: the program passes the address of a word.
    let found = unsafe { *(address as *const u32) };
    let this = runtime();
    let task = this.current;
    this.execution.observe(task, u64::from(found), false);
    let futex = this.futex(address);
    if found != value {
        return Waited::Changed;
    }
    enlist(futex);
    let mut op = Op::new(OpKind::Wait, futex);
    op.timed = limit.set();
    match operate(op, pc) {
        Grant::TimedOut => Waited::TimedOut,
        _ => Waited::Woken,
    }
}

/// The same as the system call gives it.
fn wait_call(address: usize, value: u32, limit: Limit) -> c_long {
    match wait(address, value, limit, 0) {
        Waited::Woken => return 0,
        Waited::Changed => set_errno(libc::EAGAIN),
        Waited::TimedOut => set_errno(libc::ETIMEDOUT),
    }
    -1
}

/// Wakes up to `count` waiters of a word; answers how many.
fn wake(address: usize, count: u32, pc: usize) -> c_long {
    let this = runtime();
    let futex = this.futex(address);
    if count >= ALL {
        operate(Op::new(OpKind::NotifyAll, futex), pc);
        return c_long::from(runtime().execution.notified_count());
    }
    // Some but not all: one by one, each with a choice of its own.
    let mut woken = 0;
    while woken < count {
        operate(Op::new(OpKind::NotifyOne, futex), pc);
        match runtime().execution.notified_count() {
            0 => break,
            more => woken += more,
        }
    }
    c_long::from(woken)
}

/// Waits while a word has a value, for code whose operations are all seen; `false` if the time was up before.
///
/// # Safety
///
/// It is a word of the program.
pub unsafe fn wait_while(
    word: *mut u32,
    value: u32,
    deadline: Option<libc::timespec>,
    pc: usize,
) -> bool {
    let time = deadline
        .as_ref()
        .map_or(core::ptr::null(), core::ptr::from_ref);
    if running().is_none() {
        let operation = WAIT_BITSET | libc::FUTEX_PRIVATE_FLAG;
        // SAFETY: by the caller.
        let result = unsafe {
            let (word, time) = (word as c_long, time as c_long);
            real::syscall()(
                libc::SYS_futex,
                word,
                c_long::from(operation),
                c_long::from(value),
                time,
                0,
                c_long::from(MATCH_ANY),
            )
        };
        // SAFETY: the C library gives the address of the caller's own variable.
        return result >= 0 || unsafe { *libc::__errno_location() } != libc::ETIMEDOUT;
    }
    let limit = match deadline {
        None => Limit::Never,
        // SAFETY: it lives here.
        Some(_) => unsafe { Limit::at(time) },
    };
    wait(word as usize, value, limit, pc) != Waited::TimedOut
}

/// Wakes up to `count` waiters of a word, for code whose operations are all seen; answers how many.
pub fn wake_word(word: *mut u32, count: u32, pc: usize) -> c_long {
    if running().is_none() {
        let operation = libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG;
        // SAFETY: the kernel only looks who waits there.
        return unsafe {
            real::syscall()(
                libc::SYS_futex,
                word as c_long,
                c_long::from(operation),
                c_long::from(count),
                0,
                0,
                0,
            )
        };
    }
    wake(word as usize, count, pc)
}

fn futex(arguments: [c_long; 6]) -> c_long {
    let [address, operation, value, time, _, bits] = arguments;
    let (address, value) = (address as usize, value as u32);
    let limit = |of: fn(u64) -> Limit| match time {
        0 => Limit::Never,
        // SAFETY: the program passes a time.
        _ => of(unsafe { nanoseconds(time as *const libc::timespec) }),
    };
    match operation as i32 & !FLAGS {
        libc::FUTEX_WAIT => wait_call(address, value, limit(Limit::After)),
        WAIT_BITSET if bits as u32 == MATCH_ANY => wait_call(address, value, limit(Limit::At)),
        libc::FUTEX_WAKE => wake(address, value, 0),
        libc::FUTEX_WAKE_BITSET if bits as u32 == MATCH_ANY => wake(address, value, 0),
        _ => refuse(
            TroubleKind::Unmodelled,
            "futex with an operation other than wait and wake",
            0,
        ),
    }
}

/// What a system call is where a program runs freely, if it is of interest there.
fn free_operation(number: c_long, operation: i32) -> Option<Operation> {
    match number {
        libc::SYS_futex => match operation & !FLAGS {
            libc::FUTEX_WAIT | WAIT_BITSET => Some(Operation::FutexWait),
            libc::FUTEX_WAKE | libc::FUTEX_WAKE_BITSET => Some(Operation::FutexWake),
            _ => None,
        },
        libc::SYS_sched_yield => Some(Operation::Yield),
        _ => None,
    }
}

/// Any system call.
///
/// # Safety
///
/// As with the function it stands in for.
#[unsafe(no_mangle)]
unsafe extern "C" fn syscall(
    number: c_long,
    a: c_long,
    b: c_long,
    c: c_long,
    d: c_long,
    e: c_long,
    f: c_long,
) -> c_long {
    if running().is_none() {
        // SAFETY: by the caller.
        let call = || unsafe { real::syscall()(number, a, b, c, d, e, f) };
        return match free_operation(number, b as i32) {
            Some(operation) => free::around(operation, a as usize, 0, call),
            None => call(),
        };
    }
    match number {
        libc::SYS_futex => {
            // Callers are mostly in code that is not instrumented, and have synchronised there already.
            let this = runtime();
            let task = this.current;
            buffers::let_out(this, Some(task));
            this.release_unseen();
            let result = futex([a, b, c, d, e, f]);
            // They look at what others have written meanwhile, without telling us: a missed race
            // rather than a false one.
            let this = runtime();
            this.clocks.acquire_all(this.current);
            result
        }
        libc::SYS_getrandom => crate::random::fill(a as *mut u8, b as usize) as c_long,
        libc::SYS_gettid => crate::random::task_number(),
        libc::SYS_sched_yield => {
            crate::runtime::operate_alone(OpKind::Yield, 0);
            0
        }
        _ if refused_call(number).is_some() => refuse(
            TroubleKind::Unmodelled,
            refused_call(number).unwrap_or_default(),
            0,
        ),
        _ => {
            runtime().waits.note_action();
            crate::io::note_call(number, [a, b]);
            // In the C library's own code, so that a task that blocks there can be left.
            // SAFETY: by the caller.
            unsafe { real::syscall()(number, a, b, c, d, e, f) }
        }
    }
}
