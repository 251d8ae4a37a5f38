//! Names and words that say nothing, and calls that leave work undone.

use super::Finding;
use super::lexer::{identifier, line_of, words as words_alone};
use super::tree::Tree;

/// Names that fit any content and so describe none.
const EMPTY_NAMES: &[&str] = &["utils", "common", "core", "misc", "helpers", "manager"];

/// Marks of unfinished work, in code and in comments.
const UNFINISHED_WORDS: &[&str] = &["TODO", "FIXME", "XXX"];

/// Code that leaves work undone or a test unreliable, with the remedy.
const UNWANTED_CODE: &[(&str, &str)] = &[
    ("todo!(", "write it or leave it out"),
    ("unimplemented!(", "write it or leave it out"),
    ("#[ignore", "make the test pass or delete it"),
    ("std::thread::sleep", "wait for the event itself"),
];

/// Where sleeping is the purpose: the front end hands it on outside of explorations, and noise is
/// made of it.
const SLEEPING_PLACES: &[&str] = &["crates/unpick/src/thread", "crates/unpick-noise/src/"];

/// Finds Rust files, folders and inline modules with empty names.
pub fn files_and_modules(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, masked) in tree.rust() {
        for part in file.path.trim_end_matches(".rs").split('/') {
            if EMPTY_NAMES.contains(&part) {
                let message = format!("`{part}` fits any content; name what is in it");
                findings.push(Finding::new(&file.path, 1, message));
            }
        }
        if file.path.ends_with("/mod.rs") {
            let message = "modules are `name.rs` with `name/`, never `mod.rs`";
            findings.push(Finding::new(&file.path, 1, message));
        }
        for at in words_alone(&masked.code, "mod") {
            let name = identifier(&masked.code[at + "mod".len()..]);
            if EMPTY_NAMES.contains(&name) {
                let message = format!("module `{name}` fits any content; name what is in it");
                let line = line_of(&masked.code, at);
                findings.push(Finding::new(&file.path, line, message));
            }
        }
    }
    findings
}

/// Finds unfinished and unwanted code; string literals are free.
pub fn words(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, masked) in tree.rust() {
        for word in UNFINISHED_WORDS {
            for at in words_alone(&masked.code_and_comments, word) {
                let message = format!("`{word}` marks unfinished work; finish it");
                let line = line_of(&masked.code_and_comments, at);
                findings.push(Finding::new(&file.path, line, message));
            }
        }
        for (pattern, remedy) in UNWANTED_CODE {
            let sleeping = SLEEPING_PLACES
                .iter()
                .any(|place| file.path.starts_with(place));
            if pattern.ends_with("sleep") && sleeping {
                continue;
            }
            for (at, _) in masked.code.match_indices(pattern) {
                let message = format!("`{pattern}` is not allowed; {remedy}");
                findings.push(Finding::new(&file.path, line_of(&masked.code, at), message));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_names_are_found() {
        let tree = Tree::of(&[
            ("crates/unpick/src/utils.rs", ""),
            ("crates/unpick/src/core/good.rs", ""),
            ("crates/unpick/tests/good/mod.rs", ""),
            (
                "crates/unpick/src/good.rs",
                "mod helpers;\nmod helpers_of_dfs;\n// mod misc\n",
            ),
        ]);
        let places: Vec<_> = files_and_modules(&tree)
            .into_iter()
            .map(|one| (one.path, one.line))
            .collect();
        let expected = [
            ("crates/unpick/src/core/good.rs", 1),
            ("crates/unpick/src/good.rs", 1),
            ("crates/unpick/src/utils.rs", 1),
            ("crates/unpick/tests/good/mod.rs", 1),
        ];
        assert_eq!(places, expected.map(|(path, line)| (path.to_owned(), line)));
    }

    #[test]
    fn unfinished_words_are_found_outside_of_strings() {
        let tree = Tree::of(&[("a.rs", "// TODO b\nlet c = \"TODO\";\nlet TODOS = 1;\n")]);
        let findings = words(&tree);
        assert_eq!(findings.len(), 1);
        assert_eq!(
            findings[0].to_string(),
            "a.rs:1: `TODO` marks unfinished work; finish it"
        );
    }

    #[test]
    fn unwanted_code_is_found_outside_of_comments() {
        let text = "todo!()\n// todo!()\n#[ignore = \"slow\"]\nunimplemented!(\"x\")\n\
                    std::thread::sleep(a);\nunpick::thread::sleep(a);\n";
        let lines: Vec<_> = words(&Tree::of(&[("a.rs", text)]))
            .into_iter()
            .map(|one| one.line)
            .collect();
        assert_eq!(lines, [1, 4, 3, 5]);
        let noise = Tree::of(&[("crates/unpick-noise/src/a.rs", "std::thread::sleep(a)")]);
        assert!(words(&noise).is_empty());
    }
}
