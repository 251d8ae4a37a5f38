//! `cargo unpick test`: explores the unmodified tests of a crate.
//!
//! Two roles: the command that the user calls builds by Cargo; for each test binary Cargo calls
//! `unpick cargo run-test`, which explores its tests and leaves a tally for the first.

mod explorer;
mod split;

use crate::found;
use crate::junit::Report;
use crate::native::NativeOptions;
use crate::options::ExplorationArguments;
use crate::output::{line, say};
use crate::place::set_typed_in;
use crate::progress::{is_interrupted, listen};
use crate::{Status, USAGE_ERROR, exit_code};
use anyhow::{Context, Result, anyhow, bail};
use clap::{Args, CommandFactory as _, Parser};
use explorer::ProcessExplorer;
use split::Split;
use std::ffi::OsString;
use std::os::fd::RawFd;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;
use unpick::report::count;
use unpick_native::cargo::{
    HarnessOptions, Output, Tally, TestBuild, Toolchain, explore_tests, file_with_lost_flags,
    own_flags,
};
use unpick_native::install::runtime_library;
use unpick_native::lifetime;
use unpick_native::memory_file::MemoryFile;

/// Explore the tests of a crate, unmodified: each is run again and again under schedules that the
/// strategy chooses.
///
/// Options of unpick are listed below. All others are Cargo's: -p, --features, --release, --lib,
/// --test NAME, --manifest-path, -j and so on. What stands after `--` chooses tests as in
/// `cargo test`: FILTER, --exact, --skip NAME, --ignored, --include-ignored.
///
/// What is built lies in target/unpick. Build scripts and procedural macros are left as they are;
/// documentation tests and benchmarks are not explored.
#[derive(Parser)]
#[command(
    name = "cargo unpick test",
    override_usage = "cargo unpick test [OPTIONS] [CARGO-OPTIONS] [-- TEST-FILTER]",
    after_help = "Examples:\n  cargo unpick test\n  cargo unpick test --strategy pct:d=2 \
                  --executions 20_000 -p bank -- transfer"
)]
pub(crate) struct TestArguments {
    #[command(flatten)]
    options: TestOptions,
}

/// What `cargo unpick test` knows besides what Cargo does.
#[derive(Args, Clone)]
pub(crate) struct TestOptions {
    #[command(flatten)]
    pub(crate) exploration: ExplorationArguments,
    #[command(flatten)]
    pub(crate) native: NativeOptions,
}

/// What Cargo is told to call for each test binary.
#[derive(Parser)]
#[command(name = "unpick cargo run-test")]
struct RunArguments {
    /// The files in memory to which the tally and the cases for --junit are added
    #[arg(long, num_args = 2, required = true)]
    ledger: Vec<RawFd>,
    /// Where the user typed the command
    #[arg(long)]
    typed_in: Option<PathBuf>,
    #[command(flatten)]
    options: TestOptions,
    /// The binary and the options for its harness
    #[arg(required = true, last = true)]
    test: Vec<String>,
}

const OVERVIEW: &str = "\
Explores the unmodified tests of a crate.

Usage: cargo unpick test [OPTIONS] [CARGO-OPTIONS] [-- TEST-FILTER]

`cargo unpick test --help` tells more; `unpick --help` lists what else there is.";

/// Does what `cargo unpick` asks for, if this is such a call: `unpick cargo …`.
///
/// Most options are Cargo's, so this comes before the command line is parsed.
pub(crate) fn intercept(arguments: &[OsString]) -> Option<ExitCode> {
    if arguments.get(1)? != "cargo" {
        return None;
    }
    let rest = arguments.get(3..).unwrap_or_default();
    let name = arguments.get(2).map(|name| name.to_string_lossy());
    Some(match name.as_deref() {
        Some("test") => exit_code(test(rest)),
        Some("run-test") => exit_code(run_test(arguments)),
        Some("--version" | "-V") => {
            say!("cargo-unpick {}", env!("CARGO_PKG_VERSION"));
            ExitCode::SUCCESS
        }
        Some("--help" | "-h" | "help") => {
            say!("{OVERVIEW}");
            ExitCode::SUCCESS
        }
        _ => {
            eprintln!("{OVERVIEW}");
            ExitCode::from(USAGE_ERROR)
        }
    })
}

