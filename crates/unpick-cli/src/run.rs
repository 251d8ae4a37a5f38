//! `unpick run`: explores a native program.

use crate::Status;
use crate::junit::Case;
use crate::native::{NativeOptions, Presented, explore};
use crate::options::ExplorationArguments;
use crate::output::say;
use crate::progress::listen;
use anyhow::{Result, bail};
use clap::Args;
use std::ffi::OsString;
use unpick::Memory;
use unpick_native::drive::Command;
use unpick_native::install::runtime_library;
use unpick_native::program::Program;

/// Which program, and how.
#[derive(Args)]
pub(crate) struct RunArguments {
    #[command(flatten)]
    options: ExplorationArguments,
    #[command(flatten)]
    native: NativeOptions,
    /// Name under which failures are reported and kept; that of the program by default
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// The program and its arguments
    #[arg(required = true, last = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
}

pub(crate) fn run(arguments: &RunArguments) -> Result<Status> {
    let program = Program::find(&arguments.program[0])?;
    let file = program.path.file_name().unwrap_or_default();
    let name = match &arguments.name {
        Some(name) => name.clone(),
        None => file.to_string_lossy().into_owned(),
    };
    let options = arguments.options.options(&name)?;
    let drive = arguments.native.drive(&options)?;
    if options.memory != Memory::Sc && !program.is_instrumented {
        bail!(
            "`{}` is not instrumented, so that its stores cannot wait as under `{}`; build it with \
             `unpick cc`, `unpick c++` or `cargo unpick`, or leave out --memory",
            program.path.display(),
            options.memory.name()
        );
    }
    let is_silent = options.json || options.quiet;
    if let (Some(warning), false) = (program.warning(), is_silent) {
        eprintln!("warning: {warning}");
    }
    let command = Command {
        program: std::path::absolute(&program.path)?,
        arguments: arguments.program[1..].to_vec(),
        environment: Default::default(),
        directory: None,
        runtime: runtime_library()?,
    };
    listen();
    let mut report = arguments.options.report()?;
    let presented = explore(&name, &command, &drive, &options)?;
    if let Some(report) = &mut report {
        let Presented {
            status,
            json,
            details,
            ..
        } = &presented;
        report.add(Case::new("unpick run", *status, json, details))?;
    }
    if options.json {
        say!("{}", presented.json);
    } else {
        if !presented.details.is_empty() {
            say!("{}", presented.details);
        }
        if let Some(line) = &presented.annotation {
            say!("{line}");
        }
        if !options.quiet {
            say!("{}", presented.summary);
        }
    }
    Ok(presented.status)
}
