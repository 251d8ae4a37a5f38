//! Several processes share the executions of a randomised strategy.
//!
//! What an execution does depends on its number alone, and on what was learned up to the last epoch,
//! so that results can be put together in the order of the numbers: any number of processes finds
//! the same, and so does a process of its own for each execution.

use std::ops::Range;
use std::thread;

use unpick_engine::parts::{last_lesson, learned_before};
use unpick_engine::{Control, Exploration, Profile, StopReason, epoch};
use unpick_protocol::{Answer, Launch, Order, Reexecution, Work};
use unpick_strategies::Spec;

use super::exploration::Options;
use super::process::{Command, DriveError, Look, Process, Progress, Watch};

/// Executions that a process is given at a time, at most: long enough that orders cost nothing, short
/// enough that little is run in vain when a failure is found.
const CHUNK: u64 = 2_048;

/// Runs a whole exploration, or the range of it that `order` tells, with several processes. `order` is
/// that for one process.
pub(super) fn explore(
    command: &Command,
    options: &Options,
    launch: Launch,
    order: &Order,
    watch: &mut Watch<'_>,
) -> Result<Answer, DriveError> {
    let range = match &order.work {
        Work::Explore { range, .. } => range.clone(),
        _ => None,
    };
    let range = range.unwrap_or(0..order.limits.executions_max);
    let mut workers = Workers {
        command,
        options,
        launch,
        processes: Vec::new(),
    };
    let before = match learns(&options.strategy) {
        true => learned_before(&range),
        false => 0,
    };
    let mut learning = order.clone();
    learning.limits.keep_going = true;
    let lesson = last_lesson(before);
    let mut known = Known::default();
    for part in [0..lesson, lesson..before] {
        if part.is_empty() {
            continue;
        }
        let is_lesson = part.end == lesson;
        let mut answer = workers.explore(&learning, part, &known, watch)?;
        let found = std::mem::take(&mut answer.exploration);
        if found.stopped_because != StopReason::Executions {
            answer.exploration.stopped_because = found.stopped_because;
            answer.exploration.complete = found.complete;
            return Ok(answer);
        }
        known.shown.merge(&found.profile);
        if is_lesson {
            known.learned = Some(found.profile);
        }
    }
    workers.explore(order, range, &known, watch)
}

/// What is known of the executions before a range.
#[derive(Default)]
struct Known {
    /// What strategies have learned when the range begins.
    learned: Option<Profile>,
    /// All that was shown: they learn of it when the epoch is over that the range begins in.
    shown: Profile,
}

/// Whether a strategy wants to know the size of the program.
fn learns(strategy: &str) -> bool {
    Spec::parse(strategy).is_ok_and(|spec| spec.build(0).learns())
}

/// Processes that share executions.
struct Workers<'a> {
    command: &'a Command,
    options: &'a Options,
    launch: Launch,
    processes: Vec<Process>,
}

impl Workers<'_> {
    /// Starts them if there are none.
    fn ready(&mut self) -> Result<(), DriveError> {
        if !self.processes.is_empty() {
            return Ok(());
        }
        let hang_after = self.options.hang_after;
        let start = |number| {
            let mut process = Process::start(self.command, self.launch, hang_after, None)?;
            process.pin(number);
            Ok(process)
        };
        self.processes = (0..self.options.jobs.max(1))
            .map(start)
            .collect::<Result<_, _>>()?;
        Ok(())
    }

    /// Runs the executions of a range, with what was learned before it.
    fn explore(
        &mut self,
        order: &Order,
        range: Range<u64>,
        known: &Known,
        watch: &mut Watch<'_>,
    ) -> Result<Answer, DriveError> {
        let is_anew = self.launch.reexecution == Reexecution::Exec;
        let chunk = if is_anew { 1 } else { CHUNK };
        let mut whole = None;
        let mut profile = known.learned.clone();
        let mut next = range.start;
        self.ready()?;
        while next < range.end {
            let epoch = epoch(next, range.end);
            let mut start = epoch.start;
            while start < epoch.end {
                self.ready()?;
                let parts = split(start..epoch.end, self.processes.len(), chunk);
                start = parts.last().map_or(epoch.end, |part| part.end);
                let before = progress_of(whole.as_ref());
                let profile = profile.as_ref();
                let done = run(&mut self.processes, order, &parts, profile, before, watch);
                let mut done = done.into_iter();
                while let Some(answer) = done.next() {
                    let answer = match answer {
                        // Nothing is run any more, but what was run counts.
                        Err(error) => {
                            return Err(with_all(error, whole, done, order.limits.keep_going));
                        }
                        Ok(answer) => answer,
                    };
                    let control = join(&mut whole, answer, order.limits.keep_going);
                    if let Control::Stop(reason) = control {
                        let mut whole = whole.expect("internal error: nothing was joined");
                        whole.exploration.stopped_because = reason;
                        return Ok(whole);
                    }
                }
                if is_anew {
                    self.processes.clear();
                    // A process that is soon done never looks.
                    let seen = progress_of(whole.as_ref());
                    if let Some(whole) = whole.take_if(|_| !watch(seen)) {
                        return Ok(interrupted(whole));
                    }
                }
            }
            if let Some(whole) = &whole {
                let so_far = profile.get_or_insert_default();
                so_far.merge(&known.shown);
                so_far.merge(&whole.exploration.profile);
            }
            next = epoch.end;
        }
        match whole {
            Some(whole) => Ok(whole),
            None => self.processes[0].answer_to_nothing(),
        }
    }
}

