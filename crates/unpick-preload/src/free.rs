//! Programs that run freely: real threads call the real functions, and nothing is serialised. On the way
//! each of them passes here, before and after.
//!
//! The one interface is [`reach`] (and [`around`], which calls it twice): a thread has come to a
//! placement, with an object and a place in the code. What is done then is decided in [`arrive`], in this
//! order: it is counted, written into the trace of the thread, and the *policy* may hold the thread up. A
//! placement at which there is nothing to do costs a load and a test. Nothing here takes a lock, counts
//! in memory that other threads write, or allocates. Noise is the policy of `noise.rs`; that of `priorities.rs`,
//! which lets few threads go on only when it is their turn, counts the steps of all, because that is what it is.

mod kernel;
mod noise;
mod priorities;
mod stack;
mod thread;
mod variables;

pub use thread::{create, leave};

use crate::{real, sys};
use core::ffi::CStr;
use core::ptr::{null_mut, without_provenance_mut};
use core::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use unpick_noise::{Operation, Placement, Placements};
use unpick_protocol::{FreeDesk, FreeEvent, FreeThread};

/// [`unpick_protocol::FREE_VARIABLE`] for the C library.
const FREE_VARIABLE: &CStr = c"UNPICK_FREE";
const _: () = assert!(unpick_protocol::FREE_VARIABLE.len() == FREE_VARIABLE.count_bytes());

/// The placements at which there is something to do.
static ACTIVE: AtomicU64 = AtomicU64::new(0);
static DESK: AtomicPtr<FreeDesk> = AtomicPtr::new(null_mut());

/// The memory that is shared with the driver, if the program runs freely under its eyes.
fn desk() -> Option<&'static FreeDesk> {
    // SAFETY: null, or mapped for good by `begin`; made of atomics and of what nobody writes any more.
    unsafe { DESK.load(Ordering::Relaxed).as_ref() }
}

/// Lets the program run freely, if a driver wants that. Called before its `main`.
pub fn begin() {
    // SAFETY: the C library's own string, if there is one; nothing of the program runs yet.
    let file = unsafe {
        let value = libc::getenv(FREE_VARIABLE.as_ptr());
        if value.is_null() {
            return;
        }
        let text = CStr::from_ptr(value).to_str().ok();
        let file = text.and_then(|text| text.parse::<i32>().ok());
        // Programs that this one starts are left alone.
        libc::unsetenv(FREE_VARIABLE.as_ptr());
        file
    };
    let Some(desk) = file.and_then(map) else {
        return;
    };
    real::look_up();
    DESK.store(core::ptr::from_ref(desk).cast_mut(), Ordering::Release);
    stack::install();
    // SAFETY: the driver may be killed, and we should not stay behind; a fork must not write where its
    // parent does.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        libc::pthread_atfork(None, None, Some(forget));
    }
    thread::adopt_first(desk);
    ACTIVE.store(
        desk.order.active().0 | priorities::points(desk).0,
        Ordering::Release,
    );
    desk.is_manned.store(1, Ordering::Release);
}

fn map(file: i32) -> Option<&'static FreeDesk> {
    let size = size_of::<FreeDesk>();
    let top = sys::map(0, size, libc::MAP_SHARED, file)?;
    // SAFETY: mapped a moment ago; whether it is a desk is what we ask.
    let desk = unsafe { &*top.cast::<FreeDesk>() };
    let whole = FreeDesk::size(desk.threads_max, desk.events_max);
    let is_open = desk.is_open();
    // SAFETY: not used any more; the descriptor was left to us.
    unsafe { sys::unmap(top as usize, size) };
    let flags = libc::MAP_SHARED | libc::MAP_NORESERVE;
    let memory = is_open.then(|| sys::map(0, whole, flags, file)).flatten();
    // SAFETY: as above.
    unsafe { sys::call(libc::SYS_close, [i64::from(file), 0, 0, 0, 0, 0]) };
    // SAFETY: mapped for good, and a desk.
    memory.map(|memory| unsafe { &*memory.cast::<FreeDesk>() })
}

