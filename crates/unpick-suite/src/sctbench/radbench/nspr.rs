//! Bugs 4 to 6: the thread library NSPR.
//!
//! 4. A lock is made at its first use, without a lock: two tasks make one each, and unlock another one than they
//!    locked (Mozilla 354593). Not in SCTBench.
//! 5. Whoever interrupts a wait notifies the condition variable that the waiter has noted, which it does before it
//!    waits: the notification may come first, and the waiter waits for ever (Mozilla 165586). Not in SCTBench.
//! 6. A reader-writer lock lets no reader in while a writer waits, not even one that is in already: deadlock
//!    (Mozilla 526805).

use super::{Library, unpublished};
use crate::published::rows::RADBENCH_BUG6;
use crate::sctbench::with_twin;
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use unpick::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use unpick::sync::{Condvar, Mutex};

pub(crate) const PROGRAM_4: Program = unpublished(
    "radbench.bug4",
    "thread library: a lock that is made at its first use",
    "two tasks can make the lock, and both are in the critical section",
    &[Parameter::twin("0 makes the lock before the tasks")],
    make_lock_twice,
);

pub(crate) const PROGRAM_5: Program = unpublished(
    "radbench.bug5",
    "thread library: a wait is interrupted",
    "the interruption can come between noting the wait and waiting",
    &[Parameter::twin("0 interrupts under the lock of the waiter")],
    interrupt_too_early,
);

pub(crate) const PROGRAM_6: Program = with_twin(
    &RADBENCH_BUG6,
    "thread library: a reader enters a reader-writer lock again",
    "a writer that waits keeps out the reader it waits for",
    &[Parameter::twin("0 lets in readers while a writer waits")],
    enter_again,
);

fn make_lock_twice(arguments: &Arguments) {
    const NONE: usize = usize::MAX;
    struct Clock {
        locks: [Mutex<()>; 2],
        current: AtomicUsize,
        inside: AtomicUsize,
    }
    let is_faulty = arguments.is_on("bug");
    let clock = Arc::new(Clock {
        locks: Default::default(),
        current: AtomicUsize::new(if is_faulty { NONE } else { 0 }),
        inside: AtomicUsize::new(0),
    });
    let library = Library::default();
    let tasks: [_; 2] = std::array::from_fn(|me| {
        let clock = clock.clone();
        library.create(move || {
            if clock.current.load(SeqCst) == NONE {
                clock.current.store(me, SeqCst);
            }
            let lock = &clock.locks[clock.current.load(SeqCst)];
            let guard = lock.lock().unwrap();
            let inside = clock.inside.fetch_add(1, SeqCst) + 1;
            assert!(inside == 1, "two tasks are in the critical section");
            clock.inside.fetch_sub(1, SeqCst);
            drop(guard);
        })
    });
    for task in tasks {
        task.join().unwrap();
    }
}

fn interrupt_too_early(arguments: &Arguments) {
    #[derive(Default)]
    struct Waiter {
        lock: Mutex<bool>,
        condition: Condvar,
        is_noted: AtomicBool,
        is_interrupted: AtomicBool,
    }
    let is_locked = !arguments.is_on("bug");
    let (waiter, library) = (Arc::new(Waiter::default()), Library::default());
    let own = waiter.clone();
    let waiting = library.create(move || {
        let guard = own.lock.lock().unwrap();
        own.is_noted.store(true, SeqCst);
        if !own.is_interrupted.load(SeqCst) {
            let guard = own.condition.wait(guard).unwrap();
            own.is_noted.store(false, SeqCst);
            drop(guard);
        } else {
            own.is_noted.store(false, SeqCst);
            drop(guard);
        }
    });
    let interrupting = library.create(move || {
        let guard = is_locked.then(|| waiter.lock.lock().unwrap());
        waiter.is_interrupted.store(true, SeqCst);
        if waiter.is_noted.load(SeqCst) {
            waiter.condition.notify_all();
        }
        drop(guard);
    });
    waiting.join().unwrap();
    interrupting.join().unwrap();
}

#[derive(Default)]
struct ReadersWriter {
    inside: Mutex<Inside>,
    readers: Condvar,
    writers: Condvar,
    lets_readers_in: bool,
}

#[derive(Default)]
struct Inside {
    /// Readers, or -1 for a writer.
    count: i32,
    waiting_writers: u32,
}

impl ReadersWriter {
    fn read(&self) {
        let mut inside = self.inside.lock().unwrap();
        while inside.count < 0 || (inside.waiting_writers > 0 && !self.lets_readers_in) {
            inside = self.readers.wait(inside).unwrap();
        }
        inside.count += 1;
        drop(inside);
    }

    fn write(&self) {
        let mut inside = self.inside.lock().unwrap();
        while inside.count != 0 {
            inside.waiting_writers += 1;
            inside = self.writers.wait(inside).unwrap();
            inside.waiting_writers -= 1;
        }
        inside.count = -1;
        drop(inside);
    }

    fn unlock(&self) {
        let mut inside = self.inside.lock().unwrap();
        inside.count = if inside.count < 0 {
            0
        } else {
            inside.count - 1
        };
        if inside.count == 0 {
            match inside.waiting_writers > 0 {
                true => self.writers.notify_one(),
                false => self.readers.notify_all(),
            }
        }
        drop(inside);
    }
}

fn enter_again(arguments: &Arguments) {
    let lock = Arc::new(ReadersWriter {
        lets_readers_in: !arguments.is_on("bug"),
        ..ReadersWriter::default()
    });
    let library = Library::default();
    let own = lock.clone();
    let reader = library.create(move || {
        own.read();
        own.read();
        own.unlock();
        own.unlock();
    });
    let writer = library.create(move || {
        lock.write();
        lock.unlock();
    });
    reader.join().unwrap();
    writer.join().unwrap();
}
