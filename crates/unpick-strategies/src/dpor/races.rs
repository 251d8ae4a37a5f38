//! Races: events of two tasks, ordered directly, that might have come in the other order.
//!
//! Not data races: the release of a mutex races with the acquisition that follows.

use alloc::vec::Vec;
use unpick_engine::{Access, Execution, History, Relation, conflict};
use unpick_trace::TaskId;

/// The events that the next event of a task, which touches these, would race with.
pub(crate) fn races_of_next(
    history: &History,
    relation: Relation,
    task: TaskId,
    accesses: &[Access],
) -> Vec<usize> {
    let mut found = Vec::new();
    for access in accesses {
        history.add_predecessors(relation, access, &mut found);
    }
    keep_direct(history, relation, history.last_of(task), &mut found);
    found
}

/// The events that the last event races with. One that ends the execution races with whatever came
/// last in the other tasks.
pub(crate) fn races_of_last(history: &History, relation: Relation) -> Vec<usize> {
    let mut found = Vec::new();
    let Some(last) = history.events().len().checked_sub(1) else {
        return found;
    };
    let event = &history.events()[last];
    if event.is_last {
        let tasks = history.events()[..last].iter().map(|event| event.task);
        let mut tasks: Vec<TaskId> = tasks.filter(|task| *task != event.task).collect();
        tasks.sort_unstable();
        tasks.dedup();
        found.extend(tasks.iter().filter_map(|task| history.last_of(*task)));
    } else {
        for access in history.accesses(last) {
            history.add_predecessors_of_last(relation, access, &mut found);
        }
    }
    keep_direct(history, relation, event.before, &mut found);
    found
}

/// Keeps the events that happen before none of the others and not before `before`.
fn keep_direct(
    history: &History,
    relation: Relation,
    before: Option<usize>,
    found: &mut Vec<usize>,
) {
    found.sort_unstable();
    found.dedup();
    let all = found.clone();
    found.retain(|&one| {
        let covers = |&other: &usize| other != one && history.is_before(relation, one, other);
        let is_known = before.is_some_and(|before| history.is_before(relation, one, before));
        !is_known && !all.iter().any(covers)
    });
}

/// Calls `visit` for every task that stands before an operation, with what it will touch, if that
/// matters after the last event: it is the task's own, or they depend on each other.
pub(crate) fn for_each_next(
    history: &History,
    execution: &Execution,
    mut visit: impl FnMut(TaskId, &[Access], bool),
) {
    let Some(last) = history.events().len().checked_sub(1) else {
        return;
    };
    let event = &history.events()[last];
    let mut accesses = Vec::new();
    for index in 0..execution.task_count() {
        let task = TaskId(index as u32);
        if !execution.is_pending(task) {
            continue;
        }
        accesses.clear();
        history.add_pending(execution, task, &mut accesses);
        let is_own = task == event.task || history.last_of(task) == Some(last);
        let is_touched = conflict(history.accesses(last), &accesses, false);
        if is_own || event.is_last || is_touched {
            visit(task, &accesses, event.is_last && task != event.task);
        }
    }
}
