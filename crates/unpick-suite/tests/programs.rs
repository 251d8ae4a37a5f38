//! Every program is what the suite says of it: its size, the kind of its failure, its fixed twin; and every
//! failure replays.

use std::time::Instant;
use unpick::store::Store;
use unpick::trace::{FailureKind, Outcome};
use unpick::{Config, FirstFailure, explore, replay};
use unpick_suite::{BugKind, Program, Source, facts, find, programs};

/// What is tried on a program, one after the other, until something fails.
const ATTEMPTS: &[(&str, u64)] = &[
    ("pct:d=3", 400),
    ("random", 400),
    ("surw:weigh=1", 2_000),
    ("idb", 3_000),
    ("odpor", 5_000),
];

/// What a fixed twin has to survive.
const SURVIVED: &[(&str, u64)] = &[("pct:d=3", 150), ("random", 100), ("idb", 150)];

/// Executions of these are longer than 5,000 points, which takes too long where nothing is optimised. Shorter
/// variants of the same code are tried.
const POINTS_MAX: u32 = 4_500;

/// Needs a hundred thousand executions: docs/study/safestack.md. A lucky seed and a recorded schedule stand in.
const HARD: &str = "misc.safestack";

fn config(strategy: &str, executions: u64) -> Config {
    Config::new()
        .strategy(strategy)
        .executions(executions)
        .confirm(0)
        .spurious_wakes(0)
        .writers_first(false)
        .weak_failures(0)
        .steps(200_000)
        .patience(1)
        .fail_on_limit(true)
}

fn body(label: &str) -> impl Fn() + Clone + Send + Sync + 'static {
    let selection = find(label).unwrap();
    move || selection.run()
}

/// Programs that are not held to all this elsewhere.
fn studied() -> impl Iterator<Item = &'static Program> {
    let is_studied = |program: &Program| match program.source {
        Source::Sctbench | Source::Radbench | Source::Needlepoint | Source::Ibm => true,
        Source::Huang => facts(program.name)
            .unwrap()
            .kind
            .is_some_and(|kind| kind != BugKind::WeakMemory),
        _ => false,
    };
    let is_short = |program: &Program| facts(program.name).unwrap().points <= POINTS_MAX;
    programs()
        .iter()
        .filter(move |program| is_studied(program) && is_short(program))
}

#[test]
fn programs_are_as_large_as_the_table_says() {
    let mut lines = Vec::new();
    let mut is_right = true;
    for program in programs() {
        let start = Instant::now();
        let label = match program.has_twin() {
            true => format!("{}:bug=0", program.name),
            false => program.name.to_string(),
        };
        let config = config("random", 5).seed(0).keep_going(true);
        let found = explore(config, body(&label));
        let (tasks, points) = (found.tasks_max, found.steps_max);
        let known = facts(program.name);
        let fits = |tasks_known: u32, points_known: u32| {
            tasks_known == tasks as u32 && points_known == points as u32
        };
        is_right &= known.is_some_and(|known| fits(known.tasks, known.points));
        lines.push(format!(
            "{} {tasks} {points} {} ms",
            program.name,
            start.elapsed().as_millis()
        ));
    }
    assert!(is_right, "{}", lines.join("\n"));
}

fn failure_of(name: &str) -> Option<(FirstFailure, &'static str)> {
    ATTEMPTS.iter().find_map(|(strategy, executions)| {
        let found = explore(config(strategy, *executions), body(name));
        found.first_failure.map(|failure| (*failure, *strategy))
    })
}

/// Whether an outcome is one in which a fault of that kind shows.
fn fits(kind: BugKind, outcome: &Outcome) -> bool {
    let fails_by = |kind| matches!(outcome, Outcome::Fail(failure) if failure.kind == kind);
    match kind {
        BugKind::Deadlock => matches!(outcome, Outcome::Deadlock(_)),
        BugKind::Misuse => fails_by(FailureKind::Misuse),
        BugKind::Assertion | BugKind::Crash | BugKind::WrongOutput => fails_by(FailureKind::Panic),
        BugKind::WeakMemory => false,
    }
}

#[test]
fn every_fault_shows_as_its_kind_and_replays() {
    let mut wrong = Vec::new();
    for program in studied().filter(|program| program.name != HARD) {
        let start = Instant::now();
        let Some((failure, strategy)) = failure_of(program.name) else {
            wrong.push(format!("{}: nothing is found", program.name));
            continue;
        };
        println!(
            "{}: {strategy}, execution {}, {} ms",
            program.name,
            failure.execution,
            start.elapsed().as_millis()
        );
        let kind = facts(program.name).unwrap().kind.unwrap();
        if !fits(kind, &failure.outcome) {
            wrong.push(format!("{}: {:?}", program.name, failure.outcome));
        }
        let again = replay(
            &config(strategy, 1),
            &body(program.name),
            failure.trace.clone(),
        );
        let again = again.first_failure.expect(program.name);
        assert_eq!(again.outcome, failure.outcome, "{}", program.name);
        assert_eq!(again.trace.hash(), failure.trace.hash(), "{}", program.name);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What no technique of the study found. The seed is a lucky one: in the mean it takes 108,000 executions.
#[test]
fn lingering_finds_the_fault_of_safestack() {
    let found = explore(config("random:linger=4", 10_000).seed(19), body(HARD));
    let failure = found.first_failure.expect("it is found");
    assert!(fits(facts(HARD).unwrap().kind.unwrap(), &failure.outcome));
    let again = replay(&config("random", 1), &body(HARD), failure.trace.clone());
    let again = again.first_failure.expect("it fails again");
    assert_eq!(again.trace.hash(), failure.trace.hash());
}

/// Found by `surw:objects=5,weigh=1` at execution 19,678, when its seeds meant other schedules than they do now.
#[test]
fn a_recorded_schedule_shows_the_fault_of_safestack() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/files/safestack.txt");
    let (_, record) = Store::new("").load(path).unwrap();
    let config = Config::new().settings_from(&record.header.settings);
    let found = replay(&config, &body(HARD), record.trace.clone());
    let failure = found.first_failure.expect("the recorded schedule fails");
    assert_eq!(failure.outcome, record.outcome);
    assert_eq!(failure.trace.hash(), record.trace.hash());
    assert!(fits(facts(HARD).unwrap().kind.unwrap(), &failure.outcome));
    assert!(failure.trace.preemption_count() >= 5, "the study says five");
}

#[test]
fn fixed_twins_pass() {
    let mut twins = 0;
    let mut wrong = Vec::new();
    for program in studied().filter(|program| program.has_twin()) {
        twins += 1;
        let label = format!("{}:bug=0", program.name);
        for (strategy, executions) in SURVIVED {
            let found = explore(config(strategy, *executions), body(&label));
            if let Some(failure) = found.first_failure {
                wrong.push(format!("{label} by {strategy}: {:?}", failure.outcome));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(twins >= 79, "only {twins} twins");
}

/// The tables of docs/suite.md are what `unpick suite list --markdown` prints.
#[test]
fn the_page_lists_what_is_there() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/suite.md");
    let page = std::fs::read_to_string(path).unwrap();
    let (_, tables) = page.split_once("<!-- tables -->\n\n").unwrap();
    assert!(
        tables == unpick_suite::markdown_table(),
        "put the output of `unpick suite list --markdown` behind `<!-- tables -->` in docs/suite.md"
    );
}
