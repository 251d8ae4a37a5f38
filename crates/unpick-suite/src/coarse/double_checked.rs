//! `n` tasks initialise a value once: they look without the lock first, and again with it.
//!
//! Locked: the initialisation. Conflicts: the setting of the flag with each look at it; who comes
//! later only reads.

use super::{program, run_tasks};
use crate::section::section;
use crate::{Arguments, Parameter, Program};
use unpick::sync::Mutex;
use unpick::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};

pub(crate) const PROGRAM: Program = program(
    "coarse.double_checked",
    "double-checked initialisation under a lock",
    &[Parameter::size("n", "tasks", 3, 1, 16)],
    body,
);

#[derive(Default)]
struct Lazy {
    lock: Mutex<()>,
    is_ready: AtomicBool,
    value: AtomicU32,
}

impl Lazy {
    fn get(&self) -> u32 {
        if !self.is_ready.load(SeqCst) {
            section(&self.lock, || {
                if !self.is_ready.load(SeqCst) {
                    self.value.store(7, SeqCst);
                    self.is_ready.store(true, SeqCst);
                }
            });
        }
        self.value.load(SeqCst)
    }
}

fn body(arguments: &Arguments) {
    run_tasks(
        arguments.size("n"),
        Lazy::default(),
        |lazy, _| assert!(lazy.get() == 7, "seen before it was initialised"),
        |lazy| assert!(lazy.is_ready.into_inner()),
    );
}
