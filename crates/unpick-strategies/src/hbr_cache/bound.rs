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
}

impl Bound {
    pub(super) fn allows(self, cost: u32) -> bool {
        match self {
            Bound::None => true,
            Bound::Preemptions(most) | Bound::Delays(most) => cost <= most,
        }
    }

    pub(super) fn price(self, last_goes_on: bool) -> Price {
        match self {
            Bound::Preemptions(_) if last_goes_on => Price::One,
            Bound::Delays(_) => Price::Each,
            _ => Price::Free,
        }
    }
}
