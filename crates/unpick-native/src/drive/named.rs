//! Functions that the user names as scheduling points, found in the files of the program.

use std::path::Path;

use unpick_engine::{Warning, WarningKind};
use unpick_protocol::{Launch, Module, NamedCode};

use super::exploration::Options;
use super::process::{Command, DriveError, Process};
use crate::symbols::functions::Functions;

/// The code of all named functions. The program is started for that, since only then it is known
/// which libraries it has.
pub(super) fn find(
    command: &Command,
    options: &Options,
    launch: Launch,
) -> Result<Vec<NamedCode>, DriveError> {
    if options.point_at.is_empty() {
        return Ok(Vec::new());
    }
    let process = Process::start(command, launch, options.hang_after, None)?;
    let modules = process.answer_to_nothing()?.modules;
    let mut all = Vec::new();
    for name in &options.point_at {
        let (module, found) = search(&command.program, &modules, name);
        match found.names.len() {
            0 => return Err(DriveError::NoFunction { name: name.clone() }),
            1 => {}
            _ => {
                return Err(DriveError::ManyFunctions {
                    name: name.clone(),
                    candidates: found.names.into_iter().collect(),
                });
            }
        }
        all.extend(found.code.into_iter().map(|(start, end)| NamedCode {
            name: name.clone(),
            module: module.clone(),
            start,
            end,
        }));
    }
    Ok(all)
}

/// Looks in the program first, then in its libraries.
fn search(program: &Path, modules: &[Module], name: &str) -> (String, Functions) {
    for module in modules {
        let path = match module.path.is_empty() {
            true => program,
            false => Path::new(&module.path),
        };
        let found = Functions::find(path, name);
        if !found.code.is_empty() {
            return (module.path.clone(), found);
        }
    }
    (String::new(), Functions::default())
}

/// What to say about functions that never began.
pub(super) fn warnings(named: &[NamedCode], entered: &[bool]) -> Vec<Warning> {
    let mut names: Vec<&str> = named.iter().map(|code| code.name.as_str()).collect();
    names.dedup();
    let is_entered = |name: &str| {
        let mut pairs = named.iter().zip(entered);
        pairs.any(|(code, is_entered)| code.name == name && *is_entered)
    };
    let missed = names.into_iter().filter(|name| !is_entered(name));
    let warn = |name: &str| {
        let text = format!(
            "`{name}` was made a scheduling point and never seen to begin: nothing calls it, all \
             calls of it were inlined, or its code is not instrumented or has neither calls nor \
             accesses to memory"
        );
        Warning::new(WarningKind::PointNotReached, text)
    };
    missed.map(warn).collect()
}
