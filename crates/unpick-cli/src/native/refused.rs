//! Programs that cannot be explored to the end, and why.

use super::present::Presented;
use crate::Status;
use anyhow::{Result, bail};
use serde_json::json;
use std::time::Duration;
use unpick::Exploration;
use unpick::report::count;
use unpick_native::drive::{Command, DriveError, Naming};
use unpick_native::protocol::{Module, Trouble, TroubleKind};

/// The program cannot be explored to the end. Some of these are findings, others are mistakes.
pub(super) fn refused(
    name: &str,
    command: &Command,
    error: DriveError,
    elapsed: Duration,
) -> Result<Presented> {
    let text = match &error {
        DriveError::Trouble { trouble, answer } => {
            format!(
                "UNCONTROLLED  {name}  {}",
                words(command, trouble, &answer.modules)
            )
        }
        DriveError::Hangs {
            place,
            modules,
            executions,
            is_watched,
            ..
        } => format!(
            "UNCONTROLLED  {name}  {error}\n  where   {}, after {}\n  remedy  {}",
            stack(command, place.as_ref(), modules),
            count(*executions, "execution"),
            remedy(*is_watched),
        ),
        DriveError::Died { executions, .. } => format!(
            "UNCONTROLLED  {name}  {error}\n  where   after {}\n  remedy  try \
             --reexec fork; see docs/limits.md",
            count(*executions, "execution"),
        ),
        DriveError::Garbled => format!(
            "UNCONTROLLED  {name}  {error}\n  remedy  look for writes out of bounds with an address sanitizer"
        ),
        _ => bail!(error),
    };
    let executions = match &error {
        DriveError::Hangs { executions, .. } | DriveError::Died { executions, .. } => *executions,
        DriveError::Trouble { answer, .. } => answer.exploration.executions,
        _ => 0,
    };
    let json = json!({
        "name": name,
        "outcome": "uncontrolled",
        "executions": executions,
        "error": error.to_string(),
        "elapsed_ms": elapsed.as_millis() as u64,
    });
    Ok(Presented {
        status: Status::Diverged,
        executions,
        inconclusive: 0,
        claim: Exploration::default().claim(),
        elapsed,
        details: text,
        annotation: None,
        summary: format!("{name}: not explored to the end"),
        json,
    })
}

/// What to do about a task that never comes back.
fn remedy(is_watched: bool) -> &'static str {
    match is_watched {
        true => {
            "if it waits for a variable that is neither atomic nor volatile, the compiler has read it once, \
             before the loop: make it atomic, or build with -O0; if it only takes long, raise --watchdog"
        }
        false => {
            "instrument that code (unpick cc, cargo unpick); if it blocks, --backend threads can leave it and \
             go on with others; if it only takes long, raise --watchdog"
        }
    }
}

/// Where a task is that never comes back.
fn stack(command: &Command, place: Option<&(u64, Vec<u64>)>, modules: &[Module]) -> String {
    let Some((task, frames)) = place else {
        return "unknown, because the process does not answer".into();
    };
    let mut naming = Naming::new(&command.program, modules, &[]);
    let mut places: Vec<String> = frames
        .iter()
        .map(|&frame| naming.place(frame.saturating_sub(1)))
        .collect();
    places.dedup();
    format!("task {task} at {}", places.join(", called from "))
}

fn words(command: &Command, trouble: &Trouble, modules: &[Module]) -> String {
    let mut naming = Naming::new(&command.program, modules, &[]);
    let place = match trouble.pc {
        0 => String::new(),
        pc => format!(" at {}", naming.place(pc.saturating_sub(1))),
    };
    match trouble.kind {
        TroubleKind::Unmodelled => format!(
            "the program calls {}{place}, which is not modelled; see docs/limits.md",
            trouble.what
        ),
        TroubleKind::TooManyTasks => format!(
            "the program has more than {} tasks at once, which is the limit",
            trouble.what
        ),
        TroubleKind::BadOrder | TroubleKind::Unsupported => trouble.what.clone(),
    }
}
