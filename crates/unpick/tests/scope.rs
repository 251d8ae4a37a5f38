//! Scopes, names and builders of tasks under every schedule.

#[path = "answers/every_schedule.rs"]
mod answers;

use answers::{answers, assert_deadlocks, assert_fails, outlives_failures};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicUsize as PlainUsize;
use std::sync::{Arc as StdArc, Mutex as StdMutex};
use unpick::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use unpick::sync::{Arc, Condvar, Mutex, mpsc};
use unpick::trace::{FailureKind, Outcome};
use unpick::{Config, explore, thread};

#[test]
fn tasks_of_a_scope_borrow_and_give_results() {
    let seen = answers(|| {
        let values = [1, 2, 3];
        let mut changed = 0;
        let total = AtomicUsize::new(0);
        let sum = thread::scope(|scope| {
            let first = scope.spawn(|| {
                total.fetch_add(values[0], SeqCst);
                values.len()
            });
            scope.spawn(|| {
                changed = values[1];
                total.fetch_add(values[2], SeqCst);
            });
            first.join().unwrap() + total.load(SeqCst)
        });
        (sum, changed, total.into_inner())
    });
    assert_eq!(seen, BTreeSet::from([(4, 2, 4), (7, 2, 4)]));
}

#[test]
fn a_scope_waits_for_tasks_that_its_tasks_create() {
    let seen = answers(|| {
        let order = Mutex::new(Vec::new());
        thread::scope(|scope| {
            scope.spawn(|| {
                scope.spawn(|| order.lock().unwrap().push(2));
                order.lock().unwrap().push(1);
            });
        });
        order.into_inner().unwrap()
    });
    assert_eq!(seen, BTreeSet::from([vec![1, 2], vec![2, 1]]));
}

#[test]
fn scopes_nest() {
    let seen = answers(|| {
        let count = AtomicUsize::new(0);
        thread::scope(|outer| {
            outer.spawn(|| {
                let local = AtomicUsize::new(0);
                thread::scope(|inner| {
                    inner.spawn(|| local.fetch_add(1, SeqCst));
                    inner.spawn(|| local.fetch_add(1, SeqCst));
                });
                count.fetch_add(local.into_inner(), SeqCst);
            });
        });
        count.into_inner()
    });
    assert_eq!(seen, BTreeSet::from([2]));
}

#[test]
fn a_panic_of_the_closure_waits_for_the_tasks_and_goes_on() {
    let seen = answers(|| {
        let done = AtomicUsize::new(0);
        let end = catch_unwind(AssertUnwindSafe(|| {
            thread::scope(|scope| {
                scope.spawn(|| done.fetch_add(1, SeqCst));
                panic!("in the closure");
            })
        }));
        let payload = end.expect_err("it panics");
        (*payload.downcast::<&str>().unwrap(), done.into_inner())
    });
    assert_eq!(seen, BTreeSet::from([("in the closure", 1)]));
}

#[test]
fn a_task_that_panics_fails_the_execution() {
    assert_fails(FailureKind::Panic, "in a task", || {
        let text = String::from("in a task");
        thread::scope(|scope| {
            scope.spawn(|| panic!("{text}"));
        });
    });
}

/// Stands on the stack of a scope's owner; tasks look whether it is still there.
struct Owned<'a> {
    is_alive: bool,
    ends: &'a PlainUsize,
}

impl Drop for Owned<'_> {
    fn drop(&mut self) {
        self.is_alive = false;
        self.ends.fetch_add(1, SeqCst);
    }
}

/// Looks at borrowed data when its task ends, however it ends.
struct Borrower<'a>(&'a Owned<'a>);

impl Drop for Borrower<'_> {
    fn drop(&mut self) {
        assert!(self.0.is_alive, "borrowed data died before its borrower");
    }
}

