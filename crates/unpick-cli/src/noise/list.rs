//! `unpick noise list`: where noise may fire, and of which types.

use super::subject;
use crate::Status;
use crate::output::say;
use crate::progress::{is_interrupted, listen};
use anyhow::{Result, bail};
use clap::Args;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::time::Duration;
use unpick::parse_duration;
use unpick_native::free::{End, Execution, Session, Setup};
use unpick_noise::{Category, NoiseOrder, Operation, Placement, Placements, Side, Type, Variables};

/// What to list.
#[derive(Args)]
pub(crate) struct ListArguments {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// How long the execution may take that is counted
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = parse_duration)]
    timeout: Duration,
    /// A program and its arguments; it is run once, and how often it comes to each placement is told
    #[arg(last = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
}

pub(crate) fn list(arguments: &ListArguments) -> Result<Status> {
    let execution = match arguments.program.is_empty() {
        true => None,
        false => Some(count(arguments)?),
    };
    let reached = |placement: Placement| execution.as_ref().map(|one| one.count(placement).0);
    if arguments.json {
        let placement = |one: Placement| {
            json!({
                "placement": one.name(),
                "operation": one.operation.name(),
                "category": one.operation.category().name(),
                "meaning": one.operation.meaning(),
                "reached": reached(one),
            })
        };
        let types = Type::ALL
            .iter()
            .map(|kind| json!({"type": kind.name(), "meaning": kind.meaning()}));
        say!(
            "{}",
            json!({
                "placements": Placement::all().map(placement).collect::<Vec<Value>>(),
                "types": types.collect::<Vec<Value>>(),
            })
        );
        return Ok(Status::Clean);
    }
    for category in Category::ALL {
        say!("{}", category.name());
        for operation in Operation::ALL
            .iter()
            .filter(|one| one.category() == *category)
        {
            let sides = operation.sides().iter().map(|&side| Placement {
                operation: *operation,
                side,
            });
            let counts: Vec<String> = sides
                .clone()
                .filter_map(reached)
                .map(|n| n.to_string())
                .collect();
            let counts = match counts.is_empty() {
                true => String::new(),
                false => format!("  [{}]", counts.join(" ")),
            };
            let sides: Vec<&str> = sides.map(|one| side_name(one.side)).collect();
            let (name, sides) = (operation.name(), sides.join(", "));
            say!("  {name:<12} {sides:<14} {}{counts}", operation.meaning());
        }
    }
    say!("\nsync: all but memory, io and sleeps. all: everything.\n\ntypes");
    for kind in Type::ALL {
        say!("  {:<12} {}", kind.name(), kind.meaning());
    }
    say!(
        "\nUse them as --at PLACEMENT,… --type TYPE, for example --at locks,before-store --type yield."
    );
    Ok(Status::Clean)
}

fn side_name(side: Side) -> &'static str {
    match side {
        Side::Before => "before",
        Side::After => "after",
    }
}

/// Runs the program once, without noise, and counts.
fn count(arguments: &ListArguments) -> Result<Execution> {
    let subject = subject(&arguments.program, None)?;
    let setup = Setup {
        time_max: arguments.timeout,
        ..Setup::default()
    };
    listen();
    let mut session = Session::new(&subject.command, setup)?;
    let order = NoiseOrder {
        counted: Placements::all(),
        variables: Variables::Shared,
        ..NoiseOrder::nothing(0)
    };
    match session.execute(&order, &mut || !is_interrupted())? {
        Some(execution) => {
            if execution.end != End::Exited(0) && !arguments.json {
                eprintln!("warning: the program did not end well; counts go up to its end");
            }
            Ok(execution)
        }
        None => bail!("the program was ended before its time; nothing was counted"),
    }
}
