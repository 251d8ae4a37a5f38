//! Explanations tell what a failure depends on, and nothing else.

use unpick::report::explained;
use unpick::sync::atomic::{
    AtomicU32,
    Ordering::{Relaxed, SeqCst},
};
use unpick::sync::{Arc, Barrier, Mutex};
use unpick::{Config, Memory, Pattern, choose, explore, replay, thread, understand};

/// Two tasks count in a way that loses one, and meet elsewhere, where it does not matter who is first.
fn lossy_count() {
    let counter = Arc::new(AtomicU32::new(0));
    let meeting = Arc::new(AtomicU32::new(0));
    counter.load(SeqCst);
    meeting.load(SeqCst);
    let tasks = [(), ()].map(|()| {
        let (counter, meeting) = (Arc::clone(&counter), Arc::clone(&meeting));
        thread::spawn(move || {
            meeting.fetch_add(1, SeqCst);
            let value = counter.load(SeqCst);
            counter.store(value + 1, SeqCst);
        })
    });
    for task in tasks {
        task.join().unwrap();
    }
    assert_eq!(counter.load(SeqCst), 2, "a count was lost");
}

#[test]
fn an_ordering_that_does_not_matter_is_no_cause() {
    let config = Config::new().strategy("dfs").executions(10_000);
    let found = explore(config.clone(), lossy_count).first_failure.unwrap();
    let (_, known) = understand(&config, &lossy_count, &found).unwrap();
    let explanation = known.explanation;
    assert_eq!(explanation.pattern, Some(Pattern::LostUpdate));
    // A read before the other one's write, which is before the own one.
    assert_eq!(explanation.depth(), Some(2));
    let passing = explanation.passing.unwrap();
    let again = replay(&config, &lossy_count, passing);
    assert!(again.first_failure.is_none() && again.diverged.is_none());
    // Their first uses stand at the beginning, in this order.
    let objects = [0, 1].map(|index| explanation.events[index].op.object);
    let [counter, meeting] = objects;
    let is_met = |event: &&unpick::analysis::Event| event.op.object == meeting;
    assert_eq!(explanation.events.iter().filter(is_met).count(), 3);
    assert!(!explanation.causes.is_empty());
    for cause in &explanation.causes {
        for index in [cause.first, cause.second] {
            assert_eq!(explanation.events[index].op.object, counter, "{cause:?}");
        }
    }
}

/// A withdrawal that is not covered leaves without letting go of the lock; a deposit that comes before it
/// covers it.
fn leaves_locked() {
    let balance = Arc::new(Mutex::new(10));
    let other = Arc::clone(&balance);
    let spender = thread::spawn(move || {
        let mut balance = other.lock().unwrap();
        match *balance < 15 {
            true => std::mem::forget(balance),
            false => *balance -= 15,
        }
    });
    let saver = thread::spawn(move || *balance.lock().unwrap() += 5);
    spender.join().unwrap();
    saver.join().unwrap();
}

#[test]
fn an_operation_that_was_never_performed_may_have_come_too_late() {
    let config = Config::new().strategy("dfs").executions(10_000);
    let found = explore(config.clone(), leaves_locked)
        .first_failure
        .unwrap();
    let (_, known) = understand(&config, &leaves_locked, &found).unwrap();
    let explanation = known.explanation;
    assert_eq!(explanation.pattern, Some(Pattern::OrderViolation));
    assert_eq!(explanation.depth(), Some(1));
}

/// The first task waits for a lock that the second one takes in between, and for ever, if it comes later.
fn waits_within(is_early: bool) {
    let gate = Arc::new(Mutex::new(()));
    let other = Arc::clone(&gate);
    let closer = thread::spawn(move || std::mem::forget(other.lock()));
    if !is_early {
        closer.join().unwrap();
        drop(gate.lock());
        return;
    }
    drop(gate.lock());
    closer.join().unwrap();
}

/// Whoever finds it unmade takes the lock, looks again and makes it; but it is called made too early.
fn checks_twice() {
    let made = Arc::new(AtomicU32::new(0));
    let value = Arc::new(AtomicU32::new(0));
    let lock = Arc::new(Mutex::new(()));
    let tasks = [(), ()].map(|()| {
        let (made, value, lock) = (Arc::clone(&made), Arc::clone(&value), Arc::clone(&lock));
        thread::spawn(move || {
            if made.load(SeqCst) == 0 {
                let _guard = lock.lock().unwrap();
                if made.load(SeqCst) == 0 {
                    made.store(1, SeqCst);
                    value.store(42, SeqCst);
                }
            }
            assert_eq!(value.load(SeqCst), 42, "not made");
        })
    });
    for task in tasks {
        task.join().unwrap();
    }
}