#[test]
fn borrowed_data_outlives_the_tasks_of_executions_that_fail() {
    let ends = Arc::new(PlainUsize::new(0));
    let count = Arc::clone(&ends);
    let (failures, schedules) = outlives_failures(move || {
        let owned = Owned {
            is_alive: true,
            ends: &count,
        };
        let locks = (Mutex::new(0), Mutex::new(0));
        thread::scope(|scope| {
            scope.spawn(|| {
                let _borrower = Borrower(&owned);
                let _first = locks.0.lock().unwrap();
                let _second = locks.1.lock().unwrap();
            });
            scope.spawn(|| {
                let _borrower = Borrower(&owned);
                thread::scope(|inner| {
                    inner.spawn(|| {
                        let _borrower = Borrower(&owned);
                        let _second = locks.1.lock().unwrap();
                        let _first = locks.0.lock().unwrap();
                    });
                });
            });
        });
    });
    assert!(failures < schedules, "{failures} of {schedules}");
    assert_eq!(
        ends.load(SeqCst) as u64,
        schedules,
        "an owner was not unwound"
    );
}

#[test]
fn a_panic_amid_scoped_tasks_leaves_nothing_behind() {
    let ends = Arc::new(PlainUsize::new(0));
    let count = Arc::clone(&ends);
    let (failures, schedules) = outlives_failures(move || {
        let owned = Owned {
            is_alive: true,
            ends: &count,
        };
        let value = AtomicUsize::new(0);
        thread::scope(|scope| {
            scope.spawn(|| {
                let _borrower = Borrower(&owned);
                value.store(1, SeqCst);
                value.store(2, SeqCst);
            });
            let _borrower = Borrower(&owned);
            assert_ne!(value.load(SeqCst), 1, "seen in between");
        });
    });
    assert!(failures < schedules, "{failures} of {schedules}");
    assert_eq!(
        ends.load(SeqCst) as u64,
        schedules,
        "an owner was not unwound"
    );
}

#[test]
fn a_task_that_will_not_unwind_is_given_up_before_its_owner_unwinds() {
    let ends = Arc::new(PlainUsize::new(0));
    let count = Arc::clone(&ends);
    let (failures, schedules) = outlives_failures(move || {
        let owned = Owned {
            is_alive: true,
            ends: &count,
        };
        let mutex = Mutex::new(());
        let _guard = mutex.lock().unwrap();
        thread::scope(|scope| {
            scope.spawn(|| {
                loop {
                    assert!(owned.is_alive, "borrowed data died before its borrower");
                    // Swallows what tells it to unwind.
                    let _ = catch_unwind(AssertUnwindSafe(|| drop(mutex.lock())));
                }
            });
        });
    });
    assert_eq!(failures, schedules);
    assert_eq!(
        ends.load(SeqCst) as u64,
        schedules,
        "an owner was not unwound"
    );
}

#[test]
fn a_thread_outside_cannot_use_a_scope_of_tasks() {
    let seen = answers(|| {
        thread::scope(|scope| {
            let handle = scope.spawn(|| 1);
            let message = std::thread::scope(|threads| {
                let joins = threads.spawn(|| handle.join()).join();
                *joins.expect_err("it panics").downcast::<&str>().unwrap()
            });
            message.contains("only from tasks")
        })
    });
    assert_eq!(seen, BTreeSet::from([true]));
}

#[test]
fn a_task_cannot_be_joined_outside_of_its_execution() {
    static KEPT: std::sync::Mutex<Option<thread::JoinHandle<u32>>> = std::sync::Mutex::new(None);
    answers(|| *KEPT.lock().unwrap() = Some(thread::spawn(|| 1)));
    let handle = KEPT.lock().unwrap().take().unwrap();
    assert!(handle.is_finished());
    let end = catch_unwind(AssertUnwindSafe(|| handle.join()));
    let payload = end.expect_err("it panics");
    assert!(
        payload
            .downcast::<&str>()
            .unwrap()
            .contains("inside the closure")
    );
}

#[test]
fn waiting_tasks_of_a_scope_deadlock() {
    assert_deadlocks(|| {
        let (mutex, condvar) = (Mutex::new(false), Condvar::new());
        thread::scope(|scope| {
            scope.spawn(|| drop(condvar.wait_while(mutex.lock().unwrap(), |ready| !*ready)));
        });
    });
}

#[test]
fn a_scope_whose_closure_panics_while_a_task_waits_for_ever_deadlocks() {
    assert_deadlocks(|| {
        let (sender, receiver) = mpsc::channel::<u32>();
        thread::scope(|scope| {
            scope.spawn(move || receiver.recv().is_ok());
            if unpick::is_exploring() {
                panic!("in the closure");
            }
        });
        drop(sender);
    });
}

/// Opens a scope when it is dropped.
struct OpensScope<'a>(&'a AtomicUsize);

