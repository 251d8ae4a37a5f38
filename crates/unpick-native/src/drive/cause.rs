//! Why an execution does not come back: the likely cause, from what running it again shows.

use unpick_protocol::{Module, Reexecution};

use super::exploration::Explored;
use super::process::Command;
use crate::symbols::standard::Standard;

/// Libraries whose calls are controlled.
const CONTROLLED: &[&str] = &[
    "ld-linux",
    "libc.so",
    "libm.so",
    "libpthread.so",
    "librt.so",
    "libdl.so",
    "libgcc_s.so",
    "libstdc++.so",
    "libunpick_preload",
];

/// The likely cause, with the remedy. `modules` are those of the process in which the execution was run again;
/// `is_steady` says that it differed in the same way each time.
pub(super) fn likely(
    command: &Command,
    found: &Explored,
    modules: &[Module],
    is_steady: bool,
) -> String {
    if addresses(&found.modules) != addresses(modules) {
        return "addresses: the program lies elsewhere in every process, because their randomisation cannot be \
                turned off here; allow the system call personality(2)"
            .into();
    }
    if is_steady && found.reexecution != Reexecution::Exec {
        let remedy = match found.reexecution {
            Reexecution::Snapshot => "--reexec fork, or --reexec exec",
            Reexecution::Fork | Reexecution::Exec => "--reexec exec",
        };
        return format!(
            "what executions leave behind: the first one in a process differs from later ones, because something \
             outside of its memory (files, shared memory, descriptors) is not put back; use {remedy}"
        );
    }
    let mut text = String::from(
        "a value that changes from run to run and comes by no call of the C library: rdrand, time or \
         randomness by a system call made by hand (hash seeds among it), a file, another process; take time \
         and randomness from the C library, or give the hash a fixed seed",
    );
    let foreign = foreign(modules);
    if !foreign.is_empty() {
        text.push_str(&format!(
            "; or code that is not instrumented, in {}: build it by unpick cc or cargo unpick",
            foreign.join(", ")
        ));
    }
    if Standard::of(&command.program).unknown.is_some() {
        text.push_str("; or the standard library of a release of Rust that is not known");
    }
    text
}

fn addresses(modules: &[Module]) -> Vec<(&str, u64)> {
    let addresses = modules.iter().map(|module| (&module.path[..], module.base));
    addresses.collect()
}

/// Libraries besides the program that are not controlled.
fn foreign(modules: &[Module]) -> Vec<&str> {
    let names = modules.iter().skip(1).filter_map(|module| {
        let (_, name) = module.path.rsplit_once('/')?;
        let is_controlled = CONTROLLED.iter().any(|known| name.starts_with(known));
        (!is_controlled).then_some(name)
    });
    names.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_that_are_not_controlled_are_named() {
        let module = |path: &str| Module {
            path: path.into(),
            base: 1,
            start: 1,
            end: 2,
        };
        let modules = ["/a/program", "/lib/libc.so.6", "/lib/libfoo.so.1", "vdso"].map(module);
        assert_eq!(foreign(&modules), ["libfoo.so.1"]);
    }
}
