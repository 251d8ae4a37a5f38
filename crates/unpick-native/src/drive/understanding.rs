//! Shrinks and explains a failing execution: one process follows one plan after the other.

use std::sync::Arc;
use std::time::{Duration, Instant};

use unpick_analysis::{Ended, Meaning, Understanding};
use unpick_engine::{FirstFailure, Limits};
use unpick_protocol::{Answer, Launch, Lead, NamedCode, Reexecution, Work};
use unpick_trace::{FailureKind, Outcome, Plan, Site, SiteId, Trace};

use super::exploration::{Explored, Options, TASKS_FIRST, TASKS_MAX, order};
use super::named;
use super::naming::Naming;
use super::output::explain_by_output;
use super::process::{Command, DriveError, Process, cannot_start};
use crate::memory_file::MemoryFile;

/// How long shrinking may take, and how long explaining or looking near a schedule.
pub(super) const TIME_MAX: Duration = Duration::from_secs(5);

/// How long a task may take from one scheduling point to the next in an execution that shrinks or explains.
const HANG_AFTER_MAX: Duration = Duration::from_secs(2);

/// A failure that was shrunk and explained.
pub struct Understood {
    /// The smallest one found that is the same; the given one if that is the smallest.
    pub failure: FirstFailure,
    /// The addresses of its objects.
    pub addresses: Vec<u64>,
    /// What running the program again has shown.
    pub known: Understanding,
    /// The addresses of the objects of the schedule that passes, if there is one.
    pub addresses_of_passing: Vec<u64>,
}

/// Shrinks and explains the failure of an exploration, of which `output` is what the program printed.
/// `goes_on` is asked before every execution. `None` if that is not wanted, or the failure does not come
/// back.
pub fn understand(
    command: &Command,
    options: &Options,
    explored: &Explored,
    output: &str,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<Option<Understood>, DriveError> {
    let Some(failure) = &explored.exploration.first_failure else {
        return Ok(None);
    };
    if options.shrink == 0 {
        return Ok(None);
    }
    let mut follower = Follower::start(command, options, explored, failure.trace.tasks.len())?;
    let failing = Ended {
        outcome: essence(&failure.outcome, output),
        trace: failure.trace.clone(),
    };
    let soon = || {
        let latest = Instant::now() + TIME_MAX;
        explored
            .deadline
            .map_or(latest, |deadline| deadline.min(latest))
    };
    let mut deadline = soon();
    let mut run = |plan: &Plan, deadline| {
        let has_time = Instant::now() < deadline && goes_on();
        // Whatever keeps the program from being run again ends the work, and not the report.
        has_time.then(|| follower.run(plan).ok()).flatten()
    };
    let shrinking = &mut |plan: &Plan| run(plan, deadline);
    let shrunk = unpick_analysis::shrink(failing, options.shrink, shrinking);
    let meanings = meanings(command, explored, &shrunk.least.trace);
    let meaning = |site: SiteId| {
        let known = meanings.get(site.0 as usize);
        known.copied().unwrap_or(Meaning::Own)
    };
    deadline = soon();
    let explaining = &mut |plan: &Plan| run(plan, deadline);
    let explanation = unpick_analysis::explain(&shrunk.least, options.shrink, &meaning, explaining);
    let known = Understanding::new(&failure.trace, &shrunk, explanation);
    let addresses_of_passing = match &known.explanation.passing {
        Some(passing) => follower.follow(&Plan::of(passing))?.addresses,
        None => Vec::new(),
    };
    let answer = follower.follow(&Plan::of(&shrunk.least.trace))?;
    let again = answer.exploration.first_failure;
    let again = again.filter(|again| again.trace.hash() == shrunk.least.trace.hash());
    Ok(again.map(|again| Understood {
        failure: FirstFailure {
            outcome: again.outcome,
            trace: again.trace,
            ..(**failure).clone()
        },
        addresses: answer.addresses,
        known,
        addresses_of_passing,
    }))
}

/// The first execution of an exploration, run again, with the addresses of its objects.
///
/// # Errors
/// If the program cannot be run.
pub fn first_execution(
    command: &Command,
    options: &Options,
    explored: &Explored,
) -> Result<(FirstFailure, Vec<u64>), DriveError> {
    let task_count = explored.exploration.tasks_max as usize;
    let mut follower = Follower::start(command, options, explored, task_count)?;
    let answer = follower.perform(Work::Explore {
        strategy: options.strategy.clone(),
        seed: options.seed,
        range: None,
        profile: None,
    })?;
    let (outcome, trace) = answer.followed.ok_or(DriveError::Garbled)?;
    let first = FirstFailure {
        rank: 1,
        execution: 1,
        trace,
        outcome,
        is_directed: false,
        member: None,
    };
    Ok((first, answer.addresses))
}

/// By place, how much it means to the user.
fn meanings(command: &Command, explored: &Explored, trace: &Trace) -> Vec<Meaning> {
    let mut naming = Naming::new(&command.program, &explored.modules, &[]);
    let meaning = |site: &Site| match site.line {
        0 => naming.meaning(site),
        _ => Meaning::Own,
    };
    trace.sites.iter().map(meaning).collect()
}

/// A process that follows plans.
pub(super) struct Follower<'a> {
    process: Process,
    options: &'a Options,
    shared: &'a [u64],
    named: Vec<NamedCode>,
    output: Arc<MemoryFile>,
}