impl Drop for OpensScope<'_> {
    fn drop(&mut self) {
        thread::scope(|scope| {
            let first = scope.spawn(|| self.0.fetch_add(1, SeqCst));
            let panics = scope.spawn(|| panic!("in a task"));
            assert!(first.is_finished() && first.join().is_ok());
            assert!(panics.join().is_err());
        });
    }
}

#[test]
fn a_scope_in_a_destructor_of_a_task_that_unwinds_runs_its_tasks_in_place() {
    let seen = answers(|| {
        let count = AtomicUsize::new(0);
        let end = catch_unwind(AssertUnwindSafe(|| {
            let _opens = OpensScope(&count);
            panic!("first");
        }));
        assert!(end.is_err());
        count.into_inner()
    });
    assert_eq!(seen, BTreeSet::from([1]));
}

#[test]
fn tasks_have_the_names_they_were_given() {
    let seen = answers(|| {
        let named = || thread::current().name().map(str::to_string);
        let builder = || thread::Builder::new().stack_size(1 << 16);
        let handle = builder().name("one".into()).spawn(named).unwrap();
        let known = handle.thread().name().map(str::to_string);
        let scoped = thread::scope(|scope| {
            let handle = builder()
                .name("two".into())
                .spawn_scoped(scope, named)
                .unwrap();
            assert_eq!(handle.thread().name(), Some("two"));
            handle.join().unwrap()
        });
        let nameless = thread::spawn(named).join().unwrap();
        assert_eq!(known.as_deref(), Some("one"));
        (named(), handle.join().unwrap(), scoped, nameless)
    });
    let name = |text: &str| Some(text.to_string());
    assert_eq!(
        seen,
        BTreeSet::from([(name("main"), name("one"), name("two"), None)])
    );
}

#[test]
fn reports_use_the_names_of_tasks() {
    let exploration = unpick::explore(answers::every_schedule(), || {
        let handle = thread::Builder::new()
            .name("worker".into())
            .spawn(|| panic!("here"));
        drop(handle);
    });
    let failure = exploration.first_failure.expect("it fails");
    let Outcome::Fail(fault) = &failure.outcome else {
        panic!("{:?}", failure.outcome);
    };
    assert!(failure.trace.task_name(fault.task).contains("worker"));
}

#[test]
fn a_loop_that_asks_whether_a_task_has_ended_lets_it_go_on() {
    let seen = answers(|| {
        let counter = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&counter);
        let task = thread::spawn(move || other.fetch_add(1, SeqCst));
        while !task.is_finished() {}
        let borrowed = &counter;
        thread::scope(|scope| {
            let task = scope.spawn(move || borrowed.fetch_add(1, SeqCst));
            while !task.is_finished() {}
        });
        counter.load(SeqCst)
    });
    assert_eq!(seen, BTreeSet::from([2]));
}

#[test]
fn each_task_may_have_ended_when_it_is_asked() {
    let seen = answers(|| {
        let counter = Arc::new(AtomicUsize::new(0));
        let tasks = [(); 2].map(|()| {
            let counter = Arc::clone(&counter);
            thread::spawn(move || counter.fetch_add(1, SeqCst))
        });
        tasks.each_ref().map(|task| task.is_finished())
    });
    let all = [[false, false], [false, true], [true, false], [true, true]];
    assert_eq!(seen, BTreeSet::from(all));
}

/// The task can only end behind the last operation of the one that asks.
#[test]
fn a_task_may_end_right_before_it_is_asked() {
    for strategy in [
        "dfs",
        "hbr-cache",
        "dpor",
        "odpor",
        "lazy-odpor",
        "mcr",
        "se-mcr",
    ] {
        let seen = StdArc::new(StdMutex::new(BTreeSet::new()));
        let answers = StdArc::clone(&seen);
        let config = Config::new().strategy(strategy);
        let found = explore(config, move || {
            let (sender, receiver) = mpsc::channel();
            let task = thread::spawn(move || receiver.recv());
            sender.send(()).unwrap();
            let has_ended = task.is_finished();
            answers.lock().unwrap().insert(has_ended);
        });
        assert!(found.claim().is_proof(), "{strategy}: {}", found.claim());
        let seen = seen.lock().unwrap();
        assert_eq!(*seen, BTreeSet::from([false, true]), "{strategy}");
    }
}
