//! `unpick noise run`: with noise and without, in turn.

use super::batch::{Batch, Chosen, places_of_conflict};
use super::keep;
use super::pin::{self, Control};
use super::report::{self, metric_named};
use super::{PlanArguments, ProgramArguments, Subject};
use crate::Status;
use crate::output::say;
use crate::progress::{Progress, is_interrupted, listen};
use anyhow::{Result, bail};
use clap::Args;
use serde_json::{Value, json};
use unpick::parse_number;
use unpick::progress::{Budget, Seen};
use unpick_native::drive::{Naming, modules_of};
use unpick_native::free::{End, ParallelPpct};
use unpick_native::install::LIBRARY_NAME;
use unpick_native::protocol::{CHANGES_MAX, PriorityOrder};
use unpick_noise::{NoiseOrder, Placements, Plan, Variables};

/// Which noise, how often, and what then.
#[derive(Args)]
pub(crate) struct RunArguments {
    #[command(flatten)]
    plan: PlanArguments,
    /// Executions with noise [default: 100]
    #[arg(long, value_name = "N", value_parser = parse_number)]
    runs: Option<u64>,
    /// Executions without noise, to compare with; as many by default, and one if there is no noise at all
    #[arg(long, value_name = "N", value_parser = parse_number)]
    baseline: Option<u64>,
    /// Executions to learn from before all others, which places in the code two threads use in common;
    /// noise then fires at these places only
    #[arg(long, value_name = "N", value_parser = parse_number, default_value = "0")]
    learn: u64,
    /// Noise is for one thread only: its number in the order of creation, the first one being 0
    #[arg(long, value_name = "N")]
    only_thread: Option<u32>,
    /// Hold threads back by random priorities, for bugs of this depth, instead of noise or besides it: `ppct`
    /// on real threads
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(u32).range(1..=CHANGES_MAX as i64))]
    ppct: Option<u32>,
    /// Look for a schedule under control that fails as the first failing execution did, shrink it and keep it
    #[arg(long)]
    pin: bool,
    /// Keep the first execution that passes as a trace, for `unpick predict`: it is followed under control, and how
    /// far is told. Needs no noise: without --at and --ppct, the program is run once
    #[arg(long, conflicts_with = "no_save")]
    save_trace: bool,
    /// Data races are no failures of the execution that --save-trace keeps; otherwise it ends with its first one
    #[arg(long, requires = "save_trace")]
    no_races: bool,
    /// How interleavings are compared; `unpick noise compare --help` lists the metrics
    #[arg(long, value_name = "METRIC", default_value = "jaro")]
    metric: String,
    /// Show how often each placement was reached, and how often noise fired there
    #[arg(long)]
    counters: bool,
    #[command(flatten)]
    program: ProgramArguments,
}

const WITHOUT: usize = 0;
const WITH: usize = 1;

pub(crate) fn run(arguments: &RunArguments) -> Result<Status> {
    let plan = arguments.plan()?;
    let metric = metric_named(&arguments.metric)?;
    arguments.check(&plan)?;
    let subject = arguments.program.subject()?;
    let is_silent = arguments.program.is_silent();
    subject.check(plan.placements(), is_silent)?;
    listen();
    let mut batch = Batch::new(&arguments.program, &subject)?;
    let control = match arguments.pin || arguments.save_trace {
        true => Some(Control::of(&subject, &mut batch)?),
        false => None,
    };
    let aim = learn(arguments, &plan, &subject)?;
    let Firsts { failing, passing } = execute_all(arguments, &plan, &aim, &mut batch, &subject)?;
    batch.recorded.is_interrupted = is_interrupted();
    let told = failing
        .as_ref()
        .map(|failing| tell(failing, &subject, &batch));
    let pinned = match (&failing, &control) {
        (Some(failing), Some(control)) if arguments.pin => {
            Some(pin::pin(failing, &subject, control)?)
        }
        _ => None,
    };
    let kept = match (passing.as_ref().or(failing.as_ref()), &control) {
        (Some(chosen), Some(control)) if arguments.save_trace => {
            let noise = batch.recorded.groups[chosen.group].plan.as_deref();
            let races = !arguments.no_races;
            Some(keep::keep((chosen, noise), &subject, control, races)?)
        }
        _ => None,
    };
    let status = report::status(&batch.recorded);
    let status = kept.as_ref().map_or(status, |kept| status.max(kept.status));
    let saved = match arguments.program.no_save {
        true => None,
        false => Some(batch.recorded.save()?),
    };
    if arguments.program.json {
        let mut json = report::to_json(&batch.recorded, metric);
        json["failure"] = told.map_or(Value::Null, |told| told.json);
        json["pin"] = pinned.map_or(Value::Null, |pinned| pinned.json);
        json["traced"] = kept.map_or(Value::Null, |kept| kept.json);
        json["saved"] = json!(saved.map(|path| path.display().to_string()));
        say!("{json}");
        return Ok(status);
    }
    if let Some(told) = told {
        say!("{}", told.text);
    }
    if let Some(pinned) = pinned {
        say!("{}", pinned.text);
    }
    if let Some(kept) = kept {
        say!("{}", kept.text);
    }
    if !arguments.program.quiet {
        say!(
            "{}",
            report::text(&batch.recorded, metric, arguments.counters)
        );
        if let Some(path) = saved {
            say!("  saved   {}", path.display());
        }
    }
    Ok(status)
}

