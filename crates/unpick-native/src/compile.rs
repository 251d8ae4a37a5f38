//! `unpick cc` and `unpick c++`: a C or C++ compiler that instruments and links the runtime.
//!
//! Instrumentation is that of the thread sanitizer; what it calls is in our runtime library instead
//! of libtsan. So compiling gets `-fsanitize=thread`, and linking must not: there the runtime is
//! added by path. Arguments are only added or taken away; everything else is the compiler's own
//! affair, and so are its output and its exit code.

mod arguments;
mod compiler;

pub use arguments::Language;
pub use compiler::{Compiler, Family};

use crate::install::{self, InstallError};
use arguments::{Mode, Reading};
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;
use thiserror::Error;

/// Why nothing was compiled.
#[derive(Debug, Error)]
pub enum CompileError {
    /// There is no runtime library.
    #[error(transparent)]
    Install(#[from] InstallError),
    /// The program shall be linked statically.
    #[error(
        "`{0}`: the runtime cannot take control of a statically linked program; leave `{0}` out \
         of the link flags"
    )]
    Static(String),
    /// Another sanitizer is asked for that excludes ours.
    #[error(
        "`-fsanitize={0}` and the instrumentation of unpick exclude each other; leave \
         `-fsanitize={0}` out (unpick finds data races and misuse of freed memory by itself)"
    )]
    Sanitizer(String),
    /// The compiler cannot be started.
    #[error("cannot run the compiler `{program}`: {reason}; set {variable} to the one to use")]
    NoCompiler {
        /// What was tried.
        program: String,
        /// What the system says.
        reason: String,
        /// The variable that names the compiler.
        variable: &'static str,
    },
}

/// The command that compiles what `arguments` say, instrumented.
pub fn command(language: Language, arguments: &[OsString]) -> Result<Command, CompileError> {
    let compiler = Compiler::find(language)?;
    let mut command = compiler.command();
    let runtime = install::runtime_library()?;
    let specs = install::store("gcc-specs", "thread.specs", SPECS.as_bytes())?;
    command.args(rewrite(&compiler.family, arguments, &runtime, &specs)?);
    Ok(command)
}

/// The flags with which objects are compiled. Calls at the beginning and the end of functions are kept:
/// they tell where a call comes from.
pub const COMPILE_FLAGS: &[&str] = &["-fsanitize=thread", "-fno-omit-frame-pointer"];

/// Functions that gcc writes out in place behind its instrumentation, which then sees nothing of what they touch.
/// clang instruments what it writes out.
const CALLED_FUNCTIONS: &[&str] = &[
    "memset", "memcpy", "memmove", "mempcpy", "bzero", "memcmp", "bcmp", "strcpy", "stpcpy",
    "strncpy", "stpncpy", "strcat", "strncat", "strcmp", "strncmp",
];

/// Makes gcc instrument although its driver does not know, so that it links no libtsan.
const SPECS: &str = "*cc1_options:\n+ -fsanitize=thread\n\n";

/// The arguments for the compiler.
fn rewrite(
    family: &Family,
    arguments: &[OsString],
    runtime: &Path,
    specs: &Path,
) -> Result<Vec<OsString>, CompileError> {
    let reading = Reading::of(arguments);
    if reading.mode == Mode::Query {
        return Ok(arguments.to_vec());
    }
    if let Some(name) = &reading.foreign_sanitizer {
        return Err(CompileError::Sanitizer(name.clone()));
    }
    let mut added = Vec::new();
    let links = matches!(reading.mode, Mode::Link | Mode::CompileAndLink);
    if links && !reading.is_relocatable {
        if let Some(option) = &reading.static_option {
            return Err(CompileError::Static(option.clone()));
        }
        // First, because input after the user's `-x` would be taken for source, and because the
        // runtime must be found before libc.
        added.extend(link_arguments(runtime));
        if needs_libgomp(family, arguments) {
            added.extend(LIBGOMP.map(OsString::from));
        }
    }
    if reading.mode != Mode::Link {
        add_compile_flags(family, &reading, specs, &mut added);
    }
    let kept = arguments.iter().filter_map(|argument| match links {
        true => without_thread_sanitizer(argument),
        false => Some(argument.clone()),
    });
    let mut all: Vec<OsString> = added.into_iter().chain(kept).collect();
    if links && reading.is_sanitized_by_file {
        all.push("-fno-sanitize=thread".into());
    }
    // Objects for link-time optimisation by gcc hold code from before the instrumentation.
    if reading.has_lto && matches!(family, Family::Gcc { .. }) {
        all.push("-fno-lto".into());
    }
    Ok(all)
}

