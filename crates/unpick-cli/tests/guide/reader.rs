//! Somebody who follows a page to the letter, in a clone of the project that is nobody else's.

use super::output;
use super::page::{Command, Deed};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{self, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// There is one clone, always at the same place, so that what was built there need not be built again.
static CLONE: Mutex<()> = Mutex::new(());

/// What a new clone has that a reader does not change.
const LINKED: [&str; 3] = ["crates", "docs", "xtask"];

/// Commands that are not typed, and why.
const NOT_TYPED: [(&str, &str); 1] = [(
    "cargo install",
    "the command that the tests have built is installed already",
)];

/// Variables of whoever runs the tests that a reader does not have, by how they begin.
const UNSET: [&str; 9] = [
    "UNPICK_", "CARGO_", "RUST", "LD_", "CI", "GITHUB_", "MAKE", "CC", "CXX",
];

/// How long a command may take. Generous: machines may be busy.
const SECONDS_MAX: &str = "600";

pub struct Reader {
    directory: PathBuf,
    /// Ids of traces: as the page has them, and as they are here.
    ids: Vec<(String, String)>,
    _alone: MutexGuard<'static, ()>,
}

impl Reader {
    /// Stands in the directory of a clone that is as new, but for what was built in it.
    pub fn new() -> Reader {
        let alone = CLONE.lock().unwrap_or_else(PoisonError::into_inner);
        clear(&around());
        let clone = around().join("unpick");
        fs::create_dir_all(&clone).unwrap();
        let root = root();
        for name in LINKED {
            symlink(root.join(name), clone.join(name)).unwrap();
        }
        for name in ["Cargo.toml", "Cargo.lock"] {
            fs::copy(root.join(name), clone.join(name)).unwrap();
        }
        copy(&root.join("examples"), &clone.join("examples"));
        Reader {
            directory: clone,
            ids: Vec::new(),
            _alone: alone,
        }
    }

    pub fn does(&mut self, deed: &Deed) -> Result<(), String> {
        match deed {
            Deed::Write { name, text } => {
                let path = self.directory.join(name);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).map_err(|error| format!("{name}: {error}"))
            }
            Deed::Change { name, old, new } => {
                let path = self.directory.join(name);
                let text = fs::read_to_string(&path).map_err(|error| format!("{name}: {error}"))?;
                match text.matches(old.as_str()).count() {
                    1 => fs::write(path, text.replace(old, new)).map_err(|error| error.to_string()),
                    count => Err(format!("{name} has {count} times instead of once:\n{old}")),
                }
            }
            Deed::Type(commands) => match commands.iter().find_map(reason_to_skip) {
                Some(reason) => {
                    println!("skipped: {reason}");
                    Ok(())
                }
                None => commands.iter().try_for_each(|one| self.types(one)),
            },
        }
    }

    fn types(&mut self, command: &Command) -> Result<(), String> {
        let text = self.with_ids_of_here(&command.text);
        if let Some(path) = text.strip_prefix("cd ") {
            self.directory = self.directory.join(path);
            return match self.directory.is_dir() {
                true => Ok(()),
                false => Err(format!("line {}: there is no {path}", command.line)),
            };
        }
        let output = shell(&text, &self.directory).output().unwrap();
        let printed = String::from_utf8_lossy(&output.stdout);
        let shown = command.output.join("\n");
        self.ids
            .extend(output::ids(&shown).into_iter().zip(output::ids(&printed)));
        let shown: Vec<String> = command
            .output
            .iter()
            .map(|line| self.with_ids_of_here(line))
            .collect();
        let lines: Vec<&str> = printed.lines().collect();
        let is_as_shown = shown.is_empty() || output::is_as_shown(&shown, &lines);
        let code = output.status.code().unwrap_or(-1);
        if code == command.exit_code && is_as_shown {
            return Ok(());
        }
        Err(format!(
            "line {}: $ {text}\nshown, with exit code {}:\n{}\n\nprinted, with exit code {code}:\n{printed}",
            command.line,
            command.exit_code,
            shown.join("\n")
        ))
    }

    fn with_ids_of_here(&self, text: &str) -> String {
        let pairs = self.ids.iter();
        pairs.fold(text.to_string(), |text, (shown, here)| {
            text.replace(shown, here)
        })
    }
}

/// Why a command cannot be typed here, and with it those that stand beside it.
fn reason_to_skip(command: &Command) -> Option<String> {
    let text = &command.text;
    if let Some((_, reason)) = NOT_TYPED.iter().find(|(start, _)| text.starts_with(start)) {
        return Some(format!("`{text}`: {reason}"));
    }
    let debugger = text.contains("--gdb").then_some("gdb");
    let mut tools = text.split('|').filter_map(program).chain(debugger);
    let missing = tools.find(|tool| {
        let here = Path::new(".");
        let found = shell(&format!("command -v {tool}"), here).output().unwrap();
        !tool.contains('/') && !found.status.success()
    })?;
    Some(format!("`{text}`: there is no {missing} here"))
}

/// The program that a command starts, behind the variables that are set for it.
fn program(command: &str) -> Option<&str> {
    let word = command.split_whitespace().next()?;
    let Some((_, value)) = word.split_once('=') else {
        return Some(word);
    };
    let rest = match value.starts_with('"') {
        true => command.splitn(3, '"').nth(2)?,
        false => command.split_once(' ')?.1,
    };
    program(rest)
}

#[test]
fn programs_stand_behind_variables() {
    assert_eq!(program("make all CC=\"unpick cc\""), Some("make"));
    assert_eq!(program("A=1 CXX=\"unpick c++\" cmake -B b"), Some("cmake"));
    assert_eq!(program("A=1"), None);
}

/// A shell in which `unpick` is installed, with both outputs in one, as on a terminal.
fn shell(text: &str, directory: &Path) -> process::Command {
    let installed = Path::new(env!("CARGO_BIN_EXE_unpick")).parent().unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = process::Command::new("timeout");
    command
        .args([SECONDS_MAX, "bash", "-c", &format!("exec 2>&1\n{text}")])
        .current_dir(directory)
        .stdin(Stdio::null());
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        let is_kept = ["CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN"].contains(&name.as_str());
        if !is_kept && UNSET.iter().any(|start| name.starts_with(start)) {
            command.env_remove(name);
        }
    }
    command
        .env("PATH", format!("{}:{path}", installed.display()))
        .env("COLUMNS", "100")
        // One for all pages: they build the same crates.
        .env("CARGO_TARGET_DIR", around().join("target"))
        // What the workspace needs is on this disk: the tests were built from it.
        .env("CARGO_NET_OFFLINE", "true");
    command
}

/// The directory in which the clone lies.
fn around() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("guide")
}

/// The workspace.
fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().unwrap()
}

/// Leaves nothing in a folder but what Cargo has built.
fn clear(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let entry = entry.unwrap();
        let kind = entry.file_type().unwrap();
        if !kind.is_dir() {
            fs::remove_file(entry.path()).unwrap();
        } else if entry.file_name() != "target" {
            clear(&entry.path());
            // Stays if there is a target in it.
            let _ = fs::remove_dir(entry.path());
        }
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name();
        let is_made = ["target", "build", ".unpick"]
            .iter()
            .any(|made| name == *made);
        match entry.path().is_dir() {
            _ if is_made => {}
            true => copy(&entry.path(), &to.join(&name)),
            false => drop(fs::copy(entry.path(), to.join(&name)).unwrap()),
        }
    }
}
