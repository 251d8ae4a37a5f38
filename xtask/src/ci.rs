//! `cargo xtask ci`: everything that must hold, in the order of what fails fastest.
//!
//! Every step takes place even if an earlier one failed, so that one look shows all that is wrong.
//! There is no way to leave a step out; only a missing component of the toolchain does that, and
//! then the summary says so.

mod readme;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::{tidy, workspace};
use readme::ReadmeCommand;

/// Takes every step and says whether all went well.
pub fn check(root: &Path) -> Result<bool> {
    let mut steps = Steps::default();
    steps.take("fmt", || {
        with_component(root, "fmt", "rustfmt", &["--all", "--check"])
    });
    steps.take("clippy", || {
        let lints = ["--workspace", "--all-targets", "--", "-D", "warnings"];
        with_component(root, "clippy", "clippy", &lints)
    });
    steps.take("tidy", || {
        Ok(match tidy::check(root)? {
            true => Verdict::Passed,
            false => Verdict::Failed("see the findings above".to_owned()),
        })
    });
    readme_steps(root, &mut steps);
    steps.take("doc", || {
        let mut command = cargo(root, &["doc", "--workspace", "--no-deps"]);
        command.env("RUSTDOCFLAGS", "-Dwarnings");
        succeed(&mut command)
    });
    print!("{}", summary(&steps.taken));
    Ok(steps.taken.iter().all(Step::is_well))
}

enum Verdict {
    Passed,
    /// With the reason.
    Skipped(String),
    /// With the reason.
    Failed(String),
}

struct Step {
    name: String,
    time: Duration,
    verdict: Verdict,
}

impl Step {
    fn is_well(&self) -> bool {
        !matches!(self.verdict, Verdict::Failed(_))
    }
}

#[derive(Default)]
struct Steps {
    taken: Vec<Step>,
}

impl Steps {
    /// Takes one step, and prints how long it took. A step that cannot be taken has failed.
    fn take(&mut self, name: &str, step: impl FnOnce() -> Result<Verdict>) {
        println!("-- {name}");
        let start = Instant::now();
        let verdict = step().unwrap_or_else(|error| Verdict::Failed(format!("{error:#}")));
        let time = start.elapsed();
        if let Verdict::Skipped(reason) | Verdict::Failed(reason) = &verdict {
            println!("{name}: {reason}");
        }
        println!("== {name} ({:.1} s)", time.as_secs_f64());
        self.taken.push(Step {
            name: name.to_owned(),
            time,
            verdict,
        });
    }
}

/// The commands of the README: the test command first, then the others in their order.
fn readme_steps(root: &Path, steps: &mut Steps) {
    let commands = match read_commands(root) {
        Ok(commands) => commands,
        Err(error) => return steps.take("README", || Err(error)),
    };
    let test = commands.iter().position(ReadmeCommand::is_test);
    match test {
        Some(at) => steps.take(&commands[at].text, || follow(root, &commands[at])),
        None => steps.take("README test command", || {
            let reason = "README.md has no line `$ cargo test ...` in a console fence; add it";
            Ok(Verdict::Failed(reason.to_owned()))
        }),
    }
    for (at, command) in commands.iter().enumerate() {
        if test != Some(at) {
            steps.take(&command.text, || follow(root, command));
        }
    }
}

fn read_commands(root: &Path) -> Result<Vec<ReadmeCommand>> {
    let text = fs::read_to_string(root.join("README.md")).context("cannot read README.md")?;
    Ok(readme::commands(&text))
}

/// Does what the README says, from the root of the workspace.
fn follow(root: &Path, command: &ReadmeCommand) -> Result<Verdict> {
    if command.is_this() {
        let reason = "this very chore".to_owned();
        return Ok(Verdict::Skipped(reason));
    }
    let status = workspace::command(root, "bash")
        .args(["-c", &command.text])
        .status()
        .context("cannot start bash")?;
    Ok(match status.code() {
        Some(code) if command.accepts(code) => Verdict::Passed,
        _ => Verdict::Failed(status.to_string()),
    })
}

/// Uses a part of the toolchain that may be missing.
fn with_component(root: &Path, name: &str, component: &str, options: &[&str]) -> Result<Verdict> {
    let mut probe = cargo(root, &[name, "--version"]);
    let found = probe
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .context("cannot start cargo; install Rust from rustup.rs")?;
    if !found.success() {
        let reason =
            format!("no {component} in this toolchain; `rustup component add {component}`");
        return Ok(Verdict::Skipped(reason));
    }
    succeed(cargo(root, &[name]).args(options))
}

fn cargo(root: &Path, arguments: &[&str]) -> Command {
    let mut command = workspace::command(root, "cargo");
    command.args(arguments);
    command
}

fn succeed(command: &mut Command) -> Result<Verdict> {
    let status = command
        .status()
        .context("cannot start cargo; install Rust from rustup.rs")?;
    Ok(match status.success() {
        true => Verdict::Passed,
        false => Verdict::Failed(status.to_string()),
    })
}

fn summary(steps: &[Step]) -> String {
    let width = steps.iter().map(|step| step.name.chars().count()).max();
    let width = width.unwrap_or_default();
    let mut text = String::from("\nsummary\n");
    for step in steps {
        let verdict = match &step.verdict {
            Verdict::Passed => "passed".to_owned(),
            Verdict::Skipped(reason) => format!("skipped: {reason}"),
            Verdict::Failed(reason) => format!("FAILED: {reason}"),
        };
        let seconds = step.time.as_secs_f64();
        text += &format!("  {:width$}  {seconds:>8.1} s  {verdict}\n", step.name);
    }
    let failed_count = steps.iter().filter(|step| !step.is_well()).count();
    let time: Duration = steps.iter().map(|step| step.time).sum();
    text += &format!(
        "{} of {} steps failed, {:.1} s in all\n",
        failed_count,
        steps.len(),
        time.as_secs_f64()
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_step_does_not_stop_the_next() {
        let mut steps = Steps::default();
        steps.take("first", || Err(anyhow::anyhow!("no such thing")));
        steps.take("second", || Ok(Verdict::Passed));
        steps.take("third", || Ok(Verdict::Skipped("not here".to_owned())));
        let well: Vec<_> = steps.taken.iter().map(Step::is_well).collect();
        assert_eq!(well, [false, true, true]);
    }

    #[test]
    fn the_summary_lists_every_step() {
        let step = |name: &str, verdict| Step {
            name: name.to_owned(),
            time: Duration::from_millis(1250),
            verdict,
        };
        let text = summary(&[
            step("fmt", Verdict::Skipped("no rustfmt".to_owned())),
            step("clippy", Verdict::Passed),
            step("doc", Verdict::Failed("exit status: 101".to_owned())),
        ]);
        let expected = "\nsummary\n\
            \x20 fmt          1.2 s  skipped: no rustfmt\n\
            \x20 clippy       1.2 s  passed\n\
            \x20 doc          1.2 s  FAILED: exit status: 101\n\
            1 of 3 steps failed, 3.8 s in all\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn readme_commands_are_judged_by_their_exit_code() {
        let root = std::env::temp_dir();
        let passes = |text: &str| {
            let commands = readme::commands(&format!("```console\n{text}\n```\n"));
            matches!(follow(&root, &commands[0]), Ok(Verdict::Passed))
        };
        assert!(passes("$ exit 0"));
        assert!(!passes("$ exit 1"));
        assert!(passes("$ exit 1\n# exit code 1: it found the bug"));
        assert!(!passes("$ exit 2\n# exit code 1: it found the bug"));
        assert!(!passes("$ kill -9 $$"));
    }
}
