//! Options that all explorations share.

use crate::junit::Report;
use crate::progress::Budget;
use anyhow::{Result, anyhow};
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;
use unpick::{Config, Shard, Spec};

/// How to explore.
#[derive(Args, Clone, Debug)]
pub(crate) struct ExplorationOptions {
    /// The technique, as NAME[:key=value,…]; `unpick strategies` lists them
    #[arg(long, value_name = "STRATEGY", default_value = "portfolio")]
    pub(crate) strategy: String,
    /// Executions to run at most
    #[arg(long, value_name = "N", default_value = "1000", value_parser = unpick::parse_number)]
    pub(crate) executions: u64,
    /// Time after which no execution is begun, as 30s or 5m
    #[arg(long, value_name = "TIME", value_parser = unpick::parse_duration)]
    pub(crate) time: Option<Duration>,
    /// Operations after which an execution counts as a livelock
    #[arg(long, value_name = "N", default_value = "20000", value_parser = unpick::parse_number)]
    pub(crate) steps: u64,
    /// Seed of the randomised strategies
    #[arg(long, value_name = "SEED", default_value = "0x5eed", value_parser = unpick::parse_number)]
    pub(crate) seed: u64,
    /// Workers: threads, or processes of a native program; the result is the same for every number
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) jobs: usize,
    /// Run one of N equal shares: I/N, from 1/N to N/N; `auto` asks CI_NODE_INDEX/CI_NODE_TOTAL,
    /// SLURM_ARRAY_TASK_ID/_COUNT or JOB_COMPLETION_INDEX (with auto/N). `unpick merge` puts the
    /// JSON of all N together
    #[arg(long, value_name = "I/N", value_parser = Shard::parse)]
    pub(crate) shard: Option<Shard>,
    /// Go on after the first failure, and tell each that is not the same, up to 8 (ipb and idb end with the
    /// bound that shows one)
    #[arg(long)]
    pub(crate) keep_going: bool,
    /// Waits that may end without a notification, in one execution
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) spurious_wakes: u32,
    /// Weak compare-and-exchanges that may fail without reason, in one execution
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) weak_failures: u32,
    /// Let timed operations time out only when they cannot succeed
    #[arg(long)]
    pub(crate) no_timeouts: bool,
    /// Do not count data races as failures
    #[arg(long)]
    pub(crate) no_races: bool,
    /// Executions directed at each possible deadlock that the order of locking shows; 0: only warn
    #[arg(long, value_name = "N", default_value = "50", value_parser = unpick::parse_number)]
    pub(crate) confirm: u64,
    /// Executions to shrink a failing schedule to fewer preemptions and steps; 0: leave it as found
    #[arg(long, value_name = "N", default_value = "2000", value_parser = unpick::parse_number)]
    pub(crate) shrink: u64,
    /// Count relations and states among the schedules; always done with --json, unless the
    /// strategy is randomised
    #[arg(long)]
    pub(crate) classes: bool,
    /// Print one JSON object a program, one a line
    #[arg(long)]
    pub(crate) json: bool,
    /// Write what came of each program or test to a file as JUnit XML
    #[arg(long, value_name = "FILE", overrides_with = "junit")]
    pub(crate) junit: Option<PathBuf>,
    /// Print nothing but failures
    #[arg(long)]
    pub(crate) quiet: bool,
    /// Do not write traces and regression files
    #[arg(long)]
    pub(crate) no_save: bool,
}

impl ExplorationOptions {
    /// The configuration that these options describe.
    pub(crate) fn config(&self) -> Result<Config> {
        if self.executions == 0 {
            return Err(anyhow!("--executions 0 runs nothing; give at least 1"));
        }
        if self.jobs == 0 {
            return Err(anyhow!("--jobs 0 leaves nobody to work; give at least 1"));
        }
        let is_randomised = Spec::parse(&self.strategy)?.technique().is_randomised;
        let mut config = Config::new()
            .try_strategy(&self.strategy)?
            .executions(self.executions)
            .steps(self.steps)
            .seed(self.seed)
            .jobs(self.jobs)
            .keep_going(self.keep_going)
            .fingerprint(self.json)
            .classes(self.classes || self.json && !is_randomised)
            .coverage(self.json || !self.quiet)
            .spurious_wakes(self.spurious_wakes)
            .weak_failures(self.weak_failures)
            .timeouts(!self.no_timeouts)
            .races(!self.no_races)
            .confirm(self.confirm)
            .shrink(self.shrink);
        if let Some(shard) = self.shard {
            config = config.shard(shard.index(), shard.count());
        }
        if let Some(limit) = self.time {
            config = config.time(limit);
        }
        Ok(config)
    }

    /// The file that is to tell what came of each program, if there is to be one.
    pub(crate) fn report(&self) -> Result<Option<Report>> {
        self.junit.as_deref().map(Report::new).transpose()
    }

    /// What ends an exploration with these options.
    pub(crate) fn budget(&self) -> Budget {
        Budget {
            executions: self.executions,
            time: self.time,
            is_randomised: self.is_randomised(),
        }
    }

    /// Whether executions are drawn, independently of each other.
    pub(crate) fn is_randomised(&self) -> bool {
        Spec::parse(&self.strategy).is_ok_and(|spec| spec.technique().is_randomised)
    }

    /// What must be the same for all shards besides program, strategy and seed.
    pub(crate) fn text(&self) -> String {
        format!(
            "executions={} steps={} keep_going={} spurious_wakes={} weak_failures={} timeouts={} \
             races={}",
            self.executions,
            self.steps,
            u8::from(self.keep_going),
            self.spurious_wakes,
            self.weak_failures,
            u8::from(!self.no_timeouts),
            u8::from(!self.no_races),
        )
    }
}
