//! `cargo xtask bench`: starts the side-by-side measurement in `benches/peers.rs`.

use std::path::Path;

use anyhow::{Context, Result};

use crate::workspace;

/// Measures with the given options and says whether the measurement came to its end.
pub fn measure(root: &Path, options: &[String]) -> Result<bool> {
    let status = workspace::command(root, "cargo")
        .args(["bench", "--package", "xtask", "--bench", "peers", "--"])
        .args(options)
        .status()
        .context("cannot start cargo; install Rust from rustup.rs")?;
    Ok(status.success())
}
