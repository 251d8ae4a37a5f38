//! Handles of tasks in a scope. The scope itself is [`crate::rt::Scope`].

use super::Builder;
use super::handle::{Thread, current};
use crate::rt::{self, Crop, Scope, ScopeKind, ScopedTasks};
use std::fmt;
use std::io;
use std::thread::Result;
use unpick_trace::TaskId;

impl<'scope> Scope<'scope, '_> {
    /// Creates a task that may borrow what outlives the scope.
    #[track_caller]
    pub fn spawn<F, T>(&'scope self, f: F) -> ScopedJoinHandle<'scope, T>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        Builder::new()
            .spawn_scoped(self, f)
            .expect("failed to spawn thread")
    }
}

/// An owned permission to wait for a task of a scope, as [`std::thread::ScopedJoinHandle`].
pub struct ScopedJoinHandle<'scope, T> {
    thread: Thread,
    kind: HandleKind<'scope, T>,
}

enum HandleKind<'scope, T> {
    Thread(std::thread::ScopedJoinHandle<'scope, T>),
    Task {
        /// `None` if its body was run in place.
        task: Option<TaskId>,
        tasks: &'scope ScopedTasks,
        crop: Crop<'scope, T>,
    },
}

impl<'scope, T> ScopedJoinHandle<'scope, T> {
    #[track_caller]
    pub(super) fn spawn<'env, F>(
        builder: Builder,
        scope: &'scope Scope<'scope, 'env>,
        f: F,
    ) -> io::Result<ScopedJoinHandle<'scope, T>>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        match scope.kind() {
            ScopeKind::Threads(threads) => {
                let handle = builder.outside().spawn_scoped(threads, f)?;
                Ok(ScopedJoinHandle {
                    thread: Thread::of_thread(handle.thread()),
                    kind: HandleKind::Thread(handle),
                })
            }
            ScopeKind::Tasks(tasks) => {
                let name = builder.checked_name();
                let (body, crop) = rt::packet(f);
                let task = scope.spawn_task(body, name.as_deref(), builder.stack_bytes())?;
                Ok(ScopedJoinHandle {
                    thread: match task {
                        Some(task) => Thread::of_task(task, name),
                        None => current(),
                    },
                    kind: HandleKind::Task { task, tasks, crop },
                })
            }
        }
    }

    /// The task.
    #[must_use]
    pub fn thread(&self) -> &Thread {
        &self.thread
    }

    /// Waits for the task to end and returns its result.
    #[track_caller]
    pub fn join(self) -> Result<T> {
        match self.kind {
            HandleKind::Thread(handle) => handle.join(),
            HandleKind::Task { task, tasks, crop } => {
                if let Some(task) = task {
                    tasks.join(task);
                }
                // Empty only while an execution is torn down: the task never came to its end.
                crop.take().unwrap_or_else(|| rt::abandon())
            }
        }
    }

    /// Whether the task has ended.
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        match &self.kind {
            HandleKind::Thread(handle) => handle.is_finished(),
            HandleKind::Task { task: None, .. } => true,
            HandleKind::Task {
                task: Some(task), ..
            } => rt::is_finished(*task),
        }
    }
}

impl<T> fmt::Debug for ScopedJoinHandle<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScopedJoinHandle").finish_non_exhaustive()
    }
}
