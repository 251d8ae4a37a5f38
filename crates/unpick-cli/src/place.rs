//! Where the user is, and where things are kept.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The directory in which the user typed the command, if that is another one than this process runs in: Cargo runs test
/// binaries in the directories of their packages.
static TYPED_IN: OnceLock<PathBuf> = OnceLock::new();

/// Notes where the user typed the command.
pub(crate) fn set_typed_in(directory: &Path) {
    let _ = TYPED_IN.set(directory.to_path_buf());
}

fn here() -> PathBuf {
    std::env::current_dir().unwrap_or_default()
}

/// Whether the user typed the command where this process runs.
pub(crate) fn is_typed_here() -> bool {
    TYPED_IN.get().is_none_or(|directory| *directory == here())
}

/// A path as the user can give it.
pub(crate) fn shown(path: &Path) -> String {
    let shown = match TYPED_IN.get() {
        Some(directory) => relative(&here().join(path), directory),
        None => path.to_path_buf(),
    };
    shown.display().to_string()
}

/// A path seen from a directory, if it lies below that or below a directory above it that belongs to the same workspace;
/// otherwise as it is.
pub(crate) fn relative(path: &Path, from: &Path) -> PathBuf {
    let mut up = PathBuf::new();
    for directory in from.ancestors() {
        let is_project = directory == from || directory.join("Cargo.toml").is_file();
        if let Ok(rest) = path.strip_prefix(directory)
            && is_project
        {
            let rest = up.join(rest);
            return match rest.as_os_str().is_empty() {
                true => PathBuf::from("."),
                false => rest,
            };
        }
        up.push("..");
    }
    path.to_path_buf()
}

/// The directory of the project that a trace belongs to: the one that holds `.unpick`, or this one.
pub(crate) fn project_of(trace: &Path) -> PathBuf {
    let path = std::path::absolute(trace).unwrap_or_default();
    let store = path.ancestors().find(|one| one.ends_with(".unpick"));
    store
        .and_then(Path::parent)
        .map_or_else(here, Path::to_path_buf)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn paths_of_a_workspace_are_relative() {
        let root = std::env::temp_dir().join(format!("unpick-place-{}", std::process::id()));
        let member = root.join("member");
        fs::create_dir_all(&member).unwrap();
        let program = root.join("target/unpick/deps/bank");
        assert_eq!(relative(&program, &member), program);
        fs::write(root.join("Cargo.toml"), "[workspace]\n").unwrap();
        assert_eq!(
            relative(&program, &member),
            Path::new("../target/unpick/deps/bank")
        );
        assert_eq!(relative(&member, &root), Path::new("member"));
        assert_eq!(relative(&root, &root), Path::new("."));
        let trace = member.join(".unpick/traces/4f2a.trace");
        assert_eq!(project_of(&trace), member);
        fs::remove_dir_all(&root).unwrap();
    }
}
