//! The table of settings.

use crate::Value;
use crate::error::allowed;
use crate::value::{parse_delay, parse_duration, parse_number, parse_size};
use unpick_strategies::{Spec, SpecError, techniques};

/// A setting that a file, the environment or the command line can give.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    /// The strategy.
    Strategy,
    /// Executions to run at most.
    Executions,
    /// Time after which no execution is begun.
    Time,
    /// Memory after which no execution is begun.
    MaxMemory,
    /// Operations after which an execution goes on under a fair schedule.
    Steps,
    /// Whether an execution that takes too many operations has failed.
    FailOnLimit,
    /// Seed of the randomised strategies.
    Seed,
    /// Workers.
    Jobs,
    /// Whether to go on after the first failure.
    KeepGoing,
    /// Executions to shrink a failing schedule.
    Shrink,
    /// Executions directed at each possible deadlock.
    Confirm,
    /// Waits that may end without reason.
    SpuriousWakes,
    /// Weak compare-and-exchanges that may fail without reason.
    WeakFailures,
    /// How long a task that could run may be held up.
    MaxDelay,
    /// Whether data races are failures.
    Races,
    /// Which plain accesses of native programs are scheduling points.
    Points,
    /// The memory model.
    Memory,
    /// Whether an execution of the library ends with its first task.
    EndsWithMain,
    /// What becomes of a native program that unlocks a mutex which another task holds.
    Misuse,
}

use Key::*;

/// What values a setting has.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    Strategy,
    /// A number, and the smallest one.
    Number(u64),
    Time,
    /// A time, or none.
    Delay,
    /// A number of bytes, or none.
    Size,
    Flag,
    Word(&'static [&'static str]),
}

impl Key {
    /// Every setting, in the order of the documentation.
    pub const ALL: &[Key] = &[
        Strategy,
        Executions,
        Time,
        MaxMemory,
        Steps,
        FailOnLimit,
        Seed,
        Jobs,
        KeepGoing,
        Shrink,
        Confirm,
        SpuriousWakes,
        WeakFailures,
        MaxDelay,
        Races,
        Points,
        Memory,
        EndsWithMain,
        Misuse,
    ];

    /// Its name in `unpick.toml`.
    pub fn name(self) -> &'static str {
        match self {
            Strategy => "strategy",
            Executions => "executions",
            Time => "time",
            MaxMemory => "max_memory",
            Steps => "steps",
            FailOnLimit => "fail_on_limit",
            Seed => "seed",
            Jobs => "jobs",
            KeepGoing => "keep_going",
            Shrink => "shrink",
            Confirm => "confirm",
            SpuriousWakes => "spurious_wakes",
            WeakFailures => "weak_failures",
            MaxDelay => "max_delay",
            Races => "races",
            Points => "points",
            Memory => "memory",
            EndsWithMain => "ends_with_main",
            Misuse => "misuse",
        }
    }

    /// The variable of the environment that gives it.
    pub fn variable(self) -> String {
        format!("UNPICK_{}", self.name().to_uppercase())
    }

    pub(crate) fn kind(self) -> Kind {
        match self {
            Strategy => Kind::Strategy,
            Executions | Jobs | Steps => Kind::Number(1),
            Seed | Shrink | Confirm | SpuriousWakes | WeakFailures => Kind::Number(0),
            Time => Kind::Time,
            MaxDelay => Kind::Delay,
            MaxMemory => Kind::Size,
            FailOnLimit | KeepGoing | Races | EndsWithMain => Kind::Flag,
            Points => Kind::Word(&["sync", "racy", "shared", "all"]),
            Memory => Kind::Word(&["sc", "tso", "pso"]),
            Misuse => Kind::Word(&["fail", "warn", "ignore"]),
        }
    }

    pub(crate) fn find(name: &str) -> Option<Key> {
        let mut all = Key::ALL.iter().copied();
        all.find(|key| key.name() == name)
    }

    /// Reads a value as it is written in the environment.
    pub fn read(self, text: &str) -> Result<Value, String> {
        match self.kind() {
            Kind::Strategy => read_strategy(text),
            Kind::Number(min) => self.number(parse_number(text)?, min),
            Kind::Time => parse_duration(text).map(Value::Time),
            Kind::Delay => parse_delay(text),
            Kind::Size => parse_size(text),
            Kind::Flag => match text {
                "true" | "1" => Ok(Value::Flag(true)),
                "false" | "0" => Ok(Value::Flag(false)),
                _ => Err(format!(
                    "`{text}` is neither true nor false; write one of them"
                )),
            },
            Kind::Word(words) => self.word(text, words),
        }
    }

    pub(crate) fn number(self, number: u64, min: u64) -> Result<Value, String> {
        let is_count = matches!(self, SpuriousWakes | WeakFailures);
        match number {
            _ if number < min => Err(format!("`{number}` is too small; give at least {min}")),
            _ if is_count && number > u64::from(u32::MAX) => Err(format!(
                "`{number}` is too large; give at most {}",
                u32::MAX
            )),
            _ => Ok(Value::Number(number)),
        }
    }

    pub(crate) fn word(self, text: &str, words: &[&str]) -> Result<Value, String> {
        match words.contains(&text) {
            true => Ok(Value::Text(text.to_string())),
            false => Err(format!(
                "`{text}` is no value for it; {}",
                allowed(text, words)
            )),
        }
    }
}

/// A strategy that exists, with parameters that it has.
pub(crate) fn read_strategy(text: &str) -> Result<Value, String> {
    match Spec::parse(text) {
        Ok(_) => Ok(Value::Text(text.to_string())),
        Err(SpecError::UnknownName { name, .. }) => {
            let known: Vec<_> = techniques()
                .iter()
                .map(|technique| technique.name)
                .collect();
            Err(format!(
                "unknown strategy `{name}`; {}",
                allowed(&name, &known)
            ))
        }
        Err(error) => Err(error.to_string()),
    }
}
