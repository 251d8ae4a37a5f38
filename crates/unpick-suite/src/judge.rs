//! Holds techniques to what they promise, on generated programs.
//!
//! The truth is depth-first search, which leaves nothing out: [`judge`] collects the state in which
//! each of its executions ends, lets every other technique explore the same program, and compares.
//! What a technique promises is one line of [`PROMISES`]; to have a new one judged, add a line.

mod promise;
mod races;
mod relation;
mod state;
mod tally;

pub use promise::{Coverage, PROMISES, Promise, Relations};
pub use races::{check_races, races};
pub use relation::{Dependence, Operations, Relation};
pub use state::{Ending, State, TaskState};
pub use tally::Tally;

use crate::generated::{self, Log, Program, Record, run};
use promise::LESS_WORK;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use unpick::{Config, Execution, Exploration};

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
    /// Whether it warned that it may not reach all.
    pub has_warned: bool,
}

/// What was found out about one program.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// Schedules there are.
    pub schedules: u64,
    /// Happens-before relations there are.
    pub relations: usize,
    /// Lazy happens-before relations there are.
    pub lazy_relations: usize,
    /// States there are.
    pub states: usize,
    /// Whether some execution ends in a deadlock.
    pub deadlocks: bool,
    /// Whether some execution ends early.
    pub fails: bool,
    /// Whether some execution has a data race, by the independent check.
    pub races: bool,
    /// The techniques, in the order of the promises.
    pub techniques: Vec<Measured>,
    /// The promises that were not kept.
    pub breaches: Vec<Breach>,
}

/// Judges the techniques on one program; `None` if it has more than `schedules_max` schedules.
#[must_use]
pub fn judge(program: &Program, promises: &[Promise], schedules_max: u64) -> Option<Verdict> {
    let program = Arc::new(program.clone());
    let truth = Truth::find(&program, schedules_max)?;
    let mut verdict = Verdict {
        schedules: truth.schedules,
        relations: truth.relations.len(),
        lazy_relations: truth.lazy_relations.len(),
        states: truth.states.len(),
        deadlocks: truth.has(Ending::Deadlock),
        fails: truth.states.iter().any(State::is_early),
        races: truth.races,
        techniques: Vec::new(),
        breaches: truth.breaches.clone(),
    };
    for promise in promises.iter().filter(|one| one.missing().is_none()) {
        verdict.hold(&program, *promise, &truth);
    }
    verdict.compare();
    Some(verdict)
}

/// All there is to know about a program.
#[derive(Default)]
struct Truth {
    schedules: u64,
    states: HashSet<State>,
    /// With the states they lead to.
    relations: HashMap<Relation, State>,
    lazy_relations: HashMap<Relation, State>,
    races: bool,
    breaches: Vec<Breach>,
}

impl Truth {
    fn find(program: &Arc<Program>, schedules_max: u64) -> Option<Truth> {
        // Counting is cheap, and many programs are too large.
        if !explore(program, "dfs", schedules_max, &mut |_| {}).complete {
            return None;
        }
        let mut truth = Truth::default();
        let found = explore(program, "dfs", schedules_max, &mut |seen| {
            truth.add_races(&seen);
            truth.add(seen);
        });
        truth.schedules = found.schedules;
        let chain = [
            truth.states.len(),
            truth.lazy_relations.len(),
            truth.relations.len(),
            truth.schedules as usize,
        ];
        if !chain.is_sorted() {
            truth.breach(
                "states, lazy relations, relations, schedules",
                format!("{chain:?}"),
            );
        }
        Some(truth)
    }

    /// Compares what the engine says of the races of an execution with what is true.
    fn add_races(&mut self, seen: &Seen<'_>) {
        match check_races(seen.execution, seen.record) {
            Ok(races) => self.races |= races,
            Err(text) => self.breach("the first data race is found", text),
        }
    }

