//! `odpor` and `lazy-odpor` run exactly as many executions as theory says are needed.

use std::sync::Arc;
use unpick::sync::atomic::{AtomicU32, Ordering::SeqCst};
use unpick::sync::{Barrier, Mutex};
use unpick::{Config, Exploration, thread};
use unpick_suite::find;
use unpick_suite::generated::{Channel, Program, Statement};
use unpick_suite::judge::{Coverage, Promise, Relations, judge};

use Statement::{
    Add, CellRead, CellWrite, CompareExchange, DataAdd, If, Join, Load, Lock, NotifyOne, Receive,
    Send, Spawn, Store, TryLock, TrySend, Wait,
};

/// Program, executions of `odpor`, executions of `lazy-odpor`.
const OPTIMA: &[(&str, u64, u64)] = &[
    ("race_counter:n=2,k=1", 4, 4),
    ("race_counter:n=2,k=2", 34, 34),
    ("race_counter:n=2,k=3", 328, 328),
    ("race_counter:n=3,k=1", 36, 36),
    ("race_counter:n=3,k=2", 7_134, 7_134),
    ("rmw_counter:n=2,k=3", 20, 20),
    ("rmw_counter:n=3,k=2", 90, 90),
    ("rmw_counter:n=3,k=3", 1_680, 1_680),
    ("philosophers:n=3,bug=0", 6, 4),
    ("philosophers:n=4,bug=0", 14, 8),
    ("mutex_disjoint:n=2,m=2", 6, 1),
    ("mutex_disjoint:n=2,m=3", 20, 1),
    ("mutex_disjoint:n=2,m=4", 70, 1),
    ("mutex_disjoint:n=3,m=1", 6, 1),
    ("mutex_disjoint:n=3,m=2", 90, 1),
    ("mutex_disjoint:n=3,m=3", 1_680, 1),
    ("channel:n=2,m=2", 6, 6),
    ("channel:n=3,m=2", 90, 90),
    ("independent:n=2,m=4", 1, 1),
    ("independent:n=4,m=4", 1, 1),
    ("readers:n=2", 4, 4),
    ("readers:n=3", 8, 8),
    ("readers:n=10", 1_024, 1_024),
    ("last_zero:n=2", 5, 5),
    ("last_zero:n=3", 12, 12),
    ("last_zero:n=5", 64, 64),
    ("last_zero:n=10", 3_328, 3_328),
    ("coarse.double_checked", 15, 15),
    ("disjoint:k=2", 2, 1),
    ("disjoint:k=3", 6, 1),
    ("disjoint:k=4", 24, 1),
    ("disjoint:k=5", 120, 1),
    ("disjoint:k=6", 720, 1),
    ("disjoint:k=7", 5_040, 1),
    ("disjoint:k=8", 40_320, 1),
    ("thesis.fig4_1", 24, 11),
    ("thesis.fig4_2a", 2, 2),
    ("thesis.fig4_2b", 3, 2),
    ("thesis.fig4_2c", 4, 2),
    ("thesis.fig4_2d", 5, 3),
    ("thesis.fig4_3a", 4, 2),
    ("thesis.fig4_3b", 3, 3),
    ("thesis.fig4_3c", 3, 3),
    ("thesis.fig4_3d", 6, 4),
];

fn explore(program: &str, strategy: &str) -> Exploration {
    let selection = find(program).expect("the program exists");
    let config = Config::new()
        .strategy(strategy)
        .executions(100_000)
        .keep_going(true);
    unpick::explore(config, move || selection.run())
}