#[test]
fn double_checked_locking_is_called_by_its_name() {
    let config = Config::new().strategy("dfs").executions(10_000);
    let found = explore(config.clone(), checks_twice).first_failure.unwrap();
    let (_, known) = understand(&config, &checks_twice, &found).unwrap();
    assert_eq!(known.explanation.pattern, Some(Pattern::DoubleChecked));
}

#[test]
fn what_fails_in_every_order_is_told_from_what_does_not() {
    for (is_early, expected) in [
        (true, Pattern::OrderViolation),
        (false, Pattern::EveryOrder),
    ] {
        let config = Config::new().strategy("dfs").executions(10_000);
        let program = move || waits_within(is_early);
        let found = explore(config.clone(), program).first_failure.unwrap();
        let (_, known) = understand(&config, &program, &found).unwrap();
        assert_eq!(known.explanation.pattern, Some(expected), "{is_early}");
    }
}

/// A reader takes the number of a version and looks whether that is in use; the writer has moved on. If the
/// reader `acts`, it writes down what it has taken.
fn version_moves_on(acts: bool) {
    let current = Arc::new(AtomicU32::new(0));
    let retired = Arc::new([AtomicU32::new(0), AtomicU32::new(0)]);
    let noted = AtomicU32::new(0);
    let reader = {
        let (current, retired) = (Arc::clone(&current), Arc::clone(&retired));
        thread::spawn(move || {
            let version = current.load(SeqCst);
            let is_retired = retired[version as usize].load(SeqCst) == 1;
            if acts {
                noted.store(version, SeqCst);
            }
            assert!(!is_retired, "version {version} is no longer in use");
        })
    };
    current.store(1, SeqCst);
    retired[0].store(1, SeqCst);
    reader.join().unwrap();
}

/// The reader fails by what it has read, before the writer has come: nothing is old.
fn comes_too_early() {
    let ready = Arc::new(AtomicU32::new(0));
    let other = Arc::clone(&ready);
    let writer = thread::spawn(move || other.store(1, SeqCst));
    assert_eq!(ready.load(SeqCst), 1, "not ready");
    writer.join().unwrap();
}

#[test]
fn a_stale_read_is_told_from_its_neighbours() {
    fn pattern(program: fn()) -> Option<Pattern> {
        let config = Config::new().strategy("ipb").executions(10_000);
        let found = explore(config.clone(), program).first_failure.unwrap();
        let (_, known) = understand(&config, &program, &found).unwrap();
        known.explanation.pattern
    }
    let looks = || version_moves_on(false);
    assert_eq!(pattern(looks), Some(Pattern::StaleRead));
    let acts = || version_moves_on(true);
    assert_eq!(pattern(acts), Some(Pattern::CheckThenAct));
    assert_eq!(pattern(comes_too_early), Some(Pattern::OrderViolation));
}

/// Each of two tasks stores to its own variable and loads the other's.
fn both_see_the_old_value() {
    let variables = Arc::new([AtomicU32::new(0), AtomicU32::new(0)]);
    let tasks = [0, 1].map(|own| {
        let variables = Arc::clone(&variables);
        thread::spawn(move || {
            variables[own].store(1, Relaxed);
            variables[1 - own].load(Relaxed)
        })
    });
    let seen = tasks.map(|task| task.join().unwrap());
    assert_ne!(seen, [0, 0], "both saw the old value");
}

/// A flag is seen before the data that was stored before it.
fn flag_overtakes_data() {
    let shared = Arc::new([AtomicU32::new(0), AtomicU32::new(0)]);
    let other = Arc::clone(&shared);
    let writer = thread::spawn(move || {
        other[0].store(7, Relaxed);
        other[1].store(1, Relaxed);
    });
    if shared[1].load(Relaxed) == 1 {
        assert_eq!(shared[0].load(Relaxed), 7, "the flag came first");
    }
    writer.join().unwrap();
}

