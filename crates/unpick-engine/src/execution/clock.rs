//! Virtual time.
//!
//! A sleep and a wait with a deadline set a *timer*. While another task can run, a timer can fire only if its
//! deadline is at most [`Settings::max_delay_ns`](super::Settings::max_delay_ns) away from now: that is how
//! long a task that could run may be held up. When no task can go on, the clock jumps to the earliest
//! deadline first. A timer that fires moves the clock to its deadline. So timers that are further apart than
//! that keep their order, and those that are closer fire in every order.
//!
//! A look at the clock moves it, too, so that a loop that waits for a moment ends. Such a loop holds up other tasks
//! as a timer does, and for no longer: then the clock stands still until another task has run. A loop that waits for a
//! timer of another task without a look at the clock would never end; [`Execution::update_timers`] lets time pass then.

use super::Execution;
use crate::{Effect, Mode, Proviso, recording::Call};
use alloc::vec::Vec;
use unpick_trace::{Op, OpKind, TaskId, TaskSet};

/// Looks of a task in a row that take a microsecond each. Code that looks at the clock while it waits for a moment
/// before it goes to sleep looks less often.
const SHORT_LOOKS: u32 = 64;

/// Turns of each task that can run after which time passes, if nothing has changed meanwhile and all of them wait in
/// loops.
const IDLE_MAX: u32 = 200;

/// When a timer fires at the earliest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timer {
    /// So many nanoseconds after now.
    After(u64),
    /// At this moment, in nanoseconds since the execution began.
    At(u64),
}

/// The timer of one task. Zero is a moment that has come, for a front end that sets none.
#[derive(Clone, Copy, Debug, Default)]
struct Alarm {
    deadline_ns: u64,
    /// Whether it was further away than a task may be held up when it was set, so that it depends on the
    /// clock whether it can fire.
    is_long: bool,
}

/// The clock of an execution.
#[derive(Default)]
pub(super) struct Clock {
    now_ns: u64,
    /// Whether a task has looked at it.
    pub is_read: bool,
    /// By task. Apart from the tasks, which are as small as they can be.
    alarms: Vec<Alarm>,
    /// The tasks that stand before a sleep or a wait with a deadline.
    waiting: TaskSet,
    /// Invariant: the size of `waiting`.
    waiting_count: usize,
    /// Whether it has jumped since the last operation.
    has_jumped: bool,
    /// Whether a timer was set that could not fire at once.
    has_long_timer: bool,
    /// When a timer fired last, or a task ran other than the one that looked last.
    held_since_ns: u64,
    /// The task that looked last, and the steps there were.
    looker: Option<(TaskId, usize)>,
    /// By task, how many turns it had since the last change, and the epoch of that change.
    idle_turns: Vec<u32>,
    idle_epoch: u32,
}

impl Clock {
    pub fn reset(&mut self) {
        self.now_ns = 0;
        self.is_read = false;
        self.alarms.clear();
        self.waiting.clear();
        self.waiting_count = 0;
        self.has_jumped = false;
        self.has_long_timer = false;
        self.held_since_ns = 0;
        self.looker = None;
        self.idle_turns.clear();
    }

    #[inline]
    pub fn has_timers(&self) -> bool {
        self.waiting_count > 0
    }

    fn alarm(&self, task: TaskId) -> Alarm {
        self.alarms.get(task.index()).copied().unwrap_or_default()
    }

    fn set_alarm(&mut self, task: TaskId, alarm: Alarm) {
        if self.alarms.len() <= task.index() {
            self.alarms.resize(task.index() + 1, Alarm::default());
        }
        self.alarms[task.index()] = alarm;
    }

    pub fn forget(&mut self, task: TaskId) {
        self.waiting_count -= usize::from(self.waiting.remove(task));
    }
}

impl Execution {
    /// Virtual time, in nanoseconds since the execution began.
    ///
    /// Time passes when a timer fires, and a little at every look: a microsecond. A task that looks again
    /// and again and does nothing else sees it pass twice as fast each time, so that loops that wait for a
    /// moment come to their end. To sleep while others can run is something else. While
    /// [`Execution::holds_clock`], no time passes.
    pub fn look_at_clock(&mut self, task: TaskId) -> u64 {
        let latest_ns = self.latest_ns(task);
        self.pass_time(task, latest_ns)
    }

    /// The same for code that cannot let other tasks go first.
    pub fn look_at_clock_at_once(&mut self, task: TaskId) -> u64 {
        self.pass_time(task, u64::MAX)
    }

