//! What one execution foretells: races, deadlocks and other results of the same events in another order.
//!
//! S. Huang, *Maximal Causality Reduction* (PhD dissertation, Texas A&M, 2019), section 3.1.3, asks the model of
//! a trace for races and failed assertions. Here a yes is not a bug yet: it is a schedule, and whoever asks has
//! to run it. Assertions are not part of a trace, so every other value that a read can see is worth running.
//!
//! # Departures from the paper
//! Deadlocks are asked for as well, and so are other answers to questions (time-outs, spurious wake-ups, data) and
//! what was left undone when an execution failed.

use crate::complete::{RING_MAX, Wish, values_for};
use crate::event::EventId;
use crate::follow::Follow;
use crate::model::{Model, ModelError};
use crate::query::{Goal, Query};
use crate::seed::Seed;
use crate::solver::{Answer, Solver};
use crate::transcript::Transcript;
use std::collections::{HashSet, VecDeque};
use unpick_engine::{Begin, Execution, Stop, Strategy, View};
use unpick_trace::{Choice, OpKind, SiteId, TaskId, Trace};

/// What a schedule is expected to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Two plain accesses that nothing orders.
    Race,
    /// Tasks that wait for each other's locks.
    Deadlock,
    /// Something that was not seen before, which may be right or wrong.
    Change,
}

/// A schedule that the model allows.
#[derive(Clone, Debug)]
pub struct Foretold {
    /// What it is expected to show.
    pub expected: Expected,
    /// The way there.
    pub seed: Seed,
}

enum Question {
    Race(EventId, EventId),
    Deadlock(Vec<EventId>),
    Change(Wish),
}

/// The questions that one execution gives rise to, answered one by one.
pub struct Prediction {
    transcript: Transcript,
    model: Model,
    questions: VecDeque<Question>,
    /// By event: where its plain access stands; none if it is something else.
    plain: Vec<Option<SiteId>>,
    /// Pairs of places that are known to race.
    raced: HashSet<(SiteId, SiteId)>,
    /// Answers, and counts them.
    pub solver: Solver,
}

impl Prediction {
    /// The questions about an execution that was watched and has ended; races among them if they are `wanted`.
    ///
    /// # Errors
    /// If something has changed what the program reads besides the events that were seen.
    pub fn new(execution: &Execution, are_races_wanted: bool) -> Result<Prediction, ModelError> {
        let transcript = Transcript::new(execution);
        let model = Model::with_pending(
            execution.settings().memory,
            &transcript.initial,
            transcript.events.clone(),
            transcript.performed,
        )?;
        let mut prediction = Prediction {
            plain: plain_accesses(&transcript, execution.trace()),
            transcript,
            model,
            questions: VecDeque::new(),
            raced: HashSet::new(),
            solver: Solver::default(),
        };
        if are_races_wanted {
            prediction.add_races();
        }
        prediction.add_deadlocks();
        prediction.add_changes();
        Ok(prediction)
    }

    /// Questions that are not answered yet.
    pub fn question_count(&self) -> usize {
        self.questions.len()
    }

    /// Answers the next question: with a schedule, if the model allows what it asks for.
    pub fn ask(&mut self) -> Option<Foretold> {
        let question = self.questions.pop_front()?;
        let goal = match &question {
            Question::Race(first, second) => {
                if self.raced.contains(&self.places(*first, *second)?) {
                    return None;
                }
                Some(Goal::Race(*first, *second))
            }
            Question::Deadlock(ring) => Some(Goal::Deadlock(ring.clone())),
            Question::Change(wish) => wish.goal(&self.transcript),
        };
        let schedule = match goal {
            Some(goal) => match self.solver.solve(&self.model, &Query::new(goal)) {
                Answer::Sat(schedule) => schedule,
                Answer::Unsat | Answer::Unknown => return None,
            },
            // It comes before all events.
            None => Vec::new(),
        };
        let expected = match &question {
            Question::Race(first, second) => {
                let places = self.places(*first, *second)?;
                self.raced.insert(places);
                Expected::Race
            }
            Question::Deadlock(_) => Expected::Deadlock,
            Question::Change(_) => Expected::Change,
        };
        let seed = match &question {
            Question::Change(wish) => wish.seed(&self.transcript, &schedule),
            _ => Seed::new(&self.transcript, &schedule, None),
        };
        Some(Foretold { expected, seed })
    }

    /// Where two plain accesses stand, in whichever order.
    fn places(&self, first: EventId, second: EventId) -> Option<(SiteId, SiteId)> {
        let (first, second) = (self.plain[first]?, self.plain[second]?);
        Some((first.min(second), first.max(second)))
    }

    fn add_races(&mut self) {
        let pairs = self.model.race_candidates();
        let is_plain = |&(first, second): &(_, _)| self.places(first, second).is_some();
        let pairs: Vec<_> = pairs.into_iter().filter(is_plain).collect();
        let questions = pairs.into_iter();
        self.questions
            .extend(questions.map(|(first, second)| Question::Race(first, second)));
    }

    fn add_deadlocks(&mut self) {
        // Requests that were all pending are the deadlock that was seen.
        let performed = self.transcript.performed;
        let is_new = |ring: &Vec<EventId>| ring.iter().any(|&request| request < performed);
        let rings = self.model.deadlock_candidates(RING_MAX).into_iter();
        self.questions
            .extend(rings.filter(is_new).map(Question::Deadlock));
    }

    fn add_changes(&mut self) {
        let pending = self.transcript.possible.iter();
        let pending = pending.map(|&event| Wish::Perform(event));
        let answers = self.transcript.answers.iter().enumerate();
        let answers = answers.flat_map(|(at, answered)| {
            (0..answered.count)
                .filter(|&answer| answer != answered.answer)
                .map(move |answer| Wish::Answer(at, answer))
        });
        let values = self.model.reads().flat_map(|read| {
            let values = values_for(&self.model, read).into_iter();
            values.map(move |value| Wish::See(read, value))
        });
        let wishes = pending.chain(answers).chain(values);
        self.questions.extend(wishes.map(Question::Change));
    }
}

/// By event: where its plain access stands. What else belongs to the same transition is no access of its own.
fn plain_accesses(transcript: &Transcript, trace: &Trace) -> Vec<Option<SiteId>> {
    let events = transcript.steps.iter().zip(&transcript.places);
    let site = |(&step, place): (&usize, &crate::transcript::Place)| {
        let step = trace.steps.get(step).filter(|_| place.part == 0)?;
        let is_plain = matches!(step.op.kind, OpKind::PlainRead | OpKind::PlainWrite);
        is_plain.then_some(step.site)
    };
    events.map(site).collect()
}

/// Leads one execution along a seed, and then on in the default order.
pub struct Along(Follow);

impl Along {
    /// Along this one.
    pub fn new(seed: Seed) -> Along {
        let mut follow = Follow::default();
        follow.begin(seed);
        Along(follow)
    }

    /// The same, but afterwards the task that acted last waits for all others: what it has just seen is old then,
    /// when it goes on.
    pub fn giving_way(seed: Seed) -> Along {
        let mut along = Along::new(seed);
        along.0.give_way();
        along
    }
}

impl Strategy for Along {
    fn begin(&mut self, index: u64) -> Begin {
        match index {
            0 => Begin::Ready,
            _ => Begin::Exhausted,
        }
    }

    fn choose(&mut self, view: &View<'_>) -> Result<TaskId, Stop> {
        self.0.choose(view).ok_or(Stop::Cut)
    }

    fn answer(&mut self, _: &View<'_>, question: Choice) -> Result<u32, Stop> {
        Ok(self.0.answer(question))
    }
}
