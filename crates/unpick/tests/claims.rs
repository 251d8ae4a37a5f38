//! What an exploration claims: "complete" is a proof, or comes with everything that was assumed.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use unpick::sync::atomic::{AtomicUsize, Ordering::*, fence};
use unpick::sync::{Arc, Condvar, Mutex, mpsc};
use unpick::time::{Duration, Instant};
use unpick::{Config, Exploration, Proviso, StopReason, explore, thread};

fn exploration(strategy: &str, program: impl Fn() + Send + Sync + 'static) -> Exploration {
    let config = Config::new().strategy(strategy).executions(100_000);
    explore(config, program)
}

fn provisos(found: &Exploration) -> Vec<Proviso> {
    assert!(found.complete, "{:?}", found.stopped_because);
    found.claim().provided.iter().collect()
}

/// The searches that end when nothing is left to run.
const SEARCHES: &[&str] = &[
    "dfs",
    "ipb:beyond=1",
    "idb:beyond=1",
    "hbr-cache",
    "lazy-hbr-cache",
    "dpor",
    "odpor",
    "lazy-odpor",
    "mcr",
    "se-mcr",
];

/// What a run says and what the documentation says are the same.
#[test]
fn the_page_on_limits_has_a_row_for_every_proviso() {
    let page = include_str!("../../../docs/limits.md");
    for proviso in Proviso::ALL {
        let cell = format!("| {} (`{}`) |", proviso.sentence(), proviso.word());
        assert!(
            page.contains(&cell),
            "no row of docs/limits.md begins with {cell}"
        );
    }
}

/// Two tasks add to a counter.
fn two_adders() {
    let total = Arc::new(AtomicUsize::new(0));
    let other = Arc::clone(&total);
    let adder = thread::spawn(move || other.fetch_add(1, SeqCst));
    total.fetch_add(1, SeqCst);
    adder.join().unwrap();
    assert_eq!(total.load(SeqCst), 2);
}

/// A yield orders nothing: main may go on before the other task stores.
fn yield_as_sync() {
    let flag = Arc::new(AtomicUsize::new(0));
    let other = Arc::clone(&flag);
    let setter = thread::spawn(move || other.store(1, SeqCst));
    thread::yield_now();
    assert_eq!(flag.load(SeqCst), 1);
    setter.join().unwrap();
}

/// Nor does a sleep.
fn sleep_as_sync() {
    let flag = Arc::new(AtomicUsize::new(0));
    let other = Arc::clone(&flag);
    let setter = thread::spawn(move || other.store(1, SeqCst));
    thread::sleep(Duration::from_millis(50));
    assert_eq!(flag.load(SeqCst), 1);
    setter.join().unwrap();
}

/// A loop that gives up after `turns_max` looks.
fn bounded_spin(turns_max: usize) -> impl Fn() + Send + Sync + 'static {
    move || {
        let flag = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&flag);
        let setter = thread::spawn(move || other.store(1, SeqCst));
        let mut turns = 0;
        while flag.load(SeqCst) != 1 {
            turns += 1;
            assert!(turns <= turns_max, "gave up");
        }
        setter.join().unwrap();
    }
}

#[test]
fn a_search_that_leaves_nothing_out_is_a_proof() {
    for strategy in SEARCHES.iter().chain(&["portfolio"]) {
        let found = exploration(strategy, two_adders);
        assert!(found.claim().is_proof(), "{strategy}: {}", found.claim());
        assert_eq!(found.claim().to_string(), "complete", "{strategy}");
    }
}

/// The proviso names the reason, and the default goes on with techniques that do not need it.
#[test]
fn a_yield_that_forces_a_switch_is_a_proviso_and_the_default_does_without() {
    let programs: [fn(); 2] = [yield_as_sync, sleep_as_sync];
    for program in programs {
        for strategy in SEARCHES {
            let found = exploration(strategy, program);
            let is_found = found.failures > 0;
            if !is_found {
                assert_eq!(provisos(&found), [Proviso::ForcedSwitch], "{strategy}");
            }
        }
        assert_eq!(exploration("dfs", program).failures, 0);
        let found = explore(Config::new(), program);
        assert_eq!(found.failures, 1, "{:?}", found.stopped_because);
    }
}

#[test]
fn a_timed_wait_that_forces_a_switch_is_a_proviso() {
    let found = exploration("dfs", || {
        let (sender, receiver) = mpsc::channel();
        let task = thread::spawn(move || sender.send(1).unwrap());
        let _ = receiver.recv_timeout(Duration::from_millis(1));
        task.join().unwrap();
    });
    assert_eq!(provisos(&found), [Proviso::ForcedSwitch]);
}

/// A search leaves a spinning task after a few turns, so that it never sees the loop give up. Randomised
/// techniques leave the loop when they like.
#[test]
fn a_spin_that_is_cut_short_is_a_proviso_and_the_default_does_without() {
    for strategy in SEARCHES {
        let found = exploration(strategy, bounded_spin(40));
        let is_found = found.failures > 0;
        if !is_found {
            assert_eq!(provisos(&found), [Proviso::SpinCutShort], "{strategy}");
        }
    }
    assert_eq!(exploration("odpor", bounded_spin(40)).failures, 0);
    let found = explore(Config::new(), bounded_spin(9));
    assert_eq!(found.failures, 1, "{:?}", found.stopped_because);
}

/// The default never calls a program complete that it could not look at without assuming something.
#[test]
fn the_default_uses_its_budget_where_a_search_would_assume_something() {
    let found = explore(Config::new().executions(300), bounded_spin(100_000));
    assert_eq!(found.executions, 300);
    assert_eq!(found.stopped_because, StopReason::Executions);
    assert!(!found.complete);
    for jobs in [2, 3] {
        let config = Config::new().executions(300).jobs(jobs);
        let shared = explore(config, bounded_spin(100_000));
        assert_eq!(shared.executions, 300, "{jobs} jobs");
        assert_eq!(shared.provided, found.provided, "{jobs} jobs");
    }
}

