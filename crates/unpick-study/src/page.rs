//! A page of headings, text, tables and pictures: as Markdown, with the pictures as files beside it, and as
//! HTML that needs nothing else, with the pictures in it.

use crate::Document;
use crate::table::Table;
use std::fmt::Write as _;

const STYLE: &str = include_str!("page/page.css");

/// Columns of the text of a Markdown page.
const WIDTH: usize = 110;

/// A page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    title: String,
    blocks: Vec<Block>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Block {
    Heading(String),
    Text(String),
    Code(String),
    Table(Table),
    Figure {
        name: String,
        caption: String,
        svg: String,
    },
}

impl Page {
    /// A page with nothing below its title.
    pub fn new(title: impl Into<String>) -> Page {
        Page {
            title: title.into(),
            blocks: Vec::new(),
        }
    }

    /// Adds a heading.
    pub fn heading(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Heading(text.into()));
    }

    /// Adds a paragraph. What stands between backticks is code.
    pub fn text(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Text(text.into()));
    }

    /// Adds lines that are shown as they are.
    pub fn code(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Code(text.into()));
    }

    /// Adds a table.
    pub fn table(&mut self, table: Table) {
        self.blocks.push(Block::Table(table));
    }

    /// Adds a picture, which also becomes the file `name.svg`.
    pub fn figure(&mut self, name: &str, caption: &str, svg: String) {
        self.blocks.push(Block::Figure {
            name: name.to_string(),
            caption: caption.to_string(),
            svg,
        });
    }

    /// The page as `README.md` and `report.html`, and its pictures.
    #[must_use]
    pub fn documents(&self) -> Vec<Document> {
        let mut all = vec![
            Document::new("README.md", self.markdown()),
            Document::new("report.html", self.html()),
        ];
        for block in &self.blocks {
            if let Block::Figure { name, svg, .. } = block {
                all.push(Document::new(format!("{name}.svg"), svg.clone()));
            }
        }
        all
    }

    fn markdown(&self) -> String {
        let mut text = format!("# {}\n", self.title);
        for block in &self.blocks {
            text.push('\n');
            match block {
                Block::Heading(heading) => {
                    let _ = writeln!(text, "## {heading}");
                }
                Block::Text(words) => text.push_str(&wrapped(words)),
                Block::Code(lines) => {
                    let _ = writeln!(text, "```text\n{lines}\n```");
                }
                Block::Table(table) => text.push_str(&table.markdown()),
                Block::Figure { name, caption, .. } => {
                    let _ = writeln!(text, "![{caption}]({name}.svg)");
                }
            }
        }
        text
    }

    fn html(&self) -> String {
        let title = inline(&self.title);
        let mut text = format!(
            "<!doctype html>\n<html lang=en>\n<meta charset=utf-8>\n\
             <meta name=viewport content=\"width=device-width\">\n<title>{title}</title>\n\
             <style>\n{STYLE}</style>\n<h1>{title}</h1>\n"
        );
        for block in &self.blocks {
            match block {
                Block::Heading(heading) => {
                    let _ = writeln!(text, "<h2>{}</h2>", inline(heading));
                }
                Block::Text(words) => {
                    let _ = writeln!(text, "<p>{}</p>", inline(words));
                }
                Block::Code(lines) => {
                    let _ = writeln!(text, "<pre>{}</pre>", escaped(lines));
                }
                Block::Table(table) => {
                    let _ = writeln!(text, "<div class=table>{}</div>", table.html());
                }
                Block::Figure { caption, svg, .. } => {
                    let caption = inline(caption);
                    let _ = writeln!(
                        text,
                        "<figure>{svg}<figcaption>{caption}</figcaption></figure>"
                    );
                }
            }
        }
        text.push_str("</html>\n");
        text
    }
}

/// Text with code between backticks, as HTML.
pub(crate) fn inline(text: &str) -> String {
    let mut out = String::new();
    for (index, part) in text.split('`').enumerate() {
        match index % 2 {
            0 => out.push_str(&escaped(part)),
            _ => {
                let _ = write!(out, "<code>{}</code>", escaped(part));
            }
        }
    }
    out
}

/// Text that means itself in HTML and in SVG.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

fn wrapped(text: &str) -> String {
    let mut out = String::new();
    let mut width = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if width > 0 && width + 1 + length > WIDTH {
            out.push('\n');
            width = 0;
        } else if width > 0 {
            out.push(' ');
            width += 1;
        }
        out.push_str(word);
        width += length;
    }
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_says_the_same_in_both_forms() {
        let mut page = Page::new("A & B");
        page.heading("One");
        page.text("see `x < y` there");
        page.figure("curve", "a curve", "<svg></svg>".to_string());
        let files = page.documents();
        let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(names, ["README.md", "report.html", "curve.svg"]);
        assert_eq!(
            files[0].text,
            "# A & B\n\n## One\n\nsee `x < y` there\n\n![a curve](curve.svg)\n"
        );
        assert!(files[1].text.contains("<title>A &amp; B</title>"));
        assert!(files[1].text.contains("<code>x &lt; y</code>"));
        assert!(files[1].text.contains("<figure><svg></svg>"));
    }

    #[test]
    fn long_text_is_wrapped() {
        let text = wrapped(&"word ".repeat(60));
        assert!(text.lines().all(|line| line.len() <= WIDTH));
        assert_eq!(text.split_whitespace().count(), 60);
    }
}
