//! `cargo xtask bench native`: how fast native programs are explored, beside the speeds asked for.
//!
//! Rates are by processor time, as the kernel counts it for child processes, because the machine may
//! have other things to do; start-up of the process is part of it. The ways to run take turns, and the
//! median of each counts: a fork takes longer in one minute than in another.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::workspace;

/// A program to measure.
struct Subject {
    name: &'static str,
    /// Its source in `tests/programs`, or the example it is a test of.
    from: &'static str,
    /// The test, for an example.
    test: &'static str,
    /// Executions per second that a snapshot must reach.
    bar: u64,
}

const SUBJECTS: &[Subject] = &[
    Subject {
        name: "C, two locks",
        from: "c/ab_ba.c",
        test: "",
        bar: 50_000,
    },
    Subject {
        name: "C, lost wake-up",
        from: "c/lost_wakeup.c",
        test: "",
        bar: 50_000,
    },
    Subject {
        name: "Rust, std",
        from: "rust-std",
        test: "fixed::tests::transfers_do_not_overdraw",
        bar: 10_000,
    },
    Subject {
        name: "Rust, parking_lot",
        from: "rust-parking-lot",
        test: "fixed::tests::the_printer_gets_the_job",
        bar: 10_000,
    },
    Subject {
        name: "Rust, tokio",
        from: "rust-tokio",
        test: "fixed::tests::every_ticket_is_sold_once",
        bar: 2_000,
    },
];

/// Ways to run, with the number of executions that are measured.
const WAYS: &[(&str, &str, u64)] = &[
    ("fibers", "snapshot", 40_000),
    ("fibers", "fork", 1_500),
    ("threads", "fork", 1_000),
];

/// Times that a program is simply started.
const STARTS: u64 = 300;

/// Turns of each way.
const TURNS: usize = 3;

/// How much faster a snapshot must be than a fork.
const SNAPSHOT_BAR: f64 = 20.0;
/// Nanoseconds of a hand-over from task to task.
const SWITCH_BAR: u64 = 100;
/// Operations of each of the two tasks of `points.c`, and executions of it: short ones, because a trace
/// that grows is paid for in page faults.
const ROUNDS: u64 = 2_000;
const REPEATS: u64 = 1_000;

/// Measures everything; says whether every bar was reached.
pub fn measure(root: &Path) -> Result<bool> {
    let unpick = workspace::unpick(root)?;
    let folder = root.join("target/native-bench");
    fs::create_dir_all(&folder)?;
    let mut all_well = true;
    println!(
        "{:<20} {:>12} {:>12} {:>12} {:>12} {:>12}   bars",
        "executions/s", "snapshot", "fork", "threads", "fork+exec", "snapshot/fork"
    );
    for subject in SUBJECTS {
        let Some(program) = prepare(root, &unpick, &folder, subject)? else {
            println!(
                "{:<20} skipped: its dependencies cannot be had here",
                subject.name
            );
            continue;
        };
        let [snapshot, fork, threads, start] = rates(&unpick, &program)?;
        let ratio = snapshot as f64 / fork.max(1) as f64;
        let is_well = snapshot >= subject.bar && ratio >= SNAPSHOT_BAR;
        all_well &= is_well;
        println!(
            "{:<20} {snapshot:>12} {fork:>12} {threads:>12} {start:>12} {ratio:>12.1}x  {} and {SNAPSHOT_BAR}x: {}",
            subject.name,
            subject.bar,
            verdict(is_well)
        );
    }
    all_well &= points(root, &unpick, &folder)?;
    Ok(all_well)
}

/// Executions of a program per second, in each way and by simply starting it.
fn rates(unpick: &Path, program: &Program) -> Result<[u64; 4]> {
    let mut rates = [[0; TURNS]; 4];
    for turn in 0..TURNS {
        for (rates, (backend, reexec, executions)) in rates.iter_mut().zip(WAYS) {
            let mut command = Command::new(unpick);
            command
                .args(["run", "--json", "--no-save", "--keep-going"])
                .args(["--strategy", "random"])
                .args(["--backend", backend, "--reexec", reexec])
                .args(["--executions", &executions.to_string(), "--"]);
            program.add_to(&mut command);
            rates[turn] = rate(*executions, processor_time(&mut command)?);
        }
        let start = processor_time_of_all(STARTS / TURNS as u64, || {
            let mut command = Command::new(&program.file);
            command.args(&program.arguments);
            command
        })?;
        rates[3][turn] = rate(STARTS / TURNS as u64, start);
    }
    Ok(rates.map(|mut rates| {
        rates.sort_unstable();
        rates[TURNS / 2]
    }))
}