fn test(arguments: &[OsString]) -> Result<Status> {
    let split = Split::of(arguments, &TestArguments::command());
    if split.asks_for_help {
        TestArguments::command().print_long_help()?;
        return Ok(Status::Clean);
    }
    let own = std::iter::once(OsString::from("cargo unpick test")).chain(split.own.clone());
    let parsed = TestArguments::try_parse_from(own).unwrap_or_else(|error| error.exit());
    // A slip shall not first cost a build.
    parsed.options.exploration.options("")?.config()?;
    check_filter(&split)?;
    warn_of_lost_flags();
    let toolchain = Toolchain::find()?;
    toolchain.check_instrumentation()?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    // Now, so that a file that cannot be written does not first cost a build.
    parsed.options.exploration.report()?;
    let ledger = Ledger::new()?;
    let (target_directory, members) = workspace(&cargo, &split)?;
    let build = TestBuild {
        host: &toolchain.host,
        runtime: &runtime_library()?,
        target_directory: &target_directory,
        members: &members,
        runner: runner(&ledger, &split, parsed.options.exploration.junit.as_deref())?,
        options: split.cargo.clone(),
        harness_options: split.harness.clone(),
    };
    let mut command = Command::new(&cargo);
    build.apply(&mut command, &|name| std::env::var(name).ok())?;
    listen();
    let status = run_cargo(&mut command)?;
    let tally = ledger.read()?;
    let is_only_built = split.cargo.iter().any(|option| option == "--no-run");
    if is_only_built && status.success() {
        return Ok(Status::Clean);
    }
    let options = &parsed.options.exploration;
    if !options.json && !options.quiet {
        say!("{}", summary(&tally));
    }
    if !status.success() && tally.failed + tally.diverged == 0 && !is_interrupted() {
        bail!("`cargo test` failed ({status}); see its messages above");
    }
    Ok(match tally {
        Tally { failed: 1.., .. } => Status::Failed,
        Tally { diverged: 1.., .. } => Status::Diverged,
        _ if is_interrupted() && (tally.not_run > 0 || !status.success()) => Status::Interrupted,
        Tally { errors: 1.., .. } => bail!("{} tests could not be explored", tally.errors),
        _ if tally.explored() == 0 => Status::NothingRan,
        _ => Status::Clean,
    })
}

/// Runs Cargo to its end, which comes soon after the user has asked for it: Cargo itself ends at once, and with it those
/// who explore for it, which say first what they have found.
fn run_cargo(command: &mut Command) -> Result<ExitStatus> {
    const LOOK: Duration = Duration::from_millis(20);
    lifetime::end_with_us(command);
    let mut cargo = command.spawn().context("cannot run cargo")?;
    let mut is_asked = false;
    loop {
        if let Some(status) = cargo.try_wait().context("cannot wait for cargo")? {
            return Ok(status);
        }
        if is_interrupted() && !is_asked {
            lifetime::ask_to_end(&cargo);
            is_asked = true;
        }
        thread::sleep(LOOK);
    }
}

/// A slip in the filter shall not first cost a build.
fn check_filter(split: &Split) -> Result<()> {
    let harness = split
        .harness
        .iter()
        .map(|one| one.to_string_lossy().into_owned());
    let harness: Vec<_> = harness.collect();
    HarnessOptions::parse(&harness).map_err(|error| anyhow!(error))?;
    Ok(())
}

fn warn_of_lost_flags() {
    if own_flags(&|name| std::env::var(name).ok()).is_some() {
        return;
    }
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    let here = std::env::current_dir().unwrap_or_default();
    if let Some(file) = file_with_lost_flags(&here, home.as_deref()) {
        eprintln!(
            "warning: `build.rustflags` in {} is not used by `cargo unpick`; put the flags into \
             RUSTFLAGS or under `target`",
            file.display()
        );
    }
}

/// This very program, with the options of unpick.
fn runner(ledger: &Ledger, split: &Split, junit: Option<&Path>) -> Result<Vec<String>> {
    let own = std::env::current_exe().context("cannot tell where this program is")?;
    let [tallies, cases] = ledger.words().context("cannot hand on a file in memory")?;
    let fixed = [
        own.into(),
        "cargo".into(),
        "run-test".into(),
        "--ledger".into(),
        tallies.into(),
        cases.into(),
    ];
    let here = std::env::current_dir().context("cannot tell the current directory")?;
    let here = ["--typed-in".into(), here.into_os_string()];
    let words = fixed
        .into_iter()
        .chain(here)
        .chain(split.own.iter().cloned());
    // It is called elsewhere: in the directory of each package.
    let junit = junit.map(std::path::absolute).transpose()?;
    let junit = junit.map(|file| ["--junit".into(), file.into_os_string()]);
    let words = words.chain(junit.into_iter().flatten());
    let words = words.chain([OsString::from("--")]).map(|word| {
        let word = word.into_string();
        word.map_err(|word| anyhow!("`{}` is no valid Unicode", word.display()))
    });
    words.collect()
}

fn summary(tally: &Tally) -> String {
    let mut parts = vec![format!("{} ok", tally.ok)];
    for (number, word) in [
        (tally.inconclusive, "inconclusive"),
        (tally.failed, "failed"),
        (tally.diverged, "diverged"),
        (tally.errors, "not explored"),
        (tally.not_run, "not run"),
    ] {
        if number > 0 {
            parts.push(format!("{number} {word}"));
        }
    }
    let interrupted = match is_interrupted() {
        true => "; interrupted, and test binaries behind were not run",
        false => "",
    };
    let claims = match tally.claims() {
        claims if claims.is_empty() => claims,
        claims => format!("\n{claims}"),
    };
    format!(
        "unpick  {}: {}; {}{interrupted}{claims}",
        count(tally.explored() + tally.errors + tally.not_run, "test"),
        parts.join(", "),
        count(tally.executions, "execution")
    )
}

