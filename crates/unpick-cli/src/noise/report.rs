//! `unpick noise report`: what recorded executions came to, in words.

use super::record::{Group, Recorded};
use crate::Status;
use crate::output::say;
use anyhow::{Result, anyhow};
use clap::Args;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::num::NonZero;
use unpick::analysis::compare::{
    Interpretation, Metric, Symbols, Work, distances, interpret, similarities, unique_count,
};
use unpick_noise::statistics::{Effect, Share};

/// Which results.
#[derive(Args)]
pub(crate) struct ReportArguments {
    /// The name of the program whose results to show, or a file
    #[arg(value_name = "NAME")]
    reference: String,
    /// How interleavings are compared; `unpick noise compare --help` lists the metrics
    #[arg(long, value_name = "METRIC", default_value = "jaro")]
    metric: String,
    /// Show how often each placement was reached
    #[arg(long)]
    counters: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn report(arguments: &ReportArguments) -> Result<Status> {
    let recorded = Recorded::load(&arguments.reference)?;
    let metric = metric_named(&arguments.metric)?;
    match arguments.json {
        true => say!("{}", to_json(&recorded, metric)),
        false => say!("{}", text(&recorded, metric, arguments.counters)),
    }
    Ok(status(&recorded))
}

/// What the executions come to for whoever looks at the exit code.
pub(super) fn status(recorded: &Recorded) -> Status {
    let executions: u64 = recorded.groups.iter().map(|one| one.failures().of).sum();
    let failures: u64 = recorded.groups.iter().map(|one| one.failures().count).sum();
    match (executions, failures) {
        (0, _) => Status::NothingRan,
        (_, 0) => Status::Clean,
        _ => Status::Failed,
    }
}

pub(super) fn metric_named(name: &str) -> Result<Metric> {
    name.parse().map_err(|error| anyhow!("{error}"))
}

/// How different some interleavings are.
pub(super) struct Spread {
    pub(super) unique: usize,
    pub(super) of: usize,
    pub(super) mean: Option<f64>,
    pub(super) deviation: Option<f64>,
}

impl Spread {
    pub(super) fn of(traces: &[Symbols], metric: Metric) -> Spread {
        let jobs = std::thread::available_parallelism().map_or(1, NonZero::get);
        let work = Work::with_jobs(jobs);
        let (mean, deviation) = match metric {
            Metric::Distance(metric) => match distances(traces, metric, &work) {
                Some(pairs) => (pairs.mean().map(f64::from), pairs.deviation()),
                None => (None, None),
            },
            Metric::Similarity(metric) => match similarities(traces, metric, &work) {
                Some(pairs) => (pairs.mean().map(f64::from), pairs.deviation()),
                None => (None, None),
            },
        };
        Spread {
            unique: unique_count(traces),
            of: traces.len(),
            mean,
            deviation,
        }
    }

