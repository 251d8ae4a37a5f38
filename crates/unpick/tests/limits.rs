//! Long executions pass, livelocks are found under a fair schedule only, and what cannot be decided is counted.

use std::time::Duration;
use unpick::hint::spin_loop;
use unpick::sync::atomic::{AtomicU32, AtomicUsize, Ordering::SeqCst};
use unpick::sync::{Arc, Mutex};
use unpick::trace::{FailureKind, Outcome};
use unpick::{Config, Exploration, Proviso, StopReason, explore, replay, thread, understand};

/// As many executions as let every member of the portfolio lead some.
const EXECUTIONS: u64 = 40;

fn by_default(program: fn()) -> Exploration {
    explore(Config::new().executions(EXECUTIONS), program)
}

#[track_caller]
fn assert_passes(found: &Exploration) {
    let outcome = found.first_failure.as_ref().map(|failure| &failure.outcome);
    assert_eq!(outcome, None);
    assert_eq!(found.inconclusive, 0);
}

/// 2 x 10,000 lock and unlock.
fn big_loop() {
    let total = Arc::new(Mutex::new(0));
    let other = total.clone();
    let adder = thread::spawn(move || {
        for _ in 0..10_000 {
            *other.lock().unwrap() += 1;
        }
    });
    for _ in 0..10_000 {
        *total.lock().unwrap() += 1;
    }
    adder.join().unwrap();
    assert_eq!(*total.lock().unwrap(), 20_000);
}

#[test]
fn an_execution_that_ends_behind_the_limit_was_only_long() {
    let found = by_default(big_loop);
    assert_passes(&found);
    assert_eq!(found.executions, EXECUTIONS);
    assert!(found.steps_max > 40_000, "{}", found.steps_max);
    assert!(found.claim().provided.contains(Proviso::StepLimit));
}

#[test]
fn a_long_loop_in_one_task_passes() {
    let operations: [fn(); 2] = [
        || {
            let total = AtomicUsize::new(0);
            (0..25_000).for_each(|_| _ = total.fetch_add(1, SeqCst));
            assert_eq!(total.load(SeqCst), 25_000);
        },
        || {
            let total = AtomicUsize::new(0);
            (0..25_000).for_each(|_| _ = total.load(SeqCst));
        },
    ];
    for program in operations {
        let found = by_default(program);
        assert_passes(&found);
        assert!(found.complete);
        assert_eq!(found.claim().provided, Proviso::StepLimit.into());
    }
}

/// There is one schedule, however long it is.
#[test]
fn a_task_that_is_alone_goes_on_to_its_end() {
    let found = by_default(|| {
        let total = AtomicUsize::new(0);
        (0..300_000).for_each(|_| _ = total.fetch_add(1, SeqCst));
        assert_eq!(total.load(SeqCst), 300_001);
    });
    assert_eq!(found.failures, 1);
    // Nor does it wait that walks over many.
    let found = by_default(|| {
        let all: Vec<AtomicUsize> = (0..100).map(AtomicUsize::new).collect();
        let sum = |_| all.iter().map(|one| one.load(SeqCst)).sum::<usize>();
        assert_eq!((0..3_000).map(sum).sum::<usize>(), 3_000 * 4_950);
    });
    assert_passes(&found);
    // It is not alone, although the other one cannot go on at the moment.
    let found = by_default(|| {
        let total = Arc::new(Mutex::new(0));
        let other = total.clone();
        let guard = total.lock().unwrap();
        let waiting = thread::spawn(move || *other.lock().unwrap());
        let count = AtomicUsize::new(0);
        (0..300_000).for_each(|_| _ = count.fetch_add(1, SeqCst));
        drop(guard);
        assert_eq!(waiting.join().unwrap(), 1);
    });
    assert_eq!((found.failures, found.inconclusive), (1, 0));
}

/// Waits for what another task writes, and changes something at every turn.
fn polls_a_mutex() {
    let flag = Arc::new(Mutex::new(false));
    let other = flag.clone();
    let writer = thread::spawn(move || *other.lock().unwrap() = true);
    while !*flag.lock().unwrap() {
        spin_loop();
    }
    writer.join().unwrap();
}

fn counts_its_tries() {
    let (flag, tries) = (Arc::new(AtomicU32::new(0)), AtomicU32::new(0));
    let other = flag.clone();
    let writer = thread::spawn(move || other.store(1, SeqCst));
    while flag.load(SeqCst) == 0 {
        tries.fetch_add(1, SeqCst);
    }
    writer.join().unwrap();
}

/// Two that poll each other in turns, and the one that they wait for.
fn two_poll() {
    let flag = Arc::new(Mutex::new(false));
    let poll = |flag: &Arc<Mutex<bool>>| {
        let flag = flag.clone();
        thread::spawn(move || while !*flag.lock().unwrap() {})
    };
    let polling = [poll(&flag), poll(&flag)];
    *flag.lock().unwrap() = true;
    polling.into_iter().for_each(|task| task.join().unwrap());
}