impl RunArguments {
    /// Where noise may fire, or, if threads are only held back, what is traced.
    fn plan(&self) -> Result<Plan> {
        if !self.is_without_noise() {
            return self.plan.plan();
        }
        let mut plan = Plan::default();
        plan.add("sync")?;
        Ok(plan)
    }

    fn is_without_noise(&self) -> bool {
        (self.ppct.is_some() || self.save_trace) && self.plan.is_nowhere()
    }

    /// Whether nothing is done to the program at all.
    fn is_undisturbed(&self) -> bool {
        self.is_without_noise() && self.ppct.is_none()
    }

    /// Executions without noise, and with it.
    fn counts(&self) -> [u64; 2] {
        if self.is_undisturbed() {
            return [self.baseline.unwrap_or(1), 0];
        }
        let runs = self.runs.unwrap_or(100);
        [self.baseline.unwrap_or(runs), runs]
    }

    /// What is done to the program, in words.
    fn treatment(&self, plan: &Plan) -> String {
        match self.ppct {
            None => plan.to_string(),
            Some(depth) if self.is_without_noise() => format!("ppct:d={depth}"),
            Some(depth) => format!("ppct:d={depth} and {plan}"),
        }
    }

    /// Refuses what makes no sense together.
    fn check(&self, plan: &Plan) -> Result<()> {
        if plan.variables == Variables::Aimed && self.learn == 0 {
            bail!(
                "`--variables aimed` needs places to aim at, which nobody has learned; give --learn N, as in \
             --learn 10"
            );
        }
        if self.is_undisturbed() && self.runs.is_some() {
            bail!(
                "`--runs` counts executions with noise, and no placement is active; say where with --at, or give \
             --baseline N"
            );
        }
        if self.program.same_output && self.baseline == Some(0) {
            bail!(
                "`--same-output` compares with an execution without noise; leave out --baseline 0"
            );
        }
        Ok(())
    }
}

/// Learns where threads come together, without noise. Nothing of these executions is counted.
fn learn(arguments: &RunArguments, plan: &Plan, subject: &Subject) -> Result<Vec<u64>> {
    let mut places = Vec::new();
    if arguments.learn == 0 {
        return Ok(places);
    }
    let mut batch = Batch::new(&arguments.program, subject)?;
    let group = batch.add_group(None);
    let memory = Placements::named("memory").unwrap_or_default();
    for _ in 0..arguments.learn {
        let order = NoiseOrder {
            traced: plan.placements().union(memory),
            counted: Placements::default(),
            ..NoiseOrder::nothing(batch.next_seed(group))
        };
        match batch.execute(group, order)? {
            Some((_, execution)) => places.extend(places_of_conflict(&execution)),
            None => break,
        }
        places.sort_unstable();
        places.dedup();
    }
    if places.is_empty() && !is_interrupted() {
        bail!(
            "{} executions have shown no place that two threads use in common, so that there is nothing to \
             aim at; leave out --learn",
            arguments.learn
        );
    }
    Ok(places)
}

/// The executions to look at closely.
struct Firsts {
    /// The one to tell of: the first that fails with noise, else the first without.
    failing: Option<Chosen>,
    /// The first that passes.
    passing: Option<Chosen>,
}

/// Runs both groups, in turn, so that whatever else the machine does falls on both.
fn execute_all(
    arguments: &RunArguments,
    plan: &Plan,
    aim: &[u64],
    batch: &mut Batch,
    subject: &Subject,
) -> Result<Firsts> {
    batch.add_group(None);
    if !arguments.is_undisturbed() {
        batch.add_group(Some(arguments.treatment(plan)));
    }
    let ppct = |depth| ParallelPpct::new(arguments.program.seed, depth, None, None);
    let mut ppct = arguments.ppct.map(ppct);
    let counts = arguments.counts();
    let total: u64 = counts.iter().sum();
    let is_silent = arguments.program.is_silent();
    let budget = Budget {
        executions: total,
        time: None,
        is_randomised: false,
    };
    let progress = Progress::new(&subject.name, budget, is_silent);
    let mut first: [Option<Chosen>; 2] = [None, None];
    let mut passing = None;
    let mut seen = Seen::default();
    'all: for number in 0..counts[0].max(counts[1]) {
        for group in [WITHOUT, WITH] {
            if number >= counts[group] {
                continue;
            }
            let order = order(arguments, plan, group, batch, aim);
            batch.prioritise(match &mut ppct {
                Some(ppct) if group == WITH => ppct.order(number),
                _ => PriorityOrder::NOBODY,
            });
            let Some((verdict, execution)) = batch.execute(group, order)? else {
                break 'all;
            };
            if let (Some(ppct), WITH) = (&mut ppct, group) {
                ppct.learn(&execution);
            }
            seen.executions += 1;
            seen.failures += u64::from(verdict.is_failure());
            seen.tasks_max = seen.tasks_max.max(execution.threads.len() as u64);
            let place = match verdict.is_failure() {
                true => &mut first[group],
                false => &mut passing,
            };
            if place.is_none() {
                *place = Some(Chosen {
                    group,
                    number: number + 1,
                    verdict,
                    execution,
                });
            }
            if !progress.observe(seen) {
                break 'all;
            }
        }
    }
    progress.finish();
    let [without, with] = first;
    Ok(Firsts {
        failing: with.or(without),
        passing,
    })
}