fn wait_for_a_flag() {
    let shared = Arc::new((Mutex::new(false), Condvar::new()));
    let other = Arc::clone(&shared);
    let task = thread::spawn(move || {
        *other.0.lock().unwrap() = true;
        other.1.notify_one();
    });
    let mut flag = shared.0.lock().unwrap();
    while !*flag {
        flag = shared.1.wait(flag).unwrap();
    }
    drop(flag);
    task.join().unwrap();
}

#[test]
fn a_ration_that_runs_out_is_a_proviso() {
    let found = exploration("dfs", wait_for_a_flag);
    assert_eq!(provisos(&found), [Proviso::SpuriousWakes]);
    let weak = || {
        let value = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&value);
        let task = thread::spawn(move || other.store(2, SeqCst));
        let _ = value.compare_exchange_weak(0, 1, SeqCst, SeqCst);
        task.join().unwrap();
    };
    // One exchange and a ration of one: the ration never runs out.
    assert!(exploration("dfs", weak).claim().is_proof());
    let config = Config::new().strategy("dfs").weak_failures(0);
    assert_eq!(provisos(&explore(config, weak)), [Proviso::WeakFailures]);
}

#[test]
fn time_outs_that_are_not_explored_are_a_proviso() {
    let config = Config::new().strategy("dfs").timeouts(false);
    let found = explore(config, || {
        let (sender, receiver) = mpsc::channel();
        sender.send(1).unwrap();
        receiver.recv_timeout(Duration::from_millis(1)).unwrap();
    });
    assert_eq!(provisos(&found), [Proviso::Timeouts]);
}

#[test]
fn an_execution_that_reaches_the_step_limit_is_a_proviso() {
    let config = Config::new().strategy("dfs").steps(5).keep_going(true);
    let found = explore(config, || {
        let total = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&total);
        let task = thread::spawn(move || {
            for _ in 0..4 {
                other.fetch_add(1, SeqCst);
            }
        });
        task.join().unwrap();
    });
    assert_eq!(provisos(&found), [Proviso::StepLimit]);
}

/// Nothing is assumed of what asks for sequential consistency.
#[test]
fn an_ordering_weaker_than_the_model_is_a_proviso() {
    let of = |program: fn()| provisos(&exploration("odpor", program));
    let weak: [fn(); 4] = [
        || assert_eq!(AtomicUsize::new(0).load(Relaxed), 0),
        || AtomicUsize::new(0).store(1, Release),
        || {
            assert!(
                AtomicUsize::new(0)
                    .compare_exchange(0, 1, SeqCst, Relaxed)
                    .is_ok()
            )
        },
        || fence(AcqRel),
    ];
    for program in weak {
        assert_eq!(of(program), [Proviso::WeakOrderings]);
    }
    assert_eq!(of(|| fence(SeqCst)), []);
    assert_eq!(of(two_adders), []);
}

/// Reductions take a look at the clock for something that no other task notices.
#[test]
fn a_clock_that_is_read_is_a_proviso_of_reductions() {
    let program = || {
        let task = thread::spawn(Instant::now);
        Instant::now();
        task.join().unwrap();
    };
    assert!(exploration("dfs", program).claim().is_proof());
    for strategy in ["hbr-cache", "dpor", "odpor", "mcr"] {
        let found = exploration(strategy, program);
        assert_eq!(provisos(&found), [Proviso::Clock], "{strategy}");
    }
}

/// Two stores of a destructor, and a task that looks at both variables.
fn stores_while_it_unwinds(is_caught: bool) {
    struct AtEnd(Arc<[AtomicUsize; 2]>);
    impl Drop for AtEnd {
        fn drop(&mut self) {
            self.0.iter().for_each(|one| one.store(1, SeqCst));
        }
    }
    let pair = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
    let at_end = AtEnd(Arc::clone(&pair));
    let fails = move || {
        let _at_end = at_end;
        resume_unwind(Box::new("on purpose"));
    };
    let task = thread::spawn(move || match is_caught {
        true => assert!(catch_unwind(AssertUnwindSafe(fails)).is_err()),
        false => fails(),
    });
    pair.iter().for_each(|one| _ = one.load(SeqCst));
    task.join().unwrap();
}

/// No task runs while another one unwinds: that matters if the panic is caught.
#[test]
fn an_unwinding_that_ends_in_the_task_is_a_proviso() {
    let caught = exploration("dfs", || stores_while_it_unwinds(true));
    assert_eq!(provisos(&caught), [Proviso::Unwinding]);
    let keeps_going = Config::new().strategy("dfs").keep_going(true);
    let uncaught = explore(keeps_going, || stores_while_it_unwinds(false));
    assert_eq!(provisos(&uncaught), []);
    assert!(uncaught.failures > 0);
}

#[test]
fn what_a_technique_leaves_out_by_its_own_rule_is_a_proviso() {
    let bounded = exploration("ipb:bound=0", two_adders);
    assert!(!bounded.complete);
    assert!(bounded.claim().provided.contains(Proviso::Bound));
    let turns = exploration("round-robin", two_adders);
    assert!(!turns.complete && turns.claim().provided.contains(Proviso::Bound));
    let lazy = exploration("lazy-dpor", two_adders);
    assert_eq!(provisos(&lazy), [Proviso::LazyLocks]);
    let literal = exploration("mcr:mode=literal", two_adders);
    assert_eq!(provisos(&literal), [Proviso::Unplanned]);
}
