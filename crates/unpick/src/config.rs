//! How to explore.

use crate::Shard;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;
use unpick_config::room::Room;
use unpick_config::{Key, Project, Setting};
use unpick_engine::{Limits, Memory, Misuse, Settings};
use unpick_store::{binary_key, is_cargo_hash};
use unpick_strategies::{Confirm, Spec, SpecError};

/// The seed that is used unless another one is given.
pub(crate) const DEFAULT_SEED: u64 = 0x5eed;

/// Executions directed at each possible deadlock unless told otherwise.
const CONFIRM_DEFAULT: u64 = 50;

/// Events of a trace that [`predict`](crate::predict) looks at together unless told otherwise: questions about so
/// many are answered in less than a millisecond as a rule.
const WINDOW_DEFAULT: usize = 500;

/// Executions to shrink a failing schedule unless told otherwise.
const SHRINK_DEFAULT: u64 = 2_000;

/// How to explore: strategy, budgets, and what may happen besides the order of tasks.
///
/// The defaults are 1,000 executions of `portfolio`, which needs to know nothing of the program.
#[derive(Clone, Debug)]
pub struct Config {
    pub(crate) name: Option<String>,
    pub(crate) strategy: Spec,
    pub(crate) executions_max: u64,
    pub(crate) time_max: Option<Duration>,
    /// `None` for what the machine has room for.
    pub(crate) room: Option<Room>,
    pub(crate) seed: u64,
    pub(crate) jobs: usize,
    pub(crate) shard: Option<Shard>,
    pub(crate) keep_going: bool,
    pub(crate) fingerprint: bool,
    pub(crate) classes: bool,
    pub(crate) coverage: bool,
    pub(crate) races: bool,
    pub(crate) confirm: u64,
    pub(crate) shrink: u64,
    pub(crate) window: usize,
    pub(crate) stack_size: usize,
    pub(crate) saves: bool,
    pub(crate) watchdog: Duration,
    pub(crate) settings: Settings,
    /// What was set, as opposed to left at its default.
    told: BTreeSet<Key>,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            name: None,
            strategy: Spec::parse("portfolio").expect("internal error: there is no portfolio"),
            executions_max: 1_000,
            time_max: None,
            room: None,
            seed: DEFAULT_SEED,
            jobs: 1,
            shard: None,
            keep_going: false,
            fingerprint: false,
            classes: false,
            coverage: false,
            races: true,
            confirm: CONFIRM_DEFAULT,
            shrink: SHRINK_DEFAULT,
            window: WINDOW_DEFAULT,
            stack_size: crate::rt::STACK_SIZE,
            saves: true,
            watchdog: crate::rt::WATCHDOG,
            settings: Settings {
                writers_first: true,
                ..Settings::default()
            },
            told: BTreeSet::new(),
        }
    }
}

impl Config {
    /// The defaults.
    pub fn new() -> Config {
        Config::default()
    }

    /// The name of the program under test, for reports and regression files.
    pub fn name(mut self, name: impl Into<String>) -> Config {
        self.name = Some(name.into());
        self
    }

    /// The strategy, as `NAME[:key=value,…]`.
    ///
    /// # Panics
    /// If there is no such strategy; [`Config::try_strategy`] returns the error.
    #[track_caller]
    pub fn strategy(self, text: &str) -> Config {
        match self.try_strategy(text) {
            Ok(config) => config,
            Err(error) => panic!("{error}"),
        }
    }

    /// The strategy, as `NAME[:key=value,…]`.
    pub fn try_strategy(mut self, text: &str) -> Result<Config, SpecError> {
        self.strategy = Spec::parse(text)?;
        self.told.insert(Key::Strategy);
        Ok(self)
    }

    /// Executions to run at most. Exactly this many are run if nothing ends the exploration before,
    /// and those that [`confirm`](Config::confirm) a possible deadlock.
    pub fn executions(mut self, count: u64) -> Config {
        self.executions_max = count;
        self.told.insert(Key::Executions);
        self
    }

