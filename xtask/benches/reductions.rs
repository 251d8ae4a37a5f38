//! Whole explorations by reductions, side by side: executions, states that reads can tell apart, and time.
//!
//! `cargo xtask bench mcr` runs this after the questions. Nothing is asserted: a measurement is not a test.

use std::sync::Arc;
use std::time::{Duration, Instant};
use unpick::{Config, Memory};
use unpick_suite::litmus::{CLASSICS, Instruction, Litmus};

/// What is compared.
const TECHNIQUES: [&str; 4] = ["mcr", "se-mcr", "dpor", "odpor"];

/// Executions of one exploration, at most.
const EXECUTIONS_MAX: u64 = 300_000;

/// Time of one exploration, at most.
const TIME_MAX: Duration = Duration::from_secs(20);

/// Programs of the suite.
const PROGRAMS: &[&str] = &[
    "huang.counter:max=1",
    "huang.counter:max=2",
    "huang.counter:max=3",
    "huang.peterson",
    "huang.dekker",
    "huang.fig3_9a:n=2",
    "bounded_buffer",
];

type Body = Arc<dyn Fn() + Send + Sync>;

fn main() {
    println!(
        "| program | memory | states | executions: {} | time |",
        TECHNIQUES.join(" / ")
    );
    println!("|---|---|---|---|---|");
    for label in PROGRAMS {
        let selection = unpick_suite::find(label).expect("it is in the suite");
        compare(
            label,
            &Memory::ALL,
            &(Arc::new(move || selection.run()) as Body),
        );
    }
    for classic in CLASSICS.iter().filter(|one| one.name.contains("amport")) {
        let litmus = Arc::new(Litmus {
            variables: classic.variables,
            tasks: classic.tasks.iter().map(|task| task.to_vec()).collect(),
        });
        compare(
            classic.name,
            &Memory::ALL,
            &(Arc::new(move || drop(litmus.run_tasks())) as Body),
        );
    }
    for count in [2, 4, 6, 8] {
        let mut tasks = vec![vec![Instruction::Write(0, 1)]; count];
        tasks.push(vec![Instruction::Read(0)]);
        let litmus = Arc::new(Litmus {
            variables: 1,
            tasks,
        });
        let name = format!("{count} writers of one value, one reader");
        compare(
            &name,
            &[Memory::Sc],
            &(Arc::new(move || drop(litmus.run_tasks())) as Body),
        );
    }
}

fn config(technique: &str, model: Memory) -> Config {
    Config::new()
        .strategy(technique)
        .executions(EXECUTIONS_MAX)
        .time(TIME_MAX)
        .keep_going(true)
        .confirm(0)
        .memory(model)
}

/// Explores a program by every technique and prints a line for each memory model.
fn compare(name: &str, models: &[Memory], body: &Body) {
    for &model in models {
        let states = {
            let body = Arc::clone(body);
            let found = unpick::explore(config("se-mcr", model).classes(true), move || body());
            found.read_states().unwrap_or_default()
        };
        let (mut executions, mut times) = (Vec::new(), Vec::new());
        for technique in TECHNIQUES {
            let body = Arc::clone(body);
            let start = Instant::now();
            let found = unpick::explore(config(technique, model), move || body());
            let elapsed = start.elapsed().as_secs_f64();
            let mark = if found.complete { "" } else { "+" };
            executions.push(format!("{}{mark}", found.executions));
            times.push(format!("{:.1} ms", elapsed * 1e3));
        }
        let model = model.name();
        println!(
            "| {name} | {model} | {states} | {} | {} |",
            executions.join(" / "),
            times.join(" / ")
        );
    }
}
