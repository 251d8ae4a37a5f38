//! Programs that fail: what a technique that claims to be complete finds behind the first failure, under every
//! memory model, is what there is.

use std::collections::BTreeSet;
use std::sync::Arc;
use unpick::sync::atomic::{AtomicUsize, Ordering::*, fence};
use unpick::sync::{Barrier, Condvar, Mutex, RwLock, mpsc};
use unpick::trace::Outcome;
use unpick::{Config, Memory, thread};
use unpick_suite::litmus::{Litmus, random_orders};

/// The techniques that claim to find every failure.
const TECHNIQUES: [&str; 7] = [
    "hbr-cache",
    "lazy-hbr-cache",
    "dpor",
    "odpor",
    "lazy-odpor",
    "mcr",
    "se-mcr",
];

/// Random programs that are looked at for each model, unless asked for more.
const PROGRAMS: u64 = 300;

/// Programs with more schedules than this are left out.
const SCHEDULES_MAX: u64 = 3_000;

fn programs() -> u64 {
    let asked = std::env::var("UNPICK_PROGRAMS").ok();
    asked.map_or(PROGRAMS, |text| text.parse().expect("a number"))
}

/// The failures that an exploration meets, one word each; nothing if it does not come to its end.
fn failures(
    technique: &str,
    model: Memory,
    body: &(dyn Fn() + Send + Sync),
) -> Option<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    let config = Config::new()
        .strategy(technique)
        .executions(SCHEDULES_MAX)
        .keep_going(true)
        .memory(model);
    let exploration =
        unpick::explore_visited(&config, body, &mut |execution| match execution.outcome() {
            Some(Outcome::Fail(failure)) => drop(found.insert(failure.message.clone())),
            Some(Outcome::Deadlock(_)) => drop(found.insert("deadlock".into())),
            _ => {}
        });
    exploration.complete.then_some(found)
}

/// Both panics are reachable under tso and pso. The writer stands before its fence when main fails.
#[test]
fn a_failure_is_overtaken_by_a_fence_that_waits_for_the_buffer() {
    let body = || {
        let (x, y) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let x2 = Arc::clone(&x);
        let writer = thread::spawn(move || {
            y.store(2, Relaxed);
            fence(SeqCst);
            x2.store(1, Relaxed);
        });
        x.store(3, SeqCst);
        assert!(x.load(Relaxed) != 3, "A");
        assert!(x.load(Relaxed) == 3, "B");
        writer.join().unwrap();
    };
    for model in Memory::ALL {
        for technique in TECHNIQUES {
            let found = failures(technique, model, &body).expect("it is small");
            assert_eq!(
                found.len(),
                2,
                "{technique} under {}: {found:?}",
                model.name()
            );
        }
    }
}

/// What a technique finds on the random programs of a model against an enumeration that shares nothing with it.
#[test]
fn every_technique_finds_every_failure_of_random_programs() {
    for model in Memory::ALL {
        let (mut judged, mut failing) = (0, 0);
        let mut breaches = Vec::new();
        for seed in 0..programs() {
            let litmus = Arc::new(random_orders(seed, 3, 4));
            let truth = litmus.failures(model);
            let body = {
                let litmus = Arc::clone(&litmus);
                move || drop(litmus.run_tasks())
            };
            if failures("dfs", model, &body).is_none() {
                continue;
            }
            judged += 1;
            failing += u64::from(!truth.is_empty());
            for technique in std::iter::once("dfs").chain(TECHNIQUES) {
                let found = failures(technique, model, &body);
                if found.as_ref() != Some(&truth) {
                    let model = model.name();
                    breaches.push(format!(
                        "{technique} under {model}, program {seed}: {found:?} of {truth:?}\n{litmus}"
                    ));
                }
            }
        }
        let name = model.name();
        println!("{judged} programs under {name}, {failing} of them fail");
        assert!(breaches.is_empty(), "{}", breaches.join("\n"));
        assert!(failing * 5 > judged, "only {failing} of {judged} fail");
    }
}

/// Each model allows whatever the stronger one allows, with all orders and all fences.
#[test]
fn a_weaker_model_allows_all_that_a_stronger_one_allows() {
    let mut more = [0; 2];
    for seed in 0..10 * programs() {
        let litmus: Litmus = random_orders(seed, 3, 5);
        let [sc, tso, pso] = Memory::ALL.map(|model| litmus.outcomes(model));
        assert!(sc.is_subset(&tso), "program {seed}\n{litmus}");
        assert!(tso.is_subset(&pso), "program {seed}\n{litmus}");
        more[0] += u64::from(tso.len() > sc.len());
        more[1] += u64::from(pso.len() > tso.len());
    }
    println!(
        "tso allows more in {} programs, pso in {}",
        more[0], more[1]
    );
    assert!(more.iter().all(|&count| count > 10), "{more:?}");
}

