//! Finds the bug of the bank, prints it and replays it. Exits with 1, as a failing test would.

use bank::{Bank, two_transfers};
use std::process::ExitCode;
use unpick::report::{FailureReport, Way, headline, schedule};
use unpick::store::Store;
use unpick::{Config, explore, record, replay, understand};

fn main() -> ExitCode {
    let program = || two_transfers(Bank::transfer);
    let config = Config::new().strategy("pct:d=2").executions(1_000);
    let found = explore(config.clone(), program);
    let Some(first) = &found.first_failure else {
        println!("nothing found in {} executions", found.executions);
        return ExitCode::SUCCESS;
    };
    let understood = understand(&config, &program, first);
    let (failure, known) = match &understood {
        Some((failure, known)) => (failure, Some(known)),
        None => (&**first, None),
    };
    let kept = record(&config, "bank", failure, known);
    let saved = match Store::new("").save(&kept) {
        Ok(saved) => saved.regression.display().to_string(),
        Err(error) => format!("nothing: {error}"),
    };
    let report = FailureReport {
        name: "two_transfers",
        outcome: &failure.outcome,
        trace: &failure.trace,
        known,
        execution: failure.execution,
        executions_max: 1_000,
        way: Way::of(failure.is_directed),
        strategy: "pct:d=2",
        member: failure.member.as_deref(),
        seed: 0x5eed,
        replay: "below, at once",
        saved: &saved,
    };
    println!("{report}\n");
    let again = replay(&config, &program, failure.trace.clone());
    match again.first_failure {
        Some(again) if again.trace == failure.trace => {
            println!(
                "Replayed: the same {} steps, and again",
                again.trace.steps.len()
            );
            println!("  {}\n", headline(&again.outcome, &again.trace));
            println!(
                "The schedule, `>` where another task goes on:\n{}",
                schedule(&kept.replayed(&again.trace, &again.outcome))
            );
        }
        _ => println!("The replay differs: the program is not deterministic."),
    }
    ExitCode::from(1)
}
