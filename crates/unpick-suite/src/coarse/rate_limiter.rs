//! `n` clients spend tokens from buckets of their own, and one more task fills all buckets up.
//!
//! Locked: all buckets, by one lock. Conflicts: the filling with each spending; the clients not with
//! each other.

use super::{program, run_tasks, values};
use crate::section::section;
use crate::{Arguments, Parameter, Program};
use unpick::sync::Mutex;
use unpick::sync::atomic::{AtomicU32, Ordering::SeqCst};

pub(crate) const PROGRAM: Program = program(
    "coarse.rate_limiter",
    "buckets of tokens behind one lock, filled by one task",
    &[
        Parameter::size("n", "clients", 3, 1, 16),
        Parameter::size("m", "requests of each client", 2, 1, 100),
    ],
    body,
);

const FULL: u32 = 2;

fn body(arguments: &Arguments) {
    let (clients, requests) = (arguments.size("n"), arguments.size("m"));
    let buckets: Box<[AtomicU32]> = (0..clients).map(|_| AtomicU32::new(1)).collect();
    run_tasks(
        clients + 1,
        (Mutex::new(()), buckets),
        move |(lock, buckets), number| {
            let Some(bucket) = buckets.get(number) else {
                section(lock, || {
                    buckets.iter().for_each(|bucket| bucket.store(FULL, SeqCst))
                });
                return;
            };
            for _ in 0..requests {
                section(lock, || {
                    let tokens = bucket.load(SeqCst);
                    if tokens > 0 {
                        bucket.store(tokens - 1, SeqCst);
                    }
                });
            }
        },
        |(_, buckets)| assert!(values(buckets).iter().all(|tokens| *tokens <= FULL)),
    );
}
