//! The barrier under every schedule.

#[path = "answers/every_schedule.rs"]
mod answers;

use answers::{answers, assert_deadlocks};
use std::collections::BTreeSet;
use unpick::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use unpick::sync::{Arc, Barrier};
use unpick::thread;

#[test]
fn everybody_arrives_before_anybody_leaves_and_one_leads() {
    let seen = answers(|| {
        let shared = Arc::new((Barrier::new(3), AtomicUsize::new(0)));
        let body = |shared: Arc<(Barrier, AtomicUsize)>| {
            shared.1.fetch_add(1, SeqCst);
            let leads = shared.0.wait().is_leader();
            assert_eq!(shared.1.load(SeqCst), 3);
            leads
        };
        let others: Vec<_> = (0..2)
            .map(|_| {
                let shared = Arc::clone(&shared);
                thread::spawn(move || body(shared))
            })
            .collect();
        let mut leads = vec![body(shared)];
        leads.extend(others.into_iter().map(|other| other.join().unwrap()));
        leads
    });
    let leaders = |index: usize| (0..3).map(|other| other == index).collect();
    assert_eq!(seen, BTreeSet::from([leaders(0), leaders(1), leaders(2)]));
}

#[test]
fn a_barrier_can_be_used_again() {
    let seen = answers(|| {
        let shared = Arc::new((Barrier::new(2), AtomicUsize::new(0)));
        let other = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                let mut leads = 0;
                for round in 1..=2 {
                    leads += usize::from(shared.0.wait().is_leader());
                    shared.1.store(round, SeqCst);
                    leads += usize::from(shared.0.wait().is_leader());
                }
                leads
            })
        };
        let mut leads = 0;
        for round in 1..=2 {
            leads += usize::from(shared.0.wait().is_leader());
            leads += usize::from(shared.0.wait().is_leader());
            assert_eq!(shared.1.load(SeqCst), round);
        }
        leads + other.join().unwrap()
    });
    assert_eq!(seen, BTreeSet::from([4]));
}

#[test]
fn a_barrier_for_one_or_none_never_blocks() {
    let seen = answers(|| {
        let (none, one) = (Barrier::new(0), Barrier::new(1));
        [none.wait(), none.wait(), one.wait(), one.wait()].map(|end| end.is_leader())
    });
    assert_eq!(seen, BTreeSet::from([[true; 4]]));
}

#[test]
fn too_few_tasks_deadlock() {
    assert_deadlocks(|| {
        let barrier = Arc::new(Barrier::new(3));
        let other = {
            let barrier = Arc::clone(&barrier);
            thread::spawn(move || barrier.wait().is_leader())
        };
        barrier.wait();
        other.join().unwrap();
    });
}
