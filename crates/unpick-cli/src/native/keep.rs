//! Native failures on disk: what is needed to run them again.

use crate::options::ExplorationOptions;
use crate::place::relative;
use crate::trust::check_command;
use anyhow::{Context, Result, bail};
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Component, Path, PathBuf};
use unpick::store::binary_key;
use unpick::trace::Record;
use unpick_native::drive::{Command, Explored, Options};
use unpick_native::install::runtime_library;
use unpick_native::protocol::{Backend, Points};

/// The beginning of the names under which native failures are kept.
pub(crate) const PREFIX: &str = "native:";

/// How a native failure was found.
pub(super) struct Origin {
    pub(super) command: Command,
    pub(super) options: Options,
    pub(super) shared: Vec<u64>,
}

/// What must be the same for all shards besides program, strategy and seed.
pub(super) fn common_text(options: &Options, all: &ExplorationOptions) -> String {
    let mut text = format!(
        "{} points={} processors={}",
        all.text(),
        points_word(options.points),
        options.processors
    );
    for name in &options.point_at {
        text.push_str(&format!(" point-at={}", escape(name.as_bytes())));
    }
    text
}

/// The words that a trace's header holds for a native program, besides those for every program.
pub(super) fn settings_text(command: &Command, options: &Options, explored: &Explored) -> String {
    let mut words = vec![
        format!("races={}", u8::from(options.races)),
        format!("points={}", points_word(options.points)),
        format!("processors={}", options.processors),
        format!("backend={}", explored.backend.word()),
        format!("program={}", escape_path(&command.program)),
    ];
    for name in &options.point_at {
        words.push(format!("point-at={}", escape(name.as_bytes())));
    }
    for argument in &command.arguments {
        words.push(format!("argument={}", escape(argument.as_bytes())));
    }
    for (name, value) in &command.environment {
        let setting = [name.as_bytes(), value.as_bytes()].join(&b'=');
        words.push(format!("environment={}", escape(&setting)));
    }
    if let Some(directory) = &command.directory {
        words.push(format!("directory={}", escape_path(directory)));
    }
    for pc in &explored.shared {
        words.push(format!("shared={pc:x}"));
    }
    words.join(" ")
}

/// The name under which failures of a program are kept: that of a test has its package and its binary before it, since
/// several binaries may have a test of one name.
pub(super) fn key_of(name: &str, command: &Command) -> String {
    if !is_test(command) || name.contains('/') {
        return name.to_string();
    }
    let here = std::env::current_dir().unwrap_or_default();
    let directory = here.file_name().unwrap_or_default().to_string_lossy();
    let package = std::env::var("CARGO_PKG_NAME").unwrap_or_else(|_| directory.into_owned());
    format!("{package}/{}/{name}", binary_key(&command.program))
}

/// The name that is printed for what is kept under a key.
pub(super) fn name_of<'a>(key: &'a str, command: &Command) -> &'a str {
    match is_test(command) {
        true => key.rsplit('/').next().unwrap_or(key),
        false => key,
    }
}

/// Whether a program is one test of a test binary.
fn is_test(command: &Command) -> bool {
    command
        .arguments
        .first()
        .is_some_and(|one| one == "--exact")
}

/// Reads these words, to run that very program again. They are those of a trace of the project in `base`; a program of
/// another one is only run if that is allowed.
pub(super) fn origin_to_run(
    record: &Record,
    options: Options,
    base: &Path,
    is_allowed: bool,
) -> Result<Origin> {
    let origin = origin_of(record, options, base)?;
    let program = &origin.command.program;
    if !program.is_file() {
        bail!(
            "{} is not there any more; build it again, then `unpick run` or `cargo unpick test`",
            program.display()
        );
    }
    check_command(&origin.command, base, is_allowed)?;
    Ok(origin)
}

