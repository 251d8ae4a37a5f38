//! Tasks that borrow from their creator.
//!
//! A scope gives out references with a lifetime that the compiler takes for long enough, and must
//! see to it that it is. Invariant: [`scope`] is left, by return or by unwinding, only when every
//! task of the scope has ended:
//! - While the execution goes on, `scope` joins each task before it returns. A panic of its closure
//!   is caught first and goes on afterwards, so that the tasks are joined then, too.
//! - An execution that is over ends its tasks youngest first. A task of a scope is younger than the
//!   owner of the scope, whichever task spawned it, so when the owner is told to unwind, the tasks
//!   of the scope have ended: they were unwound, or their stacks were given up for good.
//! - While a task unwinds from a panic of its own no other task runs, so that a scope that is opened
//!   then (by a destructor) could not wait for its tasks. It runs them in place instead.

use super::packet::{Body, packet};
use super::spawn::spawn;
use super::task::{current_task, operate_on_task, stamp};
use crate::thread::{Builder, JoinHandle};
use std::cell::OnceCell;
use std::fmt;
use std::io;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};
use unpick_trace::{OpKind, TaskId};

/// A scope for tasks that borrow, as [`std::thread::Scope`].
pub struct Scope<'scope, 'env: 'scope> {
    kind: ScopeKind<'scope, 'env>,
    /// Both lifetimes are invariant, as in std: neither may be shortened by the caller.
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

pub(crate) enum ScopeKind<'scope, 'env: 'scope> {
    /// Of threads, outside an exploration.
    Threads(&'scope std::thread::Scope<'scope, 'env>),
    /// Of tasks.
    Tasks(ScopedTasks),
}

/// The tasks of a scope.
pub(crate) struct ScopedTasks {
    stamp: u64,
    /// Whether the tasks run in place.
    is_in_place: bool,
    /// The tasks that nobody has joined yet, in order of creation.
    pending: Mutex<Vec<TaskId>>,
}

impl ScopedTasks {
    fn pending(&self) -> MutexGuard<'_, Vec<TaskId>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Panics if the caller is not a task of the execution that the scope belongs to.
    #[track_caller]
    fn check(&self) {
        assert!(
            self.stamp == stamp(),
            "a scope that was made inside an exploration is used by a thread outside of it; spawn \
             and join only from tasks"
        );
    }

    /// Waits for a task of this scope.
    #[track_caller]
    pub fn join(&self, task: TaskId) {
        self.check();
        operate_on_task(OpKind::Join, false, task);
        self.pending().retain(|other| *other != task);
    }

    /// Waits for all tasks that nobody has joined, and for those that they create meanwhile.
    #[track_caller]
    fn join_all(&self) {
        loop {
            let first = self.pending().first().copied();
            match first {
                Some(task) => self.join(task),
                None => return,
            }
        }
    }
}

/// Creates a scope for tasks that borrow from the caller, and waits for all of them.
#[track_caller]
pub fn scope<'env, F, T>(f: F) -> T
where
    F: for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T,
{
    if current_task().is_none() {
        return scope_of_threads(f);
    }
    let scope = Scope {
        kind: ScopeKind::Tasks(ScopedTasks {
            stamp: stamp(),
            is_in_place: std::thread::panicking(),
            pending: Mutex::new(Vec::new()),
        }),
        scope: PhantomData,
        env: PhantomData,
    };
    let result = catch_unwind(AssertUnwindSafe(|| f(&scope)));
    if let ScopeKind::Tasks(tasks) = &scope.kind {
        tasks.join_all();
    }
    match result {
        Ok(value) => value,
        Err(payload) => resume_unwind(payload),
    }
}

fn scope_of_threads<'env, F, T>(f: F) -> T
where
    F: for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T,
{
    // Lives in this frame, because the threads may use it until the standard scope has ended, which
    // is after its closure has.
    let place: OnceCell<Scope<'static, 'static>> = OnceCell::new();
    std::thread::scope(|threads| {
        // SAFETY: only lifetimes change. What they become is not used: the scope is handed out with
        // the right ones below, and `place` has no destructor that could use it.
        let threads = unsafe {
            std::mem::transmute::<
                &std::thread::Scope<'_, 'env>,
                &'static std::thread::Scope<'static, 'static>,
            >(threads)
        };
        let scope = place.get_or_init(|| Scope {
            kind: ScopeKind::Threads(threads),
            scope: PhantomData,
            env: PhantomData,
        });
        // SAFETY: only lifetimes change, back to those of the standard scope. `place` outlives it.
        f(unsafe { std::mem::transmute::<&Scope<'static, 'static>, &Scope<'_, 'env>>(scope) })
    })
}

impl<'scope, 'env> Scope<'scope, 'env> {
    pub(crate) fn kind(&'scope self) -> &'scope ScopeKind<'scope, 'env> {
        &self.kind
    }

    /// Creates a task of this scope. `None` means that the body was run in place.
    ///
    /// # Panics
    /// If the scope is one of threads, or one of tasks that do not include the caller.
    #[track_caller]
    pub(crate) fn spawn_task(
        &'scope self,
        body: Body<'scope>,
        name: Option<&str>,
        stack_size: Option<usize>,
    ) -> io::Result<Option<TaskId>> {
        let ScopeKind::Tasks(tasks) = &self.kind else {
            panic!("internal error: a scope of threads cannot have tasks");
        };
        tasks.check();
        if tasks.is_in_place {
            // A second panic on top of the one that the task unwinds from would end the process.
            body.run_and_catch();
            return Ok(None);
        }
        // SAFETY: `scope` keeps what the body borrows until the task has ended: it joins every task
        // in `pending`, and see the head of this module for executions that are over.
        let task = unsafe { spawn_borrowing(body, name, stack_size) }?;
        tasks.pending().push(task);
        Ok(Some(task))
    }
}

impl fmt::Debug for Scope<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope").finish_non_exhaustive()
    }
}

/// Creates a task that borrows.
///
/// # Safety
/// What the task borrows outlives the task. An execution that is over ends its tasks youngest first.
#[track_caller]
unsafe fn spawn_borrowing(
    body: Body<'_>,
    name: Option<&str>,
    stack_size: Option<usize>,
) -> io::Result<TaskId> {
    // SAFETY: as the caller promises.
    spawn(unsafe { body.extend() }, name, stack_size)
}

impl Builder {
    /// Creates a task whose closure may borrow what is not known to live long enough.
    ///
    /// # Safety
    /// What the closure and its result borrow outlives the task.
    #[track_caller]
    pub unsafe fn spawn_unchecked<F, T>(self, f: F) -> io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T + Send,
        T: Send,
    {
        if current_task().is_none() {
            // SAFETY: as the caller promises.
            let handle = unsafe { self.outside().spawn_unchecked(f) };
            return handle.map(JoinHandle::of_thread);
        }
        let (body, crop) = packet(f);
        let name = self.checked_name();
        let stack_size = self.stack_bytes();
        // SAFETY: as the caller promises.
        let task = unsafe { spawn_borrowing(body, name.as_deref(), stack_size) }?;
        // SAFETY: as the caller promises.
        let crop = unsafe { crop.extend() };
        Ok(JoinHandle::of_task(task, name, crop))
    }
}
