//! Flags in configuration files that Cargo will not use because of ours.
//!
//! Cargo takes flags from one source only, and `target.<triple>.rustflags`, where ours are, goes
//! before `build.rustflags`. The user must hear of it.

use std::fs;
use std::path::{Path, PathBuf};

/// The first configuration file that sets `build.rustflags`, of those that Cargo reads when it is
/// called in this directory.
pub fn file_with_lost_flags(directory: &Path, cargo_home: Option<&Path>) -> Option<PathBuf> {
    let above = directory.ancestors().map(|folder| folder.join(".cargo"));
    let folders = above.chain(cargo_home.map(Path::to_path_buf));
    let files = folders.flat_map(|folder| [folder.join("config.toml"), folder.join("config")]);
    files
        .into_iter()
        .find(|file| fs::read_to_string(file).is_ok_and(|text| sets_build_flags(&text)))
}

/// Reads only as much of the format as this takes.
fn sets_build_flags(text: &str) -> bool {
    let mut section = "";
    text.lines().map(str::trim).any(|line| {
        if line.starts_with('[') {
            section = line.trim_matches(['[', ']', ' ']);
            return false;
        }
        let key = line.split('=').next().unwrap_or_default().trim();
        matches!(
            (section, key),
            ("build", "rustflags") | ("", "build.rustflags")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_of_the_build_section_are_seen() {
        assert!(sets_build_flags(
            "[build]\njobs = 1\nrustflags = [\"-Ca\"]\n"
        ));
        assert!(sets_build_flags("build.rustflags = \"-Ca\"\n"));
        assert!(!sets_build_flags(
            "[build]\n# rustflags = [\"-Ca\"]\n[target.a]\nrustflags = []\n"
        ));
        assert!(!sets_build_flags("[build]\nrustdocflags = []\n"));
    }
}
