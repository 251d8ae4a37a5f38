//! How long files are.

use super::Finding;
use super::lexer::{line_of, test_items};
use super::tree::{File, Tree};

/// A file is meant to stay below this.
const FILE_LINE_COUNT_AIM: usize = 400;
const FILE_LINE_COUNT_MAX: usize = 800;

/// One file per technique.
const TECHNIQUES_FOLDER: &str = "crates/unpick-strategies/src/";
const TECHNIQUE_LINE_COUNT_MAX: usize = 250;

/// Finds Rust files that are too long.
pub fn files(tree: &Tree) -> Vec<Finding> {
    longer_than(tree, FILE_LINE_COUNT_MAX)
        .map(|(file, count)| {
            let message =
                format!("file has {count} lines, more than {FILE_LINE_COUNT_MAX}; split it");
            Finding::new(&file.path, count, message)
        })
        .collect()
}

/// Names Rust files that are longer than they should be, but not too long.
pub fn notes(tree: &Tree) -> Vec<Finding> {
    longer_than(tree, FILE_LINE_COUNT_AIM)
        .filter(|(_, count)| *count <= FILE_LINE_COUNT_MAX)
        .map(|(file, count)| {
            let message = format!("file has {count} lines; the aim is {FILE_LINE_COUNT_AIM}");
            Finding::new(&file.path, count, message)
        })
        .collect()
}

/// Finds techniques that are too long without their tests.
pub fn techniques(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, masked) in tree.rust() {
        let Some(name) = file.path.strip_prefix(TECHNIQUES_FOLDER) else {
            continue;
        };
        if name
            .split('/')
            .any(|part| part == "tests" || part == "tests.rs")
        {
            continue;
        }
        let test_line_count: usize = test_items(&masked.code)
            .into_iter()
            .map(|item| {
                let last = line_of(&masked.code, item.end - 1);
                last - line_of(&masked.code, item.start) + 1
            })
            .sum();
        let count = file.text.lines().count().saturating_sub(test_line_count);
        if count > TECHNIQUE_LINE_COUNT_MAX {
            let message = format!(
                "technique has {count} lines without its tests, more than \
                 {TECHNIQUE_LINE_COUNT_MAX}; move a part of it to a file of its own"
            );
            findings.push(Finding::new(&file.path, count, message));
        }
    }
    findings
}

fn longer_than(tree: &Tree, line_count: usize) -> impl Iterator<Item = (&File, usize)> {
    tree.rust()
        .map(|(file, _)| (file, file.text.lines().count()))
        .filter(move |(_, count)| *count > line_count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_an_aim_and_a_limit() {
        let tree = Tree::of(&[
            ("short.rs", &"\n".repeat(400)),
            ("aim.rs", &"\n".repeat(401)),
            ("limit.rs", &"\n".repeat(800)),
            ("long.rs", &"\n".repeat(801)),
            ("long.md", &"\n".repeat(900)),
        ]);
        let paths = |findings: Vec<Finding>| -> Vec<_> {
            findings.into_iter().map(|one| one.path).collect()
        };
        assert_eq!(paths(files(&tree)), ["long.rs"]);
        assert_eq!(paths(notes(&tree)), ["aim.rs", "limit.rs"]);
    }

    #[test]
    fn tests_do_not_count_for_techniques() {
        let tests = format!("#[cfg(test)]\nmod tests {{\n{}}}\n", "\n".repeat(300));
        let fits = format!("{}{tests}", "\n".repeat(250));
        let long = format!("{}{tests}", "\n".repeat(251));
        let tree = Tree::of(&[
            ("crates/unpick-strategies/src/fits.rs", &fits),
            ("crates/unpick-strategies/src/long.rs", &long),
            ("crates/unpick-strategies/src/fits/tests.rs", &long),
            ("crates/unpick-engine/src/long.rs", &long),
        ]);
        let findings = techniques(&tree);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].path, "crates/unpick-strategies/src/long.rs");
        assert_eq!(findings[0].line, 251);
    }
}
