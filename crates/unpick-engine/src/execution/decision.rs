//! The path of a step: a task announces its operation, the strategy decides, the operation is
//! performed. Everything rare is kept off it.

use super::{Decision, Execution, Grant, Status};
use crate::{Effect, Strategy, View, model::Class};
use core::panic::Location;
use unpick_trace::{Choice, Op, Outcome, Step, TaskBits, TaskId};

impl Execution {
    /// Tells which operation a running task performs next. A fault that shows by this alone (a lock
    /// that is already held, a race on a cell) ends the execution.
    #[inline]
    pub fn announce(&mut self, task: TaskId, op: Op, location: &'static Location<'static>) {
        let site = self.sites.intern(location, &mut self.trace.sites);
        let slot = &mut self.tasks[task.index()];
        assert!(
            slot.status == Status::Running,
            "internal error: task {task} announced twice"
        );
        slot.status = Status::Pending;
        slot.op = op;
        slot.site = site;
        slot.yields = false;
        let class = Class::of(op.kind);
        // Only these can yield; a task that spins is idle.
        if slot.was_idle || op.timed || class == Class::Idle {
            self.note_turn(task, op);
        }
        if class <= Class::Spawn {
            self.set_enabled(task, true);
        } else if class == Class::Mutex {
            self.arrive_at_mutex(task, op);
        } else if class == Class::Channel {
            self.arrive_at_channel(task, op);
        } else if class == Class::Join {
            self.arrive_at_join(task, op);
        } else {
            self.arrive(task, op);
        }
    }

    /// Works out whether the next operation of a task lets others go first.
    #[inline(never)]
    fn note_turn(&mut self, task: TaskId, op: Op) {
        let slot = &mut self.tasks[task.index()];
        if !slot.was_idle {
            slot.yields = op.yields();
        } else if slot.epoch_seen == self.epoch {
            slot.spin.note(&op, slot.site);
            slot.yields = op.yields() || slot.spin.is_spinning();
        } else {
            slot.spin.reset();
            slot.epoch_seen = self.epoch;
            slot.yields = op.yields();
        }
        if task == self.last {
            self.last_yields = slot.yields;
        }
    }

    /// Whether the next operation of a task lets others go first.
    #[inline]
    pub(crate) fn yields(&self, task: TaskId) -> bool {
        let task = &self.tasks[task.index()];
        task.status == Status::Pending && task.yields
    }

    /// Lets the strategy choose who goes on, and performs the operation of the one it chooses.
    ///
    /// Every task must have announced its next operation or finished.
    #[inline]
    pub fn decide(&mut self, strategy: &mut dyn Strategy) -> Decision {
        let enabled_count = self.enabled_count;
        if enabled_count == 0 || self.operation_count >= self.operation_limit {
            self.conclude();
            return Decision::Over;
        }
        if enabled_count > self.enabled_max {
            self.note_contention(enabled_count);
        }
        self.is_restricted = false;
        if self.last_yields || self.fairness.is_active() {
            self.restrict();
        }
        match strategy.choose(&View { execution: self }) {
            Ok(task) => {
                self.operation_count += 1;
                if self.watch.is_active {
                    self.note_transition();
                }
                self.perform(task, strategy)
            }
            Err(stop) => {
                self.stop(stop);
                Decision::Over
            }
        }
    }

    /// Notes that more tasks are enabled than ever before.
    #[cold]
    fn note_contention(&mut self, enabled_count: usize) {
        if self.enabled_max < 2 && enabled_count >= 2 {
            self.uncontended_count = self.operation_count;
        }
        self.enabled_max = enabled_count;
    }

    /// Gives an execution that cannot go on its outcome.
    #[cold]
    fn conclude(&mut self) {
        if self.outcome.is_none() {
            let limit = self.settings.steps_max;
            self.outcome = Some(match self.enabled_count {
                0 => self.terminal_outcome(),
                _ => Outcome::StepLimit { limit },
            });
            self.operation_limit = 0;
        }
    }

    /// Performs the next operation of `task` without asking, because nothing else may run now (a
    /// task that unwinds). Answers whether that was possible.
    pub fn force(&mut self, task: TaskId, strategy: &mut dyn Strategy) -> bool {
        self.forced_count += 1;
        if self.outcome.is_some()
            || !self.enabled.bits().contains(task)
            || self.operation_count + self.forced_count > self.settings.steps_max
        {
            return false;
        }
        // Not counted as an operation: it belongs to the transition in which the unwinding began.
        self.perform(task, strategy) != Decision::Over
    }

    /// Works out which tasks need not let others go first.
    #[inline(never)]
    fn restrict(&mut self) {
        if self.fairness.is_active() && !self.trace.steps.is_empty() {
            let before = self.trace.enabled(self.last_step);
            self.fairness
                .observe(self.last, before, self.enabled.bits());
        }
        self.is_restricted = self.enabled_count > 1;
        if self.is_restricted {
            self.eligible.copy_from(self.enabled.bits());
            if self.last_yields {
                self.eligible.remove(self.last);
            }
            self.fairness
                .restrict(&mut self.eligible, self.enabled.bits());
        }
    }

