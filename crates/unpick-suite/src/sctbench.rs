//! The SCTBench programs, one file for each or for a family.
//!
//! 29 of them are small enough to be modelled exactly: every visible operation stands where the study
//! had one, so that the counts of table 3.3 come out digit for digit. Guards are therefore dropped by hand,
//! and nothing there may be reordered. The others are real applications or long tests: each is a model of the
//! faulty part, whose first lines say what was kept and what was left out.

pub(crate) mod account;
pub(crate) mod aget;
pub(crate) mod arithmetic_prog;
pub(crate) mod bluetooth_driver;
pub(crate) mod carter01;
pub(crate) mod circular_buffer;
pub(crate) mod ctrace;
pub(crate) mod deadlock01;
pub(crate) mod din_phil;
pub(crate) mod ferret;
pub(crate) mod fsbench;
pub(crate) mod lazy01;
pub(crate) mod pbzip2;
pub(crate) mod phase01;
pub(crate) mod qsort_mt;
pub(crate) mod queue;
pub(crate) mod radbench;
pub(crate) mod reorder;
pub(crate) mod safestack;
pub(crate) mod splash2;
pub(crate) mod stack;
pub(crate) mod streamcluster;
pub(crate) mod stringbuffer;
pub(crate) mod sync01;
pub(crate) mod sync02;
pub(crate) mod token_ring;
pub(crate) mod twostage;
pub(crate) mod work_steal_queue;
pub(crate) mod wronglock;

use crate::{Arguments, Parameter, Program, Published, Source};

/// A program of this suite: all are faulty and have a fixed twin.
const fn with_twin(
    published: &'static Published,
    summary: &'static str,
    fault: &'static str,
    parameters: &'static [Parameter],
    body: fn(&Arguments),
) -> Program {
    Program {
        name: published.name,
        summary,
        source: Source::Sctbench,
        parameters,
        fault: Some(fault),
        published: Some(published),
        body,
    }
}