impl Follower<'_> {
    /// Launches the program as it was explored. It may get twice as many tasks as there were.
    pub fn start<'a>(
        command: &Command,
        options: &'a Options,
        explored: &'a Explored,
        task_count: usize,
    ) -> Result<Follower<'a>, DriveError> {
        let tasks = 2 * task_count as u32;
        let launch = Launch {
            backend: explored.backend,
            // These executions are many, in one process.
            reexecution: match explored.reexecution {
                Reexecution::Exec => Reexecution::Fork,
                other => other,
            },
            tasks_max: tasks.clamp(TASKS_FIRST, TASKS_MAX),
            processors: options.processors,
            shows_output: false,
        };
        let named = named::find(command, options, launch)?;
        let output = MemoryFile::new().map_err(|cause| cannot_start(command, cause))?;
        let output = Arc::new(output);
        // An execution in which a task computes for longer explains nothing in the time that there is.
        let hang_after = options.hang_after.min(HANG_AFTER_MAX);
        let process = Process::start(command, launch, hang_after, Some(&output))?;
        Ok(Follower {
            process,
            options,
            shared: &explored.shared,
            named,
            output,
        })
    }

    /// Follows a plan.
    pub fn follow(&mut self, plan: &Plan) -> Result<Answer, DriveError> {
        self.perform(Work::Follow(plan.clone()))
    }

    /// Runs one execution.
    fn perform(&mut self, work: Work) -> Result<Answer, DriveError> {
        let limits = Limits {
            executions_max: 1,
            keep_going: false,
            fingerprint: false,
            classes: false,
            coverage: false,
            races: false,
        };
        let order = order(self.options, work, limits, self.shared, &self.named);
        self.process.perform(&order, &mut |_| true)
    }

    /// Follows a plan, and tells how that ends.
    pub fn run(&mut self, plan: &Plan) -> Result<Ended, DriveError> {
        let (_, ended) = self.end(Work::Follow(plan.clone()))?;
        Ok(ended)
    }

    /// Runs one execution that is watched, and tells how it ends.
    pub fn watch(&mut self, lead: Lead) -> Result<(Answer, Ended), DriveError> {
        self.end(Work::Watch(lead))
    }

    /// Runs one execution, and tells how it ends.
    fn end(&mut self, work: Work) -> Result<(Answer, Ended), DriveError> {
        // What an earlier execution has printed says nothing of this one.
        let is_empty = self.output.clear().is_ok();
        let mut answer = self.perform(work)?;
        let (outcome, trace) = answer.followed.take().ok_or(DriveError::Garbled)?;
        let output = match is_empty && outcome.is_failure() {
            true => self.output.text(),
            false => String::new(),
        };
        let outcome = essence(&outcome, &output);
        Ok((answer, Ended { outcome, trace }))
    }
}

/// What makes a failure the same as another one: a panic by its words, everything else without the
/// addresses in its words, which depend on the order of allocation.
fn essence(outcome: &Outcome, output: &str) -> Outcome {
    let mut outcome = outcome.clone();
    explain_by_output(&mut outcome, output);
    if let Outcome::Fail(failure) = &mut outcome
        && failure.kind != FailureKind::Panic
    {
        failure.message = without_addresses(&failure.message);
    }
    outcome
}

/// A text with every number in hexadecimal replaced by `0x`.
fn without_addresses(text: &str) -> String {
    let mut parts = text.split("0x");
    let mut plain = parts.next().unwrap_or_default().to_string();
    for part in parts {
        plain.push_str("0x");
        plain.push_str(part.trim_start_matches(|c: char| c.is_ascii_hexdigit()));
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_make_no_difference() {
        let text = "data race on 0x7ffff0a0 (8 bytes), 0x10";
        assert_eq!(without_addresses(text), "data race on 0x (8 bytes), 0x");
    }
}
