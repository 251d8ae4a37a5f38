//! Options that all explorations share.

use crate::junit::Report;
use crate::native::PointsName;
use anyhow::Result;
use clap::{Args, ValueEnum};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;
use unpick::progress::Budget;
use unpick::{Config, Memory, Misuse, Shard, Spec, parse_duration, parse_number};
use unpick_config::room::Room;
use unpick_config::{Key, Origin, Project, Setting, Settings, Value, parse_delay, parse_size};

/// How to explore, as far as the command line tells. What it does not tell is looked up in the
/// environment and in `unpick.toml`.
#[derive(Args, Clone, Debug)]
pub(crate) struct ExplorationArguments {
    /// The technique, as NAME[:key=value,…]; `unpick strategies` lists them [default: portfolio]
    #[arg(long, value_name = "STRATEGY")]
    strategy: Option<String>,
    /// Settings to choose together: quick, ci, deep, or one of unpick.toml; `unpick config` shows them
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// Executions to run at most [default: 1000]
    #[arg(long, value_name = "N", value_parser = parse_number)]
    executions: Option<u64>,
    /// Time after which no execution is begun, as 30s or 5m
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    time: Option<Duration>,
    /// Memory after which no execution is begun, as 500M or 2G: of the command and of the processes of a native
    /// program together; or none [default: three quarters of what the machine, the control group and `ulimit -v` allow]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    max_memory: Option<Value>,
    /// Operations that the strategy leads; longer executions go on under a fair schedule, up to 10 times as
    /// many [default: 20000]
    #[arg(long, value_name = "N", value_parser = parse_number)]
    steps: Option<u64>,
    /// Count an execution as a failure that is not at its end then, and not only as inconclusive
    #[arg(long)]
    fail_on_limit: bool,
    /// Seed of the randomised strategies [default: 0x5eed]
    #[arg(long, value_name = "SEED", value_parser = parse_number)]
    seed: Option<u64>,
    /// Workers: threads, or processes of a native program; the result is the same for every number
    /// [default: 1]
    #[arg(long, value_name = "N", value_parser = parse_number)]
    jobs: Option<u64>,
    /// Run one of N equal shares: I/N, from 1/N to N/N; `auto` asks CI_NODE_INDEX/CI_NODE_TOTAL,
    /// SLURM_ARRAY_TASK_ID/_COUNT or JOB_COMPLETION_INDEX (with auto/N). `unpick merge` puts the
    /// JSON of all N together
    #[arg(long, value_name = "I/N", value_parser = Shard::parse)]
    shard: Option<Shard>,
    /// Go on after the first failure, and tell each that is not the same, up to 8 (ipb and idb end with the
    /// bound that shows one)
    #[arg(long)]
    keep_going: bool,
    /// Waits that may end without a notification, in one execution [default: 0]
    #[arg(long, value_name = "N")]
    spurious_wakes: Option<u32>,
    /// Weak compare-and-exchanges that may fail without reason, in one execution [default: 0]
    #[arg(long, value_name = "N")]
    weak_failures: Option<u32>,
    /// How long a task that could run may be held up. A sleep or a wait whose deadline is further away
    /// ends only when no task can go on, or when timers that fired have moved the clock near it. `0`
    /// is strict virtual time; `none` lets each end at any moment [default: 90ms]
    #[arg(long, value_name = "TIME", value_parser = parse_delay)]
    max_delay: Option<Value>,
    /// The same as --max-delay 0
    #[arg(long, conflicts_with = "max_delay")]
    no_timeouts: bool,
    /// Do not count data races as failures
    #[arg(long)]
    no_races: bool,
    /// What to do when a task unlocks a mutex that it does not hold: fail, warn and go on as glibc does, or ignore
    /// it [default: warn]
    #[arg(long, value_name = "HOW")]
    misuse: Option<String>,
    /// The memory model: sc, tso or pso. Under the last two, others may see stores later that are not
    /// SeqCst [default: sc]
    #[arg(long, value_name = "MODEL")]
    memory: Option<String>,
    /// Executions directed at each possible deadlock that the order of locking shows; 0: only warn
    /// [default: 50]
    #[arg(long, value_name = "N", value_parser = parse_number)]
    confirm: Option<u64>,
    /// Executions to shrink a failing schedule to fewer preemptions and steps; 0: leave it as found
    /// [default: 2000]
    #[arg(long, value_name = "N", value_parser = parse_number)]
    shrink: Option<u64>,
    /// Count relations and states among the schedules; always done with --json, unless the
    /// strategy is randomised
    #[arg(long)]
    classes: bool,
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
    no_save: bool,
    /// Keep the first execution as a trace if nothing fails, for `unpick predict`
    #[arg(long, conflicts_with = "no_save")]
    save_trace: bool,
}

