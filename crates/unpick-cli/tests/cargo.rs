//! `cargo unpick test` on a small workspace: what is instrumented, what is not, and exit codes.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use unpick_native::program::Program;

/// A crate of its own for a test, removed at its end.
struct Crate(PathBuf);

impl Crate {
    fn new(name: &str) -> Crate {
        let path = std::env::temp_dir().join(format!("unpick-cargo-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        let made = Crate(path);
        made.write(
            "Cargo.toml",
            "[package]\nname = \"bank\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n\
             [[test]]\nname = \"whole\"\nharness = false\n",
        );
        made.write(
            "src/lib.rs",
            "/// ```\n/// panic!(\"documentation tests are not explored\");\n/// ```\n\
             pub fn one() -> u64 { 1 }\n\
             #[cfg(test)] mod tests {\n    #[test] fn total_stays() { assert_eq!(super::one(), 1) }\n\
             #[test] fn is_configured() { assert!(cfg!(from_user)) }\n}\n",
        );
        made.write(
            "build.rs",
            "fn main() { println!(\"cargo::rerun-if-changed=build.rs\"); }\n",
        );
        made.write(
            "tests/whole.rs",
            "fn main() { assert_eq!(bank::one(), 1); }\n",
        );
        made
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn unpick(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// As Cargo calls it.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-unpick"));
        command.arg("unpick").args(arguments).current_dir(&self.0);
        for name in [
            "CARGO_TARGET_DIR",
            "CARGO_BUILD_TARGET",
            "RUSTFLAGS",
            "CARGO_ENCODED_RUSTFLAGS",
            "GITHUB_ACTIONS",
        ] {
            command.env_remove(name);
        }
        command
            .env("UNPICK_CACHE", self.0.join("the cache"))
            .stdin(Stdio::null());
        command
    }

    fn built(&self, part: &str) -> Vec<PathBuf> {
        let mut found = Vec::new();
        collect(&self.0.join("target"), part, &mut found);
        found
    }
}

impl Drop for Crate {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Executable files whose name begins so.
fn collect(folder: &Path, part: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            collect(&path, part, found);
        } else if name.starts_with(part) && path.extension().is_none() && Program::at(&path).is_ok()
        {
            found.push(path);
        }
    }
}

/// Lines of unpick, without times.
fn lines(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout);
    let own = text.lines().filter(|line| line.starts_with("unpick  "));
    let settled = own.map(|line| line.split(" (").next().unwrap());
    settled.collect::<Vec<_>>().join("\n")
}

#[test]
fn tests_are_instrumented_and_explored() {
    let made = Crate::new("explored");
    // Flags of a configuration file stay in force.
    made.write(
        ".cargo/config.toml",
        "[target.x86_64-unknown-linux-gnu]\nrustflags = [\"--cfg\", \"from_user\"]\n",
    );
    let output = made.unpick(&["test", "--executions", "20"]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{errors}");
    let text = lines(&output);
    for line in [
        "unpick  tests::total_stays ... ok",
        "unpick  tests::is_configured ... ok",
        "unpick  whole ... ok",
        "unpick  3 tests: 3 ok; ",
    ] {
        assert!(text.contains(line), "{line}: {text}\n{errors}");
    }
    let tests = made.built("bank-");
    assert_eq!(tests.len(), 1, "{tests:?}");
    let program = Program::at(&tests[0]).unwrap();
    assert!(
        program.is_instrumented && program.has_runtime,
        "{program:?}"
    );
    assert!(tests[0].starts_with(made.0.join("target/unpick")));
    let scripts = made.built("build-script-build");
    assert!(!scripts.is_empty());
    for script in scripts {
        let program = Program::at(&script).unwrap();
        assert!(
            !program.is_instrumented && !program.has_runtime,
            "{program:?}"
        );
    }
}

#[test]
fn exit_codes_tell_what_was_found() {
    let made = Crate::new("codes");
    let output = made.unpick(&["test", "--executions", "20", "--junit", "unpick.xml"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let report = fs::read_to_string(made.0.join("unpick.xml")).unwrap();
    let report = roxmltree::Document::parse(&report).unwrap();
    let told = |name: &str, key: &'static str| -> Vec<&str> {
        let nodes = report.descendants().filter(|node| node.has_tag_name(name));
        nodes.filter_map(|node| node.attribute(key)).collect()
    };
    assert_eq!(told("testsuite", "name"), ["bank", "whole"]);
    let names = ["tests::is_configured", "tests::total_stays", "whole"];
    assert_eq!(told("testcase", "name"), names);
    assert_eq!(told("testsuite", "failures"), ["1", "0"]);
    assert_eq!(told("failure", "type"), ["fail"]);
    assert!(
        lines(&output).contains("tests::is_configured ... FAILED"),
        "{output:?}"
    );
    made.write(
        "unpick.toml",
        "strategy = \"random\"\n[test.\"total_*\"]\nexecutions = 7\n",
    );
    let output = made.unpick(&["test", "--json", "--lib", "--", "total"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout);
    let objects: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(objects.len(), 1, "{text}");
    assert_eq!(objects[0]["name"], "tests::total_stays");
    assert_eq!(objects[0]["strategy"], "random");
    assert_eq!(objects[0]["executions"], 7);
    made.write(
        ".cargo/config.toml",
        "[build]\nrustflags = [\"--cfg\", \"lost\"]\n",
    );
    let output = made.unpick(&["test", "--", "no_such_test"]);
    assert_eq!(output.status.code(), Some(4), "{output:?}");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("`build.rustflags` in "), "{errors}");
    assert_eq!(made.unpick(&["test", "--no-run"]).status.code(), Some(0));
    made.write("src/lib.rs", "pub fn one() -> u64 { \"one\" }\n");
    assert_eq!(made.unpick(&["test"]).status.code(), Some(2));
}

/// Three tests in the order in which they are explored; the second takes for ever.
const ENDLESS: &str = "#[cfg(test)] mod tests {
    #[test] fn first() {}
    #[test] fn second() {
        let task = std::thread::spawn(|| ());
        task.join().unwrap();
    }
    #[test] fn third() {}
}";

/// What the standard library orders is not always seen: that must not make a race of what is none.
#[test]
fn nothing_is_found_in_correct_tests() {
    let made = Crate::new("correct");
    made.write("src/lib.rs", "");
    made.write("tests/correct.rs", include_str!("cargo/correct.rs"));
    let output = made.unpick(&["test", "--executions", "300", "--test", "correct"]);
    let text = lines(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("32 tests: 32 ok"), "{text}");
}

/// The functions of the standard library that wait and wake are operations like any other, for every technique and in
/// every level of optimisation.
#[test]
fn what_the_standard_library_does_is_seen() {
    let made = Crate::new("waking");
    made.write("src/lib.rs", "");
    let tests = include_str!("cargo/waking.rs");
    made.write("tests/waking.rs", tests);
    for (strategy, executions, options) in [
        ("dfs", "12000", &[][..]),
        ("odpor", "2000", &[]),
        ("portfolio", "2000", &[]),
        ("portfolio", "2000", &["--release"]),
    ] {
        // What was found before is not looked for again.
        let _ = fs::remove_dir_all(made.0.join(".unpick"));
        let mut arguments = vec!["test", "--json", "--test", "waking"];
        arguments.extend(["--strategy", strategy, "--executions", executions]);
        arguments.extend(options);
        let output = made.unpick(&arguments);
        let text = String::from_utf8_lossy(&output.stdout);
        let mut is_found = BTreeMap::new();
        for line in text.lines() {
            let object: serde_json::Value = serde_json::from_str(line).unwrap();
            let name = object["name"].as_str().unwrap().to_string();
            if name == "wrong_condvar" {
                let why = object["failure"]["why"].as_str().unwrap();
                let told = ["notified by `Condvar ", "notify_one on `Condvar "];
                assert!(told.iter().all(|part| why.contains(part)), "{why}");
                assert!(why.contains("(tests/waking.rs:"), "{why}");
            }
            is_found.insert(name, object["failures"].as_u64().unwrap() > 0);
        }
        assert_eq!(is_found.len(), tests.matches("#[test]").count());
        let is_misjudged =
            |(name, is_found): &(&String, &bool)| name.starts_with("wrong") != **is_found;
        let misjudged: Vec<_> = is_found.iter().filter(is_misjudged).collect();
        assert!(
            misjudged.is_empty(),
            "{strategy} {options:?}: {misjudged:?}"
        );
    }
}

/// Without symbols, what the standard library does is seen through its system calls only.
#[test]
fn a_program_without_symbols_is_complete_with_a_proviso() {
    const TEST: &str = "#[test] fn joins() { std::thread::spawn(|| ()).join().unwrap() }\n";
    let made = Crate::new("stripped");
    made.write("src/lib.rs", TEST);
    for (flags, is_stripped) in [("", false), ("-Cstrip=symbols", true)] {
        let mut command = made.command(&["test", "--json", "--strategy", "odpor", "--lib"]);
        let output = command.env("RUSTFLAGS", flags).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        let object: serde_json::Value = serde_json::from_str(text.trim()).unwrap();
        assert_eq!(object["complete"], true, "{text}");
        let mut provisos = object["provided"].as_array().unwrap().iter();
        let is_said = provisos.any(|one| one["kind"] == "not-instrumented");
        assert_eq!(is_said, is_stripped, "{text}");
    }
}

type Lines = std::io::Lines<BufReader<std::process::ChildStdout>>;

/// The tests of a crate, one of which never ends, explored up to there.
fn begin_endless(made: &Crate) -> (std::process::Child, Lines) {
    made.write("src/lib.rs", ENDLESS);
    made.write("tests/whole.rs", "fn main() {}\n");
    made.write(
        "unpick.toml",
        "strategy = \"random\"\n[test.\"*first\"]\nexecutions = 2\n\
         [test.\"*second\"]\nexecutions = 1000000000000\n",
    );
    let mut child = made
        .command(&["test"])
        .process_group(0)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || lines.next().unwrap().unwrap();
    while !next().starts_with("unpick  tests::first ... ok (2 executions") {}
    (child, lines)
}

/// Sends a signal to one process.
fn signal(name: &str, process: u32) {
    let process = process.to_string();
    let sent = Command::new("kill").args([name, &process]).status();
    assert!(sent.unwrap().success());
}

/// The processes that run something of a crate.
fn left_of(made: &Crate) -> Vec<String> {
    let path = made.0.to_string_lossy().into_owned();
    let processes = fs::read_dir("/proc").unwrap().filter_map(|entry| {
        let line = fs::read(entry.ok()?.path().join("cmdline")).ok()?;
        Some(String::from_utf8_lossy(&line).replace('\0', " "))
    });
    processes.filter(|line| line.contains(&path)).collect()
}

/// Whatever signal only the command itself gets, all that it has started ends, and soon.
#[test]
fn nothing_outlives_the_command() {
    for (name, code) in [("-TERM", Some(130)), ("-HUP", Some(130)), ("-KILL", None)] {
        let made = Crate::new(&format!("ended{name}"));
        let (mut child, lines) = begin_endless(&made);
        signal(name, child.id());
        let sent_at = Instant::now();
        assert_eq!(child.wait().unwrap().code(), code, "{name}");
        let rest: Vec<String> = lines.map(Result::unwrap).collect();
        while !left_of(&made).is_empty() && sent_at.elapsed() < Duration::from_secs(10) {
            std::thread::yield_now();
        }
        assert_eq!(left_of(&made), [""; 0], "{name}");
        let took = sent_at.elapsed();
        assert!(took < Duration::from_secs(10), "{name}: {took:?}");
        let text = rest.join("\n");
        if code.is_some() {
            assert!(text.contains("tests::third ... not run"), "{name}: {text}");
            assert!(text.contains(" not run; "), "{name}: {text}");
        }
    }
}

/// Away from unpick, what was built for it is an ordinary test binary: here the C library comes before the runtime.
#[test]
fn what_is_built_runs_without_unpick() {
    const TESTS: &str = "#[test] fn copies_and_waits() {
        let bytes: Vec<u64> = (0..1000).collect();
        let lock = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
        let tasks = [0, 1].map(|_| {
            let (copy, lock) = (bytes.clone(), lock.clone());
            std::thread::spawn(move || lock.lock().unwrap().extend(copy.clone()))
        });
        tasks.into_iter().for_each(|task| task.join().unwrap());
        let mut all = [0_u64; 2000];
        all.copy_from_slice(&lock.lock().unwrap());
        all[..1000].fill(1);
        assert_eq!(all[1999], 999);
        std::thread::sleep(std::time::Duration::from_millis(1));
    }\n";
    let made = Crate::new("alone");
    made.write("src/lib.rs", TESTS);
    let output = made.unpick(&["test", "--lib"]);
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
    let errors = String::from_utf8_lossy(&output.stderr);
    let binary = errors
        .split("src/lib.rs (")
        .nth(1)
        .and_then(|rest| rest.split(')').next());
    let binary = made.0.join(binary.expect("Cargo names the binary"));
    let output = Command::new(&binary).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{text}{errors}");
    assert!(
        text.contains("1 passed") && errors.is_empty(),
        "{text}{errors}"
    );
}

