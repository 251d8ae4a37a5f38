//! What `cargo unpick test` says of failing tests, and where it keeps them: by package, binary and test.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A workspace of its own, removed at its end.
struct Workspace(PathBuf);

const MANIFEST: &str = "[package]\nname = \"bank\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";

/// Tests that fail in different ways, each with the line of its place.
const LIBRARY: &str = r#"#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;
    #[test]
    fn catches() {
        let _ = catch_unwind(|| panic!("caught"));
        assert_eq!(1, 2, "the failure");
    }
    #[test]
    fn returns() -> Result<(), String> {
        let _ = catch_unwind(|| panic!("caught"));
        Err("no luck".to_string())
    }
    #[test]
    #[should_panic]
    fn stays_calm() {}
    #[test]
    #[should_panic]
    fn panics_as_it_should() {
        panic!("as it should")
    }
    #[test]
    fn works() {
        panic!("of the library")
    }
}
"#;

fn works(words: &str) -> String {
    format!("#[test]\nfn works() {{\n    panic!(\"{words}\")\n}}\n")
}

impl Workspace {
    fn new(name: &str) -> Workspace {
        let name = format!("unpick-failures-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&path);
        let made = Workspace(path);
        made.write(
            "Cargo.toml",
            "[workspace]\nmembers = [\"member\"]\nresolver = \"2\"\n",
        );
        made.write("member/Cargo.toml", MANIFEST);
        made.write("member/src/lib.rs", LIBRARY);
        made.write(
            "member/src/main.rs",
            &format!(
                "fn main() {{}}\nmod tests {{\n{}}}\n",
                works("of the program")
            ),
        );
        made.write("member/tests/a.rs", &works("of a"));
        made.write("member/tests/b.rs", &works("of b"));
        made
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Runs a command of unpick in the root; gives its exit code and what it says.
    fn run(&self, program: &str, arguments: &[&str]) -> (i32, String) {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(&self.0)
            .stdin(Stdio::null());
        for name in [
            "CARGO_TARGET_DIR",
            "CARGO_BUILD_TARGET",
            "RUSTFLAGS",
            "CARGO_ENCODED_RUSTFLAGS",
            "GITHUB_ACTIONS",
            "CARGO_PKG_NAME",
            "CARGO_MANIFEST_DIR",
        ] {
            command.env_remove(name);
        }
        let output = command
            .env("UNPICK_CACHE", self.0.join("cache"))
            .output()
            .unwrap();
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text).into_owned();
        (output.status.code().unwrap(), text)
    }

    fn regressions(&self) -> Vec<String> {
        let folder = self.0.join("member/.unpick/regressions");
        let entries = fs::read_dir(folder).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What stands behind a word at the beginning of lines, shortened to the file.
fn told<'a>(text: &'a str, word: &str) -> Vec<&'a str> {
    let lines = text.lines().map(str::trim_start);
    lines
        .filter_map(|line| line.strip_prefix(word))
        .map(str::trim)
        .collect()
}

#[test]
fn failures_of_tests_say_what_failed_and_are_kept_apart() {
    let made = Workspace::new("tests");
    let cargo = env!("CARGO_BIN_EXE_cargo-unpick");
    let test = ["unpick", "test", "--executions", "3"];
    let (code, text) = made.run(cargo, &test);
    assert_eq!(code, 1, "{text}");
    for words in [
        "tests::catches  panicked at member/src/lib.rs:7: assertion `left == right` failed: the failure",
        "tests::returns  the test returned an error: \"no luck\" at src/lib.rs:10",
        "tests::stays_calm  the test did not panic, and should have panicked at member/src/lib.rs:16",
        "works  panicked at member/tests/a.rs:3: of a",
        "works  panicked at member/tests/b.rs:3: of b",
        "tests::panics_as_it_should ... ok",
    ] {
        assert!(text.contains(words), "{words} is not in: {text}");
    }
    let kept = [
        "native_bank_a_works.txt",
        "native_bank_b_works.txt",
        "native_bank_bank_tests__catches.txt",
        "native_bank_bank_tests__returns.txt",
        "native_bank_bank_tests__stays_calm.txt",
        "native_bank_bank_tests__works.txt",
        "native_bank_bin_bank_tests__works.txt",
    ];
    assert_eq!(made.regressions(), kept, "{text}");
    // What is printed works where the command was typed.
    let saved = told(&text, "saved   ");
    assert_eq!(saved.len(), kept.len(), "{text}");
    for path in saved {
        let record = fs::read_to_string(made.0.join(path)).unwrap();
        let root = made.0.to_str().unwrap();
        assert!(
            !record.contains(root),
            "{path} holds a path of this machine: {record}"
        );
    }
    let replays = told(&text, "replay  ");
    assert_eq!(replays.len(), kept.len(), "{text}");
    for command in &replays[..2] {
        let words: Vec<&str> = command.split(' ').skip(1).collect();
        let (code, text) = made.run(env!("CARGO_BIN_EXE_unpick"), &words);
        assert_eq!(code, 1, "{command}: {text}");
        assert!(text.contains("the same failure, step by step"), "{text}");
    }
    // They come first, and each is that of its own binary.
    let (code, text) = made.run(cargo, &[&test[..], &["--test", "b"]].concat());
    assert_eq!(code, 1, "{text}");
    assert!(
        text.contains("of b") && text.contains("by its regression"),
        "{text}"
    );
    assert!(
        Path::new(&made.0)
            .join(told(&text, "saved   ")[0])
            .is_file(),
        "{text}"
    );
}
