//! Threads that share a search, each with a runtime of its own.

use super::{Driver, Pace};
use crate::Shard;
use crate::rt::{like_caller, on_fit_thread};
use std::sync::{Condvar, Mutex, PoisonError};
use unpick_engine::parts::{Lookout, Meeting, Search, Team, share};
use unpick_engine::{Control, Exploration, StopReason, Strategy, explore_range};

/// Where threads meet over their search.
struct Room {
    search: Mutex<Search>,
    /// There may be work, or none is left.
    news: Condvar,
}

impl Meeting for Room {
    fn meet(&self, work: &mut dyn FnMut(&mut Search) -> bool) {
        let mut search = self.search.lock().unwrap_or_else(PoisonError::into_inner);
        while !work(&mut search) {
            let woken = self.news.wait(search);
            search = woken.unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn wake(&self) {
        self.news.notify_all();
    }
}

/// Lets the others go when a worker panics.
struct Alarm<'a>(Option<&'a Team<Room>>);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if let Some(team) = self.0 {
            team.close(StopReason::Interrupted);
        }
    }
}

/// A worker's look at clock and observer.
struct Look<'a> {
    driver: &'a Driver<'a>,
    pace: Pace,
}

impl Lookout for Look<'_> {
    fn is_time(&mut self, found: &Exploration) -> bool {
        self.pace.is_time_to_look(found)
    }

    fn look(&mut self, found: &Exploration) -> Control {
        self.driver.look_now(found)
    }
}

impl Driver<'_> {
    /// Explores by several workers, one part each at a time.
    pub(super) fn explore_split(&self, strategy: Box<dyn Strategy>) -> Exploration {
        self.explore_parts(Search::new(strategy, self.config.executions_max))
    }

    /// Explores the parts of one shard.
    pub(super) fn explore_shard(&self, shard: Shard) -> Exploration {
        let strategy = super::build_shared(self.config);
        let number = shard.from_zero();
        let search = on_fit_thread(|| {
            let mut runtime = self.runtime();
            let mut pace = Pace::new();
            let limits = self.limits();
            share(strategy, number, limits.executions_max, &mut |strategy| {
                let mut observer = |found: &Exploration| self.look(&mut pace, found);
                explore_range(&mut *runtime, strategy, 0..1, &limits, &mut observer)
            })
        });
        self.explore_parts(search)
    }

    /// Runs a search in parts to its end.
    fn explore_parts(&self, search: Search) -> Exploration {
        let team = Team::new(Room {
            search: Mutex::new(search),
            news: Condvar::new(),
        });
        std::thread::scope(|scope| {
            for _ in 0..self.config.jobs {
                let worker = like_caller().spawn_scoped(scope, || self.work(&team));
                worker.unwrap_or_else(|error| {
                    panic!("cannot start a worker: {error}; ask for fewer")
                });
            }
        });
        let search = team.into_meeting().search.into_inner();
        let search = search.unwrap_or_else(PoisonError::into_inner);
        search.finish(|strategy, executions| self.run_again(strategy, executions))
    }

    /// Runs the first executions of a chunk again, up to the end of the budget.
    fn run_again(&self, strategy: &mut dyn Strategy, executions: u64) -> Exploration {
        on_fit_thread(|| {
            let mut runtime = self.runtime();
            let range = 0..executions;
            let mut observer = |_: &Exploration| Control::Continue;
            let limits = self.limits();
            explore_range(&mut *runtime, strategy, range, &limits, &mut observer).0
        })
    }

    fn work(&self, team: &Team<Room>) {
        let mut alarm = Alarm(Some(team));
        let mut lookout = Look {
            driver: self,
            pace: Pace::new(),
        };
        team.work(&mut *self.runtime(), &self.limits(), &mut lookout);
        alarm.0 = None;
    }
}
