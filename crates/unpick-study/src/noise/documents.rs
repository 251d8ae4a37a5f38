//! The page and the data of the study of noise.

use std::fmt::Write as _;

use unpick_native::ibm::programs;

use super::differences;
use super::effect::{agrees, leans_alike, seen, share};
use super::{ASLEEP_MAX, Measured, TIME_MAX, TIME_MAX_ASLEEP};
use crate::table::Table;
use crate::{Document, Measurement, Options};

pub(super) fn documents(options: &Options, measured: &[Measurement]) -> Vec<Document> {
    let cells: Vec<(&Measurement, Measured)> =
        measured.iter().map(|one| (one, one.read())).collect();
    vec![
        Document::new("data.csv", data(&cells).csv()),
        Document::new("noise.md", page(options, &cells)),
    ]
}

fn data(cells: &[(&Measurement, Measured)]) -> Table {
    let mut table = Table::new(&[
        "program",
        "noise",
        "executions",
        "wrong",
        "signalled",
        "stuck",
        "late",
        "unique",
        "complete",
        "events",
        "similarity",
        "similarity_deviation",
        "time_ms",
        "time_deviation_ms",
        "fired",
        "at_once",
        "trouble",
    ]);
    for (one, found) in cells {
        let number =
            |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.4}"));
        let counts = [
            found.executions,
            found.wrong,
            found.signalled,
            found.stuck,
            found.late,
        ];
        let mut row = vec![one.cell.program.clone(), one.cell.technique.clone()];
        row.extend(counts.map(|count| count.to_string()));
        row.extend([found.unique, found.complete].map(|count| count.to_string()));
        row.push(format!("{:.1}", found.events_mean));
        row.extend([found.similarity_mean, found.similarity_deviation].map(number));
        let means = [
            found.time_mean_ms,
            found.time_deviation_ms,
            found.fired_mean,
        ];
        row.extend(means.map(|mean| format!("{mean:.1}")));
        row.push(found.at_once.to_string());
        row.push(found.trouble.clone().unwrap_or_default());
        table.add(row);
    }
    table
}

