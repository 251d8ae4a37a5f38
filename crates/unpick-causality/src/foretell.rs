//! What an execution foretells, each thing run before it is called a failure.
//!
//! Who runs it is the front end's affair: it is handed a route, and says how the execution failed, if it did.

use crate::predict::{Expected, Foretold, Prediction};
use std::collections::BTreeSet;
use unpick_engine::FirstFailure;
use unpick_engine::transcript::Route;
use unpick_trace::{FailureKind, Outcome, same_failure};

/// What a recorded execution foretells.
#[derive(Clone, Debug, Default)]
pub struct Predicted {
    /// The failure of the recorded execution itself, if it fails.
    pub recorded: Option<FirstFailure>,
    /// Failures that other orders of its events have shown when they were run, each kind once, in the order in
    /// which they were found. That of the recorded execution is not among them.
    pub failures: Vec<FirstFailure>,
    /// Executions that it took, besides that of the trace.
    pub executions: u64,
    /// Questions that were asked.
    pub questions: u64,
    /// Those that were answered yes: the trace allows what they ask for.
    pub possible: u64,
    /// Those to which the solver had no answer within its budget.
    pub unknown: u64,
    /// Questions that were not asked, because the time was over.
    pub unasked: u64,
    /// Parts of a long trace that were looked at, each for itself; 1 if it was looked at as a whole.
    pub windows: u64,
    /// Parts that were not looked at, because the time was over.
    pub windows_left: u64,
    /// Data races that the trace allows and whose execution did not show one.
    pub unconfirmed_races: u64,
    /// Deadlocks that the trace allows and whose execution did not show one.
    pub unconfirmed_deadlocks: u64,
}

impl Predicted {
    /// Whether every question about the whole trace has an answer.
    pub fn is_complete(&self) -> bool {
        self.unknown == 0 && self.unasked == 0 && self.windows == 1 && self.windows_left == 0
    }
}

/// How an execution failed.
pub struct Found {
    /// The failure.
    pub failure: FirstFailure,
    /// The two places of a data race: which tasks race there, and which of them is first, makes no other race.
    pub race: Option<[String; 2]>,
}

/// Asks all that an execution raises, as long as `goes_on` says so, and runs what is possible. `recorded` is how the
/// execution itself failed, if it did.
///
/// # Errors
/// If the program cannot be run.
pub fn foretell<E>(
    prediction: &mut Prediction,
    recorded: Option<Found>,
    run: &mut dyn FnMut(Route) -> Result<Option<Found>, E>,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<Predicted, E> {
    let mut session = Session {
        run,
        predicted: Predicted::default(),
        races: BTreeSet::new(),
    };
    if let Some(recorded) = recorded {
        session.is_new(&recorded);
        session.predicted.recorded = Some(recorded.failure);
    }
    let windows = 1 + prediction.window_count() as u64;
    while prediction.is_open() && goes_on() {
        if let Some(foretold) = prediction.ask() {
            session.confirm(foretold)?;
        }
    }
    let counts = prediction.solver.counts;
    Ok(Predicted {
        questions: counts.queries,
        possible: counts.sat,
        unknown: counts.queries - counts.sat - counts.unsat,
        unasked: prediction.question_count() as u64,
        windows: windows - prediction.window_count() as u64,
        windows_left: prediction.window_count() as u64,
        ..session.predicted
    })
}

/// A program that is run along what was foretold.
struct Session<'a, E> {
    run: &'a mut dyn FnMut(Route) -> Result<Option<Found>, E>,
    predicted: Predicted,
    /// The places of the data races so far.
    races: BTreeSet<[String; 2]>,
}

impl<E> Session<'_, E> {
    /// Runs what was foretold, and keeps it if it fails in a way that is new.
    fn confirm(&mut self, foretold: Foretold) -> Result<(), E> {
        let Foretold { expected, seed } = foretold;
        let route = seed.route();
        if expected == Expected::Change {
            let found = self.follow(Route {
                gives_way: true,
                ..route.clone()
            })?;
            self.keep(found);
        }
        let found = self.follow(route)?;
        let outcome = found.as_ref().map(|found| &found.failure.outcome);
        let predicted = &mut self.predicted;
        match expected {
            Expected::Race => {
                predicted.unconfirmed_races += u64::from(!outcome.is_some_and(is_race));
            }
            Expected::Deadlock => {
                let is_deadlock = matches!(outcome, Some(Outcome::Deadlock(_)));
                predicted.unconfirmed_deadlocks += u64::from(!is_deadlock);
            }
            Expected::Change => {}
        }
        self.keep(found);
        Ok(())
    }

    fn follow(&mut self, route: Route) -> Result<Option<Found>, E> {
        self.predicted.executions += 1;
        (self.run)(route)
    }

    /// Keeps the failure of an execution, if it has one and that is new.
    fn keep(&mut self, found: Option<Found>) {
        if let Some(mut found) = found
            && self.is_new(&found)
        {
            found.failure.execution = self.predicted.executions;
            self.predicted.failures.push(found.failure);
        }
    }

    /// Whether an execution fails in another way than those before.
    fn is_new(&mut self, found: &Found) -> bool {
        if let Some(places) = &found.race {
            let mut places = places.clone();
            places.sort();
            return self.races.insert(places);
        }
        let Predicted {
            recorded, failures, ..
        } = &self.predicted;
        let mut known = recorded.iter().chain(failures);
        !known.any(|one| same_failure(&one.outcome, &found.failure.outcome))
    }
}

fn is_race(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Fail(failure) if failure.kind == FailureKind::DataRace)
}
