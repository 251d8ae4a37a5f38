//! `unpick doctor`: what of this machine helps or hinders the exploration of native programs.
//!
//! Two parts: [`Facts`] are collected from the machine, and [`diagnose`] says what they mean. The
//! second is a pure function, so that what is said can be tested.

mod collect;

use std::fmt;
use unpick_report::count;

/// What is known of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// What the embedded runtime is, and where it lies or why it does not.
    pub runtime: Result<String, String>,
    /// The Rust compiler's version.
    pub rustc: Result<String, String>,
    /// Whether it instruments, if it is there.
    pub rustc_flags: Result<(), String>,
    /// gcc's version, and whether it instruments.
    pub gcc: Option<(String, Result<(), String>)>,
    /// The same for clang.
    pub clang: Option<(String, Result<(), String>)>,
    /// The FS base can be set without a system call.
    pub has_fsgsbase: bool,
    /// The kernel's release.
    pub kernel: String,
    /// `PAGEMAP_SCAN` is there.
    pub has_pagemap_scan: bool,
    /// Asynchronous write protection by userfaultfd is there and permitted.
    pub userfaultfd: Result<(), String>,
    /// The layout of addresses can be fixed.
    pub can_fix_addresses: bool,
    /// gdb's version.
    pub gdb: Option<String>,
    /// A process can be traced.
    pub ptrace: Result<(), String>,
    /// Processors this process may use.
    pub processors: usize,
}

impl Facts {
    /// Looks at this machine; takes about a second.
    pub fn collect() -> Facts {
        collect::collect()
    }
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grade {
    /// As it should be.
    Ok,
    /// Something is slower or less.
    Warning,
    /// Something cannot be done.
    Missing,
}

/// One line of the diagnosis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// How bad it is.
    pub grade: Grade,
    /// What was looked at.
    pub subject: &'static str,
    /// What was found, and what it means.
    pub finding: String,
    /// What to do.
    pub remedy: Option<String>,
}

/// What facts mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnosis {
    /// One line a subject.
    pub lines: Vec<Line>,
    /// Something can be explored.
    pub is_usable: bool,
}

/// Says what the facts mean.
pub fn diagnose(facts: &Facts) -> Diagnosis {
    let lines = vec![
        runtime(facts),
        rustc(facts),
        compiler("gcc", &facts.gcc),
        compiler("clang", &facts.clang),
        fsgsbase(facts),
        line("kernel", Ok(facts.kernel.clone()), "", None),
        pagemap_scan(facts),
        userfaultfd(facts),
        addresses(facts),
        debugger(facts),
        processors(facts),
    ];
    // Programs that were not built for it can be explored too, so the runtime is all that is needed.
    let is_usable = facts.runtime.is_ok();
    Diagnosis { lines, is_usable }
}

/// A line that is well, or a warning with what it means and what to do.
fn line(
    subject: &'static str,
    found: Result<String, String>,
    meaning: &str,
    remedy: Option<&str>,
) -> Line {
    match found {
        Ok(finding) => Line {
            grade: Grade::Ok,
            subject,
            finding,
            remedy: None,
        },
        Err(finding) => Line {
            grade: Grade::Warning,
            subject,
            finding: format!("{finding}: {meaning}"),
            remedy: remedy.map(str::to_string),
        },
    }
}

fn missing(line: Line) -> Line {
    match line.grade {
        Grade::Ok => line,
        _ => Line {
            grade: Grade::Missing,
            ..line
        },
    }
}

fn runtime(facts: &Facts) -> Line {
    let remedy =
        "use x86-64 Linux with glibc, and set UNPICK_CACHE to a directory you may write to";
    missing(line(
        "runtime library",
        facts.runtime.clone(),
        "no native program can be explored",
        Some(remedy),
    ))
}

fn rustc(facts: &Facts) -> Line {
    let version = match &facts.rustc {
        Ok(version) => version,
        Err(error) => {
            let remedy = Some("install Rust from rustup.rs");
            let found = Err(error.clone());
            return missing(line(
                "rustc",
                found,
                "`cargo unpick test` cannot build",
                remedy,
            ));
        }
    };
    let found = match &facts.rustc_flags {
        Ok(()) => Ok(format!("{version}; instruments")),
        Err(reason) => Err(format!("{version} does not instrument ({reason})")),
    };
    let remedy = Some("use a stable toolchain of rustup: `cargo +stable unpick test`");
    missing(line(
        "rustc",
        found,
        "`cargo unpick test` cannot build",
        remedy,
    ))
}

fn compiler(name: &'static str, found: &Option<(String, Result<(), String>)>) -> Line {
    let found = match found {
        None => Err("not found".to_string()),
        Some((version, Ok(()))) => Ok(format!("{version}; instruments")),
        Some((version, Err(reason))) => Err(format!("{version} does not instrument ({reason})")),
    };
    let meaning = "`unpick cc` and `unpick c++` cannot use it";
    let remedy = match name {
        "gcc" => "install gcc and g++, unless clang is enough",
        _ => "install clang, unless gcc is enough",
    };
    line(name, found, meaning, Some(remedy))
}

