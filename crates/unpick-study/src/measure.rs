//! The exploration of a program of the suite under the rules of the studies: only the order of tasks varies, a
//! failure does not end it, and nothing is shrunk or confirmed.

use crate::Cell;
use serde::{Deserialize, Serialize};
use unpick::{Config, Control, Exploration, Memory, StopReason};
use unpick_suite::find;

/// What was measured of a cell. Times are kept elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    /// Times the program was run.
    pub executions: u64,
    /// Complete executions that count.
    pub schedules: u64,
    /// Schedules that fail.
    pub failures: u64,
    /// The rank of the first one, from 1.
    pub first: Option<u64>,
    /// Whether the space of the technique was exhausted.
    pub complete: bool,
    /// Whether the technique ended by its own rule.
    pub ended_itself: bool,
    /// Whether the program did not do the same again under the same schedule.
    pub diverged: bool,
    /// For techniques that iterate over a bound: bound, schedules of exactly that bound, failing ones.
    pub bounds: Vec<(u32, u64, u64)>,
    /// Most tasks in one execution.
    pub tasks_max: u64,
    /// Most tasks enabled at once.
    pub enabled_max: u64,
    /// Most steps in one execution.
    pub steps_max: u64,
    /// Most steps from the first point with two enabled tasks on, for techniques that learn that.
    pub contended_steps_max: u64,
    /// Happens-before relations, lazy ones, and states, if they were counted.
    pub classes: Option<[u64; 3]>,
    /// A hash of the set of states, if they were counted.
    pub states_hash: Option<u64>,
    /// States that reads can tell apart, if they were counted.
    pub read_states: Option<u64>,
    /// What the technique warned of.
    pub warnings: Vec<String>,
}

impl Measured {
    /// The bound under which the first failure was found.
    #[must_use]
    pub fn first_bound(&self) -> Option<u32> {
        let mut bounds = self.bounds.iter();
        bounds.find(|bound| bound.2 > 0).map(|bound| bound.0)
    }

    /// The last bound, and the schedules of exactly that one.
    #[must_use]
    pub fn last_bound(&self) -> (u32, u64) {
        let last = self.bounds.last().copied().unwrap_or_default();
        (last.0, last.1)
    }
}

/// How to look at a program.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rules {
    /// The memory model.
    pub memory: Memory,
    /// Whether to count relations and states.
    pub classes: bool,
    /// Operations after which an execution counts as a livelock, if that is not the default.
    pub steps_max: Option<u64>,
}

/// Measures a cell whose program is one of the suite; `None` if it was interrupted.
///
/// # Panics
///
/// If there is no such program or strategy.
pub fn measure(
    cell: &Cell,
    rules: Rules,
    is_interrupted: &(dyn Fn() -> bool + Sync),
) -> Option<Measured> {
    let found = explore(cell, rules, is_interrupted)?;
    Some(Measured::from(&found))
}

/// The exploration itself, for what [`Measured`] does not have.
///
/// # Panics
///
/// As [`measure`].
pub fn explore(
    cell: &Cell,
    rules: Rules,
    is_interrupted: &(dyn Fn() -> bool + Sync),
) -> Option<Exploration> {
    let selection = match find(&cell.program) {
        Ok(selection) => selection,
        Err(error) => panic!("internal error: {error}"),
    };
    let mut config = Config::new()
        .strategy(&cell.technique)
        .executions(cell.limit)
        .seed(cell.seed)
        .keep_going(true)
        // As in the studies, the limit is a failure.
        .patience(1)
        .fail_on_limit(true)
        .classes(rules.classes)
        .memory(rules.memory)
        .confirm(0)
        .spurious_wakes(0)
        .writers_first(false)
        .weak_failures(0);
    if let Some(steps_max) = rules.steps_max {
        config = config.steps(steps_max);
    }
    let observer = |_: &Exploration| match is_interrupted() {
        true => Control::Stop(StopReason::Interrupted),
        false => Control::Continue,
    };
    let found = unpick::explore_observed(&config, &move || selection.run(), &observer);
    (found.stopped_because != StopReason::Interrupted).then_some(found)
}

impl From<&Exploration> for Measured {
    fn from(found: &Exploration) -> Measured {
        let first = found.first_failure.as_ref();
        let bounds = found.bounds.iter();
        let classes = (found.hbrs(), found.lazy_hbrs(), found.states());
        Measured {
            executions: found.executions,
            schedules: found.schedules,
            failures: found.failures,
            first: first.map(|failure| failure.rank),
            complete: found.complete,
            ended_itself: found.stopped_because == StopReason::Strategy,
            diverged: found.diverged.is_some(),
            bounds: bounds
                .map(|bound| (bound.bound, bound.schedules, bound.failures))
                .collect(),
            tasks_max: found.tasks_max,
            enabled_max: found.enabled_max,
            steps_max: found.steps_max,
            contended_steps_max: found.profile.contended_steps_max,
            classes: match classes {
                (Some(hbrs), Some(lazy_hbrs), Some(states)) => Some([hbrs, lazy_hbrs, states]),
                _ => None,
            },
            states_hash: found.classes.as_ref().map(|classes| {
                let folded = classes
                    .states
                    .iter()
                    .map(|state| (state ^ (state >> 64)) as u64);
                folded.fold(0, |sum: u64, state| sum.rotate_left(7).wrapping_add(state))
            }),
            read_states: found.read_states(),
            warnings: found
                .warnings
                .iter()
                .map(|warning| warning.text.clone())
                .collect(),
        }
    }
}
