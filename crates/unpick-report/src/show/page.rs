//! A schedule as one page for a browser, which needs nothing else: no network, no other file.
//!
//! The page draws what is visible and no more, so that it is as quick with many steps as with few. All that
//! it knows is written into it once, as tables of numbers and of the words they stand for. Names, messages
//! and source are data to it and never part of the page itself.

use super::columns::short_names;
use super::json::{array, object, quote, strings};
use super::timeline::{Moment, Switch};
use super::{Sources, Timeline};
use crate::failure::headline;
use std::collections::{BTreeSet, HashMap};

const TEMPLATE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
const SCRIPT: &str = include_str!("page/page.js");

/// Files of up to so many lines are put into the page as a whole.
const WHOLE_FILE_MAX: usize = 2_000;
/// Of longer ones, so many lines before and after each place.
const LINES_AROUND: usize = 60;

/// A page that shows schedules side by side; mostly one.
pub fn page(schedules: &[(&Timeline<'_>, &Sources)]) -> String {
    let programs = schedules.iter().map(|(timeline, _)| program(timeline));
    let title = programs.collect::<Vec<_>>().join(" | ");
    let data = schedules
        .iter()
        .map(|(timeline, sources)| data(timeline, sources));
    filled(&[
        ("title", &escaped(&title)),
        ("style", STYLE),
        ("data", &array(data)),
        ("script", SCRIPT),
    ])
}

fn program<'a>(timeline: &'a Timeline<'_>) -> &'a str {
    &timeline.record.header.program
}

/// The template with its places filled, in one pass: what is put in is never looked at again.
fn filled(values: &[(&str, &str)]) -> String {
    let mut page = String::new();
    let mut pieces = TEMPLATE.split("{{");
    page.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let (name, rest) = piece
            .split_once("}}")
            .expect("internal error: the template has an open place");
        let value = values.iter().find(|(other, _)| *other == name);
        let (_, value) = value.expect("internal error: the template has an unknown place");
        page.push_str(value);
        page.push_str(rest);
    }
    page
}

/// Text that means itself in HTML.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            other => out.push(other),
        }
    }
    out
}

/// Distinct texts, by number.
#[derive(Default)]
struct Texts<'a> {
    numbers: HashMap<&'a str, usize>,
    texts: Vec<&'a str>,
}

impl<'a> Texts<'a> {
    fn number(&mut self, text: &'a str) -> usize {
        *self.numbers.entry(text).or_insert_with(|| {
            self.texts.push(text);
            self.texts.len() - 1
        })
    }
}

/// All that the page knows of a schedule.
fn data(timeline: &Timeline<'_>, sources: &Sources) -> String {
    let record = timeline.record;
    let (files, sites) = files_and_sites(timeline, sources);
    let names = |set: usize| strings(timeline.lock_names(set));
    let header = &record.header;
    let origin = match header.execution {
        // It is not of an exploration.
        0 => format!("met while {}, by unpick {}", header.strategy, header.tool),
        number => format!(
            "execution {number} of {} with seed {:#x}, by unpick {}",
            header.strategy, header.seed, header.tool
        ),
    };
    let endings = timeline.endings.iter().map(|ending| {
        let (task, site) = (optional(ending.task), optional(ending.site));
        array([task, quote(&ending.what), site])
    });
    let orderings = record.header.orderings.iter();
    let orderings = orderings.map(|&(first, second)| array([first, second]));
    let mut fields = vec![
        ("program", quote(program(timeline))),
        ("origin", quote(&origin)),
        ("outcome", quote(&headline(&record.outcome, &record.trace))),
        ("why", quote(&timeline.why())),
        ("critical", optional(record.header.critical)),
        ("orderings", array(orderings)),
        ("failed", record.outcome.is_failure().to_string()),
        ("tasks", strings(&timeline.task_names)),
        ("files", files),
        ("sites", sites),
        ("locks", array((0..timeline.lock_sets.len()).map(names))),
        (
            "from",
            array(timeline.arrows.iter().map(|arrow| arrow.from)),
        ),
        ("to", array(timeline.arrows.iter().map(|arrow| arrow.to))),
        ("endings", array(endings)),
    ];
    fields.extend(steps(timeline));
    object(&fields)
}