/// Reads these words. `options` are those for everything that the header does not tell.
pub(super) fn origin_of(record: &Record, mut options: Options, base: &Path) -> Result<Origin> {
    let mut command = Command {
        program: PathBuf::new(),
        arguments: Vec::new(),
        environment: Default::default(),
        directory: None,
        runtime: runtime_library()?,
    };
    let mut shared = Vec::new();
    for word in record.header.settings.split_whitespace() {
        let Some((name, value)) = word.split_once('=') else {
            continue;
        };
        match name {
            "races" => options.races = value != "0",
            "points" => options.points = points_of(value),
            "point-at" => {
                let name = unescape(value);
                options.point_at.push(name.to_string_lossy().into_owned());
            }
            "backend" => options.backend = backend_of(value),
            "processors" => options.processors = value.parse().unwrap_or(2),
            "program" => command.program = unescape_path(value, base)?,
            "argument" => command.arguments.push(unescape(value)),
            "environment" => {
                let setting = unescape(value).into_vec();
                let mut parts = setting.splitn(2, |&byte| byte == b'=').map(<[u8]>::to_vec);
                let name = OsString::from_vec(parts.next().unwrap_or_default());
                let value = OsString::from_vec(parts.next().unwrap_or_default());
                command.environment.insert(name, value);
            }
            "directory" => command.directory = Some(unescape_path(value, base)?),
            "shared" => {
                let pc = u64::from_str_radix(value, 16);
                shared.push(pc.context("a `shared` word of the trace is no number")?);
            }
            _ => {}
        }
    }
    Ok(Origin {
        command,
        options,
        shared,
    })
}

fn backend_of(word: &str) -> Option<Backend> {
    let all = [Backend::Fibers, Backend::Threads];
    all.into_iter().find(|backend| backend.word() == word)
}

fn points_word(points: Points) -> &'static str {
    match points {
        Points::Sync => "sync",
        Points::Racy => "racy",
        Points::Shared => "shared",
        Points::All => "all",
    }
}

fn points_of(word: &str) -> Points {
    match word {
        "racy" => Points::Racy,
        "shared" => Points::Shared,
        "all" => Points::All,
        _ => Points::Sync,
    }
}

/// A path as seen from here, where `.unpick` is, so that it means the same on another machine.
fn escape_path(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    escape(relative(path, &here).as_os_str().as_bytes())
}

fn unescape_path(word: &str, base: &Path) -> Result<PathBuf> {
    let path = unescape(word);
    anyhow::ensure!(!path.is_empty(), "`{word}` of the trace is no path");
    // Without what leads up and down again: the program may look at its own name.
    let mut whole = base.to_path_buf();
    for part in Path::new(&path).components() {
        match part {
            Component::ParentDir => drop(whole.pop()),
            Component::CurDir => {}
            part => whole.push(part),
        }
    }
    Ok(whole)
}

/// Bytes as a word without spaces.
fn escape(bytes: &[u8]) -> String {
    let mut word = String::new();
    for &byte in bytes {
        match byte {
            b'!'..=b'$' | b'&'..=b'~' => word.push(char::from(byte)),
            _ => word.push_str(&format!("%{byte:02x}")),
        }
    }
    word
}

fn unescape(word: &str) -> OsString {
    let bytes = word.as_bytes();
    let mut text = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = word
            .get(at + 1..at + 3)
            .filter(|_| bytes[at] == b'%')
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        text.push(code.unwrap_or(bytes[at]));
        at += if code.is_some() { 3 } else { 1 };
    }
    OsString::from_vec(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back_as_they_were() {
        for text in ["", "plain", "with space", "100%", "%41", "ünï\ncode", "a=b"] {
            let word = escape(text.as_bytes());
            assert!(!word.contains(char::is_whitespace));
            assert_eq!(unescape(&word), OsString::from(text));
        }
    }

    #[test]
    fn paths_mean_the_same_where_the_project_lies_elsewhere() {
        let here = std::env::current_dir().unwrap();
        for (path, word) in [
            (here.join("build/a b"), "build/a%20b"),
            (here.clone(), "."),
            (PathBuf::from("/bin/true"), "/bin/true"),
        ] {
            assert_eq!(escape_path(&path), word);
            assert_eq!(unescape_path(word, &here).unwrap(), path);
        }
        assert!(unescape_path("", &here).is_err());
        let base = Path::new("/project/member");
        let path = unescape_path("../target/x", base).unwrap();
        assert_eq!(path, Path::new("/project/target/x"));
    }
}
