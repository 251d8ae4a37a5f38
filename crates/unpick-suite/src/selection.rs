//! From the text `NAME[:key=value,...]` to a program with its arguments.
//!
//! Reads and checks text only; it never executes anything before [`Selection::run`] is called.

use crate::{Arguments, Parameter, Program, programs};

/// Why a text selects no program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// No program has this name.
    #[error(
        "unknown program `{name}`: the nearest name is `{nearest}`, `unpick suite list` shows all"
    )]
    UnknownProgram {
        /// What was asked for.
        name: String,
        /// The program with the smallest edit distance to it.
        nearest: &'static str,
    },
    /// The program has no such parameter.
    #[error("unknown parameter `{parameter}` of `{program}`: {remedy}")]
    UnknownParameter {
        /// The program that was found.
        program: &'static str,
        /// The key that was given.
        parameter: String,
        /// The keys that the program has.
        remedy: String,
    },
    /// The value is no number or out of range.
    #[error(
        "bad value `{value}` for `{parameter}` of `{program}`: \
         give a whole number from {min} to {max}"
    )]
    BadValue {
        /// The program that was found.
        program: &'static str,
        /// The parameter that was found.
        parameter: &'static str,
        /// The value that was given.
        value: String,
        /// The smallest allowed value.
        min: u32,
        /// The largest allowed value.
        max: u32,
    },
    /// The same parameter is set more than once.
    #[error("parameter `{parameter}` of `{program}` is repeated: give it once")]
    RepeatedParameter {
        /// The program that was found.
        program: &'static str,
        /// The parameter that was given again.
        parameter: &'static str,
    },
    /// Something after the colon is not of the form `key=value`.
    #[error("cannot read `{part}` after `{program}:`: write key=value, with commas between")]
    MalformedParameter {
        /// The program that was found.
        program: &'static str,
        /// The text between two commas.
        part: String,
    },
}

/// A program with the values of its parameters.
#[derive(Clone, Debug)]
pub struct Selection {
    /// The program.
    pub program: &'static Program,
    /// A value for each of its parameters.
    pub arguments: Arguments,
    /// The canonical text, with every parameter in the program's order.
    pub label: String,
}

impl Selection {
    /// Executes the program once.
    pub fn run(&self) {
        (self.program.body)(&self.arguments);
    }
}

/// Finds the program that `text`, of the form `NAME[:key=value,...]`, selects.
///
/// # Errors
///
/// If there is no such program or parameter, or if a value is not allowed.
pub fn find(text: &str) -> Result<Selection, Error> {
    let (name, settings) = match text.split_once(':') {
        Some((name, settings)) => (name, Some(settings)),
        None => (text, None),
    };
    let program = programs()
        .iter()
        .find(|program| program.name.eq_ignore_ascii_case(name))
        .ok_or_else(|| Error::UnknownProgram {
            name: name.to_owned(),
            nearest: nearest_name(name),
        })?;
    let mut given = vec![None; program.parameters.len()];
    for part in settings.into_iter().flat_map(|list| list.split(',')) {
        let (index, value) = read_setting(program, part)?;
        if given[index].replace(value).is_some() {
            return Err(Error::RepeatedParameter {
                program: program.name,
                parameter: program.parameters[index].name,
            });
        }
    }
    let values = program
        .parameters
        .iter()
        .zip(given)
        .map(|(parameter, value)| (parameter.name, value.unwrap_or(parameter.default)))
        .collect();
    let arguments = Arguments { values };
    Ok(Selection {
        program,
        label: label(program, &arguments),
        arguments,
    })
}

/// Reads one `key=value`; returns the parameter's index and the value.
fn read_setting(program: &'static Program, part: &str) -> Result<(usize, u32), Error> {
    let (key, value) = part
        .split_once('=')
        .ok_or_else(|| Error::MalformedParameter {
            program: program.name,
            part: part.to_owned(),
        })?;
    let index = program
        .parameters
        .iter()
        .position(|parameter| parameter.name == key)
        .ok_or_else(|| Error::UnknownParameter {
            program: program.name,
            parameter: key.to_owned(),
            remedy: known_parameters(program.parameters),
        })?;
    let Parameter { name, min, max, .. } = program.parameters[index];
    match value.parse() {
        Ok(number) if (min..=max).contains(&number) => Ok((index, number)),
        _ => Err(Error::BadValue {
            program: program.name,
            parameter: name,
            value: value.to_owned(),
            min,
            max,
        }),
    }
}

