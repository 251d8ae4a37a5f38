//! `unpick noise search`: which noise shows most of a program.

use super::batch::Batch;
use super::report;
use super::{ProgramArguments, Subject};
use crate::Status;
use crate::output::say;
use crate::progress::{Progress, is_interrupted, listen};
use anyhow::{Result, bail};
use clap::Args;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::time::{Duration, Instant};
use unpick::progress::{Budget, Seen};
use unpick::{parse_duration, parse_number};
use unpick_noise::bandit::Bandit;
use unpick_noise::statistics::Share;
use unpick_noise::{Category, NoiseOrder, Placements, Plan, Strength, Type};

/// How long to search.
#[derive(Args)]
pub(crate) struct SearchArguments {
    /// Executions, all together
    #[arg(long, value_name = "N", value_parser = parse_number, default_value = "300")]
    runs: u64,
    /// Time after which no execution is begun, as 30s or 5m
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    time: Option<Duration>,
    /// Placements to choose from; every category that the program comes to by default
    #[arg(long, value_name = "PLACEMENT,…")]
    at: Vec<String>,
    #[command(flatten)]
    program: ProgramArguments,
}

/// What a failure is worth, and what a new interleaving is.
const FAILURE: f64 = 1.0;
const NOVELTY: f64 = 0.3;

/// A plan that can be chosen.
struct Arm {
    plan: Option<Plan>,
    group: usize,
    new: u64,
    failures: u64,
    time: Duration,
}

pub(crate) fn search(arguments: &SearchArguments) -> Result<Status> {
    if arguments.runs == 0 {
        bail!("--runs 0 runs nothing; give at least 1");
    }
    let subject = arguments.program.subject()?;
    listen();
    let mut batch = Batch::new(&arguments.program, &subject)?;
    let placements = placements(arguments, &subject, &mut batch)?;
    let mut arms = arms(&placements, &mut batch);
    let traced = placements
        .iter()
        .fold(Placements::default(), |all, one| all.union(one.1));
    explore(arguments, &subject, &mut batch, &mut arms, traced)?;
    batch.recorded.is_interrupted = is_interrupted();
    let saved = match arguments.program.no_save {
        true => None,
        false => Some(batch.recorded.save()?),
    };
    arms.sort_by(|one, other| value(other, &batch).total_cmp(&value(one, &batch)));
    match arguments.program.json {
        true => say!("{}", to_json(&arms, &batch, &subject)),
        false => print(&arms, &batch, &subject, arguments.program.quiet),
    }
    if let (Some(path), false) = (saved, arguments.program.is_silent()) {
        say!("  saved   {}", path.display());
    }
    Ok(report::status(&batch.recorded))
}

/// The categories to choose from, each with what it is called.
fn placements(
    arguments: &SearchArguments,
    subject: &Subject,
    batch: &mut Batch,
) -> Result<Vec<(String, Placements)>> {
    if !arguments.at.is_empty() {
        let mut all = Vec::new();
        for name in arguments.at.iter().flat_map(|names| names.split(',')) {
            let mut plan = Plan::default();
            plan.add(name)?;
            plan.check()?;
            subject.check(plan.placements(), arguments.program.is_silent())?;
            all.push((name.to_string(), plan.placements()));
        }
        return Ok(all);
    }
    let group = batch.add_group(None);
    let order = NoiseOrder {
        counted: Placements::all(),
        ..NoiseOrder::nothing(batch.next_seed(group))
    };
    let Some((_, execution)) = batch.execute(group, order)? else {
        bail!("the program was ended before its time; nothing was learned");
    };
    let of = |category: &Category| {
        let placements = Placements::named(category.name()).unwrap_or_default();
        let is_reached = placements
            .iter()
            .any(|placement| execution.count(placement).0 > 0);
        is_reached.then(|| (category.name().to_string(), placements))
    };
    let found: Vec<(String, Placements)> = Category::ALL.iter().filter_map(of).collect();
    batch.recorded.groups.clear();
    if found.is_empty() {
        bail!(
            "`{}` comes to no placement at all, so that there is nothing to disturb; does it use threads, and \
             is it built with `unpick cc`?",
            subject.name
        );
    }
    Ok(found)
}

/// All plans that are tried: nothing, and for each category several types, strengths and probabilities.
fn arms(placements: &[(String, Placements)], batch: &mut Batch) -> Vec<Arm> {
    const MICROSECOND: u64 = 1_000;
    let ways = [
        (Type::Yield, 1, 10, 1.0),
        (Type::Busy, MICROSECOND, 50 * MICROSECOND, 0.5),
        (Type::Sleep, MICROSECOND, 200 * MICROSECOND, 0.5),
        (Type::Sleep, 1_000 * MICROSECOND, 5_000 * MICROSECOND, 0.1),
        (Type::Halt, 1_000 * MICROSECOND, 5_000 * MICROSECOND, 0.05),
    ];
    let mut arms = Vec::new();
    let mut add = |plan: Option<Plan>| {
        let group = batch.add_group(plan.as_ref().map(Plan::to_string));
        arms.push(Arm {
            plan,
            group,
            new: 0,
            failures: 0,
            time: Duration::ZERO,
        });
    };
    add(None);
    for (name, _) in placements {
        for (kind, min, max, probability) in ways {
            let mut plan = Plan {
                kind,
                strength: Some(Strength { min, max }),
                probability,
                ..Plan::default()
            };
            if plan.add(name).is_ok() {
                add(Some(plan));
            }
        }
    }
    arms
}

