//! The JSON object of an exploration (see docs/json.md), written and read.

mod coverage;
mod groups;
mod warnings;

use anyhow::{Context, Result, anyhow};
pub(crate) use groups::group_to_json;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use unpick::analysis::{At, Size, Understanding};
use unpick::report::{explained, headline, why};
use unpick::trace::{Divergence, Outcome, Trace};
use unpick::{
    Classes, Exploration, FirstFailure, PartFound, Planning, Proviso, Provisos, Shard, ShardFound,
    StopReason,
};

const REASONS: &[(StopReason, &str)] = &[
    (StopReason::Exhausted, "exhausted"),
    (StopReason::Strategy, "strategy"),
    (StopReason::Failure, "failure"),
    (StopReason::Executions, "executions"),
    (StopReason::Time, "time"),
    (StopReason::Memory, "memory"),
    (StopReason::Interrupted, "interrupted"),
    (StopReason::Diverged, "diverged"),
];

/// What the object of an exploration tells besides what was found.
pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) strategy: String,
    pub(crate) seed: u64,
    pub(crate) elapsed_ms: u64,
    pub(crate) trace: Option<String>,
    /// What is known of the first failure, as [`failure_to_json`] tells it; null if there is none.
    pub(crate) failure: Value,
    /// The failures by what they are, as [`group_to_json`] tells them; null if there are none.
    pub(crate) groups: Value,
    pub(crate) shard: Option<Shard>,
    /// The options that all shards must have in common.
    pub(crate) options: String,
    /// The word for the outcome, if it is not that of what was found.
    pub(crate) outcome: Option<String>,
}

impl Line {
    pub(crate) fn to_json(&self, found: &Exploration) -> Value {
        let outcome = match (&self.outcome, &found.first_failure, &found.diverged) {
            (Some(word), ..) => word,
            (None, Some(failure), _) => failure.outcome.word(),
            (None, None, Some(_)) => "diverged",
            (None, None, None) => "pass",
        };
        let reason = REASONS.iter().find(|(of, _)| *of == found.stopped_because);
        let covered = found.covered();
        let mut object = json!({
            "name": self.name,
            "strategy": self.strategy,
            "outcome": outcome,
            "executions": found.executions,
            "schedules": found.schedules,
            "complete": found.complete,
            "provided": provisos_to_json(found.claim().provided),
            "stopped_because": reason.map(|(_, word)| word),
            "steps_max": found.steps_max,
            "tasks_max": found.tasks_max,
            "enabled_max": found.enabled_max,
            "failures": found.failures,
            "inconclusive": found.inconclusive,
            "first_failure_at": found.first_failure.as_ref().map(|failure| failure.rank),
            "seed": self.seed,
            "elapsed_ms": self.elapsed_ms,
            "executions_per_second": found.executions.saturating_mul(1_000) / self.elapsed_ms.max(1),
            "hash": format!("{:016x}", found.hash),
            "trace": self.trace,
            "failure": self.failure,
            "failures_by_cause": self.groups,
            "hbrs": found.hbrs(),
            "lazy_hbrs": found.lazy_hbrs(),
            "states": found.states(),
            "read_states": found.read_states(),
            "planning": found.planning.as_ref().map(planning_to_json),
            "histories": covered.map(|covered| covered.histories),
            "histories_once": covered.map(|covered| covered.histories_once),
            "unseen_estimate": coverage::unseen(found, &self.strategy),
            "tree_estimate": coverage::tree(found),
            "warnings": warnings::to_json(found),
            "shard": self.shard.map(|shard| self.shard_to_json(shard, found)),
        });
        if let Some(last) = found.bounds.last() {
            let by_bound = found.bounds.iter().map(|bound| {
                json!({
                    "bound": bound.bound,
                    "schedules": bound.schedules,
                    "failures": bound.failures,
                })
            });
            object["bound"] = json!(last.bound);
            object["new_schedules"] = json!(last.schedules);
            object["buggy_schedules"] = json!(found.failures);
            object["bounds"] = by_bound.collect();
        }
        object
    }

    fn shard_to_json(&self, shard: Shard, found: &Exploration) -> Value {
        let parts = found.shard.as_deref();
        json!({
            "index": shard.index(),
            "count": shard.count(),
            "options": self.options,
            "part_count": parts.map(|parts| parts.part_count),
            "parts": parts.map(|parts| parts.parts.iter().map(part_to_json).collect::<Vec<_>>()),
        })
    }