fn fsgsbase(facts: &Facts) -> Line {
    let found = match facts.has_fsgsbase {
        true => Ok("available: tasks are switched in the process itself".to_string()),
        false => Err("not available".to_string()),
    };
    let meaning = "tasks run as threads of the operating system, many times slower";
    let remedy = "use Linux 5.9 or later on a processor of 2012 or later";
    line("FSGSBASE", found, meaning, Some(remedy))
}

fn pagemap_scan(facts: &Facts) -> Line {
    let found = match facts.has_pagemap_scan {
        true => Ok("available".to_string()),
        false => Err("not available".to_string()),
    };
    let meaning = "programs with much writable memory are copied whole between executions";
    line(
        "PAGEMAP_SCAN",
        found,
        meaning,
        Some("use Linux 6.7 or later"),
    )
}

fn userfaultfd(facts: &Facts) -> Line {
    let found = facts
        .userfaultfd
        .clone()
        .map(|()| "asynchronous write protection".to_string());
    let meaning = "programs with much writable memory are copied whole between executions";
    let remedy = "use Linux 6.7 or later; in a container, permit the system call userfaultfd";
    line("userfaultfd", found, meaning, Some(remedy))
}

fn addresses(facts: &Facts) -> Line {
    let found = match facts.can_fix_addresses {
        true => Ok("can be fixed, so that executions are alike in two processes".to_string()),
        false => Err("cannot be fixed".to_string()),
    };
    let meaning = "programs that depend on addresses may do something else when replayed";
    let remedy = "in a container, permit the system call personality (docker: --security-opt \
                  seccomp=unconfined)";
    line("address layout", found, meaning, Some(remedy))
}

fn debugger(facts: &Facts) -> Line {
    let found = match (&facts.gdb, &facts.ptrace) {
        (Some(version), Ok(())) => Ok(version.clone()),
        (Some(version), Err(reason)) => {
            Err(format!("{version}, but nothing can be traced ({reason})"))
        }
        (None, _) => Err("not found".to_string()),
    };
    let remedy = match facts.gdb {
        Some(_) => "in a container, permit ptrace (docker: --cap-add SYS_PTRACE)",
        None => "install gdb",
    };
    line(
        "gdb",
        found,
        "`unpick replay --gdb` cannot be used",
        Some(remedy),
    )
}

fn processors(facts: &Facts) -> Line {
    let text = format!(
        "{}: `--jobs {}` uses all",
        count(facts.processors as u64, "processor"),
        facts.processors
    );
    line("processors", Ok(text), "", None)
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.lines {
            let word = match line.grade {
                Grade::Ok => "ok",
                Grade::Warning => "warning",
                Grade::Missing => "missing",
            };
            writeln!(out, "{word:<8} {:<16} {}", line.subject, line.finding)?;
            if let Some(remedy) = &line.remedy {
                writeln!(out, "{:<25} -> {remedy}", "")?;
            }
        }
        let verdict = match self.is_usable {
            true => "native programs can be explored",
            false => "no native program can be explored here",
        };
        write!(out, "\n{verdict}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn good() -> Facts {
        Facts {
            runtime: Ok("/users/a/.cache/unpick/0123/libunpick_preload.so".to_string()),
            rustc: Ok("rustc 1.95.0".to_string()),
            rustc_flags: Ok(()),
            gcc: Some(("gcc 12.2.0".to_string(), Ok(()))),
            clang: Some(("clang 14.0.6".to_string(), Ok(()))),
            has_fsgsbase: true,
            kernel: "Linux 6.18.0".to_string(),
            has_pagemap_scan: true,
            userfaultfd: Ok(()),
            can_fix_addresses: true,
            gdb: Some("GNU gdb 13.1".to_string()),
            ptrace: Ok(()),
            processors: 2,
        }
    }

    #[test]
    fn a_good_machine() {
        let diagnosis = diagnose(&good());
        assert!(diagnosis.is_usable);
        insta::assert_snapshot!(diagnosis);
    }

    #[test]
    fn a_bad_machine() {
        let diagnosis = diagnose(&Facts {
            runtime: Err("cannot store the runtime library".to_string()),
            rustc_flags: Err("the flags are taken, but no access is announced".to_string()),
            gcc: Some(("gcc 4.7.0".to_string(), Err("no such option".to_string()))),
            clang: None,
            has_fsgsbase: false,
            has_pagemap_scan: false,
            userfaultfd: Err("not permitted".to_string()),
            can_fix_addresses: false,
            ptrace: Err("not permitted".to_string()),
            processors: 1,
            ..good()
        });
        assert!(!diagnosis.is_usable);
        insta::assert_snapshot!(diagnosis);
    }

    #[test]
    fn this_machine_can_be_looked_at() {
        let facts = Facts::collect();
        assert!(facts.kernel.starts_with("Linux "), "{facts:?}");
        assert!(facts.processors > 0 && facts.rustc.is_ok(), "{facts:?}");
        // The tests of this crate need a C compiler, so one of the two is there.
        assert!(facts.gcc.is_some() || facts.clang.is_some(), "{facts:?}");
    }
}
