//! Explorations of a closure, by one worker or by several.

mod rounds;
mod sum;
mod workers;

use crate::rt::{Runtime, on_fit_thread};
use crate::{Config, Shard};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use sum::{Sum, Told};
use unpick_causality::Mcr;
use unpick_config::room::Room;
use unpick_engine::parts::{last_lesson, learned_before, of_slice};
use unpick_engine::{
    Control, Execution, Exploration, Limits, Profile, StopReason, Strategy, epoch,
};
use unpick_strategies::Replay;
use unpick_trace::Trace;

/// Executions that a worker takes at a time, at most.
const CHUNK_MAX: u64 = 1_024;

/// Time between two looks at the clock and calls of the observer, roughly.
const TIME_BETWEEN_LOOKS: Duration = Duration::from_millis(1);

/// Time between two looks at the memory that is taken.
const TIME_BETWEEN_LOOKS_AT_ROOM: Duration = Duration::from_millis(20);

/// The part of a budget of time that is kept for confirming possible deadlocks, once there are some.
const RESERVED_SHARE: u32 = 10;

/// Executions between two looks, at most.
const EXECUTIONS_BETWEEN_LOOKS_MAX: u64 = 4_096;

/// Decides after which executions to look at the clock, so that looking costs nothing and a budget
/// of time is kept to about a millisecond or one execution.
struct Pace {
    last_look: Instant,
    interval: u64,
    left: u64,
    /// Whether a failure was looked at: the first one is kept at once, so it is not left for later.
    has_seen_failure: bool,
}

impl Pace {
    fn new() -> Pace {
        Pace {
            last_look: Instant::now(),
            interval: 1,
            left: 1,
            has_seen_failure: false,
        }
    }

    fn is_time_to_look(&mut self, found: &Exploration) -> bool {
        self.left -= 1;
        let is_first_failure = found.failures > 0 && !self.has_seen_failure;
        self.has_seen_failure |= is_first_failure;
        if self.left > 0 && !is_first_failure {
            return false;
        }
        let now = Instant::now();
        self.interval = match now - self.last_look < TIME_BETWEEN_LOOKS {
            true => (2 * self.interval).min(EXECUTIONS_BETWEEN_LOOKS_MAX),
            false => (self.interval / 2).max(1),
        };
        self.last_look = now;
        self.left = self.interval;
        true
    }
}

/// Explores `program` and returns what was found.
pub fn explore<F: Fn() + Send + Sync + 'static>(config: Config, program: F) -> Exploration {
    explore_observed(&config, &program, &|_| Control::Continue)
}

/// Explores `program` and lets `observer` look at the progress every few executions, from whatever
/// thread makes it. With several workers it sees what all of them have run, in numbers.
pub fn explore_observed(
    config: &Config,
    program: &(dyn Fn() + Send + Sync),
    observer: &(dyn Fn(&Exploration) -> Control + Sync),
) -> Exploration {
    let driver = Driver::new(config, program, observer);
    let is_randomised = config.strategy.technique().is_randomised;
    let found = match (config.shard, is_randomised) {
        (Some(shard), true) => return driver.explore_slice(shard),
        (Some(shard), false) => return driver.explore_shard(shard),
        (None, true) if config.jobs > 1 => driver.explore_shared(0..config.executions_max),
        (None, _) => {
            let mut shared = build_shared(config);
            if config.jobs > 1 && shared.duplicate().is_some() {
                driver.explore_split(shared)
            } else if config.jobs > 1 && shared.goes_in_rounds() {
                driver.explore_rounds(&mut *shared)
            } else {
                driver.explore_alone(&mut *build(config))
            }
        }
    };
    driver.confirm(found)
}

/// Explores `program` with one worker and lets `visit` look at every execution as it ends, for tools
/// that judge or compare techniques.
///
/// The program has ended or been unwound by then, and the strategy has not yet looked at it.
pub fn explore_visited(
    config: &Config,
    program: &(dyn Fn() + Send + Sync),
    visit: &mut (dyn FnMut(&Execution) + Send),
) -> Exploration {
    let driver = Driver::new(config, program, &|_| Control::Continue);
    let mut strategy = build(config);
    on_fit_thread(|| {
        let mut runtime = Visited {
            runtime: driver.runtime(),
            visit,
        };
        let mut pace = Pace::new();
        unpick_engine::explore(
            &mut runtime,
            &mut *strategy,
            &driver.limits(),
            &mut |found| driver.look(&mut pace, found),
        )
    })
}

/// A runtime with somebody who looks at its executions.
struct Visited<'a> {
    runtime: Box<Runtime>,
    visit: &'a mut (dyn FnMut(&Execution) + Send),
}

