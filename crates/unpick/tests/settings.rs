//! Which settings a test of the library is explored with: what its source says, and what `unpick.toml`
//! and the environment say besides.

use std::path::PathBuf;
use std::process::Command;
use unpick::Config;

const CHILD: &str = "UNPICK_SETTINGS_CHILD";

/// The test that settles them when it is run as a child.
const SETTLES: &str = "what_a_test_says_comes_between_what_is_said_of_all_and_of_it";

const FILE: &str = r#"
executions = 20
keep_going = true

[test."section_*"]
executions = 40

[profile.deep.test.section_of_profile]
executions = 60
"#;

/// Executions of four tests, as they are settled in a process of its own.
fn executions(profile: Option<&str>, variable: Option<&str>) -> Result<Vec<u64>, String> {
    let directory = Directory::new();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", SETTLES, "--nocapture"])
        .env(CHILD, "1")
        .env("CARGO_MANIFEST_DIR", &directory.0);
    for (name, value) in [("UNPICK_PROFILE", profile), ("UNPICK_EXECUTIONS", variable)] {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let line = text.lines().find_map(|line| line.split_once("SETTLED "));
    match line {
        Some((_, numbers)) => Ok(numbers
            .split(' ')
            .map(|word| word.parse().unwrap())
            .collect()),
        None => Err(String::from_utf8(output.stderr).unwrap()),
    }
}

struct Directory(PathBuf);

impl Directory {
    fn new() -> Directory {
        let number = std::process::id();
        let thread = std::thread::current();
        let name = thread.name().unwrap_or_default();
        let path = std::env::temp_dir().join(format!("unpick-settings-{number}-{name}"));
        std::fs::create_dir_all(&path).unwrap();
        std::fs::write(path.join("unpick.toml"), FILE).unwrap();
        Directory(path)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn settle() {
    let plain = Config::new().name("here::plain");
    let own = Config::new().name("here::own").executions(30);
    let section = Config::new().name("here::section_one").executions(30);
    let of_profile = Config::new().name("here::section_of_profile");
    let settled = [plain, own, section, of_profile].map(|config| {
        let limits = config.with_environment().limits();
        assert!(limits.keep_going);
        limits.executions_max.to_string()
    });
    println!("SETTLED {}", settled.join(" "));
}

#[test]
fn what_a_test_says_comes_between_what_is_said_of_all_and_of_it() {
    if std::env::var_os(CHILD).is_some() {
        return settle();
    }
    assert_eq!(executions(None, None).unwrap(), [20, 30, 40, 40]);
    // A profile does not take away what a test needs.
    let deep = [1_000_000, 30, 40, 60];
    assert_eq!(executions(Some("deep"), None).unwrap(), deep);
    assert_eq!(executions(Some("deep"), Some("7")).unwrap(), [7; 4]);
}

#[test]
fn a_mistake_makes_the_test_panic() {
    let told = executions(Some("dep"), None).unwrap_err();
    let message =
        "UNPICK_PROFILE: unknown profile `dep`; did you mean `deep`? there are quick, ci, deep";
    assert!(told.contains(message), "{told}");
}