    /// Time after which no further execution is begun.
    pub fn time(mut self, limit: Duration) -> Config {
        self.time_max = Some(limit);
        self.told.insert(Key::Time);
        self
    }

    /// Memory of the process, in bytes, after which no further execution is begun: exhaustive techniques remember what
    /// they have seen. Three quarters of what the machine, the control group and `ulimit -v` allow, if nothing is said;
    /// `None` for no limit. Only Linux tells.
    pub fn max_memory(mut self, bytes: impl Into<Option<u64>>) -> Config {
        self.room = Some(Room::new(bytes.into()));
        self.told.insert(Key::MaxMemory);
        self
    }

    /// How much memory there is.
    pub(crate) fn room(&self) -> Room {
        static OF_MACHINE: OnceLock<Room> = OnceLock::new();
        self.room
            .unwrap_or_else(|| *OF_MACHINE.get_or_init(Room::of_machine))
    }

    /// The step limit: operations of an execution that the strategy leads (20,000). Behind it the execution
    /// goes on under a fair schedule, up to [`patience`](Config::patience) times the limit.
    pub fn steps(mut self, limit: u64) -> Config {
        self.settings.steps_max = limit;
        self.told.insert(Key::Steps);
        self
    }

    /// How many times the step limit an execution may take (10). One that repeats itself without a change then
    /// is a livelock, any other is inconclusive. With 1 it ends at the limit, and is inconclusive.
    pub fn patience(mut self, factor: u32) -> Config {
        self.settings.patience = factor.max(1);
        self
    }

    /// Whether an inconclusive execution is a failure (no).
    pub fn fail_on_limit(mut self, fails: bool) -> Config {
        self.settings.fail_on_limit = fails;
        self.told.insert(Key::FailOnLimit);
        self
    }

    /// The seed of the randomised strategies.
    pub fn seed(mut self, seed: u64) -> Config {
        self.seed = seed;
        self.told.insert(Key::Seed);
        self
    }

    /// Worker threads (1). The result is the same for every number, unless time ends it. Searches
    /// that cannot be split use one.
    pub fn jobs(mut self, count: usize) -> Config {
        self.jobs = count.max(1);
        self.told.insert(Key::Jobs);
        self
    }

    /// Runs share number `index`, from 1, of `count` equal shares only (all of it). The shares
    /// together run what one exploration without this runs; see `docs/parallel.md`.
    ///
    /// # Panics
    /// If there is no such share.
    #[track_caller]
    pub fn shard(mut self, index: u32, count: u32) -> Config {
        let shard = Shard::new(index, count);
        assert!(
            shard.is_some(),
            "there is no shard {index} of {count}; count from 1"
        );
        self.shard = shard;
        self
    }

    /// Whether to go on after the first failure (no).
    pub fn keep_going(mut self, keep_going: bool) -> Config {
        self.keep_going = keep_going;
        self.told.insert(Key::KeepGoing);
        self
    }

    /// Whether to compute [`Exploration::hash`](crate::Exploration::hash), a fingerprint of all
    /// executions (no).
    pub fn fingerprint(mut self, wanted: bool) -> Config {
        self.fingerprint = wanted;
        self
    }

    /// Whether to collect [`Exploration::classes`](crate::Exploration::classes): how many relations
    /// and states the schedules belong to (no).
    pub fn classes(mut self, wanted: bool) -> Config {
        self.classes = wanted;
        self
    }

    /// Whether to keep [`Exploration::coverage`](crate::Exploration::coverage): how many histories were
    /// seen, and how much of the program that is (no).
    pub fn coverage(mut self, wanted: bool) -> Config {
        self.coverage = wanted;
        self
    }

    /// Whether a data race on an [`unpick::cell`](crate::cell) is a failure (yes).
    pub fn races(mut self, are_failures: bool) -> Config {
        self.races = are_failures;
        self.told.insert(Key::Races);
        self
    }

