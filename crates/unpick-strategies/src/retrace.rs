//! A recorded execution, in a program that has more scheduling points than when it was recorded.
//!
//! Where plain accesses become points, tasks stand before them as they stand before operations. Whoever does so
//! goes on at once, a new task before its creator, so that everything happens in the order of the recording. Where
//! nobody does, the operation and its task must be the recorded ones. Never leads another way, and knows nothing of
//! store buffers: with those a plain access as a point is another program.

use alloc::{boxed::Box, format, string::String};
use unpick_engine::{Begin, Execution, Stop, Strategy, View};
use unpick_trace::{Choice, Divergence, OpKind, Outcome, Step, TaskId, Trace};

/// Follows a recorded execution without plain accesses.
pub struct Retrace {
    trace: Trace,
    /// Steps of the execution at hand that were looked at.
    seen: usize,
    /// Those of them that are in the recording.
    position: usize,
}

impl Retrace {
    /// Follows `trace`.
    pub fn new(trace: Trace) -> Retrace {
        Retrace {
            trace,
            seen: 0,
            position: 0,
        }
    }

    /// Takes notice of what has happened.
    fn see(&mut self, steps: &[Step]) {
        let new = steps[self.seen..].iter();
        self.position += new.filter(|step| !is_access(step.op.kind)).count();
        self.seen = steps.len();
    }

    /// The next step of the recording, if it is what is found.
    fn next(&self, found: &str, is_it: impl Fn(&Step) -> bool) -> Result<Step, Stop> {
        let step = self.trace.steps.get(self.position);
        let step = step.filter(|step| is_it(step)).copied();
        step.ok_or_else(|| self.diverged(found))
    }

    fn diverged(&self, found: &str) -> Stop {
        let expected = match self.trace.steps.get(self.position) {
            Some(step) => format!("task {}: {}", step.task, step.op.verb()),
            None => String::from("the end of the execution"),
        };
        Stop::Diverged(Box::new(Divergence {
            step: self.position as u64,
            expected,
            found: String::from(found),
        }))
    }
}

impl Strategy for Retrace {
    fn begin(&mut self, index: u64) -> Begin {
        match index {
            0 => Begin::Ready,
            _ => Begin::Exhausted,
        }
    }

    fn choose(&mut self, view: &View<'_>) -> Result<TaskId, Stop> {
        self.see(&view.trace().steps);
        let mut tasks = (0..view.task_count() as u32).map(TaskId).rev();
        let before_access =
            tasks.find(|&task| view.enabled().contains(task) && is_access(view.next_op(task).kind));
        if let Some(task) = before_access {
            return Ok(task);
        }
        let step = self.next("other operations", |step| {
            step.is_operation()
                && view.enabled().contains(step.task)
                && view.next_op(step.task).kind == step.op.kind
        })?;
        Ok(step.task)
    }

    fn answer(&mut self, view: &View<'_>, question: Choice) -> Result<u32, Stop> {
        self.see(&view.trace().steps);
        let step = self.next(&format!("the question {question:?}"), |step| {
            !step.is_operation() && question.with_answer(step.choice.answer()) == step.choice
        })?;
        Ok(step.choice.answer())
    }

    fn leads_on(&mut self, _view: &View<'_>) -> bool {
        true
    }

    fn end(&mut self, execution: &Execution) -> Result<bool, Stop> {
        self.see(&execution.trace().steps);
        let is_diverged = matches!(execution.outcome(), Some(Outcome::Diverged(_)));
        match self.position < self.trace.steps.len() && !is_diverged {
            true => Err(self.diverged("the end of the execution")),
            false => Ok(true),
        }
    }
}

fn is_access(kind: OpKind) -> bool {
    matches!(kind, OpKind::PlainRead | OpKind::PlainWrite)
}
