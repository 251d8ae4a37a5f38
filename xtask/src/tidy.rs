//! `cargo xtask tidy`: the rules of the house that the compiler does not know.
//!
//! Each check is a function from the files of the workspace to a list of findings, so that it can
//! be tested on small strings. Nothing here changes a file.

mod arrows;
mod functions;
mod lexer;
mod links;
mod machine_paths;
mod names;
mod openings;
mod pages;
mod sizes;
mod tree;
mod unsafety;

use std::fmt;
use std::path::Path;

use anyhow::Result;

use tree::Tree;

/// Something that is against a rule, at a place.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    path: String,
    line: usize,
    message: String,
}

impl Finding {
    fn new(path: &str, line: usize, message: impl Into<String>) -> Self {
        Finding {
            path: path.to_owned(),
            line,
            message: message.into(),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}: {}", self.path, self.line, self.message)
    }
}

type Check = fn(&Tree) -> Vec<Finding>;

/// Every check whose findings are failures.
const CHECKS: &[Check] = &[
    arrows::check,
    openings::module_comment,
    openings::no_std,
    sizes::files,
    sizes::techniques,
    functions::lengths,
    names::files_and_modules,
    names::words,
    unsafety::reasons,
    unsafety::places,
    pages::techniques,
    pages::glossary,
    pages::fronts,
    links::check,
    machine_paths::check,
];

/// Prints all findings and says whether there were none.
pub fn check(root: &Path) -> Result<bool> {
    let tree = Tree::read(root)?;
    for note in sizes::notes(&tree) {
        println!("note: {note}");
    }
    let findings = findings(&tree);
    for finding in &findings {
        println!("{finding}");
    }
    match findings.len() {
        0 => println!("tidy: {} files, nothing found", tree.files.len()),
        count => println!("tidy: {} files, {count} findings", tree.files.len()),
    }
    Ok(findings.is_empty())
}

fn findings(tree: &Tree) -> Vec<Finding> {
    let mut findings: Vec<_> = CHECKS.iter().flat_map(|check| check(tree)).collect();
    findings.sort();
    findings.dedup();
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_reads_as_path_line_message() {
        let finding = Finding::new("a/b.rs", 7, "too long");
        assert_eq!(finding.to_string(), "a/b.rs:7: too long");
    }

    #[test]
    fn findings_come_sorted_from_all_checks() {
        let tree = Tree::of(&[("b/utils.rs", "//! B.\n"), ("a.rs", "fn a() {}\n")]);
        let paths: Vec<_> = findings(&tree).into_iter().map(|one| one.path).collect();
        assert!(paths.is_sorted());
        assert!(paths.contains(&"a.rs".to_owned()));
        assert!(paths.contains(&"b/utils.rs".to_owned()));
    }
}
