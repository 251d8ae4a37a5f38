//! Compares what a technique has found with the truth, and with other techniques.

use super::promise::LESS_WORK;
use super::{
    Breach, Coverage, Dependence, Ending, Measured, Promise, Relations, State, TaskState, Truth,
    Verdict,
};
use super::{config, explore};
use crate::generated::Program;
use std::collections::{BTreeSet, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use unpick::Exploration;

impl Verdict {
    fn breach(&mut self, technique: &'static str, rule: &'static str, found: String) {
        self.breaches.push(Breach {
            technique,
            rule,
            found,
        });
    }

    /// Lets a technique explore the program and compares what it finds with the truth.
    pub(super) fn hold(&mut self, program: &Arc<Program>, promise: Promise, truth: &Truth) {
        let technique = promise.technique;
        let mut states = HashSet::new();
        let mut relations = HashSet::new();
        let mut races = false;
        // Executions that are cut come on top of those that count, but there is a limit.
        let executions_max = 20 * self.schedules + 1_000;
        let is_optimal = promise.relations == Relations::Optimal;
        let config = config(technique, executions_max).classes(is_optimal);
        let found = catch_unwind(AssertUnwindSafe(|| {
            explore(&config, program, &mut |seen| {
                let Some(state) = seen.state() else {
                    return;
                };
                states.insert(state);
                races |= seen.execution.data_race().is_some();
                if let Some(dependence) = promise.dependence() {
                    relations.insert(seen.operations().relation(dependence));
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
        // What is promised of an execution may turn out to be so of another one, too.
        let may_repeat = promise.coverage == Coverage::EveryView;
        if schedules > self.schedules && !may_repeat {
            let counts = format!("{schedules} against {}", self.schedules);
            self.breach(promise.technique, "runs no more schedules than dfs", counts);
        }
        if promise.coverage == Coverage::EverySchedule && schedules != self.schedules {
            let counts = format!("{schedules} against {}", self.schedules);
            self.breach(promise.technique, "runs every schedule", counts);
        }
        if promise.is_uncut() && schedules != found.executions {
            let counts = format!("{schedules} of {}", found.executions);
            self.breach(promise.technique, "lets every execution count", counts);
        }
        if promise.relations == Relations::Optimal {
            self.check_optimum(promise, found);
        }
        let all = promise.dependence().map(|dependence| match dependence {
            Dependence::Regular => self.relations,
            Dependence::Lazy => self.lazy_relations,
        });
        if let Some(all) = all.filter(|&all| relations != all && !self.fails) {
            let counts = format!("{relations} of {all}");
            self.breach(promise.technique, "reaches every relation", counts);
        }
    }

    /// One schedule for each relation that the engine tells apart.
    fn check_optimum(&mut self, promise: Promise, found: &Exploration) {
        let all = self.engine_relations;
        let schedules = found.schedules;
        let reached = found.hbrs().unwrap_or_default();
        if (reached, schedules) != (all, all) {
            let counts = format!("{all} relations, {reached} reached by {schedules} schedules");
            let rule = "runs one execution for each relation";
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
            Coverage::EveryView | Coverage::Nothing => false,
        };
        let missed = truth.states.difference(states).min();
        if let Some(missed) = missed.filter(|_| is_exact) {
            self.breach(technique, "reaches every state", format!("not: {missed}"));
        }
        if promise.coverage == Coverage::EveryView {
            self.check_views(promise, states, truth);
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

    fn check_views(&mut self, promise: Promise, states: &HashSet<State>, truth: &Truth) {
        let technique = promise.technique;
        let views = |states: &HashSet<State>| -> BTreeSet<Vec<TaskState>> {
            let ended = states.iter().filter(|state| state.ending == Ending::Pass);
            ended.map(|state| state.tasks.clone()).collect()
        };
        let (found, all) = (views(states), views(&truth.states));
        if let Some(missed) = all.difference(&found).next() {
            let found = format!("not: {missed:?}");
            self.breach(technique, "shows the tasks everything", found);
        }
        let (found, all) = (failures(states), failures(&truth.states));
        if let Some(missed) = all.difference(&found).next() {
            let found = format!("not: {missed:?}");
            self.breach(technique, "ends in every way there is", found);
        }
    }

    /// Checks what techniques promise about each other.
    pub(super) fn compare(&mut self) {
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
                    // By the lazy relation a race is known only from who stands before an access.
                    !self.fails && !self.races,
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

/// In which ways executions ended.
fn failures(states: &HashSet<State>) -> BTreeSet<(Ending, Option<(usize, &TaskState)>)> {
    states.iter().map(State::failure).collect()
}
