//! `noise`: what noise does to the programs of the IBM concurrency benchmark.
//!
//! F. de Luna, *OSCAR: a noise injection framework for testing concurrent software*, master's thesis, NOVA
//! University Lisbon, 2022, chapter 6 and appendix B. Programs run freely, on real threads, without noise, with
//! sleeps and with yields of several strengths. The thesis prints no numbers for most of its charts; beside what is
//! measured stands what it says in words.
//!
//! Unlike those of other studies, results hang on the machine and on what else it does: nothing here is repeated
//! by a seed. Restarting keeps what was measured.

mod differences;
mod documents;
mod effect;

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use unpick_analysis::compare::{
    Interpretation, Point, SimilarityMetric, Work, interpret, similarities, unique_count,
};
use unpick_native::free::{End, Execution, Session, Setup};
use unpick_native::ibm::{Program, programs};
use unpick_native::install::runtime_library;
use unpick_noise::statistics::Mean;
use unpick_noise::{NoiseOrder, Plan, Strength, Type};

use crate::{Cell, Document, Error, Measurement, Options, Study, is_a};

/// The configurations of the thesis: type and strength, in milliseconds or repetitions.
const CONFIGURATIONS: &[&str] = &[
    "none",
    "sleep:1..5",
    "sleep:1..10",
    "sleep:1..25",
    "yield:1..5",
    "yield:1..10",
    "yield:1..25",
    "yield:1..50",
];

/// How long an execution may take, without and with sleeps.
const TIME_MAX: Duration = Duration::from_secs(4);
const TIME_MAX_ASLEEP: Duration = Duration::from_secs(10);
/// How long all threads may sleep: no program and no noise does so for as long as that.
const ASLEEP_MAX: Duration = Duration::from_secs(1);

/// The study of noise.
pub struct Noise;

/// What came of the executions of a cell.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Measured {
    executions: u64,
    /// Exit codes that tell of the bug, signals, and executions in which nobody went on any more.
    wrong: u64,
    signalled: u64,
    stuck: u64,
    /// Executions that were busy still when their time was over. Nobody knows what would have come of them.
    late: u64,
    /// Distinct traces among those that came to their end.
    unique: u64,
    complete: u64,
    events_mean: f64,
    /// Jaro similarity of all pairs of these.
    similarity_mean: Option<f64>,
    similarity_deviation: Option<f64>,
    time_mean_ms: f64,
    time_deviation_ms: f64,
    /// How often noise fired, in the mean.
    fired_mean: f64,
    /// The most cells that were measured at once meanwhile, this one included.
    at_once: u64,
    /// Why nothing was measured.
    trouble: Option<String>,
}

impl Measured {
    fn failures(&self) -> u64 {
        self.wrong + self.signalled + self.stuck
    }
}