#[test]
fn no_execution_is_run_that_theory_does_not_ask_for() {
    let mut wrong = Vec::new();
    for (program, optimum, lazy) in OPTIMA {
        for (strategy, expected) in [("odpor", *optimum), ("lazy-odpor", *lazy)] {
            let found = explore(program, strategy);
            let counts = (found.executions, found.schedules, found.complete);
            if counts != (expected, expected, true) {
                wrong.push(format!("{program}, {strategy}: {counts:?}, not {expected}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn program(channel: Option<Channel>, tasks: Vec<Vec<Statement>>) -> Program {
    Program { tasks, channel }
}

fn locked(mutex: usize, body: &[Statement]) -> Statement {
    Lock(mutex, body.to_vec())
}

/// Programs that have cost more than they need, with the executions of `odpor` and `lazy-odpor`.
fn small_programs() -> Vec<(&'static str, Program, (u64, u64))> {
    let room = |capacity, receiver| Some(Channel { capacity, receiver });
    let crossed = |outer, inner| locked(outer, &[locked(inner, &[])]);
    vec![
        (
            "a sender comes before both ends that main drops, between them, or after both",
            program(
                room(Some(0), 0),
                vec![vec![Spawn(1)], vec![Store(0, 2), Send(1)]],
            ),
            (3, 3),
        ),
        (
            "a message takes another place if it is sent earlier",
            program(
                room(Some(2), 2),
                vec![
                    vec![Spawn(1), Spawn(2), TrySend(1)],
                    vec![Send(2), Send(2)],
                    vec![Receive],
                ],
            ),
            (9, 9),
        ),
        (
            "a task that reads a cell uses the same objects afterwards",
            program(
                None,
                vec![
                    vec![Spawn(1), locked(0, &[Store(0, 1)])],
                    vec![CellWrite(1, 1), CellRead(0), Add(0, 1)],
                ],
            ),
            (2, 2),
        ),
        (
            "a section is another one if its task has seen something else",
            program(
                None,
                vec![
                    vec![Spawn(1), Load(0), locked(0, &[If(1, vec![locked(1, &[])])])],
                    vec![Add(0, 1)],
                ],
            ),
            (2, 2),
        ),
        (
            "a section that never began is known by the executions in which it did",
            program(
                None,
                vec![
                    vec![Spawn(1), Spawn(2), TryLock(1, vec![], vec![])],
                    vec![crossed(1, 0)],
                    vec![crossed(0, 1)],
                ],
            ),
            (12, 12),
        ),
        (
            "what was run before the search begins anew is not run again",
            program(
                None,
                vec![
                    vec![Spawn(2), Spawn(1), Join(1), TryLock(1, vec![], vec![])],
                    vec![locked(1, &[Wait(0)])],
                    vec![locked(1, &[NotifyOne(0)])],
                ],
            ),
            (2, 2),
        ),
    ]
}

/// Whether somebody tries the mutex of the last two tasks depends on who stores last.
fn late_attempt() -> Program {
    let children = [
        vec![Store(1, 1)],
        vec![Store(1, 2)],
        vec![locked(0, &[])],
        vec![locked(0, &[])],
    ];
    let joins = [Join(1), Join(2)];
    let attempt = [Load(1), If(1, vec![TryLock(0, vec![], vec![])])];
    let main = (1..=children.len()).map(Spawn).chain(joins).chain(attempt);
    let tasks = core::iter::once(main.collect()).chain(children);
    program(None, tasks.collect())
}

/// An exchange that succeeds only where it is moved to: a load that sleeps there does not cover it.
fn moved_exchange() -> Program {
    let tasks = vec![
        vec![Spawn(1), CompareExchange(0, 1, 2), Store(0, 2)],
        vec![Spawn(2), Store(0, 0), Load(0)],
        vec![CompareExchange(0, 0, 1)],
    ];
    program(None, tasks)
}

/// What is put aside for a branch comes from an execution in which the inner mutex has another number.
fn renumbered_mutex() -> Program {
    let tasks = vec![
        vec![Spawn(1), locked(1, &[locked(0, &[DataAdd(2)])])],
        vec![Spawn(2), locked(0, &[DataAdd(2)])],
        vec![locked(1, &[])],
    ];
    program(None, tasks)
}

#[test]
fn small_programs_need_no_more_than_they_did() {
    let promises = [
        Promise::new("odpor", Coverage::EveryState, Relations::Optimal),
        Promise::new("lazy-odpor", Coverage::EveryState, Relations::Uncut),
    ];
    let others = [
        ("an exchange that is moved", moved_exchange(), (25, 25)),
        ("a mutex with another number", renumbered_mutex(), (4, 4)),
        ("a mutex that is tried late", late_attempt(), (12, 12)),
    ];
    for (what, program, (optimum, lazy)) in small_programs().into_iter().chain(others) {
        let verdict = judge(&program, &promises, 10_000).expect("it is small");
        assert!(verdict.breaches.is_empty(), "{what}: {verdict:?}");
        let executions: Vec<u64> = verdict
            .techniques
            .iter()
            .map(|one| one.executions)
            .collect();
        assert_eq!(executions, [optimum, lazy], "{what}");
    }
}

/// Every lazy relation of the figure is an order of sections whose contents conflict.
#[test]
fn a_section_that_does_something_else_when_it_comes_earlier_is_not_left_out() {
    let selection = find("thesis.fig4_1").expect("the program exists");
    let config = Config::new().strategy("lazy-odpor").classes(true);
    let found = unpick::explore(config, move || selection.run());
    assert_eq!(found.lazy_hbrs(), Some(11));
}

/// A program with other objects than the generated ones have: `dfs` meets so many relations, `odpor` and
/// `lazy-odpor` run one execution for each.
fn check_executions(what: &str, relations: u64, body: fn()) {
    let explore = |strategy| {
        let config = Config::new().strategy(strategy).keep_going(true);
        unpick::explore(config.classes(true), body)
    };
    assert_eq!(explore("dfs").hbrs(), Some(relations), "{what}");
    for strategy in ["odpor", "lazy-odpor"] {
        let found = explore(strategy);
        let counts = (found.executions, found.schedules, found.hbrs());
        let expected = (relations, relations, Some(relations));
        assert_eq!(counts, expected, "{what}, {strategy}");
    }
}

/// Behind the store, the third task comes to the barrier, before the second one or after it. Before the
/// store it does not, and the second one has nothing to do with it.
#[test]
fn a_barrier_that_is_not_reached_costs_no_execution() {
    check_executions("barrier", 3, || {
        let numbers = Arc::new([AtomicU32::new(0), AtomicU32::new(0)]);
        let barrier = Arc::new(Barrier::new(1));
        let (first, second, third) = (Arc::clone(&numbers), Arc::clone(&numbers), numbers);
        let shared = Arc::clone(&barrier);
        thread::spawn(move || first[0].store(1, SeqCst));
        thread::spawn(move || {
            second[1].load(SeqCst);
            shared.wait();
        });
        thread::spawn(move || {
            if third[0].load(SeqCst) == 1 {
                barrier.wait();
            }
        });
    });
}

/// A task that fails if it finds another one at its end, or what that one has left in a mutex.
#[test]
fn a_task_that_has_not_ended_costs_no_execution() {
    check_executions("end", 3, || {
        let numbers = Arc::new([AtomicU32::new(0), AtomicU32::new(0), AtomicU32::new(0)]);
        let (first, second) = (Arc::clone(&numbers), Arc::clone(&numbers));
        let other = thread::spawn(move || first[0].store(1, SeqCst));
        thread::spawn(move || {
            second[1].load(SeqCst);
            assert!(!other.is_finished());
        });
        numbers[2].store(1, SeqCst);
    });
    check_executions("mutex", 3, || {
        let number = AtomicU32::new(0);
        let mutex = Arc::new(Mutex::new(0));
        let shared = Arc::clone(&mutex);
        thread::spawn(move || *shared.lock().unwrap() = 1);
        thread::spawn(move || assert_ne!(*mutex.lock().unwrap(), 1));
        number.store(1, SeqCst);
    });
}
