//! `unpick cc` and `unpick c++`: compilers that instrument.

use crate::USAGE_ERROR;
use clap::Args;
use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::ExitCode;
use unpick_native::compile::{Language, command};

/// What follows `cc` or `c++`; only for the help, because the compiler reads it.
#[derive(Args)]
#[command(disable_help_flag = true)]
pub(crate) struct CompilerArguments {
    /// What the compiler would get
    #[arg(
        value_name = "ARGUMENT",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    _arguments: Vec<OsString>,
}

/// Compiles, if this is a call of the compiler: `unpick cc …`, or by a link named `unpick-cc`.
///
/// Every argument is the compiler's, also `--help` and `--version`, so this comes before all else.
pub(crate) fn intercept(arguments: &[OsString]) -> Option<ExitCode> {
    let own_name = arguments.first().map(Path::new).and_then(Path::file_name);
    let by_name = own_name
        .and_then(OsStr::to_str)
        .and_then(|name| match name {
            "unpick-cc" => Some(Language::C),
            "unpick-c++" => Some(Language::Cpp),
            _ => None,
        });
    if let Some(language) = by_name {
        return Some(compile(language, &arguments[1..]));
    }
    let language = match arguments.get(1)?.to_str()? {
        "cc" => Language::C,
        "c++" => Language::Cpp,
        _ => return None,
    };
    Some(compile(language, &arguments[2..]))
}

fn compile(language: Language, arguments: &[OsString]) -> ExitCode {
    let error = match command(language, arguments) {
        // The compiler takes the place of this process: signals and exit code are its own.
        Ok(mut compiler) => format!("cannot run the compiler: {}", compiler.exec()),
        Err(error) => error.to_string(),
    };
    eprintln!("unpick: error: {error}");
    ExitCode::from(USAGE_ERROR)
}
