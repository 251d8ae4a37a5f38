//! Warnings in JSON: for readers, and in full for `unpick merge`.

use super::text;
use anyhow::{Context, Result};
use serde_json::{Value, json};
use unpick::trace::{Blocked, Deadlock, ObjectId, Op, OpKind, Outcome, Site, TaskId};
use unpick::{Confirmation, Exploration, LockCycle, LockLink, Warning, WarningKind};

/// The warnings of an exploration, for readers.
pub(super) fn to_json(found: &Exploration) -> Vec<Value> {
    let warnings = found.warnings.iter();
    warnings.map(warning_to_json).collect()
}

fn warning_to_json(warning: &Warning) -> Value {
    let mut object = json!({ "kind": warning.kind.word(), "text": warning.text });
    if let Some(site) = &warning.site {
        object["site"] = json!(site.to_string());
    }
    if let Some(cycle) = &warning.cycle {
        object["confirmation"] = json!(match cycle.confirmation {
            Confirmation::NotTried => "not-tried",
            Confirmation::Confirmed { .. } => "confirmed",
            Confirmation::NotConfirmed { .. } => "not-confirmed",
        });
        let place = |site: &Option<Site>| site.as_ref().map(ToString::to_string);
        let links = cycle.links.iter().map(|link| {
            json!({
                "task": link.task.0,
                "held": link.held,
                "held_at": place(&link.held_at),
                "wanted": link.wanted,
                "wanted_at": place(&link.wanted_at),
            })
        });
        object["cycle"] = links.collect();
    }
    object
}

/// What the whole needs to warn about what its parts have found: the warnings, and where the tasks
/// stand that wait for each other in the first failure, if it is a deadlock.
pub(super) fn findings_to_json(found: &Exploration) -> Value {
    let outcome = found.first_failure.as_ref().map(|failure| &failure.outcome);
    let ring: Vec<&Site> = match outcome {
        Some(Outcome::Deadlock(deadlock)) => {
            let blocked = deadlock.blocked.iter();
            let in_ring = blocked.filter(|one| deadlock.cycle.contains(&one.task));
            in_ring.filter_map(|one| one.site.as_ref()).collect()
        }
        _ => Vec::new(),
    };
    let warnings = found.warnings.iter().map(|warning| {
        let links = warning.cycle.as_ref().map(|cycle| {
            let links = cycle.links.iter();
            links.map(link_to_json).collect::<Vec<_>>()
        });
        json!({
            "kind": warning.kind.word(),
            "text": warning.text,
            "site": warning.site,
            "links": links,
        })
    });
    json!({ "ring": ring, "warnings": warnings.collect::<Vec<_>>() })
}

fn link_to_json(link: &LockLink) -> Value {
    json!({
        "task": link.task,
        "task_name": link.task_name,
        "held": link.held,
        "held_at": link.held_at,
        "wanted": link.wanted,
        "wanted_at": link.wanted_at,
    })
}

/// Reads what [`findings_to_json`] has written. The outcome is a stand-in with nothing but the ring.
pub(super) fn findings_from_json(object: &Value) -> Result<(Vec<Warning>, Outcome)> {
    let warnings = object["warnings"].as_array();
    let warnings = warnings.context("`findings` is missing")?.iter();
    let warnings = warnings.map(warning_from_json).collect::<Result<_>>()?;
    let ring: Vec<Site> = serde_json::from_value(object["ring"].clone())?;
    if ring.is_empty() {
        return Ok((warnings, Outcome::Cut));
    }
    let blocked = (0..).zip(ring).map(|(number, site)| Blocked {
        task: TaskId(number),
        op: Op::new(OpKind::Lock, ObjectId::NONE),
        site: Some(site),
        waits_for: Vec::new(),
    });
    let blocked: Vec<Blocked> = blocked.collect();
    let cycle = blocked.iter().map(|one| one.task).collect();
    Ok((warnings, Outcome::Deadlock(Deadlock { blocked, cycle })))
}

fn warning_from_json(object: &Value) -> Result<Warning> {
    let word = text(object, "kind")?;
    let mut kinds = WarningKind::ALL.iter();
    let kind = kinds.find(|kind| kind.word() == word);
    let kind = kind.with_context(|| format!("`{word}` is no kind of warning"))?;
    let mut warning = Warning::new(*kind, text(object, "text")?.to_string());
    warning.site = serde_json::from_value(object["site"].clone())?;
    if let Some(links) = object["links"].as_array() {
        warning.cycle = Some(Box::new(LockCycle {
            links: links.iter().map(link_from_json).collect::<Result<_>>()?,
            confirmation: Confirmation::NotTried,
        }));
    }
    Ok(warning)
}

fn link_from_json(object: &Value) -> Result<LockLink> {
    Ok(LockLink {
        task: serde_json::from_value(object["task"].clone())?,
        task_name: text(object, "task_name")?.to_string(),
        held: text(object, "held")?.to_string(),
        held_at: serde_json::from_value(object["held_at"].clone())?,
        wanted: text(object, "wanted")?.to_string(),
        wanted_at: serde_json::from_value(object["wanted_at"].clone())?,
    })
}
