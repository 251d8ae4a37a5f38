//! Tests that fail in a schedule only that holds a task up within a function of the standard library, or right before
//! one that comes compiled; each with its correct twin.

use std::cell::UnsafeCell;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::mpsc::{TryRecvError, channel};
use std::sync::{Arc, Barrier, Condvar, Mutex, Once, RwLock};
use std::thread;
use std::time::Duration;

/// A flag with all that is needed to wait for it.
#[derive(Default)]
struct Flag {
    is_set: AtomicBool,
    mutex: Mutex<()>,
    condvar: Condvar,
}

/// The flag is set without the mutex, so also between the look at it and the wait.
#[test]
fn wrong_condvar() {
    let flag = Arc::new(Flag::default());
    let other = flag.clone();
    let task = thread::spawn(move || {
        let mut guard = other.mutex.lock().unwrap();
        while !other.is_set.load(SeqCst) {
            guard = other.condvar.wait(guard).unwrap();
        }
    });
    flag.is_set.store(true, SeqCst);
    flag.condvar.notify_one();
    task.join().unwrap();
}

#[test]
fn right_condvar() {
    let flag = Arc::new(Flag::default());
    let other = flag.clone();
    let task = thread::spawn(move || {
        let mut guard = other.mutex.lock().unwrap();
        while !other.is_set.load(SeqCst) {
            guard = other.condvar.wait(guard).unwrap();
        }
    });
    let guard = flag.mutex.lock().unwrap();
    flag.is_set.store(true, SeqCst);
    drop(guard);
    flag.condvar.notify_all();
    task.join().unwrap();
}

#[test]
fn right_condvar_with_a_limit() {
    let flag = Arc::new(Flag::default());
    let other = flag.clone();
    let task = thread::spawn(move || {
        let guard = other.mutex.lock().unwrap();
        let limit = Duration::from_millis(5);
        let is_unset = |_: &mut ()| !other.is_set.load(SeqCst);
        let result = other.condvar.wait_timeout_while(guard, limit, is_unset);
        assert!(result.unwrap().1.timed_out() || other.is_set.load(SeqCst));
    });
    let guard = flag.mutex.lock().unwrap();
    flag.is_set.store(true, SeqCst);
    flag.condvar.notify_one();
    drop(guard);
    task.join().unwrap();
}

/// The token comes before what it tells of, and is used up.
#[test]
fn wrong_rwlock() {
    let value = Arc::new(RwLock::new(0));
    let other = value.clone();
    let task = thread::spawn(move || {
        while *other.read().unwrap() == 0 {
            thread::park();
        }
    });
    task.thread().unpark();
    *value.write().unwrap() = 1;
    task.join().unwrap();
}

#[test]
fn right_rwlock() {
    let value = Arc::new(RwLock::new(0));
    let other = value.clone();
    let task = thread::spawn(move || {
        while *other.read().unwrap() == 0 {
            thread::park();
        }
    });
    *value.write().unwrap() = 1;
    task.thread().unpark();
    task.join().unwrap();
}

/// A writer that waits keeps new readers out, also one that reads already.
#[test]
fn wrong_reader_within_a_reader() {
    let value = Arc::new(RwLock::new(0));
    let other = value.clone();
    let task = thread::spawn(move || *other.write().unwrap() += 1);
    let outer = value.read().unwrap();
    let inner = value.read().unwrap();
    drop((outer, inner));
    task.join().unwrap();
}

#[test]
fn right_reader_after_a_reader() {
    let value = Arc::new(RwLock::new(0));
    let other = value.clone();
    let task = thread::spawn(move || *other.write().unwrap() += 1);
    let first = *value.read().unwrap();
    let second = *value.read().unwrap();
    assert!(first <= second);
    task.join().unwrap();
}

