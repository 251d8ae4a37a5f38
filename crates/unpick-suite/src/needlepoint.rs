//! The bugs on which NeedlePoint compared its policies, as models of about as many scheduling points.
//!
//! S. Nagarakatte, S. Burckhardt, M. Martin, M. Musuvathi, *Multicore acceleration of priority-based schedulers for
//! concurrency bug detection*, PLDI 2012. What it says of each bug is in [`crate::published::NEEDLEPOINT`]: kind,
//! depth, tasks, points, and which policy found it within 1,000 executions.
//!
//! *Kept*: the kind and depth of each bug, the number of tasks, and about the number of points before and around it,
//! which is what its detection depends on. *Left out*: everything else of the programs; the other
//! points are uses of locks that nobody else wants.

pub(crate) mod memcached;
pub(crate) mod nspr;
pub(crate) mod pbzip2;
pub(crate) mod transmission;
pub(crate) mod work_steal_queue;

use crate::{Arguments, Parameter, Program, Source};
use unpick::sync::Mutex;

/// A program of this family.
const fn program(
    name: &'static str,
    summary: &'static str,
    fault: &'static str,
    parameters: &'static [Parameter],
    body: fn(&Arguments),
) -> Program {
    Program {
        name,
        summary,
        source: Source::Needlepoint,
        parameters,
        fault: Some(fault),
        published: None,
        body,
    }
}

/// What a task does besides: it takes and gives back a lock that nobody else uses.
#[derive(Default)]
struct Business(Mutex<u32>);

impl Business {
    /// Goes through `points` scheduling points, an even number.
    fn pass(&self, points: usize) {
        for _ in 0..points / 2 {
            let mut count = self.0.lock().unwrap();
            *count += 1;
            drop(count);
        }
    }
}