#[test]
fn a_loop_that_polls_lets_the_other_task_go_on() {
    let programs: [fn(); 3] = [polls_a_mutex, counts_its_tries, two_poll];
    for (number, program) in programs.into_iter().enumerate() {
        let found = by_default(program);
        assert_passes(&found);
        // No member of the portfolio is so unfair that the limit has to end its schedule.
        assert!(found.steps_max < 10_000, "{number}: {}", found.steps_max);
    }
}

/// Waits in a loop for what comes after a sleep that is longer than a task may be held up.
fn polls_a_sleeper() {
    let flag = Arc::new(AtomicU32::new(0));
    let other = flag.clone();
    let writer = thread::spawn(move || {
        thread::sleep(Duration::from_secs(5));
        other.store(1, SeqCst);
    });
    while flag.load(SeqCst) == 0 {
        thread::yield_now();
    }
    writer.join().unwrap();
}

/// Nothing but time can end the loop, and time passes.
#[test]
fn a_loop_that_polls_does_not_hold_up_the_clock() {
    for strategy in ["portfolio", "dfs", "random", "odpor"] {
        let config = Config::new().strategy(strategy).executions(10);
        assert_passes(&explore(config, polls_a_sleeper));
    }
}

/// Searches follow the loop up to the limit.
#[test]
fn a_loop_that_polls_is_no_livelock_under_an_unfair_schedule() {
    for strategy in [
        "dfs",
        "dpor",
        "odpor",
        "mcr",
        "pct",
        "round-robin:quantum=0",
    ] {
        let config = Config::new().strategy(strategy).executions(5).steps(2_000);
        assert_passes(&explore(config, polls_a_mutex));
    }
}

/// Each raises its flag, sees that of the other, lowers it, and tries again: for ever, in lock-step.
fn too_polite() {
    let wants = Arc::new([AtomicU32::new(0), AtomicU32::new(0)]);
    let enter = |own: usize| {
        let wants = wants.clone();
        move || loop {
            wants[own].store(1, SeqCst);
            let is_free = wants[1 - own].load(SeqCst) == 0;
            wants[own].store(0, SeqCst);
            if is_free {
                return;
            }
        }
    };
    let other = thread::spawn(enter(1));
    enter(0)();
    other.join().unwrap();
}

#[test]
fn a_lock_step_is_no_livelock() {
    let config = || Config::new().strategy("round-robin");
    let found = explore(config().patience(1), too_polite);
    assert_eq!(found.inconclusive, 1, "there is a lock-step");
    assert_passes(&explore(config(), too_polite));
    assert_passes(&by_default(too_polite));
}

/// Waits for what no task does.
fn waits_for_ever() {
    let flag = Arc::new(AtomicU32::new(0));
    let busy = thread::spawn(|| {
        let total = AtomicU32::new(0);
        (0..50).for_each(|_| _ = total.fetch_add(1, SeqCst));
    });
    let waiting = thread::spawn(move || while flag.load(SeqCst) == 0 {});
    busy.join().unwrap();
    waiting.join().unwrap();
}

#[test]
fn a_livelock_is_found_by_every_strategy_and_replays() {
    let strategies = [
        "portfolio",
        "dfs",
        "idb",
        "dpor",
        "odpor",
        "lazy-odpor",
        "mcr",
        "random",
        "pct",
        "pos",
        "round-robin",
        "maple",
    ];
    for strategy in strategies {
        let config = Config::new().strategy(strategy).steps(200).executions(50);
        let found = explore(config.clone(), waits_for_ever);
        let failure = found
            .first_failure
            .unwrap_or_else(|| panic!("{strategy}: no failure"));
        let Outcome::Fail(fault) = &failure.outcome else {
            panic!("{strategy}: {:?}", failure.outcome);
        };
        assert_eq!(fault.kind, FailureKind::Livelock, "{strategy}");
        assert!(
            fault
                .message
                .starts_with("livelock: nothing changes any more")
        );
        assert_eq!(found.inconclusive, 0, "{strategy}");
        let again = replay(&config, &waits_for_ever, failure.trace.clone());
        let again = again.first_failure.expect("the replay fails");
        assert_eq!(again.outcome, failure.outcome, "{strategy}");
        assert_eq!(again.trace.hash(), failure.trace.hash(), "{strategy}");
    }
}

#[test]
fn a_livelock_is_shrunk_and_explained() {
    let config = Config::new().strategy("random").shrink(200);
    let found = explore(config.clone(), waits_for_ever);
    let failure = found.first_failure.expect("a livelock");
    let (shrunk, _) = understand(&config, &waits_for_ever, &failure).expect("it is understood");
    assert_eq!(shrunk.outcome.word(), failure.outcome.word());
}

/// Serves for ever: something changes in every round.
fn serves_for_ever() {
    let requests = Arc::new(Mutex::new(0_u64));
    let other = requests.clone();
    let client = thread::spawn(move || {
        loop {
            *other.lock().unwrap() += 1;
        }
    });
    thread::spawn(move || {
        loop {
            *requests.lock().unwrap() = 0;
        }
    });
    client.join().unwrap();
}

