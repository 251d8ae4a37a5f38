//! What `unpick.toml` and the environment say about a test.

use crate::error::allowed;
use crate::file::{Entry, File, Profile, Section};
use crate::pattern::fits;
use crate::{ConfigError, Key, Origin, Setting, Value};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The variable that chooses a profile.
const PROFILE: &str = "UNPICK_PROFILE";

/// Profiles that are always there, with executions and seconds; sections of the file with the same
/// name change them.
const BUILT_IN: &[(&str, u64, u64)] = &[
    ("quick", 200, 1),
    ("ci", 10_000, 60),
    ("deep", 1_000_000, 600),
];

/// The settings of a project, and the profile that was chosen.
#[derive(Clone, Debug, Default)]
pub struct Project {
    file: Option<File>,
    profile: Option<String>,
    environment: Vec<Setting>,
}

impl Project {
    /// Reads the `unpick.toml` of a directory, or of the nearest one above it that has one, and the
    /// environment. `profile` chooses a profile; the environment does if it is not given.
    pub fn load(directory: &Path, profile: Option<&str>) -> Result<Project, ConfigError> {
        Project::load_with(directory, profile, &|name| std::env::var(name).ok())
    }

    /// The same with another environment.
    pub fn load_with(
        directory: &Path,
        profile: Option<&str>,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Project, ConfigError> {
        let variable = |name: &str| variable(name).filter(|text| !text.is_empty());
        let (source, name) = match profile {
            Some(name) => ("--profile", Some(name.to_string())),
            None => (PROFILE, variable(PROFILE)),
        };
        let project = Project {
            file: File::find(directory)?,
            profile: name,
            environment: environment(&variable)?,
        };
        if let Some(name) = &project.profile {
            let known = project.profiles();
            if !known.contains(&name.as_str()) {
                let text = format!("unknown profile `{name}`; {}", allowed(name, &known));
                return Err(ConfigError::of(source, text));
            }
        }
        Ok(project)
    }

    /// The file, if there is one.
    pub fn path(&self) -> Option<PathBuf> {
        self.file.as_ref().map(|file| file.path.clone())
    }

    /// The profile, if one was chosen.
    pub fn profile(&self) -> Option<&str> {
        self.profile.as_deref()
    }

    /// The names of all profiles, built in or not.
    pub fn profiles(&self) -> Vec<&str> {
        let own = self.file.iter().flat_map(|file| &file.profiles);
        let own = own.map(|profile| profile.name.as_str());
        let built_in = BUILT_IN.iter().map(|profile| profile.0);
        let more = own.filter(|name| built_in.clone().all(|other| other != *name));
        built_in.clone().chain(more).collect()
    }

    /// What is said about a test, to be set one after the other. `told` is what the test says itself,
    /// which comes before what is said about all tests.
    pub fn settings(&self, test: &str, told: &BTreeSet<Key>) -> Vec<Setting> {
        let specific = self.specific(test);
        let keys = specific.iter().map(|setting| setting.key);
        let mut told: BTreeSet<Key> = told.iter().copied().chain(keys).collect();
        // Who says how many executions a test needs does not want them cut short by a general limit
        // of time, nor the other way round.
        let budget = [Key::Executions, Key::Time];
        if budget.iter().any(|key| told.contains(key)) {
            told.extend(budget);
        }
        let mut settings = self.general();
        settings.retain(|setting| !told.contains(&setting.key));
        settings.extend(specific);
        settings.extend(self.environment.iter().cloned());
        settings
    }

    /// What is said about all tests.
    fn general(&self) -> Vec<Setting> {
        let mut settings = Vec::new();
        if let Some(file) = &self.file {
            add(&mut settings, &file.entries, Origin::File);
        }
        if let Some(chosen) = &self.profile {
            let mut built_in = BUILT_IN.iter();
            if let Some(&(name, executions, seconds)) = built_in.find(|one| one.0 == chosen) {
                let time = Duration::from_secs(seconds);
                let values = [
                    (Key::Executions, Value::Number(executions)),
                    (Key::Time, Value::Time(time)),
                ];
                settings.extend(values.into_iter().map(|(key, value)| Setting {
                    key,
                    value,
                    origin: Origin::BuiltIn(name),
                }));
            }
        }
        if let Some(profile) = self.own_profile() {
            let name = || profile.name.clone();
            add(&mut settings, &profile.entries, |place| {
                Origin::Profile(name(), place)
            });
        }
        settings
    }

    /// What is said about this test alone.
    fn specific(&self, test: &str) -> Vec<Setting> {
        let mut settings = Vec::new();
        let of_file = self.file.iter().flat_map(|file| &file.tests);
        let of_profile = self
            .own_profile()
            .into_iter()
            .flat_map(|profile| &profile.tests);
        let sections = of_file.chain(of_profile);
        for Section { pattern, entries } in sections.filter(|section| fits(&section.pattern, test))
        {
            add(&mut settings, entries, |place| {
                Origin::Test(pattern.clone(), place)
            });
        }
        settings
    }

    /// The part of the file about the profile that was chosen.
    fn own_profile(&self) -> Option<&Profile> {
        let chosen = self.profile.as_ref()?;
        let mut profiles = self.file.as_ref()?.profiles.iter();
        profiles.find(|profile| profile.name == *chosen)
    }
}

fn add(settings: &mut Vec<Setting>, entries: &[Entry], origin: impl Fn(crate::Place) -> Origin) {
    settings.extend(entries.iter().map(|(key, value, place)| Setting {
        key: *key,
        value: value.clone(),
        origin: origin(place.clone()),
    }));
}

/// What the environment says.
fn environment(variable: &dyn Fn(&str) -> Option<String>) -> Result<Vec<Setting>, ConfigError> {
    let mut settings = Vec::new();
    for &key in Key::ALL {
        let name = key.variable();
        if let Some(text) = variable(&name) {
            let value = key
                .read(&text)
                .map_err(|error| ConfigError::of(&name, error))?;
            let origin = Origin::Environment(name);
            settings.push(Setting { key, value, origin });
        }
    }
    Ok(settings)
}