    /// Executions directed at each possible deadlock that was found in the order of locking, at most
    /// (50). They come on top of the others, when the strategy has found no failure. With 0 there is
    /// only the warning.
    pub fn confirm(mut self, executions: u64) -> Config {
        self.confirm = executions;
        self.told.insert(Key::Confirm);
        self
    }

    /// Executions to shrink a failing schedule, at most (2,000). They come on top of the others. With 0
    /// it is reported as it was found.
    pub fn shrink(mut self, executions: u64) -> Config {
        self.shrink = executions;
        self.told.insert(Key::Shrink);
        self
    }

    /// Events of a trace that [`predict`](crate::predict) looks at together, at most (500). Longer traces are looked
    /// at in windows of so many; what takes an order that reaches beyond one is not found.
    pub fn window(mut self, events: usize) -> Config {
        self.window = events;
        self
    }

    /// Waits of condition variables and parks that may end without reason, in one execution (1).
    pub fn spurious_wakes(mut self, count: u32) -> Config {
        self.settings.spurious_wakes_max = count;
        self.told.insert(Key::SpuriousWakes);
        self
    }

    /// Weak compare-and-exchanges that may fail without reason, in one execution (1).
    pub fn weak_failures(mut self, count: u32) -> Config {
        self.settings.weak_failures_max = count;
        self.told.insert(Key::WeakFailures);
        self
    }

    /// How long a task that could run may be held up, in virtual time (90 ms). A sleep or a wait with a deadline
    /// that is at most this far away can end ahead of what other tasks do; a later one ends only when no
    /// task can go on, or when others that have ended have moved the clock. So sleeps and time-outs that
    /// are further apart keep their order. Zero is strict virtual time. `None` lets every one of them
    /// end at any moment.
    pub fn max_delay(mut self, delay: impl Into<Option<Duration>>) -> Config {
        let delay: Option<Duration> = delay.into();
        let ns = |delay: Duration| u64::try_from(delay.as_nanos()).unwrap_or(u64::MAX);
        self.settings.max_delay_ns = delay.map(ns);
        self.told.insert(Key::MaxDelay);
        self
    }

    /// Whether timed operations may time out early (yes): without it, as with a
    /// [`max_delay`](Config::max_delay) of zero, which this stands for; otherwise as with the usual one.
    pub fn timeouts(self, allowed: bool) -> Config {
        let delay_ns = if allowed { Settings::MAX_DELAY_NS } else { 0 };
        self.max_delay(Duration::from_nanos(delay_ns))
    }

    /// The memory model (sequential consistency). Under the others a store that is not `SeqCst` waits in
    /// a buffer of its task, and others see it later.
    pub fn memory(mut self, model: Memory) -> Config {
        self.settings.memory = model;
        self.told.insert(Key::Memory);
        self
    }

    /// Whether readers of an [`RwLock`](crate::sync::RwLock) wait while a writer waits, as with std's (yes).
    /// Then a task that reads again while it reads can wait for ever. Otherwise none is preferred.
    pub fn writers_first(mut self, preferred: bool) -> Config {
        self.settings.writers_first = preferred;
        self
    }

    /// Whether an execution ends when the first task ends, as a process ends when `main` returns (no: it ends
    /// with the last task). The other tasks are torn down then, whatever they were about to do, and that is
    /// neither a failure nor a deadlock. When the end comes is up to the strategy, as with every operation.
    pub fn ends_with_main(mut self, ends: bool) -> Config {
        self.settings.ends_with_main = ends;
        self.told.insert(Key::EndsWithMain);
        self
    }

    /// Bytes of stack for each task (1 MiB).
    pub fn stack_size(mut self, bytes: usize) -> Config {
        self.stack_size = bytes;
        self
    }

    /// The probability with which one execution finds a bug of the depth that was asked for, at
    /// least, for strategies that give such a guarantee.
    pub fn guarantee(&self, found: &unpick_engine::Exploration) -> Option<f64> {
        self.strategy.guarantee(&found.profile)
    }

