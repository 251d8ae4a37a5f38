//! Tasks that wait for something that is no object of the engine: a descriptor to become ready, a
//! signal to arrive.
//!
//! Each such task acquires a semaphore of its own without permits. Before a decision one `poll` tells
//! which descriptors are ready, and the semaphores of those who wait for them get a permit. Whoever is
//! woken looks again, because somebody may have been faster. The kernel is not asked again as long as
//! nothing was done with descriptors, but for once in a while: not every call comes to us.

use crate::away;
use crate::process::note_motion;
use crate::runtime::{Runtime, operate, runtime};
use crate::sys;
use crate::time::Limit;
use alloc::string::String;
use alloc::vec::Vec;
use unpick_engine::{Grant, Shape};
use unpick_trace::{ObjectId, Op, OpKind};

/// How long the world outside may take before nobody is believed to come, in milliseconds: what the
/// program has inherited may be fed by anybody.
const OUTSIDE_MS: i64 = 1_000;
/// The same for what is in the kernel: it may finish a little later what it has begun.
const INSIDE_MS: i64 = 100;

/// How long to wait at a time.
const PIECE_MS: i64 = 100;

/// Decisions without asking the kernel, at most, while somebody waits.
const UNASKED_MAX: u32 = 16;

/// How a wait came to its end.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Waited {
    /// It may have come true.
    Woken,
    TimedOut,
    /// A handler for a signal has run. Whether calls that were interrupted go on is up to it.
    Interrupted {
        goes_on: bool,
    },
}

/// For whom or what a task waits.
pub struct Wanted<'a> {
    /// Descriptors, with the events that are wanted of them.
    pub files: &'a [libc::pollfd],
    /// Signals, as a set of bits.
    pub signals: u64,
    /// Whether the world outside of the process may make it happen.
    pub is_outside: bool,
    /// Whether only other tasks of the program can make it happen.
    pub is_inside: bool,
    /// What to call it in a report.
    pub name: String,
}

#[derive(Default)]
struct Waiter {
    object: Option<ObjectId>,
    is_waiting: bool,
    /// Whether the semaphore has a permit that was not used yet.
    is_provided: bool,
    files: Vec<libc::pollfd>,
    signals: u64,
    is_outside: bool,
    is_inside: bool,
}

/// Those who wait, by task.
pub struct Waits {
    waiters: Vec<Waiter>,
    waiting_count: usize,
    /// What is asked of the kernel, one descriptor after the other.
    asked: Vec<libc::pollfd>,
    /// Whether something was done that may have made a wish come true.
    is_stale: bool,
    /// Decisions since the kernel was asked.
    unasked: u32,
}

impl Waits {
    pub fn new() -> Waits {
        Waits {
            waiters: Vec::new(),
            waiting_count: 0,
            asked: Vec::new(),
            is_stale: true,
            unasked: 0,
        }
    }

    pub fn reset(&mut self) {
        for waiter in &mut self.waiters {
            waiter.object = None;
            waiter.is_waiting = false;
            waiter.is_provided = false;
        }
        self.waiting_count = 0;
        self.is_stale = true;
        self.unasked = 0;
    }

    /// Notes that something was done with a descriptor.
    pub fn note_action(&mut self) {
        self.is_stale = true;
    }

    /// Whether to look now who can go on.
    fn is_due(&mut self) -> bool {
        let wants_more =
            |waiter: &Waiter| waiter.is_waiting && (waiter.is_outside || waiter.signals != 0);
        let is_due =
            self.is_stale || self.unasked >= UNASKED_MAX || self.waiters.iter().any(wants_more);
        self.is_stale = false;
        self.unasked = match is_due {
            true => 0,
            false => self.unasked + 1,
        };
        is_due
    }

    /// Notes that a task waits from now on; gives its semaphore, if it has one.
    fn begin(&mut self, task: usize, wanted: &Wanted<'_>) -> Option<ObjectId> {
        while self.waiters.len() <= task {
            self.waiters.push(Waiter::default());
        }
        let waiter = &mut self.waiters[task];
        waiter.files.clear();
        waiter.files.extend_from_slice(wanted.files);
        waiter.signals = wanted.signals;
        waiter.is_outside = wanted.is_outside;
        waiter.is_inside = wanted.is_inside;
        waiter.is_waiting = true;
        self.is_stale = true;
        self.waiting_count += 1;
        waiter.object
    }