    /// Number of eligible tasks, where they are not all that are enabled.
    #[cold]
    pub(crate) fn restricted_count(&self) -> usize {
        self.eligible.bits().len()
    }

    #[inline]
    fn perform(&mut self, task: TaskId, strategy: &mut dyn Strategy) -> Decision {
        assert!(
            self.enabled.contains(task),
            "internal error: the strategy chose task {task}, which is not enabled"
        );
        let slot = &mut self.tasks[task.index()];
        slot.status = Status::Running;
        slot.operations += 1;
        if slot.yields || self.fairness.is_active() {
            let enabled = self.enabled.bits();
            self.fairness.schedule(task, slot.yields, enabled);
        }
        self.last_step = self.trace.steps.len();
        let step = Step::new(Choice::Task(task), task, slot.op, slot.site);
        self.trace.push(step, self.enabled.bits());
        self.last = task;
        self.last_yields = false;
        let class = Class::of(slot.op.kind);
        if class <= Class::Idle {
            // The front end tells whether an operation on a variable has changed it.
            slot.grant = Grant::Done;
            slot.was_idle = class == Class::Idle;
            return Decision::Run(task);
        }
        let op = slot.op;
        if op.timed {
            return self.perform_other(task, op, strategy);
        }
        // Not a jump on the class: it would be mispredicted at every step.
        if class == Class::Mutex {
            self.perform_on_mutex(task, op);
        } else if class == Class::Channel {
            self.perform_on_channel(task, op);
        } else if class == Class::Spawn {
            slot.grant = Grant::Done;
            self.note_change(task);
        } else if class == Class::Join {
            self.perform_join(task, op);
        } else {
            return self.perform_other(task, op, strategy);
        }
        Decision::Run(task)
    }

    #[inline(never)]
    fn perform_other(&mut self, task: TaskId, op: Op, strategy: &mut dyn Strategy) -> Decision {
        let times_out = match op.timed {
            true => match self.times_out(task, &op, strategy) {
                Some(answer) => answer,
                None => return Decision::Over,
            },
            false => false,
        };
        let grant = self.apply(task, &op, times_out);
        self.tasks[task.index()].grant = grant;
        if grant != Grant::Done {
            self.note(Effect::Granted(grant));
        }
        Decision::Run(task)
    }

    /// Whether a timed operation gives up: it must when it cannot succeed, and may otherwise.
    fn times_out(&mut self, task: TaskId, op: &Op, strategy: &mut dyn Strategy) -> Option<bool> {
        if !self.is_possible(task, op) {
            return Some(true);
        }
        if !self.settings.timeouts || !self.may_time_out(op) {
            return Some(false);
        }
        let answer = self.ask(task, Choice::Timeout(false), strategy)?;
        Some(answer != 0)
    }

    /// Puts a question to the strategy on behalf of a running task and records the answer. `None`
    /// means that the execution is over.
    pub fn ask(
        &mut self,
        task: TaskId,
        question: Choice,
        strategy: &mut dyn Strategy,
    ) -> Option<u32> {
        if self.outcome.is_some() {
            return None;
        }
        match strategy.answer(&View { execution: self }, question) {
            Ok(answer) => {
                assert!(
                    answer < question.answer_count(),
                    "internal error: the strategy gave answer {answer} to {question:?}"
                );
                let slot = &self.tasks[task.index()];
                let choice = question.with_answer(answer);
                let mut step = Step::new(choice, task, slot.op, slot.site);
                step.value = u64::from(answer);
                self.trace.push(step, TaskBits::from_words(0, &[]));
                Some(answer)
            }
            Err(stop) => {
                self.stop(stop);
                None
            }
        }
    }

    /// Whether a weak compare-and-exchange that would succeed fails here. `None` means that the
    /// execution is over.
    pub fn weak_failure(&mut self, task: TaskId, strategy: &mut dyn Strategy) -> Option<bool> {
        if self.weak_failures >= self.settings.weak_failures_max {
            return Some(false);
        }
        let fails = self.ask(task, Choice::WeakFailure(false), strategy)? != 0;
        if fails {
            self.weak_failures += 1;
            self.note(Effect::LeavesUnchanged);
        }
        Some(fails)
    }

    /// Whether a wait that begins now ends spuriously. `None` means that the execution is over.
    pub(crate) fn spurious_wake(
        &mut self,
        task: TaskId,
        strategy: &mut dyn Strategy,
    ) -> Option<bool> {
        if self.spurious_wakes >= self.settings.spurious_wakes_max {
            return Some(false);
        }
        let wakes = self.ask(task, Choice::SpuriousWake(false), strategy)? != 0;
        self.spurious_wakes += u32::from(wakes);
        Some(wakes)
    }
}
