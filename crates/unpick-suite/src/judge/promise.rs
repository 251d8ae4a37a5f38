//! What techniques promise. To have a new one judged, add a line to [`PROMISES`].

use super::Dependence;
use unpick::Spec;

/// What a technique promises about the states it reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// Every schedule, hence every state.
    EverySchedule,
    /// Every state.
    EveryState,
    /// Every state of a program of which no execution fails early, and at least one failure of a
    /// program of which one does.
    ///
    /// An execution that fails ends at once, so that the operations that would have come later, and
    /// with which others might have raced, are never seen. Techniques that learn from an execution
    /// where to go next cannot promise more.
    EveryStateOrFailure,
    /// Everything that the tasks can have seen when all of them have come to their end, whatever else is left
    /// behind; every failure of a task, with everything that this task can have seen before; and at least one
    /// deadlock and one data race of a program that has them.
    EveryView,
    /// Nothing: what is missed is counted.
    Nothing,
}

/// What a technique promises about the happens-before relations of the executions that count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relations {
    /// Nothing.
    Any,
    /// Nothing, but every execution counts.
    Uncut,
    /// One execution for each relation that the engine tells apart, and so each relation there is; every
    /// execution counts.
    Optimal,
    /// Each at least once. A technique that looks one operation ahead cannot promise that it is
    /// only once: whether an operation will change anything is known when it has been performed.
    Every(Dependence),
}

/// A technique and what it promises.
#[derive(Clone, Copy, Debug)]
pub struct Promise {
    /// The technique, as it is written on the command line.
    pub technique: &'static str,
    /// The states it reaches.
    pub coverage: Coverage,
    /// The relations it reaches, in programs of which no execution fails early.
    pub relations: Relations,
}

/// What each technique promises. Those that do not exist are left out.
#[rustfmt::skip]
pub const PROMISES: &[Promise] = &[
    Promise::new("ipb:beyond=1", Coverage::EverySchedule, Relations::Any),
    Promise::new("idb:beyond=1", Coverage::EverySchedule, Relations::Any),
    Promise::new("hbr-cache", Coverage::EveryState, Relations::Every(Dependence::Regular)),
    Promise::new("lazy-hbr-cache", Coverage::EveryState, Relations::Every(Dependence::Lazy)),
    Promise::new("dpor", Coverage::EveryState, Relations::Every(Dependence::Regular)),
    Promise::new("dpor:sleep=0", Coverage::EveryState, Relations::Every(Dependence::Regular)),
    Promise::new("odpor", Coverage::EveryState, Relations::Optimal),
    Promise::new("lazy-odpor", Coverage::EveryStateOrFailure, Relations::Uncut),
    Promise::new("mcr", Coverage::EveryView, Relations::Any),
    Promise::new("se-mcr", Coverage::EveryView, Relations::Any),
    Promise::new("lazy-dpor", Coverage::Nothing, Relations::Any),
    Promise::new("lazy-dpor:fallback=0", Coverage::Nothing, Relations::Any),
];

/// Pairs of techniques of which the first counts no more schedules than the second, in programs of which
/// no execution fails early.
pub(super) const LESS_WORK: &[(&str, &str)] =
    &[("lazy-hbr-cache", "hbr-cache"), ("lazy-odpor", "odpor")];

impl Promise {
    /// A technique with what it promises.
    #[must_use]
    pub const fn new(technique: &'static str, coverage: Coverage, relations: Relations) -> Promise {
        Promise {
            technique,
            coverage,
            relations,
        }
    }

    /// Why this technique cannot be judged, if it cannot.
    #[must_use]
    pub fn missing(&self) -> Option<String> {
        let error = Spec::parse(self.technique).err()?.to_string();
        let reason = error.split(';').next().unwrap_or_default();
        Some(reason.to_owned())
    }

    /// Which relations have to be reached.
    pub(super) fn dependence(&self) -> Option<Dependence> {
        match self.relations {
            Relations::Any | Relations::Uncut => None,
            Relations::Optimal => Some(Dependence::Regular),
            Relations::Every(dependence) => Some(dependence),
        }
    }

    /// Whether every execution counts.
    pub(super) fn is_uncut(&self) -> bool {
        matches!(self.relations, Relations::Uncut | Relations::Optimal)
    }
}
