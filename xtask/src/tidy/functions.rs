//! How long functions are.
//!
//! A function is the keyword `fn` with a name and a body. Bodies of `macro_rules!` are patterns,
//! not functions, and are passed over.

use super::Finding;
use super::lexer::{after_matching, body_or_end, identifier, line_of, words};
use super::tree::Tree;

/// The longest body, in lines between its braces.
const BODY_LINE_COUNT_MAX: usize = 70;

/// Finds functions whose body is too long.
pub fn lengths(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, masked) in tree.rust() {
        for function in functions(&masked.code) {
            if function.body_line_count > BODY_LINE_COUNT_MAX {
                let message = format!(
                    "function `{}` has {} lines, more than {BODY_LINE_COUNT_MAX}; split it",
                    function.name, function.body_line_count
                );
                findings.push(Finding::new(&file.path, function.line, message));
            }
        }
    }
    findings
}

struct Function {
    name: String,
    line: usize,
    body_line_count: usize,
}

fn functions(code: &str) -> Vec<Function> {
    let macros: Vec<_> = words(code, "macro_rules")
        .filter_map(|at| {
            let open = at + code[at..].find(['{', '(', '['])?;
            Some(at..after_matching(code, open))
        })
        .collect();
    words(code, "fn")
        .filter(|at| !macros.iter().any(|body| body.contains(at)))
        .filter_map(|at| function_at(code, at))
        .collect()
}

/// The function whose `fn` is at `at`; nothing for a pointer type or a signature without a body.
fn function_at(code: &str, at: usize) -> Option<Function> {
    let name = identifier(&code[at + 2..]);
    if name.is_empty() {
        return None;
    }
    let open = body_or_end(code, at)?;
    if code.as_bytes()[open] != b'{' {
        return None;
    }
    let open_line = line_of(code, open);
    let close_line = line_of(code, after_matching(code, open) - 1);
    Some(Function {
        name: name.to_owned(),
        line: line_of(code, at),
        body_line_count: close_line.saturating_sub(open_line + 1),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn long_function(line_count: usize) -> String {
        format!(
            "//! A.\nfn long() {{\n{}}}\n",
            "    a();\n".repeat(line_count)
        )
    }

    #[test]
    fn seventy_lines_pass_and_one_more_fails() {
        assert!(lengths(&Tree::of(&[("a.rs", &long_function(70))])).is_empty());
        let findings = lengths(&Tree::of(&[("a.rs", &long_function(71))]));
        assert_eq!(
            findings[0].to_string(),
            "a.rs:2: function `long` has 71 lines, more than 70; split it"
        );
    }

    #[test]
    fn braces_in_literals_and_comments_do_not_count() {
        let text = format!(
            "fn a<'x>(b: &'x [u8; 2]) {{\n let c = ('{{', \"{{\"); // {{\n}}\nconst T: &[u8] = &[\n{}];\n",
            "0,\n".repeat(90)
        );
        assert!(lengths(&Tree::of(&[("a.rs", &text)])).is_empty());
    }

    #[test]
    fn macros_types_and_signatures_are_not_functions() {
        let body = "x();\n".repeat(90);
        let text = format!(
            "macro_rules! m {{ () => {{ fn a() {{\n{body}}} }} }}\n\
             type P = unsafe fn(u8);\ntrait T {{ fn b(&self);\n}}\n"
        );
        assert!(lengths(&Tree::of(&[("a.rs", &text)])).is_empty());
    }

    #[test]
    fn functions_inside_functions_are_seen() {
        let text = format!(
            "fn outer() {{\n fn inner() {{\n{}}}\n}}\n",
            "x();\n".repeat(71)
        );
        assert_eq!(lengths(&Tree::of(&[("a.rs", &text)])).len(), 2);
    }
}
