//! A schedule as what it does otherwise than by itself.
//!
//! By itself an execution goes on with the task that ran last, and when that one cannot go on with the
//! next one that can. A plan lists the places where another task is to go on. Places are counted in the
//! operations of a task and not in steps, so that a plan from which something was taken away still says
//! what the rest of it meant: that is what shrinking and explaining live on. A plan never fails; what
//! cannot be followed is passed over. Up to its last place a task goes on that could, even if by itself it would
//! leave the turn to others because it waits in a loop.

use crate::{Step, TaskId, Trace};
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// The point right behind an operation of a task, which is the last operation of all so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Place {
    /// The task.
    pub task: TaskId,
    /// How many operations it has performed by then. An execution begins behind operation zero of the
    /// first task.
    pub operations: u64,
}

/// At a place, another task goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Turn {
    /// Where.
    pub place: Place,
    /// The task that goes on.
    pub to: TaskId,
}

/// An answer that is not the ordinary one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PlannedAnswer {
    /// The last place before the question.
    pub place: Place,
    /// How many questions there were between the two.
    pub index: u32,
    /// The answer.
    pub answer: u32,
}

/// What a schedule does otherwise than by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Plan {
    /// The stable name of each task that the plan speaks of: its creator, and how many that one had
    /// created before. The first task is its own creator.
    pub tasks: Vec<(TaskId, u32)>,
    /// Ordered by place, each place once. One that leads to the very task of its place says where the plan
    /// ends.
    pub turns: Vec<Turn>,
    /// Ordered by place and index.
    pub answers: Vec<PlannedAnswer>,
}

/// Operations of one task that follow one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Segment {
    /// The task.
    pub task: TaskId,
    /// How many.
    pub operations: u64,
}

impl Segment {
    /// The segments of a sequence of operations, given by their tasks.
    pub fn of(tasks: impl IntoIterator<Item = TaskId>) -> Vec<Segment> {
        let mut segments: Vec<Segment> = Vec::new();
        for task in tasks {
            match segments.last_mut().filter(|last| last.task == task) {
                Some(last) => last.operations += 1,
                None => segments.push(Segment {
                    task,
                    operations: 1,
                }),
            }
        }
        segments
    }
}

impl Plan {
    /// The plan that leads through `segments`, with the tasks and answers of `trace`.
    pub fn new(trace: &Trace, segments: &[Segment]) -> Plan {
        let mut plan = Plan {
            tasks: trace
                .tasks
                .iter()
                .map(|task| (task.parent, task.index))
                .collect(),
            turns: turns(segments, trace.tasks.len()),
            answers: answers(trace),
        };
        plan.turns.sort_unstable_by_key(|turn| turn.place);
        plan.answers
            .sort_unstable_by_key(|answer| (answer.place, answer.index));
        plan
    }

    /// The plan that leads through a whole trace.
    pub fn of(trace: &Trace) -> Plan {
        Plan::new(trace, &trace.segments())
    }
}

fn turns(segments: &[Segment], task_count: usize) -> Vec<Turn> {
    let mut performed = alloc::vec![0; task_count.max(1)];
    let mut last = TaskId::MAIN;
    let mut turns = Vec::new();
    for segment in segments.iter().filter(|segment| segment.operations > 0) {
        if segment.task != last {
            turns.push(Turn {
                place: Place {
                    task: last,
                    operations: performed[last.index()],
                },
                to: segment.task,
            });
        }
        last = segment.task;
        performed[last.index()] += segment.operations;
    }
    turns.push(Turn {
        place: Place {
            task: last,
            operations: performed[last.index()],
        },
        to: last,
    });
    turns
}

fn answers(trace: &Trace) -> Vec<PlannedAnswer> {
    let mut performed = alloc::vec![0; trace.tasks.len().max(1)];
    let mut task = TaskId::MAIN;
    let mut index = 0;
    let mut answers = Vec::new();
    for step in &trace.steps {
        if step.is_operation() {
            task = step.task;
            performed[task.index()] += 1;
            index = 0;
            continue;
        }
        let operations = performed[task.index()];
        if step.choice.answer() != 0 {
            answers.push(PlannedAnswer {
                place: Place { task, operations },
                index,
                answer: step.choice.answer(),
            });
        }
        index += 1;
    }
    answers
}

impl Trace {
    /// The steps that run tasks, in order.
    pub fn operations(&self) -> impl DoubleEndedIterator<Item = &Step> {
        self.steps.iter().filter(|step| step.is_operation())
    }

    /// Who ran, in order, and for how many operations.
    pub fn segments(&self) -> Vec<Segment> {
        Segment::of(self.operations().map(|step| step.task))
    }
}
