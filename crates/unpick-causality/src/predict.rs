//! What one execution foretells: races, deadlocks and other results of the same events in another order.
//!
//! S. Huang, *Maximal Causality Reduction* (PhD dissertation, Texas A&M, 2019), section 3.1.3, asks the model of
//! a trace for races and failed assertions. Here a yes is not a bug yet: it is a schedule, and whoever asks has
//! to run it. Assertions are not part of a trace, so every other value that a read can see is worth running.
//!
//! # Departures from the paper
//! Deadlocks are asked for as well, and so are other answers to questions (time-outs, spurious wake-ups, data) and
//! what was left undone when an execution failed. Long executions are looked at in windows (`window.rs`).

use crate::complete::{RING_MAX, Wish, values_for};
use crate::model::ModelError;
use crate::query::{Goal, Query};
use crate::seed::Seed;
use crate::solver::{Answer, Solver};
use crate::window::{Window, cores, parts};
use std::collections::{HashSet, VecDeque};
use std::ops::Range;
use unpick_engine::transcript::{EventId, Transcript};

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
    are_races_wanted: bool,
    /// The part of the trace that is looked at.
    window: Window,
    /// The other parts, and what is asked about in each.
    parts: VecDeque<(Range<EventId>, Range<EventId>)>,
    questions: VecDeque<Question>,
    /// Races and deadlocks that were asked for, which two windows may show.
    asked: HashSet<Vec<EventId>>,
    /// Pairs of places that are known to race.
    raced: HashSet<(u64, u64)>,
    /// Answers, and counts them.
    pub solver: Solver,
}

impl Prediction {
    /// The questions about an execution; races among them if they are `wanted`. Executions of more events than
    /// `window` are looked at in windows of that size.
    ///
    /// # Errors
    /// If something has changed what the program reads besides the events that were seen.
    pub fn new(
        transcript: Transcript,
        are_races_wanted: bool,
        window: usize,
    ) -> Result<Prediction, ModelError> {
        let count = transcript.performed;
        let ranges = parts(count, window);
        let mut parts: VecDeque<_> = ranges.iter().cloned().zip(cores(&ranges)).collect();
        let whole = Window::new(&transcript, 0..count)?;
        let first = parts.pop_front();
        let (first, core) = first.expect("internal error: a trace without parts");
        let window = match parts.is_empty() {
            true => whole,
            false => Window::new(&transcript, first)?,
        };
        let mut prediction = Prediction {
            transcript,
            are_races_wanted,
            window,
            parts,
            questions: VecDeque::new(),
            asked: HashSet::new(),
            raced: HashSet::new(),
            solver: Solver::default(),
        };
        prediction.add_questions(&core);
        Ok(prediction)
    }

    /// Whether there is more to ask.
    pub fn is_open(&self) -> bool {
        !self.questions.is_empty() || !self.parts.is_empty()
    }

    /// Questions about the window at hand that are not answered yet.
    pub fn question_count(&self) -> usize {
        self.questions.len()
    }

    /// Windows that were not looked at yet.
    pub fn window_count(&self) -> usize {
        self.parts.len()
    }

    /// Answers the next question: with a schedule, if the model allows what it asks for.
    pub fn ask(&mut self) -> Option<Foretold> {
        if self.questions.is_empty() {
            self.look_further();
        }
        let question = self.questions.pop_front()?;
        if let Question::Race(first, second) = question
            && self.raced.contains(&self.places(first, second)?)
        {
            return None;
        }
        let schedule = match self.goal(&question) {
            Some(goal) => match self.solver.solve(&self.window.model, &Query::new(goal)) {
                Answer::Sat(schedule) => self.window.whole(&schedule),
                Answer::Unsat | Answer::Unknown => return None,
            },
            // It comes before all events.
            None => Vec::new(),
        };
        let (expected, seed) = match &question {
            Question::Race(first, second) => {
                let places = self.places(*first, *second)?;
                self.raced.insert(places);
                (Expected::Race, None)
            }
            Question::Deadlock(_) => (Expected::Deadlock, None),
            Question::Change(wish) => {
                let seed = wish.seed(&self.transcript, &schedule);
                (Expected::Change, Some(seed))
            }
        };
        let seed = seed.unwrap_or_else(|| Seed::new(&self.transcript, &schedule, None));
        Some(Foretold { expected, seed })
    }

