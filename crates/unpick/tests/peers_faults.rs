//! What other tools for Rust get wrong, as far as sequential consistency can show it.
//!
//! Every test restates a program on which loom 0.7.2 or shuttle 0.9.9 were seen to miss a behaviour,
//! to report one that does not exist, or to give up.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::{Arc, Mutex as StdMutex};
use std::time::Duration;
use unpick::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};
use unpick::sync::{Condvar, Mutex};
use unpick::trace::Outcome;
use unpick::{Config, Exploration, StopReason, explore, thread};

const RELAXED: Ordering = Ordering::Relaxed;
const SEQ_CST: Ordering = Ordering::SeqCst;

fn dfs() -> Config {
    Config::new().strategy("dfs").executions(1_000_000)
}

/// All strategies that should end by themselves or within their budget.
const STRATEGIES: &[&str] = &[
    "dfs",
    "ipb",
    "idb",
    "random",
    "pct",
    "ppct",
    "pos",
    "surw",
    "surw:all=1",
    "preempt-always",
    "preempt-bound",
    "random-sleep",
    "round-robin",
];

/// Every answer of a program, from a complete search.
fn answers<T: Ord + Debug + Send + 'static>(
    program: impl Fn() -> T + Send + Sync + 'static,
) -> BTreeSet<T> {
    let seen = Arc::new(StdMutex::new(BTreeSet::new()));
    let found = {
        let seen = Arc::clone(&seen);
        explore(dfs(), move || {
            let answer = program();
            seen.lock().unwrap().insert(answer);
        })
    };
    assert!(found.complete && found.is_clean(), "{found:?}");
    let mut seen = seen.lock().unwrap();
    std::mem::take(&mut *seen)
}

/// loom #392: a useless load hides the answer `true`.
#[test]
fn a_useless_load_hides_nothing() {
    for with_load in [false, true] {
        let seen = answers(move || {
            let flag = Arc::new(AtomicBool::new(false));
            let other = Arc::clone(&flag);
            let setter = thread::spawn(move || {
                if with_load {
                    other.load(RELAXED);
                }
                other.store(true, RELAXED);
            });
            let answer = flag.load(RELAXED);
            setter.join().unwrap();
            answer
        });
        assert_eq!(seen, BTreeSet::from([false, true]));
    }
}

/// loom #166: reading back a cell removes the answer (1, 0).
#[test]
fn reading_back_removes_no_behaviour() {
    for again in [false, true] {
        let seen = answers(move || {
            let cells = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0)));
            let other = Arc::clone(&cells);
            let writer = thread::spawn(move || {
                let (a, b) = &*other;
                a.store(1, SEQ_CST);
                b.store(1, SEQ_CST);
                b.store(0, SEQ_CST);
                if again {
                    a.load(SEQ_CST);
                }
                a.store(0, SEQ_CST);
            });
            let answer = (cells.1.load(SEQ_CST), cells.0.load(SEQ_CST));
            writer.join().unwrap();
            answer
        });
        assert_eq!(seen, BTreeSet::from([(0, 0), (0, 1), (1, 0), (1, 1)]));
    }
}

/// loom #180: a false alarm on store buffering with SeqCst; also with fences.
#[test]
fn store_buffering_with_seq_cst_is_no_alarm() {
    for with_fence in [false, true] {
        let seen = answers(move || {
            let cells = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
            let side = |mine: usize| {
                let cells = Arc::clone(&cells);
                thread::spawn(move || {
                    cells[mine].store(1, SEQ_CST);
                    if with_fence {
                        fence(SEQ_CST);
                    }
                    cells[1 - mine].load(SEQ_CST)
                })
            };
            let (one, two) = (side(0), side(1));
            (one.join().unwrap(), two.join().unwrap())
        });
        assert_eq!(seen, BTreeSet::from([(0, 1), (1, 0), (1, 1)]));
    }
}

/// loom #254, #282, #389: a swap that is not atomic against a store.
#[test]
fn a_swap_is_atomic_against_a_store() {
    let seen = answers(|| {
        let x = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&x);
        let storer = thread::spawn(move || other.store(1, RELAXED));
        let before = x.swap(2, RELAXED);
        storer.join().unwrap();
        (before, x.load(RELAXED))
    });
    assert_eq!(seen, BTreeSet::from([(0, 1), (1, 2)]));
}

