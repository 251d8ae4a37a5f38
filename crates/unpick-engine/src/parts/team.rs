//! Workers that share a search by splitting it.
//!
//! A worker without work says so; the others look after every execution, and one of them gives away
//! the end of what it has left. The thief runs the way to its first execution as part of it, so
//! nothing is run twice.

use super::search::{Allowance, Chunk, Job, Search, State};
use crate::{
    Begin, Control, Coverage, CoveredSoFar, End, Exploration, Limits, Runtime, StopReason,
    Strategy, explore_range,
};
use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// Executions of a chunk, at least.
const CHUNK_MIN: u64 = 1_024;

/// A chunk has at most this part of the executions of its part: so much may have to be run again.
const CHUNK_SHARE: u64 = 16;

/// Executions after which a search that could not be split is asked again.
const EXECUTIONS_BETWEEN_SPLITS: u64 = 64;

/// How the workers of a team come by the search that they share.
pub trait Meeting {
    /// Lets `work` have the search while nobody else has it. If it answers `false`, waits for
    /// [`Meeting::wake`], or for a while, and lets it have the search again.
    fn meet(&self, work: &mut dyn FnMut(&mut Search) -> bool);

    /// Wakes all who wait. Called by one who has the search.
    fn wake(&self);
}

/// How a worker looks at clock and user.
pub trait Lookout {
    /// Whether to look now. Asked after every execution, so it must be quick.
    fn is_time(&mut self, found: &Exploration) -> bool;

    /// Looks at what all workers have run, and says whether to go on.
    fn look(&mut self, found: &Exploration) -> Control;
}

/// What the workers of an exploration share.
pub struct Team<M> {
    meeting: M,
    idle: AtomicUsize,
    /// Parts that idle workers would like to have.
    wanted: AtomicUsize,
    /// Time is over, or a worker is lost.
    is_closing: AtomicBool,
    executions: AtomicU64,
    failures: AtomicU64,
    tasks_max: AtomicU64,
    /// As of the chunks that are done.
    covered: CoveredSoFar,
}

impl<M: Meeting> Team<M> {
    /// A team without workers yet.
    pub fn new(meeting: M) -> Team<M> {
        Team {
            meeting,
            idle: AtomicUsize::new(0),
            wanted: AtomicUsize::new(0),
            is_closing: AtomicBool::new(false),
            executions: AtomicU64::new(0),
            failures: AtomicU64::new(0),
            tasks_max: AtomicU64::new(0),
            covered: CoveredSoFar::default(),
        }
    }

    /// Works on one part after the other, until the search is over or somebody has closed it.
    pub fn work(&self, runtime: &mut dyn Runtime, limits: &Limits, lookout: &mut dyn Lookout) {
        let mut worker = Worker {
            team: self,
            runtime,
            limits,
            lookout,
        };
        while let Some(job) = self.take() {
            worker.run(job);
        }
    }

    /// Lets all workers leave after the execution at hand.
    pub fn close(&self, reason: StopReason) {
        self.with(|search| {
            search.note_closing(reason);
            self.is_closing.store(true, Ordering::Relaxed);
            self.tell(search);
        });
    }

    /// The way to the search, when all workers have left.
    pub fn into_meeting(self) -> M {
        self.meeting
    }

    fn with<T>(&self, work: impl FnOnce(&mut Search) -> T) -> T {
        let mut work = Some(work);
        let mut result = None;
        self.meeting.meet(&mut |search| {
            result = work.take().map(|work| work(search));
            true
        });
        result.expect("internal error: a meeting did not take place")
    }

    /// To be called with the search at hand, after every change of it.
    fn tell(&self, search: &Search) {
        let idle = self.idle.load(Ordering::Relaxed);
        let waiting = search.waiting_count();
        self.wanted
            .store(idle.saturating_sub(waiting), Ordering::Relaxed);
        self.covered.set(search.covered());
        let is_closing = self.is_closing.load(Ordering::Relaxed);
        if idle > 0 && (waiting > 0 || search.is_over() || is_closing) {
            self.meeting.wake();
        }
    }

    /// A part to work on; none when the search is over.
    fn take(&self) -> Option<Job> {
        let mut is_idle = false;
        let mut taken = None;
        self.meeting.meet(&mut |search| {
            if is_idle {
                self.idle.fetch_sub(1, Ordering::Relaxed);
            }
            if search.is_over() || self.is_closing.load(Ordering::Relaxed) {
                return true;
            }
            taken = search.take();
            is_idle = taken.is_none();
            if is_idle {
                self.idle.fetch_add(1, Ordering::Relaxed);
            }
            self.tell(search);
            !is_idle
        });
        taken
    }