/// A test that fails in some orders, and ends its explorer in every execution after that.
const DEADLY: &str = r#"
#[cfg(test)] mod tests {
    use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

    fn kill_explorer() {
        let explorer = std::os::unix::process::parent_id() as u64;
        unsafe {
            std::arch::asm!("syscall", inout("rax") 62_u64 => _, in("rdi") explorer, in("rsi") 9_u64,
                lateout("rcx") _, lateout("r11") _);
        }
    }

    #[test] fn ends_it() {
        if std::fs::exists("failed").unwrap() {
            kill_explorer();
        }
        let value = AtomicU32::new(0);
        std::thread::scope(|scope| {
            scope.spawn(|| value.store(1, SeqCst));
            if value.load(SeqCst) == 1 {
                std::fs::write("failed", "").unwrap();
                panic!("the store is seen");
            }
        });
    }

    #[test] fn a_first_one() {}
}
"#;

#[test]
fn what_an_explorer_has_found_survives_it() {
    let made = Crate::new("deadly");
    made.write("src/lib.rs", DEADLY);
    made.write("tests/whole.rs", "fn main() {}\n");
    // Executions that are compared to choose a way of running again would be the first to fail.
    let output = made.unpick(&["test", "--lib", "--reexec", "snapshot"]);
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{text}{errors}");
    for words in [
        "unpick  tests::a_first_one ... ok",
        "FAILED  tests::ends_it  ",
        ", as it was found",
        "unpick  2 tests: 1 ok, 1 failed",
    ] {
        assert!(text.contains(words), "{words}: {text}{errors}");
    }
    let traces = fs::read_dir(made.0.join(".unpick/traces")).unwrap();
    assert_eq!(traces.count(), 1);
}

