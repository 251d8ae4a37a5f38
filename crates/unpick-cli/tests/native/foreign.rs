//! Tasks that block in code that is not controlled: they are left, and the others go on.

use super::place::{Place, name_of};

const PROGRAMS: &[(&str, &str)] = &[
    ("foreign/file_locks.c", "deadlock: 3 tasks can never go on"),
    ("foreign/stdio_pipe.c", "atomic_load(&is_sent)"),
];

#[test]
fn others_go_on_and_what_is_found_comes_back() {
    let place = Place::new("foreign");
    for (path, words) in PROGRAMS {
        place.build(path, &[]);
        let program = format!("./{}", name_of(path));
        // The world outside is waited for as long as that before a deadlock is believed in.
        let run = ["run", "--watchdog", "1s", "--strategy", "random"];
        let found = place.unpick(&[&run[..], &["--executions", "200", "--", &program]].concat());
        assert_eq!(found.code, 1, "{path}: {}", found.text);
        assert!(found.text.contains(words), "{path}: {}", found.text);
        let reason = "threads and fork: a task blocks in code that is not controlled";
        assert!(found.text.contains(reason), "{path}: {}", found.text);
        // It is known from the trace that threads are needed.
        let again = place.unpick(&["replay", &found.id()]);
        let is_same = again.text.contains("the same failure, step by step");
        assert!(is_same, "{path}: {}", again.text);
    }
}

#[test]
fn nothing_is_found_in_the_fixed_programs_and_executions_are_the_same_each_time() {
    let place = Place::new("foreign-fixed");
    for (path, _) in PROGRAMS {
        place.build(path, &["-DFIXED"]);
        let program = format!("./{}", name_of(path));
        let mut hashes = Vec::new();
        for way in ["fork", "exec", "fork"] {
            let said = place.unpick(&[
                "run",
                "--json",
                "--backend",
                "threads",
                "--reexec",
                way,
                "--strategy",
                "random",
                "--executions",
                "60",
                "--",
                &program,
            ]);
            assert_eq!(said.code, 0, "{path} by {way}: {}", said.text);
            let object: serde_json::Value = serde_json::from_str(said.text.trim()).unwrap();
            assert_eq!(object["executions"], 60, "{path} by {way}: {}", said.text);
            hashes.push(object["hash"].clone());
        }
        assert!(!hashes[0].is_null());
        assert_eq!(hashes[0], hashes[1], "{path}");
        assert_eq!(hashes[0], hashes[2], "{path}");
    }
}
