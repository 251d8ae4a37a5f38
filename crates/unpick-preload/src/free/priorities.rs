//! `ppct` on real threads: all threads run at once, save the few of low priority, which go on when nobody
//! else can.
//!
//! S. Nagarakatte, S. Burckhardt, M. M. K. Martin, M. Musuvathi, *Multicore acceleration of
//! priority-based schedulers for concurrency bug detection*, PLDI 2012. The draws are those of the strategy
//! of the same name; here they are kept.
//!
//! ```text
//! before an operation: if my priority is not above d, wait for my turn
//!                      count the step; if it is k_i, my priority is d - i from the next one on
//! my turn: no thread above d runs, and none of the low ones with more than mine
//! a thread runs unless it has ended or is in a call that may block
//! ```
//!
//! *Departures from the paper.* Calls that may block are known, and whoever is in one counts as blocked
//! if all are for a few looks in a row; if nobody has made a step for some time, threads are taken to be blocked
//! or to wait busily, as the paper infers it. The chance for a low thread to make a step out of turn is drawn
//! from seed and step, so that it does not hang on time.

use super::{record, thread, ticks};
use crate::sys;
use core::sync::atomic::{AtomicU32, Ordering};
use unpick_noise::{Category, Operation, Placement, Placements, Random, Side};
use unpick_protocol::{FreeDesk, FreeThread};

/// Looks in a row at which nobody above may run.
const LOOKS: u32 = 10;
/// Looks that only offer the processor; later ones sleep.
const LOOKS_AWAKE: u32 = 200;
const LOOK_NS: u64 = 20_000;
/// How long nobody has made a step if all are taken to be blocked, in milliseconds.
const STALL_MS: u64 = 100;
/// One step in so many lets a low thread make one out of turn.
const PASS_ODDS: u64 = 1_024;

/// The placements that steps are made of, if anybody is held back: operations on objects and atomics.
pub fn points(desk: &FreeDesk) -> Placements {
    if desk.priorities.order.depth == 0 {
        return Placements::default();
    }
    let is_point = |placement: &Placement| {
        let operation = placement.operation;
        let counts = match operation.category() {
            Category::Memory => false,
            Category::Io | Category::Sleep | Category::Futex => blocks(operation),
            _ => true,
        };
        counts && (placement.side == Side::Before || blocks(operation))
    };
    Placement::all().filter(is_point).collect()
}

/// Whether a thread may be blocked in a call.
fn blocks(operation: Operation) -> bool {
    use Operation::{
        Acquire, BarrierWait, FutexWait, Input, Join, Lock, Once, Poll, ReadLock, Sleep, Wait,
        WriteLock,
    };
    matches!(
        operation,
        Acquire
            | BarrierWait
            | FutexWait
            | Input
            | Join
            | Lock
            | Once
            | Poll
            | ReadLock
            | Sleep
            | Wait
            | WriteLock
    )
}

/// A thread is about to be created, or was found.
pub fn admit(desk: &FreeDesk, number: u32, thread: &FreeThread) {
    let priorities = &desk.priorities;
    let depth = priorities.order.depth;
    if depth == 0 {
        return;
    }
    if number == priorities.order.low_first {
        enlist(desk, number, thread, depth);
    } else {
        priorities.high_running.fetch_add(1, Ordering::AcqRel);
    }
}

/// A thread was not created after all.
pub fn withdraw(desk: &FreeDesk, thread: &FreeThread) {
    thread.is_ended.store(1, Ordering::Release);
    if desk.priorities.order.depth != 0 && thread.priority.load(Ordering::Relaxed) == 0 {
        desk.priorities.high_running.fetch_sub(1, Ordering::AcqRel);
    }
}

/// A thread has come to a placement.
pub fn arrive(desk: &'static FreeDesk, thread: &FreeThread, placement: Placement) {
    let operation = placement.operation;
    match placement.side {
        Side::Before => {
            make_step(desk, thread);
            if operation == Operation::End || blocks(operation) {
                go_away(desk, thread);
            }
        }
        Side::After if blocks(operation) => come_back(desk, thread),
        Side::After => {}
    }
}

fn make_step(desk: &'static FreeDesk, thread: &FreeThread) {
    let priorities = &desk.priorities;
    let next = thread.priority_next.swap(0, Ordering::Relaxed);
    if next != 0 {
        sink(desk, thread, next);
    }
    if thread.priority.load(Ordering::Relaxed) != 0 {
        wait_for_turn(desk, thread);
    }
    if desk.threads.load(Ordering::Relaxed) < 2 {
        return;
    }
    let step = priorities.steps.fetch_add(1, Ordering::Relaxed) + 1;
    let depth = priorities.order.depth;
    let changes = &priorities.order.changes[..depth as usize - 1];
    for (number, _) in (1..).zip(changes).filter(|(_, change)| **change == step) {
        thread
            .priority_next
            .store(depth - number, Ordering::Relaxed);
    }
    let drawn = Random::new(desk.order.seed, step as u32).next();
    if drawn.is_multiple_of(PASS_ODDS) && priorities.low_count.load(Ordering::Relaxed) != 0 {
        priorities.passes.store(1, Ordering::Release);
    }
}