    fn words(&self) -> String {
        match (self.mean, self.deviation) {
            (Some(mean), Some(deviation)) => format!("{mean:.3}, deviation {deviation:.3}"),
            _ => "too few executions".to_string(),
        }
    }
}

/// The traces of all groups as symbols, by one map for all.
pub(super) fn symbols_of(recorded: &Recorded, how: Interpretation) -> Vec<Vec<Symbols>> {
    let traces: Vec<_> = recorded.groups.iter().map(Group::traces).collect();
    let counts: Vec<usize> = traces.iter().map(Vec::len).collect();
    let mut all = interpret(&traces.concat(), how).into_iter();
    let take = |count: usize| all.by_ref().take(count).collect();
    counts.into_iter().map(take).collect()
}

fn rate(share: Share) -> String {
    let (low, high) = share.interval();
    format!(
        "{} of {}, {:.1} % (95 % between {:.1} and {:.1})",
        share.count,
        share.of,
        100.0 * share.rate(),
        100.0 * low,
        100.0 * high
    )
}

/// The whole in words.
pub(super) fn text(recorded: &Recorded, metric: Metric, has_counters: bool) -> String {
    let symbols = symbols_of(recorded, Interpretation::default());
    let mut lines = vec![format!("{}:", recorded.name)];
    for (group, symbols) in recorded.groups.iter().zip(&symbols) {
        let spread = Spread::of(symbols, metric);
        let title = match &group.plan {
            Some(plan) => format!("with {plan}"),
            None => "without noise".to_string(),
        };
        lines.push(format!("  {title}"));
        lines.push(format!(
            "    failures             {}",
            rate(group.failures())
        ));
        for (verdict, count) in group.verdicts() {
            lines.push(format!("                         {count} {verdict}"));
        }
        lines.push(format!(
            "    interleavings        {} distinct of {}",
            spread.unique, spread.of
        ));
        let name = format!("{} {}", metric.name(), metric.polarity());
        lines.push(format!("    {name:<20} {}", spread.words()));
        lines.push(format!(
            "    lock pairs           {}",
            pairs(recorded, group)
        ));
        let time = group.time_ms();
        lines.push(format!(
            "    time                 {:.1} ms, deviation {:.1}",
            time.mean,
            time.deviation()
        ));
        let (reached, fired) = group.total();
        if group.plan.is_some() {
            lines.push(format!(
                "    noise                fired {fired} times of {reached}"
            ));
        }
        if group.lost() > 0 {
            let lost = group.lost();
            lines.push(format!(
                "    lost                 {lost} entries of traces; raise --events"
            ));
        }
        if has_counters {
            for (name, (reached, fired)) in &group.counts {
                lines.push(format!("    {name:<20} {reached:>10} {fired:>10}"));
            }
        }
    }
    if let Some(effect) = effect(recorded) {
        lines.push(format!("  effect  {}", effect.words()));
    }
    if is_idle(recorded) {
        lines.push("  WARNING  noise never fired: no active placement was reached".to_string());
    }
    if recorded.is_interrupted {
        lines.push("  ended before its time".to_string());
    }
    lines.join("\n")
}

fn pairs(recorded: &Recorded, group: &Group) -> String {
    let required: &BTreeSet<_> = &recorded.pairs_required;
    match required.len() {
        0 => "none possible".to_string(),
        count => format!("{} of {count} that are possible", group.pairs.len()),
    }
}

/// Whether there was to be noise and was none.
fn is_idle(recorded: &Recorded) -> bool {
    let mut noisy = recorded.groups.iter().filter(|group| group.plan.is_some());
    let is_idle = |group: &Group| !group.executions.is_empty() && group.total().0 == 0;
    noisy.any(is_idle)
}

/// What noise does to the failure rate, if there is something to compare it with.
pub(super) fn effect(recorded: &Recorded) -> Option<Effect> {
    let of = |is_noisy: bool| {
        let mut groups = recorded.groups.iter();
        groups.find(|group| group.plan.is_some() == is_noisy && !group.executions.is_empty())
    };
    Some(Effect::of(of(false)?.failures(), of(true)?.failures()))
}

/// The whole as data.
pub(super) fn to_json(recorded: &Recorded, metric: Metric) -> Value {
    let symbols = symbols_of(recorded, Interpretation::default());
    let groups = recorded
        .groups
        .iter()
        .zip(&symbols)
        .map(|(group, symbols)| {
            let spread = Spread::of(symbols, metric);
            let failures = group.failures();
            let (low, high) = failures.interval();
            let (reached, fired) = group.total();
            let time = group.time_ms();
            json!({
                "noise": group.plan,
                "executions": failures.of,
                "failures": failures.count,
                "failure_rate": failures.rate(),
                "failure_rate_low": low,
                "failure_rate_high": high,
                "verdicts": group.verdicts(),
                "interleavings": spread.unique,
                "metric": metric.name(),
                "polarity": metric.polarity(),
                "mean": spread.mean,
                "deviation": spread.deviation,
                "pairs_covered": group.pairs.len(),
                "time_ms": time.mean,
                "time_ms_deviation": time.deviation(),
                "reached": reached,
                "fired": fired,
                "events_lost": group.lost(),
                "counters": group.counts,
            })
        });
    let groups: Vec<Value> = groups.collect();
    json!({
        "name": recorded.name,
        "seed": recorded.seed,
        "groups": groups,
        "pairs_required": recorded.pairs_required.len(),
        "effect": effect(recorded).map(|effect| format!("{effect:?}").to_lowercase()),
        "interrupted": recorded.is_interrupted,
    })
}