/// Links libgomp, although the runtime has all of it that is called: a program that runs by itself needs it.
const LIBGOMP: [&str; 3] = [
    "-Wl,--push-state,--no-as-needed",
    "-lgomp",
    "-Wl,--pop-state",
];

/// Whether a program is linked with the OpenMP library of gcc.
fn needs_libgomp(family: &Family, arguments: &[OsString]) -> bool {
    let is_gcc = matches!(family, Family::Gcc { .. });
    let asks = |argument: &OsString| {
        let names = [
            ("-lgomp", true),
            ("-fopenmp=libgomp", true),
            ("-fopenmp", is_gcc),
        ];
        names
            .iter()
            .any(|&(name, counts)| counts && argument == name)
    };
    arguments.iter().any(asks)
}

/// Links the runtime, whether it seems to be needed or not.
pub fn link_arguments(runtime: &Path) -> Vec<OsString> {
    let mut rpath = OsString::from("-Wl,-rpath,");
    rpath.push(runtime.parent().unwrap_or(Path::new("/")));
    vec![
        "-Wl,--push-state,--no-as-needed".into(),
        runtime.into(),
        "-Wl,--pop-state".into(),
        rpath,
    ]
}

fn add_compile_flags(family: &Family, reading: &Reading, specs: &Path, added: &mut Vec<OsString>) {
    let mut flags = COMPILE_FLAGS.to_vec();
    if reading.mode == Mode::CompileAndLink {
        match family {
            Family::Gcc { .. } => {
                flags.retain(|flag| *flag != "-fsanitize=thread");
                let mut option = OsString::from("-specs=");
                option.push(specs);
                added.push(option);
            }
            Family::Clang => flags.push("-fno-sanitize-link-runtime"),
        }
    }
    if reading.mode == Mode::Preprocess {
        // Only what changes the text; clang warns of flags that it does not use.
        flags.retain(|flag| *flag == "-fsanitize=thread");
    } else if !reading.has_debug_information {
        flags.push("-g");
    }
    added.extend(flags.into_iter().map(OsString::from));
    if matches!(family, Family::Gcc { .. }) && reading.mode != Mode::Preprocess {
        let functions = CALLED_FUNCTIONS.iter();
        added.extend(functions.map(|name| format!("-fno-builtin-{name}").into()));
    }
}

