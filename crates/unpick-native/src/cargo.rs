//! What `cargo unpick test` tells Cargo, and what it does with each test binary.
//!
//! Cargo itself builds and finds the tests; it is told to instrument by flags that stable compilers
//! take, and to hand each test binary to us instead of running it. No file of the user's is changed,
//! and what is built lies in a target directory of its own. Build scripts and procedural macros are
//! left as they are, because the target is named.

mod listing;
mod lost_flags;
mod probe;
mod tests_of_binary;

pub use listing::{HarnessOptions, Listing};
pub use lost_flags::file_with_lost_flags;
pub use probe::Toolchain;
pub(crate) use probe::{check_object, compile, scratch};
pub use tests_of_binary::{
    Explored, Explorer, Output, Tally, Test, Verdict, explore_tests, program_name,
};

use crate::compile::link_arguments;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use thiserror::Error;

/// Why no test was built.
#[derive(Debug, Error)]
pub enum CargoError {
    /// The compiler does not answer.
    #[error("cannot run `{program}`: {reason}; install Rust from rustup.rs, or set RUSTC")]
    NoCompiler {
        /// What was tried.
        program: String,
        /// Why it failed.
        reason: String,
    },
    /// The flags do nothing, or are refused.
    #[error(
        "{version} cannot instrument: {reason}; use a stable toolchain with its own LLVM, as \
         rustup installs it (`cargo +stable unpick test`)"
    )]
    NoInstrumentation {
        /// The compiler.
        version: String,
        /// What went wrong.
        reason: String,
    },
    /// Another platform is asked for.
    #[error(
        "`--target {0}`: only tests for this machine ({1}) can be explored; leave `--target` out"
    )]
    ForeignTarget(String, String),
    /// Doc-tests are asked for.
    #[error("`--doc`: documentation tests are not explored; leave it out")]
    DocTests,
    /// A path cannot be put into flags.
    #[error("`{0}` is no valid Unicode; set UNPICK_CACHE to a path that is")]
    NotUnicode(PathBuf),
}

/// Makes stable rustc instrument as for the thread sanitizer, whose own option is not stable: the
/// passes are in its LLVM, and instrument plain accesses where functions have the attribute.
pub const INSTRUMENTATION: &[&str] = &[
    "-Cpasses=forceattrs",
    "-Cpasses=tsan-module",
    "-Cpasses=function(tsan)",
    "-Cllvm-args=-force-attribute=sanitize_thread",
    "-Cforce-frame-pointers=yes",
];

/// The same for C and C++ dependencies that a build script compiles; gcc and clang take it.
const C_INSTRUMENTATION: &str = "-fsanitize=thread -fno-omit-frame-pointer";

/// Options of Cargo that choose what is tested.
const SELECTIONS: &[&str] = &[
    "--lib",
    "--bins",
    "--bin",
    "--tests",
    "--test",
    "--examples",
    "--example",
    "--benches",
    "--bench",
    "--all-targets",
];

/// A call of `cargo test` that instruments and hands test binaries to a runner.
#[derive(Debug)]
pub struct TestBuild<'a> {
    /// The host triple.
    pub host: &'a str,
    /// The runtime library.
    pub runtime: &'a Path,
    /// The target directory of the user's own builds.
    pub target_directory: &'a Path,
    /// The packages of the user's own workspace.
    pub members: &'a [String],
    /// Program and arguments that get each test binary.
    pub runner: Vec<String>,
    /// The user's options for Cargo, without `test`.
    pub options: Vec<OsString>,
    /// What stands after `--`.
    pub harness_options: Vec<OsString>,
}

