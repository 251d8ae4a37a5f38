//! The judge itself: it counts what the thesis counts, sees data races, and finds techniques out
//! that do not do what they say.

use unpick_suite::generated::{Flavour, Program, Statement, generate};
use unpick_suite::judge::{Coverage, PROMISES, Promise, Relations, judge, shrink};

use Statement::{CellRead, CellWrite, DataWrite, If, Join, Load, Lock, Spawn, Store};

/// The main task creates all others and does nothing else.
fn program(children: Vec<Vec<Statement>>) -> Program {
    let mut tasks = vec![(1..=children.len()).map(Spawn).collect()];
    tasks.extend(children);
    Program {
        tasks,
        channel: None,
    }
}

fn locked(mutex: usize, body: &[Statement]) -> Statement {
    Lock(mutex, body.to_vec())
}

/// Relations and lazy relations.
fn relations(children: Vec<Vec<Statement>>) -> (usize, usize) {
    let verdict = judge(&program(children), &[], 1_000_000).expect("it is small");
    assert!(verdict.breaches.is_empty(), "{:?}", verdict.breaches);
    (verdict.relations, verdict.lazy_relations)
}

/// Figures 4.1 to 4.3 of the thesis.
#[test]
fn relations_of_the_figures_are_counted_as_in_the_thesis() {
    let writer = || vec![locked(0, &[Store(0, 1)])];
    let other = || vec![locked(0, &[Store(1, 1)])];
    let checker = || vec![locked(0, &[Load(0), If(0, vec![Store(1, 2)])])];
    let figure_4_1 = vec![writer(), other(), checker(), checker()];
    assert_eq!(relations(figure_4_1), (24, 11));

    let second = || vec![locked(0, &[Store(0, 2)])];
    let empty = || locked(0, &[]);
    let reader = vec![Load(1), If(1, vec![Store(0, 2)])];
    let figure_4_2 = [
        (vec![writer(), second()], (2, 2)),
        (vec![writer(), vec![empty(), Store(0, 2)]], (3, 2)),
        (vec![writer(), vec![empty()], vec![Store(0, 2)]], (4, 2)),
        (vec![writer(), other(), reader], (5, 3)),
    ];
    for (children, counts) in figure_4_2 {
        assert_eq!(relations(children), counts);
    }

    let crossed = |outer, inner| vec![locked(outer, &[locked(inner, &[])])];
    let under_the_other = vec![locked(1, &[Store(0, 2)])];
    let figure_4_3 = [
        (vec![vec![Store(0, 1)], vec![empty()], second()], (4, 2)),
        (vec![crossed(0, 1), crossed(1, 0)], (3, 2)),
        (vec![writer(), crossed(1, 0), under_the_other], (6, 2)),
    ];
    for (children, counts) in figure_4_3 {
        assert_eq!(relations(children), counts);
    }
}

/// What is inside a mutex makes lazy relations differ, and only if it is written.
#[test]
fn data_inside_a_mutex_counts_in_the_lazy_relation() {
    let write = || vec![locked(0, &[DataWrite(1)])];
    let read = || vec![locked(0, &[Statement::DataRead])];
    assert_eq!(relations(vec![write(), write()]), (2, 2));
    assert_eq!(relations(vec![write(), read()]), (2, 2));
    assert_eq!(relations(vec![read(), read()]), (2, 1));
}

#[test]
fn races_are_seen_without_the_engine() {
    let has_race = |main: &[Statement], child: &[Statement]| {
        let tasks = vec![main.to_vec(), child.to_vec()];
        let program = Program {
            tasks,
            channel: None,
        };
        let verdict = judge(&program, &[], 10_000).expect("it is small");
        assert!(verdict.breaches.is_empty(), "{:?}", verdict.breaches);
        verdict.races
    };
    // An operation before each access lets the two pass each other, so that both are performed.
    let child = [Store(0, 1), CellWrite(0, 1)];
    assert!(has_race(&[Spawn(1), Load(1), CellRead(0)], &child));
    assert!(!has_race(&[Spawn(1), Join(1), CellRead(0)], &child));
    let protected = [Load(0), locked(0, &[CellWrite(0, 1)])];
    let main = [Spawn(1), locked(0, &[CellRead(0)])];
    assert!(!has_race(&main, &protected));
    let wrongly = [Spawn(1), locked(1, &[CellRead(0)])];
    assert!(has_race(&wrongly, &protected));
    // Published by an atomic.
    let reader = [Spawn(1), Load(0), If(1, vec![CellRead(0)])];
    assert!(!has_race(&reader, &[CellWrite(0, 1), Store(0, 1)]));
    assert!(has_race(&reader, &[Store(0, 1), Load(1), CellWrite(0, 1)]));
}

/// Whoever performs all of it first releases the mutex after its access and before the other one
/// acquires it: two schedules that reach all that the lazy relation tells apart show no race.
#[test]
fn races_that_the_order_of_mutexes_hides_are_found_by_all() {
    let task = || vec![locked(0, &[]), CellWrite(0, 1), locked(0, &[])];
    let verdict = judge(&program(vec![task(), task()]), PROMISES, 10_000).expect("it is small");
    assert!(verdict.races);
    assert!(verdict.breaches.is_empty(), "{:?}", verdict.breaches);
}

/// Where accesses race, `odpor` runs one execution for each relation as well: which accesses race follows
/// from the relation. A search that runs some twice is found out there, too.
#[test]
fn the_optimum_is_asked_for_where_accesses_race() {
    let task = || vec![Load(0), CellWrite(0, 1), Load(1)];
    let racing = program(vec![task(), task()]);
    let judge_as_optimal = |technique| {
        let promise = Promise::new(technique, Coverage::EveryState, Relations::Optimal);
        judge(&racing, &[promise], 10_000).expect("it is small")
    };
    let verdict = judge_as_optimal("odpor");
    assert!(verdict.breaches.is_empty(), "{:?}", verdict.breaches);
    assert!(verdict.races);
    assert_eq!((verdict.relations, verdict.engine_relations), (2, 2));
    let verdict = judge_as_optimal("dfs");
    let rules: Vec<&str> = verdict.breaches.iter().map(|breach| breach.rule).collect();
    assert_eq!(rules, ["runs one execution for each relation"]);
}

/// Sleep sets alone end executions of which nothing is left but what has been explored.
#[test]
fn a_technique_that_cuts_executions_is_found_out() {
    let liar = [Promise::new("dpor", Coverage::EveryState, Relations::Uncut)];
    let mut verdicts =
        (0..100).filter_map(|seed| judge(&generate(seed, Flavour::Atomics), &liar, 400));
    let found = verdicts.find_map(|verdict| verdict.breaches.first().map(|breach| breach.rule));
    assert_eq!(found, Some("lets every execution count"));
}

/// A search with few preemptions claims that it reaches everything.
#[test]
fn a_technique_that_leaves_states_out_is_found_out() {
    let liar = [Promise::new(
        "ipb:bound=0,beyond=1",
        Coverage::EveryState,
        Relations::Any,
    )];
    let (program, breach) = (0..1_000)
        .find_map(|seed| {
            let program = generate(seed, Flavour::Atomics);
            let breaches = judge(&program, &liar, 400)?.breaches;
            let breach = breaches
                .into_iter()
                .find(|breach| breach.rule == "reaches every state")?;
            Some((program, breach))
        })
        .expect("one in a thousand needs a preemption");
    let smallest = shrink(&program, &liar, &breach, 400);
    let statements: usize = smallest.tasks.iter().map(Vec::len).sum();
    assert!(statements <= 5, "{smallest}");
}
