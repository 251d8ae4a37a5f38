//! Recognises a task that goes round in circles.
//!
//! A task spins when it comes back to the same operation at the same place again and again while
//! nothing in the whole program has changed in between. Such a task is treated as if it yielded.
//! The circle is found as Brent finds cycles: one remembered operation, replaced at powers of two.

use unpick_trace::{ObjectId, Op, SiteId};

/// Visits of one operation, without any change of the world, after which a task counts as spinning.
/// Small enough to keep exhaustive searches short, large enough that ordinary code with a few equal
/// reads in a row is left alone: the shortest circle is recognised at its eighth turn.
const VISITS_MAX: u32 = 4;

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spin {
    /// Operations of this task since the world last changed.
    idle: u32,
    anchor: Option<(ObjectId, SiteId)>,
    anchor_renewed_at: u32,
    visits: u32,
    spinning: bool,
}

impl Spin {
    #[inline]
    pub fn reset(&mut self) {
        if self.idle != 0 {
            *self = Spin::default();
        }
    }

    /// Notes that the task is about to perform `op`, its previous operation and everything since
    /// having changed nothing.
    pub fn note(&mut self, op: &Op, site: SiteId) {
        let here = (op.object, site);
        self.idle += 1;
        if self.anchor == Some(here) {
            self.visits += 1;
            self.spinning |= self.visits >= VISITS_MAX;
        }
        if self.idle >= 2 * self.anchor_renewed_at {
            self.anchor = Some(here);
            self.anchor_renewed_at = self.idle;
            self.visits = 0;
        }
    }

    #[inline]
    pub fn is_spinning(&self) -> bool {
        self.spinning
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unpick_trace::OpKind;

    fn turns_until_recognised(circle: &[u32], turns_max: usize) -> Option<usize> {
        let mut spin = Spin::default();
        for turn in 1..=turns_max {
            for object in circle {
                spin.note(&Op::new(OpKind::Load, ObjectId(*object)), SiteId(7));
                if spin.is_spinning() {
                    return Some(turn);
                }
            }
        }
        None
    }

    #[test]
    fn circles_are_recognised_after_a_few_turns() {
        assert_eq!(turns_until_recognised(&[1], 100), Some(8));
        assert_eq!(turns_until_recognised(&[1, 2], 100), Some(8));
        assert!(turns_until_recognised(&[1, 2, 3, 4, 5], 100).is_some());
    }

    #[test]
    fn a_walk_over_many_objects_is_no_circle() {
        let walk: alloc::vec::Vec<u32> = (0..1000).collect();
        assert_eq!(turns_until_recognised(&walk, 1), None);
    }

    #[test]
    fn a_late_circle_is_recognised_too() {
        let mut spin = Spin::default();
        for object in 0..37 {
            spin.note(&Op::new(OpKind::Load, ObjectId(object)), SiteId(1));
        }
        for _ in 0..200 {
            spin.note(&Op::new(OpKind::Load, ObjectId(99)), SiteId(2));
        }
        assert!(spin.is_spinning());
    }
}
