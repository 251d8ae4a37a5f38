//! Creating tasks.
//!
//! Inlined into the program: every return that follows a switch is mispredicted.

use super::context::Context;
use super::packet::Body;
use super::runtime::{Runtime, current};
use super::task::{abandon, leave_if, perform};
use std::io;
use std::panic::Location;
use std::ptr::null_mut;
use unpick_trace::{ObjectId, Op, OpKind, TaskId};

/// Creates tasks in one visible operation. Each runs at once up to its own first operation.
///
/// Only call it inside an execution.
#[track_caller]
pub(crate) fn spawn_all(bodies: impl IntoIterator<Item = Body<'static>>) -> io::Result<()> {
    let runtime = begin_spawn(Location::caller());
    for body in bodies {
        let task = create(runtime, body, None, None)?;
        // Nobody can wait for it, since there is no handle.
        // SAFETY: `runtime` is current; the reference ends at once.
        unsafe { (*runtime).execution.let_outlive(task) };
    }
    Ok(())
}

/// Creates a task in one visible operation. It runs at once up to its own first operation.
///
/// Only call it inside an execution.
#[inline(always)]
#[track_caller]
pub(crate) fn spawn(
    body: Body<'static>,
    name: Option<&str>,
    stack_size: Option<usize>,
) -> io::Result<TaskId> {
    let runtime = begin_spawn(Location::caller());
    create(runtime, body, name, stack_size)
}

#[inline(always)]
fn begin_spawn(location: &'static Location<'static>) -> *mut Runtime {
    let runtime = current();
    assert!(
        !runtime.is_null(),
        "internal error: spawn outside an execution"
    );
    // SAFETY: not null means current; no reference is live.
    unsafe {
        perform(runtime, Op::new(OpKind::Spawn, ObjectId::NONE), location);
        if (*runtime).is_tearing_down {
            // A destructor spawns while its task unwinds: there is nobody to run it any more.
            abandon();
        }
    }
    runtime
}

#[inline(always)]
fn create(
    runtime: *mut Runtime,
    body: Body<'static>,
    name: Option<&str>,
    stack_size: Option<usize>,
) -> io::Result<TaskId> {
    // SAFETY: called with the current runtime; no reference is live across the switch, and the new
    // task's fiber is idle.
    unsafe {
        let creator = (*runtime).current();
        (*runtime).prepare_fiber(stack_size)?;
        let context = (*runtime).add_task(body);
        let task = (*runtime).current();
        if let Some(name) = name {
            (*runtime).execution.name_task(task, name);
        }
        Runtime::switch(runtime, context);
        (*runtime).creator = null_mut();
        (*runtime).is_deciding = !(*runtime).is_tearing_down && !(*runtime).execution.is_relaxed();
        (*runtime).execution.set_running(creator);
        leave_if((*runtime).execution.outcome().is_some());
        Ok(task)
    }
}

impl Runtime {
    /// Makes a new task the current one, and answers its context. It is at its beginning, and a fiber
    /// is prepared for it.
    #[inline(never)]
    fn add_task(&mut self, body: Body<'static>) -> *mut Context {
        let creator = self.current();
        let task = self.execution.add_task(Some(creator));
        let fiber = &mut self.fibers[task.index()];
        fiber.body = Some(body);
        let context = &raw mut fiber.context;
        self.execution.set_handle(task, context as usize);
        self.execution.set_running(task);
        self.creator = self.context;
        self.is_deciding = false;
        context
    }
}
