//! Source text of the places that a trace names, as far as it was found.

use super::Timeline;
use std::borrow::Cow;
use std::collections::HashMap;
use unpick_trace::Site;

/// The files that were found, by the name that the trace has for them.
#[derive(Default)]
pub struct Sources {
    files: HashMap<String, Vec<String>>,
}

impl Sources {
    /// Reads the files that the places of a schedule name, each once, by a function that answers the text
    /// of a file if it can.
    pub fn read(timeline: &Timeline<'_>, read: &mut dyn FnMut(&str) -> Option<String>) -> Sources {
        let mut files = HashMap::new();
        let mut tried = Vec::new();
        for site in timeline.sites() {
            if tried.contains(&&site.file) {
                continue;
            }
            tried.push(&site.file);
            if let Some(text) = read(&site.file) {
                files.insert(site.file.clone(), text.lines().map(shown).collect());
            }
        }
        Sources { files }
    }

    /// The lines of a file.
    pub(super) fn lines(&self, file: &str) -> Option<&[String]> {
        self.files.get(file).map(Vec::as_slice)
    }

    /// The line of a place.
    pub(super) fn line(&self, site: &Site) -> Option<&str> {
        let index = (site.line as usize).checked_sub(1)?;
        self.lines(&site.file)?.get(index).map(String::as_str)
    }
}

/// A line with spaces for tabs, and without what a terminal would obey.
pub(super) fn shown(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    for letter in line.chars() {
        match letter {
            '\t' => text.push_str("    "),
            other if is_obeyed(other) => text.push('\u{fffd}'),
            other => text.push(other),
        }
    }
    text
}

/// A text of several lines, such as a report, without what a terminal would obey: names and messages are those of the
/// program.
pub fn printable(text: &str) -> Cow<'_, str> {
    let is_layout = |letter| matches!(letter, '\n' | '\t');
    let is_bad = |letter: char| is_obeyed(letter) && !is_layout(letter);
    match text.contains(is_bad) {
        true => Cow::Owned(text.replace(is_bad, "\u{fffd}")),
        false => Cow::Borrowed(text),
    }
}

/// Whether a character changes how what follows is shown: controls, and those that turn the direction of
/// writing, with which a name can be made to look like another one.
fn is_obeyed(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_taken_out() {
        assert_eq!(
            shown("a\tb\u{1b}[31m\u{202e}c"),
            "a    b\u{fffd}[31m\u{fffd}c"
        );
        assert_eq!(printable("a\tb\nc"), "a\tb\nc");
        assert_eq!(
            printable("a\u{1b}[31m\r\nb\u{9b}2J"),
            "a\u{fffd}[31m\u{fffd}\nb\u{fffd}2J"
        );
    }
}
