//! The seeds of a trace, such that no state is lost.
//!
//! The published search keeps the prefix of a trace in its order and forgets its events; it loses states
//! (`literal.rs`). Here a seed is kept *by content*: what its reads see. Let C be what the seed of a trace
//! τ promised, and let E be an execution that keeps C, too, but sees something else than τ. Let r be the
//! first read in the order of E that does so. Up to r, E consists of events of τ, so E up to r answers the
//! question whether r can see what it sees there, and it contains the part of C that comes before r in E.
//! So one of these seeds promises nothing that E does not keep, and more of the beginning of E:
//!
//! 1. for each read outside of C and each value that it can see, a schedule that contains C;
//! 2. if there is none, schedules that contain as much of C as possible. This closes the hole that remains
//!    with locks: C may contain a section that can only be entered when the task of r has left one of
//!    which the rest is unknown;
//! 3. if a schedule contains reads that it need not contain, also one without each of them.
//!
//! The answer to a question within a transition (does a weak exchange fail, does a wait time out, which number does the
//! program get) is a read in all this. What comes behind it may depend on it in any way, so that another answer is asked
//! for with its question at the end of the schedule. How many weak exchanges fail and how many waits end by themselves
//! is rationed: behind the last one that does, the question is not asked, which is the same as the ordinary answer. As
//! an execution takes nothing of a ration but what its seed promises, it asks wherever an execution that keeps the seed
//! can take more.
//!
//! Where a task fails in τ, nothing comes behind the events of its last transition; so these are in no other
//! schedule, and what tasks were about to do then is asked for without them.
//!
//! Read E from its beginning as a number with a binary digit for each read, one if it is promised: a seed
//! adds r and drops at most later ones, so the number grows, until τ is E. What has no read to tell it
//! apart, a deadlock or a data race, is asked for in every trace.

use crate::model::Model;
use crate::query::{Goal, Query};
use crate::seed::Seed;
use crate::solver::{Answer, Solver};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use unpick_engine::transcript::EventId;
use unpick_engine::transcript::{ANYTHING, Deed, Kind, Place, TaskKey, Transcript, mix};

/// Requests in a ring of a deadlock that is asked for, at most.
pub(crate) const RING_MAX: usize = 4;

/// Sets of requests that are stuck with one ring and asked for, at most.
const STUCK_MAX: usize = 256;

/// A trace whose seeds are wanted.
pub(crate) struct Expansion<'a> {
    transcript: &'a Transcript,
    model: &'a Model,
    solver: &'a mut Solver,
    /// What the seed of the trace promised, as events of each task in program order. Where a task is cut off
    /// stands for the event that does it.
    kept: Vec<Vec<(Place, EventId)>>,
    seeds: Vec<Seed>,
    /// Whether a question was too hard.
    pub is_cut: bool,
}

