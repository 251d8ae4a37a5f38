//! What is kept is found again; what is in the way is named; what is too much or not wanted goes.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use unpick_store::{REGRESSIONS_MAX, Store};
use unpick_trace::{
    Choice, Failure, FailureKind, Header, ObjectId, Op, OpKind, Outcome, Record, SiteId, Step,
};
use unpick_trace::{TaskId, TaskInfo, TaskSet, Trace};

/// A directory of its own for a test, removed at its end.
struct Project(PathBuf);

impl Project {
    fn new(name: &str) -> Project {
        let place = format!("unpick-store-{}-{name}", std::process::id());
        let project = std::env::temp_dir().join(place);
        let _ = fs::remove_dir_all(&project);
        fs::create_dir_all(&project).unwrap();
        Project(project)
    }

    fn store(&self) -> Store {
        Store::new(&self.0)
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.join(".unpick").join(path)
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A record of one task that stores `length` times.
fn record(program: &str, length: u64) -> Record {
    let mut trace = Trace::default();
    trace.tasks.push(TaskInfo {
        parent: TaskId::MAIN,
        index: 0,
        object: ObjectId(0),
        name: None,
    });
    let mut enabled = TaskSet::new();
    enabled.insert(TaskId::MAIN);
    for _ in 0..length {
        let op = Op::new(OpKind::Store, ObjectId(0));
        let choice = Choice::Task(TaskId::MAIN);
        let step = Step::new(choice, TaskId::MAIN, op, SiteId::UNKNOWN);
        trace.push(step, enabled.bits());
    }
    Record {
        header: Header {
            program: program.to_string(),
            ..Header::default()
        },
        trace,
        outcome: Outcome::Pass,
        passing: None,
    }
}

/// The regressions of a program, all of which can be read.
fn regressions(store: &Store, program: &str) -> Vec<Record> {
    let all = store.regressions_of(program).into_iter();
    all.map(|one| one.unwrap().1).collect()
}

/// A record that fails by a panic with these words.
fn failing(program: &str, words: &str) -> Record {
    let failure = Failure {
        kind: FailureKind::Panic,
        task: TaskId::MAIN,
        message: words.to_string(),
        site: None,
    };
    Record {
        outcome: Outcome::Fail(failure),
        ..record(program, 1)
    }
}

#[test]
fn different_failures_of_a_program_are_kept_oldest_first() {
    let project = Project::new("several");
    let store = project.store();
    let said = |program: &str| -> Vec<String> {
        let words = |record: &Record| match &record.outcome {
            Outcome::Fail(failure) => failure.message.clone(),
            _ => String::new(),
        };
        regressions(&store, program).iter().map(words).collect()
    };
    for words in ["one", "two", "one", "three"] {
        store.save(&failing("bank/works", words)).unwrap();
    }
    assert_eq!(said("bank/works"), ["one", "two", "three"]);
    assert_eq!(
        files(&project.path("regressions")),
        ["bank_works.2.txt", "bank_works.3.txt", "bank_works.txt"]
    );
    // Names that become the same do not take each other's files.
    store.save(&failing("bank:works", "other")).unwrap();
    assert_eq!(said("bank:works"), ["other"]);
    assert_eq!(said("bank/works"), ["one", "two", "three"]);
    // Beyond the limit the oldest goes.
    let more: Vec<String> = (0..REGRESSIONS_MAX).map(|n| n.to_string()).collect();
    for words in &more {
        store.save(&failing("bank/works", words)).unwrap();
    }
    assert_eq!(said("bank/works"), more);
    assert_eq!(said("bank:works"), ["other"]);
    // One that no longer fits is replaced where it is.
    let (path, _) = store.regressions_of("bank/works").remove(1).unwrap();
    store.save_as(&failing("bank/works", "near"), path).unwrap();
    assert_eq!(said("bank/works")[1], "near");
    // By its name the program loses all, by a file that one.
    let one = store.regression_path("bank/works");
    let found = store.find_regression(one.to_str().unwrap()).unwrap();
    store.forget(&found, false).unwrap();
    assert_eq!(said("bank/works").len(), REGRESSIONS_MAX - 1);
    let found = store.find_regression("bank/works").unwrap();
    store.forget(&found, false).unwrap();
    assert!(said("bank/works").is_empty());
    assert_eq!(said("bank:works"), ["other"]);
}

fn set_age(path: &Path, age: Duration) {
    let file = File::options().write(true).open(path).unwrap();
    file.set_modified(SystemTime::now() - age).unwrap();
}

fn files(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn what_is_saved_is_found_by_id_by_path_and_by_program() {
    let project = Project::new("find");
    let store = project.store();
    let saved = store.save(&record("tests::a name", 1)).unwrap();
    assert_eq!(saved.id.len(), 4);
    assert!(saved.regression.ends_with("tests__a_name.txt"));
    let (path, by_id) = store.load(&saved.id).unwrap();
    assert_eq!(path, saved.trace);
    assert_eq!(by_id, record("tests::a name", 1));
    let by_path = store.load(saved.regression.to_str().unwrap()).unwrap().1;
    assert_eq!(by_path, by_id);
    assert_eq!(regressions(&store, "tests::a name"), [by_id]);
    assert_eq!(regressions(&store, "another"), []);
    // Nothing else is left lying about.
    assert_eq!(files(&project.path("traces")).len(), 1);
    assert_eq!(files(&project.path("regressions")).len(), 1);
}

#[test]
fn equal_schedules_of_different_origin_get_different_ids() {
    let project = Project::new("collide");
    let store = project.store();
    let first = store.save(&record("one", 1)).unwrap();
    let second = store.save(&record("two", 1)).unwrap();
    let again = store.save(&record("one", 1)).unwrap();
    assert_ne!(first.id, second.id);
    assert_eq!(first, again);
}

#[test]
fn of_those_that_want_one_id_at_the_same_time_each_gets_its_own() {
    let project = Project::new("race");
    let store = project.store();
    for round in 1..=20 {
        let saved: Vec<(String, String)> = std::thread::scope(|scope| {
            let save = |writer: u32| {
                let program = format!("{round}-{writer}");
                let saved = store.save(&record(&program, 1)).unwrap();
                (program, saved.id)
            };
            let writers: Vec<_> = (0..8)
                .map(|writer| scope.spawn(move || save(writer)))
                .collect();
            let ids = writers.into_iter().map(|writer| writer.join().unwrap());
            ids.collect()
        });
        for (program, id) in saved {
            assert_eq!(store.load(&id).unwrap().1.header.program, program);
        }
        // Ids have 16 digits at most, so that a dozen schedules of one hash is all there can be.
        fs::remove_dir_all(project.path("traces")).unwrap();
    }
}

#[test]
fn what_cannot_be_found_or_written_is_named() {
    let project = Project::new("missing");
    let error = project.store().load("beef").unwrap_err().to_string();
    assert!(error.starts_with("no trace `beef`"), "{error}");
    let file = project.0.join("file");
    fs::write(&file, "in the way").unwrap();
    let error = Store::new(&file).save(&record("x", 1)).unwrap_err();
    assert!(error.to_string().starts_with("cannot create"), "{error}");
}

#[test]
fn beyond_the_limit_the_oldest_traces_go() {
    let project = Project::new("limit");
    let store = project.store();
    // Sixteen traces of one program: the last one is that of its regression, whatever its age.
    let saved: Vec<_> = (1..=16)
        .map(|length| store.save(&record("many", length)).unwrap())
        .collect();
    let old = store.save(&record("old", 99)).unwrap();
    for (age, saved) in (1..).zip(saved.iter().rev()) {
        set_age(&saved.trace, Duration::from_secs(60 * age));
    }
    set_age(&old.trace, Duration::from_secs(86_400));
    // With the one more there are 18, and room for 16: two of these more are dropped.
    let more = in_an_environment(&project, &[("UNPICK_TRACE_FILES_MAX", "0x10")], 100);
    assert_eq!(files(&project.path("traces")).len(), 14);
    let is_there: Vec<bool> = saved.iter().map(|saved| saved.trace.exists()).collect();
    assert_eq!(is_there, [vec![false; 4], vec![true; 12]].concat());
    assert!(old.trace.exists(), "its regression needs it");
    assert!(more.exists(), "it was just written");
    // A limit that even the needed ones exceed leaves these, and the newest.
    let last = in_an_environment(&project, &[("UNPICK_TRACE_BYTES_MAX", "1")], 101);
    assert!(last.exists() && old.trace.exists() && saved[15].trace.exists());
    assert_eq!(files(&project.path("traces")).len(), 3);
}

/// Saves a trace of that length in a process of its own, whose environment is no matter to the other
/// tests; gives where it is.
fn in_an_environment(project: &Project, variables: &[(&str, &str)], length: u64) -> PathBuf {
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "save_as_told", "--nocapture"])
        .env(
            "UNPICK_STORE_TEST",
            format!("{} {length}", project.0.display()),
        )
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let path = said
        .split("saved: ")
        .nth(1)
        .unwrap_or_else(|| panic!("{said}"));
    PathBuf::from(path.lines().next().unwrap())
}

/// The other half of [`in_an_environment`]; by itself it has nothing to do.
#[test]
fn save_as_told() {
    let told = std::env::var("UNPICK_STORE_TEST").unwrap_or_default();
    if let Some((project, length)) = told.rsplit_once(' ') {
        let saved = Store::new(project).save(&record("more", length.parse().unwrap()));
        match saved {
            Ok(saved) => println!("saved: {}", saved.trace.display()),
            Err(error) => println!("saved: {error}"),
        }
    }
}

#[test]
fn a_limit_that_is_no_number_is_named_and_nothing_is_written() {
    let project = Project::new("setting");
    let variable = ("UNPICK_TRACE_FILES_MAX", "many");
    let said = in_an_environment(&project, &[variable], 1);
    let words =
        "UNPICK_TRACE_FILES_MAX: `many` is no number; write it like 1000, or 0 for no limit";
    assert_eq!(said, Path::new(words));
    assert!(!project.path("").exists());
}

#[test]
fn what_killed_processes_leave_is_no_trace_and_goes_in_time() {
    let project = Project::new("parts");
    let store = project.store();
    let saved = store.save(&record("one", 1)).unwrap();
    let text = fs::read(&saved.trace).unwrap();
    let parts = ["traces/1-0.part", "traces/2-0.part", "regressions/1-0.part"];
    for part in parts {
        fs::write(project.path(part), &text[..text.len() / 2]).unwrap();
    }
    set_age(&project.path("traces/1-0.part"), Duration::from_secs(7_200));
    set_age(
        &project.path("regressions/1-0.part"),
        Duration::from_secs(7_200),
    );
    store.load("1-0").unwrap_err();
    store.find_regression("1-0").unwrap_err();
    store.save(&record("two", 2)).unwrap();
    let is_there = parts.map(|part| project.path(part).exists());
    assert_eq!(
        is_there,
        [false, true, false],
        "another process may still write"
    );
}

#[test]
fn a_regression_is_forgotten_by_any_of_its_names() {
    let project = Project::new("forget");
    let store = project.store();
    let names = [
        "bank::tests::transfer",
        "transfer",
        "suite:CS.x:n=3",
        "native:prog",
    ];
    for (index, program) in names.iter().enumerate() {
        for reference in [
            program.to_string(),
            store.regression_path(program).display().to_string(),
        ] {
            store.save(&record(program, index as u64)).unwrap();
            let found = store.find_regression(&reference).unwrap();
            assert_eq!(found.program, *program);
            assert_eq!(store.forget(&found, false).unwrap().trace_count, 0);
            assert_eq!(regressions(&store, program), []);
        }
    }
    let saved = store.save(&record("suite:CS.x:n=3", 5)).unwrap();
    store.save(&record("native:prog", 6)).unwrap();
    assert_eq!(
        store.find_regression("CS.x:n=3").unwrap().files,
        std::slice::from_ref(&saved.regression)
    );
    assert_eq!(
        store.find_regression(&saved.id).unwrap().files,
        std::slice::from_ref(&saved.regression)
    );
    // With its traces: the one of the rounds above, and this one.
    let found = store.find_regression("CS.x:n=3").unwrap();
    assert_eq!(store.forget(&found, true).unwrap().trace_count, 2);
    assert!(!saved.trace.exists());
    assert_eq!(regressions(&store, "native:prog").len(), 1);
}

#[test]
fn a_damaged_regression_is_forgotten_by_its_file() {
    let project = Project::new("damaged");
    let store = project.store();
    let saved = store.save(&record("tests::x", 1)).unwrap();
    fs::write(&saved.regression, b"\xff no trace").unwrap();
    assert!(store.regressions_of("tests::x").pop().unwrap().is_err());
    let found = store.find_regression("tests__x").unwrap();
    store.forget(&found, true).unwrap();
    assert!(!saved.regression.exists() && saved.trace.exists());
    // A file that lies elsewhere is none.
    let notes = project.0.join("notes.txt");
    fs::write(&notes, "not to be forgotten").unwrap();
    store.find_regression(notes.to_str().unwrap()).unwrap_err();
}

#[test]
fn unknown_names_get_the_nearest_and_the_list() {
    let project = Project::new("unknown");
    let store = project.store();
    let error = store.find_regression("x").unwrap_err().to_string();
    assert!(
        error.starts_with("no regression of `x`: there are none in "),
        "{error}"
    );
    for program in ["a::transfer", "b::transfer", "a::deposit"] {
        store.save(&record(program, 1)).unwrap();
    }
    let error = store.find_regression("a::depsit").unwrap_err().to_string();
    assert!(
        error.contains("the nearest name is `a::deposit`; "),
        "{error}"
    );
    assert!(
        error.ends_with("has a::deposit, a::transfer, b::transfer"),
        "{error}"
    );
    let error = store.find_regression("transfer").unwrap_err().to_string();
    let words = "`transfer` may be a::transfer or b::transfer; give the whole name";
    assert_eq!(error, words);
}
