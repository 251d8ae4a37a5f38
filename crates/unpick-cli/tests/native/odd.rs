//! Programs that do what no other does: each ends with a clear message and the right exit code, and
//! none hangs the tool.

use super::place::{Place, name_of, sources};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Program, exit code, what must be said.
const ODD: &[(&str, i32, &str)] = &[
    ("alarm_signal.c", 3, "the program calls setitimer"),
    ("cancel.c", 3, "the program calls pthread_cancel"),
    ("clocks.c", 0, "0 failing"),
    ("crash_in_destructor.c", 1, "the program aborted"),
    (
        "crash_in_key_destructor.c",
        1,
        "SIGSEGV (invalid memory access)",
    ),
    ("crash_in_static_destructor.cc", 1, "the program aborted"),
    ("exec_other.c", 3, "the program calls execlp"),
    ("exit_by_hand.c", 1, "the process ended with exit code 3"),
    ("exit_in_worker.c", 1, "exit code 3"),
    ("exit_while_running.c", 0, "0 failing"),
    ("fork_child.c", 3, "the program calls fork"),
    ("held_signal.c", 3, "the program calls sighold"),
    ("livelock.c", 1, "livelock: nothing changes any more"),
    ("lock_three.cc", 0, "0 failing"),
    ("many_threads.c", 0, "0 failing"),
    ("null_in_worker.c", 1, "SIGSEGV (invalid memory access)"),
    ("old_signals.c", 0, "0 failing"),
    ("random_bytes.c", 0, "0 failing"),
    ("read_stdin.c", 0, "0 failing"),
    ("refused_later.c", 1, "the program aborted"),
    ("server_loop.c", 1, "deadlock: task 1, task 2 wait"),
    ("spin_for_ever.c", 3, "task 1 at"),
    ("spin_foreign.c", 3, "task 1 at"),
    ("stack_overflow.c", 1, "ran out of stack"),
    ("stack_reused.c", 0, "0 failing"),
];

/// What is said at the failing place, for programs in which that is known.
const PLACES: &[(&str, &str)] = &[
    ("crash_in_destructor.c", "crash_in_destructor.c:18"),
    ("crash_in_key_destructor.c", "crash_in_key_destructor.c:11"),
    ("exit_in_worker.c", "exit_in_worker.c:9"),
    ("null_in_worker.c", "null_in_worker.c:9"),
    ("spin_for_ever.c", "spin_for_ever.c:"),
    ("spin_foreign.c", "spin_foreign.c:"),
];

