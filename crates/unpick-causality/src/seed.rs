//! Seeds: how an execution is made to see something else, and what is promised of it.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use unpick_engine::transcript::{ANYTHING, Deed, EventId, Place, Route, TaskKey, Transcript, mix};

/// A schedule to begin an execution with. Afterwards it goes on in the default order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seed {
    /// What is done, in this order. Stores that are put into a buffer on the way are not told.
    pub deeds: Vec<Deed>,
    /// What the reads in it see, and how questions in it are answered.
    pub content: BTreeMap<Place, u64>,
    /// What makes it different from others of the same content; zero if nothing does.
    pub tag: u64,
    /// A number for the data race that it shows; zero if it was not made for one.
    pub race: u64,
    /// What need not be explored behind it, because it is elsewhere: for SE-MCR as published.
    pub ignored: Vec<Continuation>,
}

/// A seed behind a prefix, as it is known before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Continuation {
    /// The events that it has in any case.
    pub needed: BTreeSet<Place>,
    /// Those that it may have.
    pub allowed: BTreeSet<Place>,
    /// The read that it changes.
    pub target: Place,
    /// What that read sees.
    pub value: u64,
}

impl Seed {
    /// The seed that performs a schedule of events of a transcript. The last read sees `value`, if one is
    /// given, instead of what it saw.
    pub fn new(
        transcript: &Transcript,
        schedule: &[EventId],
        last: Option<(EventId, u64)>,
    ) -> Seed {
        let mut seed = Seed::default();
        let mut is_done = HashSet::new();
        // By task: the last transition that has happened, which may be a store that has left its buffer.
        let mut reached: HashMap<TaskKey, u32> = HashMap::new();
        // Nothing depends on the end of the process, and nothing can follow it.
        let end = transcript.end.map(|end| transcript.deeds[end]);
        let ends = |event: &&EventId| end == Some(transcript.deeds[**event]);
        let others = schedule.iter().filter(|event| !ends(event));
        for &event in others.chain(schedule.iter().filter(ends)) {
            let deed = transcript.deeds[event];
            if is_done.insert(deed) {
                seed.deeds.push(deed);
            }
            let place = transcript.places[event];
            let last = reached.entry(place.task).or_default();
            *last = place.ordinal.max(*last);
            if let Some((_, value)) = transcript.events[event].reads() {
                seed.content.insert(place, value);
            }
        }
        if let Some((read, value)) = last {
            seed.content.insert(transcript.places[read], value);
        }
        for answered in &transcript.answers {
            let Place { task, ordinal, .. } = answered.place;
            let is_before = ordinal == Place::BEFORE;
            let is_reached = || reached.get(&task).is_some_and(|&last| ordinal <= last);
            if is_before || is_reached() {
                let answer = u64::from(answered.answer);
                seed.content.insert(answered.place, answer);
            }
        }
        seed
    }

    /// Has a task perform its transition of this number before the process ends, if that is what happens last.
    pub fn come_to(&mut self, transcript: &Transcript, task: TaskKey, ordinal: u32) {
        let end = transcript.end.map(|end| transcript.deeds[end]);
        let is_end = end.is_some() && self.deeds.last() == end.as_ref();
        let at = self.deeds.len() - usize::from(is_end);
        self.deeds.insert(at, Deed::Act { task, ordinal });
    }

    /// A number for the content, with 128 bits.
    pub fn key(&self) -> u128 {
        let lane = |start: u64| {
            self.content.iter().fold(start, |hash, (place, &value)| {
                let at = u64::from(place.ordinal) << 32 | u64::from(place.part);
                mix(mix(mix(hash, place.task), at), value)
            })
        };
        u128::from(lane(mix(1, self.tag))) << 64 | u128::from(lane(mix(2, self.tag)))
    }

    /// Whether an execution that has seen this is what the seed promises.
    pub fn is_kept_by(&self, reads: &BTreeMap<Place, u64>) -> bool {
        let mut content = self.content.iter();
        content.all(|(place, &value)| match reads.get(place) {
            Some(&seen) => seen == value || [seen, value].contains(&ANYTHING),
            None => value == 0 && place.is_rationed(),
        })
    }

    /// Whether no execution can be what both promise.
    pub fn contradicts(&self, other: &Seed) -> bool {
        let mut content = self.content.iter();
        content.any(|(place, &value)| {
            let known = other.content.get(place);
            known.is_some_and(|&known| known != value && ![known, value].contains(&ANYTHING))
        })
    }

    /// The way to begin an execution with it.
    pub fn route(&self) -> Route {
        let answers = self.content.iter().filter(|(place, _)| place.is_answer());
        Route {
            deeds: self.deeds.clone(),
            answers: answers
                .map(|(&place, &value)| (place, value as u32))
                .collect(),
            gives_way: false,
        }
    }
}