    /// What an execution does if a task unlocks a mutex that it does not hold. The types of this crate do not let it;
    /// native programs can.
    pub fn misuse(mut self, misuse: Misuse) -> Config {
        self.settings.misuse = misuse;
        self.told.insert(Key::Misuse);
        self
    }

    /// How long a task may wait for a lock that is none of this crate's. All tasks share a thread, so another task that
    /// holds such a lock cannot go on: the process then ends with a message and exit code 3. Ten seconds by default;
    /// zero waits for ever. On Linux only.
    pub fn watchdog(mut self, limit: Duration) -> Config {
        self.watchdog = limit;
        self
    }

    /// Whether failures are kept, and those that were kept are tried first. Tests that should panic need not.
    pub fn save(mut self, saves: bool) -> Config {
        self.saves = saves;
        self
    }

    /// How possible deadlocks are to be confirmed.
    pub(crate) fn confirmation(&self) -> Confirm {
        Confirm {
            executions_max: self.confirm,
            seed: self.seed,
            is_exhaustive: self.strategy.is_exhaustive(),
        }
    }

    /// The settings that decide what a program may run into, as text for a trace's header.
    pub(crate) fn settings_text(&self) -> String {
        let Settings {
            steps_max,
            patience,
            fail_on_limit,
            spurious_wakes_max,
            weak_failures_max,
            max_delay_ns,
            memory,
            writers_first,
            ends_with_main,
            misuse,
        } = self.settings;
        // Traces of old have none: every timer could fire at any moment.
        let delay = max_delay_ns.map_or(String::new(), |ns| format!(" max_delay_ns={ns}"));
        // Traces of old have no model, and were sequentially consistent.
        let memory = match memory {
            Memory::Sc => String::new(),
            model => format!(" memory={}", model.name()),
        };
        let end = if ends_with_main {
            " ends_with_main=1"
        } else {
            ""
        };
        let limit = if fail_on_limit {
            " fail_on_limit=1"
        } else {
            ""
        };
        let misuse = match misuse {
            Misuse::Fail => String::new(),
            other => format!(" misuse={}", other.name()),
        };
        format!(
            "steps={steps_max} spurious_wakes={spurious_wakes_max} \
             weak_failures={weak_failures_max}{delay} races={} writers_first={}{memory}{end} \
             patience={patience}{limit}{misuse}",
            u8::from(self.races),
            u8::from(writers_first),
        )
    }

    /// What a program may run into besides the order of its tasks.
    pub fn settings(&self) -> Settings {
        self.settings
    }

    /// When an exploration ends, besides by itself.
    pub fn limits(&self) -> Limits {
        Limits {
            executions_max: self.executions_max,
            keep_going: self.keep_going,
            fingerprint: self.fingerprint,
            classes: self.classes,
            coverage: self.coverage,
            races: self.races,
        }
    }

    /// Takes over the settings of a trace's header, so that its replay meets the same questions.
    pub fn settings_from(mut self, text: &str) -> Config {
        // Traces of old knew neither another model nor locks that prefer writers nor another end nor time, and
        // ended at the step limit.
        self.settings.memory = Memory::Sc;
        self.settings.writers_first = false;
        self.settings.ends_with_main = false;
        self.settings.max_delay_ns = None;
        self.settings.patience = 1;
        self.settings.fail_on_limit = false;
        self.settings.misuse = Misuse::Fail;
        for (name, text) in text
            .split_whitespace()
            .filter_map(|word| word.split_once('='))
        {
            if let Some(model) = Memory::find(text).filter(|_| name == "memory") {
                self.settings.memory = model;
            }
            if let Some(misuse) = Misuse::find(text).filter(|_| name == "misuse") {
                self.settings.misuse = misuse;
            }
            let Ok(value) = text.parse::<u64>() else {
                continue;
            };
            match name {
                "steps" => self.settings.steps_max = value,
                "patience" => self.settings.patience = value as u32,
                "fail_on_limit" => self.settings.fail_on_limit = value != 0,
                "spurious_wakes" => self.settings.spurious_wakes_max = value as u32,
                "weak_failures" => self.settings.weak_failures_max = value as u32,
                "max_delay_ns" => self.settings.max_delay_ns = Some(value),
                // What is left of the rule that a trace of old was made by.
                "timeouts" if value == 0 => self.settings.max_delay_ns = Some(0),
                "writers_first" => self.settings.writers_first = value != 0,
                "races" => self.races = value != 0,
                "ends_with_main" => self.settings.ends_with_main = value != 0,
                _ => {}
            }
        }
        self
    }

