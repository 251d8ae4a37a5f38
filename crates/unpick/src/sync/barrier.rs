//! A barrier: tasks wait for each other.

use crate::rt::{self, Modelled, ObjectCell};
use std::fmt;
use unpick_engine::{Grant, Shape};
use unpick_trace::{Op, OpKind};

/// Lets a number of tasks wait for each other, as [`std::sync::Barrier`].
pub struct Barrier {
    object: ObjectCell,
    size: usize,
    inner: std::sync::Barrier,
}

impl Modelled for Barrier {
    fn cell(&self) -> &ObjectCell {
        &self.object
    }

    fn shape(&self) -> Shape {
        Shape::Barrier {
            size: u32::try_from(self.size).unwrap_or(u32::MAX),
        }
    }
}

impl Barrier {
    /// Creates a barrier for `n` tasks; zero counts as one.
    #[must_use]
    pub const fn new(n: usize) -> Barrier {
        Barrier {
            object: ObjectCell::new(),
            size: n,
            inner: std::sync::Barrier::new(n),
        }
    }

    /// Waits until as many tasks wait as the barrier was made for. One of them is told that it leads.
    #[track_caller]
    pub fn wait(&self) -> BarrierWaitResult {
        let arrival = rt::operate_with(OpKind::BarrierWait, false, Op::ARRIVAL, self);
        BarrierWaitResult(match arrival {
            None => self.inner.wait().is_leader(),
            Some(Grant::Leader) => true,
            Some(_) => {
                rt::operate(OpKind::BarrierWait, self);
                false
            }
        })
    }
}

impl fmt::Debug for Barrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Barrier").finish_non_exhaustive()
    }
}

/// Whether a task leads the tasks that waited at a [`Barrier`].
pub struct BarrierWaitResult(bool);

impl BarrierWaitResult {
    /// Whether it is this task.
    #[must_use]
    pub fn is_leader(&self) -> bool {
        self.0
    }
}

impl fmt::Debug for BarrierWaitResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BarrierWaitResult")
            .field("is_leader", &self.is_leader())
            .finish()
    }
}