    /// Adds one execution; equal relations lead to equal states.
    fn add(&mut self, seen: Seen<'_>) {
        let Some(state) = seen.state() else {
            return;
        };
        let operations = seen.operations();
        for (dependence, rule) in [
            (Dependence::Regular, "equal relations lead to equal states"),
            (
                Dependence::Lazy,
                "equal lazy relations lead to equal states",
            ),
        ] {
            let relation = operations.relation(dependence);
            let relations = match dependence {
                Dependence::Regular => &mut self.relations,
                Dependence::Lazy => &mut self.lazy_relations,
            };
            let known = relations.entry(relation).or_insert_with(|| state.clone());
            if *known != state {
                let found = format!("{known} and {state}");
                self.breach(rule, found);
            }
        }
        self.states.insert(state);
    }

    fn breach(&mut self, rule: &'static str, found: String) {
        if self.breaches.iter().any(|breach| breach.rule == rule) {
            return;
        }
        self.breaches.push(Breach {
            technique: "dfs",
            rule,
            found,
        });
    }

    fn has(&self, ending: Ending) -> bool {
        self.states.iter().any(|state| state.ending == ending)
    }
}

/// Compares what the engine says of the data races of every execution of an exploration with what is
/// true. Answers the executions and those of them with a race.
pub fn compare_races(
    program: &Program,
    technique: &str,
    executions_max: u64,
) -> Result<(u64, u64), String> {
    let program = Arc::new(program.clone());
    let (mut executions, mut racing) = (0, 0);
    let mut wrong = None;
    explore(&program, technique, executions_max, &mut |seen| {
        executions += 1;
        match check_races(seen.execution, seen.record) {
            Ok(races) => racing += u64::from(races),
            Err(text) => drop(wrong.get_or_insert(text)),
        }
    });
    match wrong {
        None => Ok((executions, racing)),
        Some(text) => Err(text),
    }
}

/// The smallest program found that still breaks the same promise.
#[must_use]
pub fn shrink(
    program: &Program,
    promises: &[Promise],
    breach: &Breach,
    schedules_max: u64,
) -> Program {
    // All are judged, since what techniques promise about each other may be what is broken.
    generated::shrink(program, |candidate| {
        judge(candidate, promises, schedules_max).is_some_and(|verdict| {
            let mut breaches = verdict.breaches.iter();
            breaches.any(|one| (one.technique, one.rule) == (breach.technique, breach.rule))
        })
    })
}

/// An execution that has just ended.
struct Seen<'a> {
    execution: &'a Execution,
    record: &'a Record,
}

impl Seen<'_> {
    /// The state it ended in; `None` if the strategy ended it.
    fn state(&self) -> Option<State> {
        State::of(self.execution, self.record)
    }

    fn operations(&self) -> Operations {
        Operations::of(self.execution, self.record)
    }
}

/// Explores and calls `visit` after every execution.
fn explore(
    program: &Arc<Program>,
    technique: &str,
    executions_max: u64,
    visit: &mut (dyn FnMut(Seen<'_>) + Send),
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
        visit(Seen {
            execution,
            record: &log.record(),
        });
    })
}

impl Verdict {
    fn breach(&mut self, technique: &'static str, rule: &'static str, found: String) {
        self.breaches.push(Breach {
            technique,
            rule,
            found,
        });
    }

