//! Bugs 1 to 3: the script engine SpiderMonkey.
//!
//! 1. The table of script names is destroyed with the last context, after the lock was given back; a task whose
//!    context was made just then collects rubbish, for which it waits until nobody else is in a request, and marks names that
//!    are gone (Mozilla 515403). One delay at one place is enough.
//! 2. The collector looks whether a context has a task, and then at the task; the context may lose it in between
//!    (Mozilla 476934). Takes three preemptions.
//! 3. The collector switches the property cache off and on again around its work, and a context that is destroyed
//!    meanwhile switches it on once more (Mozilla 478336). Not in SCTBench.
//!
//! The tasks of bug 1 run far fewer scripts than the original's, whose executions have 21,889 steps. The scripts of bug
//! 2 are as many as give about as many schedules of three preemptions as the study counted. Both were so fitted to their
//! published rows: that they agree with these is no evidence.

use super::{Library, unpublished};
use crate::published::rows::{RADBENCH_BUG1, RADBENCH_BUG2};
use crate::sctbench::with_twin;
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use unpick::sync::atomic::{AtomicBool, AtomicI32, Ordering::SeqCst};
use unpick::sync::{Condvar, Mutex};

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

/// Scripts that each task of bug 1 runs before it collects, each of which takes the lock of the runtime.
const SCRIPTS: usize = 20;
/// Scripts of the collector and of the other task of bug 2: before they meet, and afterwards.
const COLLECTOR_SCRIPTS: usize = 13;
const OTHER_SCRIPTS: usize = 28;
const LAST_SCRIPTS: usize = 5;

#[derive(Default)]
struct Runtime {
    inside: Mutex<Inside>,
    requests_ended: Condvar,
    has_names: AtomicBool,
    task: AtomicBool,
    cache_off: AtomicI32,
}

#[derive(Default)]
struct Inside {
    contexts: usize,
    /// Tasks that do something which rubbish must not be collected under.
    requests: usize,
}

impl Runtime {
    fn run_scripts(&self, count: usize) {
        for _ in 0..count {
            drop(self.inside.lock().unwrap());
        }
    }

    /// Makes a context, and begins a request.
    fn enter(&self) {
        let mut inside = self.inside.lock().unwrap();
        inside.contexts += 1;
        inside.requests += 1;
        if inside.contexts == 1 {
            self.has_names.store(true, SeqCst);
        }
        drop(inside);
    }

    /// Marks all names, once nobody else is in a request; whoever waits here is not in one.
    fn collect(&self) {
        let mut inside = self.inside.lock().unwrap();
        inside.requests -= 1;
        self.requests_ended.notify_all();
        while inside.requests > 0 {
            inside = self.requests_ended.wait(inside).unwrap();
        }
        assert!(self.has_names.load(SeqCst), "the table of names is gone");
        inside.requests += 1;
        drop(inside);
    }

    /// Lets a context go, and ends the request. The last one destroys the table.
    fn leave(&self, is_locked: bool) {
        let mut inside = self.inside.lock().unwrap();
        inside.contexts -= 1;
        if inside.contexts == 0 {
            if !is_locked {
                drop(inside);
                self.has_names.store(false, SeqCst);
                inside = self.inside.lock().unwrap();
            } else {
                self.has_names.store(false, SeqCst);
            }
        }
        inside.requests -= 1;
        self.requests_ended.notify_all();
        drop(inside);
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
            runtime.collect();
            runtime.leave(is_locked);
        })
    });
    for task in tasks {
        task.join().unwrap();
    }
}

/// Scripts that touch nothing but what belongs to their context.
fn run_own_scripts(count: usize) {
    let own = Mutex::new(());
    for _ in 0..count {
        drop(own.lock().unwrap());
    }
}

fn clear_while_collecting(arguments: &Arguments) {
    let (runtime, library) = (Arc::new(Runtime::default()), Library::default());
    let is_locked = !arguments.is_on("bug");
    let shared = runtime.clone();
    let other = library.create(move || {
        shared.enter();
        shared.run_scripts(OTHER_SCRIPTS);
        shared.task.store(true, SeqCst);
        let inside = is_locked.then(|| shared.inside.lock().unwrap());
        shared.task.store(false, SeqCst);
        drop(inside);
        run_own_scripts(LAST_SCRIPTS);
    });
    runtime.run_scripts(COLLECTOR_SCRIPTS);
    let inside = runtime.inside.lock().unwrap();
    for _ in 0..inside.contexts {
        if runtime.task.load(SeqCst) {
            assert!(runtime.task.load(SeqCst), "the context has no task");
        }
    }
    drop(inside);
    run_own_scripts(LAST_SCRIPTS);
    other.join().unwrap();
}

fn switch_cache(arguments: &Arguments) {
    let (runtime, library) = (Arc::new(Runtime::default()), Library::default());
    let is_locked = !arguments.is_on("bug");
    let tasks: [_; 2] = std::array::from_fn(|_| {
        let runtime = runtime.clone();
        library.create(move || {
            for change in [1, -1] {
                let guard = is_locked.then(|| runtime.inside.lock().unwrap());
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
