//! What `unpick.toml`, profiles and the environment come to, and what is said about mistakes in them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use unpick_config::{Key, Project, Settings};

/// A directory of its own, removed at the end.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str, text: &str) -> Directory {
        let path =
            std::env::temp_dir().join(format!("unpick-config-{name}-{}", std::process::id()));
        std::fs::create_dir_all(path.join("crates/inner")).unwrap();
        std::fs::write(path.join("unpick.toml"), text).unwrap();
        Directory(path)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}

fn load(
    directory: &Path,
    profile: Option<&str>,
    environment: &[(&str, &str)],
) -> Result<Project, String> {
    let variable = |name: &str| {
        let mut all = environment.iter();
        all.find(|(one, _)| *one == name)
            .map(|(_, value)| value.to_string())
    };
    Project::load_with(directory, profile, &variable).map_err(|error| error.to_string())
}

/// Value and origin of a setting for a test, with the name of the directory left out.
fn told(project: &Project, directory: &Directory, test: &str, key: Key) -> Option<String> {
    let mut settings = Settings::default();
    settings.extend(project.settings(test, &BTreeSet::new()));
    let setting = settings.iter().find(|setting| setting.key == key)?;
    let text = format!("{} from {}", setting.value, setting.origin);
    Some(text.replace(&format!("{}/", directory.0.display()), ""))
}

const FILE: &str = r#"
executions = 500
seed = 0xfeed

[test."bank::*"]
executions = 600
strategy = "dfs"

[profile.ci]
executions = 700

[profile.night]
time = "2h"
keep_going = true

[profile.ci.test."bank::slow"]
executions = 800

[test.slow]
strategy = "pct:d=2"
"#;

#[test]
fn the_more_special_and_the_later_comes_first() {
    let directory = Directory::new("order", FILE);
    let executions =
        |project: &Project, test: &str| told(project, &directory, test, Key::Executions);
    let plain = load(&directory.0, None, &[]).unwrap();
    assert_eq!(executions(&plain, "x").unwrap(), "500 from unpick.toml:2");
    let of_section = "600 from unpick.toml:6 (test `bank::*`)";
    assert_eq!(executions(&plain, "bank::x").unwrap(), of_section);
    let strategy = told(&plain, &directory, "bank::slow", Key::Strategy).unwrap();
    assert_eq!(strategy, "pct:d=2 from unpick.toml:20 (test `slow`)");
    let profile = load(&directory.0, Some("ci"), &[]).unwrap();
    assert_eq!(
        executions(&profile, "x").unwrap(),
        "700 from unpick.toml:10 (profile ci)"
    );
    assert_eq!(executions(&profile, "bank::x").unwrap(), of_section);
    let of_profile = "800 from unpick.toml:17 (test `bank::slow`)";
    assert_eq!(executions(&profile, "bank::slow").unwrap(), of_profile);
    let time = told(&profile, &directory, "x", Key::Time).unwrap();
    assert_eq!(time, "1m from profile ci (built in)");
    let both = [("UNPICK_PROFILE", "ci"), ("UNPICK_EXECUTIONS", "1_000")];
    let environment = load(&directory.0, None, &both).unwrap();
    assert_eq!(environment.profile(), Some("ci"));
    let of_environment = "1000 from environment UNPICK_EXECUTIONS";
    assert_eq!(
        executions(&environment, "bank::slow").unwrap(),
        of_environment
    );
    let option = load(&directory.0, Some("night"), &both).unwrap();
    assert_eq!(option.profile(), Some("night"));
    assert_eq!(option.profiles(), ["quick", "ci", "deep", "night"]);
}

#[test]
fn what_a_test_says_itself_comes_before_what_is_said_of_all() {
    let directory = Directory::new("apart", FILE);
    let project = load(&directory.0, Some("ci"), &[("UNPICK_JOBS", "2")]).unwrap();
    let keys = |test: &str, told: &[Key]| -> Vec<_> {
        let told = told.iter().copied().collect();
        let settings = project.settings(test, &told);
        settings.iter().map(|setting| setting.key.name()).collect()
    };
    let all = [
        "executions",
        "seed",
        "executions",
        "time",
        "executions",
        "jobs",
    ];
    assert_eq!(keys("x", &[]), all);
    let without_seed = ["executions", "executions", "time", "executions", "jobs"];
    assert_eq!(keys("x", &[Key::Seed]), without_seed);
    // Executions and time are one budget.
    for budget in [Key::Executions, Key::Time] {
        assert_eq!(keys("x", &[budget]), ["seed", "jobs"]);
    }
    let of_section = ["seed", "executions", "strategy", "jobs"];
    assert_eq!(keys("bank::x", &[]), of_section);
    assert_eq!(keys("bank::x", &[Key::Strategy]), of_section);
}

#[test]
fn the_file_is_that_of_the_nearest_directory_above() {
    let directory = Directory::new("nearest", "executions = 5");
    let inner = directory.0.join("crates/inner");
    let project = load(&inner, None, &[]).unwrap();
    assert_eq!(project.path(), Some(directory.0.join("unpick.toml")));
    std::fs::write(inner.join("unpick.toml"), "executions = 6").unwrap();
    let project = load(&inner, None, &[]).unwrap();
    assert_eq!(project.path(), Some(inner.join("unpick.toml")));
    assert_eq!(project.settings("x", &BTreeSet::new()).len(), 1);
}

/// What is said about a file.
fn mistake(text: &str) -> String {
    let name = format!("mistake-{}", text.len());
    let directory = Directory::new(&name, text);
    let error = load(&directory.0, None, &[]).unwrap_err();
    error.replace(&format!("{}/", directory.0.display()), "")
}