/// loom #376: two `try_lock`s and a join are reported as a deadlock.
#[test]
fn two_try_locks_and_a_join_are_no_deadlock() {
    let seen = answers(|| {
        let lock = Arc::new(Mutex::new(()));
        let other = Arc::clone(&lock);
        let task = thread::spawn(move || other.try_lock().is_ok());
        let mine = lock.try_lock().is_ok();
        (task.join().unwrap(), mine)
    });
    assert_eq!(
        seen,
        BTreeSet::from([(false, true), (true, false), (true, true)])
    );
}

/// loom looks at its limits every 20,000 executions.
#[test]
fn budgets_are_exact() {
    for strategy in STRATEGIES.iter().filter(|&&name| name != "round-robin") {
        let config = Config::new().strategy(strategy).executions(10);
        let found = explore(config, || {
            let x = Arc::new(AtomicUsize::new(0));
            let tasks: Vec<_> = (0..3)
                .map(|_| {
                    let x = Arc::clone(&x);
                    thread::spawn(move || {
                        x.fetch_add(1, SEQ_CST);
                        x.fetch_add(1, SEQ_CST);
                    })
                })
                .collect();
            tasks.into_iter().for_each(|task| task.join().unwrap());
        });
        assert_eq!(found.executions, 10, "{strategy}");
        assert_eq!(found.stopped_because, StopReason::Executions, "{strategy}");
    }
}

/// loom asserts at the sixth thread.
#[test]
fn there_can_be_ten_thousand_tasks() {
    let config = Config::new()
        .strategy("random")
        .executions(1)
        .steps(100_000)
        .stack_size(64 * 1024);
    let found = explore(config, || {
        let x = Arc::new(AtomicUsize::new(0));
        let tasks: Vec<_> = (0..9_999)
            .map(|_| {
                let x = Arc::clone(&x);
                thread::spawn(move || x.fetch_add(1, SEQ_CST))
            })
            .collect();
        tasks
            .into_iter()
            .for_each(|task| assert!(task.join().is_ok()));
        assert_eq!(x.load(SEQ_CST), 9_999);
    });
    assert!(found.is_clean(), "{found:?}");
    assert_eq!(found.tasks_max, 10_000);
}

/// loom, shuttle: a timed wait with nobody to notify is reported as a deadlock.
#[test]
fn a_timed_wait_that_nobody_ends_times_out() {
    for strategy in STRATEGIES {
        let config = Config::new().strategy(strategy).executions(100);
        let found = explore(config, || {
            let (lock, condvar) = (Mutex::new(()), Condvar::new());
            let guard = lock.lock().unwrap();
            let (_guard, end) = condvar
                .wait_timeout_while(guard, Duration::from_millis(10), |()| true)
                .unwrap();
            assert!(end.timed_out());
        });
        assert!(found.is_clean(), "{strategy}: {found:?}");
    }
}

/// loom, shuttle: `compare_exchange_weak` never fails spuriously.
#[test]
fn weak_compare_exchange_fails_spuriously() {
    let program = || {
        let x = AtomicUsize::new(0);
        x.compare_exchange_weak(0, 1, SEQ_CST, SEQ_CST)
    };
    assert_eq!(answers(program), BTreeSet::from([Ok(0), Err(0)]));
    let found = explore(dfs().weak_failures(0), move || {
        assert!(program().is_ok());
    });
    assert!(found.is_clean() && found.complete);
}

