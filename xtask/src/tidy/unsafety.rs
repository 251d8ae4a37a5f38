//! Where `unsafe` may stand, and that each use of it gives its reason.

use super::Finding;
use super::lexer::{identifier, line_of, words};
use super::tree::Tree;

/// Unsafe code is kept to the runtimes, the measurements, tests (a counting allocator), and the cell
/// that generated programs share without protection in order to race.
const UNSAFE_PLACES: &[&str] = &[
    "crates/unpick/src/rt",
    "crates/unpick-suite/src/generated/shared_cell.rs",
    "crates/unpick-native/",
    "crates/unpick-preload/",
    "crates/unpick-memory/",
    "xtask/benches/",
    "xtask/tests/historic/",
];

/// How far above the keyword the reason may stand.
const REASON_DISTANCE_MAX: usize = 6;

/// Finds `unsafe` in places that must do without.
pub fn places(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, masked) in tree.rust() {
        let allowed = UNSAFE_PLACES
            .iter()
            .any(|place| file.path.starts_with(place))
            || file.path.split('/').any(|part| part == "tests");
        if allowed {
            continue;
        }
        for at in words(&masked.code, "unsafe") {
            let message = "`unsafe` has no place here; only in the runtimes, benches and tests";
            findings.push(Finding::new(&file.path, line_of(&masked.code, at), message));
        }
    }
    findings
}

/// Finds unsafe blocks, implementations and functions without a reason.
pub fn reasons(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, masked) in tree.rust() {
        let lines: Vec<_> = file.text.lines().collect();
        for at in words(&masked.code, "unsafe") {
            let Some(kind) = kind(&masked.code[at + "unsafe".len()..]) else {
                continue;
            };
            let line = line_of(&masked.code, at);
            let given =
                has_reason(&lines, line) || (kind == Kind::Function && documented(&lines, line));
            if !given {
                let message = match kind {
                    Kind::Function => "unsafe function without `// SAFETY:` or `# Safety`",
                    Kind::Block => "unsafe block without `// SAFETY:` above it",
                    Kind::Implementation => "unsafe implementation without `// SAFETY:` above it",
                };
                findings.push(Finding::new(&file.path, line, message));
            }
        }
    }
    findings
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Block,
    Implementation,
    Function,
}

/// What follows the keyword; nothing for pointer types, attributes, traits and foreign blocks.
fn kind(after: &str) -> Option<Kind> {
    let mut rest = after.trim_start();
    if rest.starts_with('{') {
        return Some(Kind::Block);
    }
    // The name of the calling convention is a literal, so it is blank here.
    if let Some(after_extern) = rest.strip_prefix("extern") {
        rest = after_extern.trim_start();
    }
    match identifier(rest) {
        "impl" => Some(Kind::Implementation),
        "fn" => {
            let after_fn = rest["fn".len()..].trim_start();
            (!after_fn.starts_with('(')).then_some(Kind::Function)
        }
        _ => None,
    }
}

fn has_reason(lines: &[&str], line: usize) -> bool {
    let first = line.saturating_sub(1 + REASON_DISTANCE_MAX);
    lines[first..line]
        .iter()
        .any(|text| text.contains("SAFETY:"))
}

/// Whether the comment right above the function has a section on safety, however long it is.
fn documented(lines: &[&str], line: usize) -> bool {
    lines[..line - 1]
        .iter()
        .rev()
        .map(|text| text.trim_start())
        .take_while(|text| text.starts_with("//") || text.starts_with("#["))
        .any(|text| text.starts_with("///") && text.contains("# Safety"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reasons_of(text: &str) -> Vec<usize> {
        let findings = reasons(&Tree::of(&[("a.rs", text)]));
        findings.into_iter().map(|one| one.line).collect()
    }

    #[test]
    fn unsafe_needs_a_reason() {
        assert_eq!(reasons_of("unsafe { a() }\n"), [1]);
        assert_eq!(reasons_of("unsafe impl Send for A {}\n"), [1]);
        assert_eq!(reasons_of("pub unsafe fn a() {}\n"), [1]);
        assert_eq!(reasons_of("pub unsafe extern \"C\" fn a() {}\n"), [1]);
    }

    #[test]
    fn reasons_stand_close_above() {
        assert!(reasons_of("// SAFETY: b.\nunsafe { a() }\n").is_empty());
        assert!(reasons_of("unsafe { a() } // SAFETY: b.\n").is_empty());
        let gap = |count| format!("// SAFETY: b.\n{}unsafe {{ a() }}\n", "\n".repeat(count));
        assert!(reasons_of(&gap(5)).is_empty());
        assert_eq!(reasons_of(&gap(6)), [8]);
    }

    #[test]
    fn functions_may_document_their_safety() {
        let long = "/// c\n".repeat(9);
        let text = format!("/// # Safety\n{long}#[inline]\npub unsafe fn a() {{}}\n");
        assert!(reasons_of(&text).is_empty());
    }

    #[test]
    fn types_attributes_and_words_are_free() {
        assert!(reasons_of("type A = unsafe fn(u8);\n").is_empty());
        assert!(reasons_of("type A = unsafe extern \"C\" fn(u8);\n").is_empty());
        assert!(reasons_of("#[unsafe(no_mangle)]\n#![deny(unsafe_op_in_unsafe_fn)]\n").is_empty());
        assert!(reasons_of("// unsafe {\nlet a = \"unsafe {\";\n").is_empty());
        assert!(reasons_of("unsafe extern \"C\" { fn a(); }\n").is_empty());
    }

    #[test]
    fn unsafe_stays_in_its_places() {
        let text = "unsafe { a() }\n";
        let tree = Tree::of(&[
            ("crates/unpick/src/rt.rs", text),
            ("crates/unpick/src/rt/fiber.rs", text),
            ("crates/unpick/tests/allocation.rs", text),
            ("crates/unpick-preload/src/futex.rs", text),
            ("xtask/benches/peers.rs", text),
            ("crates/unpick/src/sync.rs", text),
            (
                "crates/unpick-engine/src/lib.rs",
                "#![forbid(unsafe_code)]\n",
            ),
        ]);
        let findings = places(&tree);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].path, "crates/unpick/src/sync.rs");
    }
}