impl ExplorationArguments {
    /// What holds for a program or test, from all there is to say about it.
    pub(crate) fn options(&self, name: &str) -> Result<ExplorationOptions> {
        let project = self.project()?;
        let settings = self.settings(&project, name)?;
        let get = |key| {
            let value = settings.get(key);
            value.expect("internal error: a setting without a default")
        };
        let points = settings.get(Key::Points).map(Value::text);
        Ok(ExplorationOptions {
            strategy: get(Key::Strategy).text().to_string(),
            executions: get(Key::Executions).number(),
            time: settings.get(Key::Time).map(Value::time),
            max_memory: settings.get(Key::MaxMemory).map(Value::size),
            steps: get(Key::Steps).number(),
            fail_on_limit: get(Key::FailOnLimit).flag(),
            seed: get(Key::Seed).number(),
            jobs: get(Key::Jobs).number() as usize,
            shard: self.shard,
            keep_going: get(Key::KeepGoing).flag(),
            spurious_wakes: get(Key::SpuriousWakes).number() as u32,
            weak_failures: get(Key::WeakFailures).number() as u32,
            max_delay: get(Key::MaxDelay).delay(),
            no_races: !get(Key::Races).flag(),
            misuse: Misuse::find(get(Key::Misuse).text()).unwrap_or_default(),
            memory: Memory::find(get(Key::Memory).text()).unwrap_or_default(),
            confirm: get(Key::Confirm).number(),
            shrink: get(Key::Shrink).number(),
            points: points.and_then(|word| PointsName::from_str(word, false).ok()),
            classes: self.classes,
            json: self.json,
            quiet: self.quiet,
            no_save: self.no_save,
            save_trace: self.save_trace,
        })
    }

    /// The file that is to tell what came of each program, if there is to be one.
    pub(crate) fn report(&self) -> Result<Option<Report>> {
        self.junit.as_deref().map(Report::new).transpose()
    }

    /// The settings of the project here, with the profile that was chosen.
    pub(crate) fn project(&self) -> Result<Project> {
        Ok(Project::load(Path::new("."), self.profile.as_deref())?)
    }

    /// The settings for a program or test: the later ones replace the earlier ones.
    pub(crate) fn settings(&self, project: &Project, name: &str) -> Result<Settings> {
        let mut settings = Settings::default();
        settings.extend(defaults());
        settings.extend(project.settings(name, &BTreeSet::new()));
        settings.extend(self.told()?);
        Ok(settings)
    }

    /// What the command line says.
    fn told(&self) -> Result<Vec<Setting>> {
        let number = |number: Option<u64>| number.map(Value::Number);
        let count = |count: Option<u32>| count.map(|count| Value::Number(count.into()));
        let max_delay = match self.no_timeouts {
            true => Some(Value::Time(Duration::ZERO)),
            false => self.max_delay.clone(),
        };
        let told = [
            (Key::Strategy, self.strategy.clone().map(Value::Text)),
            (Key::Executions, number(self.executions)),
            (Key::Time, self.time.map(Value::Time)),
            (Key::MaxMemory, self.max_memory.clone()),
            (Key::Steps, number(self.steps)),
            (
                Key::FailOnLimit,
                self.fail_on_limit.then_some(Value::Flag(true)),
            ),
            (Key::Seed, number(self.seed)),
            (Key::Jobs, number(self.jobs)),
            (Key::KeepGoing, self.keep_going.then_some(Value::Flag(true))),
            (Key::SpuriousWakes, count(self.spurious_wakes)),
            (Key::WeakFailures, count(self.weak_failures)),
            (Key::MaxDelay, max_delay),
            (Key::Races, self.no_races.then_some(Value::Flag(false))),
            (Key::Misuse, self.misuse.clone().map(Value::Text)),
            (Key::Memory, self.memory.clone().map(Value::Text)),
            (Key::Confirm, number(self.confirm)),
            (Key::Shrink, number(self.shrink)),
        ];
        let mut settings = Vec::new();
        for (key, value) in told {
            if let Some(value) = value {
                settings.push(Setting::told(key, value)?);
            }
        }
        Ok(settings)
    }
}

