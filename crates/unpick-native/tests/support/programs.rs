//! What the tests of native programs share: building them, exploring them, naming what they come to.
//!
//! `UNPICK_EFFORT=full` (set by `cargo xtask native`) makes the same tests run for as long as the
//! promises of the project ask; without it they take seconds.

#![allow(dead_code)]

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use unpick_config::room::Room;
use unpick_engine::{Limits, Settings};
use unpick_native::compile::{self, Language};
use unpick_native::drive::{Command, Options};
use unpick_native::install::runtime_library;
use unpick_protocol::{Backend, Points, Reexecution};
use unpick_trace::{FailureKind, Outcome};

/// The ways in which every execution must come out the same.
pub const WAYS: [(Backend, Reexecution); 5] = [
    (Backend::Fibers, Reexecution::Snapshot),
    (Backend::Fibers, Reexecution::Fork),
    (Backend::Threads, Reexecution::Fork),
    (Backend::Fibers, Reexecution::Exec),
    (Backend::Threads, Reexecution::Exec),
];

/// Whether to run for long.
pub fn is_full() -> bool {
    std::env::var("UNPICK_EFFORT").is_ok_and(|value| value == "full")
}

/// A program of the table.
#[derive(Clone, Debug)]
pub struct Line {
    /// Where it is, below `tests/programs`.
    pub path: String,
    /// What the buggy one may fail with.
    pub kinds: Vec<String>,
}

/// The programs of `tests/programs/table.txt`.
pub fn table() -> Vec<Line> {
    table_of("table.txt")
}

/// The programs of another table below `tests/programs`.
pub fn table_of(path: &str) -> Vec<Line> {
    let text = fs::read_to_string(programs().join(path)).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let read = |line: &str| {
        let mut words = line.split_whitespace();
        Some(Line {
            path: words.next()?.to_string(),
            kinds: words.next()?.split('|').map(str::to_string).collect(),
        })
    };
    let lines: Vec<Line> = lines.filter_map(read).collect();
    let paths: BTreeSet<&str> = lines.iter().map(|line| line.path.as_str()).collect();
    assert_eq!(paths.len(), lines.len(), "a program is in the table twice");
    lines
}

fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs")
}

/// A directory of its own for a test, removed at its end.
pub struct Place(pub PathBuf);

impl Place {
    pub fn new(name: &str) -> Place {
        let path = std::env::temp_dir().join(format!("unpick-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Place(path)
    }

    /// Builds a program of `tests/programs`, as `unpick cc` and `unpick c++` do.
    pub fn build(&self, path: &str, is_fixed: bool) -> Command {
        let flags: &[&str] = if is_fixed { &["-DFIXED"] } else { &[] };
        self.build_with(path, flags)
    }

    /// The same with flags for the compiler.
    pub fn build_with(&self, path: &str, flags: &[&str]) -> Command {
        let name = path.replace(['/', '.'], "-");
        Command {
            program: self.compile(path, &format!("{name}{}", flags.concat()), flags),
            arguments: Vec::new(),
            environment: BTreeMap::new(),
            directory: None,
            runtime: runtime_library().unwrap(),
        }
    }

    /// Builds a library of `tests/programs`, for programs that load it.
    pub fn build_library(&self, path: &str) -> PathBuf {
        let name = path.replace(['/', '.'], "-");
        self.compile(path, &format!("{name}.so"), &["-shared", "-fPIC"])
    }

    fn compile(&self, path: &str, name: &str, flags: &[&str]) -> PathBuf {
        let file = self.0.join(name);
        let (language, standard) = match path.ends_with(".cc") {
            true => (Language::Cpp, "-std=c++20"),
            false => (Language::C, "-std=gnu11"),
        };
        let mut arguments = vec![standard.into(), "-O1".into(), "-g".into()];
        arguments.extend(flags.iter().map(OsString::from));
        arguments.extend([
            programs().join(path).into(),
            "-o".into(),
            file.clone().into_os_string(),
            "-pthread".into(),
        ]);
        let status = compile::command(language, &arguments).unwrap().status();
        assert!(status.unwrap().success(), "{path} does not compile");
        file
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The options that a user has who asks for nothing but a strategy and a number of executions.
pub fn options(strategy: &str, executions: u64) -> Options {
    Options {
        strategy: strategy.into(),
        seed: 0x5eed,
        limits: Limits {
            executions_max: executions,
            keep_going: false,
            fingerprint: true,
            classes: false,
            coverage: false,
            races: false,
        },
        time: None,
        room: Room::new(None),
        settings: Settings::default(),
        races: true,
        points: Points::Sync,
        point_at: Vec::new(),
        backend: None,
        reexecution: None,
        processors: 2,
        confirm: 50,
        shrink: 0,
        jobs: 1,
        shard: None,
        // Tests must not fail because the machine is busy.
        hang_after: Duration::from_secs(120),
        shows_output: false,
    }
}

/// The table's word for an outcome.
pub fn kind(outcome: &Outcome) -> &'static str {
    let failure = match outcome {
        Outcome::Fail(failure) => failure,
        other => return other.word(),
    };
    match failure.kind {
        FailureKind::Abort if failure.message.starts_with("assertion `") => "assert",
        FailureKind::Abort => "abort",
        FailureKind::Panic => "panic",
        FailureKind::Misuse => "misuse",
        FailureKind::DataRace => "race",
        FailureKind::StackOverflow | FailureKind::Signal => "signal",
        FailureKind::ExitCode => "exit",
        FailureKind::UseAfterFree => "use-after-free",
        FailureKind::InvalidFree => "double-free",
        FailureKind::Livelock => "livelock",
        FailureKind::StepLimit => "step-limit",
        FailureKind::OutOfBounds => "overflow",
    }
}

/// Does something with every program, on as many threads as there are processors. What went wrong
/// comes back in the order of the programs.
pub fn each(lines: &[Line], work: impl Fn(&Line) -> Vec<String> + Sync) -> Vec<String> {
    let next = AtomicUsize::new(0);
    let wrong: Mutex<BTreeMap<usize, Vec<String>>> = Mutex::default();
    let count = thread::available_parallelism().map_or(1, |count| count.get());
    thread::scope(|scope| {
        for _ in 0..count {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(line) = lines.get(index) else { return };
                    let found = work(line);
                    if is_full() {
                        let state = if found.is_empty() { "ok" } else { "WRONG" };
                        eprintln!("{:>3} of {} {} {state}", index + 1, lines.len(), line.path);
                    }
                    wrong.lock().unwrap().insert(index, found);
                }
            });
        }
    });
    wrong
        .into_inner()
        .unwrap()
        .into_values()
        .flatten()
        .collect()
}
