//! Bounds on what schedules cost.

use crate::bounding::Price;

/// What a schedule may cost at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// Anything.
    None,
    /// So many preemptions.
    Preemptions(u32),
    /// So many delays.
    Delays(u32),
    /// No preemption at first, then one more each time.
    EachPreemptions(u32),
    /// No delay at first, then one more each time.
    EachDelays(u32),
}

impl Bound {
    pub(super) fn allows(self, cost: u32) -> bool {
        match self {
            Bound::None => true,
            Bound::Preemptions(most)
            | Bound::Delays(most)
            | Bound::EachPreemptions(most)
            | Bound::EachDelays(most) => cost <= most,
        }
    }

    pub(super) fn price(self, last_goes_on: bool) -> Price {
        match self {
            Bound::Preemptions(_) | Bound::EachPreemptions(_) if last_goes_on => Price::One,
            Bound::Delays(_) | Bound::EachDelays(_) => Price::Each,
            _ => Price::Free,
        }
    }

    /// The bound at hand, if it is raised.
    pub(super) fn at_hand(self) -> Option<u32> {
        match self {
            Bound::EachPreemptions(most) | Bound::EachDelays(most) => Some(most),
            _ => None,
        }
    }

    /// The next one, if it is raised.
    pub(super) fn raised(self) -> Option<Bound> {
        match self {
            Bound::EachPreemptions(most) => Some(Bound::EachPreemptions(most + 1)),
            Bound::EachDelays(most) => Some(Bound::EachDelays(most + 1)),
            _ => None,
        }
    }
}
