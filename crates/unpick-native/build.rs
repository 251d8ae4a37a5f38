//! Builds the runtime library (crate `unpick-preload`), so that it can be embedded in the tool.
//!
//! A nested Cargo does it, with a target directory of its own: the library must be made for speed,
//! without unwinding and without the flags of the outer build, whatever that is. Elsewhere than on
//! x86-64 Linux with glibc the library is empty, and `install.rs` says so when it is asked for.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, exit};

const LIBRARY: &str = "libunpick_preload.so";

/// The crates whose sources end up in the library.
const SOURCES: &[&str] = &[
    "unpick-preload",
    "unpick-memory",
    "unpick-noise",
    "unpick-protocol",
    "unpick-engine",
    "unpick-strategies",
    "unpick-trace",
];

/// The profile of the library, whatever the workspace says of its own.
const PROFILE: &[(&str, &str)] = &[
    ("CARGO_PROFILE_RELEASE_PANIC", "abort"),
    ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "3"),
    ("CARGO_PROFILE_RELEASE_LTO", "fat"),
    ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "1"),
    ("CARGO_PROFILE_RELEASE_DEBUG", "0"),
    ("CARGO_PROFILE_RELEASE_STRIP", "debuginfo"),
    ("CARGO_PROFILE_RELEASE_INCREMENTAL", "false"),
];

/// Programs are linked with the library by path, which they would keep if it had no name of its own.
/// It must name libc itself, so that the loader readies libc first: copying memory is chosen there
/// by the processor at hand.
const LINK_ARGUMENTS: &[&str] = &[
    "-Wl,-soname,libunpick_preload.so",
    "-Wl,--no-as-needed",
    "-lc",
];

/// Variables of Cargo that say where packages come from; all others belong to the outer build.
const KEPT: &[&str] = &[
    "CARGO_HOME",
    "CARGO_HTTP_",
    "CARGO_MAKEFLAGS",
    "CARGO_NET_",
    "CARGO_REGISTR",
    "CARGO_SOURCE_",
];

fn main() {
    let crates = crates_folder();
    println!("cargo::rerun-if-changed=build.rs");
    println!(
        "cargo::rerun-if-changed={}",
        crates.join("../Cargo.lock").display()
    );
    for name in SOURCES {
        for part in ["Cargo.toml", "src"] {
            let path = crates.join(name).join(part);
            println!("cargo::rerun-if-changed={}", path.display());
        }
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("Cargo sets OUT_DIR"));
    let library = match is_supported() {
        true => build(&crates, &out.join("runtime")),
        false => Vec::new(),
    };
    fs::write(out.join(LIBRARY), &library)
        .unwrap_or_else(|error| fail(&format!("cannot write to {}: {error}", out.display())));
    println!(
        "cargo::rustc-env=UNPICK_RUNTIME_HASH={:016x}",
        hash(&library)
    );
}

fn crates_folder() -> PathBuf {
    let own = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("Cargo sets it"));
    own.parent().expect("crates are in a folder").to_path_buf()
}

fn is_supported() -> bool {
    let is = |name: &str, value: &str| env::var(name).as_deref() == Ok(value);
    is("CARGO_CFG_TARGET_ARCH", "x86_64")
        && is("CARGO_CFG_TARGET_OS", "linux")
        && is("CARGO_CFG_TARGET_ENV", "gnu")
}

fn build(crates: &Path, target: &Path) -> Vec<u8> {
    // Everything is usually there already, because the outer build needed most of it; then the
    // network is left alone, also when the outer build was told so by an option we cannot see.
    let mut output = run(&mut nested_cargo(crates, target, true));
    if !output.status.success() && text(&output).contains("offline") {
        output = run(&mut nested_cargo(crates, target, false));
    }
    if !output.status.success() {
        let text = text(&output);
        fail(&format!(
            "the runtime library could not be built ({}):\n{text}",
            output.status
        ));
    }
    let triple = env::var("TARGET").expect("Cargo sets TARGET");
    let path = target.join(triple).join("release").join(LIBRARY);
    fs::read(&path).unwrap_or_else(|error| {
        fail(&format!(
            "the runtime library was built, but cannot be read at {}: {error}",
            path.display()
        ))
    })
}

fn nested_cargo(crates: &Path, target: &Path, is_offline: bool) -> Command {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut command = Command::new(cargo);
    for (name, _) in env::vars_os() {
        if is_of_outer_build(&name.to_string_lossy()) {
            command.env_remove(name);
        }
    }
    command
        .current_dir(crates.join("unpick-preload"))
        .envs(PROFILE.iter().copied())
        .env("CARGO_ENCODED_RUSTFLAGS", "--cfg\u{1f}unpick_runtime")
        .args(["rustc", "--lib", "--crate-type", "cdylib", "--release"])
        .arg("--manifest-path")
        .arg(crates.join("unpick-preload").join("Cargo.toml"))
        .arg("--target-dir")
        .arg(target)
        .arg("--target")
        .arg(env::var_os("TARGET").expect("Cargo sets TARGET"));
    if is_offline {
        command.arg("--offline");
    }
    command.arg("--");
    command.args(LINK_ARGUMENTS.iter().map(|one| format!("-Clink-arg={one}")));
    command
}

fn is_of_outer_build(name: &str) -> bool {
    let is_cargo = name.starts_with("CARGO") && !KEPT.iter().any(|kept| name.starts_with(kept));
    let is_flags = [
        "RUSTFLAGS",
        "RUSTDOCFLAGS",
        "RUSTC_WRAPPER",
        "RUSTC_WORKSPACE_WRAPPER",
    ];
    let is_driver = name.starts_with("CLIPPY") || name.starts_with("__CARGO");
    // A linker that this machine needs is needed here too.
    let is_cargo = is_cargo && name != "CARGO" && !name.ends_with("_LINKER");
    is_cargo || is_flags.contains(&name) || is_driver
}

fn run(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|error| {
        fail(&format!(
            "cannot start Cargo to build the runtime library: {error}"
        ))
    })
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Fowler, Noll and Vo's hash: the name of the folder the library goes to, not a protection.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

fn fail(message: &str) -> ! {
    for line in message.lines() {
        println!("cargo::error={line}");
    }
    exit(1)
}
