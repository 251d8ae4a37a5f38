//! The Rust compiler that Cargo will use, and whether it instruments.

use super::{CargoError, INSTRUMENTATION};
use crate::install;
use crate::program::calls;
use std::collections::hash_map::DefaultHasher;
use std::ffi::OsString;
use std::fs;
use std::hash::{Hash as _, Hasher as _};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A Rust compiler.
#[derive(Clone, Debug)]
pub struct Toolchain {
    rustc: OsString,
    /// The triple of this machine.
    pub host: String,
    /// The first line of what it says of its version.
    pub version: String,
    /// All that it says.
    description: String,
}

/// One write of eight bytes, which becomes a call if the flags do their work.
const PROGRAM: &str = "pub unsafe fn probe(place: *mut u64) { unsafe { *place = 7 } }\n";

impl Toolchain {
    /// The compiler that `$RUSTC` names, else `rustc`.
    pub fn find() -> Result<Toolchain, CargoError> {
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| OsString::from("rustc"));
        Toolchain::of(rustc)
    }

    fn of(rustc: OsString) -> Result<Toolchain, CargoError> {
        let failed = |reason: String| CargoError::NoCompiler {
            program: rustc.display().to_string(),
            reason,
        };
        let output = Command::new(&rustc)
            .arg("-vV")
            .stdin(Stdio::null())
            .output()
            .map_err(|error| failed(error.to_string()))?;
        if !output.status.success() {
            let text = String::from_utf8_lossy(&output.stderr);
            return Err(failed(text.trim().to_string()));
        }
        let description = String::from_utf8_lossy(&output.stdout).into_owned();
        let host = description
            .lines()
            .find_map(|line| line.strip_prefix("host: "));
        let host = host.ok_or_else(|| failed("it does not tell its host".to_string()))?;
        Ok(Toolchain {
            host: host.to_string(),
            version: description.lines().next().unwrap_or_default().to_string(),
            description,
            rustc,
        })
    }

    /// Checks, by compiling a small program, that the flags instrument. A compiler that passed is
    /// remembered in the cache.
    pub fn check_instrumentation(&self) -> Result<(), CargoError> {
        let mut hasher = DefaultHasher::new();
        (&self.description, INSTRUMENTATION).hash(&mut hasher);
        let name = format!("rustc-{:016x}", hasher.finish());
        let is_known = |folder: &Path| folder.join("probes").join(&name).is_file();
        if install::cache_directories()
            .iter()
            .any(|folder| is_known(folder))
        {
            return Ok(());
        }
        self.probe()
            .map_err(|reason| CargoError::NoInstrumentation {
                version: self.version.clone(),
                reason,
            })?;
        // If it cannot be remembered, the next call compiles again.
        let _ = install::store("probes", &name, self.description.as_bytes());
        Ok(())
    }

    /// Compiles the small program, and says what is wrong.
    pub fn probe(&self) -> Result<(), String> {
        let folder = scratch().map_err(|error| error.to_string())?;
        let (source, object) = (
            folder.path().join("probe.rs"),
            folder.path().join("probe.o"),
        );
        fs::write(&source, PROGRAM).map_err(|error| error.to_string())?;
        let mut command = Command::new(&self.rustc);
        command
            .args([
                "--crate-type",
                "lib",
                "--emit",
                "obj",
                "--edition",
                "2021",
                "-o",
            ])
            .arg(&object)
            .args(INSTRUMENTATION)
            .arg(&source);
        compile(command)?;
        check_object(&object)
    }
}

/// Runs a compiler and passes on the first line of its complaint.
pub(crate) fn compile(mut command: Command) -> Result<(), String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let line = text.lines().find(|line| line.contains("error"));
    let line = line.or_else(|| text.lines().next()).unwrap_or_default();
    Err(format!("the compiler says `{}`", line.trim()))
}

/// Whether a write of eight bytes is announced.
pub(crate) fn check_object(object: &Path) -> Result<(), String> {
    let content = fs::read(object).map_err(|error| error.to_string())?;
    match calls(&content, |name| name == b"__tsan_write8") {
        Ok(true) => Ok(()),
        Ok(false) => Err("the flags are taken, but no access is announced".to_string()),
        Err(error) => Err(format!("the object cannot be read: {error}")),
    }
}

/// A directory of this user among the temporary files, with a name that no other process can foresee. It is removed
/// when it is dropped.
pub(crate) fn scratch() -> io::Result<TempDir> {
    let private = fs::Permissions::from_mode(0o700);
    let mut builder = tempfile::Builder::new();
    builder.prefix("unpick-").permissions(private).tempdir()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_toolchain_instruments() {
        let toolchain = Toolchain::find().unwrap();
        assert!(toolchain.version.starts_with("rustc "), "{toolchain:?}");
        assert_eq!(toolchain.probe(), Ok(()));
    }

    #[test]
    fn a_compiler_that_is_not_there_is_an_error() {
        let error = Toolchain::of("unpick-no-such-rustc".into()).unwrap_err();
        assert!(error.to_string().contains("rustup.rs"), "{error}");
    }
}