/// The cost of a scheduling point, with and without another task going on.
fn points(root: &Path, unpick: &Path, folder: &Path) -> Result<bool> {
    let file = compile(root, unpick, folder, "measured/points.c")?;
    let mut all_well = true;
    for (what, strategy, bar) in [
        ("mostly the same task", "preempt-bound", None),
        ("mostly a hand-over", "preempt-always", Some(SWITCH_BAR)),
    ] {
        let cost = |rounds: u64| -> Result<u64> {
            let mut command = Command::new(unpick);
            command
                .args(["run", "--json", "--no-save", "--executions"])
                .arg(REPEATS.to_string())
                .args(["--backend", "fibers", "--reexec", "snapshot", "--strategy"])
                .args([strategy, "--"])
                .arg(&file)
                .arg(rounds.to_string());
            processor_time(&mut command)
        };
        let whole = cost(ROUNDS)?.saturating_sub(cost(1)?);
        let nanoseconds = whole * 1_000_000 / (2 * ROUNDS * REPEATS);
        let is_well = bar.is_none_or(|bar| nanoseconds <= bar);
        all_well &= is_well;
        let bar = match bar {
            Some(bar) => format!("at most {bar} ns: {}", verdict(is_well)),
            None => "no bar".to_string(),
        };
        println!("point, {what:<22} {nanoseconds:>6} ns   {bar}");
    }
    Ok(all_well)
}

fn verdict(is_well: bool) -> &'static str {
    if is_well { "reached" } else { "MISSED" }
}

/// A program that can be run.
struct Program {
    file: PathBuf,
    arguments: Vec<&'static str>,
}

impl Program {
    fn add_to(&self, command: &mut Command) {
        // As `cargo unpick test` does: libtest reads the description of the terminal otherwise.
        command.env("TERM", "").env("RUST_BACKTRACE", "0");
        command.arg(&self.file).args(&self.arguments);
    }
}

/// Builds a program, instrumented. `None` if what it needs is not here.
fn prepare(root: &Path, unpick: &Path, folder: &Path, of: &Subject) -> Result<Option<Program>> {
    if of.test.is_empty() {
        return Ok(Some(Program {
            file: compile(root, unpick, folder, of.from)?,
            arguments: Vec::new(),
        }));
    }
    let example = root.join("examples").join(of.from);
    let fetched = workspace::command(&example, "cargo")
        .args(["fetch", "--locked", "--quiet"])
        .status()?;
    if !fetched.success() {
        return Ok(None);
    }
    let target = folder.join(of.from);
    let mut command = workspace::command(&example, &unpick.to_string_lossy());
    command
        .args([
            "cargo",
            "test",
            "--quiet",
            "--executions",
            "1",
            "--no-save",
            "--lib",
        ])
        .args(["--", of.test])
        .env("CARGO_TARGET_DIR", &target)
        .stdout(Stdio::null());
    ensure!(command.status()?.success(), "{} does not build", of.from);
    let file = newest_test(&target, &of.from.replace('-', "_"))?;
    Ok(Some(Program {
        file,
        arguments: vec!["--exact", of.test, "--test-threads=1"],
    }))
}

fn compile(root: &Path, unpick: &Path, folder: &Path, path: &str) -> Result<PathBuf> {
    let source = root.join("crates/unpick-native/tests/programs").join(path);
    let file = folder.join(path.replace(['/', '.'], "-"));
    let status = Command::new(unpick)
        .args(["cc", "-O1", "-g", "-DFIXED", "-pthread", "-o"])
        .args([&file, &source])
        .status()?;
    ensure!(status.success(), "{path} does not compile");
    Ok(file)
}

/// The test binary of a crate that was built last.
fn newest_test(folder: &Path, name: &str) -> Result<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            let file = path.file_name().unwrap_or_default().to_string_lossy();
            if path.is_dir() {
                folders.push(path);
            } else if file.starts_with(&format!("{name}-")) && path.extension().is_none() {
                found.push((fs::metadata(&path)?.modified()?, path));
            }
        }
    }
    match found.into_iter().max() {
        Some((_, path)) => Ok(path),
        None => bail!("no test binary of {name} in {}", folder.display()),
    }
}

/// Processor time of a command, in milliseconds.
fn processor_time(command: &mut Command) -> Result<u64> {
    let before = time_of_children()?;
    let output = command.stdin(Stdio::null()).output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{command:?} fails: {said}");
    Ok(time_of_children()? - before)
}

fn processor_time_of_all(count: u64, command: impl Fn() -> Command) -> Result<u64> {
    let before = time_of_children()?;
    for _ in 0..count {
        processor_time(&mut command())?;
    }
    Ok(time_of_children()? - before)
}

/// Processor time of all children that have ended, in milliseconds.
fn time_of_children() -> Result<u64> {
    // The kernel counts in hundredths of a second, whatever its own clock.
    const TICK_MS: u64 = 10;
    let text = fs::read_to_string("/proc/self/stat").context("cannot read /proc/self/stat")?;
    let (_, fields) = text
        .rsplit_once(')')
        .context("/proc/self/stat has no name")?;
    let ticks = fields.split_whitespace().skip(13).take(2);
    let ticks: u64 = ticks.map(|field| field.parse::<u64>().unwrap_or(0)).sum();
    Ok(ticks * TICK_MS)
}

fn rate(count: u64, milliseconds: u64) -> u64 {
    count * 1_000 / milliseconds.max(1)
}
