//! Correct tests that use all kinds of things of the standard library. Its own code comes compiled and is not
//! instrumented, so that what it orders can only be inferred; nothing here may fail in any schedule.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::atomic::Ordering::*;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize};
use std::sync::mpsc::{channel, sync_channel};
use std::sync::{Arc, Barrier, Condvar, LazyLock, Mutex, OnceLock, RwLock};
use std::thread;
use std::time::Duration;
#[test]
fn many_senders() {
    let (tx, rx) = channel();
    let threads: Vec<_> = (0..3)
        .map(|i| {
            let tx = tx.clone();
            thread::spawn(move || {
                tx.send(vec![i; 3]).unwrap();
            })
        })
        .collect();
    drop(tx);
    let mut n = 0;
    for v in rx {
        n += v.len();
    }
    assert_eq!(n, 9);
    for thread in threads {
        thread.join().unwrap();
    }
}

#[test]
fn rendezvous() {
    let (tx, rx) = sync_channel::<String>(0);
    let thread = thread::spawn(move || {
        for i in 0..3 {
            tx.send(format!("m{i}")).unwrap();
        }
    });
    let got: Vec<String> = rx.iter().collect();
    assert_eq!(got.len(), 3);
    thread.join().unwrap();
}

#[test]
fn bounded() {
    let (tx, rx) = sync_channel::<Box<u32>>(2);
    let thread = thread::spawn(move || {
        for i in 0..4 {
            tx.send(Box::new(i)).unwrap();
        }
    });
    let s: u32 = rx.iter().map(|b| *b).sum();
    assert_eq!(s, 6);
    thread.join().unwrap();
}