    fn end(&mut self, task: usize, grant: Grant) {
        let waiter = &mut self.waiters[task];
        waiter.is_waiting = false;
        // Who gives up because of the time leaves the permit for the next time.
        waiter.is_provided &= grant == Grant::TimedOut;
        self.waiting_count -= 1;
    }

    /// How long to wait for the world outside when nobody can go on, in milliseconds.
    fn patience(&self) -> i64 {
        let waiting = || self.waiters.iter().filter(|waiter| waiter.is_waiting);
        if waiting().any(|waiter| waiter.is_outside) {
            return OUTSIDE_MS;
        }
        match waiting().all(|waiter| waiter.is_inside) {
            true => 0,
            false => INSIDE_MS,
        }
    }
}

/// Lets the running task wait; it should look again afterwards.
pub fn wait(wanted: &Wanted<'_>, limit: Limit, pc: usize) -> Waited {
    let this = runtime();
    let task = this.current.index();
    let object = match this.waits.begin(task, wanted) {
        Some(object) => object,
        None => {
            let object = this.add_object(Shape::Semaphore { permits: 0 }, 0);
            this.waits.waiters[task].object = Some(object);
            object
        }
    };
    this.execution.name_object(object, &wanted.name);
    let mut op = Op::new(OpKind::Acquire, object);
    op.argument = 1;
    op.timed = limit.set();
    runtime().pending.take_handled(task);
    let grant = operate(op, pc);
    let this = runtime();
    this.waits.end(task, grant);
    match (grant, this.pending.take_handled(task)) {
        (Grant::TimedOut, _) => Waited::TimedOut,
        (_, Some(goes_on)) => Waited::Interrupted { goes_on },
        _ => Waited::Woken,
    }
}

/// Before a decision: those whose wish has come true can go on.
#[inline]
pub fn provide(this: &mut Runtime) {
    if this.waits.waiting_count > 0 || !this.away.is_empty() {
        // What a thread that is away does with descriptors is not seen.
        let is_due = this.waits.is_due() || !this.away.is_empty();
        if is_due {
            provide_within(this, 0);
        }
        if !this.away.is_empty() {
            away::provide(this);
        }
        if this.waits.waiting_count > 0 && this.execution.is_stuck() {
            let patience = this.waits.patience();
            if patience > 0 || !is_due {
                provide_within(this, patience.min(PIECE_MS));
            }
            for _ in 1..patience / PIECE_MS {
                if !this.execution.is_stuck() {
                    return;
                }
                note_motion(this);
                provide_within(this, PIECE_MS);
            }
        }
    }
}

/// Looks who can go on, for so many milliseconds at most.
fn provide_within(this: &mut Runtime, time_ms: i64) {
    let Waits { waiters, asked, .. } = &mut this.waits;
    asked.clear();
    let is_wishing = |waiter: &Waiter| waiter.is_waiting && !waiter.is_provided;
    for waiter in waiters.iter().filter(|waiter| is_wishing(waiter)) {
        asked.extend_from_slice(&waiter.files);
    }
    if !asked.is_empty() {
        ask(asked, time_ms);
    }
    let mut from = 0;
    for (task, waiter) in waiters.iter_mut().enumerate() {
        if !is_wishing(waiter) {
            continue;
        }
        let answers = &asked[from..from + waiter.files.len()];
        from += answers.len();
        let is_ready = answers.iter().any(|answer| answer.revents != 0)
            || this.pending.has(task, waiter.signals);
        if let (true, Some(object)) = (is_ready, waiter.object) {
            waiter.is_provided = true;
            this.execution.provide(object, 1);
        }
    }
}

/// Asks the kernel which descriptors are ready; gives how many.
pub fn ask(files: &mut [libc::pollfd], time_ms: i64) -> i64 {
    let arguments = [
        files.as_mut_ptr() as i64,
        files.len() as i64,
        time_ms,
        0,
        0,
        0,
    ];
    // SAFETY: the kernel writes its answers into the list.
    unsafe { sys::call(libc::SYS_poll, arguments) }
}
