//! Every technique that exists is held to what it promises, on thousands of random programs.
//!
//! `cargo xtask soundness` does the same with more of them, and makes a program that shows a breach
//! small.

use unpick_suite::generated::{Channel, Flavour, Program, Statement, generate};
use unpick_suite::judge::{PROMISES, Tally, judge};

use Statement::{
    Add, CellRead, CellWrite, CompareExchange, If, Join, Load, Lock, NotifyOne, PanicIf, ReadLock,
    Send, Spawn, Store, StoreLocal, TryReadLock, TrySend, Wait, WriteLock,
};

/// Programs of each flavour that are looked at.
const PROGRAMS: u64 = 400;

/// Programs with more schedules than this are left out.
const SCHEDULES_MAX: u64 = 400;

#[test]
fn techniques_keep_their_promises_on_random_programs() {
    let mut tally = Tally::default();
    let mut breaches = Vec::new();
    for promise in PROMISES {
        if let Some(reason) = promise.missing() {
            println!("left out: {}: {reason}", promise.technique);
        }
    }
    for flavour in Flavour::ALL {
        for seed in 0..PROGRAMS {
            let verdict = judge(&generate(seed, *flavour), PROMISES, SCHEDULES_MAX);
            tally.add(*flavour, verdict.as_ref());
            for breach in verdict.into_iter().flat_map(|verdict| verdict.breaches) {
                let name = flavour.name();
                breaches.push(format!("program {seed} of {name}: {breach}"));
            }
        }
    }
    println!("{tally}");
    assert!(breaches.is_empty(), "{}", breaches.join("\n"));
    let (optimal, lazy) = (tally.executions("odpor"), tally.executions("lazy-odpor"));
    assert_eq!(tally.longer(), 0, "lazy-odpor ran more than odpor");
    assert!(
        lazy < optimal,
        "lazy-odpor ran {lazy} executions, odpor {optimal}"
    );
    assert!(tally.judged() >= 3_000, "only {} programs", tally.judged());
}

/// Where the other reader is still inside when the writer has left its own reading section, the
/// writer waits; it can go first all the same, before the other reader came in. On the way back there
/// lies its own section, which does not conflict with that of the other one.
#[test]
fn a_writer_overtakes_a_reader_that_it_read_together_with() {
    let tasks = vec![
        vec![Spawn(1), ReadLock(0, vec![Add(0, 2)])],
        vec![ReadLock(0, vec![StoreLocal(0)]), WriteLock(0, 1, vec![])],
    ];
    let program = Program {
        tasks,
        channel: None,
    };
    let verdict = judge(&program, PROMISES, 10_000).expect("it is small");
    assert_eq!(verdict.relations, 5);
    assert!(verdict.breaches.is_empty(), "{:?}", verdict.breaches);
}

/// A message that waits until there is no receiver any more touches nothing but the receiver; sent
/// earlier it takes the only place. Three tasks compete for it.
#[test]
fn a_message_that_came_too_late_competes_for_the_place_if_it_comes_earlier() {
    let tasks = vec![
        vec![Spawn(2), Spawn(1), Send(2)],
        vec![Send(2)],
        vec![TrySend(1)],
    ];
    let program = Program {
        tasks,
        channel: Some(Channel {
            capacity: Some(1),
            receiver: 2,
        }),
    };
    let verdict = judge(&program, PROMISES, 10_000).expect("it is small");
    assert_eq!(verdict.relations, 3);
    assert!(verdict.breaches.is_empty(), "{:?}", verdict.breaches);
}

/// The writer follows one reader in any case, and can overtake another one that came before it.
#[test]
fn a_writer_overtakes_one_of_two_readers() {
    let tasks = vec![
        vec![Spawn(1), Spawn(2), Store(0, 2), WriteLock(0, 1, vec![])],
        vec![TryReadLock(0), Store(0, 1)],
        vec![ReadLock(0, vec![Load(0)])],
    ];
    let program = Program {
        tasks,
        channel: None,
    };
    let verdict = judge(&program, PROMISES, 10_000).expect("it is small");
    assert_eq!(verdict.relations, 39);
    assert!(verdict.breaches.is_empty(), "{:?}", verdict.breaches);
}

/// Seen after the store, the first load lets the execution go on; before it, it ends it, so that what
/// others did before it matters.
#[test]
fn a_failure_that_is_reached_later_leaves_another_state() {
    let tasks = vec![
        vec![Spawn(1), Spawn(2), Load(0), PanicIf(0)],
        vec![Store(0, 2)],
        vec![Load(1)],
    ];
    let program = Program {
        tasks,
        channel: None,
    };
    let verdict = judge(&program, PROMISES, 10_000).expect("it is small");
    assert!(verdict.fails);
    assert!(verdict.breaches.is_empty(), "{:?}", verdict.breaches);
}

/// Performed before the exchange of the first task, the exchange of the second one ends the execution;
/// performed after it, it does not. A branch that was planned by what was seen after it does not lead
/// to what it was expected to lead to.
#[test]
fn a_failure_that_was_not_foreseen_leads_to_nothing_else() {
    let tasks = vec![
        vec![
            Spawn(1),
            Spawn(2),
            CompareExchange(0, 0, 1),
            Lock(0, vec![]),
        ],
        vec![CompareExchange(0, 1, 2), PanicIf(0)],
        vec![Lock(0, vec![])],
    ];
    let program = Program {
        tasks,
        channel: None,
    };
    let verdict = judge(&program, PROMISES, 10_000).expect("it is small");
    assert!(verdict.fails);
    assert!(verdict.breaches.is_empty(), "{:?}", verdict.breaches);
}

