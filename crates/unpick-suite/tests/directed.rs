//! Techniques that direct executions: what they force happens, and `maple` ends by itself.

use std::sync::Arc;
use unpick::sync::Mutex;
use unpick::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use unpick::{Config, Exploration, StopReason, explore, thread};
use unpick_suite::{find, programs};

fn run(name: &str, strategy: &str, executions: u64) -> Exploration {
    let selection = find(name).expect("it is in the suite");
    let config = Config::new()
        .strategy(strategy)
        .executions(executions)
        .keep_going(true)
        .confirm(0)
        .fingerprint(true);
    explore(config, move || selection.run())
}

#[test]
fn maple_ends_by_itself() {
    let mut count = 0;
    for program in programs() {
        if program.name.starts_with("CS.") || program.name.starts_with("coarse.") {
            let found = run(program.name, "maple", 20_000);
            assert_eq!(
                found.stopped_because,
                StopReason::Strategy,
                "{}",
                program.name
            );
            assert!(!found.complete, "{}", program.name);
            count += 1;
        }
    }
    assert!(count > 50, "{count}");
}

/// Those of the published ones that are not found by the first execution, and the crosswise locks.
#[test]
fn maple_forces_what_single_executions_do_not_show() {
    for name in [
        "CB.stringbuffer-jdk1.4",
        "CS.account_bad",
        "CS.carter01_bad",
        "CS.deadlock01_bad",
        "CS.token_ring_bad",
        "CS.twostage_bad",
        "CS.wronglock_3_bad",
        "CS.wronglock_bad",
    ] {
        let found = run(name, "maple", 1_000);
        assert!(
            found.failures > 0,
            "{name}: {} executions",
            found.executions
        );
    }
}

#[test]
fn maple_does_the_same_again() {
    let [one, other] = [(); 2].map(|()| run("CS.carter01_bad", "maple", 1_000));
    assert_eq!((one.executions, one.hash), (other.executions, other.hash));
    assert_ne!(one.hash, 0);
}

/// Each of two tasks adds one in two critical sections.
fn lost_update() {
    let counter = Arc::new(Mutex::new(0));
    let tasks: Vec<_> = (0..2)
        .map(|_| {
            let counter = Arc::clone(&counter);
            thread::spawn(move || {
                let value = *counter.lock().unwrap();
                *counter.lock().unwrap() = value + 1;
            })
        })
        .collect();
    tasks.into_iter().for_each(|task| task.join().unwrap());
    assert_eq!(*counter.lock().unwrap(), 2);
}

#[test]
fn atom_fuzzer_always_comes_between_two_critical_sections() {
    let failures = |strategy: &str| {
        let config = Config::new().strategy(strategy).executions(200);
        explore(config.keep_going(true), lost_update).failures
    };
    assert_eq!(failures("atom-fuzzer"), 200);
    assert!(failures("random") < 200);
}

/// A task that is paused may be waited for.
#[test]
fn atom_fuzzer_gives_way_to_those_who_spin() {
    let program = || {
        let shared = Arc::new((Mutex::new(()), AtomicUsize::new(0)));
        let other = Arc::clone(&shared);
        let task = thread::spawn(move || {
            drop(other.0.lock().unwrap());
            drop(other.0.lock().unwrap());
            other.1.store(1, SeqCst);
        });
        while shared.1.load(SeqCst) == 0 {
            unpick::hint::spin_loop();
        }
        task.join().unwrap();
    };
    for strategy in ["atom-fuzzer", "maple"] {
        let config = Config::new().strategy(strategy).executions(50);
        let found = explore(config, program);
        assert!(found.is_clean(), "{strategy}");
    }
}
