//! From a free execution to one under control that does the same, whether it fails or not.
//!
//! The trace of a free execution cannot be replayed: it does not tell what tasks read, and some of the order. So
//! the program is led along it under control, once. What that does is a trace like any other, with all that is needed
//! to run it again; how far it is that of the free execution is told.

use unpick_engine::FirstFailure;

use super::exploration::{Explored, Options, choose, first_launch};
use super::named;
use super::process::{Command, DriveError};
use super::reading::Reading;
use super::understanding::Follower;
use crate::free::Execution;

/// An execution under control that was led along a free one.
pub struct Followed {
    /// The execution, passing or not.
    pub execution: FirstFailure,
    /// How it was run, and, if it fails, that as what was found.
    pub explored: Explored,
    /// Operations of the free execution, as far as the engine has them.
    pub operations: u64,
    /// So many of these were performed in the same order, from the beginning.
    pub followed: u64,
    /// All operations of the execution under control.
    pub performed: u64,
}

/// Leads a program along a free execution of it. `shared` are the places of plain accesses in its trace.
///
/// # Errors
/// If the program cannot be run under control.
pub fn follow(
    command: &Command,
    options: &Options,
    execution: &Execution,
    shared: &[u64],
) -> Result<Followed, DriveError> {
    let named = named::find(command, options, first_launch(options))?;
    let (launch, reason) = choose(command, options, &named)?;
    let base = Explored::nothing(launch, reason, shared);
    let reading = Reading::of(execution);
    let task_count = execution.threads.len();
    let mut follower = Follower::start(command, options, &base, task_count)?;
    let mut answer = follower.follow(&reading.plan())?;
    let (outcome, trace) = answer.followed.take().ok_or(DriveError::Garbled)?;
    Ok(Followed {
        operations: reading.operations.len() as u64,
        followed: reading.followed_by(&trace) as u64,
        performed: trace.operations().count() as u64,
        explored: base.with(answer),
        execution: FirstFailure {
            rank: 1,
            execution: 1,
            trace,
            outcome,
            is_directed: false,
            member: None,
        },
    })
}
