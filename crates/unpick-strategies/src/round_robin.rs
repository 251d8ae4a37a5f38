//! `round-robin`: the tasks in turn.
//!
//! Every task performs `quantum` operations (`round-robin:quantum=N`, 1 by default), then the next
//! one in order of creation goes on; with `quantum=0` a task goes on until it blocks, ends or
//! yields, which is the deterministic scheduler that delay bounding counts from. One execution.

use unpick_engine::{Begin, Stop, Strategy, View};
use unpick_trace::{Choice, TaskId};

/// The tasks in turn.
pub struct RoundRobin {
    quantum: u64,
    used: u64,
}

impl RoundRobin {
    /// Turns of `quantum` operations; zero for turns without end.
    pub fn new(quantum: u64) -> RoundRobin {
        RoundRobin { quantum, used: 0 }
    }
}

impl Strategy for RoundRobin {
    fn begin(&mut self, index: u64) -> Begin {
        self.used = 0;
        match index {
            0 => Begin::Ready,
            _ => Begin::Stopped,
        }
    }

    fn choose(&mut self, view: &View<'_>) -> Result<TaskId, Stop> {
        let (eligible, last) = (view.eligible(), view.last());
        let turn_is_over = self.quantum != 0 && self.used >= self.quantum;
        let start = TaskId(last.0 + u32::from(turn_is_over));
        let task = eligible
            .iter_from(start)
            .next()
            .expect("internal error: no task is eligible");
        self.used = if task == last && !turn_is_over {
            self.used + 1
        } else {
            1
        };
        Ok(task)
    }

    fn answer(&mut self, _view: &View<'_>, _question: Choice) -> Result<u32, Stop> {
        Ok(0)
    }
}