fn page(options: &Options, cells: &[(&Measurement, Measured)]) -> String {
    let mut noises: Vec<&str> = Vec::new();
    for (one, _) in cells {
        if !noises.contains(&one.cell.technique.as_str()) {
            noises.push(&one.cell.technique);
        }
    }
    let of = |program: &str, noise: &str| {
        let mut found = cells.iter();
        let is_it = |one: &&(&Measurement, Measured)| {
            one.0.cell.program == program && one.0.cell.technique == noise
        };
        found.find(is_it).map(|one| &one.1)
    };
    let mut text = opening(options, cells);
    text.push_str(&reactions(&noises, &of));
    type Show = fn(&Measured) -> String;
    let parts: [(&str, Show); 4] = [
        ("## Failing executions, in percent", |found| {
            format!("{:.0}", 100.0 * share(found).rate())
        }),
        (
            "## Distinct interleavings of executions that came to their end",
            |found| format!("{}/{}", found.unique, found.complete),
        ),
        (
            "## Similarity of every two of them (Jaro), mean and deviation",
            |found| match (found.similarity_mean, found.similarity_deviation) {
                (Some(mean), Some(deviation)) => format!("{mean:.2} ± {deviation:.2}"),
                _ => "-".to_string(),
            },
        ),
        ("## Milliseconds of an execution", |found| {
            format!("{:.0}", found.time_mean_ms)
        }),
    ];
    for (heading, show) in parts {
        let mut table = Table::new(&[&["program"], &noises[..]].concat());
        for program in programs() {
            if noises.iter().all(|noise| of(program.name, noise).is_none()) {
                continue;
            }
            let mut row = vec![program.name.to_string()];
            row.extend(
                noises
                    .iter()
                    .map(|noise| of(program.name, noise).map_or("-".into(), show)),
            );
            table.add(row);
        }
        let _ = writeln!(text, "{heading}\n\n{}", table.markdown());
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

fn opening(options: &Options, cells: &[(&Measurement, Measured)]) -> String {
    let limit = options.limit;
    let at_once = |with_sleep: bool| {
        let cells = cells.iter();
        let alike = cells.filter(|one| one.0.cell.technique.starts_with("sleep") == with_sleep);
        alike.map(|one| one.1.at_once).max().unwrap_or(0)
    };
    let sum = |number: fn(&Measured) -> u64| cells.iter().map(|one| number(&one.1)).sum::<u64>();
    format!(
        "# What noise does to the programs of the IBM benchmark\n\n\
         F. de Luna, *OSCAR: a noise injection framework for testing concurrent software*, NOVA University Lisbon,\n\
         2022, measured again with native programs that run freely. **Size: {limit} executions** of each program with\n\
         each noise (the thesis: 250). `unpick study noise --limit {limit} --out DIR` makes this page again; numbers\n\
         hang on the machine and on what else it does (programs at a time: {} with noise that sleeps, {} else).\n\n\
         - `sleep:A..B` holds a thread up for A to B milliseconds, `yield:A..B` lets it yield A to B times, each time\n  \
         it comes to a place where noise is on: behind the start of a thread, before a lock, behind an unlock, before\n  \
         accesses of plain memory that threads share. Where the thesis had one of them off for a program, so it is here.\n\
         - An execution fails with an exit code, a signal, or if all its threads sleep for {} second. One that is busy\n  \
         still after {} seconds ({} with noise that sleeps) is left out of the rates: of {} executions {} were.\n\
         - Programs are written anew in C from descriptions, one size each; the thesis ran the Java originals on one\n  \
         processor, at up to three sizes. What they share is the kind of bug. Only words can be compared.\n\
         - *exposed*: seen with noise only; *raised*, *masked*: the intervals of 95 % of the rates without noise and\n  \
         with some noise lie apart; *never*: not seen; *unchanged*: anything else.\n\n",
        at_once(true),
        at_once(false),
        ASLEEP_MAX.as_secs(),
        TIME_MAX.as_secs(),
        TIME_MAX_ASLEEP.as_secs(),
        sum(|found| found.executions),
        sum(|found| found.late),
    )
}

/// Which programs react how: those first that do not react as published.
fn reactions<'a>(noises: &[&str], of: &dyn Fn(&str, &str) -> Option<&'a Measured>) -> String {
    let header = ["program", "bug", "thesis", "here"];
    let mut others = Table::new(&[&header[..], &["same direction?", "what differs"]].concat());
    let mut alike = Table::new(&[&header[..], &["what the thesis adds"]].concat());
    let mut leaning = 0;
    for program in programs() {
        let Some(found) = reaction(program.name, noises, of) else {
            continue;
        };
        let row = [program.name, program.bug, program.stated.word(), found];
        let leans = leans_alike(program.stated, found);
        leaning += usize::from(leans);
        match agrees(program.stated, found) {
            true => alike.add([&row[..], &[program.remark]].concat()),
            false => {
                let leans = if leans { "yes" } else { "no" };
                let row = [&row[..], &[leans, differences::of(program.name)]].concat();
                others.add(row);
            }
        }
    }
    let (agreeing, judged) = (alike.rows().len(), alike.rows().len() + others.rows().len());
    format!(
        "## Which programs do not react as published\n\n{} of {judged}. Whether a failure is *exposed* or *raised* hangs \
         on one that shows without noise, so the direction\ncounts for more: {leaning} of {judged} react in that of the \
         thesis.\n\n{}\n## Which do\n\n{agreeing} of {judged}, in the very words of the thesis.\n\n{}\n",
        judged - agreeing,
        others.markdown(),
        alike.markdown(),
    )
}

/// How a program reacts, if it was run with noise and without.
fn reaction<'a>(
    program: &str,
    noises: &[&str],
    of: &dyn Fn(&str, &str) -> Option<&'a Measured>,
) -> Option<&'static str> {
    let without = share(of(program, "none")?);
    let others = noises.iter().filter(|noise| **noise != "none");
    let with: Vec<_> = others
        .filter_map(|noise| of(program, noise))
        .map(share)
        .collect();
    (!with.is_empty()).then(|| seen(without, &with))
}
