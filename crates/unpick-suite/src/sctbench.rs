//! The SCTBench programs that are small enough to be re-modelled exactly, one file for each.
//!
//! Every visible operation stands where the study had one, so that the counts of table 3.3 come
//! out digit for digit. Guards are therefore dropped by hand, and nothing here may be reordered.

pub(crate) mod account;
pub(crate) mod arithmetic_prog;
pub(crate) mod bluetooth_driver;
pub(crate) mod carter01;
pub(crate) mod circular_buffer;
pub(crate) mod deadlock01;
pub(crate) mod din_phil;
pub(crate) mod lazy01;
pub(crate) mod phase01;
pub(crate) mod queue;
pub(crate) mod reorder;
pub(crate) mod stack;
pub(crate) mod stringbuffer;
pub(crate) mod sync01;
pub(crate) mod sync02;
pub(crate) mod token_ring;
pub(crate) mod twostage;
pub(crate) mod wronglock;

use crate::{Arguments, Program, Published, Source};

/// A program of this suite: all are faulty and none has parameters.
const fn program(
    published: &'static Published,
    summary: &'static str,
    fault: &'static str,
    body: fn(&Arguments),
) -> Program {
    Program {
        name: published.name,
        summary,
        source: Source::Sctbench,
        parameters: &[],
        fault: Some(fault),
        published: Some(published),
        body,
    }
}
