//! What a recorded execution foretells, each thing run before it is called a failure.

use crate::explore::runtime;
use crate::rt::on_own_thread;
use crate::understand::limits;
use crate::{Config, Ended, explore_visited};
use std::collections::BTreeSet;
use std::error::Error;
use std::fmt;
use std::time::Instant;
use unpick_causality::{Along, Expected, Foretold, ModelError, Prediction};
use unpick_engine::{
    Begin, Control, Execution, Exploration, FirstFailure, Limits, Runtime, Stop, Strategy, View,
};
use unpick_report::{count, headline, thousands};
use unpick_strategies::Replay;
use unpick_trace::{Choice, FailureKind, Outcome, TaskId, Trace, same_failure};

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
    /// Data races that the trace allows and whose execution did not show one.
    pub unconfirmed_races: u64,
    /// Deadlocks that the trace allows and whose execution did not show one.
    pub unconfirmed_deadlocks: u64,
}

impl Predicted {
    /// Whether every question has an answer.
    pub fn is_complete(&self) -> bool {
        self.unknown == 0 && self.unasked == 0
    }
}

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
impl fmt::Display for Predicted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let impossible = self.questions - self.possible - self.unknown;
        write!(
            f,
            "{}: {} possible, {} impossible; {}, {} failing in a new way",
            count(self.questions, "question"),
            thousands(self.possible),
            thousands(impossible),
            count(self.executions, "execution"),
            thousands(self.failures.len() as u64),
        )?;
        if self.unconfirmed_races + self.unconfirmed_deadlocks > 0 {
            let races = count(self.unconfirmed_races, "data race");
            let deadlocks = count(self.unconfirmed_deadlocks, "deadlock");
            write!(
                f,
                "\n  possible, but not confirmed when run: {races}, {deadlocks}"
            )?;
        }
        if self.unknown > 0 {
            let unknown = count(self.unknown, "question");
            write!(f, "\n  not known: {unknown} too hard for the solver")?;
        }
        if self.unasked > 0 {
            let unasked = count(self.unasked, "question");
            write!(
                f,
                "\n  not known: {unasked} not asked when the time was over"
            )?;
        }
        Ok(())
    }
}

/// Runs `program` along a recorded trace and asks what other orders of its events would show: data races,
/// deadlocks, other values in reads. Each is run; what fails then is a failure. Ends early when
/// [`Config::time`] is over.
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
    on_own_thread(|| {
        let mut runtime = runtime(config, program);
        let mut session = Session {
            runtime: &mut *runtime,
            limits: limits(config),
            predicted: Predicted::default(),
            races: BTreeSet::new(),
        };
        let mut prediction = session.watch(trace)?;
        while prediction.question_count() > 0 {
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                break;
            }
            if let Some(foretold) = prediction.ask() {
                session.confirm(foretold);
            }
        }
        let counts = prediction.solver.counts;
        Ok(Predicted {
            questions: counts.queries,
            possible: counts.sat,
            unknown: counts.queries - counts.sat - counts.unsat,
            unasked: prediction.question_count() as u64,
            ..session.predicted
        })
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
    predicted: Predicted,
    /// The places of the data races so far. Which tasks race there, and which of them is first, makes no other
    /// race.
    races: BTreeSet<[String; 2]>,
}

impl Session<'_> {
    fn run(&mut self, strategy: &mut dyn Strategy) -> Exploration {
        let go_on = &mut |_: &_| Control::Continue;
        unpick_engine::explore(self.runtime, strategy, &self.limits, go_on)
    }

    /// Runs the recorded execution again, and gives the questions that it raises.
    fn watch(&mut self, trace: Trace) -> Result<Prediction, PredictError> {
        let mut watched = Watched {
            replay: Replay::new(trace),
            are_races_wanted: self.limits.races,
            prediction: None,
        };
        let found = self.run(&mut watched);
        if let Some(diverged) = found.diverged {
            return Err(PredictError::Diverged(diverged));
        }
        if let Some(failure) = found.first_failure {
            self.is_new(&failure);
            self.predicted.recorded = Some(*failure);
        }
        let prediction = watched.prediction;
        let prediction = prediction.expect("internal error: nobody has seen the execution");
        prediction.map_err(PredictError::Model)
    }

    /// Runs what was foretold, and keeps it if it fails in a way that is new.
    fn confirm(&mut self, foretold: Foretold) {
        let Foretold { expected, seed } = foretold;
        if expected == Expected::Change {
            let found = self.follow(Along::giving_way(seed.clone()));
            self.keep(found);
        }
        let found = self.follow(Along::new(seed));
        let outcome = found.first_failure.as_ref().map(|failure| &failure.outcome);
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
    }

    fn follow(&mut self, mut along: Along) -> Exploration {
        self.predicted.executions += 1;
        self.run(&mut along)
    }

    /// Keeps the failure of the execution that has just ended, if it has one and that is new.
    fn keep(&mut self, found: Exploration) {
        if let Some(mut failure) = found.first_failure
            && self.is_new(&failure)
        {
            failure.execution = self.predicted.executions;
            self.predicted.failures.push(*failure);
        }
    }

    /// Whether the execution that has just ended fails in another way than those before.
    fn is_new(&mut self, failure: &FirstFailure) -> bool {
        let Predicted {
            recorded, failures, ..
        } = &self.predicted;
        if !is_race(&failure.outcome) {
            let mut known = recorded.iter().chain(failures);
            return !known.any(|one| same_failure(&one.outcome, &failure.outcome));
        }
        let execution = self.runtime.execution();
        let race = execution.data_race();
        let race = race.expect("internal error: a data race that is none");
        let trace = execution.trace();
        let mut places = [race.earlier, race.later].map(|step| {
            let site = trace.site(trace.steps[step].site);
            site.map_or(String::new(), ToString::to_string)
        });
        places.sort();
        self.races.insert(places)
    }
}

fn is_race(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Fail(failure) if failure.kind == FailureKind::DataRace)
}

/// A replay that is looked at when it is over.
struct Watched {
    replay: Replay,
    are_races_wanted: bool,
    prediction: Option<Result<Prediction, ModelError>>,
}

impl Strategy for Watched {
    fn begin(&mut self, index: u64) -> Begin {
        self.replay.begin(index)
    }

    fn choose(&mut self, view: &View<'_>) -> Result<TaskId, Stop> {
        self.replay.choose(view)
    }

    fn answer(&mut self, view: &View<'_>, question: Choice) -> Result<u32, Stop> {
        self.replay.answer(view, question)
    }

    fn end(&mut self, execution: &Execution) -> Result<bool, Stop> {
        let is_schedule = self.replay.end(execution)?;
        self.prediction = Some(Prediction::new(execution, self.are_races_wanted));
        Ok(is_schedule)
    }

    fn watches(&self) -> bool {
        true
    }
}