/// loom: `notify_one` always wakes the task that waits longest.
#[test]
fn notify_one_can_wake_any_waiter() {
    let program = || {
        let shared = Arc::new((Mutex::new(0u32), Condvar::new()));
        let first_awake = Arc::new(AtomicUsize::new(0));
        let waiters: Vec<_> = (1..=2)
            .map(|number| {
                let (shared, first_awake) = (Arc::clone(&shared), Arc::clone(&first_awake));
                thread::spawn(move || {
                    let mut waiting = shared.0.lock().unwrap();
                    *waiting += 1;
                    let order = *waiting;
                    drop(shared.1.wait(waiting).unwrap());
                    let _ = first_awake.compare_exchange(0, order as usize, SEQ_CST, SEQ_CST);
                    let _ = number;
                })
            })
            .collect();
        // Notifies one once both wait, then the other.
        while *shared.0.lock().unwrap() < 2 {
            thread::yield_now();
        }
        shared.1.notify_one();
        while first_awake.load(SEQ_CST) == 0 {
            thread::yield_now();
        }
        shared.1.notify_one();
        waiters
            .into_iter()
            .for_each(|waiter| waiter.join().unwrap());
        first_awake.load(SEQ_CST)
    };
    let seen = Arc::new(StdMutex::new(BTreeSet::new()));
    let found = {
        let seen = Arc::clone(&seen);
        let config = Config::new()
            .strategy("random")
            .executions(2_000)
            .spurious_wakes(0);
        explore(config, move || {
            let first = program();
            seen.lock().unwrap().insert(first);
        })
    };
    assert!(found.is_clean(), "{found:?}");
    assert_eq!(*seen.lock().unwrap(), BTreeSet::from([1, 2]));
}

fn spin_lock(polite: bool) {
    let shared = Arc::new((AtomicBool::new(false), AtomicUsize::new(0)));
    let tasks: Vec<_> = (0..2)
        .map(|_| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                let (locked, data) = &*shared;
                while locked
                    .compare_exchange(false, true, Ordering::Acquire, RELAXED)
                    .is_err()
                {
                    if polite {
                        thread::yield_now();
                    }
                }
                let value = data.load(RELAXED);
                data.store(value + 1, RELAXED);
                locked.store(false, Ordering::Release);
            })
        })
        .collect();
    tasks.into_iter().for_each(|task| task.join().unwrap());
    assert_eq!(shared.1.load(RELAXED), 2);
}

/// loom #162, #398; shuttle #18: spin loops end in an error, or never.
#[test]
fn spin_locks_end_under_every_strategy() {
    for polite in [false, true] {
        for strategy in STRATEGIES {
            let config = Config::new().strategy(strategy).executions(20_000);
            let found = explore(config, move || spin_lock(polite));
            assert!(found.is_clean(), "{strategy}, polite {polite}: {found:?}");
            if matches!(*strategy, "dfs" | "idb" | "ipb") {
                assert!(
                    found.complete,
                    "{strategy}, polite {polite}: {}",
                    found.executions
                );
            }
        }
    }
}

/// Three tasks that take turns by spinning on a shared number, in every form of spinning.
#[test]
fn spinning_in_turns_ends_under_every_strategy() {
    fn turns(wait: fn()) {
        let turn = Arc::new(AtomicUsize::new(0));
        let tasks: Vec<_> = (0..3)
            .map(|mine| {
                let turn = Arc::clone(&turn);
                thread::spawn(move || {
                    while turn.load(SEQ_CST) != 2 - mine {
                        wait();
                    }
                    turn.fetch_add(1, SEQ_CST);
                })
            })
            .collect();
        tasks.into_iter().for_each(|task| task.join().unwrap());
    }
    let forms: [(&str, fn()); 3] = [
        ("nothing", || {}),
        ("spin_loop", unpick::hint::spin_loop),
        ("sleep", || thread::sleep(Duration::from_millis(1))),
    ];
    for (name, wait) in forms {
        for strategy in STRATEGIES {
            let config = Config::new().strategy(strategy).executions(300);
            let found = explore(config, move || turns(wait));
            assert!(
                found.is_clean(),
                "{strategy}, {name}: {:?}",
                found.first_failure
            );
        }
    }
}

/// TraceForge ends normally with a deadlock counted as "blocked"; loom says `Location(None)`.
#[test]
fn a_deadlock_is_a_failure_that_names_its_cycle_and_places() {
    let found = explore(dfs(), || {
        let forks: Arc<Vec<Mutex<()>>> = Arc::new((0..3).map(|_| Mutex::new(())).collect());
        let tasks: Vec<_> = (0..3)
            .map(|seat| {
                let forks = Arc::clone(&forks);
                thread::spawn(move || {
                    let _left = forks[seat].lock().unwrap();
                    let _right = forks[(seat + 1) % 3].lock().unwrap();
                })
            })
            .collect();
        tasks.into_iter().for_each(|task| task.join().unwrap());
    });
    let Outcome::Deadlock(deadlock) = found.first_failure.unwrap().outcome else {
        panic!("not a deadlock");
    };
    assert_eq!(deadlock.cycle.len(), 3);
    assert_eq!(deadlock.blocked.len(), 4, "the main task waits too");
    for blocked in &deadlock.blocked {
        let site = blocked.site.as_ref().expect("a place");
        assert!(site.file.ends_with("peers_faults.rs"), "{site}");
    }
}

