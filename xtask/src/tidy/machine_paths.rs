//! Paths that exist on one machine only.

use super::Finding;
use super::lexer::is_word;
use super::tree::Tree;

/// Put together from parts so that this file does not contain them.
const MACHINE_PATHS: &[&str] = &[
    concat!("/", "work", "/"),
    concat!("/", "root", "/"),
    concat!("/", "home", "/"),
];

/// Finds absolute paths of somebody's machine in any text file.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in &tree.files {
        if file.path == "Cargo.lock" || file.path.ends_with("/Cargo.lock") {
            continue;
        }
        for (line, text) in (1..).zip(file.text.lines()) {
            for path in MACHINE_PATHS {
                if text
                    .match_indices(path)
                    .any(|(at, _)| is_absolute(text, at))
                {
                    let message =
                        format!("`{path}` exists on one machine only; use a relative path");
                    findings.push(Finding::new(&file.path, line, message));
                }
            }
        }
    }
    findings
}

/// Whether the `/` at this position begins a path, and does not stand inside one.
fn is_absolute(text: &str, at: usize) -> bool {
    let before = text.as_bytes()[..at].last();
    before.is_none_or(|&byte| !is_word(byte) && !matches!(byte, b'.' | b'-' | b'}' | b')'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machine_paths_are_found() {
        let text = format!("a\nsee {}b\n", MACHINE_PATHS[1]);
        let findings = check(&Tree::of(&[("a.md", &text), ("Cargo.lock", &text)]));
        assert_eq!(findings.len(), 1);
        assert_eq!((findings[0].path.as_str(), findings[0].line), ("a.md", 2));
    }

    #[test]
    fn folders_inside_paths_are_free() {
        for prefix in ["docs", "..", "$(pwd)", "${HOME}"] {
            let text = format!("{prefix}{}b\n", MACHINE_PATHS[0]);
            assert!(check(&Tree::of(&[("a.md", &text)])).is_empty(), "{prefix}");
        }
    }
}
