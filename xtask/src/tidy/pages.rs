//! Pages that must exist, and how long the front pages may be.

use super::Finding;
use super::lexer::{without_tests, words};
use super::tree::Tree;

const TECHNIQUES_FOLDER: &str = "crates/unpick-strategies/src/";
const GLOSSARY: &str = "docs/glossary.md";

/// One word per idea; each must be explained.
const GLOSSARY_WORDS: &[&str] = &[
    "task",
    "operation",
    "object",
    "step",
    "choice",
    "schedule",
    "trace",
    "execution",
    "exploration",
    "strategy",
    "outcome",
    "finding",
];

/// Pages that greet a newcomer, with the most lines they may have.
const FRONT_PAGES: &[(&str, usize)] = &[
    ("README.md", 80),
    ("ARCHITECTURE.md", 150),
    ("CHANGELOG.md", usize::MAX),
];

/// Finds techniques without a page of their own.
pub fn techniques(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, masked) in tree.rust() {
        let name = file
            .path
            .strip_prefix(TECHNIQUES_FOLDER)
            .and_then(|name| name.strip_suffix(".rs"))
            .filter(|name| !name.contains('/'));
        let Some(name) = name else { continue };
        let Some(line) = strategy_line(&without_tests(&masked.code)) else {
            continue;
        };
        let page = format!("docs/techniques/{}.md", name.replace('_', "-"));
        if tree.get(&page).is_none() {
            let message = format!("technique without a page; write {page}");
            findings.push(Finding::new(&file.path, line, message));
        }
    }
    findings
}

/// The line of the first `impl Strategy for`, with or without type parameters.
fn strategy_line(code: &str) -> Option<usize> {
    let position = code.lines().position(|line| {
        let line = line.trim_start();
        line.starts_with("impl")
            && words(line, "Strategy").any(|at| line[at..].starts_with("Strategy for "))
    });
    position.map(|index| index + 1)
}

/// Finds words of the house that the glossary does not explain.
pub fn glossary(tree: &Tree) -> Vec<Finding> {
    let Some(file) = tree.get(GLOSSARY) else {
        return vec![Finding::new(GLOSSARY, 1, "missing; write it")];
    };
    let text = file.text.to_lowercase();
    GLOSSARY_WORDS
        .iter()
        .filter(|word| words(&text, word).next().is_none())
        .map(|word| Finding::new(GLOSSARY, 1, format!("does not explain `{word}`")))
        .collect()
}

/// Finds front pages that are missing or too long.
pub fn fronts(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, line_count_max) in FRONT_PAGES {
        let Some(file) = tree.get(path) else {
            findings.push(Finding::new(path, 1, "missing; write it"));
            continue;
        };
        let count = file.text.lines().count();
        if count > *line_count_max {
            let message = format!("has {count} lines, more than {line_count_max}; shorten it");
            findings.push(Finding::new(path, count, message));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_technique_has_a_page() {
        let tree = Tree::of(&[
            (
                "crates/unpick-strategies/src/dfs.rs",
                "//! D.\nimpl Strategy for Dfs {}\n",
            ),
            (
                "crates/unpick-strategies/src/lazy_dpor.rs",
                "impl<R: Rng> Strategy for Lazy<R> {}\n",
            ),
            (
                "crates/unpick-strategies/src/pct.rs",
                "impl Strategy for Pct {}\n",
            ),
            (
                "crates/unpick-strategies/src/tree.rs",
                "#[cfg(test)]\nmod tests {\nimpl Strategy for A {}\n}\n",
            ),
            ("docs/techniques/dfs.md", ""),
            ("docs/techniques/lazy-dpor.md", ""),
        ]);
        let findings: Vec<_> = techniques(&tree).iter().map(Finding::to_string).collect();
        assert_eq!(
            findings,
            [
                "crates/unpick-strategies/src/pct.rs:1: technique without a page; write docs/techniques/pct.md"
            ]
        );
    }

    #[test]
    fn the_glossary_explains_every_word() {
        assert_eq!(glossary(&Tree::of(&[])).len(), 1);
        let all = GLOSSARY_WORDS.join(", ");
        assert!(glossary(&Tree::of(&[(GLOSSARY, &all)])).is_empty());
        let fewer = all.replace("outcome", "result");
        assert_eq!(
            glossary(&Tree::of(&[(GLOSSARY, &fewer)]))[0].message,
            "does not explain `outcome`"
        );
    }

    #[test]
    fn front_pages_exist_and_are_short() {
        let tree = Tree::of(&[
            ("README.md", &"\n".repeat(81)),
            ("ARCHITECTURE.md", &"\n".repeat(150)),
        ]);
        let findings: Vec<_> = fronts(&tree).iter().map(Finding::to_string).collect();
        assert_eq!(
            findings,
            [
                "README.md:81: has 81 lines, more than 80; shorten it",
                "CHANGELOG.md:1: missing; write it"
            ]
        );
    }
}
