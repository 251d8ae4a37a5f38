//! Tables: as CSV, as Markdown, as HTML. They know nothing of what is in them.

use std::fmt::Write as _;

/// A table of texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    header: Vec<String>,
    // Invariant: as long as the header, each.
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows.
    #[must_use]
    pub fn new<T: ToString>(header: &[T]) -> Table {
        Table {
            header: header.iter().map(ToString::to_string).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row.
    ///
    /// # Panics
    ///
    /// If it is not as long as the header.
    pub fn add<T: Into<String>>(&mut self, row: impl IntoIterator<Item = T>) {
        let row: Vec<String> = row.into_iter().map(Into::into).collect();
        assert_eq!(
            row.len(),
            self.header.len(),
            "internal error: a row of another length: {row:?}"
        );
        self.rows.push(row);
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The rows.
    #[must_use]
    pub fn rows(&self) -> &[Vec<String>] {
        &self.rows
    }

    /// Values with commas between, quoted where they must be.
    #[must_use]
    pub fn csv(&self) -> String {
        let mut text = String::new();
        for row in std::iter::once(&self.header).chain(&self.rows) {
            let cells: Vec<String> = row.iter().map(|cell| quoted(cell)).collect();
            text.push_str(&cells.join(","));
            text.push('\n');
        }
        text
    }

    /// A table of Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut text = format!("| {} |\n", self.header.join(" | "));
        for column in 0..self.header.len() {
            text.push_str(match self.is_numeric(column) {
                true => "|---:",
                false => "|---",
            });
        }
        text.push_str("|\n");
        for row in &self.rows {
            let cells: Vec<String> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
            let _ = writeln!(text, "| {} |", cells.join(" | "));
        }
        text
    }

    /// A table of HTML.
    #[must_use]
    pub fn html(&self) -> String {
        let mut text = String::from("<table><thead><tr>");
        for cell in &self.header {
            let _ = write!(text, "<th>{}</th>", super::page::inline(cell));
        }
        text.push_str("</tr></thead>\n<tbody>\n");
        let numeric: Vec<bool> = (0..self.header.len())
            .map(|column| self.is_numeric(column))
            .collect();
        for row in &self.rows {
            text.push_str("<tr>");
            for (cell, &is_numeric) in row.iter().zip(&numeric) {
                let class = if is_numeric { " class=number" } else { "" };
                let _ = write!(text, "<td{class}>{}</td>", super::page::inline(cell));
            }
            text.push_str("</tr>\n");
        }
        text.push_str("</tbody></table>\n");
        text
    }

    /// Whether a column holds numbers, marks of what is missing, and nothing else.
    fn is_numeric(&self, column: usize) -> bool {
        let is_number = |text: &str| {
            let mut letters = text.chars();
            letters.all(|letter| letter.is_ascii_digit() || ".,-–+%<>≥*L/✗ ".contains(letter))
        };
        !self.rows.is_empty() && self.rows.iter().all(|row| is_number(&row[column]))
    }
}

fn quoted(cell: &str) -> String {
    match cell.contains([',', '"', '\n']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_break_a_line_is_quoted() {
        let mut table = Table::new(&["name", "count"]);
        table.add(["a, \"b\"", "1"]);
        assert_eq!(table.csv(), "name,count\n\"a, \"\"b\"\"\",1\n");
        assert_eq!(
            table.markdown(),
            "| name | count |\n|---|---:|\n| a, \"b\" | 1 |\n"
        );
        assert!(table.html().contains("<td class=number>1</td>"));
    }
}
