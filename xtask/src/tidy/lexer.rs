//! Just enough of Rust's lexical rules to tell code from comments and literals.
//!
//! Masking keeps every byte position and every line, so that places in a mask are places in the
//! file. Never parses: brackets are counted, items are recognised by their keywords.

use std::ops::Range;

/// One source file with parts of it replaced by spaces.
pub struct Masked {
    /// Without comments and without string and character literals.
    pub code: String,
    /// Without string and character literals.
    pub code_and_comments: String,
}

/// Masks comments and literals of `text`.
pub fn mask(text: &str) -> Masked {
    let bytes = text.as_bytes();
    let mut code = bytes.to_vec();
    let mut code_and_comments = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let (end, part) = part_at(bytes, at);
        if part != Part::Code {
            blank(&mut code, at..end);
        }
        if part == Part::Literal {
            blank(&mut code_and_comments, at..end);
        }
        at = end;
    }
    Masked {
        code: String::from_utf8_lossy(&code).into_owned(),
        code_and_comments: String::from_utf8_lossy(&code_and_comments).into_owned(),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Code,
    Comment,
    Literal,
}

/// The end and the kind of the part that starts at `at`.
fn part_at(bytes: &[u8], at: usize) -> (usize, Part) {
    let rest = &bytes[at..];
    if rest.starts_with(b"//") {
        return (at + line_comment(rest), Part::Comment);
    }
    if rest.starts_with(b"/*") {
        return (at + block_comment(rest), Part::Comment);
    }
    match rest[0] {
        b'"' => (at + quoted(rest, b'"'), Part::Literal),
        b'\'' => match character(rest) {
            Some(length) => (at + length, Part::Literal),
            None => (at + 1, Part::Code),
        },
        byte if is_word(byte) => {
            let length = rest
                .iter()
                .position(|&byte| !is_word(byte))
                .unwrap_or(rest.len());
            let raw = matches!(&rest[..length], b"r" | b"br" | b"cr");
            match raw.then(|| raw_string(&rest[length..])).flatten() {
                Some(body) => (at + length + body, Part::Literal),
                None => (at + length, Part::Code),
            }
        }
        _ => (at + 1, Part::Code),
    }
}

fn line_comment(rest: &[u8]) -> usize {
    rest.iter()
        .position(|&byte| byte == b'\n')
        .unwrap_or(rest.len())
}

/// Block comments nest.
fn block_comment(rest: &[u8]) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while at < rest.len() {
        if rest[at..].starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    rest.len()
}

/// The length of a literal between two `quote`s, with backslash escapes.
fn quoted(rest: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 2,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// The length of the character literal, or nothing if this quote opens a lifetime or a label.
fn character(rest: &[u8]) -> Option<usize> {
    let first = *rest.get(1)?;
    if first == b'\\' {
        return Some(quoted(rest, b'\''));
    }
    let width = match first {
        0x00..=0x7f => 1,
        0x80..=0xdf => 2,
        0xe0..=0xef => 3,
        _ => 4,
    };
    (rest.get(1 + width) == Some(&b'\'')).then_some(width + 2)
}

/// The length of what follows the `r` of a raw string, or nothing if it is not one.
fn raw_string(rest: &[u8]) -> Option<usize> {
    let hashes = rest.iter().take_while(|&&byte| byte == b'#').count();
    if rest.get(hashes) != Some(&b'"') {
        return None;
    }
    let mut close = vec![b'"'];
    close.resize(1 + hashes, b'#');
    let body = &rest[hashes + 1..];
    let end = body
        .windows(close.len())
        .position(|window| window == close.as_slice());
    Some(end.map_or(rest.len(), |end| hashes + 1 + end + close.len()))
}

fn blank(bytes: &mut [u8], range: Range<usize>) {
    for byte in &mut bytes[range] {
        if *byte != b'\n' {
            *byte = b' ';
        }
    }
}

/// Whether the byte can be part of an identifier.
pub fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// The 1-based line of a byte position.
pub fn line_of(text: &str, position: usize) -> usize {
    1 + text.as_bytes()[..position]
        .iter()
        .filter(|&&byte| byte == b'\n')
        .count()
}

/// The positions at which `word` stands alone.
pub fn words<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let bytes = text.as_bytes();
    text.match_indices(word)
        .map(|(at, _)| at)
        .filter(move |&at| {
            let before = at == 0 || !is_word(bytes[at - 1]);
            let after = bytes
                .get(at + word.len())
                .is_none_or(|&next| !is_word(next));
            before && after
        })
}

