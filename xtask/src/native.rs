//! `cargo xtask native`: the promises about native programs, kept in full.
//!
//! The tests of the workspace keep them in short; the same tests with more effort are started here.

mod measure;

use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::workspace;

pub use measure::measure;

/// What to run, and the tests that do it.
const PARTS: &[(&str, &str, &str, &str)] = &[
    ("verdicts", "unpick-native", "verdicts", ""),
    ("backends", "unpick-native", "backends", ""),
    ("prelude", "unpick-native", "prelude", ""),
    ("prediction", "unpick-native", "prediction", ""),
    ("examples", "unpick-cli", "native", "examples::"),
];

/// Runs the named parts, or all, and says whether every promise was kept.
pub fn run(root: &Path, names: &[String]) -> Result<bool> {
    if let Some(name) = names
        .iter()
        .find(|name| PARTS.iter().all(|part| part.0 != **name))
    {
        let known: Vec<_> = PARTS.iter().map(|part| part.0).collect();
        bail!("`{name}` is no part; there are {}", known.join(", "));
    }
    let mut all_well = true;
    for (name, package, test, filter) in PARTS {
        if !names.is_empty() && !names.iter().any(|wanted| wanted == name) {
            continue;
        }
        println!("native {name}");
        let mut command = workspace::command(root, "cargo");
        command
            .args(["test", "--package", package, "--test", test])
            .args(["--", "--nocapture", "--test-threads=1", filter])
            .env("UNPICK_EFFORT", "full");
        let status = command
            .status()
            .context("cannot start cargo; install Rust from rustup.rs")?;
        all_well &= status.success();
    }
    Ok(all_well)
}
