//! From a failure of a free execution to a schedule that fails under control.
//!
//! The trace of the free execution says who came to what in which order. Read as operations of the engine
//! it is a plan, which is followed, and then others near it. What the trace does not tell (whether a wait
//! ended by itself, what happened between two entries of the same moment) may be what mattered: then
//! nothing fails, and that is said. Nothing is reported here that did not fail under control.

use std::time::{Duration, Instant};

use unpick_analysis::{Ended, near_segments};
use unpick_engine::FirstFailure;
use unpick_protocol::Module;
use unpick_trace::{FailureKind, Outcome, Plan};

use super::exploration::{Explored, Launched, Options, choose, first_launch, survey};
use super::named;
use super::process::{Command, DriveError, Process};
use super::reading::Reading;
use super::understanding::{Follower, TIME_MAX};
use crate::free::{End, Execution};

/// Which failures are the same as the one of a free execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sought {
    /// A deadlock.
    Deadlock,
    /// An execution that does not come to its end.
    Livelock,
    /// A failed assertion, an abort, a panic that aborts.
    Abort,
    /// Another signal.
    Signal,
    /// A bad exit code, by a panic or otherwise.
    ExitCode,
}

impl Sought {
    /// What to look for after an end; `None` if the controlled engine would not see it as a failure.
    pub fn of(end: &End) -> Option<Sought> {
        match end {
            End::TimedOut {
                is_asleep: true, ..
            } => Some(Sought::Deadlock),
            End::TimedOut { .. } => Some(Sought::Livelock),
            End::Signalled(libc::SIGABRT) => Some(Sought::Abort),
            End::Signalled(_) => Some(Sought::Signal),
            End::Exited(0) => None,
            End::Exited(_) => Some(Sought::ExitCode),
        }
    }

    /// Whether an execution under control failed in that way.
    pub fn is(self, outcome: &Outcome) -> bool {
        let kind = match outcome {
            Outcome::Fail(failure) => Some(failure.kind),
            _ => None,
        };
        match self {
            Sought::Deadlock => matches!(outcome, Outcome::Deadlock(_)),
            Sought::Livelock => {
                matches!(outcome, Outcome::StepLimit { .. } | Outcome::Deadlock(_))
                    || kind.is_some_and(|kind| {
                        matches!(kind, FailureKind::Livelock | FailureKind::StepLimit)
                    })
            }
            Sought::Abort => matches!(kind, Some(FailureKind::Abort | FailureKind::Panic)),
            Sought::Signal => {
                matches!(kind, Some(FailureKind::Signal | FailureKind::StackOverflow))
            }
            Sought::ExitCode => matches!(kind, Some(FailureKind::ExitCode | FailureKind::Panic)),
        }
    }
}

/// What came of following a free execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pinned {
    /// Executions under control that it took.
    pub executions: u64,
    /// Operations of the free execution, as far as the engine has them.
    pub operations: u64,
}

/// The places in the code at which plain accesses are operations under control, and what is mapped into
/// the program. Free executions that trace these can be followed.
pub fn shared_places(
    command: &Command,
    options: &Options,
) -> Result<(Vec<u64>, Vec<Module>), DriveError> {
    let named = named::find(command, options, first_launch(options))?;
    let (launch, _) = choose(command, options, &named)?;
    let mut launched = Launched {
        command,
        options,
        launch,
        named: &named,
    };
    let shared = survey(&mut launched, &mut |_| true)?;
    Ok((shared, modules_of(command, options)?))
}

/// What is mapped into a program.
pub fn modules_of(command: &Command, options: &Options) -> Result<Vec<Module>, DriveError> {
    const PATIENCE: Duration = Duration::from_secs(10);
    let process = Process::start(command, first_launch(options), PATIENCE, None)?;
    Ok(process.answer_to_nothing()?.modules)
}

/// Looks for a schedule that fails as a free execution did, near what that did. `shared` are the places
/// of plain accesses in its trace; `goes_on` is asked before every execution.
pub fn pin(
    command: &Command,
    options: &Options,
    (execution, sought): (&Execution, Sought),
    shared: &[u64],
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<(Pinned, Option<Explored>), DriveError> {
    let named = named::find(command, options, first_launch(options))?;
    let (launch, reason) = choose(command, options, &named)?;
    let mut explored = Explored::nothing(launch, reason, shared);
    let reading = Reading::of(execution);
    let task_count = execution.threads.len();
    let mut follower = Follower::start(command, options, &explored, task_count)?;
    let deadline = Instant::now() + 2 * TIME_MAX;
    let near = near_segments(&reading.frame, &reading.segments(), &mut |plan| {
        let has_time = Instant::now() < deadline && goes_on();
        let ended = has_time.then(|| follower.run(plan).ok()).flatten()?;
        let is_it = sought.is(&ended.outcome);
        // A failure of another kind is another story.
        Some(match is_it {
            true => ended,
            false => Ended {
                outcome: Outcome::Pass,
                ..ended
            },
        })
    });
    let pinned = Pinned {
        executions: near.executions,
        operations: reading.operations.len() as u64,
    };
    let Some(failing) = near.failing else {
        return Ok((pinned, None));
    };
    let answer = follower.follow(&Plan::of(&failing.trace))?;
    drop(follower);
    let first = answer.exploration.first_failure.clone();
    let Some(first) = first.filter(|first| sought.is(&first.outcome)) else {
        return Ok((pinned, None));
    };
    explored.addresses = answer.addresses;
    explored.modules = answer.modules;
    explored.exploration = answer.exploration;
    explored.exploration.executions = near.executions;
    explored.exploration.first_failure = Some(Box::new(FirstFailure {
        execution: near.executions,
        ..*first
    }));
    Ok((pinned, Some(explored)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sought_is_what_was_seen() {
        let asleep = End::TimedOut {
            is_asleep: true,
            stacks: Vec::new(),
        };
        assert_eq!(Sought::of(&asleep), Some(Sought::Deadlock));
        assert_eq!(Sought::of(&End::Signalled(6)), Some(Sought::Abort));
        assert_eq!(Sought::of(&End::Exited(0)), None);
        assert!(Sought::Livelock.is(&Outcome::StepLimit { limit: 9 }));
        assert!(!Sought::Deadlock.is(&Outcome::StepLimit { limit: 9 }));
    }
}
