//! An execution that is performed again without its program is the same, in its own order and in every
//! other one that keeps what happens before what.

use std::sync::Arc;
use unpick::trace::{Choice, Outcome, TaskId, Trace};
use unpick::{Config, Execution, Memory};
use unpick_engine::{Begin, History, Relation, Stop, Strategy, View, state_hash};
use unpick_suite::generated::{Flavour, Log, generate, run};
use unpick_suite::litmus::random;
use unpick_suite::{exact_programs, find};

/// Executions of each program that are performed again.
const EXECUTIONS: u64 = 20;

/// Longer executions are left out.
const EVENTS_MAX: usize = 100;

/// Programs of each flavour.
const PROGRAMS: u64 = 40;

const RELATIONS: [Relation; 2] = [Relation::Regular, Relation::Lazy];

/// A task by its creators' and its own numbers as children.
fn name(trace: &Trace, task: TaskId) -> Vec<u32> {
    let info = &trace.tasks[task.index()];
    let mut name = match info.parent == task {
        true => Vec::new(),
        false => name(trace, info.parent),
    };
    name.push(info.index);
    name
}

/// Performs events in a given order, with given answers.
struct Script {
    names: std::vec::IntoIter<Vec<u32>>,
    answers: std::vec::IntoIter<u32>,
}

impl Strategy for Script {
    fn begin(&mut self, _index: u64) -> Begin {
        Begin::Ready
    }

    fn choose(&mut self, view: &View<'_>) -> Result<TaskId, Stop> {
        let wanted = self.names.next().ok_or(Stop::Cut)?;
        let mut enabled = view.enabled().iter();
        let task = enabled.find(|&task| name(view.trace(), task) == wanted);
        task.ok_or(Stop::Cut)
    }

    fn answer(&mut self, _view: &View<'_>, _question: Choice) -> Result<u32, Stop> {
        self.answers.next().ok_or(Stop::Cut)
    }
}

fn history_of(execution: &Execution) -> History {
    let mut history = History::new(&RELATIONS);
    history.extend(execution);
    history
}

/// The answers within each event, after those before the first one.
fn answers_of(execution: &Execution) -> Vec<Vec<u32>> {
    let mut answers = vec![Vec::new()];
    for step in &execution.trace().steps {
        match step.is_operation() {
            true => answers.push(Vec::new()),
            false => answers.last_mut().unwrap().push(step.choice.answer()),
        }
    }
    answers
}

/// The events in another order that keeps the relation: of those that are ready, the task that is next
/// in a round goes on.
fn other_order(execution: &Execution, history: &History) -> Vec<usize> {
    let count = history.events().len();
    let mut is_done = vec![false; count];
    let mut order = Vec::new();
    while order.len() < count {
        let is_ready = |&event: &usize| {
            let mut before = 0..event;
            !is_done[event]
                && before
                    .all(|one| is_done[one] || !history.is_before(Relation::Regular, one, event))
        };
        let turn_of = |event: usize| {
            let task = history.events()[event].task;
            (task.index() + order.len()) % execution.task_count()
        };
        let ready = (0..count).filter(is_ready);
        let next = ready.max_by_key(|&event| turn_of(event));
        let next = next.expect("some event is ready");
        is_done[next] = true;
        order.push(next);
    }
    order
}

/// What was compared.
#[derive(Default)]
struct Count {
    executions: u64,
    reordered: u64,
}

/// Performs an execution again in both ways and compares.
fn compare(execution: &Execution, what: &str, count: &mut Count) {
    let Some(recording) = execution.recording() else {
        assert_eq!(execution.outcome(), Some(&Outcome::Cut), "{what}");
        return;
    };
    if execution.transition_count() > EVENTS_MAX {
        return;
    }
    let history = history_of(execution);
    let names: Vec<Vec<u32>> = recording
        .tasks()
        .map(|task| name(execution.trace(), task))
        .collect();
    let answers = answers_of(execution);
    let has_forced = answers.len() > names.len() + 1;
    let mut again = Execution::new(recording.settings());
    let mut script = Script {
        names: names.clone().into_iter(),
        answers: recording.answers().to_vec().into_iter(),
    };
    assert!(recording.perform(&mut again, &mut script), "{what}");
    let (old, new) = (execution.trace(), again.trace());
    assert_eq!(old.steps, new.steps, "{what}");
    let kind = |execution: &Execution| execution.outcome().map(std::mem::discriminant);
    assert_eq!(kind(execution), kind(&again), "{what}");
    let same = history_of(&again);
    for relation in RELATIONS {
        assert_eq!(history.hash(relation), same.hash(relation), "{what}");
    }
    count.executions += 1;
    let order = other_order(execution, &history);
    if order.is_sorted() || has_forced {
        return;
    }
    let opening = answers[0].iter().copied();
    let within = order.iter().flat_map(|&event| answers[event + 1].clone());
    let mut script = Script {
        names: order
            .iter()
            .map(|&event| names[event].clone())
            .collect::<Vec<_>>()
            .into_iter(),
        answers: opening.chain(within).collect::<Vec<_>>().into_iter(),
    };
    assert!(recording.perform(&mut again, &mut script), "{what}");
    assert_eq!(kind(execution), kind(&again), "{what}");
    let same = history_of(&again);
    for relation in RELATIONS {
        assert_eq!(history.hash(relation), same.hash(relation), "{what}");
    }
    assert_eq!(
        state_hash(execution, &history),
        state_hash(&again, &same),
        "{what}"
    );
    count.reordered += 1;
}

/// Only `lazy-odpor` has executions recorded.
fn config() -> Config {
    Config::new()
        .strategy("lazy-odpor")
        .executions(EXECUTIONS)
        .keep_going(true)
}

#[test]
fn programs_of_the_suite_are_performed_again() {
    let mut count = Count::default();
    for program in exact_programs() {
        let selection = find(program.name).expect("the program exists");
        unpick::explore_visited(&config(), &move || selection.run(), &mut |execution| {
            compare(execution, program.name, &mut count);
        });
    }
    assert!(count.executions > 1_000, "{}", count.executions);
    assert!(count.reordered > 500, "{}", count.reordered);
}

#[test]
fn random_programs_are_performed_again() {
    let mut count = Count::default();
    for flavour in Flavour::ALL {
        for seed in 0..PROGRAMS {
            let what = format!("program {seed} of {}", flavour.name());
            let (program, log) = (Arc::new(generate(seed, *flavour)), Log::default());
            let config = config().spurious_wakes(0).weak_failures(0);
            unpick::explore_visited(&config, &move || run(&program, &log), &mut |execution| {
                compare(execution, &what, &mut count);
            });
        }
    }
    assert!(count.executions > 1_000, "{}", count.executions);
    assert!(count.reordered > 500, "{}", count.reordered);
}

/// Where stores go through buffers, the order in which these are emptied belongs to the schedule.
#[test]
fn programs_with_store_buffers_are_performed_again() {
    let mut count = Count::default();
    for model in [Memory::Tso, Memory::Pso] {
        for seed in 0..PROGRAMS {
            let litmus = Arc::new(random(seed, 4, 4));
            let what = format!("{model:?}, program {seed}:\n{litmus}");
            let body = move || drop(litmus.run());
            unpick::explore_visited(&config().memory(model), &body, &mut |execution| {
                compare(execution, &what, &mut count);
            });
        }
    }
    assert!(count.executions > 500, "{}", count.executions);
    assert!(count.reordered > 300, "{}", count.reordered);
}
