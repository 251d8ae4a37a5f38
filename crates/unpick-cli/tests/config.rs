//! `unpick config`, and what the commands make of `unpick.toml`, profiles and the environment.

use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// A project of its own for a test, removed at its end.
struct Project(PathBuf);

impl Project {
    fn new(name: &str, file: &str) -> Project {
        let path =
            std::env::temp_dir().join(format!("unpick-project-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        fs::write(path.join("unpick.toml"), file).unwrap();
        Project(path.canonicalize().unwrap())
    }

    fn run(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_unpick"));
        command.args(arguments).current_dir(&self.0);
        command.envs(environment.iter().copied());
        command.stdin(Stdio::null()).output().unwrap()
    }

    /// What is printed, with the directory left out.
    fn text(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments, &[]);
        assert_eq!(output.status.code(), Some(0));
        let text = String::from_utf8(output.stdout).unwrap();
        text.replace(&format!("{}/", self.0.display()), "/project/")
    }

    fn json(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Value {
        let output = self.run(arguments, environment);
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const FILE: &str = r#"
executions = 300
points = "all"

[test."CS.*"]
executions = 400
strategy = "random"

[profile.ci]
seed = 5
"#;

#[test]
fn each_setting_is_shown_with_its_origin() {
    let project = Project::new("shown", FILE);
    insta::assert_snapshot!(project.text(&["config"]));
    let arguments = ["config", "CS.account_bad", "--profile", "ci", "--jobs", "2"];
    insta::assert_snapshot!(project.text(&arguments));
}

#[test]
fn json_has_the_same() {
    let project = Project::new("json", FILE);
    let environment = [("UNPICK_EXECUTIONS", "500"), ("UNPICK_PROFILE", "ci")];
    let told = project.json(&["config", "x", "--json", "--no-races"], &environment);
    assert_eq!(
        told["file"],
        project.0.join("unpick.toml").to_str().unwrap()
    );
    assert_eq!(told["profile"], "ci");
    assert_eq!(told["test"], "x");
    for (key, value, origin) in [
        (
            "executions",
            Value::from(500),
            "environment UNPICK_EXECUTIONS",
        ),
        ("seed", Value::from(5), "unpick.toml:10 (profile ci)"),
        ("time", Value::from("1m"), "profile ci (built in)"),
        ("races", Value::from(false), "command line"),
        ("points", Value::from("all"), "unpick.toml:3"),
        ("strategy", Value::from("portfolio"), "default"),
    ] {
        let setting = &told["settings"][key];
        assert_eq!(setting["value"], value, "{key}");
        assert_eq!(setting["origin"], origin, "{key}");
    }
    let told = project.json(&["config", "--json"], &[]);
    assert!(told["profile"].is_null() && told["settings"]["time"]["value"].is_null());
}

/// How long a task may be held up is a time or none, however it is said.
#[test]
fn the_longest_delay_is_told_in_every_way() {
    let project = Project::new("delay", "max_delay = \"none\"\n");
    let delay = |more: &[&str], environment: &[(&str, &str)]| {
        let told = project.json(&[&["config", "--json"], more].concat(), environment);
        told["settings"]["max_delay"]["value"].clone()
    };
    assert_eq!(delay(&[], &[]), "none");
    assert_eq!(delay(&[], &[("UNPICK_MAX_DELAY", "2s")]), "2s");
    assert_eq!(delay(&["--max-delay", "250ms"], &[]), "250ms");
    assert_eq!(delay(&["--no-timeouts"], &[]), "0s");
    let both = ["config", "--no-timeouts", "--max-delay", "1s"];
    assert_eq!(project.run(&both, &[]).status.code(), Some(2));
}

#[test]
fn explorations_follow_the_file_and_the_command_line_comes_first() {
    let project = Project::new("followed", FILE);
    let common = ["suite", "run", "sb", "--json"];
    let executions = |more: &[&str], environment: &[(&str, &str)]| {
        let found = project.json(&[&common[..], more].concat(), environment);
        found["executions"].as_u64().unwrap()
    };
    let random = &["--strategy", "random"][..];
    assert_eq!(executions(random, &[]), 300);
    assert_eq!(
        executions(&[random, &["--profile", "quick"]].concat(), &[]),
        200
    );
    let environment = [("UNPICK_EXECUTIONS", "50")];
    assert_eq!(executions(random, &environment), 50);
    let more = [random, &["--executions", "60"]].concat();
    assert_eq!(executions(&more, &environment), 60);
    let arguments = [
        "suite",
        "run",
        "CS.account_bad",
        "--json",
        "--keep-going",
        "--no-save",
    ];
    let found = project.json(&arguments, &[]);
    assert_eq!(found["executions"], 400);
    assert_eq!(found["strategy"], "random");
}

#[test]
fn mistakes_end_with_exit_code_2_and_nothing_is_run() {
    let project = Project::new("mistakes", "\nexecution = 5");
    for arguments in [&["config"][..], &["suite", "run", "sb"]] {
        let output = project.run(arguments, &[]);
        assert_eq!(output.status.code(), Some(2));
        let told = String::from_utf8(output.stderr).unwrap();
        let start =
            "error: unpick.toml:2: unknown key `execution`; did you mean `executions`? there are";
        assert!(told.starts_with(start), "{told}");
        assert!(output.stdout.is_empty());
    }
    let project = Project::new("no-mistakes", "");
    for (arguments, expected) in [
        (
            ["--profile", "dep"],
            "--profile: unknown profile `dep`; did you mean `deep`? there are quick, ci, deep",
        ),
        (
            ["--executions", "0"],
            "--executions: `0` is too small; give at least 1",
        ),
        (["--jobs", "0"], "--jobs: `0` is too small; give at least 1"),
    ] {
        let output = project.run(&[&["suite", "run", "sb"][..], &arguments].concat(), &[]);
        assert_eq!(output.status.code(), Some(2));
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(told.trim_end(), format!("error: {expected}"));
    }
}
