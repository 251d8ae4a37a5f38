//! What happened in an execution, as plain data.
//!
//! Tasks, objects, operations, steps, traces and outcomes, and the versioned codec that puts them on
//! disk. This crate decides nothing and runs nothing; every other crate of unpick speaks its words.
//! It needs no operating system, so that the same types serve inside a foreign process.

#![no_std]

extern crate alloc;

mod codec;
mod id;
mod operation;
mod outcome;
mod outline;
mod plan;
mod same_failure;
mod step;
mod task_set;
mod trace;

pub use codec::{CodecError, FORMAT_VERSION, Header, Record, decode, encode};
pub use id::{ObjectId, SiteId, TaskId};
pub use operation::{Access, ObjectKind, Op, OpKind};
pub use outcome::{Blocked, Deadlock, Divergence, Failure, FailureKind, Outcome};
pub use plan::{Place, Plan, PlannedAnswer, Segment, Turn};
pub use same_failure::same_failure;
pub use step::{Choice, Step};
pub use task_set::{TaskBits, TaskSet};
pub use trace::{ObjectInfo, Site, TaskInfo, Trace};
