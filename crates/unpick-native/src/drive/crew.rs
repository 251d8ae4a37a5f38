//! Several processes share a search: forks of one process, with the search in memory that all of them see.
//!
//! Each gets the same order and works on parts of the search until it is over; the first one puts together
//! what all have found. If one of them is lost, so is what it was working on, and the others are ended.

use std::sync::{Mutex, PoisonError};
use std::thread;

use unpick_protocol::{Answer, DESKS_MAX, Launch, Order, Reexecution};

use super::exploration::Options;
use super::parallel::add_seen;
use super::process::{Command, DriveError, Look, Process, Progress, Watch};

/// Runs a whole search with so many processes as are wanted.
pub(super) fn explore(
    command: &Command,
    options: &Options,
    launch: Launch,
    order: &Order,
    watch: &mut Watch<'_>,
) -> Result<Answer, DriveError> {
    // Processes that follow each other cannot be forks of one.
    let count = match launch.reexecution {
        Reexecution::Exec => 1,
        _ => options.jobs.clamp(1, DESKS_MAX),
    };
    let mut crew = Process::start_crew(command, launch, options.hang_after, count)?;
    let looks: Vec<Look> = crew.iter().map(Process::look).collect();
    // The others end because of the first that is lost.
    let lost: Mutex<Option<DriveError>> = Mutex::new(None);
    let work = |process: &mut Process, watch: &mut Watch<'_>| match process.perform(order, watch) {
        Ok(answer) => Some(answer),
        Err(error) => {
            let mut lost = lost.lock().unwrap_or_else(PoisonError::into_inner);
            lost.get_or_insert(error);
            process.kill();
            None
        }
    };
    let (first, others) = crew
        .split_first_mut()
        .expect("internal error: a crew without processes");
    let answers: Vec<Option<Answer>> = thread::scope(|scope| {
        let start = |process| scope.spawn(|| work(process, &mut |_| true));
        let running: Vec<_> = others.iter_mut().map(start).collect();
        let mut watch_all = |_| {
            let goes_on = watch(furthest(&looks));
            if !goes_on {
                looks.iter().for_each(Look::stop);
            }
            goes_on
        };
        let mut answers = vec![work(first, &mut watch_all)];
        for handle in running {
            answers.push(handle.join().expect("internal error: a worker panicked"));
        }
        answers
    });
    if let Some(error) = lost.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(match error {
            DriveError::Trouble { .. } => error,
            // What it has found, or else another one.
            error => error.with_answer(looks.iter().find_map(Look::found)),
        });
    }
    let mut answers = answers.into_iter().flatten();
    let mut whole = answers.next().expect("internal error: nobody has answered");
    for part in answers {
        add_seen(&mut whole, &part.shared, &part.entered);
    }
    Ok(whole)
}

/// How far all are: each tells what all have done when it looked last.
fn furthest(looks: &[Look]) -> Progress {
    let mut seen: Vec<Progress> = looks.iter().map(Look::progress).collect();
    let found = seen.iter_mut().find_map(|seen| seen.found.take());
    let taken = seen.iter_mut().flat_map(|seen| seen.taken.drain(..));
    let taken = taken.collect();
    let furthest = seen.into_iter().max_by_key(|seen| seen.executions);
    Progress {
        found,
        taken,
        ..furthest.unwrap_or_default()
    }
}
