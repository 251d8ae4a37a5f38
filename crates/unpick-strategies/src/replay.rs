//! `replay`: one recorded schedule, step by step.
//!
//! At every step the choice, the set of enabled tasks and the operation must be the recorded ones;
//! the first difference ends the execution as diverged. Locations and values are not compared: they
//! may change with a comment or with an address.

use alloc::{boxed::Box, format, string::String, vec::Vec};
use unpick_engine::{Begin, Execution, Stop, Strategy, View};
use unpick_trace::{Choice, Divergence, Op, Step, TaskBits, TaskId, Trace};

/// Follows a recorded execution.
pub struct Replay {
    trace: Trace,
}

impl Replay {
    /// Follows `trace`.
    pub fn new(trace: Trace) -> Replay {
        Replay { trace }
    }

    fn expected(&self, view: &View<'_>) -> Result<(usize, &Step), Stop> {
        let position = view.trace().steps.len();
        match self.trace.steps.get(position) {
            Some(step) => Ok((position, step)),
            None => Err(diverged(
                position,
                String::from("the end of the execution"),
                String::from("another step"),
            )),
        }
    }
}

impl Strategy for Replay {
    fn begin(&mut self, index: u64) -> Begin {
        match index {
            0 => Begin::Ready,
            _ => Begin::Exhausted,
        }
    }

    fn choose(&mut self, view: &View<'_>) -> Result<TaskId, Stop> {
        let (position, step) = self.expected(view)?;
        let Choice::Task(task) = step.choice else {
            return Err(diverged(
                position,
                format!("an answer of task {} ({:?})", step.task, step.choice),
                String::from("a scheduling point"),
            ));
        };
        let recorded = self.trace.enabled(position);
        if recorded != view.enabled() {
            return Err(diverged(
                position,
                format!("enabled tasks {}", list(recorded)),
                format!("enabled tasks {}", list(view.enabled())),
            ));
        }
        let op = view.next_op(task);
        // A program whose memory orders were mended still performs the same operations.
        if op.without_orders() != step.op.without_orders() {
            return Err(diverged(
                position,
                format!("task {task}: {}", describe(&self.trace, &step.op)),
                format!("task {task}: {}", describe(view.trace(), op)),
            ));
        }
        Ok(task)
    }

    fn answer(&mut self, view: &View<'_>, question: Choice) -> Result<u32, Stop> {
        let (position, step) = self.expected(view)?;
        let answer = step.choice.answer();
        let is_task = matches!(step.choice, Choice::Task(_));
        if is_task || question.with_answer(answer) != step.choice {
            return Err(diverged(
                position,
                format!("{:?} by task {}", step.choice, step.task),
                format!("the question {question:?}"),
            ));
        }
        Ok(answer)
    }

    fn leads_on(&mut self, _view: &View<'_>) -> bool {
        true
    }

    fn end(&mut self, execution: &Execution) -> Result<bool, Stop> {
        let done = execution.trace().steps.len();
        let is_diverged = matches!(
            execution.outcome(),
            Some(unpick_trace::Outcome::Diverged(_))
        );
        if done < self.trace.steps.len() && !is_diverged {
            let step = &self.trace.steps[done];
            return Err(diverged(
                done,
                format!("task {}: {}", step.task, describe(&self.trace, &step.op)),
                String::from("the end of the execution"),
            ));
        }
        Ok(true)
    }
}

fn diverged(step: usize, expected: String, found: String) -> Stop {
    Stop::Diverged(Box::new(Divergence {
        step: step as u64,
        expected,
        found,
    }))
}

fn describe(trace: &Trace, op: &Op) -> String {
    match trace.objects.get(op.object.0 as usize) {
        Some(_) => format!("{} on {}", op.verb(), trace.object_name(op.object)),
        None => String::from(op.verb()),
    }
}

fn list(tasks: TaskBits<'_>) -> String {
    let names: Vec<String> = tasks.iter().map(|task| format!("{task}")).collect();
    format!("{{{}}}", names.join(", "))
}
