//! `unpick suite list`: the programs, all or those that are asked for. Runs nothing.

use crate::Status;
use crate::output::say;
use clap::Args;
use clap::builder::PossibleValuesParser;
use serde_json::{Value, json};
use unpick_suite::published::{Bounded, Dfs, IBM, NEEDLEPOINT, Published, Randomised};
use unpick_suite::{BugKind, Program, Source, facts, markdown_table, programs};

/// Which programs to list, and how.
#[derive(Args)]
pub(crate) struct ListArguments {
    /// Only programs whose name, summary or fault contains this; case does not matter
    #[arg(default_value = "")]
    part: String,
    /// Only programs of this source
    #[arg(long, value_name = "NAME", value_parser = sources())]
    source: Option<String>,
    /// Only programs whose fault shows in this way
    #[arg(long, value_name = "KIND", value_parser = kinds())]
    kind: Option<String>,
    /// Only programs with published numbers
    #[arg(long)]
    published: bool,
    /// Only programs with a fixed twin, `NAME:bug=0`
    #[arg(long)]
    twin: bool,
    /// Print one JSON object a program, one a line, with the published numbers
    #[arg(long)]
    json: bool,
    /// Print the tables of docs/suite.md, of all programs
    #[arg(long, conflicts_with_all = ["json", "part", "source", "kind", "published", "twin"])]
    markdown: bool,
}

fn sources() -> PossibleValuesParser {
    Source::ALL
        .iter()
        .map(|source| source.name())
        .collect::<Vec<_>>()
        .into()
}

fn kinds() -> PossibleValuesParser {
    BugKind::ALL
        .iter()
        .map(|kind| kind.name())
        .collect::<Vec<_>>()
        .into()
}

impl ListArguments {
    fn asks_for(&self, program: &Program) -> bool {
        let part = self.part.to_lowercase();
        let texts = [program.name, program.summary, program.fault.unwrap_or("")];
        let kind = facts(program.name).and_then(|facts| facts.kind);
        let is_source = |name: &String| name == program.source.name();
        let is_kind = |name: &String| kind.is_some_and(|kind| kind.name() == name);
        texts.iter().any(|text| text.to_lowercase().contains(&part))
            && self.source.as_ref().is_none_or(is_source)
            && self.kind.as_ref().is_none_or(is_kind)
            && (!self.published || !row_of(program).is_null())
            && (!self.twin || program.has_twin())
    }
}

pub(super) fn list(arguments: &ListArguments) -> Status {
    if arguments.markdown {
        say!("{}", markdown_table().trim_end());
        return Status::Clean;
    }
    let mut status = Status::NothingRan;
    for program in programs().iter().filter(|one| arguments.asks_for(one)) {
        status = Status::Clean;
        match arguments.json {
            true => say!("{}", to_json(program)),
            false => {
                let parameters = match parameters(program) {
                    list if list.is_empty() => String::new(),
                    list => format!("  [{}]", list.join(", ")),
                };
                say!("{:<26} {}{parameters}", program.name, program.summary);
            }
        }
    }
    if status == Status::NothingRan {
        eprintln!("no program is like that: `unpick suite list` shows all");
    }
    status
}

fn parameters(program: &Program) -> Vec<String> {
    let parameters = program.parameters.iter();
    parameters
        .map(|parameter| format!("{}={}", parameter.name, parameter.default))
        .collect()
}

fn to_json(program: &Program) -> Value {
    let known = facts(program.name);
    json!({
        "name": program.name,
        "summary": program.summary,
        "source": program.source.name(),
        "parameters": parameters(program),
        "fault": program.fault,
        "kind": known.and_then(|facts| facts.kind).map(BugKind::name),
        "tasks": known.map(|facts| facts.tasks),
        "points": known.map(|facts| facts.points),
        "twin": program.has_twin(),
        "published": program.published.is_some(),
        "row": row_of(program),
    })
}

/// What was printed of a program; null if nothing was.
fn row_of(program: &Program) -> Value {
    if let Some(row) = program.published {
        return row_to_json(row);
    }
    if let Some(bug) = NEEDLEPOINT.iter().find(|bug| bug.name == program.name) {
        return json!({"points": bug.points, "threads": bug.threads, "depth": bug.depth});
    }
    match IBM.iter().find(|row| row.name == program.name) {
        Some(row) => json!({"noise_calls": row.noise_calls}),
        None => Value::Null,
    }
}

fn row_to_json(row: &Published) -> Value {
    json!({
        "id": row.id,
        "threads": row.threads,
        "enabled_max": row.enabled_max,
        "steps_max": row.steps_max,
        "schedules_max": row.schedules_max,
        "is_modelled_exactly": row.is_modelled_exactly(),
        "ipb": bounded_to_json(&row.ipb),
        "idb": bounded_to_json(&row.idb),
        "dfs": dfs_to_json(&row.dfs),
        "random": randomised_to_json(&row.random),
        "pct": row.pct.iter().map(randomised_to_json).collect::<Vec<_>>(),
        "maple": {"found": row.maple.found, "schedules": row.maple.schedules, "seconds": row.maple.seconds},
    })
}

fn bounded_to_json(row: &Bounded) -> Value {
    json!({
        "found": row.found,
        "bound": row.bound,
        "first": row.first,
        "schedules": row.schedules,
        "new": row.new,
        "buggy": row.buggy,
    })
}

fn dfs_to_json(row: &Dfs) -> Value {
    json!({"found": row.first.is_some(), "first": row.first, "schedules": row.schedules, "buggy": row.buggy})
}

fn randomised_to_json(row: &Randomised) -> Value {
    json!({"found": row.found, "first": row.first, "buggy": row.buggy})
}