/// A fork of the program is left alone.
extern "C" fn forget() {
    ACTIVE.store(0, Ordering::Relaxed);
    DESK.store(null_mut(), Ordering::Relaxed);
}

/// A thread has come to a placement.
#[inline(always)]
pub fn reach(placement: Placement, object: usize, pc: usize) {
    if Placements(ACTIVE.load(Ordering::Relaxed)).contains(placement) {
        arrive(placement, object, pc);
    }
}

/// An operation, with what comes before and after it.
#[inline(always)]
pub fn around<R>(operation: Operation, object: usize, pc: usize, call: impl FnOnce() -> R) -> R {
    reach(Placement::before(operation), object, pc);
    let result = call();
    reach(Placement::after(operation), object, pc);
    result
}

/// A plain access of memory is about to be made.
#[inline(always)]
pub fn access(address: usize, is_write: bool, pc: usize) {
    const BOTH: u64 = 1 << Placement::before(Operation::Read).number()
        | 1 << Placement::before(Operation::Write).number();
    if ACTIVE.load(Ordering::Relaxed) & BOTH != 0 {
        variables::access(address, is_write, pc);
    }
}

/// There is something to do at a placement.
#[inline(never)]
fn arrive(placement: Placement, object: usize, pc: usize) {
    let Some((desk, thread)) = desk().zip(thread::current()) else {
        return;
    };
    // A signal handler that interrupts us would write over what is being written.
    if thread.is_busy.load(Ordering::Relaxed) != 0 {
        return;
    }
    thread.is_busy.store(1, Ordering::Relaxed);
    let order = &desk.order;
    if order.counted.contains(placement) {
        raise(&thread.reached[placement.number()]);
    }
    if order.traced.contains(placement) {
        trace(desk, thread, placement, object, pc);
    }
    let hold = match order.noised.contains(placement) {
        true => noise::decide(desk, thread, placement, pc),
        false => None,
    };
    thread.is_busy.store(0, Ordering::Relaxed);
    if let Some(noise) = hold {
        noise::perform(desk, thread, noise);
    }
    if desk.priorities.order.depth != 0 {
        priorities::arrive(desk, thread, placement);
    }
}

/// Adds one to a word that no other thread writes.
#[inline(always)]
fn raise(word: &AtomicU64) {
    word.store(word.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
}

/// The processor's clock, which all processors share.
#[inline(always)]
fn ticks() -> u64 {
    // SAFETY: every processor that this library runs on has it.
    unsafe { core::arch::x86_64::_rdtsc() }
}

/// Writes an entry of the trace of a thread.
#[inline(always)]
fn trace(desk: &FreeDesk, thread: &FreeThread, placement: Placement, object: usize, pc: usize) {
    let count = thread.event_count.load(Ordering::Relaxed);
    if count < u64::from(desk.events_max) {
        // SAFETY: the record of a thread is followed by room for so many.
        let event = unsafe {
            &*core::ptr::from_ref(thread)
                .add(1)
                .cast::<FreeEvent>()
                .add(count as usize)
        };
        event.time.store(ticks(), Ordering::Relaxed);
        event.object.store(object as u64, Ordering::Relaxed);
        event.pc.store(pc as u64, Ordering::Relaxed);
        event
            .placement
            .store(placement.number() as u64, Ordering::Relaxed);
    }
    thread.event_count.store(count + 1, Ordering::Release);
}

/// The record of a thread, by number.
fn record(desk: &'static FreeDesk, number: u32) -> Option<&'static FreeThread> {
    let offset = desk.thread_at(number)?;
    let address = core::ptr::from_ref(desk) as usize + offset;
    // SAFETY: within the mapping, which is there for good; made of atomics.
    Some(unsafe { &*without_provenance_mut::<FreeThread>(address) })
}
