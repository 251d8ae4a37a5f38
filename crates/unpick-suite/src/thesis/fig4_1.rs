//! Four tasks take one lock; which of them conflict depends on the order.
//!
//! Task 1 writes x and task 2 writes y, tasks 3 and 4 write y if they find x unwritten. All share
//! the lock m, so that every order of the four sections is a happens-before relation of its own,
//! though most of them differ in nothing but the order of locking. From figure 4.1 of the thesis.

use super::{figure, spawn_tasks};
use crate::section::section;
use crate::{Arguments, Program};
use std::sync::Arc;
use unpick::sync::Mutex;
use unpick::sync::atomic::{AtomicU32, Ordering::SeqCst};

pub(crate) const PROGRAM: Program = figure(
    "thesis.fig4_1",
    "four sections of one lock, few of which conflict",
    None,
    body,
);

#[derive(Default)]
struct Shared {
    m: Mutex<()>,
    x: AtomicU32,
    y: AtomicU32,
}

impl Shared {
    /// The section of tasks 3 and 4.
    fn write_y_unless_x(&self, value: u32) {
        section(&self.m, || {
            if self.x.load(SeqCst) == 0 {
                self.y.store(value, SeqCst);
            }
        });
    }
}

fn body(_: &Arguments) {
    spawn_tasks(
        &Arc::new(Shared::default()),
        &[
            |shared| section(&shared.m, || shared.x.store(1, SeqCst)),
            |shared| section(&shared.m, || shared.y.store(2, SeqCst)),
            |shared| shared.write_y_unless_x(3),
            |shared| shared.write_y_unless_x(4),
        ],
    );
}
