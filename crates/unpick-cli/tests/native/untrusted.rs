//! A program that writes over all memory that it shares with the command: the command comes back, and no other process
//! gets a signal.

use super::place::{Place, Said};
use std::process::{Command, Stdio};

/// Where the memory that is written to begins: with what the driver reads all the time, with orders, with answers.
const STARTS: [u64; 3] = [0, 4096, 4096 + (512 << 20)];

const WAYS: [&[&str]; 5] = [
    &["--strategy", "dfs"],
    &["--strategy", "dfs", "--jobs", "2"],
    &["--strategy", "random", "--keep-going", "--jobs", "2"],
    &["--strategy", "dfs", "--reexec", "fork"],
    &["--strategy", "dfs", "--backend", "threads"],
];

/// The words before a command that gives it a namespace for processes, so that a stray signal meets nothing else.
const ALONE: [&str; 5] = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"];

/// Runs a command beside another process, which must live.
const BESIDE: &str = "sleep 100 & other=$!; \"$@\"; code=$?; \
                      kill $other || { echo another process was ended; exit 9; }; exit $code";

#[test]
fn a_program_that_writes_everywhere_harms_no_other() {
    let mut try_out = Command::new(ALONE[0]);
    let try_out = try_out.args(&ALONE[1..]).arg("true").stderr(Stdio::null());
    if !try_out.status().is_ok_and(|status| status.success()) {
        println!("skipped: no namespace for processes can be made here");
        return;
    }
    let place = Place::new("untrusted");
    let in_turn = (1..=3).flat_map(|pattern| STARTS.map(|start| (pattern, start)));
    let in_turn = in_turn.zip(WAYS.iter().cycle());
    // All ones are the number that stands for all processes.
    let all_ones = WAYS.iter().map(|way| ((1, STARTS[0]), way));
    for ((pattern, start), way) in in_turn.chain(all_ones) {
        let definitions = [
            format!("-DPATTERN={pattern}"),
            format!("-DSTART={start}ul"),
            "-DSIZE=65536".to_string(),
        ];
        place.build(
            "untrusted/scribbles.c",
            &definitions.each_ref().map(String::as_str),
        );
        let mut command = place.command("timeout");
        command
            .args(["60"])
            .args(ALONE)
            .args(["sh", "-c", BESIDE, "sh"]);
        command.arg(env!("CARGO_BIN_EXE_unpick"));
        command.args(["run", "--no-save", "--watchdog", "1s"]);
        command.args(*way).args(["--", "./scribbles"]);
        let said = Said::of(&command.output().unwrap());
        let case = format!("{definitions:?} {way:?}: {}", said.text);
        // Nothing fails, and it is either known that something was wrong, or what was written did not matter.
        assert!(
            [0, 3].contains(&said.code),
            "exit code {}: {case}",
            said.code
        );
        assert!(!said.text.contains("panicked"), "{case}");
        let is_said = said.text.contains("UNCONTROLLED  scribbles");
        assert_eq!(is_said, said.code == 3, "{case}");
        assert!(
            said.code == 3 || said.text.contains(" executions, 0 failing"),
            "{case}"
        );
    }
}
