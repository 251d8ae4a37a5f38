//! Monitors: what a system as a whole must never do, and what it must do sooner or later.
//!
//! A monitor is a small machine beside the actors. They tell it what they do, it knows what that means for
//! the whole. It sees what it is told at once and in one order, which no actor can: it is for tests.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use unpick::Named;
use unpick::mailbox::heat;
use unpick::sync::atomic::{AtomicU64, Ordering};

/// Rounds for which a monitor may stay hot in one state unless told otherwise.
const ROUNDS_DEFAULT: u64 = 100;

/// Whether a system owes something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mood {
    /// All is well.
    Cold,
    /// Something has to come, or the system is in a livelock. The text names what it waits for.
    Hot(&'static str),
}

/// What watches a system.
pub trait Monitor: Send + 'static {
    /// What it is told.
    type Event;

    /// Takes in what an actor has done. Panics if that must never happen: that is the outcome.
    fn observe(&mut self, event: Self::Event) -> Mood;
}

/// A monitor, for those who tell it what they do. Copies are the same monitor.
pub struct Watched<M>(Arc<Inner<M>>);

struct Inner<M> {
    name: String,
    rounds_max: u64,
    /// To tell is one visible operation on this: the order in which monitors are told matters.
    turn: AtomicU64,
    monitor: Mutex<M>,
}

impl<M: Monitor> Watched<M> {
    /// A monitor that is cold.
    pub fn new(name: &str, monitor: M) -> Watched<M> {
        Watched::with_rounds(name, monitor, ROUNDS_DEFAULT)
    }

    /// A monitor that may stay hot in one state for so many rounds. In a round everybody who can go on does.
    pub fn with_rounds(name: &str, monitor: M, rounds_max: u64) -> Watched<M> {
        let turn = AtomicU64::new(0);
        turn.set_name(name);
        Watched(Arc::new(Inner {
            name: name.to_string(),
            rounds_max,
            turn,
            monitor: Mutex::new(monitor),
        }))
    }

    /// Tells the monitor what was done.
    #[track_caller]
    pub fn tell(&self, event: M::Event) {
        let inner = &*self.0;
        inner.turn.fetch_add(1, Ordering::SeqCst);
        let monitor = inner.monitor.lock();
        let mood = monitor
            .unwrap_or_else(PoisonError::into_inner)
            .observe(event);
        heat(
            &inner.name,
            match mood {
                Mood::Cold => None,
                Mood::Hot(state) => Some((state, inner.rounds_max)),
            },
        );
    }
}

impl<M> Clone for Watched<M> {
    fn clone(&self) -> Watched<M> {
        Watched(Arc::clone(&self.0))
    }
}

impl<M> fmt::Debug for Watched<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Watched").field(&self.0.name).finish()
    }
}