/// The reader gives the lock up before it becomes a writer.
#[test]
fn wrong_upgrade() {
    fn fill(value: &RwLock<Option<u32>>, number: u32) {
        let is_missing = value.read().unwrap().is_none();
        if is_missing {
            let before = value.write().unwrap().replace(number);
            assert_eq!(before, None);
        }
    }
    let value = Arc::new(RwLock::new(None));
    let other = value.clone();
    let task = thread::spawn(move || fill(&other, 1));
    fill(&value, 2);
    task.join().unwrap();
}

#[test]
fn right_upgrade() {
    fn fill(value: &RwLock<Option<u32>>, number: u32) -> u32 {
        let is_missing = value.read().unwrap().is_none();
        match is_missing {
            true => *value.write().unwrap().get_or_insert(number),
            false => value.read().unwrap().unwrap(),
        }
    }
    let value = Arc::new(RwLock::new(None));
    let other = value.clone();
    let task = thread::spawn(move || fill(&other, 1));
    let mine = fill(&value, 2);
    assert_eq!(task.join().unwrap(), mine);
}

/// A writer that becomes a reader lets others read, also if a writer waits.
#[test]
fn right_downgrade() {
    let value = Arc::new(RwLock::new(0));
    let tasks = [0, 1].map(|number| {
        let value = value.clone();
        thread::spawn(move || match number {
            0 => assert_ne!(*value.read().unwrap(), 1),
            _ => *value.write().unwrap() += 2,
        })
    });
    let mut guard = value.write().unwrap();
    *guard += 1;
    *guard += 1;
    let guard = std::sync::RwLockWriteGuard::downgrade(guard);
    assert!([2, 4].contains(&*guard));
    drop(guard);
    for task in tasks {
        task.join().unwrap();
    }
}

/// Who sees what the routine does last may come before it is completed.
#[test]
fn wrong_once() {
    static ONCE: Once = Once::new();
    static FLAG: AtomicBool = AtomicBool::new(false);
    let task = thread::spawn(|| ONCE.call_once(|| FLAG.store(true, SeqCst)));
    if FLAG.load(SeqCst) {
        assert!(ONCE.is_completed());
    }
    task.join().unwrap();
}

#[test]
fn right_once() {
    static ONCE: Once = Once::new();
    static FLAG: AtomicBool = AtomicBool::new(false);
    let task = thread::spawn(|| ONCE.call_once(|| FLAG.store(true, SeqCst)));
    if FLAG.load(SeqCst) {
        ONCE.wait();
        assert!(ONCE.is_completed());
    }
    task.join().unwrap();
}

/// The token is given within the routine, before it is completed.
#[test]
fn wrong_wait_for_once() {
    static ONCE: Once = Once::new();
    let waiter = thread::current();
    let task = thread::spawn(move || ONCE.call_once(|| waiter.unpark()));
    while !ONCE.is_completed() {
        thread::park();
    }
    task.join().unwrap();
}

#[test]
fn right_wait_for_once() {
    static ONCE: Once = Once::new();
    let waiter = thread::current();
    let task = thread::spawn(move || {
        ONCE.call_once(|| ());
        waiter.unpark();
    });
    while !ONCE.is_completed() {
        thread::park();
    }
    task.join().unwrap();
}

/// Each routine needs what the other one makes.
#[test]
fn wrong_two_onces() {
    static FIRST: Once = Once::new();
    static SECOND: Once = Once::new();
    let task = thread::spawn(|| FIRST.call_once(|| SECOND.call_once(|| ())));
    SECOND.call_once(|| FIRST.call_once(|| ()));
    task.join().unwrap();
}

#[test]
fn right_two_onces() {
    static FIRST: Once = Once::new();
    static SECOND: Once = Once::new();
    let task = thread::spawn(|| FIRST.call_once(|| SECOND.call_once(|| ())));
    FIRST.call_once(|| SECOND.call_once(|| ()));
    task.join().unwrap();
}

