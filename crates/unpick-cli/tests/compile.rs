//! `unpick cc` and `unpick c++` in the builds that people have: by hand, make, configure, CMake.
//!
//! Needs a C and a C++ compiler; what else is missing is said and left out.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use unpick_native::install::LIBRARY_NAME;
use unpick_native::program::{Program, ProgramError, is_instrumented};

const PROGRAM: &str = "\
#include <pthread.h>
#include <stdio.h>
int counter;
static void *add(void *nothing) { counter++; return nothing; }
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, add, 0);
    pthread_join(thread, 0);
    printf(\"counter is %d\\n\", counter);
    return counter == 1 ? 0 : 1;
}
";

/// A directory of its own for a test, with a cache in it, removed at its end.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Place {
        let path = std::env::temp_dir().join(format!("unpick-cc-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Place(path)
    }

    fn write(&self, name: &str, text: &str) -> &Place {
        fs::write(self.0.join(name), text).unwrap();
        self
    }

    /// A command here, with `CC` and `CXX` set to the wrappers.
    fn command(&self, program: &str) -> Command {
        let unpick = env!("CARGO_BIN_EXE_unpick");
        let mut command = Command::new(program);
        command
            .current_dir(&self.0)
            .env("CC", format!("{unpick} cc"))
            .env("CXX", format!("{unpick} c++"))
            .env("UNPICK_CACHE", self.0.join("cache"))
            .env_remove("UNPICK_CC")
            .env_remove("UNPICK_CXX")
            .stdin(Stdio::null());
        command
    }

    fn compile(&self, arguments: &[&str]) -> Output {
        let mut command = self.command(env!("CARGO_BIN_EXE_unpick"));
        command.args(arguments).output().unwrap()
    }

    fn compiled(&self, arguments: &[&str]) {
        succeeded(&self.compile(arguments));
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Whether an object is instrumented.
    fn object(&self, name: &str) -> bool {
        is_instrumented(&fs::read(self.file(name)).unwrap()).unwrap()
    }

    /// Checks a program: ours and not libtsan in it, and it runs.
    fn check_program(&self, name: &str) {
        let program = Program::at(&self.file(name)).unwrap();
        assert!(
            program.is_instrumented && program.has_runtime,
            "{program:?}"
        );
        assert_eq!(program.libraries[0], LIBRARY_NAME, "must come before libc");
        let has_other = program.libraries.iter().any(|name| name.contains("tsan"));
        assert!(!has_other, "{program:?}");
        let output = self.command(self.file(name).to_str().unwrap()).output();
        let output = output.unwrap();
        succeeded(&output);
        assert_eq!(String::from_utf8_lossy(&output.stdout), "counter is 1\n");
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn succeeded(output: &Output) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, errors) = (text(&output.stdout), text(&output.stderr));
    assert!(
        output.status.success(),
        "{}\n{out}\n{errors}",
        output.status
    );
}

fn is_there(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output();
    let is_there = found.is_ok_and(|output| output.status.success());
    if !is_there {
        println!("skipped: there is no {program} here");
    }
    is_there
}

#[test]
fn one_step_and_two_steps_give_the_same() {
    let place = Place::new("steps");
    place.write("a.c", PROGRAM);
    place.compiled(&["cc", "a.c", "-o", "one", "-pthread"]);
    place.check_program("one");
    place.compiled(&["cc", "-O2", "-c", "a.c"]);
    assert!(place.object("a.o"));
    place.compiled(&["cc", "a.o", "-o", "two", "-fsanitize=thread"]);
    place.check_program("two");
    place.compiled(&["cc", "-flto", "-O2", "a.c", "-o", "lto"]);
    place.check_program("lto");
}

#[test]
fn clang_is_used_if_asked_for() {
    if !is_there("clang") {
        return;
    }
    let place = Place::new("clang");
    place.write("a.c", PROGRAM);
    for arguments in [
        &["-Werror", "-c", "a.c"][..],
        &["-Werror", "-E", "a.c"],
        &["-Werror", "a.o", "-o", "two"],
        &["-Werror", "a.c", "-o", "one"],
    ] {
        let mut command = place.command(env!("CARGO_BIN_EXE_unpick"));
        command.env("UNPICK_CC", "clang").arg("cc").args(arguments);
        succeeded(&command.output().unwrap());
    }
    assert!(place.object("a.o"));
    place.check_program("one");
    place.check_program("two");
}

#[test]
fn c_plus_plus_with_libraries_and_archives() {
    let place = Place::new("cpp");
    place.write("part.cc", "int counter; void add() { counter++; }\n");
    place.write(
        "main.cc",
        "#include <cstdio>\n#include <thread>\nextern int counter; void add();\n\
         int main() { std::thread one(add); one.join(); std::printf(\"counter is %d\\n\", counter); }\n",
    );
    place.compiled(&["c++", "-fPIC", "-c", "part.cc", "-o", "part.o"]);
    place.compiled(&[
        "c++",
        "-shared",
        "-Wl,-z,defs",
        "part.o",
        "-o",
        "libpart.so",
    ]);
    succeeded(
        &place
            .command("ar")
            .args(["rc", "libstatic.a", "part.o"])
            .output()
            .unwrap(),
    );
    place.compiled(&["c++", "main.cc", "libstatic.a", "-o", "archive"]);
    place.check_program("archive");
    place.compiled(&[
        "c++",
        "main.cc",
        "-L.",
        "-lpart",
        "-Wl,-rpath,$ORIGIN",
        "-o",
        "shared",
    ]);
    place.check_program("shared");
    let library = Program::at(&place.file("libpart.so"));
    assert!(
        matches!(library, Err(ProgramError::NotProgram(_))),
        "{library:?}"
    );
}

#[test]
fn response_files_and_languages_are_understood() {
    let place = Place::new("response");
    place.write("source", PROGRAM);
    place.write("arguments", "-fsanitize=thread -x c source\n-o 'by file'");
    place.compiled(&["cc", "@arguments"]);
    place.check_program("by file");
    place.compiled(&["cc", "-xc", "-c", "source", "-o", "source.o"]);
    assert!(place.object("source.o"));
}

#[test]
fn output_and_exit_code_are_the_compilers() {
    let place = Place::new("output");
    place.write("wrong.c", "int main(void) { return x; }\n");
    let ours = place.compile(&["cc", "-c", "wrong.c"]);
    let theirs = place
        .command("cc")
        .args(["-c", "wrong.c"])
        .output()
        .unwrap();
    assert_eq!(ours.status.code(), theirs.status.code());
    assert_eq!(ours.stderr, theirs.stderr);
    let ours = place.compile(&["cc", "--version"]);
    assert_eq!(
        ours.stdout,
        place
            .command("cc")
            .arg("--version")
            .output()
            .unwrap()
            .stdout
    );
    let text = place.compile(&["cc", "-MM", "wrong.c"]).stdout;
    assert_eq!(String::from_utf8_lossy(&text), "wrong.o: wrong.c\n");
}

#[test]
fn what_cannot_work_is_refused_with_a_remedy() {
    let place = Place::new("refused");
    place.write("a.c", PROGRAM);
    let output = place.compile(&["cc", "-static", "a.c"]);
    assert_eq!(output.status.code(), Some(2));
    insta::assert_snapshot!(String::from_utf8_lossy(&output.stderr), @"unpick: error: `-static`: the runtime cannot take control of a statically linked program; leave `-static` out of the link flags");
    let mut command = place.command(env!("CARGO_BIN_EXE_unpick"));
    command
        .env("UNPICK_CC", "no-such-compiler")
        .args(["cc", "a.c"]);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    insta::assert_snapshot!(String::from_utf8_lossy(&output.stderr), @"unpick: error: cannot run the compiler `no-such-compiler`: No such file or directory (os error 2); set UNPICK_CC to the one to use");
}

#[test]
fn a_link_with_the_name_of_a_compiler_is_one() {
    let place = Place::new("name");
    place.write("a.c", PROGRAM);
    let wrapper = place.file("unpick-cc");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_unpick"), &wrapper).unwrap();
    let mut command = place.command(wrapper.to_str().unwrap());
    succeeded(&command.args(["a.c", "-o", "a"]).output().unwrap());
    place.check_program("a");
}

#[test]
fn a_project_with_make() {
    if !is_there("make") {
        return;
    }
    let place = Place::new("make");
    place.write("a.c", PROGRAM).write(
        "Makefile",
        "CFLAGS = -O2 -Wall -Werror -MMD\nprogram: a.o\n\t$(CC) $(LDFLAGS) -o $@ $^ -pthread\n-include a.d\n",
    );
    succeeded(&place.command("make").output().unwrap());
    assert!(place.object("a.o"));
    place.check_program("program");
}

#[test]
fn a_project_with_cmake() {
    if !is_there("cmake") {
        return;
    }
    let place = Place::new("cmake");
    place.write("part.c", "int unused_part(void) { return 0; }\n");
    place.write("a.c", PROGRAM).write(
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.16)\nproject(example C CXX)\n\
         find_package(Threads REQUIRED)\nadd_library(part SHARED part.c)\n\
         add_executable(program a.c)\ntarget_link_libraries(program part Threads::Threads)\n",
    );
    succeeded(
        &place
            .command("cmake")
            .args(["-S", ".", "-B", "build"])
            .output()
            .unwrap(),
    );
    succeeded(
        &place
            .command("cmake")
            .args(["--build", "build"])
            .output()
            .unwrap(),
    );
    let program = Program::at(&place.file("build/program")).unwrap();
    assert!(
        program.has_runtime && program.is_instrumented,
        "{program:?}"
    );
    let run = Command::new(place.file("build/program")).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&run.stdout), "counter is 1\n");
    assert!(
        find(&place.file("build"), "a.c.o")
            .is_some_and(|path| { is_instrumented(&fs::read(path).unwrap()).unwrap() })
    );
}

fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if let Some(found) = find(&path, name) {
                return Some(found);
            }
        } else if path.file_name().is_some_and(|found| found == name) {
            return Some(path);
        }
    }
    None
}
