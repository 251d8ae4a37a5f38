//! Looks at this machine.

use super::Facts;
use crate::cargo::{Toolchain, check_object, compile, scratch};
use crate::compile::{COMPILE_FLAGS, Compiler};
use crate::install::runtime_library;
use std::fs;
use std::process::{Command, Stdio};
use system::{can_fix_addresses, has_fsgsbase, has_pagemap_scan, kernel, ptrace, userfaultfd};

#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "elsewhere.rs")]
mod system;

pub(super) fn collect() -> Facts {
    let toolchain = Toolchain::find();
    let probe = toolchain.as_ref().map_err(ToString::to_string);
    Facts {
        runtime: runtime_library()
            .map(|path| path.display().to_string())
            .map_err(|error| error.to_string()),
        rustc_flags: probe.and_then(Toolchain::probe),
        rustc: toolchain
            .map(|toolchain| toolchain.version)
            .map_err(|error| error.to_string()),
        gcc: c_compiler("gcc"),
        clang: c_compiler("clang"),
        has_fsgsbase: has_fsgsbase(),
        kernel: kernel(),
        has_pagemap_scan: has_pagemap_scan(),
        userfaultfd: userfaultfd(),
        can_fix_addresses: can_fix_addresses(),
        gdb: first_line("gdb"),
        ptrace: ptrace(),
        processors: std::thread::available_parallelism().map_or(1, usize::from),
    }
}

fn c_compiler(name: &str) -> Option<(String, Result<(), String>)> {
    let compiler = Compiler::of(name).ok()?;
    let probe = || -> Result<(), String> {
        let folder = scratch().map_err(|error| error.to_string())?;
        let (source, object) = (folder.path().join("probe.c"), folder.path().join("probe.o"));
        let text = "void probe(unsigned long *place) { *place = 7; }\n";
        fs::write(&source, text).map_err(|error| error.to_string())?;
        let mut command = compiler.command();
        command.args(COMPILE_FLAGS).arg("-c").arg(&source);
        command.arg("-o").arg(&object);
        compile(command)?;
        check_object(&object)
    };
    Some((compiler.version.clone(), probe()))
}

fn first_line(program: &str) -> Option<String> {
    let output = Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .output();
    let text = String::from_utf8(output.ok()?.stdout).ok()?;
    text.lines().next().map(str::to_string)
}
