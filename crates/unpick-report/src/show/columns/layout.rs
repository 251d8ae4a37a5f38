//! How wide the columns are, and a line of them.

use super::Row;
use crate::show::{Sources, Timeline};
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// Characters of a column at most, and at least if there is not enough room for all.
const CELL_MAX: usize = 34;
const CELL_MIN: usize = 16;
/// Characters that the end of a task may claim for its column: messages are long, and go on to the right.
const ENDING_MAX: usize = 24;
/// Characters of a source line that make it worth showing.
const SOURCE_MIN: usize = 12;
/// Lines are cut here if nobody says where.
const WIDTH_MIN: usize = 40;

/// Where everything goes.
pub(super) struct Layout<'a> {
    timeline: &'a Timeline<'a>,
    sources: &'a Sources,
    width: usize,
    label_width: usize,
    /// By task: its place among the columns. Tasks that do nothing have none.
    slots: HashMap<usize, usize>,
    /// The tasks of the columns.
    tasks: Vec<usize>,
    /// Characters of each column; none if there are lanes instead.
    cells: Option<Vec<usize>>,
    /// By file, the shortest name that no other file has.
    files: HashMap<&'a str, String>,
    place_width: usize,
    /// Characters of the words beside lanes.
    words_width: usize,
}

impl<'a> Layout<'a> {
    pub(super) fn new(
        timeline: &'a Timeline<'a>,
        sources: &'a Sources,
        rows: &[Row],
        width: usize,
    ) -> Layout<'a> {
        let width = width.max(WIDTH_MIN);
        let used: HashSet<usize> = rows.iter().filter_map(|row| row.task).collect();
        let mut tasks: Vec<usize> = used.into_iter().collect();
        tasks.sort_unstable();
        let slots = tasks.iter().enumerate().map(|(slot, &task)| (task, slot));
        let slots: HashMap<usize, usize> = slots.collect();
        let last = timeline.moments.len().saturating_sub(1);
        let mut layout = Layout {
            timeline,
            sources,
            width,
            label_width: last.to_string().len().max(3),
            slots,
            tasks,
            cells: None,
            files: short_names(timeline.sites().map(|site| site.file.as_str())),
            place_width: 0,
            words_width: 0,
        };
        let places = rows.iter().filter_map(|row| layout.place(row));
        layout.place_width = places.map(|place| length(&place)).max().unwrap_or(0);
        layout.cells = layout.fitting_cells(rows);
        let with_place = rows.iter().filter(|row| row.site.is_some());
        let words = with_place.map(|row| length(&layout.words(row)));
        layout.words_width = words.max().unwrap_or(0).min(width / 2);
        layout
    }

    /// The width of each column, if all of them fit beside places and something of the source.
    fn fitting_cells(&self, rows: &[Row]) -> Option<Vec<usize>> {
        let name = |&task: &usize| length(&self.timeline.task_names[task]).min(CELL_MAX);
        let mut cells: Vec<usize> = self.tasks.iter().map(name).collect();
        for row in rows {
            if let Some(slot) = row.task.and_then(|task| self.slots.get(&task)) {
                let limit = if row.is_ending { ENDING_MAX } else { CELL_MAX };
                cells[*slot] = cells[*slot].max(length(&row.words()).min(limit));
            }
        }
        let beside = self.label_width + 3 + self.place_width + 2 + SOURCE_MIN;
        let room = self.width.checked_sub(beside)?;
        let total = |cells: &[usize]| cells.iter().map(|cell| cell + 2).sum::<usize>();
        while total(&cells) > room {
            let widest = cells.iter_mut().max()?;
            if *widest <= CELL_MIN {
                return None;
            }
            *widest -= 1;
        }
        Some(cells)
    }

    /// The names of the tasks over their columns.
    pub(super) fn head(&self) -> String {
        let mut text = " ".repeat(self.label_width + 3);
        match &self.cells {
            Some(cells) if !cells.is_empty() => {
                for (&task, &cell) in self.tasks.iter().zip(cells) {
                    text.push_str(&padded(&self.timeline.task_names[task], cell + 2));
                }
            }
            _ => return String::new(),
        }
        self.finished(text)
    }

    /// A row as a line.
    pub(super) fn line(&self, row: &Row) -> String {
        let mut text = format!("{:>1$} {2} ", row.label, self.label_width, row.mark);
        match (&self.cells, row.task) {
            (Some(cells), Some(task)) => {
                // The cells to the right are empty: words that are too long go on there.
                let slot = self.slots[&task];
                let before: usize = cells[..slot].iter().map(|cell| cell + 2).sum();
                let rest: usize = cells[slot..].iter().map(|cell| cell + 2).sum();
                text.push_str(&" ".repeat(before));
                text.push_str(&padded(&row.cut_to(rest - 2), rest));
            }
            (Some(cells), None) => {
                let width = cells.iter().map(|cell| cell + 2).sum();
                text.push_str(&padded(&row.text, width));
            }
            (None, _) => text.push_str(&self.lane(row)),
        }
        if let Some(place) = self.place(row) {
            text.push_str(&padded(&place, self.place_width + 2));
            let site = self.timeline.site(row.site);
            let source = site.and_then(|site| self.sources.line(site));
            text.push_str(source.unwrap_or_default().trim());
        }
        self.finished(text)
    }

    /// A row where there are too many tasks for columns: a mark in the lane of its task, then the words.
    /// Lanes are left out where they would take half of the line.
    fn lane(&self, row: &Row) -> String {
        let mut text = String::new();
        if self.tasks.len() <= self.width / 3 {
            for &task in &self.tasks {
                text.push(match row.task {
                    Some(own) if own == task => '●',
                    _ => '│',
                });
            }
            text.push(' ');
        }
        let words = self.words(row);
        match row.site {
            Some(_) => text.push_str(&padded(
                &cut(&words, self.words_width),
                self.words_width + 2,
            )),
            None => text.push_str(&words),
        }
        text
    }

    /// What a row says where it does not stand in the column of its task.
    fn words(&self, row: &Row) -> String {
        match row.task {
            Some(task) => format!("{}: {}", self.timeline.task_names[task], row.words()),
            None => row.words(),
        }
    }

    fn place(&self, row: &Row) -> Option<String> {
        let site = self.timeline.site(row.site)?;
        let name = self.files.get(site.file.as_str())?;
        Some(format!("{name}:{}", site.line))
    }

    fn finished(&self, text: String) -> String {
        format!("{}\n", cut(text.trim_end(), self.width))
    }
}