    /// What to ask the model at hand; nothing if it can be had without.
    fn goal(&self, question: &Question) -> Option<Goal> {
        let local = |event: EventId| {
            let local = self.window.local(event);
            local.expect("internal error: a question about another window")
        };
        let goal = match question {
            Question::Race(first, second) => Goal::Race(*first, *second),
            Question::Deadlock(ring) => Goal::Deadlock(ring.clone()),
            Question::Change(wish) => wish.goal(&self.transcript)?,
        };
        Some(match goal {
            Goal::Value { read, value } => Goal::Value {
                read: local(read),
                value,
            },
            Goal::From { read, write } => Goal::From {
                read: local(read),
                write: write.map(local),
            },
            Goal::Reach(event) => Goal::Reach(local(event)),
            Goal::Last(event) => Goal::Last(local(event)),
            Goal::Race(first, second) => Goal::Race(local(first), local(second)),
            Goal::Deadlock(ring) => Goal::Deadlock(ring.into_iter().map(local).collect()),
        })
    }

    /// Goes on to the next window that there is something to ask about.
    fn look_further(&mut self) {
        while self.questions.is_empty()
            && let Some((part, core)) = self.parts.pop_front()
        {
            let window = Window::new(&self.transcript, part);
            self.window = window.expect("internal error: a part of a trace that has no model");
            self.add_questions(&core);
        }
    }

    /// Asks about the window at hand. Reads and answers are asked about if they are in `core`, which is that of no
    /// other window.
    fn add_questions(&mut self, core: &Range<EventId>) {
        if self.are_races_wanted {
            self.add_races();
        }
        self.add_deadlocks();
        self.add_changes(core);
    }

    /// Where two plain accesses stand, in whichever order.
    fn places(&self, first: EventId, second: EventId) -> Option<(u64, u64)> {
        let (first, second) = (self.plain(first)?, self.plain(second)?);
        Some((first.min(second), first.max(second)))
    }

    /// Where the plain access of an event stands. What else belongs to the same transition is no access of its own.
    fn plain(&self, event: EventId) -> Option<u64> {
        let is_first = self.transcript.places[event].part == 0;
        let place = Some(self.transcript.plain[event]);
        place.filter(|&place| is_first && place != 0)
    }

    fn add_races(&mut self) {
        for (first, second) in self.window.model.race_candidates() {
            let (first, second) = (self.window.global(first), self.window.global(second));
            let is_plain = self.places(first, second).is_some();
            if is_plain && self.asked.insert(vec![first, second]) {
                self.questions.push_back(Question::Race(first, second));
            }
        }
    }

    fn add_deadlocks(&mut self) {
        let performed = self.transcript.performed;
        for ring in self.window.model.deadlock_candidates(RING_MAX) {
            let ring = ring.into_iter().map(|request| self.window.global(request));
            let ring: Vec<EventId> = ring.collect();
            // Requests that were all pending are the deadlock that was seen.
            let is_new = ring.iter().any(|&request| request < performed);
            if is_new && self.asked.insert(ring.clone()) {
                self.questions.push_back(Question::Deadlock(ring));
            }
        }
    }

    fn add_changes(&mut self, core: &Range<EventId>) {
        let pending = self.transcript.possible.iter();
        let pending = pending.map(|&event| Wish::Perform(event));
        let pending = pending.filter(|_| self.parts.is_empty());
        let answers = self.transcript.answers.iter().enumerate();
        let answers = answers.filter(|(_, one)| core.contains(&one.event.unwrap_or(0)));
        let answers = answers.flat_map(|(at, _)| Wish::answers(&self.transcript, at));
        // The rest of the transition may lie outside.
        let is_inside =
            |event: Option<EventId>| event.is_none_or(|event| self.window.local(event).is_some());
        let answers = answers.filter(|wish| is_inside(wish.event(&self.transcript)));
        let Window { model, .. } = &self.window;
        let reads = self.window.events().filter(|&event| {
            let is_read = model.events()[event].reads().is_some();
            is_read && core.contains(&self.window.global(event))
        });
        let values = reads.flat_map(|local| {
            let read = self.window.global(local);
            let values = values_for(model, local).into_iter();
            values.map(move |value| Wish::See(read, value))
        });
        let wishes = pending.chain(answers).chain(values);
        let questions: Vec<Question> = wishes.map(Question::Change).collect();
        self.questions.extend(questions);
    }
}
