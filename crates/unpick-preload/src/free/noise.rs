//! Noise: whether it fires, and how a thread is held up.

use super::{raise, thread, ticks};
use crate::sys;
use core::sync::atomic::Ordering;
use unpick_noise::{Noise, PLACEMENT_COUNT, Placement, Random, Type};
use unpick_protocol::{FreeDesk, FreeThread, VISITS};

/// How often a thread that is halted looks whether others go on, in nanoseconds.
const LOOK_NS: u64 = 500_000;
/// How long a thread is halted at most, in milliseconds: the others may be waiting for it.
const HALT_MAX_MS: u64 = 1_000;

/// Draws whether noise fires here.
#[inline(always)]
pub fn decide(
    desk: &'static FreeDesk,
    thread: &FreeThread,
    placement: Placement,
    pc: usize,
) -> Option<Noise> {
    let order = &desk.order;
    let seeding = order.seeding(placement);
    if seeding.kind == Type::Alone {
        let_alone(desk, thread);
    }
    let is_meant =
        order.only_thread == 0 || order.only_thread == thread::number_of(desk, thread) + 1;
    if !is_meant || order.is_aimed && !order.aims_at(pc as u64) {
        return None;
    }
    let visits = &thread.visits[(pc.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) % VISITS];
    let seen = visits.load(Ordering::Relaxed);
    visits.store(seen.saturating_add(1), Ordering::Relaxed);
    let mut random = Random::from_state(thread.random.load(Ordering::Relaxed));
    let noise = seeding.draw(&mut random, seen);
    thread.random.store(random.state(), Ordering::Relaxed);
    if noise.is_some() {
        raise(&thread.fired[placement.number()]);
    }
    noise
}

/// Holds the thread up.
#[cold]
#[inline(never)]
pub fn perform(desk: &'static FreeDesk, thread: &'static FreeThread, noise: Noise) {
    let begun_at = ticks();
    ring(desk);
    match noise.kind {
        Type::Sleep | Type::Mixed => sleep(noise.strength),
        Type::Yield => {
            for _ in 0..noise.strength {
                // SAFETY: the thread only offers its processor.
                unsafe { sys::call(libc::SYS_sched_yield, [0; 6]) };
            }
        }
        Type::Busy => {
            let end = begun_at + in_ticks(desk, noise.strength);
            while ticks() < end {
                core::hint::spin_loop();
            }
        }
        Type::Wait => wait(desk, noise.strength),
        Type::Halt => halt(desk, thread, noise.strength),
        Type::Alone => {
            let number = thread::number_of(desk, thread) + 1;
            let end = begun_at + in_ticks(desk, noise.strength);
            let is_mine =
                desk.alone
                    .compare_exchange(0, number, Ordering::AcqRel, Ordering::Relaxed);
            if is_mine.is_ok() {
                desk.alone_until.store(end, Ordering::Release);
            }
        }
        Type::Priority => {
            let process = i64::from(libc::PRIO_PROCESS as i32);
            // SAFETY: concerns this thread only.
            unsafe {
                sys::call(
                    libc::SYS_setpriority,
                    [process, 0, noise.strength as i64, 0, 0, 0],
                )
            };
        }
    }
    let taken = ticks().saturating_sub(begun_at);
    let so_far = thread.noise_ticks.load(Ordering::Relaxed);
    thread.noise_ticks.store(so_far + taken, Ordering::Relaxed);
}

fn in_ticks(desk: &FreeDesk, nanoseconds: u64) -> u64 {
    (u128::from(nanoseconds) * u128::from(desk.ticks_per_ms) / 1_000_000) as u64
}

fn sleep(nanoseconds: u64) {
    let time = libc::timespec {
        tv_sec: (nanoseconds / 1_000_000_000) as i64,
        tv_nsec: (nanoseconds % 1_000_000_000) as i64,
    };
    // SAFETY: the kernel reads the time.
    unsafe { sys::call(libc::SYS_nanosleep, [&raw const time as i64, 0, 0, 0, 0, 0]) };
}

/// Waits until noise fires in another thread, but not for longer.
fn wait(desk: &FreeDesk, nanoseconds: u64) {
    let value = desk.bell.load(Ordering::Acquire);
    desk.listeners.fetch_add(1, Ordering::AcqRel);
    sys::futex_wait_for(&desk.bell, value, nanoseconds);
    desk.listeners.fetch_sub(1, Ordering::AcqRel);
}

/// Lets those go on who wait for noise in another thread.
fn ring(desk: &FreeDesk) {
    if desk.listeners.load(Ordering::Acquire) != 0 {
        desk.bell.fetch_add(1, Ordering::AcqRel);
        sys::futex_wake(&desk.bell);
    }
}

/// Stops the thread until no other one has come to a placement for so long.
fn halt(desk: &'static FreeDesk, thread: &FreeThread, quiet_ns: u64) {
    let number = thread::number_of(desk, thread) + 1;
    let is_mine = desk
        .halted
        .compare_exchange(0, number, Ordering::AcqRel, Ordering::Relaxed);
    if is_mine.is_err() {
        return;
    }
    let end = ticks() + HALT_MAX_MS * desk.ticks_per_ms;
    let quiet = in_ticks(desk, quiet_ns);
    let (mut seen, mut since) = (progress(desk), ticks());
    while ticks() < end && ticks() - since < quiet {
        sleep(LOOK_NS);
        let now = progress(desk);
        if now != seen {
            (seen, since) = (now, ticks());
        }
    }
    desk.halted.store(0, Ordering::Release);
}

/// Rises whenever a thread comes to a placement.
fn progress(desk: &'static FreeDesk) -> u64 {
    let count = desk.threads.load(Ordering::Relaxed);
    let records = (0..count).filter_map(|number| super::record(desk, number));
    let numbers = || 0..PLACEMENT_COUNT;
    let of = |thread: &FreeThread| -> u64 {
        numbers()
            .map(|at| thread.reached[at].load(Ordering::Relaxed))
            .sum()
    };
    records.map(of).sum()
}

/// Stops the thread as long as another one is to be alone.
fn let_alone(desk: &'static FreeDesk, thread: &FreeThread) {
    let alone = desk.alone.load(Ordering::Acquire);
    if alone == 0 {
        return;
    }
    let is_mine = alone == thread::number_of(desk, thread) + 1;
    loop {
        let (now, end) = (ticks(), desk.alone_until.load(Ordering::Acquire));
        if now >= end && end != 0 {
            // The first to see that it is over says so; nobody minds if two do.
            let over = desk
                .alone
                .compare_exchange(alone, 0, Ordering::AcqRel, Ordering::Relaxed);
            if over.is_ok() {
                desk.alone_until.store(0, Ordering::Release);
            }
            return;
        }
        if is_mine || desk.alone.load(Ordering::Acquire) != alone {
            return;
        }
        sleep(LOOK_NS.min(100_000));
    }
}