/// The user's target directory, and the names of the packages of the workspace.
fn workspace(cargo: &OsString, split: &Split) -> Result<(PathBuf, Vec<String>)> {
    let mut command = Command::new(cargo);
    command.args(["metadata", "--no-deps", "--format-version", "1"]);
    if let Some(path) = split.value_of("--manifest-path") {
        command.arg("--manifest-path").arg(path);
    }
    let output = command.stderr(Stdio::inherit()).output();
    let output = output.context("cannot run cargo")?;
    if !output.status.success() {
        bail!("cargo finds no crate here; go to one, or name it by --manifest-path");
    }
    let object: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    let directory = object["target_directory"].as_str();
    let directory = directory.context("cargo does not tell its target directory")?;
    let packages = object["packages"].as_array();
    let packages = packages.context("cargo does not tell the packages of the workspace")?;
    let names = packages
        .iter()
        .filter_map(|package| package["name"].as_str());
    Ok((directory.into(), names.map(String::from).collect()))
}

fn run_test(arguments: &[OsString]) -> Result<Status> {
    let own = arguments.iter().skip(2);
    let parsed = RunArguments::try_parse_from(own).unwrap_or_else(|error| error.exit());
    let (binary, harness) = parsed
        .test
        .split_first()
        .context("no test binary is named")?;
    let harness = HarnessOptions::parse(harness).map_err(|error| anyhow!(error))?;
    let exploration = &parsed.options.exploration;
    let output = match (exploration.json, exploration.quiet) {
        (true, _) => Output::Json,
        (false, true) => Output::Quiet,
        (false, false) => Output::Text,
    };
    listen();
    // Cargo does not hand on that it is to end.
    lifetime::end_with_parent().context("cannot follow the end of cargo")?;
    if let Some(directory) = &parsed.typed_in {
        set_typed_in(directory);
    }
    let [tallies, cases] = parsed.ledger[..] else {
        bail!("--ledger takes two numbers");
    };
    let Ledger { tallies, cases } = Ledger::join([tallies, cases])?;
    let junit = exploration.junit.as_deref();
    let report = junit.map(|file| Report::resume(file, cases)).transpose()?;
    let mut explorer = ProcessExplorer::new(&parsed.options, report);
    let mut print = |text: &str| line(format_args!("{text}"));
    let tallies = found::write_to(tallies);
    let mut trouble = None;
    let mut count = |tally: &Tally| {
        trouble = tallies.add_line(&tally.to_line()).err().or(trouble.take());
    };
    explore_tests(
        Path::new(binary),
        &harness,
        &mut explorer,
        output,
        &mut print,
        &mut count,
    );
    if let Some(error) = trouble {
        return Err(error).context("cannot keep what was found");
    }
    // The tally tells what was found; for Cargo all went well, so that it goes on with the next.
    Ok(Status::Clean)
}

/// What the explorers of all test binaries report, in files that no other process can name.
struct Ledger {
    tallies: MemoryFile,
    /// The cases for `--junit`.
    cases: MemoryFile,
}

impl Ledger {
    fn new() -> Result<Ledger> {
        let file = || MemoryFile::new().context("cannot make a file in memory");
        Ok(Ledger {
            tallies: file()?,
            cases: file()?,
        })
    }

    /// The words by which explorers know it. Processes that are started from now on inherit it.
    fn words(&self) -> Result<[String; 2]> {
        let word = |file: &MemoryFile| file.inherit().map(|number| number.to_string());
        Ok([word(&self.tallies)?, word(&self.cases)?])
    }

    /// Opens it for a test binary, and keeps it locked until that is through.
    fn join([tallies, cases]: [RawFd; 2]) -> Result<Ledger> {
        let open = |number| {
            MemoryFile::inherited(number).context("no `cargo unpick test` has started this")
        };
        let ledger = Ledger {
            tallies: open(tallies)?,
            cases: open(cases)?,
        };
        ledger.tallies.lock()?;
        Ok(ledger)
    }

    /// Waits for the explorers that still run, since Cargo may have ended before them.
    fn read(&self) -> Result<Tally> {
        self.tallies.lock()?;
        let text = String::from_utf8(self.tallies.content(u64::MAX))?;
        let mut sum = Tally::default();
        let mut unreported = Vec::new();
        for line in text.lines() {
            if let Some(notes) = found::read(line) {
                unreported = notes;
            } else {
                sum.add(&Tally::from_line(line).context("internal error: a tally cannot be read")?);
            }
        }
        // The explorer has ended before it could report them.
        for note in &unreported {
            say!("{note}");
        }
        sum.failed += u64::from(!unreported.is_empty());
        Ok(sum)
    }
}
