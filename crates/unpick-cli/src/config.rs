//! `unpick config`: the settings that hold, and where each comes from.

use crate::Status;
use crate::options::ExplorationArguments;
use crate::output::say;
use anyhow::Result;
use clap::Args;
use serde_json::{Map, Value as Json, json};
use unpick_config::{Key, Origin, Project, Settings, Value};

/// Which test, and what the command line says besides.
#[derive(Args)]
#[command(after_help = "\
Later ones come before earlier ones: defaults; unpick.toml, for all tests; the profile; what the test \
itself says in its source; sections [test.\"PATTERN\"] of unpick.toml, then those of the profile; \
variables of the environment; the command line.

Examples:
  unpick config
  unpick config bank::tests::transfer --profile ci
  UNPICK_EXECUTIONS=50 unpick config --strategy dfs --json

A file to begin with:
  executions = 2_000

  [profile.ci]
  time = \"2m\"

  [test.\"queue::*\"]
  strategy = \"dfs\"
  executions = 100_000")]
pub(crate) struct ConfigArguments {
    /// The test, as it is called in reports; without it, what holds for tests without a section
    #[arg(value_name = "TEST")]
    test: Option<String>,
    #[command(flatten)]
    options: ExplorationArguments,
}

pub(crate) fn config(arguments: &ConfigArguments) -> Result<Status> {
    let project = arguments.options.project()?;
    let test = arguments.test.as_deref();
    let settings = arguments
        .options
        .settings(&project, test.unwrap_or_default())?;
    match arguments.options.json {
        true => say!("{}", to_json(&project, test, &settings)),
        false => print(&project, test, &settings),
    }
    Ok(Status::Clean)
}

/// What holds for a setting that nobody has given a value.
fn without_value(key: Key, settings: &Settings) -> Option<Value> {
    let races = settings.get(Key::Races).is_none_or(Value::flag);
    match key {
        Key::Points if races => Some(Value::Text("sync".to_string())),
        Key::Points => Some(Value::Text("shared".to_string())),
        _ => None,
    }
}

/// Each setting with its value, if it has one, and its origin.
fn rows(settings: &Settings) -> Vec<(Key, Option<Value>, &Origin)> {
    let row = |&key: &Key| match settings.iter().find(|setting| setting.key == key) {
        Some(setting) => (key, Some(setting.value.clone()), &setting.origin),
        None => (key, without_value(key, settings), &Origin::Default),
    };
    Key::ALL.iter().map(row).collect()
}

fn to_json(project: &Project, test: Option<&str>, settings: &Settings) -> Json {
    let mut object = Map::new();
    for (key, value, origin) in rows(settings) {
        let value = value.map(|value| match value {
            Value::Number(number) => json!(number),
            Value::Flag(flag) => json!(flag),
            Value::Text(_) | Value::Time(_) | Value::Size(_) => json!(value.to_string()),
        });
        let row = json!({ "value": value, "origin": origin.to_string() });
        object.insert(key.name().to_string(), row);
    }
    json!({
        "file": project.path(),
        "profile": project.profile(),
        "profiles": project.profiles(),
        "test": test,
        "settings": object,
    })
}

fn print(project: &Project, test: Option<&str>, settings: &Settings) {
    match project.path() {
        Some(path) => say!("file     {}", path.display()),
        None => say!("file     none: there is no unpick.toml here or above"),
    }
    let profiles = project.profiles().join(", ");
    match project.profile() {
        Some(name) => say!("profile  {name} (there are {profiles})"),
        None => say!("profile  none (there are {profiles})"),
    }
    match test {
        Some(name) => say!("test     {name}\n"),
        None => say!("test     any without a section of its own\n"),
    }
    for (key, value, origin) in rows(settings) {
        let value = match value {
            Some(Value::Number(seed)) if key == Key::Seed => format!("{seed:#x}"),
            Some(value) => value.to_string(),
            None if key == Key::MaxMemory => "3/4 of all".to_string(),
            None => "no limit".to_string(),
        };
        say!("{:<15} {value:<15} {origin}", key.name());
    }
    say!(
        "\nWhat a test says in its source comes before the profile and what the file says for all tests; \
         it is not\nshown here, and neither are the defaults of `unpick::Config` where they differ."
    );
}
