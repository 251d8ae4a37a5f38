//! `unpick show`: a recorded schedule to look at.

use crate::Status;
use crate::output::say;
use crate::place::project_of;
use crate::trust::is_source;
use anyhow::{Context, Result};
use clap::Args;
use std::fs;
use std::path::{Path, PathBuf};
use unpick::report::{Columns, Sources, Timeline, columns, count, headline, page, perfetto};
use unpick::store::Store;
use unpick::trace::{Header, Outcome, Record};

/// Characters in a line where nobody says how many there are.
const WIDTH: usize = 120;
/// Larger files are not source that somebody wrote.
const SOURCE_BYTES_MAX: u64 = 4 << 20;

/// What the page says of where a schedule comes from that was met while the failing one was explained.
const PASSING: &str = "explaining the failure";

/// Which schedule to show, and how.
#[derive(Args)]
pub(crate) struct ShowArguments {
    /// The id printed with the failure, or a file
    #[arg(value_name = "REF")]
    reference: String,
    /// Show all steps, also those that have nothing to do directly with other tasks
    #[arg(long)]
    all: bool,
    /// Write a page for a browser instead: lanes, arrows, source, search; needs no network
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Put this schedule beside it on the page, and not the one that passes, which was kept with it
    #[arg(long, value_name = "REF", requires = "html")]
    beside: Option<String>,
    /// Write trace events for a viewer such as Perfetto (ui.perfetto.dev) instead
    #[arg(long, value_name = "FILE")]
    perfetto: Option<PathBuf>,
}

pub(crate) fn show(arguments: &ShowArguments) -> Result<Status> {
    let store = Store::new("");
    let (path, record) = store.load(&arguments.reference)?;
    let timeline = Timeline::new(&record);
    let sources = read_sources(&timeline, &path);
    if let Some(file) = &arguments.html {
        let beside = match &arguments.beside {
            Some(reference) => Some(store.load(reference)?),
            None => passing(&record).map(|passing| (path.clone(), passing)),
        };
        let text = match &beside {
            None => page(&[(&timeline, &sources)]),
            Some((path, record)) => {
                let beside = Timeline::new(record);
                let sources_beside = read_sources(&beside, path);
                page(&[(&timeline, &sources), (&beside, &sources_beside)])
            }
        };
        write(file, &text, &record, "open it in a browser")?;
    }
    if let Some(file) = &arguments.perfetto {
        let text = perfetto(&timeline, &sources);
        write(file, &text, &record, "open it at ui.perfetto.dev")?;
    }
    if arguments.html.is_none() && arguments.perfetto.is_none() {
        print_head(&path, &timeline, &record);
        say!("\n{}", drawn(&timeline, &sources, arguments.all));
    }
    Ok(Status::Clean)
}

/// A schedule as columns, with its source.
pub(crate) fn picture(timeline: &Timeline<'_>, trace: &Path, all: bool) -> String {
    drawn(timeline, &read_sources(timeline, trace), all)
}

fn drawn(timeline: &Timeline<'_>, sources: &Sources, all: bool) -> String {
    let width = width();
    columns(timeline, sources, Columns { width, all })
}

/// The schedule that passes, as if it had been kept by itself.
fn passing(record: &Record) -> Option<Record> {
    let trace = record.passing.clone()?;
    Some(Record {
        header: Header {
            program: record.header.program.clone(),
            strategy: PASSING.to_string(),
            tool: record.header.tool.clone(),
            ..Header::default()
        },
        trace,
        outcome: Outcome::Pass,
        passing: None,
    })
}

fn print_head(path: &Path, timeline: &Timeline<'_>, record: &Record) {
    let header = &record.header;
    say!("{}", path.display());
    say!("  program   {}", header.program);
    say!(
        "  found     execution {} of {} with seed {:#x}, by unpick {}",
        header.execution,
        header.strategy,
        header.seed,
        header.tool
    );
    say!("  outcome   {}", headline(&record.outcome, &record.trace));
    say!("  why       {}", timeline.why());
}

fn write(file: &Path, text: &str, record: &Record, what_next: &str) -> Result<()> {
    fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))?;
    let steps = count(record.trace.steps.len() as u64, "step");
    say!("{}: {steps}; {what_next}", file.display());
    Ok(())
}

/// The width of the terminal; COLUMNS overrules it.
fn width() -> usize {
    let wanted = std::env::var("COLUMNS").ok();
    let wanted = wanted.and_then(|columns| columns.parse().ok());
    let terminal = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    wanted.or_else(terminal).unwrap_or(WIDTH)
}

/// Reads the files that a schedule names. Compilers name them from where they were started: that is this
/// directory or one above it, or one above the trace.
fn read_sources(timeline: &Timeline<'_>, trace: &Path) -> Sources {
    let here = std::env::current_dir().unwrap_or_default();
    let trace = std::path::absolute(trace).unwrap_or_default();
    let base = project_of(&trace);
    let roots: Vec<&Path> = here.ancestors().chain(trace.ancestors().skip(1)).collect();
    Sources::read(timeline, &mut |file| {
        let mut places = roots.iter().map(|root| root.join(file));
        let found = places.find(|place| is_readable_source(place) && is_source(place, &base))?;
        let bytes = fs::read(found).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    })
}

fn is_readable_source(place: &Path) -> bool {
    let known = fs::metadata(place);
    known.is_ok_and(|known| known.is_file() && known.len() <= SOURCE_BYTES_MAX)
}