impl TestBuild<'_> {
    /// Completes a command that is Cargo. `variable` reads the environment.
    pub fn apply(
        &self,
        command: &mut Command,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<(), CargoError> {
        self.check()?;
        let flags = self.flags()?;
        command.arg("test").args(&self.options);
        let has = |options: &[&str]| self.options.iter().any(|option| is_one_of(option, options));
        if !has(SELECTIONS) {
            // Without it Cargo also runs documentation tests, which are not instrumented.
            command.arg("--tests");
        }
        let table = format!("target.{}", self.host);
        let runner = toml_list(&self.runner);
        command.args(["--config", &format!("{table}.runner={runner}")]);
        match own_flags(variable) {
            // Flags of the environment replace those of configuration files, with and without us.
            Some(own) => {
                let all: Vec<_> = own.into_iter().chain(flags).collect();
                command.env("CARGO_ENCODED_RUSTFLAGS", all.join("\x1f"));
            }
            // Lists of configuration files are put together.
            None => {
                let list = toml_list(&flags);
                command.args(["--config", &format!("{table}.rustflags={list}")]);
            }
        }
        command.env("CARGO_BUILD_TARGET", self.host);
        if !has(&["--target-dir"]) {
            command.env("CARGO_TARGET_DIR", self.target_directory.join("unpick"));
        }
        if variable("CARGO_PROFILE_DEV_OPT_LEVEL").is_none() {
            // Without it every local variable is in memory, and every use of it is an access. What is
            // not the user's own can do with still fewer; that is most of the code that runs.
            command.env("CARGO_PROFILE_DEV_OPT_LEVEL", "2");
            for member in self.members {
                let key = format!("profile.dev.package.\"{member}\".opt-level");
                command.args(["--config", &format!("{key}=1")]);
            }
        }
        if has(&["--release", "-r"]) {
            // Places in the source are worth more than a small file.
            command.env("CARGO_PROFILE_RELEASE_DEBUG", "1");
            command.env("CARGO_PROFILE_RELEASE_STRIP", "false");
        }
        for language in ["CFLAGS", "CXXFLAGS"] {
            let (name, value) = self.c_flags(language, variable);
            command.env(name, value);
        }
        if !self.harness_options.is_empty() {
            command.arg("--").args(&self.harness_options);
        }
        Ok(())
    }

    fn check(&self) -> Result<(), CargoError> {
        let mut options = self.options.iter().map(|option| option.to_string_lossy());
        while let Some(option) = options.next() {
            let target = match option.strip_prefix("--target=") {
                Some(target) => Some(target.to_string()),
                None if option == "--target" => options.next().map(|target| target.into_owned()),
                None => None,
            };
            if let Some(target) = target.filter(|target| target != self.host) {
                return Err(CargoError::ForeignTarget(target, self.host.to_string()));
            }
            if option == "--doc" {
                return Err(CargoError::DocTests);
            }
        }
        Ok(())
    }

    /// Instruments, and links the runtime.
    fn flags(&self) -> Result<Vec<String>, CargoError> {
        let mut flags: Vec<String> = INSTRUMENTATION.iter().map(ToString::to_string).collect();
        for argument in link_arguments(self.runtime) {
            let argument = argument.into_string();
            let argument = argument.map_err(|text| CargoError::NotUnicode(text.into()))?;
            flags.push(format!("-Clink-arg={argument}"));
        }
        Ok(flags)
    }

    /// The variable that the crate `cc` reads for this target, with what the user says already.
    fn c_flags(
        &self,
        language: &str,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> (String, String) {
        let name = format!("{language}_{}", self.host.replace('-', "_"));
        let own = [
            format!("{language}_{}", self.host),
            name.clone(),
            format!("TARGET_{language}"),
            language.to_string(),
        ];
        let own = own.iter().find_map(|name| variable(name));
        let value = match own {
            Some(own) => format!("{own} {C_INSTRUMENTATION}"),
            None => C_INSTRUMENTATION.to_string(),
        };
        (name, value)
    }
}

/// The flags for rustc in the environment, if there are any: what Cargo would use.
pub fn own_flags(variable: &dyn Fn(&str) -> Option<String>) -> Option<Vec<String>> {
    if let Some(encoded) = variable("CARGO_ENCODED_RUSTFLAGS") {
        let flags = encoded.split('\x1f').filter(|flag| !flag.is_empty());
        return Some(flags.map(str::to_string).collect());
    }
    let flags = variable("RUSTFLAGS")?;
    Some(flags.split_whitespace().map(str::to_string).collect())
}

fn is_one_of(option: &OsStr, options: &[&str]) -> bool {
    let option = option.to_string_lossy();
    let name = option.split('=').next().unwrap_or_default();
    options.contains(&name)
}

fn toml_list(values: &[String]) -> String {
    let quoted = values.iter().map(|value| {
        let escaped = value.replace('\\', "\\\\").replace('"', "\\\"");
        format!("\"{escaped}\"")
    });
    format!("[{}]", quoted.collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOST: &str = "x86_64-unknown-linux-gnu";

    fn described(options: &[&str], variables: &[(&str, &str)]) -> String {
        let build = TestBuild {
            host: HOST,
            runtime: Path::new("/my cache/libunpick_preload.so"),
            target_directory: Path::new("/project/target"),
            members: &["bank".into()],
            runner: ["/bin/unpick", "cargo", "run-test", "--"]
                .map(str::to_string)
                .to_vec(),
            options: options.iter().map(OsString::from).collect(),
            harness_options: vec!["transfer".into()],
        };
        let find = |name: &str| {
            let found = variables.iter().find(|(of, _)| *of == name);
            found.map(|(_, value)| value.to_string())
        };
        let mut command = Command::new("cargo");
        if let Err(error) = build.apply(&mut command, &find) {
            return format!("error: {error}");
        }
        let mut lines: Vec<_> = command
            .get_envs()
            .map(|(name, value)| {
                format!("{}={}", name.display(), value.unwrap_or_default().display())
            })
            .collect();
        lines.sort();
        lines.extend(
            command
                .get_args()
                .map(|argument| argument.display().to_string()),
        );
        lines.join("\n").replace('\x1f', " ")
    }

    #[test]
    fn cargo_is_told_by_options_and_environment() {
        insta::assert_snapshot!(described(&["-p", "bank", "--release"], &[]));
    }

    #[test]
    fn flags_of_the_environment_are_kept() {
        let text = described(
            &["--lib"],
            &[("RUSTFLAGS", "--cfg slow"), ("CFLAGS", "-DSLOW")],
        );
        assert!(
            text.contains("CARGO_ENCODED_RUSTFLAGS=--cfg slow -Cpasses=forceattrs"),
            "{text}"
        );
        assert!(
            !text.contains(".rustflags=") && !text.contains("--tests"),
            "{text}"
        );
        assert!(text.contains("CFLAGS_x86_64_unknown_linux_gnu=-DSLOW -fsanitize=thread"));
        let encoded = [
            ("CARGO_ENCODED_RUSTFLAGS", "--cfg\x1fa"),
            ("RUSTFLAGS", "b"),
        ];
        assert!(described(&[], &encoded).contains("RUSTFLAGS=--cfg a -Cpasses"));
    }

    #[test]
    fn what_cannot_be_explored_is_refused() {
        let text = described(&["--target", "aarch64-unknown-linux-gnu"], &[]);
        assert!(text.starts_with("error: `--target aarch64-"), "{text}");
        assert!(described(&["--doc"], &[]).starts_with("error: `--doc`"));
        assert!(!described(&["--target=x86_64-unknown-linux-gnu"], &[]).contains("error"));
    }

    #[test]
    fn an_own_level_of_optimisation_is_respected() {
        let text = described(&[], &[("CARGO_PROFILE_DEV_OPT_LEVEL", "0")]);
        assert!(!text.to_lowercase().contains("opt"), "{text}");
    }

    #[test]
    fn an_own_target_directory_is_respected() {
        assert!(!described(&["--target-dir", "/other"], &[]).contains("CARGO_TARGET_DIR"));
    }
}
