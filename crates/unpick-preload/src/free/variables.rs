//! Plain accesses of memory: which ones are of interest.
//!
//! Only accesses to what threads share can make a difference, so only these are placements, unless the
//! order says otherwise. Which addresses those are is learned on the way: a table remembers who touched an
//! address last, and an address is shared from the moment at which a second thread comes to it, one of the
//! two writing. The first access of the second thread is thus the first that counts; what the first thread
//! did before cannot be helped in this execution. The places in the code of both are told to the driver,
//! which can aim at them in the next one.
//!
//! OSCAR noises statements whose two sides depend on a common variable. A native program does not tell
//! what a statement is. What comes nearest: a write by a thread that has read shared memory a few accesses
//! before, so that what it writes may depend on what it has read.

use super::{arrive, desk, thread};
use core::sync::atomic::Ordering;
use unpick_noise::{Operation, Placement, Variables};
use unpick_protocol::{CONFLICTS, FreeDesk, FreeThread, Touch};

/// Accesses to shared memory within which a write may depend on a read.
const REACH: u64 = 8;

/// A plain access is about to be made, and placements of memory are active.
#[inline(never)]
pub fn access(address: usize, is_write: bool, pc: usize) {
    let Some((desk, thread)) = desk().zip(thread::current()) else {
        return;
    };
    let operation = match is_write {
        true => Operation::Write,
        false => Operation::Read,
    };
    let is_wanted = match desk.order.variables {
        Variables::All => true,
        Variables::Aimed => desk.order.aims_at(pc as u64),
        Variables::Shared => touch(desk, thread, address, is_write, pc),
        Variables::Dependent => {
            touch(desk, thread, address, is_write, pc) && is_dependent(thread, is_write)
        }
    };
    if is_wanted {
        arrive(Placement::before(operation), address, pc);
    }
}

/// Takes note of who touches what; whether the address is shared.
fn touch(desk: &FreeDesk, thread: &FreeThread, address: usize, is_write: bool, pc: usize) -> bool {
    let owner = &desk.owners[Touch::slot(address)];
    let number = thread::number_of(desk, thread);
    let own = Touch::new(address, number, is_write);
    let known = Touch(owner.touch.load(Ordering::Relaxed));
    let now = match known.is_of(address) {
        true => own.with(known),
        false => own,
    };
    if now == known {
        return now.is_shared();
    }
    let earlier = owner.pc.load(Ordering::Relaxed);
    owner.touch.store(now.0, Ordering::Relaxed);
    owner.pc.store(pc as u64, Ordering::Relaxed);
    if now.is_shared() {
        if known.is_of(address) {
            note_conflict(desk, earlier);
        }
        note_conflict(desk, pc as u64);
    }
    now.is_shared()
}

/// Tells the driver of a place in the code that touches what threads share.
fn note_conflict(desk: &FreeDesk, pc: u64) {
    const TRIES: usize = 16;
    let first = (pc.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52) as usize;
    for at in first..first + TRIES {
        let place = &desk.conflicts[at % CONFLICTS];
        match place.load(Ordering::Relaxed) {
            0 => {
                let put = place.compare_exchange(0, pc, Ordering::Relaxed, Ordering::Relaxed);
                if put.is_ok() || put == Err(pc) {
                    return;
                }
            }
            found if found == pc => return,
            _ => {}
        }
    }
}

/// Whether what is written may depend on shared memory that was read a moment ago. Reads are kept.
fn is_dependent(thread: &FreeThread, is_write: bool) -> bool {
    let count = thread.shared_accesses.load(Ordering::Relaxed) + 1;
    thread.shared_accesses.store(count, Ordering::Relaxed);
    let read_at = thread.last_shared_read.load(Ordering::Relaxed);
    if !is_write {
        thread.last_shared_read.store(count, Ordering::Relaxed);
        return true;
    }
    read_at != 0 && count - read_at <= REACH
}
