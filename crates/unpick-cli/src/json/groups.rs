//! Failures put together where they are the same, in the object of an exploration and of a part of a shard.

use super::{first_failure, number};
use anyhow::{Context, Result};
use serde_json::{Value, json};
use unpick::trace::Outcome;
use unpick::{Exploration, FailureGroup, FailureGroups};

/// A group, with what is told of its first failure: the id of its trace, and what is known of it.
pub(crate) fn group_to_json(group: &FailureGroup, trace: Value, failure: Value) -> Value {
    json!({
        "count": group.count,
        "first_failure_at": group.first.rank,
        "execution": group.first.execution,
        "trace": trace,
        "failure": failure,
    })
}

/// All that is needed to put the groups of parts together.
pub(super) fn to_json(found: &Exploration) -> Value {
    let groups = found.groups.list().iter().map(|group| {
        json!({
            "count": group.count,
            "first_failure_at": group.first.rank,
            "execution": group.first.execution,
            "outcome": group.first.outcome,
        })
    });
    groups.collect()
}

pub(super) fn from_json(list: &Value) -> Result<FailureGroups> {
    let mut groups = FailureGroups::default();
    for object in list.as_array().context("`groups` is missing")? {
        let outcome: Outcome = serde_json::from_value(object["outcome"].clone())?;
        let mut first = first_failure(number(object, "first_failure_at")?, outcome.clone());
        first.execution = number(object, "execution")?;
        groups.add(number(object, "count")?, &outcome, || first);
    }
    Ok(groups)
}