impl unpick_engine::Runtime for Visited<'_> {
    fn execute(&mut self, strategy: &mut dyn Strategy) {
        self.runtime.execute(strategy);
        (self.visit)(self.runtime.execution());
    }

    fn execution(&mut self) -> &mut Execution {
        self.runtime.execution()
    }
}

/// The strategy of a configuration, at its beginning.
pub(crate) fn build(config: &Config) -> Box<dyn Strategy> {
    match Mcr::of(&config.strategy) {
        Some(planned) => {
            let end = |limit| Instant::now().checked_add(limit);
            Box::new(planned.until(config.time_max.and_then(end)))
        }
        None => config.strategy.build(config.seed),
    }
}

/// The same for workers or shards that share it.
pub(crate) fn build_shared(config: &Config) -> Box<dyn Strategy> {
    match config.strategy.technique().is_planned {
        true => build(config),
        false => config.strategy.build_shared(config.seed),
    }
}

/// Runs `program` once along a recorded trace. The outcome is the recorded one, or tells where the
/// program left the schedule.
pub fn replay(config: &Config, program: &(dyn Fn() + Send + Sync), trace: Trace) -> Exploration {
    let driver = Driver {
        config,
        program,
        observer: &|_| Control::Continue,
        deadline: None,
        room: config.room(),
        begun_at: Instant::now(),
        room_seen_at: AtomicU64::new(0),
    };
    driver.explore_alone(&mut Replay::new(trace))
}

/// Something that runs `program`.
pub(crate) fn runtime(config: &Config, program: &(dyn Fn() + Send + Sync)) -> Box<Runtime> {
    Runtime::new(program, config.settings, config.stack_size, config.watchdog)
}

struct Driver<'a> {
    config: &'a Config,
    program: &'a (dyn Fn() + Send + Sync),
    observer: &'a (dyn Fn(&Exploration) -> Control + Sync),
    deadline: Option<Instant>,
    room: Room,
    begun_at: Instant,
    /// When the memory that is taken was looked at last, in microseconds since.
    room_seen_at: AtomicU64,
}