#[test]
fn odd_programs_end_with_a_message_and_the_right_code() {
    let place = Place::new("odd");
    let mut wrong = Vec::new();
    for &(path, code, words) in ODD {
        place.build(&format!("odd/{path}"), &[]);
        let program = format!("./{}", name_of(path));
        let said = place.unpick(&[
            "run",
            "--watchdog",
            "2s",
            "--executions",
            "40",
            "--no-save",
            "--",
            &program,
        ]);
        let site = PLACES.iter().find(|(name, _)| *name == path);
        let is_placed = site.is_none_or(|(_, site)| said.text.contains(site));
        if said.code != code || !said.text.contains(words) || !is_placed {
            wrong.push(format!("{path}: exit code {}, {}", said.code, said.text));
        }
        // Whatever it did, nothing of it stays behind.
        let file = place.0.join(name_of(path));
        if stays(&file) {
            wrong.push(format!("{path}: a process is left behind"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_odd_program_is_tried() {
    let folder = sources().join("unpick-native/tests/programs/odd");
    let files = std::fs::read_dir(folder).unwrap();
    let mut there: BTreeSet<String> = files
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.ends_with(".txt"))
        .collect();
    assert!(there.remove("static_link.c"), "tried by another test");
    let tried = ODD.iter().map(|(path, ..)| path.to_string()).collect();
    assert_eq!(there, tried);
}

/// A program that is refused has been explored until then, and all that failed before is told.
#[test]
fn failures_before_a_refusal_are_told() {
    let place = Place::new("refused-later");
    place.build("odd/refused_later.c", &[]);
    // How many fail is the same in every way of the same search.
    let ways: [(&[&str], &str); 4] = [
        (&["--strategy", "random"], "167 of 167"),
        (&["--strategy", "random", "--jobs", "2"], "167 of 167"),
        (&["--strategy", "random", "--reexec", "fork"], "167 of 167"),
        (&["--strategy", "dfs"], "84 of 84"),
    ];
    for (way, failing) in ways {
        let mut arguments = vec!["run", "--keep-going", "--no-save", "--executions", "6000"];
        arguments.extend(way);
        arguments.extend(["--", "./refused_later"]);
        let said = place.unpick(&arguments);
        assert_eq!(said.code, 1, "{way:?}: {}", said.text);
        for words in [
            "the program aborted",
            "explored no further than to a call of system",
            failing,
        ] {
            assert!(said.text.contains(words), "{way:?}: {}", said.text);
        }
    }
}

#[test]
fn a_program_that_spins_is_ended_in_every_back_end() {
    let place = Place::new("spins");
    place.build("odd/spin_for_ever.c", &[]);
    for way in [
        ["--reexec", "snapshot"],
        ["--reexec", "fork"],
        ["--backend", "threads"],
    ] {
        let said = place.unpick(&[
            "run",
            way[0],
            way[1],
            "--watchdog",
            "2s",
            "--no-save",
            "--",
            "./spin_for_ever",
        ]);
        assert_eq!(said.code, 3, "{}", said.text);
        assert!(
            said.text.contains("has not come to a scheduling point"),
            "{}",
            said.text
        );
        assert!(said.text.contains("task 1 at"), "{}", said.text);
        assert!(
            !stays(&place.0.join("spin_for_ever")),
            "{way:?}: it still runs"
        );
    }
}

#[test]
fn a_statically_linked_program_is_refused() {
    let place = Place::new("static");
    let source = sources().join("unpick-native/tests/programs/odd/static_link.c");
    let mut compiler = Command::new("cc");
    compiler
        .args(["-static", "-pthread", "-o"])
        .arg(place.0.join("static_link"))
        .arg(source);
    if !compiler.status().unwrap().success() {
        println!("skipped: this compiler cannot link statically");
        return;
    }
    let said = place.unpick(&["run", "--", "./static_link"]);
    assert_eq!(said.code, 2, "{}", said.text);
    assert!(said.text.contains("is linked statically"), "{}", said.text);
}

#[test]
fn destructors_of_shared_libraries_are_part_of_an_execution() {
    let place = Place::new("library");
    let library = "#include <stdlib.h>\nint is_used;\n\
                   __attribute__((destructor)) static void end(void) { if (is_used) abort(); }\n";
    std::fs::write(place.0.join("library.c"), library).unwrap();
    let program = "extern int is_used;\nint main(void) { is_used = 1; return 0; }\n";
    std::fs::write(place.0.join("program.c"), program).unwrap();
    let here = format!("-Wl,-rpath,{}", place.0.display());
    for line in [
        &["cc", "-shared", "-fPIC", "-o", "liblibrary.so", "library.c"][..],
        &[
            "cc",
            "-o",
            "program",
            "program.c",
            "-L.",
            "-llibrary",
            &here,
        ],
    ] {
        let said = place.unpick(line);
        assert_eq!(said.code, 0, "{}", said.text);
    }
    for way in ["snapshot", "fork"] {
        let said = place.unpick(&["run", "--reexec", way, "--no-save", "--", "./program"]);
        assert_eq!(said.code, 1, "{}", said.text);
        let words = "the program aborted at library.c:3";
        assert!(said.text.contains(words), "{}", said.text);
    }
}

#[test]
fn json_tells_that_a_program_is_not_controlled() {
    let place = Place::new("json");
    place.build("odd/fork_child.c", &[]);
    let said = place.unpick(&["run", "--json", "--", "./fork_child"]);
    assert_eq!(said.code, 3, "{}", said.text);
    let object: serde_json::Value = serde_json::from_str(said.text.trim()).unwrap();
    assert_eq!(object["outcome"], "uncontrolled");
    assert_eq!(object["name"], "fork_child");
}

/// Whether a process of this program stays. One that was killed may take a moment to be gone.
fn stays(program: &Path) -> bool {
    let start = Instant::now();
    while is_running(program) {
        if start.elapsed() > Duration::from_secs(30) {
            return true;
        }
        std::thread::yield_now();
    }
    false
}

fn is_running(program: &Path) -> bool {
    let processes = std::fs::read_dir("/proc").unwrap();
    let mut links =
        processes.filter_map(|entry| std::fs::read_link(entry.ok()?.path().join("exe")).ok());
    links.any(|link| link == program)
}

#[test]
fn a_strategy_that_cannot_be_divided_says_so() {
    let place = Place::new("one-process");
    place.build("c/ab_ba.c", &[]);
    let run = |strategy: &str| {
        let options = ["run", "--strategy", strategy, "--jobs", "2", "--no-save"];
        place.unpick(&[&options[..], &["--", "./ab_ba"]].concat())
    };
    let words = "warning: `round-robin` cannot be divided among processes; --jobs 2";
    let whole = run("round-robin");
    assert!(whole.text.contains(words), "{}", whole.text);
    for strategy in ["dfs", "random"] {
        let said = run(strategy);
        assert_eq!(said.code, 1, "{strategy}: {}", said.text);
        assert!(!said.text.contains("--jobs"), "{strategy}: {}", said.text);
    }
}

/// `unpick run … | head -0`: what is found is kept, and the exit code says so.
#[test]
fn a_failure_that_no_reader_sees_is_kept() {
    let place = Place::new("unread");
    place.build("ends/disjoint.c", &[]);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = place.command(env!("CARGO_BIN_EXE_unpick"));
    command.args(["run", "--", "./disjoint"]).stdout(writer);
    assert_eq!(command.status().unwrap().code(), Some(1));
    let kept = place.0.join(".unpick/regressions/native_disjoint.txt");
    assert!(kept.is_file());
}