fn order(
    arguments: &RunArguments,
    plan: &Plan,
    group: usize,
    batch: &Batch,
    aim: &[u64],
) -> NoiseOrder {
    let mut places = batch.places.clone();
    places.extend(aim);
    let mut order = plan.order(batch.next_seed(group), &places);
    order.only_thread = arguments.only_thread.map_or(0, |number| number + 1);
    order.is_aimed = !aim.is_empty();
    if order.is_aimed {
        order.variables = Variables::Aimed;
    }
    if group == WITHOUT || arguments.is_without_noise() {
        order.noised = Placements::default();
    }
    order
}

/// A failure in words and as data.
struct Told {
    text: String,
    json: Value,
}

fn tell(failing: &Chosen, subject: &Subject, batch: &Batch) -> Told {
    let group = &batch.recorded.groups[failing.group];
    let told = &group.executions[failing.number as usize - 1];
    let words = failing.verdict.words();
    let mut text = format!("FAILED  {}  {words}\n", subject.name);
    text.push_str(&format!(
        "  found   free execution {} {}, seed {:#x}",
        failing.number,
        match &group.plan {
            Some(plan) => format!("with {plan}"),
            None => "without noise".to_string(),
        },
        told.seed
    ));
    let stacks = stacks(failing, subject);
    for (thread, frames) in &stacks {
        text.push_str(&format!(
            "\n  where   thread {thread}: {}",
            frames.join(" < ")
        ));
    }
    let last = last_words(failing);
    if let (Some(line), true) = (&last, stacks.is_empty()) {
        text.push_str(&format!("\n  said    {line}"));
    }
    let json = json!({
        "outcome": words,
        "execution": failing.number,
        "noise": group.plan,
        "seed": told.seed,
        "said": last,
        "stacks": stacks.iter().map(|(thread, frames)| json!({"thread": thread, "frames": frames})).collect::<Vec<_>>(),
    });
    Told { text, json }
}

/// The last line that the program wrote, to its standard error if there is one.
fn last_words(failing: &Chosen) -> Option<String> {
    let last = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let line = text.lines().rev().find(|line| !line.trim().is_empty());
        line.map(|line| line.trim().to_string())
    };
    last(&failing.execution.error_output).or_else(|| last(&failing.execution.output))
}

/// Where the threads of an execution were that did not end, in words.
fn stacks(failing: &Chosen, subject: &Subject) -> Vec<(u32, Vec<String>)> {
    let End::TimedOut { stacks, .. } = &failing.execution.end else {
        return Vec::new();
    };
    let options = pin::defaults(&subject.name).map(|(_, drive)| drive);
    let modules = options
        .ok()
        .and_then(|drive| modules_of(&subject.command, &drive).ok());
    let modules = modules.unwrap_or_default();
    let mut naming = Naming::new(&subject.command.program, &modules, &[]);
    let is_runtime = |pc: u64| {
        let mut modules = modules.iter();
        let module = modules.find(|module| (module.start..module.end).contains(&pc));
        module.is_some_and(|module| module.path.ends_with(LIBRARY_NAME))
    };
    let mut name = |frames: &[u64]| -> Vec<String> {
        // The innermost are the handler of our own question and how the kernel called it.
        let told = frames.iter().filter(|&&pc| !is_runtime(pc)).skip(1);
        let told = told.map(|&pc| naming.place(pc.wrapping_sub(1)));
        // Where a library has no names, its addresses say nothing.
        let mut told: Vec<String> = told.filter(|place| !place.contains("+0x")).collect();
        told.dedup();
        told.truncate(8);
        match told.is_empty() {
            true => vec!["it does not answer".to_string()],
            false => told,
        }
    };
    stacks
        .iter()
        .map(|stack| (stack.thread, name(&stack.frames)))
        .collect()
}
