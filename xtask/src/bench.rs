//! `cargo xtask bench`: starts the side-by-side measurement in `benches/peers.rs`, that of questions to
//! causal models and of explorations by them, or that of actors.

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

/// Measures actors, under control and in production.
pub fn measure_actors(root: &Path) -> Result<bool> {
    start(root, ["unpick-actors", "actors"], &[])
}

/// Measures the comparison of traces.
pub fn measure_comparison(root: &Path, options: &[String]) -> Result<bool> {
    start(root, ["unpick-analysis", "compare"], options)
}

/// Measures `ppct` on real threads beside `pct`.
pub fn measure_ppct(root: &Path) -> Result<bool> {
    start(root, ["unpick-native", "ppct"], &[])
}

/// Measures what placements of noise cost that do nothing.
pub fn measure_noise(root: &Path) -> Result<bool> {
    start(root, ["unpick-native", "noise"], &[])
}

fn start(root: &Path, [package, bench]: [&str; 2], options: &[String]) -> Result<bool> {
    let status = workspace::command(root, "cargo")
        .args(["bench", "--package", package, "--bench", bench, "--"])
        .args(options)
        .status()
        .context("cannot start cargo; install Rust from rustup.rs")?;
    Ok(status.success())
}
