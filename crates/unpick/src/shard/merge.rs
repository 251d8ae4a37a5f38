//! Puts the shards of an exploration together.

use crate::Config;
use unpick_engine::{Exploration, PartFound, StopReason};

/// Why shards cannot be put together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MergeError {
    /// An exploration of everything, not of a shard.
    NotAShard,
    /// The shards have split the exploration in different ways.
    OtherParts,
}

impl std::fmt::Display for MergeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            MergeError::NotAShard => "this is not the result of a shard; give those of `--shard`",
            MergeError::OtherParts => {
                "the shards have not split the search alike; run all of them with the same program, \
                 version and options"
            }
        })
    }
}

impl std::error::Error for MergeError {}

/// What one exploration of everything would have found, from what all its shards have found, in the
/// order of their numbers. `config` is that of the shards.
///
/// If executions or time have ended a shard of a search, this is what was run, in the order of the
/// search, with what was left out missing.
pub fn merge(config: &Config, shards: &[Exploration]) -> Result<Exploration, MergeError> {
    let parts = parts_in_order(shards)?;
    let bound_max = shards.iter().map(last_bound).max().unwrap_or(0);
    // Never runs: it knows after which bound the technique ends by its own rule, which a shard
    // cannot know alone.
    let mut rule = crate::explore::build(config);
    let mut whole = Exploration::default();
    let mut reason = None;
    for bound in 0..=bound_max {
        for part in parts.iter().filter(|part| part.bound == bound) {
            if reason.is_none() {
                append(&mut whole, &part.found);
                reason = reason_to_stop(config, &whole);
            }
        }
        if reason.is_none() && bound < bound_max {
            match rule.raise_bound(whole.failures) {
                true => whole.begin_bound(bound + 1),
                false => reason = Some(StopReason::Strategy),
            }
        }
    }
    // Slices of a randomised strategy follow each other: whether one is left is known at the end.
    let last = match config.strategy.technique().is_randomised {
        true => &shards[shards.len().saturating_sub(1)..],
        false => shards,
    };
    whole.stopped_because = reason.unwrap_or_else(|| reason_of_all(shards, last));
    whole.complete = whole.stopped_because == StopReason::Exhausted;
    config.confirmation().settle(&mut whole);
    Ok(whole)
}

fn append(whole: &mut Exploration, part: &Exploration) {
    let mut part = part.clone();
    part.count_from(whole.executions);
    whole.append(part);
}

fn reason_to_stop(config: &Config, whole: &Exploration) -> Option<StopReason> {
    if whole.diverged.is_some() {
        Some(StopReason::Diverged)
    } else if whole.failures > 0 && !config.keep_going {
        Some(StopReason::Failure)
    } else {
        None
    }
}

fn last_bound(shard: &Exploration) -> u32 {
    shard.bounds.last().map_or(0, |last| last.bound)
}

/// The parts of all shards in the order of the search.
fn parts_in_order(shards: &[Exploration]) -> Result<Vec<&PartFound>, MergeError> {
    let mut parts = Vec::new();
    let mut part_count = None;
    for (number, shard) in (0..).zip(shards) {
        let shard = shard.shard.as_ref().ok_or(MergeError::NotAShard)?;
        if *part_count.get_or_insert(shard.part_count) != shard.part_count {
            return Err(MergeError::OtherParts);
        }
        for part in &shard.parts {
            let is_own = part.part % shards.len() as u32 == number;
            if !is_own || part.part >= shard.part_count {
                return Err(MergeError::OtherParts);
            }
            parts.push(part);
        }
    }
    parts.sort_by_key(|part| (part.bound, part.part));
    Ok(parts)
}

/// Why the whole ended if nothing in its parts ended it: `last` are those that come to its end.
fn reason_of_all(shards: &[Exploration], last: &[Exploration]) -> StopReason {
    let reasons = [
        (StopReason::Interrupted, shards),
        (StopReason::Time, shards),
        (StopReason::Memory, shards),
        (StopReason::Executions, last),
        (StopReason::Strategy, last),
    ];
    let is_reason = |(reason, shards): &(StopReason, &[Exploration])| {
        let mut all = shards.iter().map(|shard| shard.stopped_because);
        all.any(|of_shard| of_shard == *reason)
    };
    reasons
        .into_iter()
        .find(is_reason)
        .map_or(StopReason::Exhausted, |(reason, _)| reason)
}