/// The first call panics, and whoever comes next is told so.
#[test]
fn right_poisoned_once() {
    static ONCE: Once = Once::new();
    let task = thread::spawn(|| ONCE.call_once(|| panic!("expected")));
    let is_told = std::panic::catch_unwind(|| ONCE.call_once(|| ())).is_err();
    let is_panic = task.join().is_err();
    assert!(is_panic || !is_told);
    ONCE.call_once_force(|_| ());
    assert!(ONCE.is_completed());
}

/// Two tokens that come before the first one is taken are one.
#[test]
fn wrong_park() {
    let task = thread::spawn(|| {
        thread::park();
        thread::park();
    });
    task.thread().unpark();
    task.thread().unpark();
    task.join().unwrap();
}

#[test]
fn right_park() {
    let flags = Arc::new([AtomicBool::new(false), AtomicBool::new(false)]);
    let other = flags.clone();
    let task = thread::spawn(move || {
        for flag in &*other {
            while !flag.load(SeqCst) {
                thread::park();
            }
        }
    });
    for flag in &*flags {
        flag.store(true, SeqCst);
        task.thread().unpark();
    }
    task.join().unwrap();
}

/// What was done before a token was given is done when it is taken.
#[test]
fn right_handed_over() {
    struct Shared(UnsafeCell<u32>);
    // SAFETY: the token orders its uses.
    unsafe impl Sync for Shared {}
    static SHARED: Shared = Shared(UnsafeCell::new(0));
    let task = thread::spawn(|| {
        thread::park();
        // SAFETY: as above.
        assert_eq!(unsafe { *SHARED.0.get() }, 7);
    });
    // SAFETY: as above.
    unsafe { *SHARED.0.get() = 7 };
    task.thread().unpark();
    task.join().unwrap();
}

/// A wait for a message parks too, and takes the token that was meant for what follows.
#[test]
fn wrong_mpsc() {
    let (sender, receiver) = channel();
    let task = thread::spawn(move || {
        receiver.recv().unwrap();
        thread::park();
    });
    task.thread().unpark();
    sender.send(1).unwrap();
    task.join().unwrap();
}

#[test]
fn right_mpsc() {
    let (sender, receiver) = channel();
    let flag = Arc::new(AtomicBool::new(false));
    let other = flag.clone();
    let task = thread::spawn(move || {
        receiver.recv().unwrap();
        while !other.load(SeqCst) {
            thread::park();
        }
    });
    flag.store(true, SeqCst);
    task.thread().unpark();
    sender.send(1).unwrap();
    task.join().unwrap();
}

/// The last sender may go between the two looks.
#[test]
fn wrong_second_look() {
    let (sender, receiver) = channel::<u32>();
    let task = thread::spawn(move || drop(sender));
    if receiver.try_recv() == Err(TryRecvError::Empty) {
        receiver.recv().unwrap();
    }
    task.join().unwrap();
}

#[test]
fn right_second_look() {
    let (sender, receiver) = channel::<u32>();
    let task = thread::spawn(move || drop(sender));
    if receiver.try_recv() == Err(TryRecvError::Empty) {
        assert!(receiver.recv().is_err());
    }
    task.join().unwrap();
}

/// A barrier of two lets the first two pass, whoever they are.
#[test]
fn wrong_barrier() {
    let barrier = Arc::new(Barrier::new(2));
    let other = barrier.clone();
    let task = thread::spawn(move || other.wait().is_leader());
    assert!(!barrier.wait().is_leader());
    assert!(task.join().unwrap());
}

#[test]
fn right_barrier() {
    let barrier = Arc::new(Barrier::new(2));
    let other = barrier.clone();
    let task = thread::spawn(move || other.wait().is_leader());
    let is_leader = barrier.wait().is_leader();
    assert_ne!(task.join().unwrap(), is_leader);
}

/// The last task of a scope is counted before its end is seen.
#[test]
fn right_scope() {
    let flag = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| flag.store(true, SeqCst));
        scope.spawn(|| flag.load(SeqCst));
    });
    assert!(flag.load(SeqCst));
}