/// Relations as the engine tells them apart, schedules of `odpor`, and executions.
fn counts_of_odpor(tasks: Vec<Vec<Statement>>) -> (u64, u64, u64) {
    let program = Program {
        tasks,
        channel: None,
    };
    let verdict = judge(&program, PROMISES, 10_000).expect("it is small");
    assert!(verdict.breaches.is_empty(), "{:?}", verdict.breaches);
    let mut techniques = verdict.techniques.iter();
    let odpor = techniques.find(|one| one.technique == "odpor");
    let odpor = odpor.expect("it is judged");
    (verdict.engine_relations, odpor.schedules, odpor.executions)
}

/// Behind the store of the second task, the addition of the third one ends the execution, so that the store
/// of the first task matters to it. Before it, it does not, and an execution that performed it there would
/// end when nothing is left but what has been explored.
#[test]
fn a_failure_that_does_not_come_about_costs_no_execution() {
    let counts = counts_of_odpor(vec![
        vec![Spawn(1), Spawn(2), Store(1, 1)],
        vec![Store(0, 1)],
        vec![Add(0, 1), PanicIf(1)],
    ]);
    assert_eq!(counts, (3, 3, 3));
}

/// The same with an access that races: the load leads to it behind the store, and not before it.
#[test]
fn a_race_that_does_not_come_about_costs_no_execution() {
    let counts = counts_of_odpor(vec![
        vec![Spawn(1), Spawn(2), Spawn(3)],
        vec![Store(0, 1)],
        vec![CellRead(1)],
        vec![Load(0), If(1, vec![CellWrite(1, 2)])],
    ]);
    assert_eq!(counts, (3, 3, 3));
}

/// The third task fails in any case, so that what the others did before it is a state of its own. That it
/// fails before both of them is asked for where it has failed before one of them, and must be kept.
#[test]
fn a_failure_that_comes_about_anyway_is_tried_before_everything() {
    let counts = counts_of_odpor(vec![
        vec![Spawn(1), Spawn(2), Load(0)],
        vec![Load(1)],
        vec![Lock(0, vec![PanicIf(0)])],
    ]);
    assert_eq!(counts, (4, 4, 4));
}

/// The same with accesses that race: the second task comes to stand before its own behind a lock.
#[test]
fn a_race_that_comes_about_anyway_is_tried_before_everything() {
    let counts = counts_of_odpor(vec![
        vec![Spawn(2), Spawn(1), CellWrite(0, 2)],
        vec![Lock(0, vec![CellRead(0)])],
        vec![CellWrite(0, 2)],
    ]);
    assert_eq!(counts, (6, 6, 6));
}

/// Two attempts have seen that there is no room. The send that waits has to overtake the message that
/// took it, and cannot overtake the attempts one at a time.
#[test]
fn a_send_overtakes_a_message_that_two_attempts_have_seen() {
    let tasks = vec![
        vec![Spawn(1), Spawn(2), TrySend(1), Join(1)],
        vec![Spawn(3), TrySend(1), Join(3)],
        vec![TrySend(2)],
        vec![Send(2)],
    ];
    let channel = Channel {
        capacity: Some(1),
        receiver: 0,
    };
    let program = Program {
        tasks,
        channel: Some(channel),
    };
    let verdict = judge(&program, PROMISES, 10_000).expect("it is small");
    assert_eq!(verdict.relations, 5);
    assert!(verdict.breaches.is_empty(), "{:?}", verdict.breaches);
}

/// Executions of `odpor` and of `lazy-odpor`.
fn counts_of_both(tasks: Vec<Vec<Statement>>) -> (u64, u64) {
    let program = Program {
        tasks,
        channel: None,
    };
    let verdict = judge(&program, PROMISES, 10_000).expect("it is small");
    assert!(verdict.breaches.is_empty(), "{:?}", verdict.breaches);
    let executions_of = |name: &str| {
        let mut techniques = verdict.techniques.iter();
        let one = techniques.find(|one| one.technique == name);
        one.expect("it is judged").executions
    };
    (executions_of("odpor"), executions_of("lazy-odpor"))
}

/// A section was performed as a whole before an execution shows that it cannot be. What was planned for the
/// whole must not be run beside what is planned for its parts.
#[test]
fn a_section_that_loses_its_privilege_late_is_not_explored_twice() {
    let counts = counts_of_both(vec![
        vec![Spawn(1), Lock(0, vec![Lock(1, vec![CellRead(0), Wait(0)])])],
        vec![
            NotifyOne(0),
            Lock(1, vec![Lock(0, vec![])]),
            CellWrite(0, 1),
        ],
    ]);
    assert_eq!(counts, (6, 6));
}

/// The same with a failure of the first task, which ends the execution wherever the second one stands. That
/// the main task would join the second one exposes nothing: it can never stand within the section.
#[test]
fn a_join_that_waits_exposes_nothing_of_the_task_that_it_waits_for() {
    let counts = counts_of_both(vec![
        vec![Spawn(1), Spawn(2), Join(2)],
        vec![Add(0, 1), CompareExchange(0, 0, 2), PanicIf(1)],
        vec![StoreLocal(0), Lock(1, vec![Load(0)])],
    ]);
    assert_eq!(counts, (12, 9));
}
