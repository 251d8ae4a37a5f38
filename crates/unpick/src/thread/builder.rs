//! Tasks with a name or a stack of their own size.

use super::handle::JoinHandle;
use super::scope::ScopedJoinHandle;
use crate::rt::{self, Scope};
use std::io;
use std::sync::Arc;

/// Sets the properties of a new task, as [`std::thread::Builder`].
///
/// Inside an exploration a stack is at least as large as
/// [`Config::stack_size`](crate::Config::stack_size) says.
#[derive(Debug, Default)]
#[must_use = "must eventually spawn the thread"]
pub struct Builder {
    name: Option<String>,
    stack_size: Option<usize>,
}

impl Builder {
    /// A task without a name.
    pub fn new() -> Builder {
        Builder::default()
    }

    /// Names the task, for reports and for [`Thread::name`](super::Thread::name).
    pub fn name(mut self, name: String) -> Builder {
        self.name = Some(name);
        self
    }

    /// Sets the size of the stack in bytes.
    pub fn stack_size(mut self, size: usize) -> Builder {
        self.stack_size = Some(size);
        self
    }

    /// Creates the task.
    #[track_caller]
    pub fn spawn<F, T>(self, f: F) -> io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        if !rt::is_in_task() {
            return self.outside().spawn(f).map(JoinHandle::of_thread);
        }
        let name = self.checked_name();
        let (body, crop) = rt::packet(f);
        let task = rt::spawn(body, name.as_deref(), self.stack_size)?;
        Ok(JoinHandle::of_task(task, name, crop))
    }

    /// Creates the task in a scope.
    #[track_caller]
    pub fn spawn_scoped<'scope, 'env, F, T>(
        self,
        scope: &'scope Scope<'scope, 'env>,
        f: F,
    ) -> io::Result<ScopedJoinHandle<'scope, T>>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        ScopedJoinHandle::spawn(self, scope, f)
    }

    /// The same properties for a thread.
    pub(crate) fn outside(self) -> std::thread::Builder {
        let mut builder = std::thread::Builder::new();
        if let Some(name) = self.name {
            builder = builder.name(name);
        }
        if let Some(size) = self.stack_size {
            builder = builder.stack_size(size);
        }
        builder
    }

    /// The name, which could not be given to a thread if it held a zero byte.
    #[track_caller]
    pub(crate) fn checked_name(&self) -> Option<Arc<str>> {
        let name = self.name.as_deref()?;
        assert!(
            !name.contains('\0'),
            "thread name may not contain interior null bytes: {name:?}"
        );
        Some(Arc::from(name))
    }

    pub(crate) fn stack_bytes(&self) -> Option<usize> {
        self.stack_size
    }
}
