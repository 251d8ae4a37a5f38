//! The path of a step: a task announces its operation, the strategy decides, the operation is
//! performed. Everything rare is kept off it.

use super::{Decision, Execution, Grant, Status};
use crate::{
    Effect, Mode, Proviso, Provisos, Ration, Strategy, View, model::Class, recording::Call,
};
use core::{cell::Cell, panic::Location};
use unpick_trace::{Choice, Op, OpKind, Outcome, SiteId, Step, TaskBits, TaskId};

impl Execution {
    /// Tells which operation a running task performs next. A fault that shows by this alone (a lock
    /// that is already held) ends the execution.
    #[inline(always)]
    pub fn announce(&mut self, task: TaskId, op: Op, location: &'static Location<'static>) {
        let site = self.sites.intern(location, &mut self.trace.sites);
        self.announce_at(task, op, site);
    }

    /// The same for a front end that keeps its own table of locations: see [`Execution::add_site`].
    #[inline(always)]
    pub fn announce_at(&mut self, task: TaskId, op: Op, site: SiteId) {
        self.record(Call::Announce(task, op, site));
        self.take_in(task, op, site);
    }

    #[inline(always)]
    fn take_in(&mut self, task: TaskId, op: Op, site: SiteId) {
        let slot = &mut self.tasks[task.index()];
        if slot.status != Status::Running {
            announced_twice(task);
        }
        let class = Class::of(op);
        slot.status = Status::Pending;
        slot.class = class;
        slot.op = op;
        slot.site = site;
        // Only these can yield; a task that spins is idle.
        if slot.was_idle || class >= Class::Yield {
            self.note_turn(task, op);
        }
        if class > Class::ChannelAtOnce {
            match class {
                Class::Mutex => self.arrive_at_mutex(task, op),
                Class::Channel => self.arrive_at_channel(task, op),
                _ => self.arrive_elsewhere(task, op, class),
            }
        }
    }

    /// Apart from [`Execution::announce`], so that no jump table is made of the classes: the jump would
    /// be mispredicted at every step.
    #[inline(never)]
    fn arrive_elsewhere(&mut self, task: TaskId, op: Op, class: Class) {
        match class {
            Class::Channel => self.arrive_at_channel(task, op),
            Class::Wait => self.arrive_at_wait(task, op),
            Class::Join => self.arrive_at_join(task, op),
            _ => self.arrive_rarely(task, op, class),
        }
    }

    #[inline(never)]
    fn arrive_rarely(&mut self, task: TaskId, op: Op, class: Class) {
        match class {
            Class::Timed => self.arrive_with_deadline(task, op),
            _ => self.arrive(task, op),
        }
    }

    fn arrive_with_deadline(&mut self, task: TaskId, op: Op) {
        match Class::of(Op { timed: false, ..op }) {
            Class::Mutex => self.check_use(task, &op),
            Class::Wait => self.arrive(task, op),
            class => self.arrive_elsewhere(task, op, class),
        }
    }

    /// Works out whether the next operation of a task lets others go first.
    #[inline(never)]
    fn note_turn(&mut self, task: TaskId, op: Op) {
        let slot = &mut self.tasks[task.index()];
        slot.gives_way = false;
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
        if slot.yields {
            self.is_plain = false;
        }
        if op.has_timer() {
            self.await_timer(task);
        }
    }

    /// Whether the next operation of a task lets others go first.
    #[inline]
    pub(crate) fn yields(&self, task: TaskId) -> bool {
        let task = &self.tasks[task.index()];
        task.status == Status::Pending && (task.yields || task.gives_way)
    }

    /// Takes in the next operation of the running task and lets the strategy choose who goes on.
    /// Answers the handle of that task, or the one of the end if the execution is over.
    #[inline]
    pub(crate) fn advance<S: Strategy + ?Sized>(
        &mut self,
        op: Op,
        location: &'static Location<'static>,
        strategy: &mut S,
    ) -> usize {
        let (task, site) = (
            self.running,
            self.sites.intern(location, &mut self.trace.sites),
        );
        // Asked of the strategy, so that the path of a step of those that never record is free of it.
        if strategy.records() {
            self.record(Call::Announce(task, op, site));
        }
        self.take_in(task, op, site);
        match self.choose(strategy) {
            Some((_, handle)) => handle,
            None => self.handle_of_end,
        }
    }

