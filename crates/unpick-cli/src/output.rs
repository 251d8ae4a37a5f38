//! Standard output. A reader that goes away (`unpick run … | head`) changes neither what the command does nor its exit
//! code: a failure that is found is still kept.

use crate::found;
use std::fmt::Arguments;
use std::io::{ErrorKind, Write as _};
use unpick::report::printable;

/// Prints a line, or several, without what a terminal would obey: names and messages are those of programs.
pub(crate) fn line(text: Arguments<'_>) {
    let text = text.to_string();
    let mut stdout = std::io::stdout().lock();
    let written = stdout.write_all(printable(&text).as_bytes());
    let written = written.and_then(|()| stdout.write_all(b"\n"));
    if let Err(error) = written {
        if error.kind() == ErrorKind::BrokenPipe {
            return;
        }
        eprintln!("error: cannot write to standard output: {error}");
        std::process::exit(if found::is_pending() { 1 } else { 2 });
    }
}

/// As `println`, through [`line`].
macro_rules! say {
    ($($part:tt)*) => {
        $crate::output::line(format_args!($($part)*))
    };
}

pub(crate) use say;