/// Every technique that claims to be complete ends in the same ways as depth-first search.
fn compare(name: &str, count: usize, body: &(dyn Fn() + Send + Sync)) {
    let truth = failures("dfs", Memory::Sc, body).expect("it is small");
    assert_eq!(truth.len(), count, "{name}: {truth:?}");
    for technique in TECHNIQUES {
        let found = failures(technique, Memory::Sc, body);
        assert_eq!(found.as_ref(), Some(&truth), "{technique} on {name}");
    }
}

/// The notification can come before the wait. Who releases the mutex in order to wait becomes a waiter at once:
/// no notification comes between the two.
#[test]
fn a_notification_that_comes_too_early_is_asked_for() {
    compare("a condition variable", 1, &|| {
        let shared = Arc::new((Mutex::new(()), Condvar::new(), AtomicUsize::new(0)));
        let (a, b) = (Arc::clone(&shared), Arc::clone(&shared));
        let waiter = thread::spawn(move || {
            let guard = a.0.lock().unwrap();
            if a.2.load(SeqCst) == 1 {
                drop(a.1.wait(guard).unwrap());
            }
        });
        let setter = thread::spawn(move || b.2.store(1, SeqCst));
        {
            let _guard = shared.0.lock().unwrap();
            shared.1.notify_one();
        }
        waiter.join().unwrap();
        setter.join().unwrap();
    });
}

/// Waits that nothing ends, which begin only after a read has seen a store of another task.
#[test]
fn waits_that_no_task_ends_are_asked_for() {
    let flag = || Arc::new(AtomicUsize::new(0));
    compare("park", 1, &|| {
        let (flag, other) = (flag(), flag());
        let (flag2, other2) = (Arc::clone(&flag), Arc::clone(&other));
        let parked = thread::spawn(move || {
            if flag2.load(SeqCst) == 1 && other2.load(SeqCst) == 0 {
                thread::park();
            }
        });
        flag.store(1, SeqCst);
        other.store(1, SeqCst);
        parked.join().unwrap();
    });
    compare("a channel", 1, &|| {
        let flag = flag();
        let (sender, receiver) = mpsc::channel();
        let flag2 = Arc::clone(&flag);
        let sends = thread::spawn(move || {
            if flag2.load(SeqCst) == 0 {
                sender.send(1).unwrap();
            }
            sender
        });
        let receives = thread::spawn(move || receiver.recv().is_ok());
        flag.store(1, SeqCst);
        let _sender = sends.join().unwrap();
        receives.join().unwrap();
    });
    compare("a barrier", 1, &|| {
        let shared = Arc::new((Barrier::new(2), AtomicUsize::new(0)));
        let (a, b) = (Arc::clone(&shared), Arc::clone(&shared));
        let one = thread::spawn(move || {
            a.0.wait();
        });
        let two = thread::spawn(move || {
            if b.1.load(SeqCst) == 0 {
                b.0.wait();
            }
        });
        shared.1.store(1, SeqCst);
        one.join().unwrap();
        two.join().unwrap();
    });
}

/// Waits with a lock held that another task needs.
#[test]
fn waits_for_a_task_that_needs_the_lock_are_asked_for() {
    compare("a lock held while waiting for a task", 1, &|| {
        let shared = Arc::new((Mutex::new(()), AtomicUsize::new(0)));
        let other = Arc::clone(&shared);
        let task = thread::spawn(move || {
            other.1.store(1, SeqCst);
            drop(other.0.lock());
        });
        let guard = shared.0.lock().unwrap();
        if shared.1.load(SeqCst) == 1 {
            task.join().unwrap();
        }
        drop(guard);
    });
    compare("a writer among readers", 1, &|| {
        let shared = Arc::new((RwLock::new(0), Condvar::new(), Mutex::new(false)));
        let other = Arc::clone(&shared);
        let writer = thread::spawn(move || {
            *other.0.write().unwrap() += 1;
            *other.2.lock().unwrap() = true;
        });
        let reader = shared.0.read().unwrap();
        let mut is_done = shared.2.lock().unwrap();
        if *reader == 0 {
            while !*is_done {
                is_done = shared.1.wait(is_done).unwrap();
            }
        }
        drop((reader, is_done));
        writer.join().unwrap();
    });
}