impl Study for Noise {
    fn name(&self) -> &'static str {
        "noise"
    }

    fn summary(&self) -> &'static str {
        "IBM benchmark: what sleeps and yields do to programs that run freely (OSCAR 2022, chapter 6)"
    }

    fn limit_default(&self) -> u64 {
        250
    }

    fn cells(&self, options: &Options) -> Result<Vec<Cell>, Error> {
        let wanted: Vec<&Program> = programs()
            .iter()
            .filter(|program| options.wants(program.name))
            .collect();
        if wanted.is_empty() {
            return Err(Error::NoProgram {
                only: options.only.join(", "),
            });
        }
        let mut chosen = Vec::new();
        for asked in &options.techniques {
            let (kind, strength) = asked.split_once(':').unwrap_or((asked, ""));
            let known: Vec<&str> = CONFIGURATIONS
                .iter()
                .copied()
                .filter(|text| text == asked || text.split(':').next() == Some(asked))
                .collect();
            match known.is_empty() {
                false => chosen.extend(known.into_iter().map(str::to_string)),
                true => {
                    plan(kind, strength, "locks").map_err(Error::Strategy)?;
                    chosen.push(asked.clone());
                }
            }
        }
        if chosen.is_empty() {
            chosen = CONFIGURATIONS.iter().map(ToString::to_string).collect();
        }
        let cell = |program: &Program, technique: &String| Cell {
            program: program.name.to_string(),
            technique: technique.clone(),
            variant: String::new(),
            limit: options.limit,
            seed: options.seed,
        };
        let of_program = |program: &&Program| -> Vec<Cell> {
            chosen
                .iter()
                .map(|technique| cell(program, technique))
                .collect()
        };
        Ok(wanted.iter().flat_map(of_program).collect())
    }

    fn measure(&self, cell: &Cell, is_interrupted: &(dyn Fn() -> bool + Sync)) -> Option<Value> {
        let measured = match measure(cell, is_interrupted) {
            Ok(measured) => measured?,
            Err(trouble) => Measured {
                trouble: Some(trouble),
                ..Measured::default()
            },
        };
        Some(json!(measured))
    }

    fn is_answer(&self, value: &Value) -> bool {
        is_a::<Measured>(value)
    }

    fn documents(&self, options: &Options, measured: &[Measurement]) -> Vec<Document> {
        documents::documents(options, measured)
    }

    fn violations(&self, _options: &Options, measured: &[Measurement]) -> Vec<String> {
        let trouble = |one: &Measurement| {
            let trouble = one.read::<Measured>().trouble?;
            Some(format!("{}: {trouble}", one.cell))
        };
        measured.iter().filter_map(trouble).collect()
    }
}

/// The plan of a configuration; `None` for executions without noise.
fn plan(kind: &str, strength: &str, at: &str) -> Result<Plan, String> {
    let found = Type::ALL.iter().find(|known| known.name() == kind);
    let is_none = kind == "none";
    let Some(&kind) = found.or(is_none.then_some(&Type::Sleep)) else {
        let names: Vec<_> = Type::ALL.iter().map(|known| known.name()).collect();
        return Err(format!(
            "unknown noise `{kind}`; use none, {}",
            names.join(", ")
        ));
    };
    let strength = match strength.is_empty() {
        true => None,
        false => Some(Strength::parse(strength, kind).map_err(|error| error.to_string())?),
    };
    let mut plan = Plan {
        kind,
        strength,
        ..Plan::default()
    };
    plan.add(at).map_err(|error| error.to_string())?;
    Ok(plan)
}

/// Runs the program as often as the cell says; `None` if that was interrupted.
fn measure(
    cell: &Cell,
    is_interrupted: &(dyn Fn() -> bool + Sync),
) -> Result<Option<Measured>, String> {
    let program = programs()
        .iter()
        .find(|program| program.name == cell.program);
    let program = program.ok_or_else(|| format!("internal error: no program {}", cell.program))?;
    // Beside the runtime, in the cache: there files can be written and run.
    let runtime = runtime_library().map_err(|error| error.to_string())?;
    let cache = runtime.parent().and_then(Path::parent).unwrap_or(&runtime);
    let command = program
        .build(&cache.join("ibm"), &[])
        .map_err(|error| error.to_string())?;
    let (kind, strength) = cell
        .technique
        .split_once(':')
        .unwrap_or((&cell.technique, ""));
    let plan = plan(kind, strength, program.noise_at)?;
    let setup = Setup {
        threads_max: 512,
        events_max: 1 << 14,
        time_max: if kind == "sleep" {
            TIME_MAX_ASLEEP
        } else {
            TIME_MAX
        },
        asleep_max: Some(ASLEEP_MAX),
    };
    let mut session = Session::new(&command, setup).map_err(|error| error.to_string())?;
    let mut executions = Vec::new();
    let presence = Presence::new();
    let mut at_once = 0;
    for number in 0..cell.limit {
        let mut order = plan.order(cell.seed.wrapping_add(number), &[]);
        if kind == "none" {
            order.noised = NoiseOrder::nothing(0).noised;
        }
        at_once = presence.count().max(at_once);
        let found = session.execute(&order, &mut || !is_interrupted());
        match found.map_err(|error| error.to_string())? {
            Some(execution) => executions.push(execution),
            None => return Ok(None),
        }
    }
    Ok(Some(Measured {
        at_once,
        ..summed_up(&executions)
    }))
}

