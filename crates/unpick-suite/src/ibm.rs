//! The 24 public programs of the IBM concurrency benchmark, most of them exercises of students.
//!
//! Y. Eytan, S. Ur, *Compiling a benchmark of documented multi-threaded bugs*, IPDPS 2004; as used in the dissertation on
//! the noise framework OSCAR. What is printed of each is in [`crate::published::IBM`].
//!
//! *Kept*: of each program the tasks, the locks and the accesses that fail, in the smallest numbers that show the
//! fault. *Left out*: files, output, the presets of low, medium and high contention, and random data.

pub(crate) mod account;
pub(crate) mod airlinetickets;
pub(crate) mod allocationvector;
pub(crate) mod boundedbuffer;
pub(crate) mod bubblesort;
pub(crate) mod bubblesort2;
pub(crate) mod bufwriter;
pub(crate) mod critical;
pub(crate) mod dcl;
pub(crate) mod deadlock;
pub(crate) mod deadlockexception;
pub(crate) mod garagemanager;
pub(crate) mod linkedlist;
pub(crate) mod liveness;
pub(crate) mod lottery;
pub(crate) mod memory_manager;
pub(crate) mod mergesort;
pub(crate) mod mergesortbug;
pub(crate) mod pingpong;
pub(crate) mod piper;
pub(crate) mod producerconsumer;
pub(crate) mod shop;
pub(crate) mod suns_account;
pub(crate) mod xtangoanimation;

use crate::join::join_all;
use crate::{Arguments, Parameter, Program, Source};
use std::sync::Arc;
use unpick::thread;

/// A program of this family.
const fn program(
    name: &'static str,
    summary: &'static str,
    fault: &'static str,
    parameters: &'static [Parameter],
    body: fn(&Arguments),
) -> Program {
    Program {
        name,
        summary,
        source: Source::Ibm,
        parameters,
        fault: Some(fault),
        published: None,
        body,
    }
}

/// Runs `count` tasks, which are told their numbers, to their end.
fn run_all<T: Send + 'static>(
    count: usize,
    task: impl Fn(usize) -> T + Send + Sync + 'static,
) -> Vec<T> {
    let task = Arc::new(task);
    let handles = (0..count)
        .map(|me| {
            let task = task.clone();
            thread::spawn(move || task(me))
        })
        .collect();
    join_all(handles)
}
