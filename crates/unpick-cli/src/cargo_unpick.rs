//! The command `cargo-unpick`, which Cargo calls for `cargo unpick`: hands everything to `unpick`,
//! which is installed beside it, as `unpick cargo …`.

use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1).peekable();
    // Cargo passes the name of its subcommand on.
    arguments.next_if(|first| first == "unpick");
    let own = std::env::current_exe().unwrap_or_default();
    let unpick = own.with_file_name("unpick");
    let error = Command::new(&unpick).arg("cargo").args(arguments).exec();
    eprintln!(
        "error: cannot run `{}`: {error}; install both commands with `cargo install`",
        unpick.display()
    );
    ExitCode::from(2)
}
