//! Numerical kernels that work in phases: the main task and one more.
//!
//! At the end the main task goes on without waiting for the other one: the macro that should wait expands to
//! nothing. From the SPLASH-2 suite in SCTBench (ids 46 to 48): barnes, fft and lu, which differ here in the
//! number of phases and in what a phase does. The study asserted that the other task has ended.
//!
//! *Kept*: creation of the other task by the main one, a number for each under a lock, phases with barriers
//! between them, locks around shared sums (barnes), the missing wait. *Left out*: all numbers. The
//! sizes are chosen so that an execution is about as long as in the study. The phases are even in number: the tasks take
//! turns in coming last to a barrier, so that the other one comes last to the last if nobody is preempted, and ends
//! before the main task goes on, as in the study.

use super::with_twin;
use crate::published::rows::{BARNES, FFT, LU};
use crate::{Arguments, Parameter, Program, Published};
use std::sync::Arc;
use unpick::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use unpick::sync::{Condvar, Mutex};
use unpick::thread;

pub(crate) const PROGRAM_BARNES: Program =
    kernel(&BARNES, "simulation of bodies by two tasks", |arguments| {
        run(arguments, 108, 8)
    });
pub(crate) const PROGRAM_FFT: Program =
    kernel(&FFT, "fast Fourier transform by two tasks", |arguments| {
        run(arguments, 16, 0)
    });
pub(crate) const PROGRAM_LU: Program =
    kernel(&LU, "factorisation of a matrix by two tasks", |arguments| {
        run(arguments, 14, 0)
    });

const TWIN: &[Parameter] = &[Parameter::twin("0 waits for the other task")];

const fn kernel(
    published: &'static Published,
    summary: &'static str,
    body: fn(&Arguments),
) -> Program {
    with_twin(
        published,
        summary,
        "the main task does not wait for the other one",
        TWIN,
        body,
    )
}

#[derive(Default)]
struct Shared {
    numbers: Mutex<usize>,
    barrier: Mutex<(usize, usize)>,
    all_arrived: Condvar,
    sum: Mutex<usize>,
    result: AtomicUsize,
    has_ended: AtomicBool,
}

fn run(arguments: &Arguments, phases: usize, sums: usize) {
    debug_assert!(phases.is_multiple_of(2));
    let shared = Arc::new(Shared::default());
    let own = shared.clone();
    let other = thread::spawn(move || {
        work(&own, phases, sums);
        own.has_ended.store(true, SeqCst);
    });
    work(&shared, phases, sums);
    if !arguments.is_on("bug") {
        other.join().unwrap();
    }
    assert!(
        shared.has_ended.load(SeqCst),
        "the other task has not ended"
    );
}

fn work(shared: &Shared, phases: usize, sums: usize) {
    let mut numbers = shared.numbers.lock().unwrap();
    let me = *numbers;
    *numbers += 1;
    drop(numbers);
    for phase in 0..phases {
        for _ in 0..sums {
            *shared.sum.lock().unwrap() += me;
        }
        wait_for_both(shared);
        if me == phase % 2 {
            shared.result.store(phase, SeqCst);
        }
    }
    wait_for_both(shared);
}

fn wait_for_both(shared: &Shared) {
    let mut arrived = shared.barrier.lock().unwrap();
    arrived.0 += 1;
    if arrived.0 == 2 {
        *arrived = (0, arrived.1 + 1);
        shared.all_arrived.notify_all();
    } else {
        let round = arrived.1;
        while arrived.1 == round {
            arrived = shared.all_arrived.wait(arrived).unwrap();
        }
    }
    drop(arrived);
}
