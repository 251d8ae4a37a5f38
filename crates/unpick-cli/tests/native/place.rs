//! A directory to work in, and commands there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// A directory of its own for a test, removed at its end.
pub struct Place(pub PathBuf);

impl Place {
    pub fn new(name: &str) -> Place {
        let path =
            std::env::temp_dir().join(format!("unpick-native-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Place(path)
    }

    /// A command here that knows nothing of the Cargo that runs the tests.
    pub fn command(&self, program: &str) -> Command {
        let unpick = env!("CARGO_BIN_EXE_unpick");
        let mut command = Command::new(program);
        command
            .current_dir(&self.0)
            .env("CC", format!("{unpick} cc"))
            .env("CXX", format!("{unpick} c++"))
            .stdin(Stdio::null());
        for name in [
            "CARGO_TARGET_DIR",
            "CARGO_BUILD_TARGET",
            "RUSTFLAGS",
            "CARGO_ENCODED_RUSTFLAGS",
            "MAKEFLAGS",
            "GITHUB_ACTIONS",
        ] {
            command.env_remove(name);
        }
        command
    }

    /// Runs `unpick` here. Whatever the program does, it must come back: `timeout` sees to that, and
    /// an exit code of 124 is its word for a hang.
    pub fn unpick(&self, arguments: &[&str]) -> Said {
        let mut command = self.command("timeout");
        command.arg(LIMIT.as_secs().to_string());
        command.arg(env!("CARGO_BIN_EXE_unpick")).args(arguments);
        Said::of(&command.output().unwrap())
    }

    /// Lets the next exploration know nothing of the last one.
    pub fn forget(&self) {
        let _ = fs::remove_dir_all(self.0.join(".unpick/regressions"));
    }

    /// Builds a program of `unpick-native/tests/programs`.
    pub fn build(&self, path: &str, options: &[&str]) {
        let source = sources().join("unpick-native/tests/programs").join(path);
        let (wrapper, standard) = match path.ends_with(".cc") {
            true => ("c++", "-std=c++20"),
            false => ("cc", "-std=gnu11"),
        };
        let mut command = self.command(env!("CARGO_BIN_EXE_unpick"));
        command
            .args([wrapper, standard, "-O1", "-g"])
            .args(options)
            .arg(&source)
            .args(["-o", name_of(path), "-pthread"]);
        let output = command.output().unwrap();
        let said = Said::of(&output);
        assert_eq!(said.code, 0, "{path} does not compile: {}", said.text);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// How long a command may take. Generous: machines may be busy.
const LIMIT: Duration = Duration::from_secs(240);

/// What a command said, and how it ended.
pub struct Said {
    pub code: i32,
    /// Standard output, then standard error.
    pub text: String,
}

impl Said {
    pub fn of(output: &Output) -> Said {
        let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.push_str(&String::from_utf8_lossy(&output.stderr));
        Said {
            code: output.status.code().unwrap_or(-1),
            text,
        }
    }

    /// The id with which a failure can be replayed.
    pub fn id(&self) -> String {
        let (_, rest) = self.text.split_once("unpick replay ").unwrap_or_else(|| {
            panic!("no id is printed:\n{}", self.text);
        });
        rest.split_whitespace().next().unwrap().to_string()
    }
}

/// The name of a program by its source.
pub fn name_of(path: &str) -> &str {
    Path::new(path).file_stem().unwrap().to_str().unwrap()
}

/// The directory of the crates.
pub fn sources() -> PathBuf {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    crates.to_path_buf()
}
