//! Bugs 1 to 3: the script engine SpiderMonkey.
//!
//! 1. The table of script names is destroyed with the last context, while another task, whose context is
//!    just being made, is about to mark the names (Mozilla 515403).
//! 2. The collector looks whether a context has a task, and then at the task; the context may lose it in between
//!    (Mozilla 476934). Takes three preemptions.
//! 3. The collector switches the property cache off and on again around its work, and a context that is destroyed
//!    meanwhile switches it on once more (Mozilla 478336). Not in SCTBench.

use super::{Library, unpublished};
use crate::published::rows::{RADBENCH_BUG1, RADBENCH_BUG2};
use crate::sctbench::with_twin;
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use unpick::sync::Mutex;
use unpick::sync::atomic::{AtomicBool, AtomicI32, Ordering::SeqCst};

pub(crate) const PROGRAM_1: Program = with_twin(
    &RADBENCH_BUG1,
    "script engine: contexts come and go while names are marked",
    "the table of names is destroyed while it is being marked",
    &[Parameter::twin("0 marks and destroys under the lock")],
    destroy_while_marking,
);

pub(crate) const PROGRAM_2: Program = with_twin(
    &RADBENCH_BUG2,
    "script engine: a context loses its task while rubbish is collected",
    "the task of a context is looked at after it was checked, without a lock",
    &[Parameter::twin("0 clears the task under the lock")],
    clear_while_collecting,
);

pub(crate) const PROGRAM_3: Program = unpublished(
    "radbench.bug3",
    "script engine: the property cache is switched off and on",
    "the count of those who switched the cache off goes below zero",
    &[Parameter::twin("0 counts under the lock")],
    switch_cache,
);

/// Scripts that each task runs before it lets its context go, each of which takes the lock of the runtime twice.
const SCRIPTS: usize = 20;

#[derive(Default)]
struct Runtime {
    contexts: Mutex<usize>,
    has_names: AtomicBool,
    task: AtomicBool,
    cache_off: AtomicI32,
}

impl Runtime {
    fn run_scripts(&self, count: usize) {
        for _ in 0..count {
            drop(self.contexts.lock().unwrap());
        }
    }

    fn enter(&self) {
        let mut contexts = self.contexts.lock().unwrap();
        *contexts += 1;
        if *contexts == 1 {
            self.has_names.store(true, SeqCst);
        }
        drop(contexts);
    }

    fn mark(&self) {
        if self.has_names.load(SeqCst) {
            assert!(self.has_names.load(SeqCst), "the table of names is gone");
        }
    }

    /// Lets a context go. The last one destroys the table, after it has given the lock back.
    fn leave(&self, is_locked: bool) {
        let mut contexts = self.contexts.lock().unwrap();
        *contexts -= 1;
        let is_last = *contexts == 0;
        if is_last && is_locked {
            self.has_names.store(false, SeqCst);
        }
        drop(contexts);
        if is_last && !is_locked {
            self.has_names.store(false, SeqCst);
        }
    }
}

fn destroy_while_marking(arguments: &Arguments) {
    let (runtime, library) = (Arc::new(Runtime::default()), Library::default());
    let is_locked = !arguments.is_on("bug");
    let tasks: [_; 3] = std::array::from_fn(|_| {
        let runtime = runtime.clone();
        library.create(move || {
            runtime.enter();
            runtime.run_scripts(SCRIPTS);
            if is_locked {
                let contexts = runtime.contexts.lock().unwrap();
                runtime.mark();
                drop(contexts);
            } else {
                runtime.mark();
            }
            runtime.leave(is_locked);
        })
    });
    for task in tasks {
        task.join().unwrap();
    }
}

fn clear_while_collecting(arguments: &Arguments) {
    let (runtime, library) = (Arc::new(Runtime::default()), Library::default());
    let is_locked = !arguments.is_on("bug");
    let shared = runtime.clone();
    let other = library.create(move || {
        shared.enter();
        shared.run_scripts(SCRIPTS);
        shared.task.store(true, SeqCst);
        if is_locked {
            let contexts = shared.contexts.lock().unwrap();
            shared.task.store(false, SeqCst);
            drop(contexts);
        } else {
            shared.task.store(false, SeqCst);
        }
        shared.run_scripts(SCRIPTS);
    });
    runtime.run_scripts(SCRIPTS);
    let contexts = runtime.contexts.lock().unwrap();
    for _ in 0..*contexts {
        if runtime.task.load(SeqCst) {
            assert!(runtime.task.load(SeqCst), "the context has no task");
        }
    }
    drop(contexts);
    other.join().unwrap();
}

fn switch_cache(arguments: &Arguments) {
    let (runtime, library) = (Arc::new(Runtime::default()), Library::default());
    let is_locked = !arguments.is_on("bug");
    let tasks: [_; 2] = std::array::from_fn(|_| {
        let runtime = runtime.clone();
        library.create(move || {
            for change in [1, -1] {
                let guard = is_locked.then(|| runtime.contexts.lock().unwrap());
                let count = runtime.cache_off.load(SeqCst) + change;
                assert!(count >= 0, "switched on more often than off");
                runtime.cache_off.store(count, SeqCst);
                drop(guard);
                runtime.run_scripts(2);
            }
        })
    });
    for task in tasks {
        task.join().unwrap();
    }
}