    /// Reads the object of a shard.
    pub(crate) fn from_json(object: &Value) -> Result<(Line, Exploration)> {
        let shard = &object["shard"];
        let share = Shard::new(small(shard, "index")?, small(shard, "count")?);
        let line = Line {
            name: text(object, "name")?.to_string(),
            strategy: text(object, "strategy")?.to_string(),
            seed: number(object, "seed")?,
            elapsed_ms: number(object, "elapsed_ms")?,
            trace: object["trace"].as_str().map(str::to_string),
            failure: object["failure"].clone(),
            groups: object["failures_by_cause"].clone(),
            shard: Some(share.ok_or_else(|| anyhow!("`shard` has an `index` beyond its `count`"))?),
            options: text(shard, "options")?.to_string(),
            outcome: Some(text(object, "outcome")?.to_string()),
        };
        let parts = shard["parts"].as_array().context("`parts` is missing")?;
        let has_bounds = !object["bound"].is_null();
        let word = text(object, "stopped_because")?;
        let reason = REASONS.iter().find(|(_, of)| *of == word);
        let mut found = Exploration {
            executions: number(object, "executions")?,
            stopped_because: reason
                .with_context(|| format!("`{word}` is no reason to stop"))?
                .0,
            shard: Some(Box::new(ShardFound {
                part_count: small(shard, "part_count")?,
                parts: parts
                    .iter()
                    .map(|part| part_from_json(part, has_bounds))
                    .collect::<Result<_>>()?,
            })),
            ..Exploration::default()
        };
        if has_bounds {
            found.begin_bound(bound_of(object)?);
        }
        for part in found.shard.iter().flat_map(|shard| &shard.parts) {
            found.groups.append(part.found.groups.clone(), 0);
        }
        Ok((line, found))
    }
}

/// What is known of a failure: as it was found, and what became of it by shrinking and explaining.
pub(crate) fn failure_to_json(failure: &FirstFailure, known: Option<&Understanding>) -> Value {
    let (outcome, trace) = (&failure.outcome, &failure.trace);
    let size = Size::of(trace);
    let found = known.map_or(size, |known| known.found);
    let explanation = known.map(|known| &known.explanation);
    let step = explanation.and_then(|explanation| {
        let critical = &explanation.events[explanation.critical?];
        match critical.at {
            At::Step(index) => Some(index),
            At::Blocked(_) | At::Later => None,
        }
    });
    json!({
        "summary": headline(outcome, trace),
        "why": explanation.map_or_else(
            || why(outcome, trace),
            |explanation| explained(outcome, trace, explanation),
        ),
        "member": failure.member,
        "pattern": explanation.and_then(|explanation| Some(explanation.pattern?.name())),
        "orderings": explanation.map(|explanation| explanation.causes.len()),
        "depth": explanation.and_then(|explanation| explanation.depth()),
        "critical_step": step,
        "steps": size.steps,
        "steps_found": found.steps,
        "preemptions": size.preemptions,
        "preemptions_found": found.preemptions,
        "preemptions_are_fewest": known.is_some_and(|known| known.is_fewest),
        "executions_to_shrink": known.map(|known| known.shrinking),
        "executions_to_explain": explanation.map(|explanation| explanation.executions),
    })
}

fn part_to_json(part: &PartFound) -> Value {
    let found = &part.found;
    json!({
        "bound": part.bound,
        "part": part.part,
        "executions": found.executions,
        "schedules": found.schedules,
        "failures": found.failures,
        "inconclusive": found.inconclusive,
        "first_failure_at": found.first_failure.as_ref().map(|failure| failure.rank),
        "groups": groups::to_json(found),
        "diverged": found.diverged.is_some(),
        "steps_max": found.steps_max,
        "tasks_max": found.tasks_max,
        "enabled_max": found.enabled_max,
        "hash": format!("{:016x}", found.hash),
        "hash_sum": format!("{:016x}", found.hash_sum),
        "provided": found.provided.iter().map(Proviso::word).collect::<Vec<_>>(),
        "classes": found.classes.as_ref().map(classes_to_json),
        "coverage": found.coverage.as_ref().map(coverage::to_json),
        "findings": warnings::findings_to_json(found),
    })
}

/// What a complete exploration assumed, for readers.
fn provisos_to_json(provided: Provisos) -> Vec<Value> {
    let provisos = provided.iter();
    provisos
        .map(|proviso| json!({ "kind": proviso.word(), "text": proviso.sentence() }))
        .collect()
}

fn provisos_from_json(words: &Value) -> Result<Provisos> {
    let words = words.as_array().context("`provided` is missing")?;
    let provisos = words.iter().map(|word| {
        let proviso = word.as_str().and_then(Proviso::from_word);
        proviso.with_context(|| format!("{word} is no proviso"))
    });
    provisos.collect()
}

fn planning_to_json(planning: &Planning) -> Value {
    json!({
        "seeds": planning.seeds,
        "queries": planning.queries,
        "sat": planning.sat,
        "unsat": planning.unsat,
        "unknown": planning.queries - planning.sat - planning.unsat,
        "constraints": planning.constraints,
        "solve_ms": planning.nanoseconds / 1_000_000,
    })
}