impl Row {
    fn words(&self) -> String {
        format!("{}{}", self.text, self.value)
    }

    /// Words and value in so many characters; the words are cut first.
    fn cut_to(&self, width: usize) -> String {
        let rest = width.saturating_sub(length(&self.value));
        cut(&format!("{}{}", cut(&self.text, rest), self.value), width)
    }
}

/// For every file, its last part, with as many parts before it as it takes to tell it from the others.
pub(crate) fn short_names<'a>(files: impl Iterator<Item = &'a str>) -> HashMap<&'a str, String> {
    let files: HashSet<&str> = files.collect();
    let tail = |file: &str, count: usize| {
        let parts: Vec<String> = Path::new(file)
            .components()
            .map(|part| part.as_os_str().to_string_lossy().into_owned())
            .collect();
        let start = parts.len().saturating_sub(count);
        (parts[start..].join("/"), start == 0)
    };
    let mut names = HashMap::new();
    for &file in &files {
        let mut count = 1;
        let name = loop {
            let (name, is_whole) = tail(file, count);
            let is_own = !files
                .iter()
                .any(|&other| other != file && tail(other, count).0 == name);
            if is_own || is_whole {
                break name;
            }
            count += 1;
        };
        names.insert(file, crate::show::sources::shown(&name));
    }
    names
}

fn length(text: &str) -> usize {
    text.chars().count()
}

/// The text, cut to a width with a mark that something is missing.
pub(super) fn cut(text: &str, width: usize) -> String {
    if length(text) <= width {
        return text.to_string();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    format!("{kept}…")
}

fn padded(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(length(text));
    format!("{text}{}", " ".repeat(missing))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_called_by_the_shortest_name_of_their_own() {
        let files = ["a/src/lib.rs", "b/src/lib.rs", "b/src/main.rs"];
        let names = short_names(files.into_iter());
        assert_eq!(names["a/src/lib.rs"], "a/src/lib.rs");
        assert_eq!(names["b/src/main.rs"], "main.rs");
    }

    #[test]
    fn what_is_cut_has_a_mark() {
        assert_eq!(cut("abcdef", 6), "abcdef");
        assert_eq!(cut("abcdef", 4), "abc…");
    }
}
