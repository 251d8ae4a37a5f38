//! Keeps threads that explore from being taken for panicking.
//!
//! The standard library counts the panics that are under way on each thread, and lowers the count where
//! one is caught. A task whose stack is given up while it unwinds leaves the count of its thread raised:
//! the caller of an exploration would poison every lock from then on, and no other task could unwind.
//! Nothing but a caught panic lowers the count, so one is begun on another thread, which ends, and caught
//! on this one.

use corosensei::{Coroutine, CoroutineResult, Yielder};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread::{Builder, current, panicking, scope};

/// Runs `work` on this thread, or on another one if this one unwinds: tasks could not switch then.
pub(crate) fn on_fit_thread<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    if !panicking() {
        return work();
    }
    scope(|scope| match like_caller().spawn_scoped(scope, work) {
        Ok(worker) => worker
            .join()
            .unwrap_or_else(|payload| resume_unwind(payload)),
        Err(error) => panic!("cannot start a thread to explore on: {error}"),
    })
}

/// Starts threads with the name of this one.
pub(crate) fn like_caller() -> Builder {
    match current().name() {
        Some(name) => Builder::new().name(name.to_string()),
        None => Builder::new(),
    }
}

/// Lowers the count of panics of this thread to zero. Nothing on its stack unwinds.
#[cold]
pub(super) fn settle() {
    while panicking() {
        let begun = scope(|scope| scope.spawn(begin_panic).join());
        let Ok(Begun(mut catcher)) = begun else {
            panic!("internal error: a panic was not suspended");
        };
        let end = catcher.resume(());
        assert!(
            matches!(end, CoroutineResult::Return(())),
            "internal error: a panic was not caught"
        );
    }
}

/// A panic that was begun on another thread and is suspended before it is caught.
struct Begun(Coroutine<(), (), ()>);

// SAFETY: nothing on its stack belongs to the thread that began it: a yielder, which knows the stack
// alone, and the state of the unwinder, which lies on that stack and on the heap.
unsafe impl Send for Begun {}

fn begin_panic() -> Begun {
    let mut catcher = Coroutine::new(|yielder: &Yielder<(), ()>, ()| {
        let unwound = catch_unwind(AssertUnwindSafe(|| {
            let _pause = Pause(yielder);
            resume_unwind(Box::new(()));
        }));
        debug_assert!(unwound.is_err());
    });
    let pause = catcher.resume(());
    assert!(
        matches!(pause, CoroutineResult::Yield(())),
        "internal error: a panic went past its pause"
    );
    Begun(catcher)
}

/// Suspends its coroutine in the middle of unwinding.
struct Pause<'a>(&'a Yielder<(), ()>);

impl Drop for Pause<'_> {
    fn drop(&mut self) {
        self.0.suspend(());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::forget;
    use std::thread::spawn;

    /// Gives up so many stacks that unwind.
    fn give_up(count: usize) {
        for _ in 0..count {
            // Its panic counts on this thread, and is caught on none.
            forget(begin_panic());
        }
    }

    #[test]
    fn a_thread_that_has_given_up_stacks_is_settled() {
        let settled = spawn(|| {
            give_up(2);
            assert!(panicking());
            settle();
            let is_settled = !panicking();
            let caught = catch_unwind(|| resume_unwind(Box::new(7_u8)));
            let payload = caught.expect_err("it panics");
            assert_eq!(payload.downcast_ref(), Some(&7_u8));
            is_settled && !panicking()
        });
        assert!(settled.join().expect("it ends as usual"));
    }

    #[test]
    fn work_is_done_here_unless_this_thread_unwinds() {
        struct AtEnd;
        impl Drop for AtEnd {
            fn drop(&mut self) {
                let here = current().id();
                let (there, is_fit) = on_fit_thread(|| (current().id(), !panicking()));
                assert!(there != here && is_fit);
            }
        }
        assert_eq!(on_fit_thread(|| current().id()), current().id());
        let unwound = catch_unwind(|| {
            let _at_end = AtEnd;
            resume_unwind(Box::new(7_u8));
        });
        assert_eq!(unwound.expect_err("it panics").downcast_ref(), Some(&7_u8));
    }

    #[test]
    fn a_thread_that_stands_in_has_the_name_of_its_caller() {
        let name = Builder::new()
            .name("caller".to_string())
            .spawn(|| {
                let start = like_caller();
                let named = start.spawn(|| current().name().map(str::to_string));
                named.expect("a thread can be started").join()
            })
            .expect("a thread can be started")
            .join();
        let name = name.expect("it does not panic").expect("neither does this");
        assert_eq!(name.as_deref(), Some("caller"));
    }
}
