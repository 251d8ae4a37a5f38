//! `idb`: iterative delay bounding.
//!
//! M. Emmi, S. Qadeer, Z. Rakamarić, *Delay-bounded scheduling*, POPL 2011; as in P. Thomson's thesis
//! (2016), section 3.2.3.
//!
//! ```text
//! delays(S, t) = enabled tasks passed over on the way from last(S) round to t, in creation order
//! DC(S·<t>)    = DC(S) + delays(S, t)
//! ```
//!
//! The cost of a schedule is its distance from the non-preemptive round-robin schedule, the only one
//! with no delay. After a bound that shows a failure the search ends (`idb:beyond=1` goes on);
//! `idb:bound=N` ends it after bound N.
//!
//! *Departures from the paper.* No schedule is run twice: see the search itself.

use crate::bounding::{Bounding, Price};
use alloc::boxed::Box;
use unpick_engine::{Begin, Execution, Stop, Strategy, View};
use unpick_trace::{Choice, TaskId};

/// Iterative delay bounding.
#[derive(Clone)]
pub struct Idb {
    search: Bounding,
}

impl Idb {
    /// A search up to `bound_max`, that ends at the first bound with a failure unless it
    /// `goes_beyond_failure`.
    pub fn new(bound_max: u32, goes_beyond_failure: bool) -> Idb {
        Idb {
            search: Bounding::new(bound_max, goes_beyond_failure),
        }
    }
}

impl Strategy for Idb {
    fn begin(&mut self, _index: u64) -> Begin {
        self.search.begin()
    }

    fn choose(&mut self, view: &View<'_>) -> Result<TaskId, Stop> {
        self.search.choose(view, Price::Each)
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
        Some(Box::new(Idb { search }))
    }

    fn duplicate(&self) -> Option<Box<dyn Strategy>> {
        Some(Box::new(self.clone()))
    }
}
