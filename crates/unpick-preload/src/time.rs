//! Virtual time: clocks, sleeps, deadlines.

use crate::free;
use crate::interpose::interpose;
use crate::real;
use crate::runtime::{operate_alone, running, runtime};
use crate::sys::set_errno;
use core::ffi::{c_int, c_void};
use unpick_engine::Timer;
use unpick_noise::Operation;
use unpick_trace::OpKind;

const SECOND_NS: u64 = 1_000_000_000;
/// The moment at which every execution begins, in seconds since 1970: any will do, if it is always
/// the same.
const BEGINNING_S: u64 = 1_700_000_000;

/// A time of the program in nanoseconds; nonsense counts as nothing.
///
/// # Safety
///
/// Null, or a time of the program.
pub unsafe fn nanoseconds(time: *const libc::timespec) -> u64 {
    if time.is_null() {
        return 0;
    }
    // SAFETY: by the caller.
    let time = unsafe { &*time };
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let rest = u64::try_from(time.tv_nsec).unwrap_or(0);
    seconds.saturating_mul(SECOND_NS).saturating_add(rest)
}

/// Whether a time of the program is one: its nanoseconds are less than a second.
///
/// # Safety
///
/// Null, or a time of the program.
pub unsafe fn is_time(time: *const libc::timespec) -> bool {
    // SAFETY: by the caller.
    let time = unsafe { time.as_ref() };
    time.is_none_or(|time| (0..SECOND_NS as i64).contains(&time.tv_nsec))
}

/// Looks at the clock, which lets a little time pass. Others go first if the task has held them up for long.
fn now_ns(pc: usize) -> u64 {
    if runtime().execution.holds_clock(runtime().current) {
        operate_alone(OpKind::Yield, pc);
    }
    let runtime = runtime();
    let task = runtime.current;
    runtime.prelude.note_look();
    BEGINNING_S * SECOND_NS + runtime.execution.look_at_clock(task)
}

/// The same where no other task can go first.
pub fn now_at_once_ns() -> u64 {
    let runtime = runtime();
    let task = runtime.current;
    runtime.prelude.note_look();
    BEGINNING_S * SECOND_NS + runtime.execution.look_at_clock_at_once(task)
}

/// When a wait ends at the latest.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    Never,
    /// After a duration in nanoseconds.
    After(u64),
    /// At a moment of the program's clocks in nanoseconds.
    At(u64),
}

impl Limit {
    /// The moment that a time of the program stands for.
    ///
    /// # Safety
    ///
    /// Null, or a time of the program.
    pub unsafe fn at(time: *const libc::timespec) -> Limit {
        // SAFETY: by the caller.
        Limit::At(unsafe { nanoseconds(time) })
    }

    /// The same moment for a task that waits more than once: a duration counts from here.
    pub fn from_here(limit_ns: Option<u64>) -> Limit {
        let now_ns = BEGINNING_S * SECOND_NS + runtime().execution.clock_ns();
        limit_ns.map_or(Limit::Never, |limit| {
            Limit::At(now_ns.saturating_add(limit))
        })
    }

    /// Sets the timer of the running task for its next operation. Answers whether there is a limit.
    pub fn set(self) -> bool {
        let timer = match self {
            Limit::Never => return false,
            Limit::After(duration_ns) => Timer::After(duration_ns),
            Limit::At(moment_ns) => Timer::At(moment_ns.saturating_sub(BEGINNING_S * SECOND_NS)),
        };
        let this = runtime();
        this.execution.set_timer(this.current, timer);
        true
    }
}

/// Lets the running task sleep.
fn sleep_until(limit: Limit, pc: usize) {
    limit.set();
    operate_alone(OpKind::Sleep, pc);
}

/// Lets the running task sleep for a duration.
pub fn sleep_for(duration_ns: u64, pc: usize) {
    sleep_until(Limit::After(duration_ns), pc);
}

/// Whether a time of the program is one that the kernel takes to sleep for.
///
/// # Safety
///
/// Null, or a time of the program.
unsafe fn is_duration(time: *const libc::timespec) -> bool {
    // SAFETY: by the caller.
    unsafe { is_time(time) && time.as_ref().is_none_or(|time| time.tv_sec >= 0) }
}

fn timespec(ns: u64) -> libc::timespec {
    libc::timespec {
        tv_sec: (ns / SECOND_NS) as i64,
        tv_nsec: (ns % SECOND_NS) as i64,
    }
}

interpose! {
    fn sched_yield(; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::Yield, 0, pc, || real::sched_yield()());
        }
        operate_alone(OpKind::Yield, pc);
        0
    }

    fn pthread_yield(; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::Yield, 0, pc, || real::sched_yield()());
        }
        operate_alone(OpKind::Yield, pc);
        0
    }

    fn nanosleep(time: *const libc::timespec, left: *mut libc::timespec; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::Sleep, 0, pc, || real::nanosleep()(time, left));
        }
        if !is_duration(time) {
            set_errno(libc::EINVAL);
            return -1;
        }
        sleep_for(nanoseconds(time), pc);
        0
    }

    fn clock_nanosleep(clock: c_int, flags: c_int, time: *const libc::timespec,
                       left: *mut libc::timespec; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::Sleep, 0, pc, || real::clock_nanosleep()(clock, flags, time, left));
        }
        if !is_duration(time) {
            return libc::EINVAL;
        }
        let limit = match flags & libc::TIMER_ABSTIME {
            0 => Limit::After(nanoseconds(time)),
            _ => Limit::at(time),
        };
        sleep_until(limit, pc);
        0
    }

    fn usleep(microseconds: u32; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::Sleep, 0, pc, || real::usleep()(microseconds));
        }
        sleep_for(u64::from(microseconds) * 1_000, pc);
        0
    }

    fn sleep(seconds: u32; pc) -> u32 {
        if running().is_none() {
            return free::around(Operation::Sleep, 0, pc, || real::sleep()(seconds));
        }
        sleep_for(u64::from(seconds) * SECOND_NS, pc);
        0
    }

    fn clock_gettime(clock: c_int, time: *mut libc::timespec; pc) -> c_int {
        if running().is_none() {
            return real::clock_gettime()(clock, time);
        }
        *time = timespec(now_ns(pc));
        0
    }

    fn timespec_get(time: *mut libc::timespec, base: c_int; pc) -> c_int {
        const UTC: c_int = 1;
        if running().is_none() || base != UTC {
            return real::timespec_get()(time, base);
        }
        *time = timespec(now_ns(pc));
        base
    }

    fn gettimeofday(time: *mut libc::timeval, zone: *mut c_void; pc) -> c_int {
        if running().is_none() {
            return real::gettimeofday()(time, zone);
        }
        if !time.is_null() {
            let now = timespec(now_ns(pc));
            *time = libc::timeval { tv_sec: now.tv_sec, tv_usec: now.tv_nsec / 1_000 };
        }
        0
    }

    fn time(out: *mut i64; pc) -> i64 {
        if running().is_none() {
            return real::time()(out);
        }
        let seconds = (now_ns(pc) / SECOND_NS) as i64;
        if !out.is_null() {
            *out = seconds;
        }
        seconds
    }
}
