//! What holds in the end, and why.

use crate::key::{Kind, read_strategy};
use crate::{ConfigError, Key, Value};
use std::fmt;
use std::path::{Path, PathBuf};

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", shown(&self.file), self.line)
    }
}

/// A path as short as it can be from the current directory.
fn shown(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(here)
        .unwrap_or(path)
        .display()
        .to_string()
}

/// Where a setting comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Nobody said anything.
    Default,
    /// `unpick.toml`, for all tests.
    File(Place),
    /// A profile that is built in.
    BuiltIn(&'static str),
    /// A profile of `unpick.toml`.
    Profile(String, Place),
    /// The section of a test of `unpick.toml`, with its pattern.
    Test(String, Place),
    /// A variable of the environment.
    Environment(String),
    /// The command line.
    CommandLine,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => f.write_str("default"),
            Origin::File(place) => write!(f, "{place}"),
            Origin::BuiltIn(name) => write!(f, "profile {name} (built in)"),
            Origin::Profile(name, place) => write!(f, "{place} (profile {name})"),
            Origin::Test(pattern, place) => write!(f, "{place} (test `{pattern}`)"),
            Origin::Environment(variable) => write!(f, "environment {variable}"),
            Origin::CommandLine => f.write_str("command line"),
        }
    }
}

/// A value and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// What is set.
    pub key: Key,
    /// To what.
    pub value: Value,
    /// By whom.
    pub origin: Origin,
}

impl Setting {
    /// A setting of the command line, if its value is allowed.
    pub fn told(key: Key, value: Value) -> Result<Setting, ConfigError> {
        let value = match (key.kind(), value) {
            (Kind::Strategy, Value::Text(text)) => read_strategy(&text),
            (Kind::Number(min), Value::Number(number)) => key.number(number, min),
            (Kind::Word(words), Value::Text(text)) => key.word(&text, words),
            (_, value) => Ok(value),
        };
        let option = format!("--{}", key.name().replace('_', "-"));
        Ok(Setting {
            key,
            value: value.map_err(|error| ConfigError::of(&option, error))?,
            origin: Origin::CommandLine,
        })
    }
}

/// Settings, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Invariant: in the order of their keys.
    entries: Vec<Setting>,
}

impl Settings {
    /// Sets something, in place of what was set before.
    pub fn set(&mut self, setting: Setting) {
        match self
            .entries
            .binary_search_by_key(&setting.key, |entry| entry.key)
        {
            Ok(at) => self.entries[at] = setting,
            Err(at) => self.entries.insert(at, setting),
        }
    }

    /// The value of a setting, if there is one.
    pub fn get(&self, key: Key) -> Option<&Value> {
        let found = self.entries.iter().find(|entry| entry.key == key);
        found.map(|entry| &entry.value)
    }

    /// All of them, in the order of their keys.
    pub fn iter(&self) -> impl Iterator<Item = &Setting> {
        self.entries.iter()
    }
}

impl Extend<Setting> for Settings {
    fn extend<I: IntoIterator<Item = Setting>>(&mut self, settings: I) {
        settings.into_iter().for_each(|setting| self.set(setting));
    }
}
