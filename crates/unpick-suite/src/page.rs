//! The programs as tables in Markdown, for `docs/suite.md`. Writes text only.

use crate::{Program, Source, facts, programs};
use std::fmt::Write as _;

/// One table for each source, under a heading; programs in their order.
#[must_use]
pub fn table() -> String {
    let mut text = String::new();
    for source in Source::ALL {
        let of_source = programs().iter().filter(|one| one.source == *source);
        let count = of_source.clone().count();
        let _ = writeln!(text, "## {} ({count})\n", source.name());
        text.push_str("| program | tasks | points | fault | fixed twin | what it is |\n");
        text.push_str("|---------|------:|-------:|-------|------------|------------|\n");
        for program in of_source {
            let _ = writeln!(text, "{}", row(program));
        }
        text.push('\n');
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

fn row(program: &Program) -> String {
    let known = facts(program.name);
    let size = known.map_or([0, 0], |facts| [facts.tasks, facts.points]);
    let kind = known.and_then(|facts| facts.kind);
    let twin = match program.has_twin() {
        true => "`bug=0`",
        false => "",
    };
    format!(
        "| `{}` | {} | {} | {} | {twin} | {} |",
        program.name,
        size[0],
        size[1],
        kind.map_or("none", |kind| kind.name()),
        program.summary
    )
}
