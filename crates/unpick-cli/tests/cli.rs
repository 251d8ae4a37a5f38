//! The command as a user meets it: output, exit codes, JSON, replay, errors, Ctrl-C.

#[path = "support/place.rs"]
mod place;

use place::Place;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

impl Place {
    fn json(&self, arguments: &[&str]) -> Value {
        let output = self.run(arguments);
        let text = String::from_utf8(output.stdout).unwrap();
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Replaces what differs from run to run.
fn settled(output: &Output) -> String {
    let stdout = text(&output.stdout);
    let lines = stdout.lines().map(|line| match line.rfind("; ") {
        Some(at) if line.ends_with("executions/s") => format!("{}; N executions/s", &line[..at]),
        _ => line.to_string(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_failure_says_five_things() {
    let place = Place::new("five");
    let output = place.run(&["suite", "run", "cs.ACCOUNT_bad", "--strategy", "dfs"]);
    assert_eq!(output.status.code(), Some(1));
    insta::assert_snapshot!(settled(&output));
}

#[test]
fn a_deadlock_names_who_holds_what() {
    let place = Place::new("deadlock");
    let output = place.run(&["suite", "run", "CS.deadlock01_bad", "--strategy", "ipb"]);
    assert_eq!(output.status.code(), Some(1));
    insta::assert_snapshot!(settled(&output));
}

#[test]
fn json_has_the_fixed_fields() {
    let place = Place::new("json");
    let arguments = ["suite", "run", "CS.reorder_3_bad", "--strategy", "ipb"];
    let found = place.json(
        &[
            &arguments[..],
            &["--keep-going", "--json", "--executions", "100000"],
        ]
        .concat(),
    );
    let expected = [
        ("name", Value::from("CS.reorder_3_bad")),
        ("strategy", "ipb".into()),
        ("outcome", "fail".into()),
        ("executions", 74.into()),
        ("schedules", 74.into()),
        ("complete", false.into()),
        ("tasks_max", 4.into()),
        ("enabled_max", 3.into()),
        ("steps_max", 13.into()),
        ("failures", 2.into()),
        ("first_failure_at", 43.into()),
        ("seed", 0x5eed.into()),
        ("bound", 1.into()),
        ("new_schedules", 61.into()),
        ("buggy_schedules", 2.into()),
    ];
    for (name, value) in expected {
        assert_eq!(found[name], value, "{name}");
    }
    for name in [
        "elapsed_ms",
        "executions_per_second",
        "trace",
        "hash",
        "bounds",
    ] {
        assert!(!found[name].is_null(), "{name} is missing");
    }
}

#[test]
fn relations_and_states_are_counted_unless_the_strategy_is_randomised() {
    let place = Place::new("classes");
    let run = |strategy: &str, more: &[&str]| {
        let mut arguments = vec!["suite", "run", "disjoint:k=3", "--json", "--keep-going"];
        arguments.extend(["--strategy", strategy]);
        arguments.extend(more);
        let found = place.json(&arguments);
        ["schedules", "hbrs", "lazy_hbrs", "states"].map(|name| found[name].as_u64())
    };
    assert_eq!(run("dfs", &[]), [6, 6, 1, 1].map(Some));
    assert_eq!(run("lazy-hbr-cache", &[]), [1, 1, 1, 1].map(Some));
    assert_eq!(run("random", &[])[1..], [None; 3]);
    let alone = run("random", &["--classes"]);
    assert_eq!(alone, [1_000, 6, 1, 1].map(Some));
    assert_eq!(run("random", &["--classes", "--jobs", "3"]), alone);
    let output = place.run(&["suite", "run", "sb", "--strategy", "dpor", "--classes"]);
    let stdout = text(&output.stdout);
    let words = "schedules: 3, happens-before relations: 3, lazy ones: 3, states: 1";
    assert!(stdout.contains(words), "{stdout}");
}

#[test]
fn warnings_reach_the_user() {
    let place = Place::new("warnings");
    let run = ["suite", "run", "thesis.fig4_3c", "--no-save", "--strategy"];
    let arguments = [&run[..], &["lazy-dpor:fallback=0", "--json"]].concat();
    let found = place.json(&[&arguments[..], &["--confirm", "0"]].concat());
    assert_eq!(found["warnings"][0]["kind"], "possible-deadlock");
    assert_eq!(found["warnings"][0]["confirmation"], "not-tried");
    assert_eq!(found["warnings"][1]["kind"], "lock-order-cycle");
    assert_eq!(found["outcome"], "pass");
    let output = place.run(&[&run[..], &["lazy-dpor"]].concat());
    let stdout = text(&output.stdout);
    assert!(
        stdout.contains("WARNING  thesis.fig4_3c  mutexes are"),
        "{stdout}"
    );
    assert!(stdout.contains("deadlock"), "{stdout}");
    assert_eq!(output.status.code(), Some(1));
}

/// In the one schedule of this strategy nothing deadlocks.
#[test]
fn a_possible_deadlock_is_confirmed_and_replayed() {
    let place = Place::new("confirm");
    let strategy = ["--strategy", "round-robin:quantum=0"];
    let run = [&["suite", "run", "CS.deadlock01_bad"][..], &strategy].concat();
    let found = place.json(&[&run[..], &["--json", "--confirm", "0"]].concat());
    assert_eq!(found["outcome"], "pass");
    assert_eq!(found["executions"], 1);
    let found = place.json(&[&run[..], &["--json"]].concat());
    assert_eq!(found["outcome"], "deadlock");
    let warning = &found["warnings"][0];
    assert_eq!(warning["kind"], "possible-deadlock");
    assert_eq!(warning["confirmation"], "confirmed");
    let links = warning["cycle"].as_array().expect("there are two tasks");
    assert_eq!(links.len(), 2);
    for link in links {
        for place in ["held_at", "wanted_at"] {
            let site = link[place].as_str().expect("it is known");
            assert!(site.contains("deadlock01.rs:"), "{site}");
        }
    }
    assert_eq!(links[0]["held"], links[1]["wanted"]);
    let trace = found["trace"].as_str().expect("it was saved");
    let replayed = place.run(&["replay", trace]);
    assert!(text(&replayed.stdout).contains("deadlock"));
    let output = place.run(&run);
    let stdout = text(&output.stdout);
    for part in [
        "FAILED  CS.deadlock01_bad  deadlock",
        ", directed at a possible deadlock (round-robin:quantum=0, seed 0x5eed)",
        "WARNING  CS.deadlock01_bad  possible deadlock: task 1 takes",
    ] {
        assert!(stdout.contains(part), "{part}\n{stdout}");
    }
    assert_eq!(output.status.code(), Some(1));
}

/// A shard confirms nothing, and what it warns about is not lost.
#[test]
fn warnings_of_shards_reach_the_whole() {
    let place = Place::new("warnings-of-shards");
    let mut files = Vec::new();
    for shard in ["1/2", "2/2"] {
        let output = place.run(&[
            "suite",
            "run",
            "CS.deadlock01_bad",
            "--strategy",
            "preempt-bound:c=0",
            "--executions",
            "4",
            "--json",
            "--shard",
            shard,
        ]);
        let name = format!("{}.json", shard.replace('/', "-"));
        fs::write(place.0.join(&name), output.stdout).unwrap();
        files.push(name);
    }
    let found = place.json(&["merge", &files[0], &files[1]]);
    assert_eq!(found["executions"], 4);
    assert_eq!(found["warnings"][0]["kind"], "possible-deadlock");
}

#[test]
fn a_clean_program_exits_with_zero_and_null_fields() {
    let place = Place::new("clean");
    let found = place.json(&["suite", "run", "rmw_counter", "--strategy", "dfs", "--json"]);
    assert_eq!(found["outcome"], "pass");
    assert_eq!(found["complete"], true);
    assert!(found["first_failure_at"].is_null() && found["trace"].is_null());
    let output = place.run(&[
        "suite",
        "run",
        "rmw_counter",
        "--strategy",
        "dfs",
        "--quiet",
    ]);
    assert_eq!(
        (output.status.code(), text(&output.stdout)),
        (Some(0), String::new())
    );
    assert!(
        !place.0.join(".unpick").exists(),
        "nothing failed, so nothing is written"
    );
}

#[test]
fn several_programs_give_one_line_each() {
    let place = Place::new("several");
    let output = place.run(&[
        "suite",
        "run",
        "sb",
        "readers:n=2",
        "CS.lazy01_bad",
        "--json",
    ]);
    let stdout = text(&output.stdout);
    let names: Vec<Value> = stdout
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["name"].clone())
        .collect();
    assert_eq!(names.len(), 3);
    assert_eq!(names[1], "readers:n=2");
    assert_eq!(output.status.code(), Some(1));
}

fn failing_trace(place: &Place) -> (String, PathBuf) {
    let found = place.json(&[
        "suite",
        "run",
        "CS.stack_bad",
        "--strategy",
        "pct",
        "--json",
    ]);
    let id = found["trace"].as_str().expect("it fails").to_string();
    let path = place.0.join(".unpick/traces").join(format!("{id}.trace"));
    (id, path)
}

#[test]
fn a_failure_is_replayed_by_id_and_by_file() {
    let place = Place::new("replay");
    let (id, path) = failing_trace(&place);
    for reference in [id.as_str(), path.to_str().unwrap()] {
        for _ in 0..3 {
            let output = place.run(&["replay", reference]);
            assert_eq!(output.status.code(), Some(1));
            let stdout = text(&output.stdout);
            assert!(
                stdout.contains("the same failure, step by step"),
                "{stdout}"
            );
        }
    }
    let shown = place.run(&["show", &id]);
    assert_eq!(shown.status.code(), Some(0));
    assert!(
        text(&shown.stdout).contains("lock mutex"),
        "{}",
        text(&shown.stdout)
    );
}

#[test]
fn a_damaged_trace_is_rejected() {
    let place = Place::new("damaged");
    let (id, path) = failing_trace(&place);
    let whole = fs::read_to_string(&path).unwrap();
    let newer = whole.replacen("unpick-trace 2", "unpick-trace 99", 1);
    let damaged = whole.replacen("seed: 0x5eed", "seed: 0x5eee", 1);
    let head = whole.find("\nbody: ").unwrap();
    for (contents, words) in [
        (newer.as_str(), "format version 99"),
        (damaged.as_str(), "checksum"),
        (&whole[..whole.len() - 50], "checksum"),
        (&whole[..head], "header line `body` is missing"),
        ("something else", "not an unpick trace"),
    ] {
        fs::write(&path, contents).unwrap();
        let output = place.run(&["replay", &id]);
        assert_eq!(output.status.code(), Some(2));
        let stderr = text(&output.stderr);
        // Said, and said once.
        assert_eq!(stderr.matches(words).count(), 1, "{stderr}");
    }
}

/// A trace that is whole but belongs to another program diverges, and says where.
#[test]
fn a_trace_of_another_program_diverges() {
    let place = Place::new("diverges");
    let (_, path) = failing_trace(&place);
    let (_, mut record) = unpick::store::Store::new(&place.0)
        .load(path.to_str().unwrap())
        .unwrap();
    record.header.program = "suite:CS.queue_bad".to_string();
    fs::write(&path, unpick::trace::encode(&record)).unwrap();
    let output = place.run(&["replay", path.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(3));
    let stdout = text(&output.stdout);
    assert!(stdout.contains("diverged at step"), "{stdout}");
}

#[test]
fn mistakes_are_usage_errors_with_a_remedy() {
    let place = Place::new("mistakes");
    for (arguments, words) in [
        (&["suite", "run", "CS.acount_bad"][..], "CS.account_bad"),
        (
            &["suite", "run", "sb", "--strategy", "dsf"],
            "unknown strategy `dsf`; did you mean `dfs`? there are portfolio, dfs",
        ),
        (
            &["suite", "run", "sb", "--strategy", "pct:d=x"],
            "`x` is no value for `pct:d`",
        ),
        (
            &["suite", "run", "sb", "--executions", "few"],
            "`few` is no number",
        ),
        (
            &["suite", "run", "sb", "--executions", "0"],
            "give at least 1",
        ),
        (
            &["suite", "run", "sb", "--time", "5"],
            "write it like 500ms",
        ),
        (&["suite", "run", "readers:n=0"], "readers"),
        (&["replay", "beef"], "no trace `beef`"),
    ] {
        let output = place.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let stderr = text(&output.stderr);
        assert!(stderr.contains(words), "{arguments:?}: {stderr}");
    }
}

#[test]
fn the_same_seed_is_the_same_exploration_for_any_number_of_jobs() {
    let place = Place::new("jobs");
    let base = [
        "suite",
        "run",
        "CS.account_bad",
        "--strategy",
        "pct",
        "--keep-going",
        "--json",
    ];
    let hash = |more: &[&str]| {
        let mut found = place.json(&[&base[..], more].concat());
        for name in ["elapsed_ms", "executions_per_second"] {
            found[name] = Value::Null;
        }
        found
    };
    let alone = hash(&["--seed", "7"]);
    assert_eq!(hash(&["--seed", "7", "--jobs", "2"]), alone);
    assert_ne!(hash(&["--seed", "8"])["hash"], alone["hash"]);
}

/// A run's object without what differs from run to run.
fn lasting(mut found: Value) -> Value {
    for name in ["elapsed_ms", "executions_per_second", "trace"] {
        found[name] = Value::Null;
    }
    found
}

#[test]
fn each_failure_is_told_once() {
    let place = Place::new("several");
    let words = ["suite", "run", "CS.phase01_bad", "--strategy", "random"];
    let words = [&words[..], &["--keep-going"]].concat();
    let said = text(&place.run(&words).stdout);
    let after = |start: &str| -> Vec<String> {
        let lines = said.lines().filter_map(|line| line.strip_prefix(start));
        lines.map(str::to_string).collect()
    };
    let ids = after("  replay  unpick replay ");
    assert_eq!(after("FAILED  CS.phase01_bad  deadlock").len(), 4, "{said}");
    assert_eq!(after("  count   ").len(), 4, "{said}");
    assert_eq!(after("MORE  ").len(), 0, "{said}");
    let files = |directory| fs::read_dir(place.0.join(directory)).unwrap().count();
    assert_eq!(files(".unpick/traces"), 4, "{said}");
    assert_eq!(files(".unpick/regressions"), 1, "{said}");
    for id in &ids {
        assert_eq!(place.run(&["replay", id]).status.code(), Some(1), "{id}");
    }
    let found = place.json(&[&words[..], &["--json"]].concat());
    let groups = found["failures_by_cause"].as_array().unwrap();
    let told = groups.iter().map(|group| group["trace"].as_str().unwrap());
    assert_eq!(told.collect::<Vec<_>>(), ids);
    let counts = groups.iter().filter_map(|group| group["count"].as_u64());
    assert_eq!(Some(counts.sum()), found["failures"].as_u64());
    assert_eq!(groups[0]["failure"], found["failure"]);
    assert_eq!(groups[0]["first_failure_at"], found["first_failure_at"]);
}

/// Programs of the suite, with and without a fault, small enough to be searched to the end.
const SEARCHED: &[&str] = &[
    "CS.account_bad",
    "CS.deadlock01_bad",
    "CS.reorder_3_bad",
    "CS.lazy01_bad",
    "CS.carter01_bad",
    "CS.phase01_bad",
    "CS.sync01_bad",
    "CB.stringbuffer-jdk1.4",
    "rmw_counter",
    "sb",
    "readers:n=3",
    "race_counter",
];

/// Workers and shards find what one worker finds, byte for byte.
#[test]
fn workers_and_shards_give_the_same_json() {
    let place = Place::new("split");
    for name in SEARCHED {
        for strategy in ["dfs", "ipb", "idb"] {
            for more in [&["--keep-going"][..], &[]] {
                let base = ["suite", "run", name, "--strategy", strategy, "--json"];
                let base = [&base[..], &["--no-save", "--executions", "1000000"], more].concat();
                let alone = lasting(place.json(&base));
                for jobs in ["2", "3"] {
                    let shared = place.json(&[&base[..], &["--jobs", jobs]].concat());
                    assert_eq!(lasting(shared), alone, "{name} {strategy} {jobs}");
                }
                let files = ["1.json", "2.json", "3.json"];
                for (index, file) in (1..).zip(files) {
                    let share = format!("{index}/3");
                    let output = place.run(&[&base[..], &["--shard", &share]].concat());
                    fs::write(place.0.join(file), output.stdout).unwrap();
                }
                let merged = place.json(&[&["merge"][..], &files].concat());
                assert_eq!(lasting(merged), alone, "{name} {strategy}");
            }
        }
    }
}

#[test]
fn shards_that_do_not_fit_are_refused() {
    let place = Place::new("merge");
    let base = ["suite", "run", "CS.account_bad", "--json", "--no-save"];
    for (file, more) in [
        ("whole", &["--strategy", "dfs"][..]),
        ("one", &["--strategy", "dfs", "--shard", "1/3"]),
        ("two", &["--strategy", "dfs", "--shard", "2/3"]),
        ("three", &["--strategy", "dfs", "--shard", "3/3"]),
        ("four", &["--strategy", "dfs", "--shard", "2/4"]),
        ("ipb", &["--strategy", "ipb", "--shard", "3/3"]),
        (
            "seed",
            &["--strategy", "dfs", "--shard", "3/3", "--seed", "1"],
        ),
        (
            "few",
            &["--strategy", "dfs", "--shard", "3/3", "--executions", "9"],
        ),
    ] {
        let output = place.run(&[&base[..], more].concat());
        fs::write(place.0.join(file), output.stdout).unwrap();
    }
    fs::write(place.0.join("text"), "FAILED").unwrap();
    fs::write(place.0.join("empty"), "").unwrap();
    for (files, words) in [
        (&["one", "two"][..], "shard 3/3 is missing"),
        (
            &["one", "two", "two", "three"],
            "shard 2 is there twice, in two:1 and two:1",
        ),
        (&["whole"], "whole:1 is not of a shard"),
        (&["one", "four", "three"], "number of shards `3`"),
        (&["one", "two", "ipb"], "strategy `dfs`"),
        (&["one", "two", "seed"], "seed `24301`"),
        (&["one", "two", "few"], "options `executions=1000 "),
        (&["text"], "text:1 is no JSON"),
        (&["empty"], "no lines"),
        (&["absent"], "cannot read absent"),
    ] {
        let output = place.run(&[&["merge"][..], files].concat());
        assert_eq!(output.status.code(), Some(2), "{files:?}");
        let stderr = text(&output.stderr);
        assert!(stderr.contains(words), "{files:?}: {stderr}");
    }
    let output = place.run(&["merge", "three", "one", "two"]);
    assert_eq!(output.status.code(), Some(1));
    let output = place.run(&["suite", "run", "sb", "--shard", "4/3"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("`4/3` is no shard; write it like 2/8"));
}

#[test]
fn the_shard_can_come_from_the_environment() {
    let place = Place::new("auto");
    let base = ["suite", "run", "sb", "--strategy", "random", "--json"];
    let output = place
        .command(&[&base[..], &["--executions", "10", "--shard", "auto"]].concat())
        .env("CI_NODE_INDEX", "2")
        .env("CI_NODE_TOTAL", "4")
        .output()
        .unwrap();
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["executions"], 3);
    assert_eq!(found["shard"]["index"], 2);
}

#[test]
fn the_regression_file_cannot_be_written_and_the_failure_is_printed_all_the_same() {
    let place = Place::new("unwritable");
    fs::write(place.0.join(".unpick"), "in the way").unwrap();
    let output = place.run(&["suite", "run", "CS.lazy01_bad", "--strategy", "dfs"]);
    assert_eq!(output.status.code(), Some(1));
    let stdout = text(&output.stdout);
    assert!(stdout.starts_with("FAILED  CS.lazy01_bad"), "{stdout}");
    assert!(
        stdout.contains("saved   nothing: cannot create"),
        "{stdout}"
    );
}

#[test]
fn the_list_can_be_filtered() {
    let place = Place::new("list");
    let all = text(&place.run(&["suite", "list"]).stdout);
    assert!(all.lines().count() >= 50);
    let some = text(&place.run(&["suite", "list", "reorder"]).stdout);
    assert_eq!(some.lines().count(), 6, "{some}");
    let count = |arguments: &[&str]| text(&place.run(arguments).stdout).lines().count();
    assert_eq!(count(&["suite", "list", "--source", "ibm"]), 24);
    assert_eq!(count(&["suite", "list", "--source", "sctbench"]), 49);
    assert_eq!(count(&["suite", "list", "--published"]), 49 + 11 + 24);
    assert_eq!(
        count(&["suite", "list", "--source", "ibm", "--kind", "deadlock"]),
        7
    );
    assert_eq!(count(&["suite", "list", "--twin", "popped twice"]), 1);
    let json = text(&place.run(&["suite", "list", "safestack", "--json"]).stdout);
    let object: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(object["row"]["pct"][2]["found"], false, "{object}");
    assert_eq!(object["kind"], "assertion", "{object}");
    assert_eq!(
        place
            .run(&["suite", "list", "nothing like it"])
            .status
            .code(),
        Some(4)
    );
}

#[test]
fn a_reader_that_goes_away_ends_the_command_quietly() {
    let place = Place::new("pipe");
    let mut child = place
        .command(&["suite", "list"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text(&output.stderr), "");
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_ends_cleanly_and_keeps_what_was_found() {
    use std::io::Read as _;
    let place = Place::new("interrupt");
    let mut child = place
        .command(&[
            "suite",
            "run",
            "rmw_counter:n=3,k=3",
            "--strategy",
            "random",
            "--json",
        ])
        .args(["--executions", "1000000000"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // The process must be listening before it is interrupted: its CPU time tells that it explores.
    while cpu_ticks(child.id()) < 10 {
        std::thread::yield_now();
    }
    let killed = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(killed.unwrap().success());
    let mut stdout = String::new();
    child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut stdout)
        .unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let found: Value = serde_json::from_str(&stdout).unwrap();
    assert!(found["executions"].as_u64().unwrap() > 0);
    assert_eq!(found["complete"], false);
}

/// User time of a process in clock ticks.
#[cfg(target_os = "linux")]
fn cpu_ticks(process: u32) -> u64 {
    let stat = fs::read_to_string(Path::new("/proc").join(process.to_string()).join("stat"));
    let stat = stat.unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or("");
    let field = after_name.split_whitespace().nth(11);
    field
        .and_then(|ticks| ticks.parse().ok())
        .unwrap_or(u64::MAX)
}
