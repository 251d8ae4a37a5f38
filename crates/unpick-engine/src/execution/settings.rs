//! What a program may run into besides the order of its tasks.

use crate::{memory::Memory, misuse::Misuse};
use serde::{Deserialize, Serialize};

/// What a program may run into besides the order of its tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// The step limit: operations that the strategy leads. Behind it an execution goes on under a fair
    /// schedule.
    pub steps_max: u64,
    /// An execution ends after this many times the step limit. With 1 it ends at the limit.
    pub patience: u32,
    /// Whether an execution that is not at its end then has failed. Otherwise it is inconclusive.
    pub fail_on_limit: bool,
    /// Waits that may end without a notification, in one execution.
    pub spurious_wakes_max: u32,
    /// Weak compare-and-exchanges that may fail without reason, in one execution.
    pub weak_failures_max: u32,
    /// How long a task that could run may be held up, in nanoseconds of virtual time. A timer can fire
    /// ahead of other tasks if its deadline is at most this far away; `None` lets every timer do so, as in
    /// traces that do not name it.
    #[serde(default)]
    pub max_delay_ns: Option<u64>,
    /// When others see a store.
    #[serde(default)]
    pub memory: Memory,
    /// Whether readers of a reader-writer lock wait while a writer waits.
    #[serde(default)]
    pub writers_first: bool,
    /// Whether the end of the first task is the end of the execution, as that of `main` is the end of a
    /// process. Otherwise it ends with the last task.
    #[serde(default)]
    pub ends_with_main: bool,
    /// What becomes of a mutex that a task unlocks without holding it.
    #[serde(default)]
    pub misuse: Misuse,
}

impl Settings {
    /// The usual [`Settings::max_delay_ns`]: longer than a busy machine holds up a thread that can run as a
    /// rule, and shorter than the steps of 100 ms by which the sleeps of published tests follow each other.
    pub const MAX_DELAY_NS: u64 = 90_000_000;

    /// Operations after which an execution ends, whatever it does.
    pub fn operations_max(&self) -> u64 {
        self.steps_max
            .saturating_mul(u64::from(self.patience.max(1)))
    }
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            steps_max: 20_000,
            patience: 10,
            fail_on_limit: false,
            spurious_wakes_max: 1,
            weak_failures_max: 1,
            max_delay_ns: Some(Settings::MAX_DELAY_NS),
            memory: Memory::Sc,
            writers_first: false,
            ends_with_main: false,
            misuse: Misuse::Fail,
        }
    }
}