static PRESENT: AtomicU64 = AtomicU64::new(0);

/// A cell that is measured: others run beside it and take its processors.
struct Presence;

impl Presence {
    fn new() -> Presence {
        PRESENT.fetch_add(1, Ordering::Relaxed);
        Presence
    }

    /// How many there are.
    fn count(&self) -> u64 {
        PRESENT.load(Ordering::Relaxed)
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        PRESENT.fetch_sub(1, Ordering::Relaxed);
    }
}

fn summed_up(executions: &[Execution]) -> Measured {
    let count =
        |wanted: fn(&End) -> bool| executions.iter().filter(|one| wanted(&one.end)).count() as u64;
    let complete: Vec<&Execution> = executions
        .iter()
        .filter(|one| matches!(one.end, End::Exited(_)) && one.events_lost == 0)
        .collect();
    let trace = |one: &&Execution| -> Vec<Point> {
        let events = one.events.iter();
        let point = |event: &unpick_native::free::Event| Point {
            thread: u64::from(event.thread),
            location: event.pc << 6 | event.placement.number() as u64,
        };
        events.map(point).collect()
    };
    let traces: Vec<_> = complete.iter().map(trace).collect();
    let symbols = interpret(&traces, Interpretation::default());
    let pairs = similarities(&symbols, SimilarityMetric::Jaro, &Work::with_jobs(1));
    let pairs = pairs.expect("internal error: nobody ends the work");
    let mean = |number: fn(&Execution) -> f64| -> Mean { executions.iter().map(number).collect() };
    let time = mean(|one| one.elapsed.as_secs_f64() * 1e3);
    Measured {
        executions: executions.len() as u64,
        wrong: count(|end| matches!(end, End::Exited(code) if *code != 0)),
        signalled: count(|end| matches!(end, End::Signalled(_))),
        stuck: count(|end| {
            matches!(
                end,
                End::TimedOut {
                    is_asleep: true,
                    ..
                }
            )
        }),
        late: count(|end| {
            matches!(
                end,
                End::TimedOut {
                    is_asleep: false,
                    ..
                }
            )
        }),
        unique: unique_count(&symbols) as u64,
        complete: complete.len() as u64,
        events_mean: mean(|one| one.events.len() as f64).mean,
        similarity_mean: pairs.mean().map(|value| value.0),
        similarity_deviation: pairs.deviation(),
        time_mean_ms: time.mean,
        time_deviation_ms: time.deviation(),
        fired_mean: mean(|one| {
            let fired = one.threads.iter().flat_map(|thread| thread.fired);
            fired.sum::<u64>() as f64
        })
        .mean,
        at_once: 0,
        trouble: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configurations_are_those_of_the_thesis_or_asked_for() {
        let options = |techniques: &str| Options {
            limit: 3,
            only: vec!["piper".to_string()],
            techniques: crate::specs(techniques),
            ..Options::default()
        };
        let techniques = |asked: &str| -> Vec<String> {
            let cells = Noise.cells(&options(asked)).unwrap();
            cells.into_iter().map(|cell| cell.technique).collect()
        };
        assert_eq!(techniques(""), CONFIGURATIONS);
        assert_eq!(techniques("none,busy:1..2"), ["none", "busy:1..2"]);
        assert_eq!(techniques("sleep").len(), 3);
        let error = Noise.cells(&options("loud")).unwrap_err().to_string();
        assert!(
            error.starts_with("unknown noise `loud`; use none, "),
            "{error}"
        );
    }

    #[test]
    fn every_program_has_a_plan_and_says_what_its_bug_is() {
        for program in programs() {
            let plan = plan("sleep", "1..5", program.noise_at).unwrap();
            plan.check().unwrap();
            assert!(program.source.starts_with("/* "), "{}", program.name);
            assert!(program.source.contains("Arguments: "), "{}", program.name);
        }
        assert_eq!(programs().len(), 24);
    }
}
