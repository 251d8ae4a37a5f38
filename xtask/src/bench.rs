//! `cargo xtask bench`: starts the side-by-side measurement in `benches/peers.rs`, or that of questions to
//! causal models and of explorations by them.

use std::path::Path;

use anyhow::{Context, Result};

use crate::workspace;

/// Measures with the given options and says whether the measurement came to its end.
pub fn measure(root: &Path, options: &[String]) -> Result<bool> {
    start(root, ["xtask", "peers"], options)
}

/// Measures the time per question to the causal models of traces, and whole explorations by them.
pub fn measure_causality(root: &Path, options: &[String]) -> Result<bool> {
    let is_asked = start(root, ["unpick-causality", "queries"], options)?;
    println!();
    Ok(start(root, ["xtask", "reductions"], &[])? && is_asked)
}

fn start(root: &Path, [package, bench]: [&str; 2], options: &[String]) -> Result<bool> {
    let status = workspace::command(root, "cargo")
        .args(["bench", "--package", package, "--bench", bench, "--"])
        .args(options)
        .status()
        .context("cannot start cargo; install Rust from rustup.rs")?;
    Ok(status.success())
}