    /// Lets a technique explore the program and compares what it finds with the truth.
    fn hold(&mut self, program: &Arc<Program>, promise: Promise, truth: &Truth) {
        let technique = promise.technique;
        let mut states = HashSet::new();
        let mut relations = HashSet::new();
        let mut races = false;
        // Executions that are cut come on top of those that count, but there is a limit.
        let executions_max = 20 * self.schedules + 1_000;
        let found = catch_unwind(AssertUnwindSafe(|| {
            explore(program, technique, executions_max, &mut |seen| {
                let Some(state) = seen.state() else {
                    return;
                };
                states.insert(state);
                races |= seen.execution.data_race().is_some();
                if promise.relations != Relations::Any {
                    relations.insert(seen.operations().relation(promise.dependence()));
                }
            })
        }));
        let Ok(found) = found else {
            return self.breach(technique, "does not panic", "it did".to_owned());
        };
        if !found.complete {
            let why = format!("{:?}", found.stopped_because);
            self.breach(technique, "comes to its end", why);
        }
        if truth.races && !races && promise.coverage != Coverage::Nothing {
            let found = "none".to_owned();
            self.breach(technique, "finds a data race if there is one", found);
        }
        self.check_counts(promise, &found, relations.len());
        self.check_states(promise, &states, truth);
        self.techniques.push(Measured {
            technique,
            executions: found.executions,
            schedules: found.schedules,
            states: states.len(),
            missing: truth.states.difference(&states).count(),
            has_warned: !found.warnings.is_empty(),
        });
    }

    fn check_counts(&mut self, promise: Promise, found: &Exploration, relations: usize) {
        let schedules = found.schedules;
        if schedules > self.schedules {
            let counts = format!("{schedules} against {}", self.schedules);
            self.breach(promise.technique, "runs no more schedules than dfs", counts);
        }
        if promise.coverage == Coverage::EverySchedule && schedules != self.schedules {
            let counts = format!("{schedules} against {}", self.schedules);
            self.breach(promise.technique, "runs every schedule", counts);
        }
        if self.fails || promise.relations == Relations::Any {
            return;
        }
        let all = match promise.dependence() {
            Dependence::Regular => self.relations,
            Dependence::Lazy => self.lazy_relations,
        };
        let (rule, is_kept) = match promise.relations {
            Relations::Any | Relations::Every(_) => ("reaches every relation", relations == all),
            // Where accesses race, the order in which tasks come to stand before them is explored, too.
            Relations::Optimal if self.races => ("reaches every relation", relations == all),
            Relations::Optimal => (
                "runs one execution for each relation",
                relations == all && found.executions == all as u64 && schedules == all as u64,
            ),
        };
        if !is_kept {
            let executions = found.executions;
            let counts = format!(
                "{all} relations, {relations} reached by {schedules} schedules in {executions} executions"
            );
            self.breach(promise.technique, rule, counts);
        }
    }

    fn check_states(&mut self, promise: Promise, states: &HashSet<State>, truth: &Truth) {
        let technique = promise.technique;
        if let Some(invented) = states.difference(&truth.states).min() {
            let found = invented.to_string();
            self.breach(technique, "reaches only states that dfs reaches", found);
        }
        let is_exact = match promise.coverage {
            Coverage::EverySchedule | Coverage::EveryState => true,
            Coverage::EveryStateOrFailure => !self.fails,
            Coverage::Nothing => false,
        };
        let missed = truth.states.difference(states).min();
        if let Some(missed) = missed.filter(|_| is_exact) {
            self.breach(technique, "reaches every state", format!("not: {missed}"));
        }
        let must_fail = self.fails && promise.coverage == Coverage::EveryStateOrFailure;
        if must_fail && !states.iter().any(State::is_early) {
            self.breach(
                technique,
                "finds a failure if there is one",
                "none".to_owned(),
            );
        }
    }

    /// Checks what techniques promise about each other.
    fn compare(&mut self) {
        for (less, more) in LESS_WORK {
            let find = |name: &str| {
                let mut techniques = self.techniques.iter();
                techniques.find(|one| one.technique == name).cloned()
            };
            let (Some(less), Some(more)) = (find(less), find(more)) else {
                continue;
            };
            for (rule, less_count, more_count, holds) in [
                (
                    "counts no more schedules than without laziness",
                    less.schedules,
                    more.schedules,
                    !self.fails,
                ),
                (
                    "runs no more executions than without laziness",
                    less.executions,
                    more.executions,
                    less.technique == "lazy-odpor",
                ),
            ] {
                if holds && less_count > more_count {
                    let counts = format!("{less_count} against {more_count}");
                    self.breach(less.technique, rule, counts);
                }
            }
        }
    }
}
