//! A failure that was kept is tried first; when it does not fail any more, that is said, and near a schedule
//! that no longer fits the failure is found again.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use unpick::sync::atomic::{AtomicU32, Ordering};
use unpick::trace::Plan;
use unpick::{Config, explore, follow, near, replay};

/// Two tasks that add to a counter without a lock. Each does something else before, so many times.
fn lost_update(before: u32, step: u32) -> impl Fn() + Send + Sync + Clone + 'static {
    move || {
        let counter = Arc::new((AtomicU32::new(0), AtomicU32::new(0)));
        let tasks = [0, 1].map(|_| {
            let counter = Arc::clone(&counter);
            unpick::thread::spawn(move || {
                for _ in 0..before {
                    counter.1.fetch_add(1, Ordering::SeqCst);
                }
                let seen = counter.0.load(Ordering::SeqCst);
                counter.0.store(seen + step, Ordering::SeqCst);
            })
        });
        tasks.into_iter().for_each(|task| task.join().unwrap());
        assert_eq!(counter.0.load(Ordering::SeqCst), 2, "an update is lost");
    }
}

#[test]
fn the_failure_is_found_near_a_schedule_that_no_longer_fits() {
    let config = Config::new().strategy("dfs");
    let found = explore(config.clone(), lost_update(0, 1));
    let recorded = found.first_failure.unwrap().trace;
    for before in 1..=3 {
        let program = lost_update(before, 1);
        let again = replay(&config, &program, recorded.clone());
        assert!(again.diverged.is_some(), "{before}");
        let along = follow(&config, &program, &Plan::of(&recorded));
        // One operation more and the schedule still leads to the failure, as far as it leads; more and it
        // takes one that is near.
        assert_eq!(along.outcome.is_failure(), before == 1);
        let near = near(&config, &program, &recorded);
        assert!(
            near.failing.is_some_and(|end| end.outcome.is_failure()),
            "{before}"
        );
        assert!(near.executions < 100, "{before}: {}", near.executions);
    }
}

#[test]
fn looking_near_ends_where_nothing_fails() {
    let config = Config::new().strategy("dfs");
    let recorded = explore(config.clone(), lost_update(0, 1))
        .first_failure
        .unwrap();
    let near = near(&config, &|| (), &recorded.trace);
    assert!(near.failing.is_none());
    assert!((1..=unpick::analysis::NEAR_MAX).contains(&near.executions));
}

/// The test that the others run in a process of its own, in one of its versions. By itself it is none.
#[test]
fn changing() {
    let config = Config::new().name("tests::changing").strategy("dfs");
    match std::env::var("UNPICK_TEST_VERSION").as_deref() {
        Ok("first") => unpick::check_with(config, lost_update(0, 1)),
        Ok("more operations") => unpick::check_with(config, lost_update(2, 1)),
        // Both say two at the end if they do not see each other.
        Ok("passes") => unpick::check_with(config, lost_update(0, 2)),
        Ok("fixed") => unpick::check_with(config, || {
            let counter = Arc::new(AtomicU32::new(0));
            let other = Arc::clone(&counter);
            let task = unpick::thread::spawn(move || other.fetch_add(1, Ordering::SeqCst));
            counter.fetch_add(1, Ordering::SeqCst);
            task.join().unwrap();
            assert_eq!(counter.load(Ordering::SeqCst), 2);
        }),
        _ => {}
    }
}

struct Project(PathBuf);

impl Project {
    fn new(name: &str) -> Project {
        let name = format!("unpick-regressions-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Project(path)
    }

    /// Whether the test passes in that version, and what it says.
    fn test(&self, version: &str) -> (bool, String) {
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "changing", "--nocapture"])
            .current_dir(&self.0)
            .env("CARGO_MANIFEST_DIR", &self.0)
            .env("UNPICK_TEST_VERSION", version)
            .output()
            .unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        (output.status.success(), stderr)
    }

    fn regression(&self) -> String {
        let path = ".unpick/regressions/tests__changing.txt";
        fs::read_to_string(self.0.join(path)).unwrap()
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_regression_that_still_fails_is_left_as_it_is() {
    let project = Project::new("fails");
    let (passes, said) = project.test("first");
    assert!(
        !passes && said.contains("check it in; it runs first next time"),
        "{said}"
    );
    let before = project.regression();
    let (passes, said) = project.test("first");
    let words = "found   by its regression, in the first execution; ";
    assert!(!passes && said.contains(words), "{said}");
    assert!(said.contains("why     lost update: "), "{said}");
    assert_eq!(project.regression(), before);
}

#[test]
fn a_failure_near_a_regression_takes_its_place() {
    let project = Project::new("near");
    project.test("first");
    let (passes, said) = project.test("more operations");
    let words = "the program has changed since .unpick/regressions/tests__changing.txt was recorded: \
                 at step ";
    assert!(!passes && said.contains(words), "{said}");
    assert!(said.contains(" near its regression; "), "{said}");
    assert!(project.regression().contains("strategy: near-regression\n"));
    let (passes, said) = project.test("more operations");
    assert!(
        !passes && said.contains("by its regression, in the first execution"),
        "{said}"
    );
}

#[test]
fn a_fixed_bug_says_so() {
    let project = Project::new("fixed");
    project.test("first");
    let (passes, said) = project.test("fixed");
    let words = "executions near it; if that is as it should be, `unpick forget \
                 tests::changing` drops it";
    assert!(passes && said.contains(words), "{said}");
    let words = "unpick: tests::changing: 2 executions; complete\n";
    assert!(said.ends_with(words), "{said}");
    // With the same operations the very schedule passes.
    let (_, said) = project.test("passes");
    let words = "fixed: the schedule in .unpick/regressions/tests__changing.txt runs to its end and \
                 passes; `unpick forget tests::changing` drops it";
    assert!(said.contains(words), "{said}");
}

#[test]
fn a_schedule_cannot_be_tried_inside_an_exploration() {
    let config = Config::new().strategy("dfs");
    let recorded = explore(config.clone(), lost_update(0, 1)).first_failure;
    let recorded = recorded.unwrap().trace;
    let found = explore(config.clone(), move || {
        near(&config, &lost_update(0, 1), &recorded);
    });
    let outcome = found.first_failure.unwrap().outcome;
    let text = format!("{outcome:?}");
    assert!(text.contains("cannot run inside another one"), "{text}");
}