    /// Whether other tasks have to go on before a task sees time pass.
    pub fn holds_clock(&mut self, task: TaskId) -> bool {
        self.clock.is_read && self.clock.now_ns >= self.latest_ns(task)
    }

    fn pass_time(&mut self, task: TaskId, latest_ns: u64) -> u64 {
        self.clock.is_read = true;
        let slot = &mut self.tasks[task.index()];
        let doublings = slot.clock_looks.saturating_sub(SHORT_LOOKS).min(32);
        slot.clock_looks = slot.clock_looks.saturating_add(1);
        let next_ns = self.clock.now_ns.saturating_add(1_000 << doublings);
        self.clock.now_ns = next_ns.min(latest_ns).max(self.clock.now_ns);
        self.clock.now_ns
    }

    /// How far a task can move the clock by looks at it: other tasks that can run, or can run when their timers fire,
    /// are held up meanwhile.
    fn latest_ns(&mut self, task: TaskId) -> u64 {
        let Some(delay_ns) = self.settings.max_delay_ns else {
            return u64::MAX;
        };
        let steps = &self.trace.steps;
        let is_alone = self.clock.looker.is_some_and(|(looker, seen)| {
            looker == task && steps[seen..].iter().all(|step| step.task == task)
        });
        if !is_alone {
            self.clock.held_since_ns = self.clock.now_ns;
        }
        self.clock.looker = Some((task, steps.len()));
        let is_timed = |other: &TaskId| self.clock.waiting.bits().contains(*other);
        let others = self.enabled.bits().iter().filter(|other| *other != task);
        let moments = others.map(|other| match is_timed(&other) {
            true => self.clock.alarm(other).deadline_ns,
            false => 0,
        });
        let waiting = self.clock.waiting.bits().iter();
        let waiting = waiting.filter(|other| *other != task);
        let deadlines = waiting.map(|other| self.clock.alarm(other).deadline_ns);
        let earliest_ns = moments.chain(deadlines).min();
        earliest_ns.map_or(u64::MAX, |moment_ns| {
            moment_ns
                .max(self.clock.held_since_ns)
                .saturating_add(delay_ns)
        })
    }

    /// Whether a task has looked at the clock.
    pub(crate) fn has_read_clock(&self) -> bool {
        self.clock.is_read
    }

    /// Whether no task could go on, and the clock has jumped to the next deadline since the last operation.
    pub(crate) fn has_jumped(&self) -> bool {
        self.clock.has_jumped
    }

    /// Whether it depended on the clock which timers could fire.
    pub fn has_awaited_clock(&self) -> bool {
        self.clock.has_long_timer
    }

    /// Virtual time without letting any pass.
    pub fn clock_ns(&self) -> u64 {
        self.clock.now_ns
    }

    /// Sets the timer of a running task for its next sleep or wait with a deadline.
    pub fn set_timer(&mut self, task: TaskId, timer: Timer) {
        self.record(Call::SetTimer(task, timer));
        let now_ns = self.clock.now_ns;
        let deadline_ns = match timer {
            Timer::After(duration_ns) => now_ns.saturating_add(duration_ns),
            Timer::At(moment_ns) => moment_ns,
        };
        let is_long = deadline_ns > self.horizon_ns();
        self.clock.has_long_timer |= is_long;
        let alarm = Alarm {
            deadline_ns,
            is_long,
        };
        self.clock.set_alarm(task, alarm);
        self.mark_clock(Mode::Read);
    }

    /// Takes in a task that stands before a sleep or a wait with a deadline.
    pub(super) fn await_timer(&mut self, task: TaskId) {
        self.clock.waiting_count += usize::from(self.clock.waiting.insert(task));
    }

    /// Deadlines up to here can come before what other tasks do.
    fn horizon_ns(&self) -> u64 {
        match self.settings.max_delay_ns {
            None => u64::MAX,
            Some(delay_ns) => self.clock.now_ns.saturating_add(delay_ns),
        }
    }

    /// Whether the timer of a task can fire.
    pub(super) fn is_due(&self, task: TaskId) -> bool {
        self.clock.alarm(task).deadline_ns <= self.horizon_ns()
    }

    /// Before a decision: works out which tasks with timers can go on. If no task can, the clock jumps.
    #[inline]
    pub(super) fn update_timers(&mut self) {
        if self.clock.has_timers() && self.outcome.is_none() {
            self.update_all_timers();
        }
    }