impl<'a> Expansion<'a> {
    /// The seeds of a trace that keeps `content`.
    pub fn new(
        transcript: &'a Transcript,
        model: &'a Model,
        content: &BTreeMap<Place, u64>,
        solver: &'a mut Solver,
    ) -> Expansion<'a> {
        let events = transcript.places.iter().copied().zip(0..);
        let answers = transcript.answers.iter();
        let answers = answers.filter_map(|one| Some((one.place, one.event?)));
        let cut_off = transcript.cut_off.iter().copied();
        let cut_off = cut_off.filter_map(|place| Some((place, transcript.end?)));
        let by_place: HashMap<Place, EventId> = events.chain(answers).chain(cut_off).collect();
        let mut kept: BTreeMap<TaskKey, Vec<(Place, EventId)>> = BTreeMap::new();
        for place in content.keys() {
            let is_kept =
                |event: &&EventId| **event < transcript.performed && !fails(transcript, **event);
            if let Some(&event) = by_place.get(place).filter(is_kept) {
                kept.entry(place.task).or_default().push((*place, event));
            }
        }
        Expansion {
            transcript,
            model,
            solver,
            kept: kept.into_values().collect(),
            seeds: Vec::new(),
            is_cut: false,
        }
    }

    /// All of them.
    pub fn seeds(mut self, content: &BTreeMap<Place, u64>) -> (Vec<Seed>, bool) {
        let is_cut_off = |event: EventId| {
            let place = self.transcript.places[event];
            let cut_off = Place {
                part: Place::CUT_OFF,
                ..place
            };
            content.contains_key(&cut_off)
        };
        for read in self.model.reads() {
            if !content.contains_key(&self.transcript.places[read]) && !is_cut_off(read) {
                for value in values_for(self.model, read) {
                    self.ask(&Wish::See(read, value));
                }
            }
        }
        for (at, answered) in self.transcript.answers.iter().enumerate() {
            if !content.contains_key(&answered.place) {
                for wish in Wish::answers(self.transcript, at) {
                    self.ask(&wish);
                }
            }
        }
        for &event in &self.transcript.possible {
            if !is_cut_off(event) {
                self.ask(&Wish::Perform(event));
            }
        }
        self.ask_for_ends(content);
        for ring in self.model.deadlock_candidates(RING_MAX) {
            let (sets, is_all) = self.model.stuck_with(&ring, STUCK_MAX);
            self.is_cut |= !is_all;
            for set in sets {
                self.ask_for_deadlock(&set);
            }
        }
        self.ask_for_races();
        (self.seeds, self.is_cut)
    }

    /// Adds the seeds that fulfil a wish, with as much as possible of what is promised.
    fn ask(&mut self, wish: &Wish) {
        let whole: Vec<usize> = self.kept.iter().map(Vec::len).collect();
        let mut asked = HashSet::new();
        let target = wish.event(self.transcript);
        let mut open = VecDeque::from([(whole, self.failed_without(target.as_slice()))]);
        let mut sat: Vec<(Vec<usize>, Vec<EventId>)> = Vec::new();
        let mut is_possible = HashMap::new();
        while let Some((cut, exclude)) = open.pop_front() {
            let is_covered = |(known, without): &(Vec<usize>, Vec<EventId>)| {
                *without == exclude && cut.iter().zip(known).all(|(one, other)| one <= other)
            };
            if !asked.insert((cut.clone(), exclude.clone())) || sat.iter().any(is_covered) {
                continue;
            }
            if let Some(schedule) = self.solve(wish, &cut, &exclude) {
                for read in self.superfluous(wish, &cut, &schedule) {
                    let mut without = exclude.clone();
                    without.push(read);
                    without.sort_unstable();
                    open.push_back((cut.clone(), without));
                }
                let seed = wish.seed(self.transcript, &schedule);
                self.keep(wish, &cut, seed);
                sat.push((cut, exclude));
                continue;
            }
            let nothing = vec![0; cut.len()];
            let possible = is_possible.entry(exclude.clone());
            let is_possible = *possible.or_insert_with(|| {
                cut != nothing && self.solve(wish, &nothing, &exclude).is_some()
            });
            if is_possible {
                let shorter = (0..cut.len()).filter(|&task| cut[task] > 0).map(|task| {
                    let mut shorter = cut.clone();
                    shorter[task] -= 1;
                    (shorter, exclude.clone())
                });
                open.extend(shorter);
            }
        }
    }

    /// Keeps a seed, with what is promised.
    fn keep(&mut self, wish: &Wish, cut: &[usize], mut seed: Seed) {
        let promised: BTreeSet<Place> = self.promised(cut).map(|(place, _)| place).collect();
        if let Wish::See(read, _) = *wish {
            let at = self.transcript.places[read];
            let is_open = |place: &Place| {
                let is_there = (place.task, place.ordinal) == (at.task, at.ordinal);
                is_there && place.is_answer() && !promised.contains(place)
            };
            let answers = seed.content.keys().copied();
            let open: Vec<Place> = answers.filter(is_open).collect();
            for &place in open.iter().rev() {
                // It does not tell whether the question comes before the read, unless the read is what the transition
                // begins with. If so, the answer stays; if not, the question may be another one.
                if at.part > 0 {
                    self.add(seed.clone(), &promised);
                }
                seed.content.remove(&place);
            }
        }
        self.add(seed, &promised);
    }

    fn add(&mut self, mut seed: Seed, promised: &BTreeSet<Place>) {
        // What was promised without being read stays so.
        for &place in promised {
            seed.content.entry(place).or_insert(ANYTHING);
        }
        self.seeds.push(seed);
    }

    fn solve(&mut self, wish: &Wish, cut: &[usize], exclude: &[EventId]) -> Option<Vec<EventId>> {
        let Some(goal) = wish.goal(self.transcript) else {
            return Some(Vec::new());
        };
        let (mut include, mut exclude) = (self.included(cut), exclude.to_vec());
        if let Wish::CutOff(at) = *wish {
            // A store that was performed may wait in its buffer for ever.
            let deeds = self.transcript.deeds.iter();
            let events = self.transcript.places.iter().zip(deeds).enumerate();
            for (event, (place, deed)) in events.filter(|(_, (place, _))| place.task == at.task) {
                match (place.ordinal >= at.ordinal, deed) {
                    (true, _) => exclude.push(event),
                    (false, Deed::Act { .. }) => include.push(event),
                    (false, Deed::Flush { .. }) => {}
                }
            }
        }
        self.schedule(&Query::new(goal).including(include).excluding(exclude))
    }

    /// A schedule that answers a question; notes that one was too hard.
    fn schedule(&mut self, query: &Query) -> Option<Vec<EventId>> {
        match self.solver.solve(self.model, query) {
            Answer::Sat(schedule) => Some(schedule),
            Answer::Unsat => None,
            Answer::Unknown => {
                self.is_cut = true;
                None
            }
        }
    }

    /// The events with which the trace failed, unless one of these is among them: then it ends the schedule.
    fn failed_without(&self, goals: &[EventId]) -> Vec<EventId> {
        let (from, to) = self.transcript.failed;
        match goals.iter().any(|&goal| fails(self.transcript, goal)) {
            true => Vec::new(),
            false => (from..to).collect(),
        }
    }

    fn included(&self, cut: &[usize]) -> Vec<EventId> {
        self.promised(cut).map(|(_, event)| event).collect()
    }

    fn promised(&self, cut: &[usize]) -> impl Iterator<Item = (Place, EventId)> {
        let parts = self.kept.iter().zip(cut);
        parts.flat_map(|(events, &count)| &events[..count]).copied()
    }

    /// The process can end before any transition of another task.
    fn ask_for_ends(&mut self, content: &BTreeMap<Place, u64>) {
        let Some(end) = self.transcript.end else {
            return;
        };
        let ender = self.transcript.places[end].task;
        let mut asked = HashSet::new();
        for event in 0..self.transcript.performed {
            let Place { task, ordinal, .. } = self.transcript.places[event];
            let is_later = |place: &Place| place.task == task && place.ordinal >= ordinal;
            if task != ender && asked.insert((task, ordinal)) && !content.keys().any(is_later) {
                self.ask(&Wish::CutOff(self.transcript.places[event]));
            }
        }
    }

    /// The reads in a schedule that do not have to be there.
    fn superfluous(&self, wish: &Wish, cut: &[usize], schedule: &[EventId]) -> Vec<EventId> {
        let mut needed = self.included(cut);
        needed.extend(wish.event(self.transcript));
        let is_needed = |read: EventId| {
            let before = |&event: &EventId| event == read || self.model.must_precede(read, event);
            needed.iter().any(before)
        };
        let reads = schedule.iter().copied();
        let reads = reads.filter(|&event| self.model.events()[event].reads().is_some());
        reads.filter(|&read| !is_needed(read)).collect()
    }

    /// Reads do not tell whether accesses race. It is enough to know once of two places in the program.
    fn ask_for_races(&mut self) {
        let plain = &self.transcript.plain;
        let mut shown = HashSet::new();
        for (one, other) in self.model.race_candidates() {
            let (first, second) = (plain[one].min(plain[other]), plain[one].max(plain[other]));
            if first == 0 || shown.contains(&(first, second)) {
                continue;
            }
            let failed = self.failed_without(&[one, other]);
            let query = Query::new(Goal::Race(one, other)).excluding(failed);
            if let Some(schedule) = self.schedule(&query) {
                shown.insert((first, second));
                let mut seed = Seed::new(self.transcript, &schedule, None);
                // The later of the two sees something else now.
                for event in [one, other] {
                    seed.content.remove(&self.transcript.places[event]);
                }
                seed.race = mix(first, second);
                self.seeds.push(seed);
            }
        }
    }

    /// No read tells a deadlock: the question is for these requests and all that tasks see before them or beside
    /// them. An execution E that ends in a deadlock keeps the reads of some trace; with the requests at which the
    /// tasks of E are stuck, no read of that trace is left that E does not have.
    fn ask_for_deadlock(&mut self, requests: &[EventId]) {
        let behind = |event: EventId| {
            let is_behind = |&request: &EventId| self.model.must_precede(request, event);
            requests.iter().any(is_behind)
        };
        let performed = self.transcript.performed;
        if requests.iter().all(|&request| request >= performed) {
            return;
        }
        let is_seen = |&read: &EventId| read < performed && !fails(self.transcript, read);
        let reads = self.model.reads().filter(is_seen);
        let all = reads.filter(|&read| !behind(read)).collect();
        let kept = self
            .kept
            .iter()
            .flatten()
            .map(|(_, event)| *event)
            .collect();
        for include in [all, kept, Vec::new()] {
            let query = Query::new(Goal::Deadlock(requests.to_vec()))
                .including(include)
                .excluding(self.failed_without(requests));
            if let Some(schedule) = self.schedule(&query) {
                let mut seed = Seed::new(self.transcript, &schedule, None);
                let places = requests
                    .iter()
                    .map(|&request| self.transcript.places[request]);
                seed.tag = places.fold(1, |tag, place| {
                    mix(mix(tag, place.task), place.ordinal.into())
                });
                return self.seeds.push(seed);
            }
        }
    }
}

