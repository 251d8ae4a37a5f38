//! Another strategy, whose execution is written down as events when it is over.

use alloc::boxed::Box;
use unpick_engine::transcript::Transcript;
use unpick_engine::{Begin, Execution, Stop, Strategy, View};
use unpick_trace::{Choice, TaskId};

/// Leads as another strategy does, and keeps what the last execution was.
pub struct Watched {
    strategy: Box<dyn Strategy>,
    /// The last execution that has ended.
    pub transcript: Option<Transcript>,
}

impl Watched {
    /// Leads as `strategy` does.
    pub fn new(strategy: Box<dyn Strategy>) -> Watched {
        Watched {
            strategy,
            transcript: None,
        }
    }
}

impl Strategy for Watched {
    fn begin(&mut self, index: u64) -> Begin {
        self.strategy.begin(index)
    }

    fn choose(&mut self, view: &View<'_>) -> Result<TaskId, Stop> {
        self.strategy.choose(view)
    }

    fn answer(&mut self, view: &View<'_>, question: Choice) -> Result<u32, Stop> {
        self.strategy.answer(view, question)
    }

    fn leads_on(&mut self, view: &View<'_>) -> bool {
        self.strategy.leads_on(view)
    }

    fn end(&mut self, execution: &Execution) -> Result<bool, Stop> {
        let is_schedule = self.strategy.end(execution)?;
        self.transcript = Some(Transcript::new(execution));
        Ok(is_schedule)
    }

    fn watches(&self) -> bool {
        true
    }
}
