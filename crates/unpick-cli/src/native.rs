//! What `unpick run`, `cargo unpick test` and `unpick replay` share: native programs.

mod interim;
mod keep;
mod predict;
mod present;
mod refused;
mod regression;
mod replay;

use crate::options::ExplorationOptions;
use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
pub(crate) use keep::PREFIX;
pub(crate) use predict::predict;
pub(crate) use present::{Presented, explore, save_free, tell_free};
pub(crate) use replay::replay;
use std::time::Duration;
use unpick::{Limits, Shard, Spec, parse_duration};
use unpick_native::drive::{Options, can_split};
use unpick_native::protocol::{Backend, Points, Reexecution};

/// How tasks are run.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum BackendName {
    /// On one thread: fast
    Fibers,
    /// Each on a thread of its own: for debuggers and other tools
    Threads,
}

impl From<BackendName> for Backend {
    fn from(name: BackendName) -> Backend {
        match name {
            BackendName::Fibers => Backend::Fibers,
            BackendName::Threads => Backend::Threads,
        }
    }
}

/// How the program is run again from its start.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ReexecutionName {
    /// Memory is put back as it was before main: fast
    Snapshot,
    /// A fork for each execution
    Fork,
    /// A new process for each execution: slow
    Exec,
}

/// Which plain memory accesses are scheduling points.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum PointsName {
    /// None: locks, atomics and the like only
    Sync,
    /// Those that took part in a data race in an earlier execution
    Racy,
    /// Those to memory that was seen to be shared
    Shared,
    /// All of instrumented code
    All,
}

/// What there is to choose for native programs only.
#[derive(Args, Clone, Debug)]
pub(crate) struct NativeOptions {
    /// How tasks are run; the fastest way that is right for the program by default
    #[arg(long, value_enum, value_name = "BACKEND")]
    backend: Option<BackendName>,
    /// How the program is run again; the fastest way that is right for the program by default
    #[arg(long, value_enum, value_name = "WAY")]
    reexec: Option<ReexecutionName>,
    /// Plain memory accesses that are scheduling points. By default none while data races are
    /// failures (without races, no task can tell), racy ones with --no-races, shared ones with mcr and
    /// se-mcr
    #[arg(long, value_enum, value_name = "WHICH")]
    points: Option<PointsName>,
    /// Make the beginning of a function a scheduling point; may be given several times. The symbol
    /// or its path: save, Queue::push, bank::Account::take. Its code must be instrumented
    #[arg(long, value_name = "SYMBOL")]
    point_at: Vec<String>,
    /// Processors that the program is told to have
    #[arg(long, value_name = "N", default_value_t = 2)]
    processors: u32,
    /// How long a task may run from one scheduling point to the next
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = parse_duration)]
    watchdog: Duration,
    /// Show what the program prints, of every execution
    #[arg(long)]
    show_output: bool,
}

impl NativeOptions {
    /// The options of a drive.
    pub(crate) fn drive(&self, options: &ExplorationOptions) -> Result<Options> {
        let config = options.config()?;
        self.check(options)?;
        // What plans between executions must see what tasks read and write.
        let is_planned = Spec::parse(&options.strategy)?.technique().is_planned;
        let points = match self.points.or(options.points) {
            Some(PointsName::Sync) => Points::Sync,
            Some(PointsName::Racy) => Points::Racy,
            Some(PointsName::Shared) => Points::Shared,
            Some(PointsName::All) => Points::All,
            None if is_planned => Points::Shared,
            None if options.no_races => Points::Racy,
            None => Points::Sync,
        };
        Ok(Options {
            strategy: options.strategy.clone(),
            seed: options.seed,
            // The runtime has a detector of its own, for all memory.
            limits: Limits {
                races: false,
                ..config.limits()
            },
            time: options.time,
            room: options.room(),
            settings: config.settings(),
            races: !options.no_races,
            points,
            point_at: self.point_at.clone(),
            backend: self.backend.map(Backend::from),
            reexecution: self.reexec.map(|name| match name {
                ReexecutionName::Snapshot => Reexecution::Snapshot,
                ReexecutionName::Fork => Reexecution::Fork,
                ReexecutionName::Exec => Reexecution::Exec,
            }),
            processors: self.processors.max(1),
            hang_after: self.watchdog,
            shows_output: self.show_output,
            confirm: options.confirm,
            shrink: options.shrink,
            jobs: options.jobs,
            shard: options.shard.map(Shard::from_zero),
        })
    }

    /// Refuses what techniques that plan between executions cannot do.
    fn check_planned(&self, options: &ExplorationOptions, name: &str) -> Result<()> {
        if let Some(points @ (PointsName::Sync | PointsName::Racy)) = self.points.or(options.points)
        {
            let word = if matches!(points, PointsName::Sync) {
                "sync"
            } else {
                "racy"
            };
            bail!(
                "`{name}` must see what tasks read and write; leave out `--points {word}`, or use `odpor`"
            );
        }
        if matches!(self.reexec, Some(ReexecutionName::Exec)) {
            bail!("`{name}` plans for one process; leave out `--reexec exec`");
        }
        if options.shard.is_some() {
            bail!(
                "`{name}` cannot be divided into shards of a native program; leave out `--shard`"
            );
        }
        Ok(())
    }

    /// Refuses what native programs cannot do, and says what makes no difference.
    fn check(&self, options: &ExplorationOptions) -> Result<()> {
        let spec = Spec::parse(&options.strategy)?;
        let name = spec.technique().name;
        if name.starts_with("lazy-") {
            bail!(
                "`{name}` must see what is done with the data under a lock, which native programs do \
                 not tell; use `{}`",
                name.trim_start_matches("lazy-")
            );
        }
        if spec.technique().is_planned {
            self.check_planned(options, name)?;
        }
        if spec.technique().is_randomised {
            return Ok(());
        }
        let is_silent = options.json || options.quiet;
        let is_anew = matches!(self.reexec, Some(ReexecutionName::Exec));
        if options.jobs > 1 && !is_silent && (is_anew || !can_split(&options.strategy)) {
            let way = if is_anew { " with --reexec exec" } else { "" };
            eprintln!(
                "warning: `{name}` cannot be divided among processes{way}; --jobs {} makes no difference \
                 here",
                options.jobs
            );
        }
        Ok(())
    }
}
