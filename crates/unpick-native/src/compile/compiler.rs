//! Which compiler is meant, and of which family it is.

use super::{CompileError, Language};
use std::ffi::OsString;
use std::process::{Command, Stdio};

/// Compilers that take the same flags.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Family {
    /// gcc and g++.
    Gcc {
        /// The major version, 0 if it cannot be told.
        version: u32,
    },
    /// clang, and what is made of it.
    Clang,
}

impl Family {
    /// Reads what the compiler says of its version.
    fn of_version(text: &str) -> Family {
        if text.contains("clang") {
            return Family::Clang;
        }
        let last = text.lines().next().unwrap_or_default();
        let number = last.split_whitespace().rev().find_map(|word| {
            let (major, rest) = word.split_once('.')?;
            rest.starts_with(|digit: char| digit.is_ascii_digit())
                .then(|| major.parse().ok())?
        });
        Family::Gcc {
            version: number.unwrap_or(0),
        }
    }
}

/// A compiler of this machine.
#[derive(Clone, Debug)]
pub struct Compiler {
    /// Program and arguments that come before all others, as in `ccache gcc`.
    words: Vec<OsString>,
    /// Its family.
    pub family: Family,
    /// The first line of what it says of its version.
    pub version: String,
}

impl Compiler {
    /// The compiler that `$UNPICK_CC` or `$UNPICK_CXX` names, else `cc` or `c++`.
    pub fn find(language: Language) -> Result<Compiler, CompileError> {
        let (variable, standard) = match language {
            Language::C => ("UNPICK_CC", "cc"),
            Language::Cpp => ("UNPICK_CXX", "c++"),
        };
        let text = std::env::var(variable).unwrap_or_default();
        let text = match text.trim().is_empty() {
            true => standard,
            false => text.as_str(),
        };
        Compiler::of(text).map_err(|reason| CompileError::NoCompiler {
            program: text.to_string(),
            reason,
            variable,
        })
    }

    /// The compiler of this command line.
    pub fn of(text: &str) -> Result<Compiler, String> {
        let words: Vec<OsString> = text.split_whitespace().map(OsString::from).collect();
        let mut command = Command::new(words.first().ok_or("no name")?);
        command.args(&words[1..]).arg("--version");
        let output = command
            .stdin(Stdio::null())
            .output()
            .map_err(|error| error.to_string())?;
        if !output.status.success() {
            return Err(format!("`{text} --version` ended with {}", output.status));
        }
        let version = String::from_utf8_lossy(&output.stdout);
        Ok(Compiler {
            words,
            family: Family::of_version(&version),
            version: version.lines().next().unwrap_or_default().to_string(),
        })
    }

    /// A call of it, without the arguments that say what to do.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]);
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_told_from_the_version() {
        let gcc = |version| Family::Gcc { version };
        let text = "gcc (Debian 12.2.0-14+deb12u1) 12.2.0\nCopyright";
        assert_eq!(Family::of_version(text), gcc(12));
        let text = "cc (GCC) 9.3.1 20200408 (Red Hat 9.3.1-2)\n";
        assert_eq!(Family::of_version(text), gcc(9));
        assert_eq!(Family::of_version("something else"), gcc(0));
        let text = "Debian clang version 14.0.6\nTarget: x86_64-pc-linux-gnu";
        assert_eq!(Family::of_version(text), Family::Clang);
    }

    #[test]
    fn a_compiler_that_is_not_there_is_an_error() {
        assert!(Compiler::of("unpick-no-such-compiler -m64").is_err());
        assert!(Compiler::of("").is_err());
        assert!(Compiler::of("false").unwrap_err().contains("--version"));
    }
}
