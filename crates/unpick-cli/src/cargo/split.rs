//! Tells the options of unpick, of Cargo and of the test harness apart.

use clap::Command;
use std::ffi::OsString;

/// The arguments of `cargo unpick test`, by whom they are for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Split {
    pub(crate) own: Vec<OsString>,
    pub(crate) cargo: Vec<OsString>,
    pub(crate) harness: Vec<OsString>,
    pub(crate) asks_for_help: bool,
}

impl Split {
    /// Options that `command` knows are unpick's, all others before `--` are Cargo's.
    pub(crate) fn of(arguments: &[OsString], command: &Command) -> Split {
        let mut split = Split::default();
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let text = argument.to_string_lossy();
            if text == "--" {
                split.harness = rest.cloned().collect();
                break;
            }
            split.asks_for_help |= text == "--help" || text == "-h";
            let (name, has_value) = match text.split_once('=') {
                Some((name, _)) => (name, true),
                None => (&*text, false),
            };
            let long = name.strip_prefix("--");
            let known = long.and_then(|name| {
                let mut options = command.get_arguments();
                options.find(|option| option.get_long() == Some(name))
            });
            match known {
                Some(option) => {
                    split.own.push(argument.clone());
                    if option.get_action().takes_values() && !has_value {
                        split.own.extend(rest.next().cloned());
                    }
                }
                None => split.cargo.push(argument.clone()),
            }
        }
        split
    }

    /// The value of an option of Cargo.
    pub(crate) fn value_of(&self, name: &str) -> Option<OsString> {
        let mut rest = self.cargo.iter();
        while let Some(argument) = rest.next() {
            if argument == name {
                return rest.next().cloned();
            }
            let text = argument.to_str().and_then(|text| text.strip_prefix(name));
            if let Some(value) = text.and_then(|text| text.strip_prefix('=')) {
                return Some(value.into());
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cargo::TestArguments;
    use clap::CommandFactory as _;

    fn split(line: &str) -> (String, String, String) {
        let arguments: Vec<_> = line.split_whitespace().map(OsString::from).collect();
        let split = Split::of(&arguments, &TestArguments::command());
        let joined = |list: &[OsString]| list.join(" ".as_ref()).into_string().unwrap();
        (
            joined(&split.own),
            joined(&split.cargo),
            joined(&split.harness),
        )
    }

    #[test]
    fn everyone_gets_what_is_his() {
        let line = "--strategy pct -p bank --executions=5 --features a,b --keep-going --lib -j 2 \
                    -- total --exact";
        let (own, cargo, harness) = split(line);
        assert_eq!(own, "--strategy pct --executions=5 --keep-going");
        assert_eq!(cargo, "-p bank --features a,b --lib -j 2");
        assert_eq!(harness, "total --exact");
    }

    #[test]
    fn values_of_cargos_options_are_found() {
        let find = |line: &str| {
            let arguments: Vec<_> = line.split_whitespace().map(OsString::from).collect();
            let split = Split::of(&arguments, &TestArguments::command());
            split.value_of("--manifest-path").unwrap_or_default()
        };
        assert_eq!(find("-p a --manifest-path b/Cargo.toml"), "b/Cargo.toml");
        assert_eq!(find("--manifest-path=b/Cargo.toml"), "b/Cargo.toml");
        assert_eq!(find("-p a"), "");
    }

    #[test]
    fn help_is_recognised_before_the_dashes_only() {
        let asks = |words: &[&str]| {
            let arguments: Vec<_> = words.iter().map(OsString::from).collect();
            Split::of(&arguments, &TestArguments::command()).asks_for_help
        };
        assert!(asks(&["-p", "a", "--help"]));
        assert!(!asks(&["--", "--help"]));
    }
}
