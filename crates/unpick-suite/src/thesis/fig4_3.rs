//! Programs on which ignoring the order of locking goes wrong, or nearly.
//!
//! A bystander's section must not keep two writes from being turned round (a); a task that waits
//! for another inside a section (b), a cycle in the order of locking (c) and a lock in the hands of
//! a third task (d) are the three cases in which lazy reduction misses something unless it notices
//! them. From figure 4.3 of the thesis.
//!
//! In (b) the wait is a join: it is one step that no spurious wake-up and no dropped end of a
//! channel adds to. The release is then the last step of the task waited for, a write that nobody
//! reads.

use super::{figure, spawn_tasks};
use crate::section::section;
use crate::{Arguments, Program};
use std::sync::{self, Arc};
use unpick::sync::Mutex;
use unpick::sync::atomic::{AtomicU32, Ordering::SeqCst};
use unpick::thread::{self, JoinHandle};

pub(crate) const PROGRAM_A: Program = figure(
    "thesis.fig4_3a",
    "a write without a lock, one under it, and a bystander's section",
    None,
    bystander,
);

pub(crate) const PROGRAM_B: Program = figure(
    "thesis.fig4_3b",
    "a task waits for another inside a section",
    None,
    waiting_inside,
);

pub(crate) const PROGRAM_C: Program = figure(
    "thesis.fig4_3c",
    "two locks, taken in both orders",
    Some("each task can take its first lock and wait for the second"),
    lock_order_cycle,
);

pub(crate) const PROGRAM_D: Program = figure(
    "thesis.fig4_3d",
    "a third task holds the lock that one of two writers needs",
    None,
    third_task,
);

#[derive(Default)]
struct Shared {
    m: Mutex<()>,
    x: AtomicU32,
}

fn bystander(_: &Arguments) {
    spawn_tasks(
        &Arc::new(Shared::default()),
        &[
            |shared| shared.x.store(1, SeqCst),
            |shared| section(&shared.m, || {}),
            |shared| section(&shared.m, || shared.x.store(3, SeqCst)),
        ],
    );
}

#[derive(Default)]
struct Waiting {
    m: Mutex<()>,
    x: AtomicU32,
    released: AtomicU32,
    /// Task 1. Nobody controls this lock: it is filled before task 2 exists.
    releaser: sync::Mutex<Option<JoinHandle<()>>>,
}

/// Task 1 creates the others, so that its own handle is there before them. Until then nobody else
/// can take a step, as if the first task had created all three at once.
fn waiting_inside(_: &Arguments) {
    let shared = Arc::new(Waiting::default());
    let task_1 = shared.clone();
    let handle = thread::spawn(move || {
        spawn_tasks(
            &task_1,
            &[wait_inside, |shared| {
                section(&shared.m, || shared.x.store(3, SeqCst));
            }],
        );
        task_1.x.store(1, SeqCst);
        task_1.released.store(1, SeqCst);
    });
    *shared.releaser.lock().unwrap() = Some(handle);
}

fn wait_inside(shared: &Waiting) {
    section(&shared.m, || {
        let releaser = shared.releaser.lock().unwrap().take();
        releaser.unwrap().join().unwrap();
    });
}

#[derive(Default)]
struct TwoLocks {
    m: Mutex<()>,
    n: Mutex<()>,
}

fn lock_order_cycle(_: &Arguments) {
    spawn_tasks(
        &Arc::new(TwoLocks::default()),
        &[
            |locks| section(&locks.m, || section(&locks.n, || {})),
            |locks| section(&locks.n, || section(&locks.m, || {})),
        ],
    );
}

#[derive(Default)]
struct ThirdTask {
    m: Mutex<()>,
    t: Mutex<()>,
    x: AtomicU32,
}

fn third_task(_: &Arguments) {
    spawn_tasks(
        &Arc::new(ThirdTask::default()),
        &[
            |shared| section(&shared.m, || shared.x.store(1, SeqCst)),
            |shared| section(&shared.t, || section(&shared.m, || {})),
            |shared| section(&shared.t, || shared.x.store(3, SeqCst)),
        ],
    );
}
