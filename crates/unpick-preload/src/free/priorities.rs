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
//! a thread runs unless it has ended or sleeps in a call that may block
//! ```
//!
//! *Departures from the paper.* Calls that may block are known, and the kernel says who sleeps in one
//! (`kernel.rs`): whoever was woken runs, though it has not come back yet. If nobody has made a step for some
//! time, threads in such calls are taken to spin there, and others, later, to wait busily, as the paper infers it.
//! The chance for a low thread to make a step out of turn is drawn from seed and step, so that it does not hang on
//! time.

use super::{kernel, record, thread, ticks};
use crate::sys;
use core::sync::atomic::{AtomicU32, Ordering};
use unpick_noise::{Category, Operation, Placement, Placements, Random, Side};
use unpick_protocol::{FreeDesk, FreeThread};

/// Looks that only offer the processor; later ones sleep.
const LOOKS_AWAKE: u32 = 200;
const LOOK_NS: u64 = 20_000;
/// How long nobody has made a step if whoever is in a call that may block is taken to spin there, and if all are
/// taken to wait busily; in milliseconds.
const SPIN_MS: u64 = 20;
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
        match placement.side {
            Side::Before => is_step(operation) || wakes(operation),
            Side::After => blocks(operation),
        }
    };
    Placement::all().filter(is_point).collect()
}

/// Whether an operation is a step, that is, waited for and counted. The end of a thread is none, as in the engine.
fn is_step(operation: Operation) -> bool {
    match operation.category() {
        Category::Memory => false,
        Category::Io | Category::Sleep | Category::Futex => blocks(operation),
        _ => operation != Operation::End,
    }
}

/// Whether an operation may wake others.
fn wakes(operation: Operation) -> bool {
    use Operation::{
        BarrierWait, End, FutexWake, NotifyAll, NotifyOne, Once, Output, Release, RwUnlock, Unlock,
        Wait,
    };
    matches!(
        operation,
        BarrierWait
            | End
            | FutexWake
            | NotifyAll
            | NotifyOne
            | Once
            | Output
            | Release
            | RwUnlock
            | Unlock
            | Wait
    )
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
    priorities.alive.fetch_add(1, Ordering::Relaxed);
    if number == priorities.order.low_first {
        enlist(desk, number, thread, depth);
    } else {
        priorities.high_running.fetch_add(1, Ordering::AcqRel);
    }
    note_change(desk);
}

/// A thread was not created after all.
pub fn withdraw(desk: &FreeDesk, thread: &FreeThread) {
    thread.is_ended.store(1, Ordering::Release);
    if desk.priorities.order.depth == 0 {
        return;
    }
    desk.priorities.alive.fetch_sub(1, Ordering::Relaxed);
    if thread.priority.load(Ordering::Relaxed) == 0 {
        desk.priorities.high_running.fetch_sub(1, Ordering::AcqRel);
    }
}

/// A thread has come to a placement.
pub fn arrive(desk: &'static FreeDesk, thread: &FreeThread, placement: Placement) {
    let operation = placement.operation;
    match placement.side {
        Side::Before => {
            if is_step(operation) {
                make_step(desk, thread, operation);
            }
            // What high threads wake is looked at anyway: they have come back themselves, or were created.
            let is_low = thread.priority.load(Ordering::Relaxed) != 0;
            if wakes(operation) && (is_low || operation == Operation::End) {
                note_change(desk);
            }
            if operation == Operation::End || blocks(operation) {
                go_away(desk, thread);
            }
            if operation == Operation::End {
                desk.priorities.alive.fetch_sub(1, Ordering::Relaxed);
            }
        }
        Side::After if blocks(operation) => come_back(desk, thread),
        Side::After => {}
    }
}

fn make_step(desk: &'static FreeDesk, thread: &FreeThread, operation: Operation) {
    let priorities = &desk.priorities;
    let next = thread.priority_next.swap(0, Ordering::Relaxed);
    if next != 0 {
        sink(desk, thread, next);
    }
    if thread.priority.load(Ordering::Relaxed) != 0 {
        wait_for_turn(desk, thread);
    }
    if !is_counted(desk, operation) {
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

/// Whether a step is one of the k. Of a thread that is alone only those are that create threads or join them: a change
/// of priority anywhere else would hold it back from nobody, and the larger k, the seldomer a change falls where it
/// matters.
fn is_counted(desk: &FreeDesk, operation: Operation) -> bool {
    let is_alone = desk.priorities.alive.load(Ordering::Relaxed) < 2;
    !is_alone || operation.category() == Category::Thread
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
    }
    note_change(desk);
}

/// Somebody may run who did not.
fn note_change(desk: &FreeDesk) {
    desk.priorities.changes.fetch_add(1, Ordering::AcqRel);
}

/// Holds a thread of low priority up until it may go on.
#[inline(never)]
fn wait_for_turn(desk: &'static FreeDesk, thread: &FreeThread) {
    let priorities = &desk.priorities;
    let mut looks = 0;
    let (mut steps, mut since) = (priorities.steps.load(Ordering::Relaxed), ticks());
    loop {
        let changes = priorities.changes.load(Ordering::Acquire);
        if is_turn(desk, thread) {
            // If nothing has changed since the last time, those who are away are blocked still.
            let is_calm = thread.calm.load(Ordering::Relaxed) == changes + 1;
            let spins = ticks() - since > SPIN_MS * desk.ticks_per_ms;
            if is_calm || spins || are_blocked(desk, thread) {
                thread.calm.store(changes + 1, Ordering::Relaxed);
                return;
            }
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

/// Whether nobody runs whose priority is higher, if everybody who is away is blocked.
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

/// Whether those who are away are blocked, and those who have ended will wake nobody any more.
#[inline(never)]
fn are_blocked(desk: &'static FreeDesk, thread: &FreeThread) -> bool {
    let own = thread.priority.load(Ordering::Relaxed);
    let count = desk.threads.load(Ordering::Acquire);
    let mut others = (0..count).filter_map(|number| record(desk, number));
    others.all(|other| {
        if other.is_ended.load(Ordering::Acquire) != 0 {
            return other.is_gone.load(Ordering::Relaxed) != 0 || has_gone(other);
        }
        let priority = other.priority.load(Ordering::Acquire);
        let is_lower = priority != 0 && priority < own;
        is_lower
            || core::ptr::eq(other, thread)
            || kernel::is_asleep(other.kernel_id.load(Ordering::Acquire))
    })
}

/// Whether the kernel knows a thread no more that has ended: then who joins it was woken.
fn has_gone(thread: &FreeThread) -> bool {
    let has_gone = kernel::has_gone(thread.kernel_id.load(Ordering::Acquire));
    thread.is_gone.store(has_gone.into(), Ordering::Relaxed);
    has_gone
}

fn raise(word: &AtomicU32) {
    word.fetch_add(1, Ordering::Relaxed);
}
