//! `ipb`: iterative preemption bounding.
//!
//! M. Musuvathi and S. Qadeer, *Iterative context bounding for systematic testing of multithreaded
//! programs*, PLDI 2007; as in P. Thomson's thesis (2016), section 3.2.2.
//!
//! ```text
//! PC(S·<t>) = PC(S) + 1  if last(S) != t and last(S) is enabled,  PC(S) otherwise
//! ```
//!
//! All schedules without a preemption first, then those with one, and so on. When a bound is done
//! and nothing was found, any bug that is left needs more preemptions. After a bound that shows a
//! failure the search ends (`ipb:beyond=1` goes on); `ipb:bound=N` ends it after bound N.
//!
//! *Departures from the paper.* No schedule is run twice: see the search itself.

use crate::bounding::{Bounding, Price};
use alloc::boxed::Box;
use unpick_engine::{Begin, Execution, Stop, Strategy, View};
use unpick_trace::{Choice, TaskId};

/// Iterative preemption bounding.
#[derive(Clone)]
pub struct Ipb {
    search: Bounding,
}

impl Ipb {
    /// A search up to `bound_max`, that ends at the first bound with a failure unless it
    /// `goes_beyond_failure`.
    pub fn new(bound_max: u32, goes_beyond_failure: bool) -> Ipb {
        Ipb {
            search: Bounding::new(bound_max, goes_beyond_failure),
        }
    }
}

impl Strategy for Ipb {
    fn begin(&mut self, _index: u64) -> Begin {
        self.search.begin()
    }

    fn choose(&mut self, view: &View<'_>) -> Result<TaskId, Stop> {
        let price = match view.eligible().contains(view.last()) {
            true => Price::One,
            false => Price::Free,
        };
        self.search.choose(view, price)
    }

    fn answer(&mut self, view: &View<'_>, question: Choice) -> Result<u32, Stop> {
        self.search.answer(view, question)
    }

    fn end(&mut self, execution: &Execution) -> Result<bool, Stop> {
        self.search.end(execution)
    }

    fn portion(&mut self) -> Option<u64> {
        Some(self.search.portion())
    }

    fn bound(&self) -> Option<u32> {
        Some(self.search.bound())
    }

    fn raise_bound(&mut self, failures: u64) -> bool {
        self.search.raise_bound(failures)
    }

    fn split(&mut self) -> Option<Box<dyn Strategy>> {
        let search = self.search.split()?;
        Some(Box::new(Ipb { search }))
    }

    fn duplicate(&self) -> Option<Box<dyn Strategy>> {
        Some(Box::new(self.clone()))
    }
}
