//! `lazy-odpor`: optimal dynamic partial order reduction that leaves the order of critical sections
//! open where nothing depends on it.
//!
//! The thesis (P. Thomson, 2016, section 4.4) finds that most orders of critical sections lead to
//! the same state and gives a lazy reduction that is unsound; it leaves a sound one open. This one is
//! [`Odpor`] over larger units: a critical section that nobody can tell from an uninterrupted one
//! (R. J. Lipton, *Reduction*, CACM 1975) is one unit, which touches what its events touch and needs
//! its mutex to be free. Two such sections on one mutex are independent unless their contents
//! conflict. Which sections these are is assumed optimistically and checked on every execution (S.
//! Stoller and E. Cohen, *Optimistic synchronization-based state-space reduction*, FMSD 2006); when
//! the assumption fails for one, it loses its privilege and the search begins anew, with what was run.
//!
//! Why this is sound is argued in `odpor/README.md` beside this file.

use crate::Odpor;
use unpick_engine::{Begin, Execution, Proviso, Provisos, Stop, Strategy, View};
use unpick_trace::{Choice, Outcome, TaskId};

/// Optimal reduction with movable critical sections.
pub struct LazyOdpor {
    search: Odpor,
    /// Whether an execution failed: what its tasks would have done next was never seen, so that sections
    /// may have kept a privilege that they would have lost.
    has_failed: bool,
}

impl Default for LazyOdpor {
    fn default() -> LazyOdpor {
        LazyOdpor::new()
    }
}

impl LazyOdpor {
    /// A search at its beginning.
    pub fn new() -> LazyOdpor {
        LazyOdpor {
            search: Odpor::with_sections(true),
            has_failed: false,
        }
    }
}

impl Strategy for LazyOdpor {
    fn begin(&mut self, index: u64) -> Begin {
        self.search.begin(index)
    }

    fn choose(&mut self, view: &View<'_>) -> Result<TaskId, Stop> {
        self.search.choose(view)
    }

    fn answer(&mut self, view: &View<'_>, question: Choice) -> Result<u32, Stop> {
        self.search.answer(view, question)
    }

    fn end(&mut self, execution: &Execution) -> Result<bool, Stop> {
        self.has_failed |= execution.outcome().is_some_and(Outcome::is_failure);
        self.search.end(execution)
    }

    fn provisos(&self) -> Provisos {
        if self.has_failed {
            Proviso::BehindFailure.into()
        } else {
            Provisos::NONE
        }
    }

    fn watches(&self) -> bool {
        true
    }

    fn records(&self) -> bool {
        self.search.keeps()
    }
}
