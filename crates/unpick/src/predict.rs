//! What a recorded execution foretells, each thing run before it is called a failure.

use crate::explore::runtime;
use crate::rt::on_fit_thread;
use crate::understand::limits;
use crate::{Config, Ended, explore_visited};
use std::error::Error;
use std::fmt;
use std::time::Instant;
pub use unpick_causality::Predicted;
use unpick_causality::{Found, ModelError, Prediction, foretell};
use unpick_engine::transcript::Route;
use unpick_engine::{Control, Exploration, FirstFailure, Limits, Runtime, Strategy};
use unpick_report::{count, headline, thousands};
use unpick_strategies::{Along, Replay, Watched};
use unpick_trace::{FailureKind, Outcome, Trace};

/// Why nothing can be foretold.
#[derive(Clone, Debug)]
pub enum PredictError {
    /// The program does not follow the trace.
    Diverged(Box<FirstFailure>),
    /// What the tasks have read does not come of what they have done.
    Model(ModelError),
}

impl Error for PredictError {}

impl fmt::Display for PredictError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PredictError::Diverged(diverged) => {
                f.write_str(&headline(&diverged.outcome, &diverged.trace))
            }
            PredictError::Model(error) => write!(
                f,
                "the trace cannot be analysed: {error}; something besides the types of unpick changes what \
                 the program reads: put it under control"
            ),
        }
    }
}

/// What was asked and how it was answered, in words.
pub fn predicted_words(predicted: &Predicted) -> String {
    let impossible = predicted.questions - predicted.possible - predicted.unknown;
    let mut words = format!(
        "{}: {} possible, {} impossible; {}, {} failing in a new way",
        count(predicted.questions, "question"),
        thousands(predicted.possible),
        thousands(impossible),
        count(predicted.executions, "execution"),
        thousands(predicted.failures.len() as u64),
    );
    if predicted.unconfirmed_races + predicted.unconfirmed_deadlocks > 0 {
        let races = count(predicted.unconfirmed_races, "data race");
        let deadlocks = count(predicted.unconfirmed_deadlocks, "deadlock");
        words += &format!("\n  possible, but not confirmed when run: {races}, {deadlocks}");
    }
    if predicted.unknown > 0 {
        let unknown = count(predicted.unknown, "question");
        words += &format!("\n  not known: {unknown} too hard for the solver");
    }
    if predicted.unasked > 0 {
        let unasked = count(predicted.unasked, "question");
        words += &format!("\n  not known: {unasked} not asked when the time was over");
    }
    if predicted.windows > 1 {
        let windows = count(predicted.windows, "window");
        words +=
            &format!("\n  not known: what takes an order that reaches beyond one of {windows}");
    }
    if predicted.windows_left > 0 {
        let left = count(predicted.windows_left, "window");
        words += &format!("\n  not known: {left} not looked at when the time was over");
    }
    words
}

/// Runs `program` along a recorded trace and asks what other orders of its events would show: data races,
/// deadlocks, other values in reads. Each is run; what fails then is a failure. Ends early when
/// [`Config::time`] is over. Long traces are looked at in windows ([`Config::window`]).
///
/// # Errors
/// If the program does not follow the trace, or if the trace cannot be analysed.
pub fn predict(
    config: &Config,
    program: &(dyn Fn() + Send + Sync),
    trace: Trace,
) -> Result<Predicted, PredictError> {
    let limit = config.time_max;
    let deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
    on_fit_thread(|| {
        let mut runtime = runtime(config, program);
        let mut session = Session {
            runtime: &mut *runtime,
            limits: limits(config),
            window: config.window,
        };
        let (mut prediction, recorded) = session.watch(trace)?;
        let run = &mut |route| Ok(session.follow(route));
        let goes_on = &mut || deadline.is_none_or(|deadline| Instant::now() < deadline);
        foretell(&mut prediction, recorded, run, goes_on)
    })
}

/// The first execution of an exploration, run again, for traces of programs that pass.
pub fn first_execution(config: &Config, program: &(dyn Fn() + Send + Sync)) -> FirstFailure {
    let config = config.clone().executions(1);
    let mut seen = None;
    explore_visited(&config, program, &mut |execution| {
        seen = Some(Ended {
            outcome: execution.outcome().cloned().unwrap_or(Outcome::Pass),
            trace: execution.trace().detached(),
        });
    });
    let Ended { outcome, trace } = seen.expect("internal error: a strategy without executions");
    FirstFailure {
        rank: 1,
        execution: 1,
        trace,
        outcome,
        is_directed: false,
        member: None,
    }
}

/// A program that is run along what was foretold.
struct Session<'a> {
    runtime: &'a mut dyn Runtime,
    limits: Limits,
    window: usize,
}

impl Session<'_> {
    fn run(&mut self, strategy: &mut dyn Strategy) -> Exploration {
        let go_on = &mut |_: &_| Control::Continue;
        unpick_engine::explore(self.runtime, strategy, &self.limits, go_on)
    }

    /// Runs the recorded execution again, and gives the questions that it raises and how it fails.
    fn watch(&mut self, trace: Trace) -> Result<(Prediction, Option<Found>), PredictError> {
        let mut watched = Watched::new(Box::new(Replay::new(trace)));
        let found = self.run(&mut watched);
        if let Some(diverged) = found.diverged {
            return Err(PredictError::Diverged(diverged));
        }
        let transcript = watched.transcript;
        let transcript = transcript.expect("internal error: nobody has seen the execution");
        let prediction = Prediction::new(transcript, self.limits.races, self.window);
        let recorded = found.first_failure.map(|failure| self.found(*failure));
        Ok((prediction.map_err(PredictError::Model)?, recorded))
    }

    /// Runs the program along a route.
    fn follow(&mut self, route: Route) -> Option<Found> {
        let found = self.run(&mut Along::new(route));
        found.first_failure.map(|failure| self.found(*failure))
    }

    /// The failure of the execution that has just ended.
    fn found(&mut self, failure: FirstFailure) -> Found {
        let is_race =
            matches!(&failure.outcome, Outcome::Fail(fail) if fail.kind == FailureKind::DataRace);
        let race = is_race.then(|| {
            let execution = self.runtime.execution();
            let race = execution.data_race();
            let race = race.expect("internal error: a data race that is none");
            let trace = execution.trace();
            [race.earlier, race.later].map(|step| {
                let site = trace.site(trace.steps[step].site);
                site.map_or(String::new(), ToString::to_string)
            })
        });
        Found { failure, race }
    }
}