fn explore(
    arguments: &SearchArguments,
    subject: &Subject,
    batch: &mut Batch,
    arms: &mut [Arm],
    traced: Placements,
) -> Result<()> {
    let start = Instant::now();
    let budget = Budget {
        executions: arguments.runs,
        time: arguments.time,
        is_randomised: false,
    };
    let progress = Progress::new(&subject.name, budget, arguments.program.is_silent());
    let mut bandit = Bandit::new(arms.len());
    let mut known: HashSet<Vec<u32>> = HashSet::new();
    let mut seen = Seen::default();
    for _ in 0..arguments.runs {
        if arguments.time.is_some_and(|limit| start.elapsed() >= limit) {
            break;
        }
        let chosen = bandit.choose();
        let arm = &mut arms[chosen];
        let seed = batch.next_seed(arm.group);
        let mut order = match &arm.plan {
            Some(plan) => plan.order(seed, &[]),
            None => NoiseOrder::nothing(seed),
        };
        // The same for all, or interleavings could not be compared.
        order.traced = traced;
        order.counted = traced;
        let Some((verdict, execution)) = batch.execute(arm.group, order)? else {
            break;
        };
        let told = batch.recorded.groups[arm.group].executions.last();
        let is_new = told.is_some_and(|told| known.insert(told.trace.clone()));
        arm.new += u64::from(is_new);
        arm.failures += u64::from(verdict.is_failure());
        arm.time += execution.elapsed;
        bandit.learn(
            chosen,
            match (verdict.is_failure(), is_new) {
                (true, _) => FAILURE,
                (false, true) => NOVELTY,
                (false, false) => 0.0,
            },
        );
        seen.executions += 1;
        seen.failures += u64::from(verdict.is_failure());
        if !progress.observe(seen) {
            break;
        }
    }
    progress.finish();
    Ok(())
}

fn executions(arm: &Arm, batch: &Batch) -> u64 {
    batch.recorded.groups[arm.group].executions.len() as u64
}

/// What an arm gave an execution, on the safe side.
fn value(arm: &Arm, batch: &Batch) -> f64 {
    let of = executions(arm, batch);
    let share = |count| Share { count, of }.interval().0;
    FAILURE * share(arm.failures) + NOVELTY * share(arm.new)
}

fn label(arm: &Arm) -> String {
    arm.plan
        .as_ref()
        .map_or("without noise".to_string(), Plan::to_string)
}

fn print(arms: &[Arm], batch: &Batch, subject: &Subject, is_quiet: bool) {
    let failures: u64 = arms.iter().map(|arm| arm.failures).sum();
    let total: u64 = arms.iter().map(|arm| executions(arm, batch)).sum();
    if failures > 0 {
        let verdicts: HashSet<&str> = batch
            .recorded
            .groups
            .iter()
            .flat_map(|group| group.verdicts().into_keys())
            .collect();
        let mut verdicts: Vec<&str> = verdicts.into_iter().collect();
        verdicts.sort_unstable();
        say!(
            "FAILED  {}  {failures} of {total} free executions: {}",
            subject.name,
            verdicts.join("; ")
        );
    }
    if is_quiet {
        return;
    }
    say!("{}: {total} executions, {} plans", subject.name, arms.len());
    say!("  executions  failures  new  mean ms  noise");
    for arm in arms.iter().filter(|arm| executions(arm, batch) > 0) {
        let count = executions(arm, batch);
        let mean = arm.time.as_secs_f64() * 1e3 / count as f64;
        say!(
            "  {count:>10}  {:>8}  {:>3}  {mean:>7.1}  {}",
            arm.failures,
            arm.new,
            label(arm)
        );
    }
    if let Some(best) = arms
        .iter()
        .find(|arm| arm.plan.is_some() && arm.failures + arm.new > 0)
    {
        say!("  best    {}", label(best));
    }
}

fn to_json(arms: &[Arm], batch: &Batch, subject: &Subject) -> Value {
    let arm = |arm: &Arm| {
        json!({
            "noise": arm.plan.as_ref().map(Plan::to_string),
            "executions": executions(arm, batch),
            "failures": arm.failures,
            "new_interleavings": arm.new,
            "time_ms": arm.time.as_secs_f64() * 1e3,
            "value": value(arm, batch),
            "verdicts": batch.recorded.groups[arm.group].verdicts(),
        })
    };
    json!({
        "name": subject.name,
        "seed": batch.recorded.seed,
        "plans": arms.iter().map(arm).collect::<Vec<Value>>(),
        "interrupted": batch.recorded.is_interrupted,
    })
}
