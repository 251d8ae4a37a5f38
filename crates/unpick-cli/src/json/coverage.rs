//! Coverage in the object of an exploration, and of the parts of a shard.

use super::number;
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use unpick::{Coverage, Covered, Exploration, Spec};

/// The probability that one more execution shows something new, if they are drawn independently.
pub(super) fn unseen(found: &Exploration, strategy: &str) -> Option<f64> {
    let spec = Spec::parse(strategy).ok()?;
    let is_randomised = spec.technique().is_randomised;
    found.covered().filter(|_| is_randomised)?.unseen()
}

/// The executions that the whole tree takes.
pub(super) fn tree(found: &Exploration) -> Option<f64> {
    let covered = found.covered()?;
    covered.tree?;
    match found.complete {
        true => Some(found.executions as f64),
        false => covered.tree_estimate(found.executions).map(f64::round),
    }
}

/// All that is needed to add up parts: numbers of histories cannot be.
pub(super) fn to_json(coverage: &Coverage) -> Value {
    let (kept, level) = coverage.kept();
    let hashes = |wanted: bool| -> Vec<String> {
        let some = kept.iter().filter(|(_, is_again)| **is_again == wanted);
        some.map(|(hash, _)| format!("{hash:016x}")).collect()
    };
    json!({
        "schedules": coverage.covered().schedules,
        "tree": coverage.covered().tree,
        "level": level,
        "once": hashes(false),
        "again": hashes(true),
    })
}

pub(super) fn from_json(object: &Value) -> Result<Option<Coverage>> {
    if object.is_null() {
        return Ok(None);
    }
    let mut kept = BTreeMap::new();
    for (name, is_again) in [("once", false), ("again", true)] {
        let list = object[name].as_array();
        for hash in list.with_context(|| format!("`{name}` is missing"))? {
            let text = hash.as_str().unwrap_or_default();
            let hash = u64::from_str_radix(text, 16);
            let hash = hash.with_context(|| format!("`{text}` is no hash"))?;
            kept.insert(hash, is_again);
        }
    }
    let covered = Covered {
        schedules: number(object, "schedules")?,
        tree: object["tree"].as_u64(),
        ..Covered::default()
    };
    let level = number(object, "level")?;
    let level = u32::try_from(level).ok().filter(|level| *level < 64);
    let level = level.context("`level` is no number of bits")?;
    Ok(Some(Coverage::of_kept(covered, kept, level)))
}
