//! What is known of a failure when it has been shrunk and explained.

use crate::shrink::Shrunk;
use crate::{Cause, Explanation, Pattern};
use unpick_trace::Trace;

/// What running the program again has shown of a failing execution.
#[derive(Clone, Debug)]
pub struct Understanding {
    /// How large it was as it was found.
    pub found: Size,
    /// Executions that shrinking took.
    pub shrinking: u64,
    /// Whether no schedule with fewer preemptions fails in the same way.
    pub is_fewest: bool,
    /// Why it fails.
    pub explanation: Explanation,
}

impl Understanding {
    /// Puts together what shrinking an execution and explaining the result has shown.
    pub fn new(found: &Trace, shrunk: &Shrunk, explanation: Explanation) -> Understanding {
        Understanding {
            found: Size::of(found),
            shrinking: shrunk.executions,
            is_fewest: shrunk.is_fewest,
            explanation,
        }
    }
}

impl Explanation {
    /// The depth of the bug: the number of orderings between operations that have to be so for it to show,
    /// as far as they were found. `None` if it is not explained.
    ///
    /// After S. Burckhardt, P. Kothari, M. Musuvathi, S. Nagarakatte, *A randomized scheduler with
    /// probabilistic guarantees of finding bugs*, ASPLOS 2010.
    pub fn depth(&self) -> Option<usize> {
        match self.pattern? {
            Pattern::EveryOrder => return Some(0),
            // It shows in whatever order the two accesses come.
            Pattern::DataRace if self.causes.is_empty() => return Some(0),
            _ => {}
        }
        Some(self.orderings().len()).filter(|&count| count > 0)
    }

    /// The causes and the two orderings that an intrusion consists of, but for those that follow from others.
    pub fn orderings(&self) -> Vec<Cause> {
        let mut orderings = self.causes.clone();
        if let Some(intrusion) = self.intrusion {
            let halves = [
                (intrusion.before, intrusion.between),
                (intrusion.between, intrusion.after),
            ];
            orderings.extend(halves.map(|(first, second)| Cause { first, second }));
            orderings.sort_unstable();
            orderings.dedup();
        }
        crate::explain::essential(&self.events, &orderings)
    }
}

/// How large an execution is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Operations of its tasks.
    pub steps: usize,
    /// How often a task was left that could have gone on.
    pub preemptions: usize,
}

impl Size {
    /// The size of an execution.
    pub fn of(trace: &Trace) -> Size {
        Size {
            steps: trace.operation_count(),
            preemptions: trace.preemption_count(),
        }
    }
}
