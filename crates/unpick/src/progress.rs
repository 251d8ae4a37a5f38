//! How far an exploration is, in words: the line that the command and tests on a terminal show.

mod live;

use crate::{Config, Covered, Exploration, StopReason};
pub(crate) use live::Live;
use std::time::{Duration, Instant};
use unpick_report::{count, thousands};

/// What is said while a failure is looked into.
pub const UNDERSTANDING: &str = "shrinking and explaining the failure";

/// A span of time long enough to see growth in.
const SPAN: Duration = Duration::from_secs(10);

/// How far an exploration is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    /// Executions so far.
    pub executions: u64,
    /// Failing schedules among them.
    pub failures: u64,
    /// Most tasks in one execution; 0 if that is not known.
    pub tasks_max: u64,
    /// What was covered, if that is kept.
    pub covered: Option<Covered>,
}

impl From<&Exploration> for Seen {
    fn from(found: &Exploration) -> Seen {
        Seen {
            executions: found.executions,
            failures: found.failures,
            tasks_max: found.tasks_max,
            covered: found.covered(),
        }
    }
}

/// What ends an exploration, as far as that is known beforehand.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Executions, at most.
    pub executions: u64,
    /// Time, at most.
    pub time: Option<Duration>,
    /// Whether executions are drawn independently, so that those so far tell of the unseen.
    pub is_randomised: bool,
}

impl From<&Config> for Budget {
    fn from(config: &Config) -> Budget {
        Budget {
            executions: config.executions_max,
            time: config.time_max,
            is_randomised: config.strategy.technique().is_randomised,
        }
    }
}

/// Follows an exploration from its start.
#[derive(Debug)]
pub struct Clock {
    budget: Budget,
    start: Instant,
    /// What was covered at the beginning of this span of time, and of the one before.
    marked_at: Instant,
    mark: Option<Covered>,
    before: Option<Covered>,
}

impl Clock {
    /// Starts now.
    pub fn new(budget: Budget) -> Clock {
        let now = Instant::now();
        Clock {
            budget,
            start: now,
            marked_at: now,
            mark: None,
            before: None,
        }
    }

    /// The line for what was seen by now, without a name, and the part that is done, from 0 to 1, by what ends
    /// it first.
    pub fn line(&mut self, seen: Seen) -> (String, f64) {
        if self.marked_at.elapsed() >= SPAN {
            self.before = self.mark;
            self.mark = seen.covered;
            self.marked_at = Instant::now();
        }
        let moment = Moment {
            seen,
            elapsed: self.start.elapsed(),
            before: self.before,
        };
        (moment.line(&self.budget), moment.done(&self.budget))
    }
}

/// One moment of an exploration.
struct Moment {
    seen: Seen,
    elapsed: Duration,
    /// What was covered some time before.
    before: Option<Covered>,
}

impl Moment {
    fn line(&self, budget: &Budget) -> String {
        let seen = &self.seen;
        let rate = seen.executions as f64 / self.elapsed.as_secs_f64().max(1e-3);
        let mut parts = vec![format!(
            "{} ({}/s)",
            count(seen.executions, "execution"),
            thousands(rate as u64)
        )];
        if seen.tasks_max > 0 {
            parts.push(count(seen.tasks_max, "task"));
        }
        if let Some(covered) = &seen.covered {
            parts.push(format!("{}{}", histories(covered), self.growth(covered)));
        }
        parts.push(format!("{} failing", thousands(seen.failures)));
        let estimate = seen.covered.as_ref();
        parts.extend(estimate.and_then(|covered| estimate_of(covered, budget.is_randomised)));
        if let Some(left) = self.left(budget) {
            parts.push(format!("{} left", rough(left)));
        }
        parts.join(", ")
    }

    fn done(&self, budget: &Budget) -> f64 {
        let executions = self.seen.executions as f64 / budget.executions.max(1) as f64;
        let time = budget.time.map_or(0.0, |time| {
            self.elapsed.as_secs_f64() / time.as_secs_f64().max(1e-3)
        });
        let tree = self.seen.covered.and_then(|covered| covered.tree_done());
        executions.max(time).max(tree.unwrap_or(0.0)).min(1.0)
    }

    /// How long it still takes, if it goes on like this; none before there is anything to tell it from.
    fn left(&self, budget: &Budget) -> Option<Duration> {
        let done = self.done(budget);
        let left = self.elapsed.as_secs_f64() * (1.0 - done) / done;
        (done > 0.0 && self.elapsed > Duration::ZERO)
            .then(|| Duration::try_from_secs_f64(left).unwrap_or(Duration::MAX))
    }

    fn growth(&self, now: &Covered) -> String {
        let Some(before) = &self.before else {
            return String::new();
        };
        let last = now.schedules.saturating_sub(before.schedules);
        let new = now.histories.saturating_sub(before.histories).min(last);
        match last {
            0 => String::new(),
            _ => format!(" ({} new in the last {})", thousands(new), thousands(last)),
        }
    }
}

