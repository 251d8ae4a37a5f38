//! What every study gets: results that are kept, workers that change nothing, an end by the user.

use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use unpick_study::{Cell, Document, Ended, Error, Measurement, Options, Study, Watch, is_a, run};

/// A study whose cells are numbers, and which counts how often each was measured.
struct Squares {
    measured: Mutex<Vec<u64>>,
    /// Whether it answers something else than a number.
    is_damaged: bool,
}

impl Squares {
    fn new() -> Squares {
        Squares {
            measured: Mutex::new(Vec::new()),
            is_damaged: false,
        }
    }

    fn count(&self) -> usize {
        self.measured.lock().unwrap().len()
    }
}

impl Study for Squares {
    fn name(&self) -> &'static str {
        "squares"
    }

    fn summary(&self) -> &'static str {
        "squares of numbers"
    }

    fn limit_default(&self) -> u64 {
        10
    }

    fn cells(&self, options: &Options) -> Result<Vec<Cell>, Error> {
        let cell = |number: u64| Cell {
            program: number.to_string(),
            technique: "square".to_string(),
            variant: String::new(),
            limit: options.limit,
            seed: options.seed,
        };
        Ok((0..20).map(cell).collect())
    }

    fn measure(&self, cell: &Cell, is_interrupted: &(dyn Fn() -> bool + Sync)) -> Option<Value> {
        if is_interrupted() {
            return None;
        }
        let number: u64 = cell.program.parse().unwrap();
        self.measured.lock().unwrap().push(number);
        if self.is_damaged {
            return Some(json!({ "number": [number] }));
        }
        Some(json!(number * number + cell.seed))
    }

    fn is_answer(&self, value: &Value) -> bool {
        self.is_damaged || is_a::<u64>(value)
    }

    fn documents(&self, _options: &Options, measured: &[Measurement]) -> Vec<Document> {
        if self.is_damaged {
            return Vec::new();
        }
        let numbers: Vec<String> = measured
            .iter()
            .map(|one| one.read::<u64>().to_string())
            .collect();
        vec![Document::new("squares.txt", numbers.join(" "))]
    }

    fn violations(&self, _options: &Options, measured: &[Measurement]) -> Vec<String> {
        let is_wrong = !self.is_damaged && measured.iter().any(|one| one.read::<u64>() == 7);
        is_wrong.then(|| "seven".to_string()).into_iter().collect()
    }
}

fn place(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("study-{name}"));
    let _ = fs::remove_dir_all(&path);
    path
}

fn options(jobs: usize, seed: u64) -> Options {
    Options {
        limit: 10,
        jobs,
        seed,
        ..Options::default()
    }
}

/// Runs a study until so many cells were asked for.
fn run_until(study: &Squares, place: &Path, options: &Options, looks_max: usize) -> Ended {
    let looks = AtomicUsize::new(0);
    let watch = Watch {
        is_interrupted: &|| looks.fetch_add(1, SeqCst) >= looks_max,
        progress: &|_| {},
    };
    run(study, options, place, false, &watch).unwrap()
}

#[test]
fn a_study_that_was_ended_goes_on_where_it_was() {
    let place = place("goes-on");
    let study = Squares::new();
    let ended = run_until(&study, &place, &options(1, 0), 11);
    assert!(!ended.is_complete());
    assert!(ended.measured > 0 && ended.written.is_empty());
    assert!(!place.join("squares.txt").exists());
    let before = study.count();
    assert_eq!(before, ended.measured);
    let ended = run_until(&study, &place, &options(1, 0), usize::MAX);
    assert!(ended.is_complete());
    assert_eq!((ended.kept, ended.measured), (before, 20 - before));
    assert_eq!(study.count(), 20, "nothing is measured twice");
    assert_eq!(ended.foreign, 0);
    let text = fs::read_to_string(place.join("squares.txt")).unwrap();
    assert!(text.starts_with("0 1 4 9 16"), "{text}");
    assert!(place.join("times.csv").exists());
}

#[test]
fn any_number_of_workers_writes_the_same() {
    let texts: Vec<String> = [1, 3, 64]
        .map(|jobs| {
            let place = place(&format!("workers-{jobs}"));
            run_until(&Squares::new(), &place, &options(jobs, 0), usize::MAX);
            fs::read_to_string(place.join("squares.txt")).unwrap()
        })
        .to_vec();
    assert!(texts.iter().all(|text| *text == texts[0]));
}

#[test]
fn another_seed_makes_other_cells_and_fresh_measures_again() {
    let place = place("seeds");
    let study = Squares::new();
    run_until(&study, &place, &options(1, 0), usize::MAX);
    let ended = run_until(&study, &place, &options(1, 3), usize::MAX);
    assert_eq!((ended.kept, ended.measured), (0, 20));
    assert_eq!(ended.violations, ["seven"], "2 * 2 + 3");
    let watch = Watch {
        is_interrupted: &|| false,
        progress: &|_| {},
    };
    let ended = run(&study, &options(1, 3), &place, true, &watch).unwrap();
    assert_eq!((ended.kept, ended.measured), (0, 20));
}

#[test]
fn the_progress_ends_at_the_end() {
    let place = place("progress");
    let last = Mutex::new((0, 0));
    let watch = Watch {
        is_interrupted: &|| false,
        progress: &|progress| *last.lock().unwrap() = (progress.done, progress.total),
    };
    run(&Squares::new(), &options(2, 0), &place, false, &watch).unwrap();
    assert_eq!(*last.lock().unwrap(), (20, 20));
}

#[test]
fn a_file_that_is_no_file_of_results_is_named() {
    let place = place("damaged");
    fs::create_dir_all(&place).unwrap();
    fs::write(
        place.join("results.sqlite"),
        "not a database, but long enough to be taken for one",
    )
    .unwrap();
    let watch = Watch {
        is_interrupted: &|| false,
        progress: &|_| {},
    };
    let error = run(&Squares::new(), &options(1, 0), &place, false, &watch).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("results.sqlite") && text.contains("remove the file"),
        "{text}"
    );
}

#[test]
fn what_was_kept_and_cannot_be_read_is_measured_again() {
    let place = place("damaged");
    let damaged = Squares {
        is_damaged: true,
        ..Squares::new()
    };
    run_until(&damaged, &place, &options(1, 0), 11);
    assert!(damaged.count() > 0);
    let study = Squares::new();
    let ended = run_until(&study, &place, &options(1, 0), usize::MAX);
    assert_eq!((ended.kept, ended.measured), (0, 20));
    let text = fs::read_to_string(place.join("squares.txt")).unwrap();
    assert!(text.starts_with("0 1 4 9 16"), "{text}");
}
