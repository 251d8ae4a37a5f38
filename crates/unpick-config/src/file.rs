//! `unpick.toml`: settings for all tests, sections for some, profiles.

use crate::error::allowed;
use crate::key::Kind;
use crate::{ConfigError, Key, Place, Value};
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::de::{DeTable, DeValue};

/// The name of the file.
const NAME: &str = "unpick.toml";

/// A value with the line it stands in.
pub(crate) type Entry = (Key, Value, Place);

/// Settings for the tests that fit a pattern.
#[derive(Clone, Debug, Default)]
pub(crate) struct Section {
    pub pattern: String,
    pub entries: Vec<Entry>,
}

/// Settings that are chosen together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Profile {
    pub name: String,
    pub entries: Vec<Entry>,
    pub tests: Vec<Section>,
}

/// What the file says.
#[derive(Clone, Debug, Default)]
pub(crate) struct File {
    pub path: PathBuf,
    pub entries: Vec<Entry>,
    pub tests: Vec<Section>,
    pub profiles: Vec<Profile>,
}

impl File {
    /// Reads the file of a directory or of the nearest one above it that has one.
    pub fn find(directory: &Path) -> Result<Option<File>, ConfigError> {
        let start = std::path::absolute(directory).unwrap_or_else(|_| directory.to_path_buf());
        let mut candidates = start.ancestors().map(|above| above.join(NAME));
        let Some(path) = candidates.find(|path| path.is_file()) else {
            return Ok(None);
        };
        let named = |error: std::io::Error| ConfigError::of(&path.display().to_string(), error);
        check_owner(&path, &start).map_err(named)?;
        let text = std::fs::read_to_string(&path).map_err(named)?;
        File::parse(path, &text).map(Some)
    }

    pub fn parse(path: PathBuf, text: &str) -> Result<File, ConfigError> {
        let reader = Reader { path: &path, text };
        let table = DeTable::parse(text).map_err(|error| {
            let place = reader.place(&error.span().unwrap_or_default());
            ConfigError::at(&place, error.message().trim_end())
        })?;
        let mut file = File::default();
        for (name, value) in in_order(table.get_ref()) {
            match name.text {
                "test" => file.tests = reader.sections(&name, value)?,
                "profile" => file.profiles = reader.profiles(&name, value)?,
                _ => file
                    .entries
                    .push(reader.entry(&name, value, &["test", "profile"])?),
            }
        }
        file.path = path;
        Ok(file)
    }
}

/// Refuses a file above the project that another user has put there, as anyone may in a directory that all can write to.
#[cfg(unix)]
fn check_owner(path: &Path, start: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::MetadataExt as _;
    let owner_of = |path: &Path| std::fs::metadata(path).ok().map(|found| found.uid());
    let folder = path.parent().unwrap_or(path);
    let (Some(owner), Some(own)) = (owner_of(path), owner_of(start)) else {
        return Ok(());
    };
    let is_of_project = folder == start || owner_of(&folder.join("Cargo.toml")) == Some(own);
    // What the owner of the project or of the machine says is believed.
    match is_of_project || owner == own || owner == 0 {
        true => Ok(()),
        false => Err(std::io::Error::new(
            std::io::ErrorKind::PermissionDenied,
            format!(
                "it is above the project and belongs to another user, with the number {owner}; \
                 put an unpick.toml into the project, an empty one will do"
            ),
        )),
    }
}

#[cfg(not(unix))]
fn check_owner(_: &Path, _: &Path) -> std::io::Result<()> {
    Ok(())
}

/// A name in the file.
struct Name<'a> {
    text: &'a str,
    span: Range<usize>,
}

/// The entries of a table in the order of the file.
fn in_order<'a>(table: &'a DeTable<'_>) -> Vec<(Name<'a>, &'a DeValue<'a>)> {
    let entries = table.iter().map(|(name, value)| {
        let span = name.span();
        let text = name.get_ref().as_ref();
        (Name { text, span }, value.get_ref())
    });
    let mut entries: Vec<_> = entries.collect();
    entries.sort_by_key(|(name, _)| name.span.start);
    entries
}

struct Reader<'a> {
    path: &'a Path,
    text: &'a str,
}

