//! How source files begin.

use super::Finding;
use super::lexer::{line_of, words};
use super::tree::Tree;

/// Crates that also live inside foreign processes.
const NO_STD_CRATES: &[&str] = &[
    "unpick-trace",
    "unpick-engine",
    "unpick-strategies",
    "unpick-memory",
    "unpick-protocol",
    "unpick-preload",
];

/// Finds modules that do not begin by saying what they are for.
pub fn module_comment(tree: &Tree) -> Vec<Finding> {
    tree.rust()
        .filter(|(file, _)| !file.text.trim_start().starts_with("//!"))
        .map(|(file, _)| {
            let message = "does not start with `//!`; say what the module is for";
            Finding::new(&file.path, 1, message)
        })
        .collect()
}

/// Finds crates that could come to need an operating system or a thread of their own.
pub fn no_std(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for name in NO_STD_CRATES {
        let folder = format!("crates/{name}/src/");
        for (file, masked) in tree.rust() {
            let Some(inner) = file.path.strip_prefix(&folder) else {
                continue;
            };
            if inner == "lib.rs" && !opens_with_no_std(&masked.code) {
                let message = format!("`{name}` must begin with `#![no_std]`");
                findings.push(Finding::new(&file.path, 1, message));
            }
            for at in words(&masked.code, "thread_local") {
                let message = format!("`{name}` must not use `thread_local!`");
                findings.push(Finding::new(&file.path, line_of(&masked.code, at), message));
            }
        }
    }
    findings
}

/// Whether the attribute stands before the first item.
fn opens_with_no_std(code: &str) -> bool {
    match code.find("#![no_std]") {
        Some(at) => !code[..at].contains(['{', '}', ';']),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_begin_with_their_purpose() {
        let tree = Tree::of(&[
            ("a.rs", "\n//! A.\n"),
            ("b.rs", "use c;\n"),
            ("c.md", "# C"),
        ]);
        let findings = module_comment(&tree);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].path, "b.rs");
    }

    #[test]
    fn no_std_stands_at_the_top() {
        let check =
            |text: &str| no_std(&Tree::of(&[("crates/unpick-trace/src/lib.rs", text)])).len();
        assert_eq!(
            check("//! A; b.\n#![forbid(unsafe_code)]\n#![no_std]\nextern crate alloc;\n"),
            0
        );
        assert_eq!(check("extern crate alloc;\n#![no_std]\n"), 1);
        assert_eq!(check("// #![no_std]\n"), 1);
        assert_eq!(
            check("#![no_std]\nthread_local! { static A: u8 = 0; }\n"),
            1
        );
    }

    #[test]
    fn other_crates_are_free() {
        let tree = Tree::of(&[("crates/unpick/src/lib.rs", "thread_local! {}\n")]);
        assert!(no_std(&tree).is_empty());
    }
}
