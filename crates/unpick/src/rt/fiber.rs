//! Fibers: one for each task number, kept from execution to execution.

use super::context::Context;
use super::local::Locals;
use super::packet::Body;
use super::runtime::fiber_main;
use std::io;

/// A context in which tasks run, one an execution. Between executions it waits for its next task.
pub(super) struct Fiber {
    pub context: Context,
    /// What to run next; the test's own body is not kept here.
    pub body: Option<Body<'static>>,
    /// The thread-locals of its task.
    pub locals: Locals,
    /// Whether something of a task is left on its stack for good, so that it must not run again.
    pub is_lost: bool,
    stack_size: usize,
}

impl Fiber {
    /// Fiber number `number`, which runs a task of the current runtime each time it is switched to while
    /// idle.
    pub fn new(stack_size: usize, number: usize) -> io::Result<Box<Fiber>> {
        Ok(Box::new(Fiber {
            context: Context::new(stack_size, number, fiber_main)?,
            body: None,
            locals: Locals::default(),
            is_lost: false,
            stack_size,
        }))
    }

    pub fn stack_size(&self) -> usize {
        self.stack_size
    }
}
