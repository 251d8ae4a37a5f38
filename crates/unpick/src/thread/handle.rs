//! Creating tasks, waiting for them, and naming them.

use crate::rt::{self, Crop};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::Result;
use unpick_trace::{OpKind, TaskId};

/// A unique name of a running task or thread, as [`std::thread::ThreadId`].
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ThreadId(Identity);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Identity {
    Thread(std::thread::ThreadId),
    /// A task of the execution with this stamp.
    Task(u64, TaskId),
}

impl fmt::Debug for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Identity::Thread(id) => id.fmt(f),
            Identity::Task(_, task) => write!(f, "ThreadId({task})"),
        }
    }
}

/// A handle to a task or thread, as [`std::thread::Thread`].
#[derive(Clone)]
pub struct Thread {
    kind: ThreadKind,
}

#[derive(Clone)]
enum ThreadKind {
    Thread(std::thread::Thread),
    Task {
        stamp: u64,
        task: TaskId,
        name: Option<Arc<str>>,
    },
}

impl Thread {
    #[inline]
    pub(crate) fn of_task(task: TaskId, name: Option<Arc<str>>) -> Thread {
        Thread {
            kind: ThreadKind::Task {
                stamp: rt::stamp(),
                task,
                name,
            },
        }
    }

    /// A task without a name of the execution with this stamp.
    pub(crate) fn of_unnamed_task(stamp: u64, task: TaskId) -> Thread {
        Thread {
            kind: ThreadKind::Task {
                stamp,
                task,
                name: None,
            },
        }
    }

    pub(crate) fn of_thread(thread: &std::thread::Thread) -> Thread {
        Thread {
            kind: ThreadKind::Thread(thread.clone()),
        }
    }

    /// The task, if it is one of the execution that the caller belongs to.
    #[inline]
    fn of_this_execution(&self) -> Option<TaskId> {
        match &self.kind {
            ThreadKind::Task { stamp, task, .. } if *stamp == rt::stamp() => Some(*task),
            _ => None,
        }
    }

    /// The identifier of the thread.
    pub fn id(&self) -> ThreadId {
        ThreadId(match &self.kind {
            ThreadKind::Thread(thread) => Identity::Thread(thread.id()),
            ThreadKind::Task { stamp, task, .. } => Identity::Task(*stamp, *task),
        })
    }

    /// The name given to the thread.
    pub fn name(&self) -> Option<&str> {
        match &self.kind {
            ThreadKind::Thread(thread) => thread.name(),
            ThreadKind::Task { task, name, .. } => match name {
                Some(name) => Some(name),
                None if *task == TaskId::MAIN => Some("main"),
                None => None,
            },
        }
    }

    /// Waits for the end of a task of this execution. Not in std: whoever knows the task can wait, more
    /// than once, and learns nothing of its result. Returns at once for threads and for tasks of others.
    #[track_caller]
    pub fn wait_for_end(&self) {
        if let Some(task) = self.of_this_execution() {
            rt::operate_on_task(OpKind::Join, false, task);
        }
    }

    /// Lets the thread's current or next `park` return.
    #[track_caller]
    pub fn unpark(&self) {
        match &self.kind {
            ThreadKind::Thread(thread) => thread.unpark(),
            ThreadKind::Task { .. } => {
                if let Some(task) = self.of_this_execution() {
                    rt::operate_on_task(OpKind::Unpark, false, task);
                }
            }
        }
    }
}

impl fmt::Debug for Thread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Thread")
            .field("id", &self.id())
            .field("name", &self.name())
            .finish_non_exhaustive()
    }
}

/// The calling task or thread.
pub fn current() -> Thread {
    match rt::current_task() {
        Some(task) => Thread::of_task(task, rt::task_name(task).map(Arc::from)),
        None => Thread::of_thread(&std::thread::current()),
    }
}

/// An owned permission to wait for the end of a task, as [`std::thread::JoinHandle`].
pub struct JoinHandle<T> {
    kind: JoinKind<T>,
}

/// Small enough to be handed around in registers.
enum JoinKind<T> {
    Thread(Box<(std::thread::JoinHandle<T>, Thread)>),
    Task(Crop<'static, T>),
}

impl<T> JoinHandle<T> {
    pub(crate) fn of_thread(handle: std::thread::JoinHandle<T>) -> JoinHandle<T> {
        let thread = Thread::of_thread(handle.thread());
        JoinHandle {
            kind: JoinKind::Thread(Box::new((handle, thread))),
        }
    }

    #[inline]
    pub(crate) fn of_task(
        task: TaskId,
        name: Option<Arc<str>>,
        crop: Crop<'static, T>,
    ) -> JoinHandle<T> {
        crop.set_task(task, name.map(|name| Thread::of_task(task, Some(name))));
        JoinHandle {
            kind: JoinKind::Task(crop),
        }
    }

    /// The task.
    pub fn thread(&self) -> &Thread {
        match &self.kind {
            JoinKind::Thread(pair) => &pair.1,
            JoinKind::Task(crop) => crop.thread(),
        }
    }

    /// Waits for the task to end and returns its result.
    #[inline(always)]
    #[track_caller]
    pub fn join(self) -> Result<T> {
        match self.kind {
            JoinKind::Thread(pair) => pair.0.join(),
            JoinKind::Task(crop) => crop.join(),
        }
    }

    /// Whether the task has ended.
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        match &self.kind {
            JoinKind::Thread(pair) => pair.0.is_finished(),
            JoinKind::Task(crop) => match crop.task() {
                Some(task) => rt::is_finished(task),
                None => true,
            },
        }
    }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle").finish_non_exhaustive()
    }
}

/// Creates a task and returns a handle to wait for it.
#[inline(always)]
#[track_caller]
pub fn spawn<F, T>(f: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    if !rt::is_in_task() {
        return JoinHandle::of_thread(std::thread::spawn(f));
    }
    let (body, crop) = rt::packet(f);
    let task = rt::spawn(body, None, None).expect("failed to spawn thread");
    JoinHandle::of_task(task, None, crop)
}

/// Creates several tasks in one visible operation, in this order. Not in std: for models in which
/// all tasks begin at once.
///
/// Outside an exploration the tasks are detached threads.
#[track_caller]
pub fn spawn_all(bodies: Vec<Box<dyn FnOnce() + Send + 'static>>) {
    if rt::is_in_task() {
        let bodies = bodies.into_iter().map(|body| rt::packet(body).0);
        rt::spawn_all(bodies).expect("failed to spawn thread");
    } else {
        for body in bodies {
            std::thread::spawn(|| {
                // A panic was reported by the hook; nobody joins.
                let _ = catch_unwind(AssertUnwindSafe(body));
            });
        }
    }
}