/// Why an exploration has ended, and what it claims if it is complete.
pub fn ending(found: &Exploration) -> String {
    let undecided = match found.inconclusive {
        0 => String::new(),
        _ => format!(
            "; {} inconclusive, not at the end after all steps allowed",
            count(found.inconclusive, "execution")
        ),
    };
    if found.complete {
        return format!("{}{undecided}", found.claim());
    }
    let reason = match found.stopped_because {
        StopReason::Exhausted => "complete",
        StopReason::Strategy => "ended by the strategy's own rule",
        StopReason::Failure => "stopped at the first failure",
        StopReason::Executions => "all allowed executions run",
        StopReason::Time => "time is over",
        StopReason::Memory => "memory is used up (--max-memory)",
        StopReason::Interrupted => "interrupted",
        StopReason::Diverged => "stopped at a divergence",
    };
    format!("{reason}{undecided}")
}

/// How many histories were seen.
pub fn histories(covered: &Covered) -> String {
    let count = covered.histories;
    let word = if count == 1 { "history" } else { "histories" };
    format!("{} {word}", thousands(count))
}

/// How much of the program that is, if it can be told.
pub fn estimate_of(covered: &Covered, is_randomised: bool) -> Option<String> {
    if let Some(done) = covered.tree {
        let done = covered.tree_done().filter(|_| done > 0).unwrap_or(0.0);
        return Some(format!("{} of the tree", percent(done)));
    }
    let unseen = covered.unseen().filter(|_| is_randomised)?;
    Some(format!("unseen {}", percent(unseen)))
}

/// A share, no more exact than it is.
fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    match percent {
        0.0 => "about 0 %".to_string(),
        ..0.1 => "less than 0.1 %".to_string(),
        ..9.95 => format!("about {percent:.1} %"),
        _ => format!("about {percent:.0} %"),
    }
}

/// A time, no more exact than it is.
fn rough(time: Duration) -> String {
    let seconds = time.as_secs_f64().round() as u64;
    let units = [(1, 120, "s"), (60, 7_200, "min"), (3_600, 172_800, "h")];
    let days = (86_400, 31_536_000, "days");
    let mut units = units.into_iter().chain([days]);
    match units.find(|(_, until, _)| seconds < *until) {
        Some((unit, _, word)) => format!("{} {word}", seconds / unit),
        None => "years".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREE: u64 = 1 << 63;

    fn moment(executions: u64, covered: Option<Covered>) -> Moment {
        Moment {
            seen: Seen {
                executions,
                failures: 2,
                tasks_max: 3,
                covered,
            },
            elapsed: Duration::from_secs(10),
            before: None,
        }
    }

    fn budget(executions: u64, is_randomised: bool) -> Budget {
        Budget {
            executions,
            time: None,
            is_randomised,
        }
    }

    fn covered(histories: u64, once: u64, tree: Option<u64>) -> Option<Covered> {
        Some(Covered {
            schedules: 40_000,
            histories,
            histories_once: once,
            tree,
        })
    }

    #[test]
    fn a_randomised_strategy_tells_of_the_unseen() {
        let mut moment = moment(40_000, covered(1_204, 1_200, None));
        assert_eq!(
            moment.line(&budget(200_000, true)),
            "40,000 executions (4,000/s), 3 tasks, 1,204 histories, 2 failing, unseen about 3.0 %, \
             40 s left"
        );
        moment.before = Some(Covered {
            schedules: 30_000,
            histories: 1_173,
            ..Covered::default()
        });
        assert_eq!(
            moment.line(&Budget {
                time: Some(Duration::from_secs(20)),
                ..budget(200_000, true)
            }),
            "40,000 executions (4,000/s), 3 tasks, 1,204 histories (31 new in the last 10,000), \
             2 failing, unseen about 3.0 %, 10 s left"
        );
    }

    #[test]
    fn a_search_tells_of_its_tree() {
        let quarter = moment(40_000, covered(1, 0, Some(TREE / 4)));
        assert_eq!(
            quarter.line(&budget(u64::MAX, false)),
            "40,000 executions (4,000/s), 3 tasks, 1 history, 2 failing, about 25 % of the tree, 30 s left"
        );
        let huge = moment(40_000, covered(40_000, 40_000, Some(0)));
        assert_eq!(
            huge.line(&budget(80_000, false)),
            "40,000 executions (4,000/s), 3 tasks, 40,000 histories, 2 failing, about 0 % of the tree, \
             10 s left"
        );
        let other = moment(40_000, covered(40_000, 40_000, None));
        assert_eq!(
            other.line(&budget(80_000, false)),
            "40,000 executions (4,000/s), 3 tasks, 40,000 histories, 2 failing, 10 s left"
        );
    }

    #[test]
    fn what_is_not_known_is_not_told() {
        let mut first = moment(1, None);
        first.seen.tasks_max = 0;
        assert_eq!(
            first.line(&budget(u64::MAX, true)),
            "1 execution (0/s), 2 failing, years left"
        );
        assert_eq!(
            moment(0, None).line(&budget(10, true)),
            "0 executions (0/s), 3 tasks, 2 failing"
        );
    }

    #[test]
    fn shares_and_times_are_rough() {
        let shares = [0.0, 0.0002, 0.034, 0.0996, 0.345, 1.0].map(percent);
        assert_eq!(
            shares.join(", "),
            "about 0 %, less than 0.1 %, about 3.4 %, about 10 %, about 34 %, about 100 %"
        );
        let times = [0, 119, 120, 7_199, 7_200, 200_000, u64::MAX];
        let times = times.map(|seconds| rough(Duration::from_secs(seconds)));
        assert_eq!(
            times.join(", "),
            "0 s, 119 s, 2 min, 119 min, 2 h, 2 days, years"
        );
    }
}
