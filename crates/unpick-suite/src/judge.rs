//! Holds techniques to what they promise, on generated programs.
//!
//! The truth is depth-first search, which leaves nothing out: [`judge`] collects the state in which
//! each of its executions ends, lets every other technique explore the same program, and compares.
//! What a technique promises is one line of [`PROMISES`]; to have a new one judged, add a line.

mod arrivals;
mod promise;
mod races;
mod relation;
mod state;
mod tally;
mod verdict;

pub use promise::{Coverage, PROMISES, Promise, Relations};
pub use races::{check_races, races};
pub use relation::{Dependence, Operations, Relation};
pub use state::{Ending, State, TaskState};
pub use tally::Tally;

use crate::generated::{self, Log, Program, Record, run};
use std::collections::{HashMap, HashSet};
use std::fmt;
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
    /// Happens-before relations there are as the engine tells them apart.
    pub engine_relations: u64,
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
        engine_relations: truth.engine_relations,
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
    /// Relations as the engine tells them apart.
    engine_relations: u64,
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
        if !explore(&config("dfs", schedules_max), program, &mut |_| {}).complete {
            return None;
        }
        let mut truth = Truth::default();
        let config = config("dfs", schedules_max).classes(true);
        let found = explore(&config, program, &mut |seen| {
            truth.add_races(&seen);
            truth.add(seen);
        });
        truth.schedules = found.schedules;
        truth.engine_relations = found.hbrs().unwrap_or_default();
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
        truth.check_engine();
        Some(truth)
    }

    /// The engine tells the relations apart that there are. Where accesses race, it tells more of them
    /// apart: by the order in which tasks came to stand before these, by which it knows the race
    /// whatever the mutexes did. An execution that fails is one of its own for each set of events
    /// that came before the failure.
    fn check_engine(&mut self) {
        let (all, engine) = (self.relations.len() as u64, self.engine_relations);
        let is_finer = self.races || self.states.iter().any(State::is_early);
        if engine < all || engine > all && !is_finer {
            let counts = format!("{engine} against {all}");
            self.breach("the engine tells relations apart", counts);
        }
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
    let config = config(technique, executions_max);
    explore(&config, &program, &mut |seen| {
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

fn config(technique: &str, executions_max: u64) -> Config {
    Config::new()
        .strategy(technique)
        .executions(executions_max)
        .keep_going(true)
        .spurious_wakes(0)
        .weak_failures(0)
}

/// Explores and calls `visit` after every execution.
fn explore(
    config: &Config,
    program: &Arc<Program>,
    visit: &mut (dyn FnMut(Seen<'_>) + Send),
) -> Exploration {
    let log = Log::default();
    let body = {
        let (program, log) = (Arc::clone(program), log.clone());
        move || run(&program, &log)
    };
    unpick::explore_visited(config, &body, &mut |execution| {
        visit(Seen {
            execution,
            record: &log.record(),
        });
    })
}