fn progress_of(whole: Option<&Answer>) -> Progress {
    let found = whole.map(|whole| &whole.exploration);
    found.map_or(Progress::default(), |found| Progress {
        executions: found.executions,
        failures: found.failures,
        tasks_max: found.tasks_max,
        covered: found.covered(),
        found: None,
        taken: Vec::new(),
    })
}

fn interrupted(mut whole: Answer) -> Answer {
    whole.exploration.stopped_because = StopReason::Interrupted;
    whole
}

/// Parts of equal size, one a process.
fn split(range: Range<u64>, count: usize, chunk: u64) -> Vec<Range<u64>> {
    let total = range.end - range.start;
    let size = total.div_ceil(count as u64).clamp(1, chunk);
    let mut parts = Vec::new();
    let mut start = range.start;
    while start < range.end && parts.len() < count {
        let end = (start + size).min(range.end);
        parts.push(start..end);
        start = end;
    }
    parts
}

/// Runs the parts at once; gives the answers in their order.
fn run(
    processes: &mut [Process],
    order: &Order,
    parts: &[Range<u64>],
    profile: Option<&Profile>,
    before: Progress,
    watch: &mut Watch<'_>,
) -> Vec<Result<Answer, DriveError>> {
    let mut orders = Vec::new();
    for part in parts {
        let mut order = order.clone();
        if let Work::Explore {
            range, profile: of, ..
        } = &mut order.work
        {
            *range = Some(part.clone());
            *of = profile.cloned();
        }
        orders.push(order);
    }
    let count = parts.len() as u64;
    thread::scope(|scope| {
        let mut running = Vec::new();
        let mut lists = processes.iter_mut().zip(&orders);
        let (first, first_order) = lists.next().expect("internal error: no process");
        let mut looks = vec![first.look()];
        for (process, order) in lists {
            looks.push(process.look());
            running.push(scope.spawn(move || process.perform(order, &mut |_| true)));
        }
        // The first process stands for all of them.
        let mut watch_all = |seen: Progress| {
            let mut others: Vec<Progress> = looks[1..].iter().map(Look::progress).collect();
            let taken = others.iter_mut().flat_map(|other| other.taken.drain(..));
            let taken = seen.taken.into_iter().chain(taken).collect();
            let others = others.into_iter().find_map(|other| other.found);
            let goes_on = watch(Progress {
                found: seen.found.or(others),
                taken,
                executions: before
                    .executions
                    .saturating_add(seen.executions.saturating_mul(count)),
                failures: before.failures.saturating_add(seen.failures),
                tasks_max: before.tasks_max.max(seen.tasks_max),
                covered: before.covered.or(seen.covered),
            });
            if !goes_on {
                looks.iter().for_each(Look::stop);
            }
            goes_on
        };
        let mut answers = vec![first.perform(first_order, &mut watch_all)];
        for handle in running {
            answers.push(handle.join().expect("internal error: a worker panicked"));
        }
        answers
    })
}

/// The first error of several processes, with what was found before it. What others have found in executions that come
/// later counts only if it is all that there is: what is found does not depend on how many processes there are.
fn with_all(
    mut error: DriveError,
    mut whole: Option<Answer>,
    others: impl Iterator<Item = Result<Answer, DriveError>>,
    keep_going: bool,
) -> DriveError {
    let own = error.take_answer();
    let others = others.filter_map(|other| match other {
        Ok(answer) => Some(Box::new(answer)),
        Err(mut error) => error.take_answer(),
    });
    for (number, answer) in own.into_iter().chain(others).enumerate() {
        let is_found = |whole: &Answer| whole.exploration.failures > 0;
        if number == 0 || !whole.as_ref().is_some_and(is_found) {
            join(&mut whole, *answer, keep_going);
        }
    }
    error.with_answer(whole)
}

/// Adds what a part has found, and says whether to go on.
fn join(whole: &mut Option<Answer>, part: Answer, keep_going: bool) -> Control {
    let reason = part.exploration.stopped_because;
    match whole {
        None => *whole = Some(part),
        Some(whole) => {
            let had_failure = whole.exploration.first_failure.is_some();
            let more: Exploration = part.exploration;
            whole.exploration.append(more);
            if !had_failure && whole.exploration.first_failure.is_some() {
                whole.addresses = part.addresses;
            }
            add_seen(whole, &part.shared, &part.entered);
        }
    }
    let found = &whole
        .as_ref()
        .expect("internal error: set above")
        .exploration;
    if found.failures > 0 && !keep_going {
        return Control::Stop(StopReason::Failure);
    }
    match reason {
        StopReason::Executions => Control::Continue,
        other => Control::Stop(other),
    }
}

/// Adds what another process has seen of the program's code.
pub(super) fn add_seen(whole: &mut Answer, shared: &[u64], entered: &[bool]) {
    whole.shared.extend(shared);
    whole.shared.sort_unstable();
    whole.shared.dedup();
    for (one, other) in whole.entered.iter_mut().zip(entered) {
        *one |= other;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_the_range_without_gaps() {
        for (range, count) in [(0..1, 4), (5..17, 3), (0..100_000, 2), (7..7, 2)] {
            let mut at = range.start;
            while at < range.end {
                let parts = split(at..range.end, count, CHUNK);
                assert!(!parts.is_empty() && parts.len() <= count);
                for part in parts {
                    assert_eq!(part.start, at);
                    assert!(part.end > part.start && part.end - part.start <= CHUNK);
                    at = part.end;
                }
            }
            assert_eq!(at, range.end);
        }
    }
}