impl Reader<'_> {
    fn place(&self, span: &Range<usize>) -> Place {
        let before = &self.text.as_bytes()[..span.start.min(self.text.len())];
        Place {
            file: self.path.to_path_buf(),
            line: 1 + before.iter().filter(|&&byte| byte == b'\n').count(),
        }
    }

    fn table<'a>(
        &self,
        name: &Name<'_>,
        value: &'a DeValue<'_>,
    ) -> Result<Vec<(Name<'a>, &'a DeValue<'a>)>, ConfigError> {
        match value.as_table() {
            Some(table) => Ok(in_order(table)),
            None => Err(ConfigError::at(
                &self.place(&name.span),
                format!(
                    "`{}` is no table but of type {}; begin one in brackets",
                    name.text,
                    value.type_str()
                ),
            )),
        }
    }

    fn profiles(&self, name: &Name<'_>, value: &DeValue<'_>) -> Result<Vec<Profile>, ConfigError> {
        let mut profiles = Vec::new();
        for (name, value) in self.table(name, value)? {
            let mut profile = Profile {
                name: name.text.to_string(),
                ..Profile::default()
            };
            for (name, value) in self.table(&name, value)? {
                match name.text {
                    "test" => profile.tests = self.sections(&name, value)?,
                    _ => profile.entries.push(self.entry(&name, value, &["test"])?),
                }
            }
            profiles.push(profile);
        }
        Ok(profiles)
    }

    fn sections(&self, name: &Name<'_>, value: &DeValue<'_>) -> Result<Vec<Section>, ConfigError> {
        let mut sections = Vec::new();
        for (name, value) in self.table(name, value)? {
            let mut section = Section {
                pattern: name.text.to_string(),
                entries: Vec::new(),
            };
            for (name, value) in self.table(&name, value)? {
                section.entries.push(self.entry(&name, value, &[])?);
            }
            sections.push(section);
        }
        Ok(sections)
    }

    fn entry(
        &self,
        name: &Name<'_>,
        value: &DeValue<'_>,
        tables: &[&str],
    ) -> Result<Entry, ConfigError> {
        let place = self.place(&name.span);
        let Some(key) = Key::find(name.text) else {
            let keys = Key::ALL.iter().map(|key| key.name());
            let known: Vec<_> = keys.chain(tables.iter().copied()).collect();
            let text = format!(
                "unknown key `{}`; {}",
                name.text,
                allowed(name.text, &known)
            );
            return Err(ConfigError::at(&place, text));
        };
        match read(key, value) {
            Ok(value) => Ok((key, value, place)),
            Err(error) => Err(ConfigError::at(&place, format!("{}: {error}", key.name()))),
        }
    }
}

/// Reads a value as it is written in the file.
fn read(key: Key, value: &DeValue<'_>) -> Result<Value, String> {
    let wrong = |remedy: &str| {
        let text = match value {
            DeValue::String(text) => format!("\"{text}\""),
            DeValue::Integer(number) => number.to_string(),
            DeValue::Float(number) => number.to_string(),
            DeValue::Boolean(flag) => flag.to_string(),
            other => format!("of type {}", other.type_str()),
        };
        Err(format!("`{text}` is no value for it; {remedy}"))
    };
    match (key.kind(), value) {
        (Kind::Number(min), DeValue::Integer(number)) => {
            match u64::from_str_radix(number.as_str(), number.radix()) {
                Ok(number) => key.number(number, min),
                Err(_) => wrong("write a number like 1000 or 0x5eed"),
            }
        }
        (Kind::Flag, DeValue::Boolean(flag)) => Ok(Value::Flag(*flag)),
        (
            Kind::Strategy | Kind::Time | Kind::Delay | Kind::Size | Kind::Word(_),
            DeValue::String(text),
        ) => key.read(text),
        (Kind::Number(_), _) => wrong("write a number like 1000 or 0x5eed, without quotes"),
        (Kind::Flag, _) => wrong("write true or false, without quotes"),
        (Kind::Time, _) => wrong("write a time like \"30s\" or \"5m\", in quotes"),
        (Kind::Size, _) => wrong("write a size like \"500M\" or \"2G\", or \"none\", in quotes"),
        (Kind::Delay, _) => wrong("write a time like \"100ms\", or \"none\", in quotes"),
        (Kind::Strategy | Kind::Word(_), _) => wrong("write a word in quotes"),
    }
}