/// The hashes themselves: numbers of classes cannot be added up.
fn classes_to_json(classes: &Classes) -> Value {
    let hashes = |set: &BTreeSet<u128>| -> Vec<String> {
        set.iter().map(|hash| format!("{hash:032x}")).collect()
    };
    json!({
        "hbrs": hashes(&classes.hbrs),
        "lazy_hbrs": hashes(&classes.lazy_hbrs),
        "states": hashes(&classes.states),
        "reads": hashes(&classes.reads),
    })
}

fn classes_from_json(object: &Value) -> Result<Option<Classes>> {
    if object.is_null() {
        return Ok(None);
    }
    let hashes = |name: &str| -> Result<BTreeSet<u128>> {
        let list = object[name].as_array();
        let list = list.with_context(|| format!("`{name}` is missing"))?.iter();
        list.map(|hash| {
            let text = hash.as_str().unwrap_or_default();
            u128::from_str_radix(text, 16).with_context(|| format!("`{hash}` is no hash"))
        })
        .collect()
    };
    Ok(Some(Classes {
        hbrs: hashes("hbrs")?,
        lazy_hbrs: hashes("lazy_hbrs")?,
        states: hashes("states")?,
        reads: hashes("reads")?,
    }))
}

/// A failure of which no more is known.
fn first_failure(rank: u64, outcome: Outcome) -> FirstFailure {
    FirstFailure {
        rank,
        execution: 0,
        trace: Trace::default(),
        outcome,
        is_directed: false,
        member: None,
    }
}

fn part_from_json(part: &Value, has_bounds: bool) -> Result<PartFound> {
    let bound = bound_of(part)?;
    let first = |rank: u64, outcome: Outcome| Box::new(first_failure(rank, outcome));
    let (warnings, outcome) = warnings::findings_from_json(&part["findings"])?;
    let first_failure = match part["first_failure_at"].is_null() {
        true => None,
        false => Some(first(number(part, "first_failure_at")?, outcome)),
    };
    let is_diverged = part["diverged"]
        .as_bool()
        .context("`diverged` is missing")?;
    let divergence = Outcome::Diverged(Divergence {
        step: 0,
        expected: String::new(),
        found: String::new(),
    });
    let mut found = Exploration {
        executions: number(part, "executions")?,
        schedules: number(part, "schedules")?,
        failures: number(part, "failures")?,
        inconclusive: part["inconclusive"].as_u64().unwrap_or_default(),
        first_failure,
        groups: groups::from_json(&part["groups"])?,
        diverged: is_diverged.then(|| first(0, divergence)),
        provided: provisos_from_json(&part["provided"])?,
        classes: classes_from_json(&part["classes"])?,
        coverage: coverage::from_json(&part["coverage"])?,
        warnings,
        steps_max: number(part, "steps_max")?,
        tasks_max: number(part, "tasks_max")?,
        enabled_max: number(part, "enabled_max")?,
        hash: hexadecimal(part, "hash")?,
        hash_sum: hexadecimal(part, "hash_sum")?,
        ..Exploration::default()
    };
    if has_bounds {
        found.begin_bound(bound);
    }
    if let Some(count) = found.bounds.last_mut() {
        (count.schedules, count.failures) = (found.schedules, found.failures);
    }
    Ok(PartFound {
        bound,
        part: small(part, "part")?,
        found,
    })
}

fn number(object: &Value, name: &str) -> Result<u64> {
    let value = object[name].as_u64();
    value.with_context(|| format!("`{name}` is missing or no number"))
}

fn small(object: &Value, name: &str) -> Result<u32> {
    let value = number(object, name)?;
    let small = u32::try_from(value).ok();
    small.with_context(|| format!("`{name}` is {value}, more than there can be"))
}

/// A bound of a search, for which there is a line for each smaller one, too.
fn bound_of(object: &Value) -> Result<u32> {
    /// A bound is at most the number of steps of an execution. No search comes near this one.
    const BOUND_MAX: u32 = 1_000_000;
    let bound = small(object, "bound")?;
    anyhow::ensure!(
        bound <= BOUND_MAX,
        "`bound` is {bound}, which no search reaches"
    );
    Ok(bound)
}

fn text<'a>(object: &'a Value, name: &str) -> Result<&'a str> {
    let value = object[name].as_str();
    value.with_context(|| format!("`{name}` is missing or no text"))
}

fn hexadecimal(object: &Value, name: &str) -> Result<u64> {
    let digits = text(object, name)?;
    u64::from_str_radix(digits, 16).with_context(|| format!("`{name}` is no fingerprint"))
}
