//! Just enough of writing JSON, so that programs under test need not build a library for it.
//!
//! What is written can stand inside of a `script` element as it is.

use std::fmt::Write as _;

/// A string, in quotes. Characters that mean something to HTML, or that end lines in JavaScript, are
/// written as numbers.
pub(super) fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '<' | '>' | '&' | '\'' | '\u{2028}' | '\u{2029}' | '\u{0}'..='\u{1f}' | '\u{7f}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(letter));
            }
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

/// An array of what is JSON already, or looks like it: numbers, words.
pub(super) fn array<T: std::fmt::Display>(items: impl IntoIterator<Item = T>) -> String {
    let mut out = String::from("[");
    for (index, item) in items.into_iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        let _ = write!(out, "{comma}{item}");
    }
    out.push(']');
    out
}

/// An array of strings.
pub(super) fn strings<T: AsRef<str>>(items: impl IntoIterator<Item = T>) -> String {
    array(items.into_iter().map(|item| quote(item.as_ref())))
}

/// An object, of names and what is JSON already.
pub(super) fn object(fields: &[(&str, String)]) -> String {
    let field = |(name, value): &(&str, String)| format!("{}:{value}", quote(name));
    let fields: Vec<String> = fields.iter().map(field).collect();
    format!("{{{}}}", fields.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_survive_and_cannot_end_a_script() {
        let hostile = "</script><!-- \"'\\ \n\u{1}\u{2028} ü 😀 ]]>";
        let quoted = quote(hostile);
        assert!(!quoted.contains('<') && !quoted.contains('\''), "{quoted}");
        let back: String = serde_json::from_str(&quoted).unwrap();
        assert_eq!(back, hostile);
    }

    #[test]
    fn objects_and_arrays_are_json() {
        let text = object(&[("a\"b", array([1, 2])), ("c", strings(["d", "e"]))]);
        assert_eq!(text, r#"{"a\"b":[1,2],"c":["d","e"]}"#);
    }
}