/// The priority of a thread falls.
fn sink(desk: &FreeDesk, thread: &FreeThread, priority: u32) {
    if thread.priority.load(Ordering::Relaxed) != 0 {
        thread.priority.store(priority, Ordering::Release);
        return;
    }
    enlist(desk, thread::number_of(desk, thread), thread, priority);
    desk.priorities.high_running.fetch_sub(1, Ordering::AcqRel);
}

/// Puts a thread among those of low priority: at most d of them, so that there is room.
fn enlist(desk: &FreeDesk, number: u32, thread: &FreeThread, priority: u32) {
    thread.priority.store(priority, Ordering::Release);
    let place = desk.priorities.low_count.fetch_add(1, Ordering::AcqRel);
    if let Some(slot) = desk.priorities.low.get(place as usize) {
        slot.store(number + 1, Ordering::Release);
    }
}

fn go_away(desk: &FreeDesk, thread: &FreeThread) {
    thread.is_away.store(1, Ordering::Release);
    if thread.priority.load(Ordering::Relaxed) == 0 {
        desk.priorities.high_running.fetch_sub(1, Ordering::AcqRel);
    }
}

fn come_back(desk: &FreeDesk, thread: &FreeThread) {
    thread.is_away.store(0, Ordering::Release);
    if thread.priority.load(Ordering::Relaxed) == 0 {
        desk.priorities.high_running.fetch_add(1, Ordering::AcqRel);
        desk.priorities
            .changes_of_high
            .fetch_add(1, Ordering::AcqRel);
    }
}

/// Holds a thread of low priority up until it may go on.
#[inline(never)]
fn wait_for_turn(desk: &'static FreeDesk, thread: &FreeThread) {
    let priorities = &desk.priorities;
    let (mut quiet, mut looks) = (0, 0);
    let (mut steps, mut since) = (priorities.steps.load(Ordering::Relaxed), ticks());
    loop {
        let changes = priorities.changes_of_high.load(Ordering::Acquire);
        if is_turn(desk, thread) {
            quiet += 1;
            // Nobody has come back since the last time, so that those who are away are blocked.
            if quiet == LOOKS || thread.calm.load(Ordering::Relaxed) == changes + 1 {
                thread.calm.store(changes + 1, Ordering::Relaxed);
                return;
            }
        } else {
            quiet = 0;
        }
        if priorities.passes.swap(0, Ordering::AcqRel) != 0 {
            raise(&priorities.passed[0]);
            return;
        }
        let now = priorities.steps.load(Ordering::Relaxed);
        if now != steps {
            (steps, since) = (now, ticks());
        } else if ticks() - since > STALL_MS * desk.ticks_per_ms {
            raise(&priorities.passed[1]);
            return;
        }
        looks += 1;
        // SAFETY: the thread only offers its processor, or sleeps for a moment.
        unsafe {
            if looks < LOOKS_AWAKE {
                sys::call(libc::SYS_sched_yield, [0; 6]);
            } else {
                let time = libc::timespec {
                    tv_sec: 0,
                    tv_nsec: LOOK_NS as i64,
                };
                sys::call(libc::SYS_nanosleep, [&raw const time as i64, 0, 0, 0, 0, 0]);
            }
        }
    }
}

/// Whether nobody runs whose priority is higher.
fn is_turn(desk: &'static FreeDesk, thread: &FreeThread) -> bool {
    let priorities = &desk.priorities;
    if priorities.high_running.load(Ordering::Acquire) != 0 {
        return false;
    }
    let own = thread.priority.load(Ordering::Relaxed);
    let count = priorities.low_count.load(Ordering::Acquire) as usize;
    let listed = priorities.low.iter().take(count);
    let numbers = listed.filter_map(|slot| slot.load(Ordering::Acquire).checked_sub(1));
    let mut others = numbers.filter_map(|number| record(desk, number));
    !others.any(|other| {
        other.priority.load(Ordering::Acquire) > own
            && other.is_away.load(Ordering::Acquire) == 0
            && other.is_ended.load(Ordering::Acquire) == 0
    })
}

fn raise(word: &AtomicU32) {
    word.fetch_add(1, Ordering::Relaxed);
}
