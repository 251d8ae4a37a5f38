//! Two writes to x, the first one inside a section of the lock m.
//!
//! What stands around the second write decides how far back a reduction that ignores the order of
//! locking must go to turn the two writes round: out of the section if the other task holds the
//! lock while it writes (a) or has held it before (b), not at all if only a bystander locks (c), and
//! out of the section again if the write depends on a bystander's section (d). From figure 4.2 of
//! the thesis.

use super::{figure, spawn_tasks};
use crate::section::section;
use crate::{Arguments, Program};
use std::sync::Arc;
use unpick::sync::Mutex;
use unpick::sync::atomic::{AtomicU32, Ordering::SeqCst};

pub(crate) const PROGRAM_A: Program = figure(
    "thesis.fig4_2a",
    "two writes under one lock",
    None,
    second_inside,
);

pub(crate) const PROGRAM_B: Program = figure(
    "thesis.fig4_2b",
    "a write under a lock and one after an empty section",
    None,
    second_after_section,
);

pub(crate) const PROGRAM_C: Program = figure(
    "thesis.fig4_2c",
    "a write under a lock, one without, and a bystander's section",
    None,
    bystander_between,
);

pub(crate) const PROGRAM_D: Program = figure(
    "thesis.fig4_2d",
    "a write under a lock and one that depends on a bystander's section",
    None,
    second_depends_on_bystander,
);

#[derive(Default)]
struct Shared {
    m: Mutex<()>,
    x: AtomicU32,
    y: AtomicU32,
}

/// Task 1 of all four programs.
fn write_x_inside(shared: &Shared) {
    section(&shared.m, || shared.x.store(1, SeqCst));
}

fn second_inside(_: &Arguments) {
    spawn_tasks(
        &Arc::new(Shared::default()),
        &[write_x_inside, |shared| {
            section(&shared.m, || shared.x.store(2, SeqCst));
        }],
    );
}

fn second_after_section(_: &Arguments) {
    spawn_tasks(
        &Arc::new(Shared::default()),
        &[write_x_inside, |shared| {
            section(&shared.m, || {});
            shared.x.store(2, SeqCst);
        }],
    );
}

fn bystander_between(_: &Arguments) {
    spawn_tasks(
        &Arc::new(Shared::default()),
        &[
            write_x_inside,
            |shared| section(&shared.m, || {}),
            |shared| shared.x.store(3, SeqCst),
        ],
    );
}

fn second_depends_on_bystander(_: &Arguments) {
    spawn_tasks(
        &Arc::new(Shared::default()),
        &[
            write_x_inside,
            |shared| section(&shared.m, || shared.y.store(2, SeqCst)),
            |shared| {
                if shared.y.load(SeqCst) != 0 {
                    shared.x.store(3, SeqCst);
                }
            },
        ],
    );
}
