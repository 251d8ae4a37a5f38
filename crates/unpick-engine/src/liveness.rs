//! Liveness: something good that has to come, sooner or later.
//!
//! A front end says that a monitor is *hot* while the program owes something, and cold when it has come. A
//! program that ends hot never paid. One that goes on is a livelock once it has stayed hot for a number of
//! *rounds*. In a round every task that could go on has done so or come to wait, so that no round ends while
//! a task is merely left out: however unfair the strategy is, what it reports is the program's.

use crate::Execution;
use alloc::{format, string::String, vec::Vec};
use unpick_trace::{Failure, FailureKind, Outcome, TaskId, TaskSet};

/// A monitor that is hot.
struct Heat {
    monitor: String,
    /// What is owed.
    state: String,
    /// Rounds since it became so.
    rounds: u64,
    rounds_max: u64,
}

/// The hot monitors of an execution.
#[derive(Default)]
pub(crate) struct Liveness {
    hot: Vec<Heat>,
    /// The tasks without which the round is not over.
    awaited: TaskSet,
}

impl Liveness {
    pub fn reset(&mut self) {
        self.hot.clear();
    }

    #[inline]
    pub fn is_hot(&self) -> bool {
        !self.hot.is_empty()
    }
}

impl Execution {
    /// Tells that a monitor is hot, in this state and for so many rounds at most, or that it is cold. It
    /// cools down by a change of state.
    pub fn heat(&mut self, monitor: &str, hot: Option<(&str, u64)>) {
        let all = &mut self.liveness.hot;
        let known = all.iter().position(|heat| heat.monitor == monitor);
        let is_same = |index: usize| hot.is_some_and(|(state, _)| all[index].state == state);
        if known.is_some_and(is_same) {
            return;
        }
        if let Some(index) = known {
            all.remove(index);
        }
        if let Some((state, rounds_max)) = hot {
            self.liveness.hot.push(Heat {
                monitor: String::from(monitor),
                state: String::from(state),
                rounds: 0,
                rounds_max,
            });
            self.liveness.awaited.copy_from(self.enabled.bits());
            self.is_plain = false;
        }
    }

    /// Notes that `task` goes on while a monitor is hot.
    pub(crate) fn note_heat(&mut self, task: TaskId) {
        self.liveness.awaited.remove(task);
        self.liveness.awaited.retain_in(self.enabled.bits());
        if !self.liveness.awaited.bits().is_empty() {
            return;
        }
        self.liveness.awaited.copy_from(self.enabled.bits());
        let mut hot = self.liveness.hot.iter_mut();
        let overdue = hot.find_map(|heat| {
            heat.rounds += 1;
            (heat.rounds > heat.rounds_max).then(|| {
                format!(
                    "livelock: monitor `{}` stays hot in state `{}`, for more than {} rounds in which \
                     every task that could go on did",
                    heat.monitor, heat.state, heat.rounds_max
                )
            })
        });
        if let Some(message) = overdue {
            self.fail_at(FailureKind::Livelock, task, message);
        }
    }

    /// What an execution that has come to its end while a monitor is hot failed with.
    pub(crate) fn owed_outcome(&self) -> Option<Outcome> {
        let heat = self.liveness.hot.first()?;
        let message = format!(
            "livelock: monitor `{}` is hot in state `{}` at the end",
            heat.monitor, heat.state
        );
        Some(Outcome::Fail(Failure {
            kind: FailureKind::Livelock,
            task: TaskId::MAIN,
            message,
            site: None,
        }))
    }
}
