//! Initialisation that happens once.
//!
//! The library's own function still calls the routine, because it knows what to do if that panics. Ours takes the
//! step before it and the one behind it: it changes the word as the library is about to, tells what it has found,
//! and puts back what was there. No other task runs in between.

use super::{ACQUIRE, KNOWN, RELAXED, RELEASE, stand_in};
use crate::atomics::{exchange, load, modify};
use crate::futex::wait_while;
use crate::runtime::running;
use core::ffi::c_void;
use core::sync::atomic::Ordering;

/// What the word says.
const STATE: u32 = 0b11;
const COMPLETE: u32 = 0;
const RUNNING: u32 = 1;
const POISONED: u32 = 2;
/// Somebody waits.
const QUEUED: u32 = 4;

type Call = unsafe extern "C" fn(*mut u32, bool, *mut c_void, *const Methods, *const c_void);
type Wait = unsafe extern "C" fn(*mut u32, bool, *const c_void);

/// How a closure behind a reference is called.
#[repr(C)]
pub struct Methods {
    drop: usize,
    size: usize,
    align: usize,
    call_once: usize,
    call: unsafe extern "C" fn(*mut c_void, *const c_void),
}

/// The program's routine, around which is ours.
struct Routine {
    data: *mut c_void,
    methods: *const Methods,
    once: *mut u32,
    pc: usize,
}

/// Called by the library instead of the program's routine.
// SAFETY: called with a `Routine`.
unsafe extern "C" fn run(routine: *mut c_void, state: *const c_void) {
    // SAFETY: as above, with what the library passes.
    unsafe {
        let routine = &*routine.cast::<Routine>();
        ((*routine.methods).call)(routine.data, state);
        let found = modify(routine.once, RELEASE, routine.pc, |_| COMPLETE);
        routine.once.write_volatile(found);
    }
}

static METHODS: Methods = Methods {
    drop: 0,
    size: size_of::<Routine>(),
    align: align_of::<Routine>(),
    call_once: 0,
    call: run,
};

/// The library's own functions.
fn original_call() -> Call {
    // SAFETY: such a function, as the driver has found it.
    unsafe { core::mem::transmute(KNOWN.once_call.load(Ordering::Relaxed)) }
}

fn original_wait() -> Wait {
    // SAFETY: such a function, as the driver has found it.
    unsafe { core::mem::transmute(KNOWN.once_wait.load(Ordering::Relaxed)) }
}

/// Waits for the end of the routine, which may have come already.
///
/// # Safety
///
/// It is the word of a `Once`.
unsafe fn wait_for_change(once: *mut u32, known: u32, pc: usize) {
    let queued = known | QUEUED;
    // SAFETY: the word of the program.
    unsafe {
        let orders = (RELAXED, ACQUIRE);
        if known == queued || exchange(once, known, queued, orders, false, pc).1 {
            wait_while(once, queued, None, pc);
        }
    }
}

stand_in! {
    fn call(once: *mut u32, ignores_poison: bool, data: *mut c_void, methods: *const Methods,
            place: *const c_void; pc) {
        if running().is_none() {
            return original_call()(once, ignores_poison, data, methods, place);
        }
        loop {
            let known = load(once, ACQUIRE, pc);
            match known & STATE {
                COMPLETE => return,
                RUNNING => wait_for_change(once, known, pc),
                // It panics.
                POISONED if !ignores_poison => {
                    return original_call()(once, ignores_poison, data, methods, place);
                }
                _ => {
                    let next = RUNNING | known & QUEUED;
                    if exchange(once, known, next, (ACQUIRE, ACQUIRE), false, pc).1 {
                        once.write_volatile(known);
                        let mut routine = Routine { data, methods, once, pc };
                        let routine = (&raw mut routine).cast();
                        return original_call()(once, ignores_poison, routine, &raw const METHODS, place);
                    }
                }
            }
        }
    }

    fn wait(once: *mut u32, ignores_poison: bool, place: *const c_void; pc) {
        if running().is_none() {
            return original_wait()(once, ignores_poison, place);
        }
        loop {
            let known = load(once, ACQUIRE, pc);
            match known & STATE {
                COMPLETE => return,
                // It panics.
                POISONED if !ignores_poison => return original_wait()(once, ignores_poison, place),
                _ => wait_for_change(once, known, pc),
            }
        }
    }
}