/// Whether the trace failed with this event.
fn fails(transcript: &Transcript, event: EventId) -> bool {
    let (from, to) = transcript.failed;
    (from..to).contains(&event)
}

/// The values that a read did not see and might.
pub(crate) fn values_for(model: &Model, read: EventId) -> BTreeSet<u64> {
    let sources = model.alternatives(read).into_iter();
    sources
        .filter_map(|source| model.value_of(read, source))
        .collect()
}

/// What is to be different.
pub(crate) enum Wish {
    /// A read sees a value.
    See(EventId, u64),
    /// A question, by its number, is answered otherwise, behind an event of its transition; none before the first one.
    Answer(usize, u32, Option<EventId>),
    /// What a task was about to do is done.
    Perform(EventId),
    /// The process ends when a task has come to this transition.
    CutOff(Place),
}

impl Wish {
    /// The other answers to a question. A transition does not tell which of its events come before the question; each
    /// may be the last one of those.
    pub fn answers(transcript: &Transcript, at: usize) -> Vec<Wish> {
        let answered = &transcript.answers[at];
        let behind: Vec<Option<EventId>> = match answered.event {
            None => vec![None],
            Some(first) => {
                let is_part = |&event: &EventId| {
                    event < transcript.performed
                        && transcript.deeds[event] == transcript.deeds[first]
                };
                let parts: Vec<EventId> = (first..).take_while(is_part).collect();
                let finds = |&event: &EventId| {
                    let made = &transcript.events[event];
                    made.reads().is_some() || matches!(made.kind, Kind::Lock { .. })
                };
                // What finds nothing makes no difference.
                let ends = parts.iter().enumerate().filter(|(number, _)| {
                    let next = parts.get(number + 1);
                    next.is_none_or(finds)
                });
                ends.map(|(_, &event)| Some(event)).rev().collect()
            }
        };
        let others = (0..answered.count).filter(|&answer| answer != answered.answer);
        others
            .flat_map(|answer| {
                let behind = behind.iter();
                behind.map(move |&event| Wish::Answer(at, answer, event))
            })
            .collect()
    }

