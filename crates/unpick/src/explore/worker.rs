//! Workers that share a search by splitting it.
//!
//! A worker without work says so; the others look after every execution, and one of them gives away
//! the end of what it has left. The thief runs the way to its first execution as part of it, so
//! nothing is run twice.

use super::search::{Allowance, Chunk, Job, Search, State};
use super::{Driver, Pace, on_own_thread, spawn_like_caller};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use unpick_engine::{Begin, Control, End, Exploration, StopReason, Strategy};

/// Executions of a chunk, at least.
const CHUNK_MIN: u64 = 1_024;

/// A chunk has at most this part of the executions of its part: so much may have to be run again.
const CHUNK_SHARE: u64 = 16;

/// Executions after which a search that could not be split is asked again.
const EXECUTIONS_BETWEEN_SPLITS: u64 = 64;

/// What the workers of an exploration share.
struct Team {
    search: Mutex<Search>,
    /// There may be work, or none is left.
    news: Condvar,
    idle: AtomicUsize,
    /// Parts that idle workers would like to have.
    wanted: AtomicUsize,
    /// Time is over, or a worker has panicked.
    is_closing: AtomicBool,
    closing_reason: Mutex<StopReason>,
    executions: AtomicU64,
    failures: AtomicU64,
}

impl Team {
    fn new(search: Search) -> Team {
        Team {
            search: Mutex::new(search),
            news: Condvar::new(),
            idle: AtomicUsize::new(0),
            wanted: AtomicUsize::new(0),
            is_closing: AtomicBool::new(false),
            closing_reason: Mutex::new(StopReason::Interrupted),
            executions: AtomicU64::new(0),
            failures: AtomicU64::new(0),
        }
    }

    fn search(&self) -> MutexGuard<'_, Search> {
        self.search.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// To be called with the search locked, after every change of it.
    fn tell(&self, search: &Search) {
        let idle = self.idle.load(Ordering::Relaxed);
        let waiting = search.waiting_count();
        self.wanted
            .store(idle.saturating_sub(waiting), Ordering::Relaxed);
        let is_closing = self.is_closing.load(Ordering::Relaxed);
        if idle > 0 && (waiting > 0 || search.is_over() || is_closing) {
            self.news.notify_all();
        }
    }

    fn close(&self, reason: StopReason) {
        let search = self.search();
        if !self.is_closing.swap(true, Ordering::Relaxed) {
            let mut first = self
                .closing_reason
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            *first = reason;
        }
        self.tell(&search);
    }

    /// A part to work on; none when the search is over.
    fn take(&self) -> Option<Job> {
        let mut search = self.search();
        loop {
            if search.is_over() || self.is_closing.load(Ordering::Relaxed) {
                return None;
            }
            if let Some(job) = search.take() {
                self.tell(&search);
                return Some(job);
            }
            self.idle.fetch_add(1, Ordering::Relaxed);
            self.tell(&search);
            search = self
                .news
                .wait(search)
                .unwrap_or_else(PoisonError::into_inner);
            self.idle.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Lets the others go when a worker panics.
struct Alarm<'a>(Option<&'a Team>);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if let Some(team) = self.0 {
            team.close(StopReason::Interrupted);
        }
    }
}

impl Driver<'_> {
    /// Explores by several workers, one part each at a time.
    pub(super) fn explore_split(&self, strategy: Box<dyn Strategy>) -> Exploration {
        let search = Search::new(strategy, self.config.executions_max);
        self.explore_parts(search).finish().0
    }

    /// Runs a search in parts to its end.
    pub(super) fn explore_parts(&self, search: Search) -> Search {
        let team = Team::new(search);
        std::thread::scope(|scope| {
            for _ in 0..self.config.jobs {
                spawn_like_caller(scope, || self.work(&team));
            }
        });
        let mut search = team
            .search
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        if !search.is_over() {
            let reason = team.closing_reason.into_inner();
            search.close(reason.unwrap_or_else(PoisonError::into_inner));
        }
        if let Some(mut cut) = search.take_cut() {
            let found = self.run_again(&mut *cut.before, cut.executions);
            search.append_cut(&cut, found);
        }
        search
    }

    /// Runs the first executions of a chunk again, up to the end of the budget.
    fn run_again(&self, strategy: &mut dyn Strategy, executions: u64) -> Exploration {
        on_own_thread(|| {
            let mut runtime = self.runtime();
            let range = 0..executions;
            let mut observer = |_: &Exploration| Control::Continue;
            let limits = self.limits();
            unpick_engine::explore_range(&mut *runtime, strategy, range, &limits, &mut observer).0
        })
    }

    fn work(&self, team: &Team) {
        let mut alarm = Alarm(Some(team));
        let mut worker = Worker {
            driver: self,
            team,
            runtime: self.runtime(),
            pace: Pace::new(),
        };
        while let Some(job) = team.take() {
            worker.run(job);
        }
        alarm.0 = None;
    }
}

struct Worker<'a> {
    driver: &'a Driver<'a>,
    team: &'a Team,
    runtime: Box<crate::rt::Runtime>,
    pace: Pace,
}

impl Worker<'_> {
    /// Works on a part until it is done or nobody wants it any more.
    fn run(&mut self, mut job: Job) {
        let mut executions = 0;
        // Executions before the next split is tried.
        let mut patience = 0;
        loop {
            let allowance = self.team.search().allowance(job.id);
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
            if let State::Stopped(reason @ (StopReason::Time | StopReason::Interrupted)) = state {
                self.team.close(reason);
            }
            let mut search = self.team.search();
            // What was given later comes before what was given earlier.
            given.into_iter().for_each(|part| search.give(job.id, part));
            if state != State::Running {
                search.report(job.id, chunk, state, Some(job.strategy));
                self.team.tell(&search);
                return;
            }
            search.report(job.id, chunk, state, None);
            self.team.tell(&search);
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
        let (team, driver, pace) = (self.team, self.driver, &mut self.pace);
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
            if !pace.is_time_to_look() {
                return Control::Continue;
            }
            driver.look_now(&team.sum(found, &mut told))
        };
        let (found, end) = unpick_engine::explore_range(
            &mut *self.runtime,
            &mut *job.strategy,
            0..length,
            &driver.limits(),
            &mut observer,
        );
        team.sum(&found, &mut told);
        let state = match (end, found.stopped_because) {
            (End::Paused, _) => State::Running,
            (End::BoundDone, _) => State::BoundDone,
            (End::Waiting, _) => State::Held,
            (End::Ended, StopReason::Exhausted) => State::Exhausted,
            (End::Ended, reason) => State::Stopped(reason),
        };
        (Chunk { found, before }, state)
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

impl Team {
    /// Adds what a worker has run since it told last; answers what all have run.
    fn sum(&self, found: &Exploration, told: &mut (u64, u64)) -> Exploration {
        let executions = found.executions - told.0;
        let failures = found.failures - told.1;
        *told = (found.executions, found.failures);
        Exploration {
            executions: self.executions.fetch_add(executions, Ordering::Relaxed) + executions,
            failures: self.failures.fetch_add(failures, Ordering::Relaxed) + failures,
            warnings: found.warnings.clone(),
            ..Exploration::default()
        }
    }
}
