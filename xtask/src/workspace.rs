//! Where the workspace is, and how its tools are started.
//!
//! Never trusts a path that was fixed when this program was built.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

/// The root of the workspace that the current directory belongs to.
pub fn root() -> Result<PathBuf> {
    let start = std::env::current_dir().context("cannot tell the current directory")?;
    for folder in start.ancestors() {
        if folder.join("xtask/Cargo.toml").is_file() && folder.join("Cargo.toml").is_file() {
            return Ok(folder.to_path_buf());
        }
    }
    bail!(
        "no workspace above {}; start this inside the repository",
        start.display()
    )
}

/// A command that works in the root of the workspace with a closed standard input, and does not
/// see what Cargo told *this* program about itself.
pub fn command(root: &Path, program: &str) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root).stdin(Stdio::null());
    for (name, _) in std::env::vars_os() {
        let own = name
            .to_str()
            .is_some_and(|name| name.starts_with("CARGO_PKG_") || is_about_package(name));
        if own {
            command.env_remove(name);
        }
    }
    command
}

/// The command `unpick`, built anew; it lies beside this program.
pub fn unpick(root: &Path) -> Result<PathBuf> {
    let own = std::env::current_exe().context("cannot tell where this program is")?;
    let mut command = command(root, "cargo");
    command.args(["build", "--package", "unpick-cli"]);
    // It is put beside this program if it has the same profile.
    if own
        .parent()
        .is_some_and(|folder| folder.ends_with("release"))
    {
        command.arg("--release");
    }
    ensure!(command.status()?.success(), "unpick-cli does not build");
    Ok(own.with_file_name("unpick"))
}

fn is_about_package(name: &str) -> bool {
    matches!(name, "CARGO_MANIFEST_DIR" | "CARGO_MANIFEST_PATH")
}
