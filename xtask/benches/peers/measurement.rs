//! Counts executions and ends the process when the time is over.
//!
//! The count is taken inside the explored program, because the tools look at their own limits at
//! different and sometimes long intervals.

use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The clock is looked at once in so many executions; a power of two.
const CLOCK_INTERVAL: u64 = 1024;

static STARTED_COUNT: AtomicU64 = AtomicU64::new(0);
static FINISHED_COUNT: AtomicU64 = AtomicU64::new(0);
static START_NS: AtomicU64 = AtomicU64::new(0);
static LIMIT_NS: AtomicU64 = AtomicU64::new(u64::MAX);

/// Sets the time of the measurement, which starts with the first execution.
pub fn begin(seconds: f64) {
    LIMIT_NS.store((seconds * 1e9) as u64, Relaxed);
}

/// One execution of the program; does not come back when the time is over.
#[inline]
pub fn execute(body: fn()) {
    let started_count = increment(&STARTED_COUNT);
    if started_count & (CLOCK_INTERVAL - 1) == 0 {
        look_at_clock(started_count);
    }
    body();
    increment(&FINISHED_COUNT);
}

/// Executions so far that came to their end.
pub fn finished_count() -> u64 {
    FINISHED_COUNT.load(Relaxed)
}

/// Executions never overlap, so the counters need no read-modify-write, whose price would show.
#[inline]
fn increment(counter: &AtomicU64) -> u64 {
    let before = counter.load(Relaxed);
    counter.store(before + 1, Relaxed);
    before
}

#[cold]
fn look_at_clock(started_count: u64) {
    let now_ns = processor_time_ns();
    if started_count == 0 {
        START_NS.store(now_ns, Relaxed);
        return;
    }
    let elapsed_ns = now_ns - START_NS.load(Relaxed);
    if elapsed_ns >= LIMIT_NS.load(Relaxed) {
        report_and_exit(started_count, elapsed_ns);
    }
}

/// The programs are correct, so a tool that left an execution unfinished measured nothing.
fn report_and_exit(started_count: u64, elapsed_ns: u64) -> ! {
    let finished_count = finished_count();
    let code = if finished_count == started_count {
        println!("executions {finished_count} ns {elapsed_ns}");
        i32::from(std::io::stdout().flush().is_err())
    } else {
        eprintln!("only {finished_count} of {started_count} executions came to their end");
        1
    };
    // SAFETY: ends the process at once. Destructors must not come into play: this is a fiber of a
    // tool that is in the middle of its work.
    unsafe { libc::_exit(code) }
}

/// Executions per second, from the line that a child printed.
pub fn parse(line: &str) -> Option<f64> {
    let rest = line.strip_prefix("executions ")?;
    let (count, ns) = rest.split_once(" ns ")?;
    let count: f64 = count.parse().ok()?;
    let ns: f64 = ns.parse().ok()?;
    Some(count / ns * 1e9)
}

/// Processor time used by this process. A virtual machine may be given less than a whole
/// processor, so the wall clock says little.
pub fn processor_time_ns() -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is a valid place for the result.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    assert_eq!(status, 0, "internal error: no processor clock");
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