    /// Ends the running task and lets the strategy choose who goes on. Answers as
    /// [`Execution::advance`].
    #[inline]
    pub(crate) fn advance_past_end<S: Strategy + ?Sized>(&mut self, strategy: &mut S) -> usize {
        if strategy.records() {
            self.record(Call::Finish(self.running));
        }
        self.leave_off(self.running);
        match self.choose(strategy) {
            Some((_, handle)) => handle,
            None => self.handle_of_end,
        }
    }

    /// Lets the strategy choose who goes on, and performs the operation of the one it chooses.
    ///
    /// Every task must have announced its next operation or finished.
    pub fn decide<S: Strategy + ?Sized>(&mut self, strategy: &mut S) -> Decision {
        match self.choose(strategy) {
            Some((task, _)) => Decision::Run(task),
            None => Decision::Over,
        }
    }

    /// The task that goes on, and its handle. The usual case is looked for once, and gets a way of its own.
    #[inline(always)]
    fn choose<S: Strategy + ?Sized>(&mut self, strategy: &mut S) -> Option<(TaskId, usize)> {
        let enabled_count = self.enabled_count;
        let is_over = enabled_count == 0 || self.operation_count >= self.operation_limit;
        if !self.is_plain || is_over || !self.enabled.is_low() {
            return self.choose_with_care(strategy);
        }
        if enabled_count > self.enabled_max {
            self.note_contention(enabled_count);
        }
        let view = View {
            execution: self,
            is_plain: true,
            has_shown_eligible: Cell::new(false),
        };
        match strategy.choose(&view) {
            Ok(task) => {
                let enabled = self.enabled.low_bits();
                self.operation_count += 1;
                self.perform(task, Some(enabled), strategy)
            }
            Err(stop) => {
                self.stop(stop);
                None
            }
        }
    }

    /// The same where the execution may be over, is watched, or has tasks that yield.
    #[inline(never)]
    fn choose_with_care<S: Strategy + ?Sized>(
        &mut self,
        strategy: &mut S,
    ) -> Option<(TaskId, usize)> {
        let mut next = self.choose_one(strategy);
        // What an agent does needs no front end.
        while !self.is_plain && next.is_some_and(|(task, _)| self.is_agent(task)) {
            next = self.choose_one(strategy);
        }
        next
    }

    #[inline(always)]
    fn choose_one<S: Strategy + ?Sized>(&mut self, strategy: &mut S) -> Option<(TaskId, usize)> {
        self.update_timers();
        let is_over = self.enabled_count == 0 || self.operation_count >= self.operation_limit;
        if is_over && !self.goes_on(strategy) {
            return None;
        }
        if self.enabled_count > self.enabled_max {
            self.note_contention(self.enabled_count);
        }
        if !self.is_plain {
            self.restrict();
        }
        let chosen = match self.is_led(strategy) {
            true => {
                let view = self.view();
                let chosen = strategy.choose(&view);
                if view.has_shown_eligible.get() {
                    self.provisos.merge(self.restricted_by);
                }
                chosen
            }
            false => Ok(self.choose_fairly()),
        };
        match chosen {
            Ok(task) => {
                self.operation_count += 1;
                if !self.is_plain {
                    self.note_choice(task);
                }
                self.perform(task, None, strategy)
            }
            Err(stop) => {
                self.stop(stop);
                None
            }
        }
    }

    /// Notes what those who watch and the rules for tasks that yield must know.
    #[inline(never)]
    fn note_choice(&mut self, task: TaskId) {
        if self.watch.is_active {
            self.note_transition();
        }
        if self.liveness.is_hot() {
            self.note_heat(task);
        }
        if self.tail.is_active {
            self.note_tail(task);
        }
        self.note_yield(task);
    }