impl<'a> Driver<'a> {
    fn new(
        config: &'a Config,
        program: &'a (dyn Fn() + Send + Sync),
        observer: &'a (dyn Fn(&Exploration) -> Control + Sync),
    ) -> Driver<'a> {
        assert!(
            !crate::rt::is_in_task(),
            "an exploration cannot run inside another one; call it outside of the closure"
        );
        Driver {
            config,
            program,
            observer,
            room: config.room(),
            deadline: config
                .time_max
                .and_then(|limit| Instant::now().checked_add(limit)),
            begun_at: Instant::now(),
            room_seen_at: AtomicU64::new(0),
        }
    }

    fn limits(&self) -> Limits {
        self.config.limits()
    }

    fn runtime(&self) -> Box<Runtime> {
        runtime(self.config, self.program)
    }

    /// Looks at the clock and lets the observer look, every few executions.
    fn look(&self, pace: &mut Pace, found: &Exploration) -> Control {
        match pace.is_time_to_look(found) {
            true => self.look_now(found),
            false => Control::Continue,
        }
    }

    fn look_now(&self, found: &Exploration) -> Control {
        let reserve = match self.config.time_max {
            Some(limit) if self.config.confirmation().is_wanted(found) => limit / RESERVED_SHARE,
            _ => Duration::ZERO,
        };
        if self.is_time_over(reserve) {
            return Control::Stop(StopReason::Time);
        }
        match self.is_memory_used_up() {
            true => Control::Stop(StopReason::Memory),
            false => (self.observer)(found),
        }
    }

    /// Whether more memory is taken than there is room for, looked at now and then.
    fn is_memory_used_up(&self) -> bool {
        let now = self.begun_at.elapsed();
        let last = Duration::from_micros(self.room_seen_at.load(Ordering::Relaxed));
        if now.saturating_sub(last) < TIME_BETWEEN_LOOKS_AT_ROOM {
            return false;
        }
        let now = now.as_micros().try_into().unwrap_or(u64::MAX);
        self.room_seen_at.store(now, Ordering::Relaxed);
        self.room.is_exceeded()
    }

    /// Whether so little time is left.
    fn is_time_over(&self, reserve: Duration) -> bool {
        let deadline = self.deadline;
        deadline.is_some_and(|deadline| Instant::now() + reserve >= deadline)
    }

    /// Directs searches at the possible deadlocks that were found, by one worker.
    fn confirm(&self, mut found: Exploration) -> Exploration {
        let confirmation = self.config.confirmation();
        confirmation.settle(&mut found);
        if confirmation.is_wanted(&found) && !self.is_time_over(Duration::ZERO) {
            on_fit_thread(|| {
                let mut observer = |found: &Exploration| match self.is_time_over(Duration::ZERO) {
                    true => Control::Stop(StopReason::Time),
                    false => (self.observer)(found),
                };
                let mut runtime = self.runtime();
                confirmation.run(&mut *runtime, &self.limits(), &mut found, &mut observer);
            });
        }
        found
    }

    fn explore_alone(&self, strategy: &mut dyn Strategy) -> Exploration {
        on_fit_thread(|| {
            let mut runtime = self.runtime();
            let mut pace = Pace::new();
            unpick_engine::explore(&mut *runtime, strategy, &self.limits(), &mut |found| {
                self.look(&mut pace, found)
            })
        })
    }

    /// What several workers find is what one would: an execution depends on its number alone, what
    /// strategies learn they learn after 1, 2, 4, 8, … executions, and the parts are put together
    /// in order.
    fn explore_shared(&self, range: Range<u64>) -> Exploration {
        let (mut profile, before) = self.learn_before(&range);
        let mut found = Exploration::default();
        let sum = Sum::default();
        let mut start = range.start;
        while start < range.end {
            let epoch = epoch(start, range.end);
            start = epoch.end;
            for part in self.explore_epoch(epoch, &profile, self.config.keep_going, &sum) {
                let reason = part.stopped_because;
                found.append(part);
                if reason != StopReason::Executions {
                    return found;
                }
            }
            if found.executions < start - range.start {
                return found;
            }
            profile.merge(&before);
            profile.merge(&found.profile);
        }
        found
    }

    /// What strategies have learned when a range begins that is not the first one, and all that the
    /// executions before it have shown, of which they learn when the epoch is over that the range
    /// begins in. Those executions are run for that alone.
    fn learn_before(&self, range: &Range<u64>) -> (Profile, Profile) {
        let (mut learned, mut shown) = (Profile::default(), Profile::default());
        let end = match build(self.config).learns() {
            true => learned_before(range),
            false => 0,
        };
        let mut start = 0;
        while start < end {
            let epoch = epoch(start, end);
            start = epoch.end;
            for part in self.explore_epoch(epoch, &learned, true, &Sum::default()) {
                shown.merge(&part.profile);
            }
            if start <= last_lesson(end) {
                learned.merge(&shown);
            }
        }
        (learned, shown)
    }

    /// One slice of the executions of a randomised strategy.
    fn explore_slice(&self, shard: Shard) -> Exploration {
        let slice = shard.slice(self.config.executions_max);
        let found = self.explore_shared(slice.clone());
        of_slice(found, &slice, shard.from_zero())
    }

    /// The executions of a range, in parts, in order; the last part may end early.
    fn explore_epoch(
        &self,
        range: Range<u64>,
        profile: &Profile,
        keep_going: bool,
        sum: &Sum,
    ) -> Vec<Exploration> {
        let length = range.end - range.start;
        let workers = self.config.jobs.min(length.div_ceil(8) as usize);
        let chunk = (length / (4 * workers as u64)).clamp(1, CHUNK_MAX);
        let chunk_count = length.div_ceil(chunk);
        let next = AtomicU64::new(0);
        let first_stopped = AtomicU64::new(u64::MAX);
        let parts = Mutex::new(BTreeMap::new());
        let limits = Limits {
            keep_going,
            ..self.limits()
        };
        let work = || {
            let mut runtime = self.runtime();
            let mut pace = Pace::new();
            let mut strategy = build(self.config);
            if range.start > 0 {
                strategy.learn(profile);
            }
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                // Parts before the first that stopped must be done; later ones do not count.
                if number >= chunk_count || number > first_stopped.load(Ordering::Relaxed) {
                    return;
                }
                let from = range.start + number * chunk;
                let mut told = Told::default();
                let (part, _) = unpick_engine::explore_range(
                    &mut *runtime,
                    &mut *strategy,
                    from..(from + chunk).min(range.end),
                    &limits,
                    &mut |found| match pace.is_time_to_look(found) {
                        true => sum.look(found, &mut told, &|sum| self.look_now(sum)),
                        false => Control::Continue,
                    },
                );
                sum.end_part(&part, &mut told);
                if part.stopped_because != StopReason::Executions {
                    first_stopped.fetch_min(number, Ordering::Relaxed);
                }
                let mut parts = parts.lock().unwrap_or_else(PoisonError::into_inner);
                parts.insert(number, part);
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(work);
            }
        });
        let parts = parts.into_inner().unwrap_or_else(PoisonError::into_inner);
        // A gap can only follow a part that stopped.
        let in_order = parts.into_iter().enumerate();
        in_order
            .take_while(|(index, (number, _))| *index as u64 == *number)
            .map(|(_, (_, part))| part)
            .collect()
    }
}
