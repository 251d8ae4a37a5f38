//! `unpick merge`: the shards of an exploration, put together.

use crate::Status;
use crate::json::{Line, group_to_json};
use crate::output::say;
use crate::suite::status_of;
use anyhow::{Context, Result, anyhow};
use clap::Args;
use serde_json::Value;
use std::path::PathBuf;
use unpick::{Config, Exploration, FailureGroup, same_failure};

/// Which results to put together.
#[derive(Args)]
pub(crate) struct MergeArguments {
    /// Files with the output of `--shard I/N --json`, one line a program; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// A shard's line, with the place it was read from.
struct Entry {
    place: String,
    line: Line,
    found: Exploration,
}

pub(crate) fn merge(arguments: &MergeArguments) -> Result<Status> {
    let mut programs: Vec<Vec<Entry>> = Vec::new();
    for file in &arguments.files {
        for entry in read(file)? {
            let of = |shards: &&mut Vec<Entry>| shards[0].line.name == entry.line.name;
            match programs.iter_mut().find(of) {
                Some(shards) => shards.push(entry),
                None => programs.push(vec![entry]),
            }
        }
    }
    if programs.is_empty() {
        return Err(anyhow!(
            "the files have no lines; give the output of `--shard I/N --json`"
        ));
    }
    let mut status = Status::Clean;
    for shards in programs {
        let (line, whole) = merge_program(shards)?;
        status = status.max(status_of(&whole));
        say!("{}", line.to_json(&whole));
    }
    Ok(status)
}

fn read(file: &PathBuf) -> Result<Vec<Entry>> {
    let shown = file.display();
    let text = match file.as_os_str() == "-" {
        true => std::io::read_to_string(std::io::stdin()),
        false => std::fs::read_to_string(file),
    };
    let text = text.with_context(|| format!("cannot read {shown}"))?;
    let lines = (1..)
        .zip(text.lines())
        .filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(number, line)| {
            let place = format!("{shown}:{number}");
            let object: Value = serde_json::from_str(line)
                .with_context(|| format!("{place} is no JSON; give the output of `--json`"))?;
            if object["shard"].is_null() {
                return Err(anyhow!(
                    "{place} is not of a shard; give the output of `--shard I/N --json`"
                ));
            }
            let (line, found) = Line::from_json(&object).with_context(|| place.clone())?;
            Ok(Entry { place, line, found })
        })
        .collect()
}

/// The whole of the shards of one program.
fn merge_program(mut shards: Vec<Entry>) -> Result<(Line, Exploration)> {
    shards.sort_by_key(|entry| entry.line.shard.map(|shard| shard.index()));
    check(&shards)?;
    let first = &shards[0].line;
    let config = Config::new()
        .try_strategy(&first.strategy)?
        .seed(first.seed)
        .keep_going(first.options.contains("keep_going=1"));
    let found: Vec<Exploration> = shards.iter().map(|entry| entry.found.clone()).collect();
    let whole = unpick::merge(&config, &found).with_context(|| first.name.clone())?;
    let failing = failing_shard(&shards, &whole);
    let line = Line {
        name: first.name.clone(),
        strategy: first.strategy.clone(),
        seed: first.seed,
        elapsed_ms: shards
            .iter()
            .map(|entry| entry.line.elapsed_ms)
            .max()
            .unwrap_or(0),
        trace: failing.and_then(|line| line.trace.clone()),
        failure: failing.map_or(Value::Null, |line| line.failure.clone()),
        groups: groups(&shards, &whole),
        shard: None,
        options: String::new(),
        outcome: failing.and_then(|line| line.outcome.clone()),
    };
    Ok((line, whole))
}

/// The failures by what they are: of each, the shard that has met it first knows most.
fn groups(shards: &[Entry], whole: &Exploration) -> Value {
    let list = whole.groups.list();
    if list.is_empty() {
        return Value::Null;
    }
    let told = |group: &FailureGroup| {
        let is_it = |one: &FailureGroup| same_failure(&one.first.outcome, &group.first.outcome);
        let first_met = |entry: &Entry| {
            let parts = &entry.found.shard.as_ref()?.parts;
            let of_it = parts
                .iter()
                .filter(|part| part.found.groups.list().iter().any(is_it));
            of_it.map(|part| (part.bound, part.part)).min()
        };
        let having = shards.iter().filter(|entry| first_met(entry).is_some());
        let entry = having.min_by_key(|entry| first_met(entry))?;
        let at = entry.found.groups.list().iter().position(is_it)?;
        Some(&entry.line.groups[at])
    };
    let groups = list.iter().map(|group| {
        let told = told(group).unwrap_or(&Value::Null);
        group_to_json(group, told["trace"].clone(), told["failure"].clone())
    });
    groups.collect()
}

/// The shard with the first failure: the first of its parts that fails is the first of all.
fn failing_shard<'a>(shards: &'a [Entry], whole: &Exploration) -> Option<&'a Line> {
    whole.first_failure.as_ref()?;
    let first_failing = |entry: &Entry| {
        let parts = &entry.found.shard.as_ref()?.parts;
        let failing = parts.iter().filter(|part| part.found.failures > 0);
        failing.map(|part| (part.bound, part.part)).min()
    };
    let failing = shards.iter().filter(|entry| first_failing(entry).is_some());
    failing
        .min_by_key(|entry| first_failing(entry))
        .map(|entry| &entry.line)
}

/// Each shard is there once, and all are of the same exploration. They are sorted.
fn check(shards: &[Entry]) -> Result<()> {
    let first = &shards[0];
    let name = &first.line.name;
    for entry in shards {
        let count = |entry: &Entry| entry.line.shard.map(|shard| shard.count().to_string());
        for (what, one, other) in [
            (
                "number of shards",
                count(first).unwrap_or_default(),
                count(entry).unwrap_or_default(),
            ),
            (
                "strategy",
                first.line.strategy.clone(),
                entry.line.strategy.clone(),
            ),
            (
                "seed",
                first.line.seed.to_string(),
                entry.line.seed.to_string(),
            ),
            (
                "options",
                first.line.options.clone(),
                entry.line.options.clone(),
            ),
        ] {
            if one != other {
                return Err(anyhow!(
                    "{name}: {} has {what} `{one}`, {} has `{other}`; give shards of one exploration",
                    first.place,
                    entry.place
                ));
            }
        }
    }
    let index = |entry: &Entry| entry.line.shard.map_or(0, |shard| shard.index());
    for pair in shards.windows(2) {
        if index(&pair[0]) == index(&pair[1]) {
            return Err(anyhow!(
                "{name}: shard {} is there twice, in {} and {}; give it once",
                index(&pair[0]),
                pair[0].place,
                pair[1].place
            ));
        }
    }
    let count = first.line.shard.map_or(0, |shard| shard.count());
    let has = |number: &u32| shards.iter().any(|entry| index(entry) == *number);
    let missing: Vec<String> = (1..=count)
        .filter(|number| !has(number))
        .map(|number| format!("{number}/{count}"))
        .collect();
    match missing.is_empty() {
        true => Ok(()),
        false => Err(anyhow!(
            "{name}: shard {} is missing; give the results of all {count}",
            missing.join(", ")
        )),
    }
}
