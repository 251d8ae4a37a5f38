//! What a placement costs that does nothing: inactive, active without firing, and traced. Started by
//! `cargo xtask bench noise`.
//!
//! A program measures itself, in processor time. It is built three ways of being run: as the compiler makes
//! it, with nothing of unpick; with the runtime, and no placement active; with all of them active and a
//! probability of zero. The difference to the first, shared among the placements of an operation, is the
//! cost of one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use unpick_native::compile::{self, Language};
use unpick_native::drive::Command;
use unpick_native::free::{End, Session, Setup};
use unpick_native::install::runtime_library;
use unpick_noise::{NoiseOrder, PLACEMENT_COUNT, Placements, Seeding, Variables};

/// What is measured, and how many placements one of it passes.
const MEASURED: &[(&str, f64)] = &[
    ("mutex", 4.0),
    ("semaphore", 4.0),
    ("update", 2.0),
    ("write", 1.0),
];

/// Operations in a round.
const COUNT: u32 = 50_000;

/// Nanoseconds that an inactive placement may cost, and one that does not fire.
const INACTIVE_MAX: f64 = 6.0;
const SILENT_MAX: f64 = 60.0;

fn main() -> ExitCode {
    let folder = std::env::temp_dir().join(format!("unpick-bench-noise-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder among the temporary files");
    let all_well = measure(&folder);
    let _ = std::fs::remove_dir_all(&folder);
    match all_well {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(1),
    }
}

fn measure(folder: &Path) -> bool {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/free/hot.c");
    let plain = build(&source, &folder.join("plain"), false);
    let built = build(&source, &folder.join("built"), true);
    let bare = times(&String::from_utf8_lossy(
        &std::process::Command::new(&plain)
            .arg(COUNT.to_string())
            .output()
            .expect("the program runs")
            .stdout,
    ));
    let inactive = free(&built, &NoiseOrder::nothing(1));
    let silent = free(&built, &order(false));
    let traced = free(&built, &order(true));
    println!(
        "nanoseconds a placement, besides the operation itself; bars: inactive {INACTIVE_MAX}, silent {SILENT_MAX}"
    );
    println!(
        "{:<12} {:>9} {:>9} {:>9} {:>9}",
        "operation", "bare", "inactive", "silent", "traced"
    );
    let mut all_well = true;
    for &(name, placements) in MEASURED {
        let cost = |times: &BTreeMap<String, f64>| (times[name] - bare[name]) / placements;
        let (inactive, silent, traced) = (cost(&inactive), cost(&silent), cost(&traced));
        let bare = bare[name];
        println!("{name:<12} {bare:>9.1} {inactive:>9.1} {silent:>9.1} {traced:>9.1}");
        all_well &= inactive <= INACTIVE_MAX && silent <= SILENT_MAX;
    }
    println!(
        "{}",
        if all_well {
            "within the bars"
        } else {
            "ABOVE THE BARS"
        }
    );
    all_well
}

fn build(source: &Path, program: &Path, is_ours: bool) -> PathBuf {
    let arguments = [
        "-O1".into(),
        source.into(),
        "-o".into(),
        program.into(),
        "-pthread".into(),
    ];
    let mut command = match is_ours {
        true => compile::command(Language::C, &arguments).expect("a compiler"),
        false => {
            let mut command = std::process::Command::new("cc");
            command.args(&arguments);
            command
        }
    };
    assert!(command.status().expect("a compiler").success());
    program.to_path_buf()
}

/// All placements are active, and noise never fires.
fn order(is_traced: bool) -> NoiseOrder {
    let all = Placements::all();
    NoiseOrder {
        noised: all,
        counted: all,
        traced: if is_traced {
            all
        } else {
            Placements::default()
        },
        variables: Variables::All,
        seedings: [Seeding::default(); PLACEMENT_COUNT],
        ..NoiseOrder::nothing(1)
    }
}

fn free(program: &Path, order: &NoiseOrder) -> BTreeMap<String, f64> {
    let command = Command {
        program: program.to_path_buf(),
        arguments: vec![COUNT.to_string().into()],
        environment: BTreeMap::new(),
        directory: None,
        runtime: runtime_library().expect("the runtime"),
    };
    let setup = Setup {
        threads_max: 2,
        events_max: 8 << 20,
        ..Setup::default()
    };
    let mut session = Session::new(&command, setup).expect("memory");
    let execution = session
        .execute(order, &mut || true)
        .expect("it runs")
        .expect("to its end");
    assert_eq!(execution.end, End::Exited(0));
    times(&String::from_utf8_lossy(&execution.output))
}

/// Times by name.
fn times(output: &str) -> BTreeMap<String, f64> {
    let words = output.lines().filter_map(|line| line.split_once(' '));
    words
        .filter_map(|(name, time)| Some((name.to_string(), time.parse().ok()?)))
        .collect()
}