/// The steps, as columns of a table.
fn steps<'a>(timeline: &'a Timeline<'_>) -> Vec<(&'static str, String)> {
    let moments = &timeline.moments;
    let mut words = Texts::default();
    let mut values = Texts::default();
    values.number("");
    let word_numbers: Vec<usize> = moments.iter().map(|one| words.number(&one.what)).collect();
    let value_of = |one: &'a Moment| one.value.as_deref().unwrap_or_default();
    let value_numbers: Vec<usize> = moments
        .iter()
        .map(|one| values.number(value_of(one)))
        .collect();
    let flags = moments.iter().map(|moment| {
        let switch = match moment.switch {
            Switch::None => 0,
            Switch::Forced => 2,
            Switch::Preemption => 4,
        };
        switch | u32::from(moment.is_shown)
    });
    vec![
        ("words", strings(&words.texts)),
        ("values", strings(&values.texts)),
        ("task", array(moments.iter().map(|moment| moment.task))),
        ("what", array(word_numbers)),
        ("value", array(value_numbers)),
        ("site", array(moments.iter().map(|one| optional(one.site)))),
        ("held", array(moments.iter().map(|moment| moment.held))),
        ("flags", array(flags)),
    ]
}

/// An index, or -1.
fn optional(index: Option<usize>) -> String {
    index.map_or_else(|| "-1".to_string(), |index| index.to_string())
}

/// The files with the lines that are known of them, in pieces, and the places as pairs of file and line.
fn files_and_sites(timeline: &Timeline<'_>, sources: &Sources) -> (String, String) {
    let short = short_names(timeline.sites().map(|site| site.file.as_str()));
    let mut files = Texts::default();
    let mut lines: Vec<BTreeSet<usize>> = Vec::new();
    let mut sites = Vec::new();
    for site in timeline.sites() {
        let number = files.number(&site.file);
        lines.resize_with(files.texts.len(), BTreeSet::new);
        lines[number].insert(site.line as usize);
        sites.push(array([number as u32, site.line]));
    }
    let described = files.texts.iter().zip(&lines).map(|(&file, wanted)| {
        let known = sources.lines(file).unwrap_or_default();
        object(&[
            ("name", quote(&short[file])),
            ("path", quote(file)),
            ("pieces", pieces(known, wanted)),
        ])
    });
    (array(described), array(sites))
}

/// The lines of a file that go into the page, as pairs of the number of the first one and the lines.
fn pieces(lines: &[String], wanted: &BTreeSet<usize>) -> String {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    if lines.len() <= WHOLE_FILE_MAX {
        ranges.push((0, lines.len()));
    } else {
        for &line in wanted.iter().filter(|&&line| line <= lines.len()) {
            let start = line.saturating_sub(LINES_AROUND + 1);
            let end = (line + LINES_AROUND).min(lines.len());
            match ranges.last_mut() {
                Some(last) if start <= last.1 => last.1 = end,
                _ => ranges.push((start, end)),
            }
        }
    }
    let piece = |&(start, end): &(usize, usize)| {
        array([(start + 1).to_string(), strings(&lines[start..end])])
    };
    array(ranges.iter().map(piece))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_file_only_the_lines_near_places_are_taken() {
        let lines: Vec<String> = (1..=WHOLE_FILE_MAX + 1).map(|n| n.to_string()).collect();
        let wanted = BTreeSet::from([3, 1_000, 1_010]);
        let found = pieces(&lines, &wanted);
        let found: Vec<(usize, Vec<String>)> = serde_json::from_str(&found).unwrap();
        let ends = |(first, lines): &(usize, Vec<String>)| (*first, lines.len());
        assert_eq!(
            found.iter().map(ends).collect::<Vec<_>>(),
            [(1, 63), (940, 131)]
        );
        assert_eq!(found[1].1[0], "940");
        let whole: Vec<(usize, Vec<String>)> =
            serde_json::from_str(&pieces(&lines[1..], &wanted)).unwrap();
        assert_eq!(whole[0].1.len(), WHOLE_FILE_MAX);
    }

    #[test]
    fn what_is_put_into_the_page_is_not_filled_again() {
        let page = filled(&[
            ("title", "{{data}}"),
            ("style", ""),
            ("data", "{{script}}"),
            ("script", ""),
        ]);
        assert!(page.contains("<title>{{data}}"), "{page}");
        assert_eq!(page.matches("{{script}}").count(), 1);
    }
}
