//! One free execution, kept as a trace to predict from.

use super::Subject;
use super::batch::Chosen;
use super::pin::{Control, options_with};
use crate::Status;
use crate::native::{save_free, tell_free};
use anyhow::Result;
use serde_json::{Value, json};
use std::time::Instant;
use unpick_native::drive::{self, Followed};

/// What came of it.
pub(super) struct Kept {
    pub(super) status: Status,
    pub(super) text: String,
    pub(super) json: Value,
}

/// Leads the program along a free execution under control and keeps what it does then. `noise` are the words for how
/// it was disturbed. If data races are failures, the kept execution ends with its first one.
pub(super) fn keep(
    (chosen, noise): (&Chosen, Option<&str>),
    subject: &Subject,
    control: &Control,
    races: bool,
) -> Result<Kept> {
    let start = Instant::now();
    let Subject { name, command, .. } = subject;
    let mut said = vec!["--points=shared", "--memory=sc"];
    said.extend((!races).then_some("--no-races"));
    let (options, drive) = options_with(name, &said)?;
    let free = match noise {
        Some(plan) => format!("free execution {} with {plan}", chosen.number),
        None => format!("free execution {} without noise", chosen.number),
    };
    let mut json = json!({
        "execution": chosen.number,
        "noise": noise,
        "operations": Value::Null,
        "followed": Value::Null,
        "outcome": Value::Null,
        "trace": Value::Null,
        "found": Value::Null,
        "why": Value::Null,
    });
    let followed = match drive::follow(command, &drive, &chosen.execution, &control.shared) {
        Ok(followed) => followed,
        Err(error) => {
            json["why"] = json!(error.to_string());
            return Ok(Kept {
                status: Status::Diverged,
                text: format!(
                    "NOT TRACED  {name}  {free} cannot be followed under control: {error}"
                ),
                json,
            });
        }
    };
    let how_far = how_far(&followed, chosen.execution.events_lost);
    let id = save_free((name, command), (&drive, &options), &followed)?;
    let mut text = format!("TRACED  {name}  {free}, {how_far}\n");
    text.push_str(&format!(
        "  saved the execution; what it foretells: unpick predict {id}"
    ));
    json["operations"] = json!(followed.operations);
    json["followed"] = json!(followed.followed);
    json["outcome"] = json!(followed.execution.outcome.word());
    json["trace"] = json!(id);
    let mut status = Status::Clean;
    if followed.execution.outcome.is_failure() {
        let explored = followed.explored;
        let told = tell_free(name, command, &drive, &options, explored, start.elapsed())?;
        text.push_str(&format!("\n{}", told.details));
        json["found"] = told.json;
        status = told.status;
    }
    Ok(Kept { status, text, json })
}

/// How far the free execution was followed, in words.
fn how_far(followed: &Followed, lost: u64) -> String {
    let Followed {
        operations,
        followed: count,
        performed,
        execution,
        ..
    } = followed;
    if lost > 0 {
        return format!(
            "followed under control for {count} operations; its trace lacks {lost} entries: raise --events"
        );
    }
    if count == operations && performed > operations {
        let more = performed - operations;
        return format!(
            "followed under control for all {operations} operations that its trace has, and {more} more"
        );
    }
    if count == operations {
        return format!("followed under control to its end, {operations} operations");
    }
    let then = match execution.outcome.is_failure() {
        true => "there it fails",
        false => "behind these the kept execution goes its own way",
    };
    format!("followed under control for {count} of {operations} operations; {then}")
}