    /// Adds what a worker has run since it told last; answers what all have run.
    fn sum(&self, found: &Exploration, told: &mut (u64, u64)) -> Exploration {
        let executions = found.executions - told.0;
        let failures = found.failures - told.1;
        // Once: traces may be long.
        let first_failure = found.first_failure.as_ref().filter(|_| told.1 == 0);
        let first_failure = first_failure.cloned();
        *told = (found.executions, found.failures);
        let tasks_max = self.tasks_max.fetch_max(found.tasks_max, Ordering::Relaxed);
        Exploration {
            tasks_max: tasks_max.max(found.tasks_max),
            coverage: self.covered.get().map(Coverage::from),
            executions: self.executions.fetch_add(executions, Ordering::Relaxed) + executions,
            failures: self.failures.fetch_add(failures, Ordering::Relaxed) + failures,
            warnings: found.warnings.clone(),
            first_failure,
            ..Exploration::default()
        }
    }
}

struct Worker<'a, M> {
    team: &'a Team<M>,
    runtime: &'a mut dyn Runtime,
    limits: &'a Limits,
    lookout: &'a mut dyn Lookout,
}

impl<M: Meeting> Worker<'_, M> {
    /// Works on a part until it is done or nobody wants it any more.
    fn run(&mut self, mut job: Job) {
        let mut executions = 0;
        // Executions before the next split is tried.
        let mut patience = 0;
        loop {
            let allowance = self.team.with(|search| search.allowance(job.id));
            let Some(allowance) = allowance else { return };
            let (chunk, state) = match allowance.executions {
                0 => look_for_more(&mut *job.strategy),
                _ => {
                    let length = CHUNK_MIN.max(executions / CHUNK_SHARE);
                    self.run_chunk(&mut job, &allowance, length, patience)
                }
            };
            executions += chunk.found.executions;
            if job.is_dropped.load(Ordering::Relaxed) {
                return;
            }
            let mut given = Vec::new();
            if state == State::Running {
                for _ in 0..self.team.wanted.load(Ordering::Relaxed) {
                    given.extend(job.strategy.split());
                }
                patience = match given.is_empty() {
                    true => EXECUTIONS_BETWEEN_SPLITS,
                    false => 0,
                };
            }
            if state == State::Held {
                // What is behind need not wait.
                given.extend(job.strategy.split());
            }
            if let State::Stopped(
                reason @ (StopReason::Time | StopReason::Memory | StopReason::Interrupted),
            ) = state
            {
                self.team.close(reason);
            }
            let id = job.id;
            let goes_on = state == State::Running;
            let (kept, brought) = match goes_on {
                true => (Some(job), None),
                false => (None, Some(job.strategy)),
            };
            self.team.with(|search| {
                // What was given later comes before what was given earlier.
                given.into_iter().for_each(|part| search.give(id, part));
                search.report(id, chunk, state, brought);
                self.team.tell(search);
            });
            match kept {
                Some(kept) => job = kept,
                None => return,
            }
        }
    }

    fn run_chunk(
        &mut self,
        job: &mut Job,
        allowance: &Allowance,
        length_max: u64,
        patience: u64,
    ) -> (Chunk, State) {
        let before = match allowance.is_exact {
            true => None,
            false => job.strategy.duplicate(),
        };
        let length = allowance.executions.min(length_max);
        let (team, lookout) = (self.team, &mut *self.lookout);
        let is_dropped = &*job.is_dropped;
        let mut told = (0, 0);
        let mut observer = |found: &Exploration| {
            if is_dropped.load(Ordering::Relaxed) || team.is_closing.load(Ordering::Relaxed) {
                return Control::Stop(StopReason::Interrupted);
            }
            let is_wanted = team.wanted.load(Ordering::Relaxed) > 0;
            if is_wanted && found.executions > patience {
                return Control::Pause;
            }
            match lookout.is_time(found) {
                true => lookout.look(&team.sum(found, &mut told)),
                false => Control::Continue,
            }
        };
        let (found, end) = explore_range(
            self.runtime,
            &mut *job.strategy,
            0..length,
            self.limits,
            &mut observer,
        );
        team.sum(&found, &mut told);
        let state = state_after(end, found.stopped_because, State::Running);
        (Chunk { found, before }, state)
    }
}

/// How a part stands after a range of its executions; `paused` if it goes on.
pub(super) fn state_after(end: End, reason: StopReason, paused: State) -> State {
    match (end, reason) {
        (End::Paused, _) => paused,
        (End::BoundDone, _) => State::BoundDone,
        (End::Waiting, _) => State::Held,
        (End::Ended, StopReason::Exhausted) => State::Exhausted,
        (End::Ended, reason) => State::Stopped(reason),
    }
}

/// Finds out whether a part has anything left that the budget forbids to run.
fn look_for_more(strategy: &mut dyn Strategy) -> (Chunk, State) {
    let chunk = Chunk {
        found: Exploration::default(),
        before: None,
    };
    let state = match strategy.begin(0) {
        Begin::Ready | Begin::Restart => State::Stopped(StopReason::Executions),
        Begin::Exhausted => State::Exhausted,
        Begin::BoundDone => State::BoundDone,
        Begin::Waiting => State::Held,
        Begin::Stopped => State::Stopped(StopReason::Strategy),
    };
    (chunk, state)
}
