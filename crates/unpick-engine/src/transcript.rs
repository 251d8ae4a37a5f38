//! An execution as events of the causal model, with names that other executions of the program understand.
//!
//! | what happens | event |
//! |---|---|
//! | an atomic of a known value is accessed | a read, a write, or both at once, of that value |
//! | a cell, data inside a mutex, an atomic that is no number | the same, of a *version* |
//! | a mutex is acquired and released | `Lock`, `Unlock` |
//! | a task is created, joined, waits for its store buffer | `Fork`, `Join`, `Fence` |
//! | a store leaves its buffer | the write, in the place of its store |
//! | anything else | a read and write at once of the version of each part that it touches |
//!
//! The *version* of something is told by who changed it last and everything this task had seen until then:
//! equal versions are equal contents, in all executions. So what has no kind of its own in the model, such as
//! a channel, is explored as well, in every order that there is.
//!
//! What tasks were about to do when an execution ended too early is told as well, as *pending* events: another
//! order may get further. If the process ended while tasks had more to do, where each of them was *cut off* is
//! something that was seen: how far tasks get before the end is explored like what reads see.
//!
//! What plans between executions plans with it, in another process if need be: it is data.
//!
//! Two uses of a mutex tell more than that it was free, and make it such a thing, too: an attempt to lock
//! it that can fail, and holding it while waiting for anything but another mutex, which may be a deadlock.

mod event;
mod questions;
mod route;
mod stores;
mod survey;
mod writer;

use crate::{Execution, History, Memory};
use alloc::{collections::BTreeMap, vec::Vec};
pub use event::{Event, EventId, Kind};
pub use questions::Questions;
pub use route::Route;
use serde::{Deserialize, Serialize};
use unpick_trace::Outcome;
use writer::Writer;

/// A task, by who created it and how many that one had created before; the same in all executions.
pub type TaskKey = u64;

/// Where a task does something: its transition, from 0, and which event or answer within it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Place {
    /// The task.
    pub task: TaskKey,
    /// Its transition.
    pub ordinal: u32,
    /// The event within the transition; answers to questions are numbered by [`Questions`], from
    /// [`Place::ANSWERS`] on.
    pub part: u32,
}

impl Place {
    /// The number of the first answer within a transition.
    pub const ANSWERS: u32 = 1 << 16;
    /// In place of a transition that the end of the process has prevented.
    pub const CUT_OFF: u32 = Place::ANSWERS - 1;
    /// The transition of what happens before the first one.
    pub const BEFORE: u32 = u32::MAX;
}

/// What a schedule has to do for an event to happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Deed {
    /// A task performs its transition of this number.
    Act {
        /// Who.
        task: TaskKey,
        /// Which one.
        ordinal: u32,
    },
    /// The store of this number leaves the buffer of a task.
    Flush {
        /// Whose.
        task: TaskKey,
        /// Which one.
        number: u32,
    },
}

/// A question that was answered within a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answered {
    /// Where.
    pub place: Place,
    /// The answer.
    pub answer: u32,
    /// How many there were to choose from.
    pub count: u32,
    /// The first event of the transition; none before the first transition.
    pub event: Option<EventId>,
}

/// The events of an execution.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Transcript {
    /// In the order in which they took effect.
    pub events: Vec<Event>,
    /// By event: where.
    pub places: Vec<Place>,
    /// By event: what makes it happen.
    pub deeds: Vec<Deed>,
    /// By event: the step of the trace; of a store, where it was performed.
    pub steps: Vec<usize>,
    /// By event: a number for the place in the program of a plain access, the same in all executions; zero for
    /// everything else.
    pub plain: Vec<u64>,
    /// The memory model of the execution.
    pub memory: Memory,
    /// By location: what it holds in the beginning.
    pub initial: Vec<Option<u64>>,
    /// The questions, in order.
    pub answers: Vec<Answered>,
    /// How many of the events happened; the others were about to.
    pub performed: usize,
    /// Of the others, those that may be possible in an order of the same events.
    pub possible: Vec<EventId>,
    /// The events with which the execution failed, from the first one on to before the second: nothing can
    /// happen behind them.
    pub failed: (EventId, EventId),
    /// The event that ended the process, although other tasks may have had more to do.
    pub end: Option<EventId>,
    /// Where it has cut off tasks.
    pub cut_off: Vec<Place>,
}

/// What an event sees that is no read: it happens, and that is all. The same use of a mutex may be a read in
/// another execution, in which somebody tries to lock it.
pub const ANYTHING: u64 = 0xa3d9_5c61_07be_42f8;

impl Transcript {
    /// The events of an execution that was watched and has ended.
    pub fn new(execution: &Execution) -> Transcript {
        let mut history = History::new(&[]);
        history.extend(execution);
        let mut writer = Writer::new(execution, &history);
        writer.transcript.memory = execution.settings().memory;
        writer.write_answers(None);
        for number in 0..history.events().len() {
            writer.write(number);
        }
        if matches!(execution.outcome(), Some(Outcome::Fail(_))) && !execution.is_endless() {
            writer.transcript.failed = writer.last_transition();
        }
        writer.write_waiting_stores();
        writer.transcript.performed = writer.transcript.events.len();
        writer.write_end();
        if execution.outcome() != Some(&Outcome::Pass) || execution.has_exited() {
            writer.write_pending();
        }
        writer.transcript
    }

    /// What the reads have seen, how questions were answered and which locks were taken, in the order of
    /// places.
    pub fn reads(&self) -> BTreeMap<Place, u64> {
        let events = self.events[..self.performed].iter().zip(&self.places);
        let reads = events
            .map(|(event, &place)| (place, event.reads().map_or(ANYTHING, |(_, value)| value)));
        let answers = self.answers.iter();
        let cut_off = self.cut_off.iter();
        reads
            .chain(answers.map(|one| (one.place, u64::from(one.answer))))
            .chain(cut_off.map(|&place| (place, ANYTHING)))
            .collect()
    }
}

/// Two numbers as one without visible structure: splitmix64.
pub fn mix(first: u64, second: u64) -> u64 {
    let mut word = first.rotate_left(17) ^ second.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for factor in [0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb] {
        word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
        word = (word ^ (word >> 30)).wrapping_mul(factor);
        word ^= word >> 27;
    }
    word ^ (word >> 31)
}