#[test]
fn barrier() {
    let b = Arc::new(Barrier::new(3));
    let d = Arc::new(Mutex::new(vec![0; 3]));
    let threads: Vec<_> = (0..3)
        .map(|i| {
            let b = b.clone();
            let d = d.clone();
            thread::spawn(move || {
                d.lock().unwrap()[i] = 1;
                b.wait();
                assert_eq!(d.lock().unwrap().iter().sum::<i32>(), 3);
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
}

#[test]
fn initialised_once() {
    static L: OnceLock<String> = OnceLock::new();
    let threads: Vec<_> = (0..3)
        .map(|_| thread::spawn(|| L.get_or_init(|| "x".to_string()).len()))
        .collect();
    for thread in threads {
        assert_eq!(thread.join().unwrap(), 1);
    }
}

#[test]
fn initialised_lazily() {
    static L: LazyLock<HashMap<u32, String>> = LazyLock::new(|| {
        let mut m = HashMap::new();
        m.insert(1, "x".into());
        m
    });
    let threads: Vec<_> = (0..3)
        .map(|_| thread::spawn(|| L.get(&1).unwrap().len()))
        .collect();
    for thread in threads {
        assert_eq!(thread.join().unwrap(), 1);
    }
}

#[test]
fn parked() {
    let data = Arc::new(Mutex::new(0));
    let flag = Arc::new(AtomicBool::new(false));
    let (d, f) = (data.clone(), flag.clone());
    let thread = thread::spawn(move || {
        while !f.load(Acquire) {
            thread::park();
        }
        *d.lock().unwrap()
    });
    *data.lock().unwrap() = 7;
    flag.store(true, Release);
    thread.thread().unpark();
    assert_eq!(thread.join().unwrap(), 7);
}

#[test]
fn notified() {
    let p = Arc::new((Mutex::new(Vec::new()), Condvar::new()));
    let q = p.clone();
    let thread = thread::spawn(move || {
        let mut g = q.0.lock().unwrap();
        while g.is_empty() {
            g = q.1.wait(g).unwrap();
        }
        g.pop().unwrap()
    });
    p.0.lock().unwrap().push(5);
    p.1.notify_one();
    assert_eq!(thread.join().unwrap(), 5);
}

/// The waiter has the lock again without being seen, looks, and gives it back in the same way.
#[test]
fn notified_twice() {
    let p = Arc::new((Mutex::new(0), Condvar::new()));
    let q = p.clone();
    let thread = thread::spawn(move || {
        let mut g = q.0.lock().unwrap();
        while *g < 2 {
            g = q.1.wait(g).unwrap();
        }
    });
    for _ in 0..2 {
        *p.0.lock().unwrap() += 1;
        p.1.notify_one();
    }
    thread.join().unwrap();
}

/// The lock is taken after a wait for it, which is not seen either.
#[test]
fn waits_with_a_lock_that_was_waited_for() {
    let p = Arc::new((Mutex::new((0, false)), Condvar::new()));
    let q = p.clone();
    let thread = thread::spawn(move || {
        q.0.lock().unwrap().0 += 1;
        q.0.lock().unwrap().1 = true;
        q.1.notify_one();
    });
    let mut g = p.0.lock().unwrap();
    g.0 += 1;
    while !g.1 {
        g = p.1.wait(g).unwrap();
    }
    assert_eq!(g.0, 2);
    drop(g);
    thread.join().unwrap();
}

#[test]
fn notified_within_a_limit() {
    let p = Arc::new((Mutex::new(0), Condvar::new()));
    let q = p.clone();
    let thread = thread::spawn(move || {
        let g = q.0.lock().unwrap();
        let (g, t) =
            q.1.wait_timeout_while(g, Duration::from_millis(50), |n| *n == 0)
                .unwrap();
        *g == 1 || t.timed_out()
    });
    *p.0.lock().unwrap() = 1;
    p.1.notify_one();
    assert!(thread.join().unwrap());
}

#[test]
fn readers_and_a_writer() {
    let l = Arc::new(RwLock::new(vec![1]));
    let threads: Vec<_> = (0..3)
        .map(|i| {
            let l = l.clone();
            thread::spawn(move || {
                if i == 0 {
                    l.write().unwrap().push(2)
                } else {
                    assert!(l.read().unwrap().len() >= 1)
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(l.read().unwrap().len(), 2);
}

#[test]
fn detached() {
    let n = Arc::new(AtomicUsize::new(0));
    let (tx, rx) = channel();
    for _ in 0..2 {
        let n = n.clone();
        let tx = tx.clone();
        thread::spawn(move || {
            n.fetch_add(1, SeqCst);
            tx.send(()).unwrap();
        });
    }
    rx.recv().unwrap();
    rx.recv().unwrap();
    assert_eq!(n.load(SeqCst), 2);
}

#[test]
fn thread_locals() {
    thread_local! { static C: Cell<u32> = Cell::new(1); static V: RefCell<Vec<u32>> = RefCell::new(vec![]); }
    let threads: Vec<_> = (0..2)
        .map(|i| {
            thread::spawn(move || {
                C.with(|c| c.set(c.get() + i));
                V.with(|v| v.borrow_mut().push(i));
                C.with(|c| c.get())
            })
        })
        .collect();
    let s: u32 = threads
        .into_iter()
        .map(|thread| thread.join().unwrap())
        .sum();
    assert_eq!(s, 3);
}

#[test]
fn scope_with_a_channel() {
    let (tx, rx) = channel::<&str>();
    let text = String::from("hello");
    let n = thread::scope(|s| {
        let t = text.as_str();
        s.spawn(move || tx.send(t).unwrap());
        s.spawn(move || rx.recv().unwrap().len()).join().unwrap()
    });
    assert_eq!(n, 5);
}

#[test]
fn scope_with_chunks() {
    let mut v: Vec<u32> = (0..8).collect();
    thread::scope(|s| {
        for c in v.chunks_mut(3) {
            s.spawn(|| {
                for x in c {
                    *x *= 2
                }
            });
        }
    });
    assert_eq!(v.iter().sum::<u32>(), 56);
}

#[test]
fn panics_are_caught() {
    let thread = thread::spawn(|| {
        if true {
            panic!("expected")
        }
    });
    assert!(thread.join().is_err());
}

#[test]
fn named_thread() {
    let thread = thread::Builder::new()
        .name("w".into())
        .stack_size(1 << 16)
        .spawn(|| thread::current().name().map(str::to_owned))
        .unwrap();
    assert_eq!(thread.join().unwrap().unwrap(), "w");
}

#[test]
fn weak_reference() {
    let a = Arc::new(String::from("a"));
    let w = Arc::downgrade(&a);
    let thread = thread::spawn(move || w.upgrade().map(|s| s.len()).unwrap_or(1));
    drop(a);
    assert_eq!(thread.join().unwrap(), 1);
}

#[test]
fn poisoned() {
    let m = Arc::new(Mutex::new(0));
    let n = m.clone();
    let _ = thread::spawn(move || {
        let _g = n.lock().unwrap();
        panic!("p")
    })
    .join();
    assert!(m.is_poisoned());
}

#[test]
fn receive_in_a_loop() {
    let (tx, rx) = channel();
    let thread = thread::spawn(move || tx.send(3).unwrap());
    let v = loop {
        match rx.try_recv() {
            Ok(v) => break v,
            Err(_) => thread::yield_now(),
        }
    };
    assert_eq!(v, 3);
    thread.join().unwrap();
}

#[test]
fn receive_with_a_limit() {
    let (tx, rx) = channel();
    let thread = thread::spawn(move || {
        thread::sleep(Duration::from_millis(1));
        tx.send(3).ok();
    });
    let _ = rx.recv_timeout(Duration::from_millis(2));
    thread.join().unwrap();
}

#[test]
fn unwrapped() {
    let shared = Arc::new(Mutex::new(Vec::new()));
    let threads: Vec<_> = (0..2)
        .map(|number| {
            let shared = shared.clone();
            thread::spawn(move || shared.lock().unwrap().push(number))
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(
        Arc::try_unwrap(shared).unwrap().into_inner().unwrap().len(),
        2
    );
}

#[test]
fn made_mutable() {
    let mut first = Arc::new(vec![1]);
    let mut second = first.clone();
    let thread = thread::spawn(move || {
        Arc::make_mut(&mut second).push(2);
        second.len()
    });
    Arc::make_mut(&mut first).push(3);
    assert_eq!(first.len() + thread.join().unwrap(), 4);
}

#[test]
fn swapped_pointer() {
    fn swap(slot: &AtomicPtr<u32>, value: u32) -> u32 {
        let old = slot.swap(Box::into_raw(Box::new(value)), AcqRel);
        // SAFETY: a box of ours, and whoever takes it out of the slot is its only owner.
        *unsafe { Box::from_raw(old) }
    }
    let slot = Arc::new(AtomicPtr::new(Box::into_raw(Box::new(1))));
    let other = slot.clone();
    let thread = thread::spawn(move || swap(&other, 2));
    let mine = swap(&slot, 3);
    assert_eq!(mine + thread.join().unwrap() + swap(&slot, 0), 6);
}

#[test]
fn destructor_of_a_local() {
    struct Tell(std::sync::mpsc::Sender<u32>);
    impl Drop for Tell {
        fn drop(&mut self) {
            let _ = self.0.send(1);
        }
    }
    thread_local! { static TELL: RefCell<Option<Tell>> = const { RefCell::new(None) }; }
    let (sender, receiver) = channel();
    let thread = thread::spawn(move || TELL.with(|tell| *tell.borrow_mut() = Some(Tell(sender))));
    assert_eq!(receiver.recv(), Ok(1));
    thread.join().unwrap();
}

#[test]
fn writers_in_line() {
    let lock = Arc::new(RwLock::new(String::new()));
    let threads: Vec<_> = (0..3)
        .map(|_| {
            let lock = lock.clone();
            thread::spawn(move || {
                lock.write().unwrap().push('x');
                lock.read().unwrap().len()
            })
        })
        .collect();
    for thread in threads {
        assert!(thread.join().unwrap() >= 1);
    }
}

#[test]
fn tried_locks() {
    let lock = Arc::new(Mutex::new(vec![0]));
    let other = lock.clone();
    let thread = thread::spawn(move || {
        loop {
            if let Ok(mut list) = other.try_lock() {
                list.push(1);
                break;
            }
            thread::yield_now();
        }
    });
    loop {
        if let Ok(mut list) = lock.try_lock() {
            list.push(2);
            break;
        }
        thread::yield_now();
    }
    thread.join().unwrap();
    assert_eq!(lock.lock().unwrap().len(), 3);
}

#[test]
fn waited_for_a_value() {
    let cell = Arc::new(OnceLock::new());
    let other = cell.clone();
    let thread = thread::spawn(move || other.set(vec![1, 2]).is_ok());
    let mine = cell.set(vec![3]).is_ok();
    assert!(thread.join().unwrap() != mine);
    assert!(!cell.get().unwrap().is_empty());
}

#[test]
fn scoped_panic() {
    let mut seen = 0;
    let ends_badly = thread::scope(|scope| {
        scope.spawn(|| seen += 1);
        scope.spawn(|| panic!("expected")).join().is_err()
    });
    assert!(ends_badly && seen == 1);
}

#[test]
fn two_panics() {
    let threads = [(); 2].map(|()| thread::spawn(|| panic!("expected")));
    assert!(threads.map(thread::JoinHandle::join).iter().all(Result::is_err));
}

#[test]
fn panics_leave_a_scope() {
    let scope = || {
        thread::scope(|scope| {
            for number in 0..3 {
                scope.spawn(move || panic!("{number} of them"));
            }
        })
    };
    assert!(std::panic::catch_unwind(scope).is_err());
}