#[test]
fn an_endless_program_is_inconclusive_and_the_search_goes_on() {
    let config = Config::new().steps(500).executions(EXECUTIONS);
    let found = explore(config.clone(), serves_for_ever);
    assert_eq!(found.failures, 0);
    assert_eq!(found.inconclusive, EXECUTIONS);
    assert_eq!(found.schedules, EXECUTIONS);
    assert_eq!(found.steps_max, 5_000);
    assert_eq!(found.stopped_because, StopReason::Executions);
    assert!(found.claim().provided.contains(Proviso::StepLimit));

    let config = config.fail_on_limit(true);
    let found = explore(config.clone(), serves_for_ever);
    assert_eq!((found.failures, found.inconclusive), (1, 0));
    let failure = found.first_failure.unwrap();
    assert_eq!(failure.outcome.word(), "step-limit");
    let again = replay(&config, &serves_for_ever, failure.trace.clone());
    assert_eq!(again.first_failure.unwrap().outcome, failure.outcome);
}

/// The first 300 operations are in order; behind them two tasks take two locks in opposite order.
fn deadlock_far_behind() {
    let (one, two) = (Arc::new(Mutex::new(0)), Arc::new(Mutex::new(0)));
    let take = |first: &Arc<Mutex<i32>>, second: &Arc<Mutex<i32>>| {
        let (first, second) = (first.clone(), second.clone());
        thread::spawn(move || {
            for _ in 0..60 {
                let held = first.lock().unwrap();
                drop(second.lock().unwrap());
                drop(held);
            }
        })
    };
    let total = AtomicU32::new(0);
    (0..300).for_each(|_| _ = total.fetch_add(1, SeqCst));
    let tasks = [take(&one, &two), take(&two, &one)];
    tasks.into_iter().for_each(|task| task.join().unwrap());
}

#[test]
fn a_failure_behind_the_limit_is_found_replays_and_is_shrunk() {
    for strategy in ["portfolio", "random", "dfs", "odpor", "mcr"] {
        let config = Config::new()
            .strategy(strategy)
            .steps(100)
            .executions(100)
            .confirm(0);
        let found = explore(config.clone(), deadlock_far_behind);
        let failure = found
            .first_failure
            .unwrap_or_else(|| panic!("{strategy}: no failure"));
        assert_eq!(failure.outcome.word(), "deadlock", "{strategy}");
        let again = replay(&config, &deadlock_far_behind, failure.trace.clone());
        assert_eq!(
            again.first_failure.unwrap().outcome,
            failure.outcome,
            "{strategy}"
        );
        let (shrunk, _) = understand(&config, &deadlock_far_behind, &failure).unwrap();
        assert_eq!(shrunk.outcome.word(), "deadlock", "{strategy}");
        assert!(
            shrunk.trace.steps.len() <= failure.trace.steps.len(),
            "{strategy}"
        );
    }
}

/// Two tasks with many schedules, most of them behind the limit.
fn two_adders() {
    let total = Arc::new(AtomicU32::new(0));
    let other = total.clone();
    let adder = thread::spawn(move || (0..6).for_each(|_| _ = other.fetch_add(1, SeqCst)));
    (0..6).for_each(|_| _ = total.fetch_add(1, SeqCst));
    adder.join().unwrap();
}

/// A search takes no notice of what happens behind the limit.
#[test]
fn no_choice_behind_the_limit_is_explored() {
    let searches = [
        "dfs",
        "ipb:beyond=1",
        "idb:beyond=1",
        "hbr-cache",
        "lazy-hbr-cache",
        "dpor",
        "lazy-dpor",
        "odpor",
        "lazy-odpor",
        "mcr",
        "se-mcr",
    ];
    for strategy in searches {
        let explored = |patience| {
            let config = Config::new().strategy(strategy).steps(7).executions(10_000);
            explore(config.patience(patience), two_adders)
        };
        let (short, long) = (explored(1), explored(10));
        assert!(short.complete && long.complete, "{strategy}");
        assert!(short.executions < 1_000, "{strategy}: {}", short.executions);
        assert_eq!(long.executions, short.executions, "{strategy}");
        assert_eq!(
            (long.schedules, long.inconclusive),
            (short.schedules, 0),
            "{strategy}"
        );
        assert!(short.inconclusive > 0, "{strategy}");
        for found in [short, long] {
            assert!(
                found.claim().provided.contains(Proviso::StepLimit),
                "{strategy}"
            );
        }
    }
}

/// Random numbers behind the limit follow from the schedule before it.
#[test]
fn one_seed_is_one_exploration_for_any_number_of_workers() {
    for strategy in ["portfolio", "random", "pct", "dfs", "dpor:part=2"] {
        let explored = |jobs| {
            let config = Config::new().strategy(strategy).steps(8).jobs(jobs);
            explore(config.executions(60).fingerprint(true), two_adders)
        };
        let (one, four) = (explored(1), explored(4));
        assert_ne!(one.hash, 0);
        assert_eq!(
            (one.hash, one.executions),
            (four.hash, four.executions),
            "{strategy}"
        );
        assert!(one.steps_max > 8, "{strategy}");
    }
}
