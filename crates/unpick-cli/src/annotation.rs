//! Failures as annotations of the source, in the workflows of GitHub.
//!
//! The runner reads lines like `::error file=…,line=…,title=…::…` from the standard output. They are printed
//! if GITHUB_ACTIONS is `true`, for failures that happen at a known place.

use std::path::{Path, PathBuf};
use unpick::trace::{Outcome, Site};

/// The line for a failure with its report, if one is wanted here.
pub(crate) fn annotation(outcome: &Outcome, report: &str) -> Option<String> {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    if variable("GITHUB_ACTIONS")? != "true" {
        return None;
    }
    let site = place(outcome)?;
    let here = std::env::current_dir().unwrap_or_default();
    let workspace = variable("GITHUB_WORKSPACE").map_or_else(|| here.clone(), PathBuf::from);
    let file = within(&site.file, &here, &workspace);
    Some(line(file.as_deref(), site.line, report))
}

/// Where something fails: of a deadlock, where the first task of the ring waits.
fn place(outcome: &Outcome) -> Option<&Site> {
    match outcome {
        Outcome::Fail(failure) => failure.site.as_ref(),
        Outcome::Deadlock(deadlock) => {
            let of_ring = deadlock.cycle.first();
            let mut blocked = deadlock.blocked.iter();
            let first = blocked.find(|one| of_ring.is_none_or(|task| one.task == *task));
            first?.site.as_ref()
        }
        _ => None,
    }
}

/// A file as the compiler was told it, from the directory of the repository; none if it lies elsewhere. A
/// relative path begins here or in a directory above: the compiler was called in that of the workspace.
fn within(file: &str, here: &Path, workspace: &Path) -> Option<String> {
    let mut starts = here.ancestors().map(|start| start.join(file));
    let found = starts.find(|path| path.is_file());
    let Some(path) = found else {
        return Path::new(file).is_relative().then(|| file.to_string());
    };
    let inside = path.strip_prefix(workspace).ok()?;
    Some(inside.to_str()?.to_string())
}

/// The first line of the report is the title, the rest is the message.
fn line(file: Option<&str>, number: u32, report: &str) -> String {
    let (title, rest) = report.split_once('\n').unwrap_or((report, ""));
    let mut properties = Vec::new();
    if let Some(file) = file {
        properties.push(format!("file={}", property(file)));
        properties.push(format!("line={number}"));
    }
    properties.push(format!("title={}", property(title)));
    let rest = if rest.is_empty() { title } else { rest };
    format!("::error {}::{}", properties.join(","), data(rest))
}

/// As the runner wants it: `@actions/core`, `command.ts`.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_means_something_to_the_runner_is_escaped() {
        let report = "FAILED  a::b  panicked at a,b.rs:3: 100%\n  found   1\r\n  why     so: a, b";
        assert_eq!(
            line(Some("src/a,b.rs"), 3, report),
            "::error file=src/a%2Cb.rs,line=3,title=FAILED  a%3A%3Ab  panicked at a%2Cb.rs%3A3%3A 100%25\
             ::  found   1%0D%0A  why     so: a, b"
        );
        assert_eq!(line(None, 3, "FAILED"), "::error title=FAILED::FAILED");
    }

    #[test]
    fn files_are_told_from_the_repository() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR"));
        let workspace = crates.ancestors().nth(2).unwrap();
        let own = crates.join("src/main.rs");
        // As Cargo runs tests: the compiler is called in the directory of the workspace.
        let as_told = "crates/unpick-cli/src/main.rs";
        for file in [as_told, "src/main.rs", own.to_str().unwrap()] {
            assert_eq!(within(file, crates, workspace).as_deref(), Some(as_told));
        }
        assert_eq!(
            within("gone.rs", crates, workspace).as_deref(),
            Some("gone.rs")
        );
        assert_eq!(within("/no/such/file.rs", crates, workspace), None);
        assert_eq!(
            within(own.to_str().unwrap(), crates, &crates.join("tests")),
            None
        );
    }
}
