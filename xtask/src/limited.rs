//! Commands that may take long or hang: what they print is read line by line, and they end in time.

use std::io::{BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// With this exit code; none if a signal ended it.
    Code(Option<i32>),
    /// It took longer than it may, and was ended.
    Late,
}

/// How long a command may take to end once it is asked to.
const GRACE: Duration = Duration::from_secs(10);

/// Runs a command in a process group of its own, and hands each line of both of its outputs, in the order in which
/// they were printed, to `each`.
pub fn run(mut command: Command, limit: Duration, mut each: impl FnMut(&str)) -> Result<End> {
    let (reader, writer) = std::io::pipe().context("cannot make a pipe")?;
    command.stdout(writer.try_clone()?).stderr(writer);
    let child = command.process_group(0).spawn();
    let mut child = child.context("cannot start the command")?;
    // The command holds the pipe open for writing, and the lines would have no end.
    drop(command);
    let (sender, lines) = channel();
    thread::spawn(move || {
        let mut reader = BufReader::new(reader);
        let mut line = Vec::new();
        while reader
            .read_until(b'\n', &mut line)
            .is_ok_and(|count| count > 0)
        {
            let text = String::from_utf8_lossy(&line).trim_end().to_string();
            if sender.send(text).is_err() {
                return;
            }
            line.clear();
        }
    });
    let begun_at = Instant::now();
    let mut ends_at = limit;
    let mut is_late = false;
    loop {
        let rest = ends_at.saturating_sub(begun_at.elapsed());
        match lines.recv_timeout(rest) {
            Ok(line) => each(&line),
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) if !is_late => {
                is_late = true;
                ends_at += GRACE;
                signal(&child, "INT")?;
            }
            Err(RecvTimeoutError::Timeout) => {
                signal(&child, "KILL")?;
                break;
            }
        }
    }
    let status = child.wait().context("cannot wait for the command")?;
    Ok(match is_late {
        true => End::Late,
        false => End::Code(status.code()),
    })
}

/// Sends a signal to the process group of a child that was started as its leader and has not been waited for: the
/// number is still that of its group.
fn signal(child: &Child, signal: &str) -> Result<()> {
    let group = format!("-{}", child.id());
    let status = Command::new("kill")
        .args(["-s", signal, "--", &group])
        .status();
    // A group that has ended needs no signal.
    status.map(drop).context("cannot start kill")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn lines_of_both_outputs_come_in_order() {
        let mut seen = Vec::new();
        let script = "echo one; echo two >&2; echo three; exit 7";
        let end = run(shell(script), GRACE, |line| seen.push(line.to_string())).unwrap();
        assert_eq!(end, End::Code(Some(7)));
        assert_eq!(seen, ["one", "two", "three"]);
    }

    #[test]
    fn a_command_that_hangs_ends_in_time_and_keeps_its_lines() {
        let mut seen = Vec::new();
        let script = "trap 'echo asked; exit 0' INT; echo one; while :; do sleep 0.05; done";
        let limit = Duration::from_secs(2);
        let end = run(shell(script), limit, |line| seen.push(line.to_string())).unwrap();
        assert_eq!(end, End::Late);
        assert_eq!(seen, ["one", "asked"]);
    }
}