/// A Treiber stack of three nodes without tags: one task pops while another pops two and pushes the
/// first back, so that the head looks unchanged.
fn aba() {
    const NIL: usize = 9;
    struct Stack {
        head: AtomicUsize,
        next: [AtomicUsize; 3],
    }
    impl Stack {
        fn pop(&self) -> Option<usize> {
            loop {
                let top = self.head.load(SEQ_CST);
                if top == NIL {
                    return None;
                }
                let below = self.next[top].load(SEQ_CST);
                if self
                    .head
                    .compare_exchange(top, below, SEQ_CST, SEQ_CST)
                    .is_ok()
                {
                    return Some(top);
                }
            }
        }
        fn push(&self, node: usize) {
            loop {
                let top = self.head.load(SEQ_CST);
                self.next[node].store(top, SEQ_CST);
                if self
                    .head
                    .compare_exchange(top, node, SEQ_CST, SEQ_CST)
                    .is_ok()
                {
                    return;
                }
            }
        }
    }
    let stack = Arc::new(Stack {
        head: AtomicUsize::new(0),
        next: [
            AtomicUsize::new(1),
            AtomicUsize::new(2),
            AtomicUsize::new(NIL),
        ],
    });
    let other = Arc::clone(&stack);
    let one = thread::spawn(move || other.pop());
    let other = Arc::clone(&stack);
    let two = thread::spawn(move || {
        let first = other.pop();
        let second = other.pop();
        if let Some(node) = first {
            other.push(node);
        }
        second
    });
    let mut owned = vec![one.join().unwrap(), two.join().unwrap()];
    owned.extend((0..4).map(|_| stack.pop()));
    let mut nodes: Vec<usize> = owned.into_iter().flatten().collect();
    nodes.sort_unstable();
    assert_eq!(nodes, [0, 1, 2], "a node is owned twice or lost");
}

/// miri finds none of these within 256 seeds: a lost update, an ABA fault, a half-done pair.
#[test]
fn small_faults_are_found_by_every_randomised_strategy() {
    fn lost_update() {
        let x = Arc::new(AtomicUsize::new(0));
        let tasks: Vec<_> = (0..2)
            .map(|_| {
                let x = Arc::clone(&x);
                thread::spawn(move || {
                    let value = x.load(SEQ_CST);
                    x.store(value + 1, SEQ_CST);
                })
            })
            .collect();
        tasks.into_iter().for_each(|task| task.join().unwrap());
        assert_eq!(x.load(SEQ_CST), 2, "lost update");
    }
    fn half_done_pair() {
        let pair = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0)));
        let setters: Vec<_> = (0..3)
            .map(|_| {
                let pair = Arc::clone(&pair);
                thread::spawn(move || {
                    pair.0.store(1, SEQ_CST);
                    pair.1.store(1, SEQ_CST);
                })
            })
            .collect();
        let (a, b) = (pair.0.load(SEQ_CST), pair.1.load(SEQ_CST));
        assert_eq!(a, b, "half done");
        setters.into_iter().for_each(|task| task.join().unwrap());
    }
    let programs: [(&str, fn()); 3] = [
        ("lost update", lost_update),
        ("pair", half_done_pair),
        ("ABA", aba),
    ];
    for (name, program) in programs {
        for strategy in [
            "random",
            "pct",
            "ppct",
            "pos",
            "surw",
            "surw:all=1",
            "preempt-bound",
        ] {
            let config = Config::new().strategy(strategy).executions(2_000);
            let found: Exploration = explore(config, program);
            assert!(found.first_failure.is_some(), "{strategy} missed: {name}");
        }
    }
}