/// A reference is seen before either field of what it refers to: to see one of them in time would not help.
fn reference_overtakes_fields() {
    let shared = Arc::new([0; 3].map(AtomicU32::new));
    let other = Arc::clone(&shared);
    let writer = thread::spawn(move || {
        other[0].store(2, Relaxed);
        other[1].store(3, Relaxed);
        other[2].store(1, Relaxed);
    });
    let reader = thread::spawn(move || {
        let is_set = shared[2].load(Relaxed) == 1;
        !is_set || shared[0].load(Relaxed) + 1 == shared[1].load(Relaxed)
    });
    writer.join().unwrap();
    assert!(reader.join().unwrap(), "the fields do not fit together");
}

/// Two tasks count in a way that loses one under every model: no fence would help.
fn lossy_relaxed_count() {
    let counter = Arc::new(AtomicU32::new(0));
    let tasks = [(), ()].map(|()| {
        let counter = Arc::clone(&counter);
        thread::spawn(move || {
            let value = counter.load(Relaxed);
            counter.store(value + 1, Relaxed);
        })
    });
    for task in tasks {
        task.join().unwrap();
    }
    assert_eq!(counter.load(Relaxed), 2, "a count was lost");
}

#[test]
fn a_missing_fence_is_named_where_a_store_was_overtaken() {
    fn pattern(program: fn(), model: Memory, strategy: &str) -> Option<Pattern> {
        let config = Config::new().strategy(strategy).memory(model);
        let found = explore(config.clone(), program).first_failure.unwrap();
        let (smaller, known) = understand(&config, &program, &found).unwrap();
        let again = replay(&config, &program, smaller.trace);
        assert!(again.first_failure.is_some(), "it is replayed");
        known.explanation.pattern
    }
    for model in [Memory::Tso, Memory::Pso] {
        let both = pattern(both_see_the_old_value, model, "odpor");
        assert_eq!(both, Some(Pattern::MissingFence), "{model:?}");
        let lossy = pattern(lossy_relaxed_count, model, "odpor");
        assert_ne!(lossy, Some(Pattern::MissingFence), "{model:?}");
    }
    // The strategies come to different schedules: one field is seen in time, or none.
    for strategy in ["odpor", "dfs", "ipb", "pct", "pos", "random"] {
        for program in [flag_overtakes_data, reference_overtakes_fields] {
            let overtaken = pattern(program, Memory::Pso, strategy);
            assert_eq!(overtaken, Some(Pattern::MissingFence), "{strategy}");
        }
    }
}

/// What the line that says why says of the first failure.
fn why(program: fn()) -> String {
    let config = Config::new().strategy("dfs").steps(2_000);
    let found = explore(config.clone(), program).first_failure.unwrap();
    let (least, known) = understand(&config, &program, &found).unwrap();
    explained(&least.outcome, &least.trace, &known.explanation)
}

#[test]
fn an_answer_that_a_failure_needs_is_told() {
    let weak = why(|| {
        let counter = AtomicU32::new(0);
        assert!(counter.compare_exchange_weak(0, 1, SeqCst, SeqCst).is_ok());
    });
    assert!(
        weak.starts_with("not a matter of order: task 0's compare_exchange on variable 1 (crates/"),
        "{weak}"
    );
    assert!(weak.ends_with(") failed without a reason"), "{weak}");
    let value = why(|| assert!(choose(3) * choose(5) < 8));
    assert_eq!(
        value,
        "not a matter of order: task 0 chose 2 of 3; and task 0 chose 4 of 5"
    );
    let always = why(|| assert!(choose(3) > 2));
    assert_eq!(
        always,
        "fails in every order: no schedule that was tried passes"
    );
}

#[test]
fn a_livelock_tells_where_it_goes_round() {
    let text = why(|| {
        let flag = Arc::new(AtomicU32::new(0));
        thread::spawn(move || while flag.load(SeqCst) == 0 {})
            .join()
            .unwrap();
    });
    let begin = "fails in every order: the last steps go round: task 1 load on variable 2 (crates/";
    assert!(text.starts_with(begin), "{text}");
}

#[test]
fn who_waits_at_a_barrier_is_told_in_words() {
    let text = why(|| {
        Barrier::new(2).wait();
    });
    let begin = "fails in every order: task 0 waits to meet others at barrier 1 (crates/";
    assert!(text.starts_with(begin), "{text}");
}