/// Takes `thread` out of `-fsanitize=…`.
fn without_thread_sanitizer(argument: &OsString) -> Option<OsString> {
    let list = argument
        .to_str()
        .and_then(|text| text.strip_prefix("-fsanitize="));
    let Some(list) = list else {
        return Some(argument.clone());
    };
    let others: Vec<_> = list.split(',').filter(|name| *name != "thread").collect();
    match others.is_empty() {
        true => None,
        false => Some(format!("-fsanitize={}", others.join(",")).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GCC: Family = Family::Gcc { version: 12 };

    fn rewritten(family: &Family, line: &str) -> String {
        let arguments: Vec<_> = line.split_whitespace().map(OsString::from).collect();
        let runtime = Path::new("/c/libunpick_preload.so");
        match rewrite(family, &arguments, runtime, Path::new("/c/s")) {
            Ok(all) => all.join(" ".as_ref()).into_string().unwrap(),
            Err(error) => format!("error: {error}"),
        }
    }

    const GCC_FLAGS: &str = "-fno-omit-frame-pointer";
    const LINK: &str = "-Wl,--push-state,--no-as-needed /c/libunpick_preload.so -Wl,--pop-state \
                        -Wl,-rpath,/c";

    fn called_functions() -> String {
        let functions = CALLED_FUNCTIONS.iter();
        let flags: Vec<_> = functions
            .map(|name| format!("-fno-builtin-{name}"))
            .collect();
        flags.join(" ")
    }

    #[test]
    fn compiling_instruments() {
        let called = called_functions();
        let expected = format!("-fsanitize=thread {GCC_FLAGS} -g {called} -c a.c -o a.o");
        assert_eq!(rewritten(&GCC, "-c a.c -o a.o"), expected);
        let expected = format!("-fsanitize=thread {GCC_FLAGS} {called} -ggdb -c a.c");
        assert_eq!(rewritten(&GCC, "-ggdb -c a.c"), expected);
        let old = Family::Gcc { version: 10 };
        let expected = format!("-fsanitize=thread {GCC_FLAGS} -g {called} -S a.c");
        assert_eq!(rewritten(&old, "-S a.c"), expected);
        assert_eq!(
            rewritten(&Family::Clang, "-c a.c"),
            "-fsanitize=thread -fno-omit-frame-pointer -g -c a.c"
        );
    }

    #[test]
    fn linking_adds_the_runtime_and_no_sanitizer() {
        let expected = format!("{LINK} a.o -o a");
        assert_eq!(rewritten(&GCC, "-fsanitize=thread a.o -o a"), expected);
        let expected = format!("{LINK} -fsanitize=undefined a.o");
        assert_eq!(rewritten(&GCC, "-fsanitize=undefined,thread a.o"), expected);
        let expected = format!("{LINK} -shared a.o -o a.so");
        assert_eq!(rewritten(&Family::Clang, "-shared a.o -o a.so"), expected);
    }

    #[test]
    fn compiling_and_linking_does_both() {
        let called = called_functions();
        let expected = format!("{LINK} -specs=/c/s {GCC_FLAGS} -g {called} a.c -o a");
        assert_eq!(rewritten(&GCC, "a.c -o a"), expected);
        let clang = rewritten(&Family::Clang, "a.c -o a");
        assert!(clang.contains("-fsanitize=thread") && clang.contains("-link-runtime"));
    }

    #[test]
    fn openmp_keeps_its_library() {
        let libgomp = LIBGOMP.join(" ");
        for option in ["-fopenmp", "-lgomp"] {
            let expected = format!("{LINK} {libgomp} {option} a.o");
            assert_eq!(rewritten(&GCC, &format!("{option} a.o")), expected);
        }
        // That of clang has functions of other names.
        let expected = format!("{LINK} -fopenmp a.o");
        assert_eq!(rewritten(&Family::Clang, "-fopenmp a.o"), expected);
        assert!(!rewritten(&GCC, "-fopenmp -c a.c").contains("gomp"));
    }

    #[test]
    fn partial_links_get_no_library() {
        assert_eq!(rewritten(&GCC, "-r a.o b.o -o c.o"), "-r a.o b.o -o c.o");
        assert_eq!(rewritten(&GCC, "-static -r a.o"), "-static -r a.o");
    }

    #[test]
    fn questions_pass_unchanged() {
        for line in [
            "--version",
            "-v",
            "-dumpmachine",
            "-print-prog-name=ld",
            "",
            "--help",
        ] {
            assert_eq!(rewritten(&GCC, line), line);
        }
    }

    #[test]
    fn preprocessing_gets_nothing_it_does_not_use() {
        let expected = "-fsanitize=thread -E a.c";
        assert_eq!(rewritten(&Family::Clang, "-E a.c"), expected);
        assert_eq!(rewritten(&GCC, "-MM a.c"), "-fsanitize=thread -MM a.c");
    }

    #[test]
    fn gcc_must_instrument_before_the_link() {
        assert!(rewritten(&GCC, "-flto -c a.c").ends_with("-c a.c -fno-lto"));
        assert!(rewritten(&Family::Clang, "-flto -c a.c").ends_with("-c a.c"));
    }

    #[test]
    fn what_cannot_work_is_refused() {
        let text = rewritten(&GCC, "-static a.o");
        assert!(
            text.starts_with("error: `-static`: the runtime cannot"),
            "{text}"
        );
        assert!(rewritten(&GCC, "a.c -static-pie").starts_with("error: `-static-pie`"));
        assert!(!rewritten(&GCC, "-static -c a.c").contains("error"));
        assert!(!rewritten(&GCC, "-static-libgcc a.o").contains("error"));
        let text = rewritten(&GCC, "-fsanitize=undefined,address -c a.c");
        assert!(
            text.starts_with("error: `-fsanitize=address` and"),
            "{text}"
        );
    }
}
