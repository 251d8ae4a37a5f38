//! Several processes for one search: they find what one finds, and end together.

use super::place::{Place, Said, name_of};
use serde_json::Value;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::yield_now;
use std::time::{Duration, Instant};

/// Divided often, so that small programs have parts, too.
const SEARCHES: &[&str] = &["dfs", "ipb", "idb", "dpor:part=4", "odpor:part=4"];

/// One that ends at its first failure, one to the end of the search with failures, one to the end of a
/// budget.
const RUNS: &[(&str, &[&str], &[&str])] = &[
    ("c/ab_ba.c", &[], &[]),
    (
        "c/dining_philosophers.c",
        &[],
        &["--keep-going", "--executions", "20000"],
    ),
    ("c/work_stealing.c", &["-DFIXED"], &["--executions", "3000"]),
];

/// A program whose search does not end in the life of a test.
const ENDLESS: &[&str] = &[
    "run",
    "--json",
    "--strategy",
    "dfs",
    "--executions",
    "1000000000",
    "--no-save",
];

#[test]
fn two_processes_find_what_one_finds() {
    let place = Place::new("jobs");
    for (path, flags, options) in RUNS {
        place.build(path, flags);
        let program = format!("./{}", name_of(path));
        for strategy in SEARCHES {
            let run = |jobs: &str| {
                place.forget();
                let words = ["run", "--json", "--strategy", strategy, "--jobs", jobs];
                let said = place.unpick(&[&words[..], options, &["--", &program]].concat());
                (said.code, found(&said))
            };
            assert_eq!(run("1"), run("2"), "{path} by {strategy}");
        }
    }
}

#[test]
fn two_processes_tell_the_same_story() {
    let place = Place::new("jobs-story");
    for path in [
        "odd/null_in_worker.c",
        "c/if_not_while.c",
        "c/cancel_complete.c",
    ] {
        place.build(path, &[]);
        let program = format!("./{}", name_of(path));
        for strategy in ["dfs", "dpor", "odpor"] {
            let run = |jobs: &str| {
                place.forget();
                let words = ["run", "--strategy", strategy, "--jobs", jobs, "--quiet"];
                let said = place.unpick(&[&words[..], &["--", &program]].concat());
                assert_eq!(said.code, 1, "{path} by {strategy}: {}", said.text);
                said.text
            };
            assert_eq!(run("1"), run("2"), "{path} by {strategy}");
        }
    }
}

#[test]
fn nobody_waits_for_a_process_that_is_lost() {
    let place = Place::new("jobs-lost");
    place.build("c/work_stealing.c", &["-DFIXED"]);
    for number in 0..2 {
        let unpick = start(&place, &["--jobs", "2"]);
        let workers = wait_for(|| two_at_work(&unpick));
        kill("-KILL", workers[number]);
        let said = Said::of(&unpick.wait_with_output().unwrap());
        assert_eq!(said.code, 3, "{}", said.text);
        assert!(said.text.contains("signal 9"), "{}", said.text);
        for worker in workers {
            let folder = format!("/proc/{worker}");
            wait_for(|| (!Path::new(&folder).exists()).then_some(()));
        }
    }
}

#[test]
fn an_interruption_ends_all_and_shows_what_was_found() {
    let place = Place::new("jobs-interrupt");
    place.build("c/work_stealing.c", &["-DFIXED"]);
    for jobs in ["1", "2"] {
        let unpick = start(&place, &["--jobs", jobs]);
        wait_for(|| match jobs {
            "1" => one_at_work(&unpick),
            _ => two_at_work(&unpick).map(|_| ()),
        });
        // As a terminal does: to all processes of the group.
        kill("-INT", -i64::from(unpick.id()));
        let said = Said::of(&unpick.wait_with_output().unwrap());
        let object = found(&said);
        assert_eq!(object["stopped_because"], "interrupted", "{}", said.text);
        assert_ne!(object["executions"], 0, "{}", said.text);
    }
}

#[test]
fn time_ends_all() {
    let place = Place::new("jobs-time");
    place.build("c/work_stealing.c", &["-DFIXED"]);
    let program = ["--jobs", "2", "--time", "500ms", "--", "./work_stealing"];
    let said = place.unpick(&[ENDLESS, &program].concat());
    let object = found(&said);
    assert_eq!(object["stopped_because"], "time", "{}", said.text);
    assert_eq!(object["complete"], false, "{}", said.text);
    assert_ne!(object["executions"], 0, "{}", said.text);
}

/// The object of an exploration, without what differs from time to time.
fn found(said: &Said) -> Value {
    let mut object: Value = serde_json::from_str(said.text.trim())
        .unwrap_or_else(|error| panic!("{error}: {}", said.text));
    for name in ["elapsed_ms", "executions_per_second"] {
        object.as_object_mut().unwrap().remove(name);
    }
    object
}

/// Starts an endless search in a group of its own.
fn start(place: &Place, options: &[&str]) -> Child {
    place
        .command(env!("CARGO_BIN_EXE_unpick"))
        .args(ENDLESS)
        .args(options)
        .args(["--", "./work_stealing"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .unwrap()
}

/// Waits until something is there.
fn wait_for<T>(look: impl Fn() -> Option<T>) -> T {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < deadline, "waited in vain");
        yield_now();
    }
}

/// The two processes that share the search, if both are at work.
fn two_at_work(unpick: &Child) -> Option<Vec<i64>> {
    let launched = children_of(i64::from(unpick.id())).into_iter();
    let mut crews = launched.map(children_of);
    crews.find(|crew| crew.len() == 2 && crew.iter().all(|&worker| is_at_work(worker)))
}

/// Whether the process that was launched is at work on the search: those before it are soon done.
fn one_at_work(unpick: &Child) -> Option<()> {
    let mut launched = children_of(i64::from(unpick.id())).into_iter();
    launched.find(|&process| is_at_work(process)).map(|_| ())
}

/// The processes that the threads of a process have started.
fn children_of(process: i64) -> Vec<i64> {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{process}/task")) else {
        return Vec::new();
    };
    let lists = threads
        .flatten()
        .map(|thread| std::fs::read_to_string(thread.path().join("children")).unwrap_or_default());
    let numbers = |list: String| {
        let numbers = list
            .split_whitespace()
            .map(|number| number.parse().unwrap());
        numbers.collect::<Vec<i64>>()
    };
    lists.flat_map(numbers).collect()
}

/// Whether a process has run for a while, by the system's clock, a tick of which is a hundredth second.
fn is_at_work(process: i64) -> bool {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The name, in brackets, may hold anything; time in the program and in the kernel come later.
    let fields = text.rsplit(')').next().unwrap_or_default();
    let times = fields.split_whitespace().skip(11).take(2);
    let ticks = times.filter_map(|time| time.parse::<u64>().ok());
    ticks.sum::<u64>() > 5
}

fn kill(signal: &str, process: i64) {
    let process = process.to_string();
    let status = Command::new("kill").args([signal, "--", &process]).status();
    assert!(status.unwrap().success());
}
