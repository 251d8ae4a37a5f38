//! Clustering of a stream of points: the same workers go through rounds, with barriers between their phases.
//!
//! From the PARSEC suite in SCTBench (ids 40 to 42), three versions of one kernel:
//!
//! - `streamcluster`: a worker uses what the first one sums up, with no barrier in between;
//! - `streamcluster2`: with three workers, the last one uses what the second one has just stored: the
//!   result differs from that of a sequential execution;
//! - `streamcluster3`: a worker uses its place in an array that the first one makes, with no barrier in between:
//!   an access out of bounds. The thesis does not say which array.
//!
//! *Kept*: the stream comes in two parts, each with workers of its own; rounds, phases and the barrier of PARSEC, which is a
//! lock and a condition variable; who sums up. *Left out*: points and distances, which are small numbers here.

use super::with_twin;
use crate::join::join_all;
use crate::published::rows::{STREAMCLUSTER, STREAMCLUSTER2, STREAMCLUSTER3};
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use unpick::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use unpick::sync::{Condvar, Mutex};
use unpick::thread;

pub(crate) const PROGRAM: Program = with_twin(
    &STREAMCLUSTER,
    "clustering in rounds by two workers",
    "no barrier between summing up and using the sum",
    &[Parameter::twin("0 has the barrier")],
    |arguments| cluster(arguments, 2, 22, sum_and_use),
);

pub(crate) const PROGRAM_2: Program = with_twin(
    &STREAMCLUSTER2,
    "clustering in rounds by three workers",
    "no barrier between storing a centre and using it",
    &[Parameter::twin("0 has the barrier")],
    |arguments| cluster(arguments, 3, 45, store_and_use),
);

pub(crate) const PROGRAM_3: Program = with_twin(
    &STREAMCLUSTER3,
    "clustering in rounds by two workers, with an array for both",
    "no barrier between making the array and using it",
    &[Parameter::twin("0 has the barrier")],
    |arguments| cluster(arguments, 2, 30, make_and_use),
);

/// The parts of the stream.
const PARTS: usize = 2;
const WORKERS_MAX: usize = 3;

struct Stream {
    workers: usize,
    rounds: usize,
    has_barrier: bool,
    barrier: Barrier,
    parts: [AtomicUsize; WORKERS_MAX],
    sum: AtomicUsize,
    centre: AtomicUsize,
    /// The length of the array that the workers share.
    length: AtomicUsize,
}

/// The barrier of PARSEC: whoever comes last wakes the others.
struct Barrier {
    arrived: Mutex<(usize, usize)>,
    all_arrived: Condvar,
    workers: usize,
}

impl Barrier {
    fn wait(&self) {
        let mut arrived = self.arrived.lock().unwrap();
        arrived.0 += 1;
        if arrived.0 == self.workers {
            *arrived = (0, arrived.1 + 1);
            self.all_arrived.notify_all();
        } else {
            let round = arrived.1;
            while arrived.1 == round {
                arrived = self.all_arrived.wait(arrived).unwrap();
            }
        }
        drop(arrived);
    }
}

fn cluster(arguments: &Arguments, workers: usize, rounds: usize, work: fn(&Stream, usize)) {
    for _ in 0..PARTS {
        let stream = Arc::new(Stream {
            workers,
            rounds,
            has_barrier: !arguments.is_on("bug"),
            barrier: Barrier {
                arrived: Mutex::new((0, 0)),
                all_arrived: Condvar::new(),
                workers,
            },
            parts: Default::default(),
            sum: AtomicUsize::new(0),
            centre: AtomicUsize::new(0),
            length: AtomicUsize::new(0),
        });
        let handles = (0..workers)
            .map(|me| {
                let stream = stream.clone();
                thread::spawn(move || work(&stream, me))
            })
            .collect();
        join_all(handles);
    }
}

/// Where the faulty program has no barrier.
fn missing_barrier(stream: &Stream) {
    if stream.has_barrier {
        stream.barrier.wait();
    }
}

fn sum_and_use(stream: &Stream, me: usize) {
    for round in 1..=stream.rounds {
        stream.parts[me].store(round, SeqCst);
        stream.barrier.wait();
        if me == 0 {
            let parts = stream.parts[..stream.workers].iter();
            let sum = parts.map(|part| part.load(SeqCst)).sum();
            stream.sum.store(sum, SeqCst);
        }
        missing_barrier(stream);
        if me != 0 {
            let sum = stream.sum.load(SeqCst);
            assert!(sum == stream.workers * round, "the sum of another round");
        }
        stream.barrier.wait();
    }
}

fn store_and_use(stream: &Stream, me: usize) {
    for round in 1..=stream.rounds {
        stream.parts[me].store(round, SeqCst);
        stream.barrier.wait();
        if me == 1 {
            let own = stream.parts[me].load(SeqCst);
            stream.centre.store(own, SeqCst);
        }
        missing_barrier(stream);
        if me == 2 {
            let centre = stream.centre.load(SeqCst);
            stream.sum.fetch_add(centre, SeqCst);
        }
        stream.barrier.wait();
    }
    let expected = stream.rounds * (stream.rounds + 1) / 2;
    let is_last = me == 2;
    assert!(
        !is_last || stream.sum.load(SeqCst) == expected,
        "wrong result"
    );
}

fn make_and_use(stream: &Stream, me: usize) {
    if me == 0 {
        stream.length.store(stream.workers, SeqCst);
    }
    missing_barrier(stream);
    let length = stream.length.load(SeqCst);
    assert!(me < length, "place {me} of an array of {length}");
    for round in 1..=stream.rounds {
        stream.parts[me].store(round, SeqCst);
        stream.barrier.wait();
        if me == 0 {
            let parts = stream.parts[..stream.workers].iter();
            let sum = parts.map(|part| part.load(SeqCst)).sum();
            stream.sum.store(sum, SeqCst);
        }
        stream.barrier.wait();
    }
}