#[test]
fn a_mistake_is_told_with_line_value_and_remedy() {
    let keys = "strategy, executions, time, max_memory, steps, fail_on_limit, seed, jobs, keep_going, shrink, confirm, \
                spurious_wakes, weak_failures, max_delay, races, points, memory, \
                ends_with_main, misuse";
    assert_eq!(
        mistake("\nexecution = 5"),
        format!(
            "unpick.toml:2: unknown key `execution`; did you mean `executions`? there are {keys}, \
             test, profile"
        )
    );
    assert_eq!(
        mistake("[test.a]\n[test.b]\nbudget = 5 # no such thing"),
        format!("unpick.toml:3: unknown key `budget`; there are {keys}")
    );
    let told = mistake("[profile.ci]\nstrategy = \"pcd:d=2\"");
    let start =
        "unpick.toml:2: strategy: unknown strategy `pcd`; did you mean `pct`? there are portf";
    assert!(told.starts_with(start), "{told}");
    for (text, expected) in [
        (
            "executions = 0",
            "executions: `0` is too small; give at least 1",
        ),
        (
            "executions = \"many\"",
            "executions: `\"many\"` is no value for it; write a number like 1000 or 0x5eed, without quotes",
        ),
        (
            "seed = -1",
            "seed: `-1` is no value for it; write a number like 1000 or 0x5eed",
        ),
        (
            "time = 30",
            "time: `30` is no value for it; write a time like \"30s\" or \"5m\", in quotes",
        ),
        (
            "time = \"30 s\"",
            "time: `30 s` is no time; write it like 500ms, 30s, 5m or 2h",
        ),
        (
            "keep_going = \"yes\"",
            "keep_going: `\"yes\"` is no value for it; write true or false, without quotes",
        ),
        (
            "points = \"share\"",
            "points: `share` is no value for it; did you mean `shared`? there are sync, racy, shared, all",
        ),
        (
            "memory = \"tsx\"",
            "memory: `tsx` is no value for it; did you mean `tso`? there are sc, tso, pso",
        ),
        (
            "strategy = \"pct:d=0\"",
            "strategy: `0` is no value for `pct:d`; give a number from 1 to 64",
        ),
        (
            "weak_failures = 4_294_967_296",
            "weak_failures: `4294967296` is too large; give at most 4294967295",
        ),
        (
            "test = 5",
            "`test` is no table but of type integer; begin one in brackets",
        ),
    ] {
        assert_eq!(mistake(text), format!("unpick.toml:1: {expected}"));
    }
    let told = mistake("executions = 5\nexecutions = 6");
    assert!(told.starts_with("unpick.toml:2: "), "{told}");
    let told = mistake("[test.a\n");
    assert!(told.starts_with("unpick.toml:1: "), "{told}");
}

#[test]
fn a_mistake_in_the_environment_names_the_variable() {
    let directory = Directory::new("environment", "");
    let mistake = |profile, environment| load(&directory.0, profile, environment).unwrap_err();
    assert_eq!(
        mistake(None, &[("UNPICK_EXECUTIONS", "many")]),
        "UNPICK_EXECUTIONS: `many` is no number; write it like 1000 or 0x5eed"
    );
    assert_eq!(
        mistake(None, &[("UNPICK_RACES", "no")]),
        "UNPICK_RACES: `no` is neither true nor false; write one of them"
    );
    assert_eq!(
        mistake(None, &[("UNPICK_PROFILE", "dep")]),
        "UNPICK_PROFILE: unknown profile `dep`; did you mean `deep`? there are quick, ci, deep"
    );
    assert_eq!(
        mistake(Some("night"), &[("UNPICK_PROFILE", "ci")]),
        "--profile: unknown profile `night`; there are quick, ci, deep"
    );
    // An empty variable is none.
    assert!(
        load(
            &directory.0,
            None,
            &[("UNPICK_TIME", ""), ("UNPICK_PROFILE", "")]
        )
        .is_ok()
    );
}

/// In a directory that all can write to, anyone can put a file above the projects of others.
#[cfg(unix)]
#[test]
fn a_file_of_another_user_above_the_project_is_not_believed() {
    use std::os::unix::fs::chown;
    const OTHER: u32 = 12_345;
    let place = std::env::temp_dir().join(format!("unpick-config-{}-owner", std::process::id()));
    let project = place.join("project");
    std::fs::create_dir_all(&project).unwrap();
    let file = place.join("unpick.toml");
    std::fs::write(&file, "executions = 7\n").unwrap();
    let load = || Project::load(&project, None);
    assert!(load().is_ok());
    // The project belongs to one user, the file to another; only root can make it so.
    if chown(&project, Some(OTHER), None)
        .and_then(|()| chown(&file, Some(OTHER + 1), None))
        .is_err()
    {
        println!("skipped: files cannot be given to another user here");
    } else {
        let error = load().expect_err("it is refused").to_string();
        assert!(
            error.contains("belongs to another user, with the number 12346"),
            "{error}"
        );
        // A file beside a manifest is of the project if that is.
        std::fs::write(place.join("Cargo.toml"), "[workspace]\n").unwrap();
        assert!(load().is_err());
        chown(place.join("Cargo.toml"), Some(OTHER), None).unwrap();
        assert!(load().is_ok());
        std::fs::remove_file(place.join("Cargo.toml")).unwrap();
        std::fs::write(project.join("unpick.toml"), "").unwrap();
        assert!(load().is_ok());
    }
    std::fs::remove_dir_all(&place).unwrap();
}
