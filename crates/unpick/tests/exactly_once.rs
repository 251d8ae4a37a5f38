//! What tasks capture and return and what channels carry is dropped exactly once, whatever happens.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use unpick::sync::mpsc;
use unpick::{Config, Exploration, explore, thread};

/// How many values were made, and how many of them are there.
#[derive(Default)]
struct Census {
    made: AtomicI64,
    alive: AtomicI64,
}

impl Census {
    fn value(self: &Arc<Census>) -> Value {
        self.made.fetch_add(1, Relaxed);
        self.alive.fetch_add(1, Relaxed);
        Value(Arc::clone(self))
    }

    #[track_caller]
    fn check(&self) {
        assert!(self.made.load(Relaxed) > 0, "nothing was made");
        assert_eq!(self.alive.load(Relaxed), 0, "left over, or dropped twice");
    }
}

/// A value whose destructor must run once.
struct Value(Arc<Census>);

impl Drop for Value {
    fn drop(&mut self) {
        assert!(self.0.alive.fetch_sub(1, Relaxed) > 0, "dropped twice");
    }
}

/// Runs a program in all schedules and counts what it made.
#[track_caller]
fn all_schedules(program: impl Fn(&Arc<Census>) + Send + Sync + 'static) -> Exploration {
    let census = Arc::new(Census::default());
    let inside = Arc::clone(&census);
    let config = Config::new()
        .strategy("dfs")
        .executions(20_000)
        .keep_going(true);
    let found = explore(config, move || program(&inside));
    assert!(found.complete, "{found:?}");
    census.check();
    found
}

#[test]
fn results_of_joined_tasks() {
    let found = all_schedules(|census| {
        let captured = census.value();
        let inside = Arc::clone(census);
        let task = thread::spawn(move || {
            thread::yield_now();
            (captured, inside.value())
        });
        let (captured, result) = task.join().unwrap();
        assert!(Arc::ptr_eq(&captured.0, &result.0));
    });
    assert!(found.is_clean(), "{found:?}");
}

#[test]
fn results_that_nobody_takes() {
    let found = all_schedules(|census| {
        let (early, late) = (census.value(), census.value());
        // The handle goes before the end of the task in some schedules, and after it in others.
        let first = thread::spawn(move || {
            thread::yield_now();
            early
        });
        let second = thread::spawn(move || {
            thread::yield_now();
            late
        });
        thread::yield_now();
        drop(first);
        thread::yield_now();
        drop(second);
    });
    assert!(found.is_clean(), "{found:?}");
    assert!(found.schedules > 1);
}

#[test]
fn results_of_every_size() {
    #[repr(align(256))]
    struct Aligned(Value);
    let found = all_schedules(|census| {
        let (small, large, aligned) = (census.value(), census.value(), Aligned(census.value()));
        let filling = [7_u8; 1_000];
        let tasks = (
            thread::spawn(move || small),
            thread::spawn(move || (filling, large)),
            thread::spawn(move || aligned),
            thread::spawn(|| ()),
        );
        let (filling, large) = tasks.1.join().unwrap();
        assert!(filling.iter().all(|byte| *byte == 7));
        let aligned = tasks.2.join().unwrap();
        assert_eq!(std::ptr::from_ref(&aligned) as usize % 256, 0);
        drop((large, aligned.0, tasks.0));
        tasks.3.join().unwrap();
    });
    assert!(found.is_clean(), "{found:?}");
}

#[test]
fn tasks_that_panic() {
    let found = all_schedules(|census| {
        let (captured, other) = (census.value(), census.value());
        let _waiting = thread::spawn(move || {
            thread::yield_now();
            other
        });
        let task = thread::spawn(move || {
            let _captured = captured;
            thread::yield_now();
            panic!("as it shall");
        });
        task.join().unwrap();
    });
    assert_eq!(found.failures, found.schedules);
}

#[test]
fn results_whose_destructors_panic() {
    struct Bomb(Option<Value>);
    impl Drop for Bomb {
        fn drop(&mut self) {
            drop(self.0.take());
            panic!("as it shall");
        }
    }
    let found = all_schedules(|census| {
        let bomb = Bomb(Some(census.value()));
        let task = thread::spawn(move || bomb);
        assert!(catch_unwind(AssertUnwindSafe(|| drop(task))).is_err());
    });
    assert!(found.is_clean(), "{found:?}");
}

#[test]
fn handles_that_outlive_their_execution() {
    let kept = Arc::new(Mutex::new(Vec::new()));
    let census = Arc::new(Census::default());
    let (keeps, inside) = (Arc::clone(&kept), Arc::clone(&census));
    let found = explore(Config::new().strategy("dfs"), move || {
        let value = inside.value();
        let task = thread::spawn(move || value);
        keeps.lock().unwrap().push(task);
    });
    assert!(found.complete && found.is_clean(), "{found:?}");
    assert_eq!(census.alive.load(Relaxed), found.executions as i64);
    let handles = std::mem::take(&mut *kept.lock().unwrap());
    std::thread::spawn(|| drop(handles)).join().unwrap();
    census.check();
}

#[test]
fn messages_received_and_left_behind() {
    let found = all_schedules(|census| {
        let (sender, receiver) = mpsc::channel();
        let inside = Arc::clone(census);
        let task = thread::spawn(move || {
            for _ in 0..3 {
                // Comes back where the receiver is gone.
                if let Err(back) = sender.send(inside.value()) {
                    assert!(Arc::ptr_eq(&back.0.0, &inside));
                }
            }
        });
        drop(receiver.recv().unwrap());
        drop(receiver);
        task.join().unwrap();
    });
    assert!(found.is_clean(), "{found:?}");
}

#[test]
fn messages_go_with_the_receiver() {
    let found = all_schedules(|census| {
        let (sender, receiver) = mpsc::sync_channel(2);
        sender.send(census.value()).unwrap();
        sender.send(census.value()).unwrap();
        drop(receiver);
        // The sender is still there.
        assert_eq!(census.alive.load(Relaxed), 0);
        assert!(sender.send(census.value()).is_err());
    });
    assert!(found.is_clean(), "{found:?}");
}

#[test]
fn messages_that_hold_the_last_sender_of_their_channel() {
    struct Message {
        _value: Value,
        _sender: mpsc::Sender<Message>,
    }
    let found = all_schedules(|census| {
        let (sender, receiver) = mpsc::channel();
        let message = Message {
            _value: census.value(),
            _sender: sender.clone(),
        };
        sender.send(message).unwrap();
        drop(sender);
        drop(receiver);
    });
    assert!(found.is_clean(), "{found:?}");
}

#[test]
fn messages_of_executions_that_fail() {
    let found = all_schedules(|census| {
        let (sender, receiver) = mpsc::channel();
        let inside = Arc::clone(census);
        let task = thread::spawn(move || {
            sender.send(inside.value()).unwrap();
            sender.send(inside.value()).unwrap();
        });
        let first = receiver.recv().unwrap();
        if receiver.try_recv().is_ok() {
            panic!("as it shall");
        }
        drop(first);
        drop(receiver.recv());
        task.join().unwrap();
    });
    assert!(found.failures > 0 && found.failures < found.schedules);
}