/// The identifier at the start of `text`, after white space; empty if there is none.
pub fn identifier(text: &str) -> &str {
    let text = text.trim_start();
    let end = text
        .bytes()
        .position(|byte| !is_word(byte))
        .unwrap_or(text.len());
    &text[..end]
}

/// The position just after the bracket that closes the one at `open`.
pub fn after_matching(code: &str, open: usize) -> usize {
    let mut depth = 0_usize;
    for (offset, byte) in code.as_bytes()[open..].iter().enumerate() {
        match byte {
            b'{' | b'(' | b'[' => depth += 1,
            b'}' | b')' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return open + offset + 1;
                }
            }
            _ => {}
        }
    }
    code.len()
}

/// The first `{` or `;` after `from` that stands in no other bracket.
pub fn body_or_end(code: &str, from: usize) -> Option<usize> {
    let bytes = code.as_bytes();
    let mut at = from;
    while at < bytes.len() {
        match bytes[at] {
            b'{' | b';' => return Some(at),
            b'(' | b'[' => at = after_matching(code, at),
            _ => at += 1,
        }
    }
    None
}

/// The byte ranges of items marked `#[cfg(test)]`, from the attribute to the closing brace.
pub fn test_items(code: &str) -> Vec<Range<usize>> {
    let attribute = "#[cfg(test)]";
    let mut items: Vec<Range<usize>> = Vec::new();
    for (start, _) in code.match_indices(attribute) {
        if items.last().is_some_and(|last| start < last.end) {
            continue;
        }
        if let Some(body) = body_or_end(code, start + attribute.len()) {
            let end = match code.as_bytes()[body] {
                b'{' => after_matching(code, body),
                _ => body + 1,
            };
            items.push(start..end);
        }
    }
    items
}

/// The code with the items marked `#[cfg(test)]` replaced by spaces.
pub fn without_tests(code: &str) -> String {
    let mut bytes = code.as_bytes().to_vec();
    for item in test_items(code) {
        blank(&mut bytes, item);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn code_is(text: &str, expected: &str) {
        let code = mask(text).code;
        assert_eq!(code.len(), text.len());
        let words: Vec<_> = code.split_whitespace().collect();
        assert_eq!(words.join(" "), expected);
    }

    #[test]
    fn comments_are_not_code() {
        code_is("a // b {\nc /* d /* e */ f */ g", "a c g");
        assert_eq!(mask("a // b\n").code_and_comments, "a // b\n");
    }

    #[test]
    fn strings_are_not_code() {
        code_is(r#"a "b \" // c" d"#, "a d");
        code_is("a r\"b\\\" c", "a c");
        code_is("a r#\"b \" c\"# d br##\"e\"# f\"## g", "a d g");
        code_is(r#"a b"x" c"y" d"#, "a b c d");
        code_is("r#fn a", "r#fn a");
    }

    #[test]
    fn characters_are_not_lifetimes() {
        code_is("a '{' b '\\'' c '\u{e9}' d b'}' e", "a b c d b e");
        code_is(
            "fn f<'a>(x: &'a str) -> &'static str",
            "fn f<'a>(x: &'a str) -> &'static str",
        );
        code_is(
            "'outer: loop { break 'outer; }",
            "'outer: loop { break 'outer; }",
        );
    }

    #[test]
    fn unfinished_text_ends_the_mask() {
        code_is("a \"b", "a");
        code_is("a /* b", "a");
        code_is("a r#\"b", "a");
        code_is("a '", "a '");
        code_is("a \"b\\", "a");
    }

    #[test]
    fn words_stand_alone() {
        let found: Vec<_> = words("unsafe unsafe_fn an_unsafe (unsafe)", "unsafe").collect();
        assert_eq!(found, [0, 28]);
    }

    #[test]
    fn test_items_reach_from_attribute_to_brace() {
        let code = "fn a() {}\n#[cfg(test)]\nmod tests {\n fn b() {}\n}\nfn c() {}\n";
        assert_eq!(without_tests(code).split_whitespace().count(), 6);
        let items = test_items("#[cfg(test)]\nmod tests;\nfn a() {}");
        assert_eq!((items.len(), items[0].clone()), (1, 0..23));
    }
}
