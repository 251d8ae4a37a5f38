//! An execution that ends with its first task cuts the others off wherever they are: every technique finds
//! the ends that depth-first search finds, on random programs of which the first task joins nobody.

use std::collections::BTreeSet;
use std::sync::Arc;
use unpick::trace::{Outcome, TaskId};
use unpick::{Config, Execution, Memory};
use unpick_suite::generated::{Flavour, Log, Program, Record, Statement, generate, run};

/// Programs of each flavour that are looked at.
const PROGRAMS: u64 = 150;

/// Programs with more schedules than this are left out.
const SCHEDULES_MAX: u64 = 400;

/// Reach every state, failures among them.
const EVERY_STATE: &[&str] = &[
    "ipb:beyond=1",
    "idb:beyond=1",
    "hbr-cache",
    "dpor",
    "dpor:sleep=0",
    "odpor",
];

/// Reach everything that tasks can have seen, as far as the end lets them come; and a failure, if there is one.
/// The model has what a transition does besides its operation as an event of its own, so that it plans orders that
/// do not exist where a task begins to wait by that: see [`is_planned`].
const EVERY_VIEW: &[&str] = &["mcr", "se-mcr"];

/// Reach every state of a program that does not fail, but for where the end finds tasks inside of critical
/// sections; and a failure, if there is one.
const EVERY_FAILURE: &[&str] = &["lazy-odpor"];

/// How an execution ended, what is left, and for each task how far it came and what it saw.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct End {
    ending: &'static str,
    values: Vec<u32>,
    tasks: Vec<(u64, bool, Vec<u32>)>,
}

impl End {
    fn of(execution: &Execution, record: &Record) -> Option<End> {
        let outcome = execution.outcome()?;
        if matches!(outcome, Outcome::Cut | Outcome::Diverged(_)) {
            return None;
        }
        let tasks = record.tasks.iter();
        let mut tasks: Vec<_> = tasks
            .map(|task| (0, task.has_ended, task.seen.clone()))
            .collect();
        for (task, &number) in record.created.iter().enumerate() {
            tasks[number].0 = execution.operations_of(TaskId(task as u32));
        }
        Some(End {
            ending: outcome.word(),
            values: record.values.clone(),
            tasks,
        })
    }

    fn has_failed(&self) -> bool {
        self.ending != "pass"
    }

    /// What can be seen from inside.
    fn view(&self) -> End {
        End {
            values: Vec::new(),
            ..self.clone()
        }
    }
}

/// The ends that a technique finds; `None` if it does not get through.
fn ends(
    program: &Arc<Program>,
    technique: &str,
    memory: Memory,
    executions_max: u64,
) -> Option<BTreeSet<End>> {
    let log = Log::default();
    let body = {
        let (program, log) = (Arc::clone(program), log.clone());
        move || run(&program, &log)
    };
    let config = Config::new()
        .strategy(technique)
        .executions(executions_max)
        .keep_going(true)
        .spurious_wakes(0)
        .weak_failures(0)
        .memory(memory)
        .ends_with_main(true);
    let mut found = BTreeSet::new();
    let explored = unpick::explore_visited(&config, &body, &mut |execution| {
        found.extend(End::of(execution, &log.record()));
    });
    explored.complete.then_some(found)
}

/// Whether no task of a program begins to wait within another operation.
fn is_planned(flavour: Flavour) -> bool {
    use Flavour::{Barriers, Condvars, Mixed, Rendezvous};
    !matches!(flavour, Barriers | Condvars | Mixed | Rendezvous)
}

/// The program with a first task that waits for nobody.
fn detached(seed: u64, flavour: Flavour) -> Arc<Program> {
    let mut program = generate(seed, flavour);
    program.tasks[0].retain(|statement| !matches!(statement, Statement::Join(_)));
    Arc::new(program)
}

fn compare(memory: Memory, seeds: std::ops::Range<u64>) -> (u64, Vec<String>) {
    let mut judged = 0;
    let mut wrong = Vec::new();
    for &flavour in Flavour::ALL {
        for seed in seeds.clone() {
            let program = detached(seed, flavour);
            let Some(truth) = ends(&program, "dfs", memory, SCHEDULES_MAX) else {
                continue;
            };
            judged += u64::from(truth.len() > 1);
            let mut check = |technique: &str, is_equal: &dyn Fn(&BTreeSet<End>) -> bool| {
                let found = ends(&program, technique, memory, 50 * SCHEDULES_MAX);
                let missing = found
                    .as_ref()
                    .and_then(|found| truth.difference(found).next());
                let missing = missing.cloned();
                let found_count = found.as_ref().map(BTreeSet::len);
                if !found.is_some_and(|found| is_equal(&found)) {
                    let name = flavour.name();
                    let count = truth.len();
                    wrong.push(format!(
                        "{technique}: program {seed} of {name}: {found_count:?} of {count}, not \
                         {missing:?}\n{program}"
                    ));
                }
            };
            for technique in EVERY_STATE {
                check(technique, &|found| *found == truth);
            }
            let view = |ends: &BTreeSet<End>| -> BTreeSet<End> {
                let passed = ends.iter().filter(|end| !end.has_failed());
                passed.map(End::view).collect()
            };
            let fails = |ends: &BTreeSet<End>| ends.iter().any(End::has_failed);
            for technique in EVERY_VIEW.iter().filter(|_| is_planned(flavour)) {
                check(technique, &|found| {
                    fails(found) == fails(&truth) && (fails(found) || view(found) == view(&truth))
                });
            }
            for technique in EVERY_FAILURE {
                check(technique, &|found| fails(found) == fails(&truth));
            }
        }
    }
    (judged, wrong)
}

#[test]
fn techniques_find_every_end() {
    let (judged, wrong) = compare(Memory::Sc, 0..PROGRAMS);
    let shown = wrong.len().min(5);
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong[..shown].join("\n")
    );
    assert!(
        judged >= 500,
        "only {judged} programs with more than one end"
    );
}

#[test]
fn techniques_find_every_end_under_weak_memory() {
    for memory in [Memory::Tso, Memory::Pso] {
        let (judged, wrong) = compare(memory, 0..PROGRAMS / 5);
        let shown = wrong.len().min(5);
        assert!(
            wrong.is_empty(),
            "{} wrong:\n{}",
            wrong.len(),
            wrong[..shown].join("\n")
        );
        assert!(
            judged >= 60,
            "only {judged} programs with more than one end"
        );
    }
}