    /// Lets `unpick.toml` and the environment have their say: what they say about this test, and
    /// where nothing was set before also what they say about all tests (`docs/config.md`). Give the
    /// [`name`](Config::name) first. `UNPICK_SHARD` (as in `2/8`, or `auto`) chooses a share.
    ///
    /// # Panics
    /// If a key, a variable or a value cannot be read.
    pub fn with_environment(mut self) -> Config {
        let project = match Project::load(&project_directory(), None) {
            Ok(project) => project,
            Err(error) => panic!("{error}"),
        };
        for setting in project.settings(&self.program_name(), &self.told) {
            self = self.with_setting(setting);
        }
        let shard = std::env::var("UNPICK_SHARD").ok();
        if let Some(text) = shard.filter(|text| !text.is_empty()) {
            match Shard::parse(&text) {
                Ok(shard) => self.shard = Some(shard),
                Err(error) => panic!("UNPICK_SHARD: {error}"),
            }
        }
        self
    }

    fn with_setting(self, Setting { key, value, .. }: Setting) -> Config {
        match key {
            Key::Strategy => self.strategy(value.text()),
            Key::Executions => self.executions(value.number()),
            Key::Time => self.time(value.time()),
            Key::MaxMemory => self.max_memory(value.size()),
            Key::Steps => self.steps(value.number()),
            Key::FailOnLimit => self.fail_on_limit(value.flag()),
            Key::Seed => self.seed(value.number()),
            Key::Jobs => self.jobs(value.number() as usize),
            Key::KeepGoing => self.keep_going(value.flag()),
            Key::Shrink => self.shrink(value.number()),
            Key::Confirm => self.confirm(value.number()),
            Key::SpuriousWakes => self.spurious_wakes(value.number() as u32),
            Key::WeakFailures => self.weak_failures(value.number() as u32),
            Key::MaxDelay => self.max_delay(value.delay()),
            Key::Races => self.races(value.flag()),
            Key::EndsWithMain => self.ends_with_main(value.flag()),
            Key::Memory => self.memory(Memory::find(value.text()).unwrap_or_default()),
            Key::Misuse => self.misuse(Misuse::find(value.text()).unwrap_or_default()),
            // Those of native programs.
            Key::Points => self,
        }
    }

    /// The name under which failures are kept: that of the program with the test binary, since several binaries may have
    /// a test of one name.
    pub(crate) fn regression_key(&self) -> String {
        let name = self.program_name();
        let binary = std::env::current_exe().unwrap_or_default();
        let file = binary.file_name().unwrap_or_default().to_string_lossy();
        let is_test = file
            .rsplit_once('-')
            .is_some_and(|(_, hash)| is_cargo_hash(hash));
        let binary = binary_key(&binary);
        match (is_test, &self.name) {
            (false, _) => name,
            // Names are given with the crate, which the library and the program of a package share.
            (true, Some(_)) if binary.starts_with("bin:") => format!("bin:{name}"),
            (true, Some(_)) => name,
            (true, None) => format!("{binary}::{name}"),
        }
    }

    /// The configured name, or that of the test that runs.
    pub(crate) fn program_name(&self) -> String {
        let thread = std::thread::current();
        match (&self.name, thread.name()) {
            (Some(name), _) => name.clone(),
            (None, Some(name)) => name.to_string(),
            (None, None) => "check".to_string(),
        }
    }
}

/// The directory of the crate under test, or the current one.
pub(crate) fn project_directory() -> PathBuf {
    std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from("."), PathBuf::from)
}