/// What holds if nobody says anything.
fn defaults() -> impl Iterator<Item = Setting> {
    let values = [
        (Key::Strategy, Value::Text("portfolio".to_string())),
        (Key::Executions, Value::Number(1_000)),
        (Key::Steps, Value::Number(20_000)),
        (Key::FailOnLimit, Value::Flag(false)),
        (Key::Seed, Value::Number(0x5eed)),
        (Key::Jobs, Value::Number(1)),
        (Key::KeepGoing, Value::Flag(false)),
        (Key::SpuriousWakes, Value::Number(0)),
        (Key::WeakFailures, Value::Number(0)),
        (Key::MaxDelay, Value::Time(Duration::from_millis(90))),
        (Key::Races, Value::Flag(true)),
        (Key::Confirm, Value::Number(50)),
        (Key::Shrink, Value::Number(2_000)),
        (Key::Memory, Value::Text("sc".to_string())),
        (Key::EndsWithMain, Value::Flag(false)),
        (Key::Misuse, Value::Text("warn".to_string())),
    ];
    values.into_iter().map(|(key, value)| Setting {
        key,
        value,
        origin: Origin::Default,
    })
}

/// How to explore.
#[derive(Clone, Debug)]
pub(crate) struct ExplorationOptions {
    pub(crate) strategy: String,
    pub(crate) executions: u64,
    pub(crate) time: Option<Duration>,
    /// `None` for what the machine has room for.
    pub(crate) max_memory: Option<Option<u64>>,
    pub(crate) steps: u64,
    pub(crate) fail_on_limit: bool,
    pub(crate) seed: u64,
    pub(crate) jobs: usize,
    pub(crate) shard: Option<Shard>,
    pub(crate) keep_going: bool,
    pub(crate) spurious_wakes: u32,
    pub(crate) weak_failures: u32,
    pub(crate) max_delay: Option<Duration>,
    pub(crate) no_races: bool,
    pub(crate) misuse: Misuse,
    pub(crate) memory: Memory,
    pub(crate) confirm: u64,
    pub(crate) shrink: u64,
    pub(crate) points: Option<PointsName>,
    pub(crate) classes: bool,
    pub(crate) json: bool,
    pub(crate) quiet: bool,
    pub(crate) no_save: bool,
    pub(crate) save_trace: bool,
}

impl ExplorationOptions {
    /// The configuration that these options describe.
    pub(crate) fn config(&self) -> Result<Config> {
        let is_randomised = Spec::parse(&self.strategy)?.technique().is_randomised;
        let mut config = Config::new()
            .try_strategy(&self.strategy)?
            .executions(self.executions)
            .steps(self.steps)
            .fail_on_limit(self.fail_on_limit)
            .seed(self.seed)
            .jobs(self.jobs)
            .keep_going(self.keep_going)
            .fingerprint(self.json)
            .classes(self.classes || self.json && !is_randomised)
            .coverage(self.json || !self.quiet)
            .spurious_wakes(self.spurious_wakes)
            .weak_failures(self.weak_failures)
            .max_delay(self.max_delay)
            // As POSIX locks, and those of the studies that the suite repeats.
            .writers_first(false)
            .races(!self.no_races)
            .misuse(self.misuse)
            .memory(self.memory)
            .confirm(self.confirm)
            .shrink(self.shrink);
        if let Some(shard) = self.shard {
            config = config.shard(shard.index(), shard.count());
        }
        if let Some(limit) = self.time {
            config = config.time(limit);
        }
        if let Some(limit) = self.max_memory {
            config = config.max_memory(limit);
        }
        Ok(config)
    }

    /// How much memory may be taken.
    pub(crate) fn room(&self) -> Room {
        self.max_memory.map_or_else(Room::of_machine, Room::new)
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
            "executions={} steps={} fail_on_limit={} keep_going={} spurious_wakes={} weak_failures={} \
             max_delay={} races={} misuse={} memory={}",
            self.executions,
            self.steps,
            u8::from(self.fail_on_limit),
            u8::from(self.keep_going),
            self.spurious_wakes,
            self.weak_failures,
            self.max_delay
                .map_or("none".to_string(), |delay| delay.as_nanos().to_string()),
            u8::from(!self.no_races),
            self.misuse.name(),
            self.memory.name(),
        )
    }
}