    /// Whether the strategy decides what happens here.
    #[inline]
    fn is_led<S: Strategy + ?Sized>(&self, strategy: &mut S) -> bool {
        !self.tail.is_active || strategy.leads_on(&self.view())
    }

    /// Notes that more tasks are enabled than ever before.
    #[cold]
    fn note_contention(&mut self, enabled_count: usize) {
        if self.enabled_max < 2 && enabled_count >= 2 {
            self.uncontended_count = self.operation_count;
        }
        self.enabled_max = enabled_count;
    }

    /// Whether an execution goes on in which no task is enabled, with those who wait for that, or which has
    /// performed as many operations as were asked for. Gives it its outcome otherwise.
    fn goes_on<S: Strategy + ?Sized>(&mut self, strategy: &mut S) -> bool {
        if self.has_passed() {
            self.outcome = Some(Outcome::Pass);
            self.operation_limit = 0;
            return false;
        }
        if self.outcome.is_none()
            && (self.enabled_count > 0 || self.quiesce())
            && self.goes_beyond(strategy)
        {
            return true;
        }
        self.conclude();
        false
    }

    /// Whether all tasks have come to their ends, and nothing is owed: the usual end, quickly found out.
    #[inline]
    fn has_passed(&self) -> bool {
        self.ended_count == self.task_count()
            && !self.has_abandoned
            && self.outcome.is_none()
            && !self.liveness.is_hot()
    }

    #[cold]
    fn conclude(&mut self) {
        if self.outcome.is_none() {
            match self.enabled_count {
                0 => self.outcome = Some(self.terminal_outcome()),
                _ => self.end_at_limit(),
            }
            self.operation_limit = 0;
        }
    }

    /// Performs the next operation of `task`, which unwinds, without asking: no other task may run now. Answers
    /// whether that was possible.
    #[cold]
    pub fn force(&mut self, task: TaskId, strategy: &mut dyn Strategy) -> bool {
        let is_contended = self.enabled_count > 1;
        let begin = self.trace.steps.len();
        let is_performed = self.perform_at_once(task, strategy);
        let end = self.trace.steps.len();
        if end > begin {
            self.unwinding.note(begin, end, is_contended);
        }
        is_performed
    }

    /// Performs the next operation of `task` within the transition of the one before. Answers whether that was
    /// possible.
    #[cold]
    pub fn perform_at_once(&mut self, task: TaskId, strategy: &mut dyn Strategy) -> bool {
        self.record(Call::PerformAtOnce(task));
        self.forced_count += 1;
        if self.outcome.is_some()
            || !self.enabled.bits().contains(task)
            || self.forced_count > self.settings.operations_max()
        {
            return false;
        }
        if !self.is_plain {
            self.note_yield(task);
        }
        self.mark(Effect::GoesOn);
        // Not counted as an operation of the execution, which decides nothing before it.
        self.perform(task, None, strategy).is_some()
    }

    /// Works out which tasks need not let others go first.
    #[inline(never)]
    fn restrict(&mut self) {
        self.is_restricted = false;
        if !self.last_yields && !self.fairness.is_active() {
            return;
        }
        if self.fairness.is_active() && !self.trace.steps.is_empty() {
            let before = self.trace.enabled(self.last_step);
            self.fairness
                .observe(self.last, before, self.enabled.bits());
        }
        self.is_restricted = self.enabled_count > 1;
        if self.is_restricted {
            self.restricted_by = Provisos::NONE;
            self.eligible.copy_from(self.enabled.bits());
            if self.last_yields && self.eligible.bits().contains(self.last) {
                self.eligible.remove(self.last);
                self.restricted_by.add(self.reason_to_yield(self.last));
            }
            let enabled = self.enabled.bits();
            let reasons = self.fairness.restrict(&mut self.eligible, enabled);
            self.restricted_by.merge(reasons);
        }
    }

    /// Why the next operation of a task lets others go first.
    fn reason_to_yield(&self, task: TaskId) -> Proviso {
        if self.tasks[task.index()].op.yields() {
            Proviso::ForcedSwitch
        } else {
            Proviso::SpinCutShort
        }
    }

