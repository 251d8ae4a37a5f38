//! What was reported as kept is there, whatever happens: processes that are killed, others that write at the
//! same time, disks that are full or cannot be written, files that are damaged.

#[path = "support/place.rs"]
mod place;

use place::Place;
use std::fs;
use std::io::ErrorKind;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use unpick::store::Store;
use unpick::trace::decode;

impl Place {
    /// What was said to be kept is there, of that program, and everything that is there is whole. Gives
    /// how many failures were said to be kept.
    fn check(&self, said: &str) -> usize {
        let store = Store::new(&self.0);
        let mut program = "";
        let mut count = 0;
        for line in said.lines() {
            if let Some(rest) = line.strip_prefix("FAILED  ") {
                program = rest.split("  ").next().unwrap();
            } else if let Some(id) = line.strip_prefix("  replay  unpick replay ") {
                let record = store
                    .load(id)
                    .unwrap_or_else(|error| panic!("{error}: {said}"))
                    .1;
                assert_eq!(record.header.program, format!("suite:{program}"));
                assert!(record.outcome.is_failure());
                count += 1;
            } else if let Some(path) = line.strip_prefix("  saved   ") {
                let path = self.0.join(path);
                store.load(path.to_str().unwrap()).unwrap();
            }
        }
        self.check_files();
        count
    }

