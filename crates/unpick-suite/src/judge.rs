//! Holds techniques to what they promise, on generated programs.
//!
//! The truth is depth-first search, which leaves nothing out: [`judge`] collects the state in which
//! each of its executions ends, lets every other technique explore the same program, and compares.
//! What a technique promises is one line of [`PROMISES`]; to have a new one judged, add a line.

mod state;
mod tally;

pub use state::{Ending, State, TaskState};
pub use tally::Tally;

use crate::generated::{self, Log, Program, run};
use std::collections::HashSet;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use unpick::{Config, Execution, Exploration, Spec};

/// What a technique promises about the states it reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// Every schedule, hence every state.
    EverySchedule,
    /// Every state.
    EveryState,
    /// Every state of a program of which no execution fails early, and at least one failure of a
    /// program of which one does.
    ///
    /// An execution that fails ends at once, so that the operations that would have come later, and
    /// with which others might have raced, are never seen. Techniques that learn from an execution
    /// where to go next cannot promise more.
    EveryStateOrFailure,
    /// Nothing: what is missed is counted.
    Nothing,
}

/// A technique and what it promises.
#[derive(Clone, Copy, Debug)]
pub struct Promise {
    /// The technique, as it is written on the command line.
    pub technique: &'static str,
    /// The states it reaches.
    pub coverage: Coverage,
}

/// What each technique promises. Those that do not exist are left out.
pub const PROMISES: &[Promise] = &[
    Promise::new("ipb:beyond=1", Coverage::EverySchedule),
    Promise::new("idb:beyond=1", Coverage::EverySchedule),
    Promise::new("hbr-cache", Coverage::EveryState),
    Promise::new("lazy-hbr-cache", Coverage::EveryState),
    Promise::new("dpor", Coverage::EveryStateOrFailure),
    Promise::new("odpor", Coverage::EveryStateOrFailure),
    Promise::new("lazy-odpor", Coverage::EveryStateOrFailure),
    Promise::new("lazy-dpor", Coverage::Nothing),
    Promise::new("lazy-dpor:fallback=off", Coverage::Nothing),
];

impl Promise {
    const fn new(technique: &'static str, coverage: Coverage) -> Promise {
        Promise {
            technique,
            coverage,
        }
    }

    /// Why this technique cannot be judged, if it cannot.
    #[must_use]
    pub fn missing(&self) -> Option<String> {
        let error = Spec::parse(self.technique).err()?.to_string();
        let reason = error.split(';').next().unwrap_or_default();
        Some(reason.to_owned())
    }
}

/// A promise that was not kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// By whom.
    pub technique: &'static str,
    /// What was promised, in a few words that are the same for every program.
    pub rule: &'static str,
    /// What was found.
    pub found: String,
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.technique, self.rule, self.found)
    }
}

/// What one technique did with a program.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The technique.
    pub technique: &'static str,
    /// Times it ran the program.
    pub executions: u64,
    /// Those that count.
    pub schedules: u64,
    /// States it reached.
    pub states: usize,
    /// States it did not reach.
    pub missing: usize,
}

/// What was found out about one program.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// Schedules there are.
    pub schedules: u64,
    /// States there are.
    pub states: usize,
    /// Whether some execution ends in a deadlock.
    pub deadlocks: bool,
    /// Whether some execution ends early.
    pub fails: bool,
    /// The techniques, in the order of the promises.
    pub techniques: Vec<Measured>,
    /// The promises that were not kept.
    pub breaches: Vec<Breach>,
}

/// Judges the techniques on one program; `None` if it has more than `schedules_max` schedules.
#[must_use]
pub fn judge(program: &Program, promises: &[Promise], schedules_max: u64) -> Option<Verdict> {
    let program = Arc::new(program.clone());
    let mut states = HashSet::new();
    let found = explore(&program, "dfs", schedules_max, &mut |_, state| {
        states.extend(state);
    });
    if !found.complete {
        return None;
    }
    let mut verdict = Verdict {
        schedules: found.schedules,
        states: states.len(),
        deadlocks: states.iter().any(|state| state.ending == Ending::Deadlock),
        fails: states.iter().any(State::is_early),
        techniques: Vec::new(),
        breaches: Vec::new(),
    };
    for promise in promises.iter().filter(|one| one.missing().is_none()) {
        verdict.hold(&program, *promise, &states);
    }
    Some(verdict)
}

/// The smallest program found that still breaks the same promise.
#[must_use]
pub fn shrink(program: &Program, breach: &Breach, schedules_max: u64) -> Program {
    // Judging one technique may need what another one measures, so all are judged.
    generated::shrink(program, |candidate| {
        judge(candidate, PROMISES, schedules_max).is_some_and(|verdict| {
            let mut breaches = verdict.breaches.iter();
            breaches.any(|one| (one.technique, one.rule) == (breach.technique, breach.rule))
        })
    })
}

/// Explores and calls `visit` after every execution, with its state unless the strategy cut it.
fn explore(
    program: &Arc<Program>,
    technique: &str,
    executions_max: u64,
    visit: &mut (dyn FnMut(&Execution, Option<State>) + Send),
) -> Exploration {
    let config = Config::new()
        .strategy(technique)
        .executions(executions_max)
        .keep_going(true)
        .spurious_wakes(0)
        .weak_failures(0);
    let log = Log::default();
    let body = {
        let (program, log) = (Arc::clone(program), log.clone());
        move || run(&program, &log)
    };
    unpick::explore_visited(&config, &body, &mut |execution| {
        let state = State::of(execution, &log.record());
        visit(execution, state);
    })
}

impl Verdict {
    /// Lets a technique explore the program and compares what it finds with the truth.
    fn hold(&mut self, program: &Arc<Program>, promise: Promise, truth: &HashSet<State>) {
        let technique = promise.technique;
        let mut breach = |rule, found| {
            self.breaches.push(Breach {
                technique,
                rule,
                found,
            });
        };
        let mut states = HashSet::new();
        // Executions that are cut come on top of those that count, but there is a limit.
        let executions_max = 20 * self.schedules + 1_000;
        let found = catch_unwind(AssertUnwindSafe(|| {
            explore(program, technique, executions_max, &mut |_, state| {
                states.extend(state);
            })
        }));
        let Ok(found) = found else {
            return breach("does not panic", "it did".to_owned());
        };
        if !found.complete {
            breach("comes to its end", format!("{:?}", found.stopped_because));
        }
        if found.schedules > self.schedules {
            let counts = format!("{} against {}", found.schedules, self.schedules);
            breach("runs no more schedules than dfs", counts);
        }
        if promise.coverage == Coverage::EverySchedule && found.schedules != self.schedules {
            let counts = format!("{} against {}", found.schedules, self.schedules);
            breach("runs every schedule", counts);
        }
        if let Some(invented) = states.difference(truth).min() {
            breach("reaches only states that dfs reaches", invented.to_string());
        }
        let missing = truth.difference(&states).count();
        let is_exact = match promise.coverage {
            Coverage::EverySchedule | Coverage::EveryState => true,
            Coverage::EveryStateOrFailure => !self.fails,
            Coverage::Nothing => false,
        };
        if let Some(missed) = truth.difference(&states).min().filter(|_| is_exact) {
            breach("reaches every state", format!("not: {missed}"));
        }
        let must_fail = self.fails && promise.coverage == Coverage::EveryStateOrFailure;
        if must_fail && !states.iter().any(State::is_early) {
            breach("finds a failure if there is one", "none".to_owned());
        }
        self.techniques.push(Measured {
            technique,
            executions: found.executions,
            schedules: found.schedules,
            states: states.len(),
            missing,
        });
    }
}
