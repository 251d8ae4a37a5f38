//! Thread-locals of tasks: made on first use, dropped at the end of their task, gone with their
//! execution.

use super::fiber::Fiber;
use super::runtime::{Runtime, current};
use std::any::Any;
use std::rc::Rc;
use unpick_trace::TaskId;

/// The thread-locals of one task, in order of first use.
#[derive(Default)]
pub(super) struct Locals {
    values: Vec<Local>,
}

struct Local {
    /// The address of the static.
    key: usize,
    has_destructor: bool,
    /// `None` once it was dropped, or is being dropped.
    value: Option<Rc<dyn Any>>,
}

impl Locals {
    /// Forgets the values without dropping them: their destructors belong to a task that is gone.
    pub fn forget(&mut self) {
        for local in self.values.drain(..) {
            std::mem::forget(local.value);
        }
    }
}

/// What there is for a key in the running task.
pub(crate) enum TaskLocal<T> {
    /// The task's value.
    Value(Rc<T>),
    /// The task is ending, and has dropped its value.
    Dropped,
    /// Not inside an execution.
    Outside,
}

/// The running task's value for `key`, made by `init` on first use.
pub(crate) fn task_local<T: 'static>(key: usize, init: impl FnOnce() -> T) -> TaskLocal<T> {
    let runtime = current();
    if runtime.is_null() {
        return TaskLocal::Outside;
    }
    let value = match find(runtime, key) {
        Some(None) => return TaskLocal::Dropped,
        Some(Some(value)) => value,
        None => {
            // `init` may perform operations and use other thread-locals.
            let fresh: Rc<dyn Any> = Rc::new(init());
            // SAFETY: not null means current; the reference ends at once.
            let runtime = unsafe { &mut *runtime };
            let task = runtime.current();
            runtime.fibers[task.index()].locals.values.push(Local {
                key,
                has_destructor: std::mem::needs_drop::<T>(),
                value: Some(Rc::clone(&fresh)),
            });
            fresh
        }
    };
    match value.downcast::<T>() {
        Ok(value) => TaskLocal::Value(value),
        Err(_) => panic!("internal error: a thread-local of another type"),
    }
}

fn find(runtime: *mut Runtime, key: usize) -> Option<Option<Rc<dyn Any>>> {
    // SAFETY: called with the current runtime; the reference ends with this function.
    let runtime = unsafe { &mut *runtime };
    let locals = &runtime.fibers[runtime.current().index()].locals.values;
    let found = locals.iter().find(|local| local.key == key);
    found.map(|local| local.value.clone())
}

/// Drops the thread-locals of the running task, last made first. A destructor may use other
/// thread-locals, and make new ones, which are dropped in their turn.
///
/// # Safety
/// `fiber` is the one that runs, of this task, and no reference to it is live.
#[inline]
pub(super) unsafe fn run_destructors(fiber: *const Fiber, task: TaskId) {
    // SAFETY: as the caller promises; nothing is kept.
    if unsafe { !(*fiber).locals.values.is_empty() } {
        run_all_destructors(task);
    }
}

#[cold]
fn run_all_destructors(task: TaskId) {
    loop {
        // SAFETY: called on a running fiber; the reference ends before the value is dropped.
        let last = unsafe {
            let locals = &mut (&mut (*current()).fibers)[task.index()].locals.values;
            let last = locals
                .iter_mut()
                .rev()
                .find(|local| local.has_destructor && local.value.is_some());
            last.and_then(|local| local.value.take())
        };
        match last {
            Some(value) => drop(value),
            None => break,
        }
    }
    // SAFETY: as above. What is left has no destructor.
    unsafe {
        (&mut (*current()).fibers)[task.index()]
            .locals
            .values
            .clear()
    };
}