    #[inline(never)]
    fn update_all_timers(&mut self) {
        let mut is_held_up = self.enable_timers();
        if self.enabled_count == 0 || is_held_up && self.is_idle() {
            self.let_time_pass();
            self.clock.has_jumped = true;
            is_held_up = self.enable_timers();
        }
        if is_held_up {
            self.assume(Proviso::Timeouts);
        }
    }

    /// Whether all tasks that can run have waited in loops for long. They wait for a timer then.
    ///
    /// Follows from the schedule alone, and not from what the strategy asks for: a replay must find the same.
    fn is_idle(&mut self) -> bool {
        let clock = &mut self.clock;
        if clock.idle_epoch != self.epoch {
            clock.idle_epoch = self.epoch;
            clock.idle_turns.clear();
        }
        let last = self.last.index();
        if clock.idle_turns.len() <= last {
            clock.idle_turns.resize(last + 1, 0);
        }
        clock.idle_turns[last] += 1;
        if clock.idle_turns[last] < IDLE_MAX {
            return false;
        }
        let has_waited = |task: TaskId| {
            let turns = self.clock.idle_turns.get(task.index());
            turns.is_some_and(|&turns| turns >= IDLE_MAX) && self.tasks[task.index()].yields
        };
        self.enabled.bits().iter().all(has_waited)
    }

    /// The clock jumps to the earliest deadline.
    pub(super) fn let_time_pass(&mut self) {
        let waiting = self.clock.waiting.bits().iter();
        let deadlines = waiting.map(|task| self.clock.alarm(task).deadline_ns);
        self.clock.now_ns = deadlines.min().unwrap_or(0).max(self.clock.now_ns);
        self.clock.idle_turns.clear();
    }

    /// Enables the tasks with timers that can go on, and no other ones. Answers whether a timer cannot fire.
    fn enable_timers(&mut self) -> bool {
        let mut is_held_up = false;
        let mut next = self.clock.waiting.bits().first();
        while let Some(task) = next {
            let is_due = self.is_due(task);
            let op = self.tasks[task.index()].op;
            let is_enabled = is_due || op.kind != OpKind::Sleep && self.is_possible(task, &op);
            self.set_enabled(task, is_enabled);
            is_held_up |= !is_due;
            next = self.clock.waiting.bits().first_from(TaskId(task.0 + 1));
        }
        is_held_up
    }

    /// The timer of a task fires.
    pub(super) fn fire(&mut self, task: TaskId) {
        let Alarm {
            deadline_ns,
            is_long,
        } = self.clock.alarm(task);
        self.clock.now_ns = self.clock.now_ns.max(deadline_ns);
        self.clock.held_since_ns = self.clock.now_ns;
        if self.enabled_count > 1 {
            self.tasks[task.index()].clock_looks = 0;
        }
        // Timers of which each can fire at any moment move the clock to the same moment in every order.
        self.mark_clock(if is_long { Mode::Write } else { Mode::Add });
        if self.clock.has_jumped {
            self.mark(Effect::FollowsAll);
        }
    }

    /// The wait of a task has ended otherwise, or its timer has fired.
    pub(super) fn clear_timer(&mut self, task: TaskId) {
        self.clock.forget(task);
        self.clock.has_jumped = false;
        self.clock.set_alarm(task, Alarm::default());
    }

    /// A wait with a deadline succeeds. Whether its timer could fire instead may depend on the clock.
    pub(super) fn note_success(&mut self, task: TaskId) {
        if self.clock.alarm(task).is_long {
            self.mark_clock(Mode::Read);
        }
    }

    /// Whether an operation may have to wait for the clock.
    pub fn may_await_clock(&self, op: &Op) -> bool {
        op.has_timer() && self.settings.max_delay_ns.is_some()
    }

    /// How the next operation of a task uses the clock if its timer fires.
    pub(crate) fn next_use_of_clock(&self, task: TaskId, op: &Op) -> Option<Mode> {
        let is_long = self.clock.alarm(task).is_long;
        let mode = if is_long { Mode::Write } else { Mode::Add };
        self.may_await_clock(op).then_some(mode)
    }

    /// Notes how the current transition uses the clock, if anything depends on it.
    fn mark_clock(&mut self, mode: Mode) {
        if self.settings.max_delay_ns.is_some() {
            self.mark(Effect::UsesClock(mode));
        }
    }
}