#[test]
fn an_interruption_ends_all_tests() {
    let made = Crate::new("interrupted");
    let (mut child, lines) = begin_endless(&made);
    // As a terminal does: to all processes of the group.
    let group = format!("-{}", child.id());
    let killed = Command::new("kill").args(["-INT", "--", &group]).status();
    assert!(killed.unwrap().success());
    let rest: Vec<String> = lines.map(Result::unwrap).collect();
    let text = rest.join("\n");
    // Not all tests were run.
    assert_eq!(child.wait().unwrap().code(), Some(130), "{text}");
    let is_there = |start: &str| rest.iter().any(|line| line.starts_with(start));
    // The second one may not have begun.
    assert!(is_there("unpick  tests::second ... "), "{text}");
    assert!(is_there("unpick  tests::third ... not run"), "{text}");
    assert!(
        is_there("unpick  3 tests: ") && text.contains(" not run; "),
        "{text}"
    );
    assert!(!text.contains("whole ..."), "{text}");
}

#[test]
fn usage_is_told() {
    let made = Crate::new("usage");
    for (arguments, part) in [
        (&["test", "--strategy", "dsf"][..], "unknown strategy `dsf`"),
        (
            &["test", "--doc"],
            "`--doc`: documentation tests are not explored",
        ),
        (&["test", "--", "--strategy"], "stand before `--`"),
        (&["bench"], "cargo unpick test [OPTIONS]"),
        (
            &["test", "--manifest-path", "/nowhere/Cargo.toml"],
            "--manifest-path",
        ),
    ] {
        let output = made.unpick(arguments);
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {text}");
        assert!(text.contains(part), "{arguments:?}: {text}");
    }
    let output = made.unpick(&["test", "--help"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0));
    assert!(
        text.contains("--executions") && text.contains("target/unpick"),
        "{text}"
    );
}
