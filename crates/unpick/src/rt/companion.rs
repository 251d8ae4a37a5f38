//! A thread beside each thread that explores, to run the executions on.
//!
//! An execution that is torn down can leave its thread unfit for anything else, and the caller must not
//! suffer from that. To start a thread takes longer than a short exploration, so the companion of a
//! caller is kept for its next one, and ends with the caller.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, current};

thread_local! {
    /// The companion of this thread, while it has nothing to do.
    static KEPT: Cell<Option<Companion>> = const { Cell::new(None) };
}

/// Runs `work` on the companion of this thread, which has the name and the captured output of this one.
pub(crate) fn on_own_thread<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let mut work = Some(work);
    let mut result: Option<Result<T, Box<dyn Any + Send>>> = None;
    let mut task = || {
        let work = work.take().expect("internal error: work is done twice");
        result = Some(catch_unwind(AssertUnwindSafe(work)));
    };
    // A thread that ends has no place to keep one any more.
    let kept = KEPT.try_with(Cell::take).ok().flatten();
    let companion = kept.unwrap_or_else(Companion::start);
    if companion.run(&mut task) {
        let _ = KEPT.try_with(|kept| kept.set(Some(companion)));
    }
    match result.expect("internal error: work is not done") {
        Ok(value) => value,
        Err(payload) => resume_unwind(payload),
    }
}

/// Starts threads with the name of this one.
pub(crate) fn like_caller() -> Builder {
    match current().name() {
        Some(name) => Builder::new().name(name.to_string()),
        None => Builder::new(),
    }
}

/// Work of a caller that waits for its end.
struct Task(*mut (dyn FnMut() + Send + 'static));

// SAFETY: what it points to may be sent, and the caller does not touch it meanwhile.
unsafe impl Send for Task {}

struct Companion {
    tasks: SyncSender<Task>,
    /// After each task, whether the thread is fit for another one.
    ends: Receiver<bool>,
}

impl Companion {
    fn start() -> Companion {
        let (tasks, next) = sync_channel::<Task>(1);
        let (end, ends) = sync_channel(1);
        let live = move || {
            while let Ok(Task(task)) = next.recv() {
                // SAFETY: the caller keeps it alive until it is told of the end, and does not touch it.
                unsafe { (*task)() };
                let is_fit = !std::thread::panicking();
                if end.send(is_fit).is_err() || !is_fit {
                    return;
                }
            }
        };
        if let Err(error) = like_caller().spawn(live) {
            panic!("cannot start a thread to explore on: {error}");
        }
        Companion { tasks, ends }
    }

    /// Runs a task, which does not unwind, and answers whether the thread is fit for another one.
    fn run(&self, task: &mut (dyn FnMut() + Send)) -> bool {
        let task: *mut (dyn FnMut() + Send + '_) = task;
        // SAFETY: only the lifetime changes; the thread is done with it before this call ends: either it
        // tells so, or it is gone.
        let task: *mut (dyn FnMut() + Send + 'static) = unsafe { std::mem::transmute(task) };
        self.tasks.send(Task(task)).is_ok() && self.ends.recv().unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread::spawn;

    #[test]
    fn a_caller_keeps_its_companion_and_has_it_to_itself() {
        let first = on_own_thread(|| current().id());
        assert_ne!(first, current().id());
        assert_eq!(on_own_thread(|| current().id()), first);
        let inner = on_own_thread(|| on_own_thread(|| current().id()));
        assert!(inner != first && inner != current().id());
        let other = spawn(|| on_own_thread(|| current().id())).join();
        assert_ne!(other.expect("it does not panic"), first);
    }

    #[test]
    fn a_panic_goes_on_in_the_caller() {
        let result = catch_unwind(|| on_own_thread(|| resume_unwind(Box::new(7_u8))));
        let payload = result.expect_err("it panics");
        assert_eq!(payload.downcast_ref(), Some(&7_u8));
        assert!(!std::thread::panicking());
        assert_eq!(on_own_thread(|| 8), 8);
    }

    #[test]
    fn a_companion_has_the_name_of_its_caller() {
        let name = Builder::new()
            .name("caller".to_string())
            .spawn(|| on_own_thread(|| current().name().map(str::to_string)))
            .expect("a thread can be started")
            .join();
        assert_eq!(name.expect("it does not panic").as_deref(), Some("caller"));
    }
}
