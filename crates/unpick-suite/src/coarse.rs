//! Programs with coarse locking, one file for each: what is locked is more than what conflicts.
//!
//! The order in which tasks take a lock is a difference to a happens-before relation, and none to a
//! lazy one unless the data they touch conflict. So each program says what is locked and what
//! really conflicts, and between its states, lazy happens-before relations, happens-before
//! relations and schedules there are gaps, or it says why there are none.
//!
//! Data are of both styles: inside a `Mutex<T>`, where only the guard sees them, or atomics beside
//! a `Mutex<()>`, where each access is a step. All tasks are created in one step and nobody joins
//! them: the number of schedules is that of the sections alone. Whoever ends last checks the final
//! state, which takes no step.

pub(crate) mod bank;
pub(crate) mod barrier;
pub(crate) mod cache;
pub(crate) mod config_reload;
pub(crate) mod directory;
pub(crate) mod double_checked;
pub(crate) mod event_bus;
pub(crate) mod hand_over_hand;
pub(crate) mod histogram;
pub(crate) mod inventory;
pub(crate) mod lock_and_flag;
pub(crate) mod log_buffer;
pub(crate) mod mailboxes;
pub(crate) mod matrix_rows;
pub(crate) mod memo_table;
pub(crate) mod monitor;
pub(crate) mod nested;
pub(crate) mod parity;
pub(crate) mod philosophers;
pub(crate) mod pipeline;
pub(crate) mod pool_allocator;
pub(crate) mod producer_consumer;
pub(crate) mod rate_limiter;
pub(crate) mod read_mostly;
pub(crate) mod readers_writers;
pub(crate) mod reference_count;
pub(crate) mod registry;
pub(crate) mod session_table;
pub(crate) mod slots;
pub(crate) mod snapshot;
pub(crate) mod stack;
pub(crate) mod ticket_office;
pub(crate) mod tree;
pub(crate) mod try_lock_poller;
pub(crate) mod work_queue;

use crate::{Arguments, Parameter, Program, Source};
use std::sync::Arc;
use unpick::sync::atomic::AtomicU32;
use unpick::thread;

/// A program of this family that cannot fail.
const fn program(
    name: &'static str,
    summary: &'static str,
    parameters: &'static [Parameter],
    body: fn(&Arguments),
) -> Program {
    Program {
        name,
        summary,
        source: Source::Coarse,
        parameters,
        fault: None,
        published: None,
        body,
    }
}

/// What the tasks of one execution share.
struct Work<S, T, C> {
    state: S,
    task: T,
    check: C,
}

/// Creates `count` tasks in one step, numbered from 0. The last one to end, whichever it is, gives
/// the state to `check`.
fn run_tasks<S, T, C>(count: usize, state: S, task: T, check: C)
where
    S: Send + Sync + 'static,
    T: Fn(&S, usize) + Send + Sync + 'static,
    C: FnOnce(S) + Send + Sync + 'static,
{
    let work = Arc::new(Work { state, task, check });
    let bodies = (0..count).map(|number| {
        let work = work.clone();
        Box::new(move || {
            (work.task)(&work.state, number);
            if let Some(Work { state, check, .. }) = Arc::into_inner(work) {
                check(state);
            }
        }) as Box<dyn FnOnce() + Send>
    });
    let bodies = bodies.collect();
    drop(work);
    thread::spawn_all(bodies);
}

/// That many variables, all zero.
fn zeros(count: usize) -> Box<[AtomicU32]> {
    (0..count).map(|_| AtomicU32::new(0)).collect()
}

/// The final values of variables.
fn values(variables: Box<[AtomicU32]>) -> Vec<u32> {
    variables.into_iter().map(AtomicU32::into_inner).collect()
}
