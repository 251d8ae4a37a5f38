//! Schedules near one that no longer fits its program.
//!
//! A program changes, and the operation at which a task was left stands some operations earlier or later
//! than when the schedule was recorded; or the same change was made to the code of two tasks. So the
//! schedule is [followed](Plan) as far as the program lets itself be led, then with one segment a little
//! longer or shorter, which moves all that the task does later, or with one switch moved, or one segment
//! left out, and then with two segments longer or shorter by the same amount.
//!
//! Deterministic: the same schedule and the same program give the same result.

use crate::{Ended, Run};
use std::collections::HashSet;
use unpick_trace::{Plan, Segment, Trace};

/// Executions near a schedule, at most.
pub const NEAR_MAX: u64 = 500;

/// By how many operations a segment is made longer or shorter, at most.
const AMOUNT_MAX: u64 = 3;

/// What came of looking near a schedule.
#[derive(Clone, Debug)]
pub struct Near {
    /// The first execution that fails, in whatever way.
    pub failing: Option<Ended>,
    /// Executions that it took.
    pub executions: u64,
}

/// Looks for a failing execution near a recorded one, in [`NEAR_MAX`] executions at most.
pub fn near(recorded: &Trace, run: &mut Run<'_>) -> Near {
    near_segments(recorded, &recorded.segments(), run)
}

/// The same near an order of operations that was not recorded under control; of `recorded` only the tasks
/// and the answers count.
pub fn near_segments(recorded: &Trace, segments: &[Segment], run: &mut Run<'_>) -> Near {
    let mut tried: HashSet<Plan> = HashSet::new();
    let mut executions = 0;
    for changed in neighbours(segments) {
        let plan = Plan::new(recorded, &changed);
        if executions == NEAR_MAX {
            break;
        }
        if tried.contains(&plan) {
            continue;
        }
        let Some(ended) = run(&plan) else {
            break;
        };
        tried.insert(plan);
        executions += 1;
        if ended.outcome.is_failure() {
            return Near {
                failing: Some(ended),
                executions,
            };
        }
    }
    Near {
        failing: None,
        executions,
    }
}

/// The segments as they are, and then with small changes, those near the end first: that is where it fails.
fn neighbours(segments: &[Segment]) -> impl Iterator<Item = Vec<Segment>> {
    let all = || (0..segments.len()).rev();
    let amounts = || (1..=AMOUNT_MAX).flat_map(|amount| [amount as i64, -(amount as i64)]);
    let one = amounts().flat_map(move |by| all().map(move |at| changed(segments, &[(at, by)])));
    let moved = amounts().flat_map(move |by| {
        all().map(move |at| {
            let is_same = |one: &Segment| one.task == segments[at].task;
            let before = segments[..at].iter().rposition(is_same)?;
            changed(segments, &[(before, by), (at, -by)])
        })
    });
    let left_out = all().map(move |at| {
        let mut rest = segments.to_vec();
        rest.remove(at);
        Some(rest)
    });
    let two = amounts().flat_map(move |by| {
        all().flat_map(move |later| {
            (0..later)
                .rev()
                .map(move |earlier| changed(segments, &[(earlier, by), (later, by)]))
        })
    });
    let all_changed = one.chain(moved).chain(left_out).chain(two).flatten();
    std::iter::once(segments.to_vec()).chain(all_changed)
}

/// The segments with some of them longer or shorter, unless one would be nothing.
fn changed(segments: &[Segment], changes: &[(usize, i64)]) -> Option<Vec<Segment>> {
    let mut segments = segments.to_vec();
    for &(at, by) in changes {
        let operations = segments[at].operations.checked_add_signed(by);
        segments[at].operations = operations.filter(|&operations| operations > 0)?;
    }
    Some(segments)
}

#[cfg(test)]
mod tests {
    use super::*;
    use unpick_trace::TaskId;

    #[test]
    fn the_schedule_itself_comes_first_and_then_what_is_near() {
        let segments: Vec<Segment> = [(0, 3), (1, 1), (2, 2), (1, 2)]
            .map(|(task, operations)| Segment {
                task: TaskId(task),
                operations,
            })
            .to_vec();
        let all: Vec<Vec<Segment>> = neighbours(&segments).collect();
        let lengths = |at: usize| all[at].iter().map(|one| one.operations).collect::<Vec<_>>();
        assert_eq!(lengths(0), [3, 1, 2, 2]);
        assert_eq!(lengths(1), [3, 1, 2, 3]);
        assert_eq!(lengths(4), [4, 1, 2, 2]);
        assert_eq!(lengths(5), [3, 1, 2, 1]);
        let has = |wanted: &[u64]| (0..all.len()).any(|at| lengths(at) == wanted);
        assert!(has(&[3, 2, 2, 1]), "a switch is moved");
        assert!(has(&[3, 2, 2]), "a segment is left out");
        assert!(has(&[3, 2, 3, 2]), "two are longer by as much");
        assert!(all.iter().flatten().all(|segment| segment.operations > 0));
    }
}
