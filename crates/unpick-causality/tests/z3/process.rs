//! Z3, if it is installed.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A running Z3.
pub struct Z3 {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Z3 {
    /// Starts Z3. `None` if it is not installed.
    pub fn start(time_ms_max: u32) -> Option<Z3> {
        let mut process = Command::new("z3")
            .args(["-in", &format!("-t:{time_ms_max}")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .ok()?;
        let (input, output) = (process.stdin.take()?, process.stdout.take()?);
        Some(Z3 {
            process,
            input: Some(input),
            output: BufReader::new(output),
        })
    }

    /// Asks one question. `None` if the time did not suffice.
    pub fn ask(&mut self, commands: &str) -> Option<bool> {
        let input = self.input.as_mut().expect("Z3 is running");
        let question = format!("{commands}(reset)\n");
        input.write_all(question.as_bytes()).expect("Z3 reads");
        input.flush().expect("Z3 reads");
        let mut line = String::new();
        self.output.read_line(&mut line).expect("Z3 answers");
        match line.trim() {
            "sat" => Some(true),
            "unsat" => Some(false),
            "unknown" | "timeout" => None,
            other => panic!("Z3 says {other}"),
        }
    }
}

impl Drop for Z3 {
    fn drop(&mut self) {
        drop(self.input.take());
        _ = self.process.wait();
    }
}
