//! `actor-random`: random scheduling of actors, of whose operations only some are worth a choice.
//!
//! P. Thomson's thesis (2016), section 6.6.2: only the order of sends matters to actors. As long as an enabled
//! actor is at something else, the first such one in the order of creation goes on; only when all are at a send or
//! at a yield is one of them drawn. A step is a send and everything that follows up to the next ones.
//!
//! *Departures from the thesis.* What goes on at once is told by name: creating, joining, receiving, waiting for
//! quiescence, and dropping a sender. Every other operation counts as a send, so that locks, atomics, monitors and
//! faults keep their orders. In the thesis there are none.

use crate::{RandomSource, random::uniform};
use unpick_engine::{Begin, Execution, Profile, Stop, Strategy, View};
use unpick_trace::{Choice, Op, OpKind, TaskId};

/// Random scheduling of actors.
pub struct ActorRandom {
    seed: u64,
    source: RandomSource,
}

impl ActorRandom {
    /// The executions of one seed.
    pub fn new(seed: u64) -> ActorRandom {
        ActorRandom {
            seed,
            source: RandomSource::for_execution(seed, 0),
        }
    }
}

impl Strategy for ActorRandom {
    fn begin(&mut self, index: u64) -> Begin {
        self.source = RandomSource::for_execution(self.seed, index);
        Begin::Ready
    }

    fn choose(&mut self, view: &View<'_>) -> Result<TaskId, Stop> {
        let free = free(view);
        Ok(free.unwrap_or_else(|| uniform(view, &mut self.source)))
    }

    fn answer(&mut self, _view: &View<'_>, question: Choice) -> Result<u32, Stop> {
        Ok(self.source.below(question.answer_count().into()) as u32)
    }
}

/// The first task that goes on at once, if there is one.
pub(crate) fn free(view: &View<'_>) -> Option<TaskId> {
    let mut enabled = view.enabled().iter();
    enabled.find(|task| is_free(view.next_op(*task)))
}

/// Whether an operation of an actor commutes with all of the others that can be next.
fn is_free(op: &Op) -> bool {
    use OpKind::{Join, Quiesce, Receive, SenderDrop, Spawn};
    !op.timed && matches!(op.kind, Spawn | Join | Receive | Quiesce | SenderDrop)
}

/// Notes how many steps an execution had.
pub(crate) fn measure_steps(execution: &Execution, profile: &mut Profile) {
    let steps = execution.trace().steps.iter();
    let steps = steps.filter(|step| step.is_operation() && !is_free(&step.op));
    profile.chosen_steps_max = profile.chosen_steps_max.max(steps.count() as u64);
}