    /// Number of eligible tasks, where they are not all that are enabled.
    #[cold]
    pub(crate) fn restricted_count(&self) -> usize {
        self.eligible.bits().len()
    }

    pub(super) fn view(&self) -> View<'_> {
        View {
            execution: self,
            is_plain: false,
            has_shown_eligible: Cell::new(false),
        }
    }

    /// Performs the next operation of a task. What is known of those that are enabled need not be looked up
    /// again.
    #[inline(always)]
    fn perform<S: Strategy + ?Sized>(
        &mut self,
        task: TaskId,
        enabled: Option<TaskBits<'static>>,
        strategy: &mut S,
    ) -> Option<(TaskId, usize)> {
        let enabled = enabled.unwrap_or_else(|| self.enabled.bits());
        if !enabled.contains(task) {
            chose_wrongly(task);
        }
        let slot = &mut self.tasks[task.index()];
        slot.status = Status::Running;
        slot.operations += 1;
        let (op, class, handle) = (slot.op, slot.class, slot.handle);
        // The front end tells whether an operation on a variable has changed it.
        slot.was_idle = class == Class::Idle;
        let step = Step::new(Choice::Task(task), task, op, slot.site);
        self.trace.push(step, enabled);
        self.last = task;
        self.running = task;
        self.granted = Grant::Done;
        // In comparisons: of a match the compiler makes a table of jumps, which are mispredicted.
        let goes_on = if class <= Class::Idle {
            true
        } else if class == Class::Mutex {
            self.perform_on_mutex(task, op);
            true
        } else if class == Class::Channel {
            self.perform_on_channel(task, op);
            true
        } else {
            self.perform_elsewhere(task, op, class, strategy)
        };
        goes_on.then_some((task, handle))
    }

    /// What the rules for tasks that yield must know of an operation that is about to be performed.
    fn note_yield(&mut self, task: TaskId) {
        let slot = &mut self.tasks[task.index()];
        let yields = core::mem::take(&mut slot.yields) | core::mem::take(&mut slot.gives_way);
        let reason = yields.then(|| self.reason_to_yield(task));
        self.fairness.schedule(task, reason, self.enabled.bits());
        self.last_step = self.trace.steps.len();
        self.last_yields = false;
    }

    /// Apart from [`Execution::perform`], to keep that short, and in parts, so that no jump table is made of
    /// the classes. Answers whether the execution goes on.
    #[inline(never)]
    fn perform_elsewhere<S: Strategy + ?Sized>(
        &mut self,
        task: TaskId,
        op: Op,
        class: Class,
        strategy: &mut S,
    ) -> bool {
        match class {
            Class::Spawn => self.note_change(task),
            Class::ChannelAtOnce => self.perform_at_once_on_channel(task, op),
            Class::Join => self.perform_join(task, op),
            _ => return self.perform_rarely(task, op, class, strategy),
        }
        true
    }

    #[inline(never)]
    fn perform_rarely<S: Strategy + ?Sized>(
        &mut self,
        task: TaskId,
        op: Op,
        class: Class,
        strategy: &mut S,
    ) -> bool {
        match class {
            Class::Wait => self.perform_wait(task, op),
            Class::Notify => self.perform_notify(task, op),
            _ => return self.perform_other(task, op, strategy),
        }
        true
    }

    #[inline(never)]
    fn perform_other<S: Strategy + ?Sized>(
        &mut self,
        task: TaskId,
        op: Op,
        strategy: &mut S,
    ) -> bool {
        if op.yields() && !op.timed || op.kind == OpKind::Quiesce {
            if op.kind == OpKind::Sleep {
                self.fire(task);
                self.clear_timer(task);
            }
            self.note_idle(task);
            return true;
        }
        let times_out = match op.timed {
            true => match self.times_out(task, &op, strategy) {
                Some(answer) => answer,
                None => return false,
            },
            false => false,
        };
        if op.timed {
            match times_out {
                true => self.fire(task),
                false => self.note_success(task),
            }
            self.clear_timer(task);
        }
        let grant = self.apply(task, &op, times_out);
        self.granted = grant;
        if grant != Grant::Done {
            self.note_deviation(grant);
        }
        true
    }

    /// Notes that the operation just performed did not simply succeed.
    pub(crate) fn note_deviation(&mut self, grant: Grant) {
        self.deviations.push((self.operation_step() as u32, grant));
        self.mark(Effect::Granted(grant));
    }

    /// Whether a timed operation gives up: it must when it cannot succeed, and may otherwise if its timer can
    /// fire.
    fn times_out<S: Strategy + ?Sized>(
        &mut self,
        task: TaskId,
        op: &Op,
        strategy: &mut S,
    ) -> Option<bool> {
        if !self.is_possible(task, op) {
            return Some(true);
        }
        if !self.is_due(task) || !self.may_time_out(op) {
            return Some(false);
        }
        let answer = self.put(task, Choice::Timeout(false), strategy)?;
        Some(answer != 0)
    }

    /// Puts a question to the strategy on behalf of a running task and records the answer. `None`
    /// means that the execution is over.
    pub fn ask<S: Strategy + ?Sized>(
        &mut self,
        task: TaskId,
        question: Choice,
        strategy: &mut S,
    ) -> Option<u32> {
        self.record(Call::Ask(task, question));
        self.put(task, question, strategy)
    }

    /// As [`Execution::ask`], for a question that follows from what the front end has told.
    fn put<S: Strategy + ?Sized>(
        &mut self,
        task: TaskId,
        question: Choice,
        strategy: &mut S,
    ) -> Option<u32> {
        if self.outcome.is_some() {
            return None;
        }
        let answer = match self.is_led(strategy) {
            true => strategy.answer(&self.view(), question),
            false => Ok(self.answer_fairly(question)),
        };
        match answer {
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
        self.record(Call::FailWeakly(task));
        self.note_ration(Ration::WeakFailures, Mode::Read);
        if self.weak_failures >= self.settings.weak_failures_max {
            self.assume(Proviso::WeakFailures);
            return Some(false);
        }
        let fails = self.put(task, Choice::WeakFailure(false), strategy)? != 0;
        if fails {
            self.weak_failures += 1;
            self.note_ration(Ration::WeakFailures, Mode::Write);
            self.mark(Effect::LeavesUnchanged);
        }
        Some(fails)
    }

    /// Whether a wait that begins now ends spuriously. `None` means that the execution is over.
    pub(crate) fn spurious_wake(
        &mut self,
        task: TaskId,
        strategy: &mut dyn Strategy,
    ) -> Option<bool> {
        self.note_ration(Ration::SpuriousWakes, Mode::Read);
        if self.spurious_wakes >= self.settings.spurious_wakes_max {
            self.assume(Proviso::SpuriousWakes);
            return Some(false);
        }
        let wakes = self.put(task, Choice::SpuriousWake(false), strategy)? != 0;
        if wakes {
            self.spurious_wakes += 1;
            self.note_ration(Ration::SpuriousWakes, Mode::Write);
        }
        Some(wakes)
    }

    /// Notes that a task has looked whether something is left of a ration, or has taken from it. All tasks share it, so
    /// what one of them takes decides what another one is asked.
    fn note_ration(&mut self, ration: Ration, mode: Mode) {
        let amount = match ration {
            Ration::WeakFailures => self.settings.weak_failures_max,
            Ration::SpuriousWakes => self.settings.spurious_wakes_max,
        };
        if amount > 0 {
            self.mark(Effect::UsesRation(ration, mode));
        }
    }
}

// With the task as a value: a reference to it would keep it in memory on the path of a step.

#[cold]
fn announced_twice(task: TaskId) -> ! {
    panic!("internal error: task {task} announced twice");
}

#[cold]
fn chose_wrongly(task: TaskId) -> ! {
    panic!("internal error: the strategy chose task {task}, which is not enabled");
}
