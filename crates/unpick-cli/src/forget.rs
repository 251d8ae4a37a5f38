//! `unpick forget`: regressions that are no longer wanted.

use crate::Status;
use crate::output::say;
use anyhow::Result;
use clap::Args;
use unpick::store::Store;

/// Which regressions to drop.
#[derive(Args)]
pub(crate) struct ForgetArguments {
    /// A program or test, the file of its regression, or the id of one of its traces
    #[arg(required = true, value_name = "NAME|REF")]
    names: Vec<String>,
    /// Drop all traces of the program as well
    #[arg(long)]
    traces: bool,
}

pub(crate) fn forget(arguments: &ForgetArguments) -> Result<Status> {
    let store = Store::new("");
    // A slip in one name shall not cost the others.
    let found = arguments.names.iter();
    let found = found.map(|name| store.find_regression(name));
    let found = found.collect::<Result<Vec<_>, _>>()?;
    for regression in found {
        let forgotten = store.forget(&regression, arguments.traces)?;
        let traces = match forgotten.trace_count {
            0 => String::new(),
            1 => " and 1 trace".to_string(),
            count => format!(" and {count} traces"),
        };
        let files: Vec<String> = regression
            .files
            .iter()
            .map(|file| file.display().to_string())
            .collect();
        let files = files.join(", ");
        say!("forgot {}: {files}{traces}", regression.program);
    }
    Ok(Status::Clean)
}