fn known_parameters(parameters: &[Parameter]) -> String {
    if parameters.is_empty() {
        return "it takes none, give the name alone".to_owned();
    }
    let names: Vec<&str> = parameters.iter().map(|parameter| parameter.name).collect();
    format!("it has {}", names.join(", "))
}

fn label(program: &Program, arguments: &Arguments) -> String {
    let settings: Vec<String> = arguments
        .values
        .iter()
        .zip(program.parameters)
        .filter(|((_, value), parameter)| !parameter.is_quiet || *value != parameter.default)
        .map(|((key, value), _)| format!("{key}={value}"))
        .collect();
    if settings.is_empty() {
        program.name.to_owned()
    } else {
        format!("{}:{}", program.name, settings.join(","))
    }
}

fn nearest_name(name: &str) -> &'static str {
    let wanted = name.to_lowercase();
    programs()
        .iter()
        .map(|program| program.name)
        .min_by_key(|candidate| edit_distance(&wanted, &candidate.to_lowercase()))
        .expect("internal error: the suite is empty")
}

/// The number of insertions, deletions and replacements that turn `from` into `to`.
fn edit_distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (line, letter) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = line + 1;
        for (column, other) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *other);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label_of(text: &str) -> String {
        find(text).unwrap().label
    }

    fn error_of(text: &str) -> String {
        find(text).unwrap_err().to_string()
    }

    #[test]
    fn the_label_is_canonical() {
        assert_eq!(
            label_of("race_counter:k=2,n=3"),
            "race_counter:n=3,k=2,bug=1"
        );
        assert_eq!(label_of("Race_Counter"), "race_counter:n=2,k=1,bug=1");
        assert_eq!(label_of("cs.STACK_bad"), "CS.stack_bad");
        assert_eq!(label_of("cb.stringbuffer-jdk1.4"), "CB.stringbuffer-jdk1.4");
    }

    #[test]
    fn every_label_finds_itself() {
        for program in programs() {
            let label = label_of(program.name);
            let again = find(&label).unwrap();
            assert_eq!(again.program.name, program.name);
            assert_eq!(again.label, label);
        }
    }

    #[test]
    fn arguments_are_read() {
        let selection = find("philosophers:bug=0,n=4").unwrap();
        assert_eq!(selection.arguments.get("n"), 4);
        assert_eq!(selection.arguments.get("bug"), 0);
    }

    #[test]
    #[should_panic(expected = "internal error: the program has no parameter `q`")]
    fn asking_for_a_parameter_that_is_not_there_is_our_bug() {
        let _ = find("treiber").unwrap().arguments.get("q");
    }

    #[test]
    fn an_unknown_program_gets_the_nearest_name() {
        assert_eq!(
            error_of("CS.stak_bad"),
            "unknown program `CS.stak_bad`: the nearest name is `CS.stack_bad`, \
             `unpick suite list` shows all"
        );
        assert!(error_of("PHILOSOPHER:n=2").contains("`philosophers`"));
    }

    #[test]
    fn an_unknown_parameter_gets_the_known_ones() {
        assert_eq!(
            error_of("race_counter:m=2"),
            "unknown parameter `m` of `race_counter`: it has n, k, bug"
        );
        assert_eq!(
            error_of("thesis.fig3_1:n=2"),
            "unknown parameter `n` of `thesis.fig3_1`: it takes none, give the name alone"
        );
    }

    #[test]
    fn a_bad_value_gets_the_range() {
        for value in ["2", "-1", "x", "", "99999999999999999999"] {
            assert_eq!(
                error_of(&format!("treiber:bug={value}")),
                format!(
                    "bad value `{value}` for `bug` of `treiber`: give a whole number from 0 to 1"
                )
            );
        }
    }

    #[test]
    fn a_repeated_parameter_is_refused() {
        assert_eq!(
            error_of("race_counter:n=2,n=2"),
            "parameter `n` of `race_counter` is repeated: give it once"
        );
    }

    #[test]
    fn a_part_without_a_value_is_refused() {
        for (text, part) in [
            ("race_counter:n", "n"),
            ("race_counter:", ""),
            ("race_counter:n=2,", ""),
        ] {
            assert_eq!(
                error_of(text),
                format!(
                    "cannot read `{part}` after `race_counter:`: \
                     write key=value, with commas between"
                )
            );
        }
    }

    #[test]
    fn edit_distance_counts_single_changes() {
        assert_eq!(edit_distance("", "abc"), 3);
        assert_eq!(edit_distance("kitten", "sitting"), 3);
        assert_eq!(edit_distance("same", "same"), 0);
    }
}
