//! A directory in which the command is run.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// A directory of its own for a test, removed at its end.
pub struct Place(pub PathBuf);

impl Place {
    pub fn new(name: &str) -> Place {
        let of = env!("CARGO_CRATE_NAME");
        let name = format!("unpick-{of}-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Place(path)
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_unpick"));
        command
            .args(arguments)
            .current_dir(&self.0)
            .env_remove("GITHUB_ACTIONS")
            .stdin(Stdio::null());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