    fn check_files(&self) {
        for path in files(&self.0.join(".unpick")) {
            let end = path.extension().unwrap().to_str().unwrap();
            if end == "part" {
                continue;
            }
            assert!(["trace", "txt"].contains(&end), "{}", path.display());
            let text = match fs::read_to_string(&path) {
                // What another process has kept at once has given way to its report.
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                text => text.unwrap(),
            };
            decode(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        }
    }
}

/// All files below a directory.
fn files(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(directory) else {
        return Vec::new();
    };
    let paths = entries.map(|entry| entry.unwrap().path());
    let files = paths.flat_map(|path| match path.is_dir() {
        true => files(&path),
        false => vec![path],
    });
    files.collect()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Programs that fail soon.
const PROGRAMS: &[&str] = &[
    "CS.account_bad",
    "CS.deadlock01_bad",
    "CS.lazy01_bad",
    "CS.queue_bad",
    "CS.stack_bad",
    "CS.sync01_bad",
    "CS.token_ring_bad",
    "CS.wronglock_bad",
];

const OPTIONS: &[&str] = &["--strategy", "random", "--keep-going", "--shrink", "0"];

#[test]
fn what_was_reported_survives_that_the_process_is_killed() {
    let place = Place::new("killed");
    let run = [&["suite", "run"], PROGRAMS, OPTIONS].concat();
    let mut reported = 0;
    for round in 0..16 {
        let seed = format!("{round}");
        let mut child = place
            .command(&[&run[..], &["--executions", "50", "--seed", &seed]].concat())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut said = String::new();
        // Killed when the next one is being explored, or kept.
        let mut left = round % PROGRAMS.len();
        loop {
            let before = said.len();
            output.read_line(&mut said).unwrap();
            left -= usize::from(said[before..].starts_with("  saved") && left > 0);
            if left == 0 || said.len() == before {
                break;
            }
        }
        child.kill().unwrap();
        child.wait().unwrap();
        output.read_to_string(&mut said).unwrap();
        // The last line may have been cut.
        let whole = said.rfind('\n').map_or(0, |at| at + 1);
        reported += place.check(&said[..whole]);
    }
    assert!(reported > 16, "only {reported} failures were reported");
}

#[test]
fn explorations_at_the_same_time_lose_nothing() {
    let place = Place::new("together");
    for round in 0..10 {
        let (first, second) = (PROGRAMS[round % 8], PROGRAMS[(round + round / 5) % 8]);
        let children = [first, second, first].map(|program| {
            let seed = format!("{round}");
            let run = [&["suite", "run", program, "--seed", &seed], OPTIONS].concat();
            let mut command = place.command(&run);
            command.args(["--executions", "50"]).stdout(Stdio::piped());
            command.spawn().unwrap()
        });
        for child in children {
            let output = child.wait_with_output().unwrap();
            assert_eq!(output.status.code(), Some(1));
            assert_eq!(place.check(&text(&output.stdout)), 1);
        }
    }
    let left = files(&place.0.join(".unpick"));
    assert!(left.iter().all(|path| path.extension().unwrap() != "part"));
}

/// Runs a script of the shell where it may mount file systems; nothing if it may not.
#[cfg(target_os = "linux")]
fn with_mounts(place: &Place, script: &str) -> Option<Output> {
    let script = format!("mount -t tmpfs -o size=64k none small && cd small || exit 99; {script}");
    for how in ["-m", "-rm"] {
        let mut command = Command::new("unshare");
        command
            .args([how, "sh", "-c", &script])
            .current_dir(&place.0);
        command.env("UNPICK", env!("CARGO_BIN_EXE_unpick"));
        match command.stdin(Stdio::null()).output() {
            Ok(output) if ![Some(1), Some(99)].contains(&output.status.code()) => {
                return Some(output);
            }
            Ok(output) => eprintln!("unshare {how}: {}", text(&output.stderr).trim()),
            Err(error) => eprintln!("unshare: {error}"),
        }
    }
    eprintln!("left out: no file system can be mounted here");
    None
}

#[cfg(target_os = "linux")]
#[test]
fn on_a_full_disk_nothing_is_half_written_and_the_failure_is_printed() {
    let place = Place::new("full");
    fs::create_dir(place.0.join("small")).unwrap();
    // Room for more and more of the three files, 4 KiB at a time.
    let script = r#"
        cat /dev/zero > fill 2>/dev/null
        for round in $(seq 0 19); do
            "$UNPICK" suite run rmw_counter:n=4,k=400 --steps 50 --fail-on-limit --strategy random --shrink 0
            echo "code $?"
            mkdir -p ../kept/$round
            cp -r .unpick ../kept/$round/ 2>/dev/null
            rm -rf .unpick
            truncate -s -4096 fill
        done
        exit 0
    "#;
    let Some(output) = with_mounts(&place, script) else {
        return;
    };
    let said = text(&output.stdout);
    let rounds: Vec<&str> = said.split_inclusive("code 1\n").collect();
    assert_eq!(rounds.len(), 20, "{said}{}", text(&output.stderr));
    let (mut full, mut as_found) = (0, 0);
    for (round, said) in rounds.iter().enumerate() {
        let kept = Place(place.0.join(format!("kept/{round}")));
        assert!(
            said.starts_with("FAILED  rmw_counter:n=4,k=400  "),
            "{said}"
        );
        match said.contains("saved   nothing: ") {
            true => {
                assert!(said.contains("No space left on device"), "{said}");
                assert!(said.contains("replay  not possible, "), "{said}");
                kept.check_files();
                full += 1;
            }
            false if said.contains(", as it was found; nothing: ") => {
                kept.check_files();
                as_found += 1;
            }
            false => assert_eq!(kept.check(said), 1, "{said}"),
        }
        let all = files(&kept.0.join(".unpick"));
        assert!(all.iter().all(|path| path.extension().unwrap() != "part"));
    }
    assert!(
        (2..20).contains(&full) && (1..20 - full).contains(&as_found),
        "{full} of 20 rounds were out of room, {as_found} had room for one file"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn where_nothing_can_be_written_the_failure_is_printed() {
    let place = Place::new("read-only");
    fs::create_dir(place.0.join("small")).unwrap();
    let script = r#"
        mount -o remount,ro . || exit 99
        "$UNPICK" suite run CS.account_bad --strategy dfs
        echo "code $?"
        exit 0
    "#;
    let Some(output) = with_mounts(&place, script) else {
        return;
    };
    let said = text(&output.stdout);
    assert!(said.starts_with("FAILED  CS.account_bad  "), "{said}");
    assert!(
        said.contains("saved   nothing: cannot create .unpick/traces: "),
        "{said}"
    );
    assert!(said.contains("Read-only file system"), "{said}");
    assert!(said.ends_with("code 1\n"), "{said}");
}

#[test]
fn damaged_files_are_refused_in_words() {
    let place = Place::new("damaged");
    let output = place.run(&["suite", "run", "CS.account_bad", "--strategy", "dfs"]);
    assert_eq!(place.check(&text(&output.stdout)), 1);
    let whole = fs::read(place.0.join(".unpick/regressions/suite_CS.account_bad.txt")).unwrap();
    let file = place.0.join("damaged");
    for number in 0..24 {
        let mut bytes = whole.clone();
        let at = number * bytes.len() / 24;
        match number % 4 {
            0 => bytes.truncate(at),
            1 => bytes[at] = 0xff,
            2 => drop(bytes.splice(at..at, *b"99999999999999999999")),
            _ => drop(bytes.splice(at..at + 2, *b"\0\r")),
        }
        fs::write(&file, &bytes).unwrap();
        for arguments in [
            &["show", "damaged"][..],
            &["show", "damaged", "--html", "page"],
            &["show", "damaged", "--perfetto", "events"],
            &["replay", "damaged"],
        ] {
            let output = place.run(arguments);
            let said = text(&output.stderr);
            assert_eq!(
                output.status.code(),
                Some(2),
                "{arguments:?} {number}: {said}"
            );
            assert!(said.starts_with("error: damaged: "), "{said}");
        }
    }
    assert!(!place.0.join("page").exists());
}

#[test]
fn regressions_are_forgotten_by_name() {
    let place = Place::new("forget");
    for program in ["CS.account_bad", "CS.lazy01_bad"] {
        place.run(&["suite", "run", program, "--strategy", "dfs"]);
    }
    let slip = place.run(&["forget", "CS.lazy01_bad", "CS.acount_bad"]);
    assert_eq!(slip.status.code(), Some(2));
    let words = "error: no regression of `CS.acount_bad`: the nearest name is `suite:CS.account_bad`; \
                 .unpick/regressions has suite:CS.account_bad, suite:CS.lazy01_bad\n";
    assert_eq!(text(&slip.stderr), words);
    let output = place.run(&["forget", "--traces", "CS.lazy01_bad"]);
    let words =
        "forgot suite:CS.lazy01_bad: .unpick/regressions/suite_CS.lazy01_bad.txt and 1 trace\n";
    assert_eq!(
        (output.status.code(), text(&output.stdout)),
        (Some(0), words.into())
    );
    assert_eq!(files(&place.0.join(".unpick")).len(), 2);
    let output = place.run(&["forget", ".unpick/regressions/suite_CS.account_bad.txt"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(files(&place.0.join(".unpick/regressions")).is_empty());
}
