//! `unpick study`: published studies, measured again.

use crate::Status;
use crate::output::say;
use crate::progress::{is_interrupted, listen};
use anyhow::{Result, bail};
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::cell::Cell;
use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use unpick::parse_number;
use unpick_study::{Ended, Options, Progress, Watch, find, run, specs, studies};

const TIME_BETWEEN_LINES: Duration = Duration::from_secs(10);

/// Which study, how much of it, and where its results go.
#[derive(Args)]
pub(crate) struct StudyArguments {
    /// The study; without one, those that there are
    name: Option<String>,
    /// The directory for data, pictures and report; a study that was ended goes on there
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Schedules of each program and technique (default: what the study says)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,
    /// Only programs whose name contains one of these; case does not matter
    #[arg(long, value_name = "P,…", value_delimiter = ',')]
    only: Vec<String>,
    /// Only these strategies, of the study or others, as in `dfs,pct,surw:all=1`
    #[arg(long, value_name = "T,…", default_value = "")]
    techniques: String,
    /// Programs that are explored at a time; changes no result
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    jobs: u32,
    /// The seed of all randomised techniques
    #[arg(long, value_name = "N", default_value = "0x5eed", value_parser = parse_number)]
    seed: u64,
    /// Measure again what is known
    #[arg(long)]
    fresh: bool,
    /// Print no progress
    #[arg(long)]
    quiet: bool,
}

pub(crate) fn study(arguments: &StudyArguments) -> Result<Status> {
    let Some(name) = &arguments.name else {
        for study in studies() {
            say!("{:<12} {}", study.name(), study.summary());
        }
        say!("\nMeasure one with `unpick study NAME --out DIR`.");
        return Ok(Status::Clean);
    };
    let study = find(name)?;
    let Some(out) = &arguments.out else {
        bail!("where to? give `--out DIR`, a directory for the results of the study");
    };
    let options = Options {
        limit: arguments.limit.unwrap_or_else(|| study.limit_default()),
        only: arguments.only.clone(),
        techniques: specs(&arguments.techniques),
        jobs: arguments.jobs as usize,
        seed: arguments.seed,
    };
    listen();
    let shown = Shown::new(name, arguments.quiet);
    let watch = Watch {
        is_interrupted: &is_interrupted,
        progress: &|progress| shown.show(progress),
    };
    let ended = run(&*study, &options, out, arguments.fresh, &watch)?;
    shown.finish();
    Ok(tell(&ended))
}

fn tell(ended: &Ended) -> Status {
    let Ended {
        cells,
        kept,
        measured,
        foreign,
        ..
    } = ended;
    if !ended.is_complete() {
        let done = kept + measured;
        say!("{done} of {cells} cells are done and kept; the same command goes on from there");
        return Status::NothingRan;
    }
    say!("{cells} cells, {kept} of them known from before");
    if *foreign > 0 {
        eprintln!(
            "warning: {foreign} cells were measured by another build of unpick; `--fresh` measures all again"
        );
    }
    for path in &ended.written {
        say!("wrote {}", path.display());
    }
    for violation in &ended.violations {
        say!("VIOLATED  {violation}");
    }
    match ended.violations.is_empty() {
        true => Status::Clean,
        false => Status::Failed,
    }
}

/// Shows how far a study is: a bar on a terminal, a line now and then elsewhere.
struct Shown {
    name: String,
    bar: Option<ProgressBar>,
    is_quiet: bool,
    at: Cell<Instant>,
}

impl Shown {
    fn new(name: &str, is_quiet: bool) -> Shown {
        let bar = (!is_quiet && std::io::stderr().is_terminal()).then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
            if let Ok(style) =
                ProgressStyle::with_template("{prefix} {bar:24} {pos}/{len} {wide_msg}")
            {
                bar.set_style(style);
            }
            bar.set_prefix(name.to_string());
            bar
        });
        Shown {
            name: name.to_string(),
            bar,
            is_quiet,
            at: Cell::new(Instant::now()),
        }
    }

    fn show(&self, progress: &Progress) {
        let Progress {
            done, total, last, ..
        } = progress;
        let left = match progress.left {
            Some(left) => format!("about {} left", words(left)),
            None => "time left not known yet".to_string(),
        };
        if let Some(bar) = &self.bar {
            bar.set_length(*total as u64);
            bar.set_position(*done as u64);
            bar.set_message(format!("{left}; last: {last}"));
        } else if !self.is_quiet && self.at.get().elapsed() >= TIME_BETWEEN_LINES {
            self.at.set(Instant::now());
            eprintln!(
                "{}: {done} of {total} cells, {left}; last: {last}",
                self.name
            );
        }
    }

    fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn words(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..=99 => format!("{seconds} s"),
        seconds @ 100..=5_999 => format!("{} min", seconds.div_ceil(60)),
        seconds => format!("{} h", seconds.div_ceil(3_600)),
    }
}
