//! What is said of programs before they are started. Needs a C compiler.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use unpick_native::program::{Program, ProgramError};

/// A directory of its own for a test, removed at its end.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Place {
        let path =
            std::env::temp_dir().join(format!("unpick-program-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        fs::write(path.join("a.c"), "int main(void) { return 0; }\n").unwrap();
        Place(path)
    }

    fn compile(&self, arguments: &[&str]) -> PathBuf {
        let mut command = Command::new("cc");
        let status = command
            .current_dir(&self.0)
            .args(["a.c", "-o", "a"])
            .args(arguments)
            .status();
        assert!(status.unwrap().success());
        self.0.join("a")
    }

    fn write(&self, name: &str, content: &[u8], mode: u32) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, content).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The message, without the directory.
fn refusal(path: &Path) -> String {
    let folder = format!("{}/", path.parent().unwrap().display());
    Program::at(path)
        .unwrap_err()
        .to_string()
        .replace(&folder, "")
}

#[test]
fn an_ordinary_program_is_taken_with_a_warning() {
    let place = Place::new("ordinary");
    let program = Program::at(&place.compile(&[])).unwrap();
    assert!(!program.is_instrumented && !program.has_runtime);
    assert_eq!(program.libraries, ["libc.so.6"]);
    let warning = program.warning().unwrap();
    assert!(
        warning.contains("preload only") && warning.contains("atomics"),
        "{warning}"
    );
}

#[test]
fn programs_that_cannot_be_controlled_are_refused() {
    let place = Place::new("refused");
    let text = refusal(&place.compile(&["-static"]));
    assert!(text.starts_with("`a` is linked statically"), "{text}");
    let text = refusal(&place.compile(&["-static-pie"]));
    assert!(text.starts_with("`a` is linked statically"), "{text}");
    let text = refusal(&place.compile(&["-shared", "-fPIC"]));
    assert!(text.starts_with("`a` is no program"), "{text}");
    let path = place.compile(&[]);
    let mut content = fs::read(&path).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o4755)).unwrap();
    assert!(refusal(&path).contains("rights of its owner"));
    let text = refusal(&place.write("damaged", &content[..100], 0o755));
    assert!(
        text.starts_with("`damaged` is a damaged ELF file"),
        "{text}"
    );
    // The machine that the header names.
    content[18] = 183;
    let text = refusal(&place.write("other", &content, 0o755));
    assert!(
        text.contains("for another machine (ELF machine 183)"),
        "{text}"
    );
}

#[test]
fn other_files_are_refused() {
    let place = Place::new("files");
    let script = place.write("script", b"#!/bin/sh -e\nexec ./a\n", 0o755);
    assert_eq!(
        refusal(&script),
        "`script` is a script for `/bin/sh -e`; name the program that the script starts instead"
    );
    assert!(refusal(&place.write("text", b"hello", 0o755)).contains("no ELF file"));
    assert!(refusal(&place.write("text", b"hello", 0o644)).contains("chmod +x text"));
    assert!(refusal(&place.0.join("nothing")).starts_with("there is no program `nothing`"));
    assert!(matches!(
        Program::at(&place.0),
        Err(ProgramError::NotExecutable(_))
    ));
}

#[test]
fn names_are_looked_up_on_the_path() {
    let shell = Program::find("sh".as_ref()).unwrap();
    assert!(shell.path.is_absolute(), "{shell:?}");
    let error = Program::find("unpick-no-such-program".as_ref()).unwrap_err();
    assert!(matches!(error, ProgramError::Missing(_)), "{error}");
}

#[test]
fn the_real_libtsan_is_refused() {
    let place = Place::new("libtsan");
    let mut probe = Command::new("cc");
    probe
        .current_dir(&place.0)
        .args(["-fsanitize=thread", "a.c", "-o", "a"]);
    if !probe.output().unwrap().status.success() {
        println!("skipped: there is no libtsan here");
        return;
    }
    let text = refusal(&place.0.join("a"));
    assert!(text.starts_with("`a` is linked with `libtsan.so"), "{text}");
}
