//! `unpick noise compare`: how different recorded interleavings are.

use super::record::{Group, Recorded};
use super::report::{Spread, metric_named, symbols_of};
use crate::Status;
use crate::output::say;
use anyhow::{Result, bail};
use clap::Args;
use serde_json::{Value, json};
use std::collections::HashMap;
use unpick::analysis::compare::{Interpretation, Metric, Symbols, trim, unique_count};

/// What to compare, and how.
#[derive(Args)]
pub(crate) struct CompareArguments {
    /// The name of the program whose results to compare, or a file
    #[arg(value_name = "NAME")]
    reference: String,
    /// The metric: hamming, levenshtein, damerau-levenshtein (distances), jaro, jaro-winkler,
    /// levenshtein-similarity, modified-levenshtein, minhash (similarities), or all
    #[arg(long, value_name = "METRIC", default_value = "jaro")]
    metric: String,
    /// How entries of traces become symbols: appearance, recorded, threadless or occurrences
    #[arg(long, value_name = "MODE", default_value = "appearance")]
    mode: String,
    /// Take away what all traces begin with and what all end with
    #[arg(long)]
    trim: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn compare(arguments: &CompareArguments) -> Result<Status> {
    let recorded = Recorded::load(&arguments.reference)?;
    let metrics = match arguments.metric.as_str() {
        "all" => Metric::all().to_vec(),
        name => vec![metric_named(name)?],
    };
    let Some(mode) = Interpretation::named(&arguments.mode) else {
        let names: Vec<&str> = Interpretation::NAMED.iter().map(|mode| mode.0).collect();
        bail!(
            "there is no mode `{}`; use {}",
            arguments.mode,
            names.join(", ")
        );
    };
    let symbols = read(&recorded, mode, arguments.trim)?;
    let groups = recorded.groups.iter().zip(&symbols);
    let groups = groups.filter(|(_, traces)| !traces.is_empty());
    let groups: Vec<Compared> = groups
        .map(|(group, traces)| Compared::of(group, traces, &metrics))
        .collect();
    let common = common(&symbols);
    if arguments.json {
        let list: Vec<Value> = groups.iter().map(Compared::to_json).collect();
        say!(
            "{}",
            json!({"name": recorded.name, "groups": list, "common": common})
        );
        return Ok(Status::Clean);
    }
    groups.iter().for_each(Compared::print);
    if groups.len() > 1 {
        say!("{common} interleavings were seen in every group");
    }
    Ok(Status::Clean)
}

/// The traces of all groups as symbols.
fn read(recorded: &Recorded, mode: Interpretation, is_trimmed: bool) -> Result<Vec<Vec<Symbols>>> {
    let symbols = symbols_of(recorded, mode);
    if symbols.iter().all(Vec::is_empty) {
        bail!("`{}` has no executions to compare", recorded.name);
    }
    if !is_trimmed {
        return Ok(symbols);
    }
    let counts: Vec<usize> = symbols.iter().map(Vec::len).collect();
    let mut all = symbols.concat();
    trim(&mut all);
    let mut all = all.into_iter();
    let take = |count: usize| all.by_ref().take(count).collect();
    Ok(counts.into_iter().map(take).collect())
}

/// How different the executions of a group are.
struct Compared<'a> {
    group: &'a Group,
    executions: usize,
    unique: usize,
    /// How often the most frequent interleaving was seen.
    most_frequent: usize,
    spreads: Vec<(Metric, Spread)>,
}

impl Compared<'_> {
    fn of<'a>(group: &'a Group, traces: &[Symbols], metrics: &[Metric]) -> Compared<'a> {
        let spread = |&metric: &Metric| (metric, Spread::of(traces, metric));
        Compared {
            group,
            executions: traces.len(),
            unique: unique_count(traces),
            most_frequent: clusters(traces).into_iter().max().unwrap_or(0),
            spreads: metrics.iter().map(spread).collect(),
        }
    }

    fn print(&self) {
        let (label, executions, unique) = (self.group.label(), self.executions, self.unique);
        say!("{label}: {executions} executions, {unique} distinct interleavings");
        say!(
            "  the most frequent one was seen {} times",
            self.most_frequent
        );
        for (metric, spread) in &self.spreads {
            let (name, polarity) = (metric.name(), metric.polarity());
            say!("  {name:<24} {polarity:<10} {}", spread_words(spread));
        }
    }

    fn to_json(&self) -> Value {
        let metrics = self.spreads.iter().map(|(metric, spread)| {
            json!({
                "metric": metric.name(),
                "polarity": metric.polarity(),
                "mean": spread.mean,
                "deviation": spread.deviation,
            })
        });
        json!({
            "noise": self.group.plan,
            "executions": self.executions,
            "interleavings": self.unique,
            "most_frequent": self.most_frequent,
            "metrics": metrics.collect::<Vec<Value>>(),
        })
    }
}

fn spread_words(spread: &Spread) -> String {
    match (spread.mean, spread.deviation) {
        (Some(mean), Some(deviation)) => format!("mean {mean:.4}, deviation {deviation:.4}"),
        _ => "needs two executions".to_string(),
    }
}

/// How often each distinct trace was seen.
fn clusters(traces: &[Symbols]) -> Vec<usize> {
    let mut counts: HashMap<&Symbols, usize> = HashMap::new();
    for trace in traces {
        *counts.entry(trace).or_default() += 1;
    }
    counts.into_values().collect()
}

/// How many distinct traces every group has that has any.
fn common(groups: &[Vec<Symbols>]) -> usize {
    let groups: Vec<&Vec<Symbols>> = groups.iter().filter(|group| !group.is_empty()).collect();
    let mut seen: HashMap<&Symbols, usize> = HashMap::new();
    for (number, group) in groups.iter().enumerate() {
        for trace in group.iter() {
            let count = seen.entry(trace).or_default();
            if *count == number {
                *count += 1;
            }
        }
    }
    seen.values()
        .filter(|&&count| count == groups.len())
        .count()
}