    /// What to ask for; nothing if it can be had without.
    pub fn goal(&self, transcript: &Transcript) -> Option<Goal> {
        match *self {
            Wish::See(read, value) => Some(Goal::Value { read, value }),
            // What comes behind the question may depend on the answer.
            Wish::Answer(.., event) => event.map(Goal::Last),
            Wish::Perform(_) | Wish::CutOff(_) => self.event(transcript).map(Goal::Reach),
        }
    }

    /// The event that it is about; none if that is what happens before the first transition.
    pub fn event(&self, transcript: &Transcript) -> Option<EventId> {
        match *self {
            Wish::See(event, _) | Wish::Perform(event) => Some(event),
            Wish::Answer(.., event) => event,
            Wish::CutOff(_) => transcript.end,
        }
    }

    /// The seed, along a schedule that reaches the goal.
    pub fn seed(&self, transcript: &Transcript, schedule: &[EventId]) -> Seed {
        match *self {
            Wish::See(read, value) => Seed::new(transcript, schedule, Some((read, value))),
            Wish::Perform(event) => {
                let seen = transcript.events[event].reads();
                let value = seen.map_or(ANYTHING, |(_, value)| value);
                Seed::new(transcript, schedule, Some((event, value)))
            }
            Wish::CutOff(Place { task, ordinal, .. }) => {
                let mut seed = Seed::new(transcript, schedule, None);
                if let Some(before) = ordinal.checked_sub(1) {
                    seed.come_to(transcript, task, before);
                }
                let part = Place::CUT_OFF;
                let place = Place {
                    task,
                    ordinal,
                    part,
                };
                seed.content.insert(place, ANYTHING);
                seed
            }
            Wish::Answer(at, answer, _) => {
                let mut seed = Seed::new(transcript, schedule, None);
                let Place {
                    task,
                    ordinal,
                    part,
                } = transcript.answers[at].place;
                // What is asked later in the transition may not be so any more.
                let is_later = |place: &Place| {
                    (place.task, place.ordinal) == (task, ordinal) && place.part >= part
                };
                seed.content.retain(|place, _| !is_later(place));
                seed.content
                    .insert(transcript.answers[at].place, answer.into());
                seed
            }
        }
    }
}
