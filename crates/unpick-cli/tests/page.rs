//! The page of `unpick show --html` in a real browser: it opens, steps, filters, shows the right source.

#[path = "page/browser.rs"]
mod browser;
#[path = "support/place.rs"]
mod place;

use browser::Browser;
use place::Place;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use unpick::trace::{
    Choice, Header, ObjectId, ObjectInfo, ObjectKind, Op, OpKind, Outcome, Record, Site, SiteId,
    Step, TaskBits, TaskId, TaskInfo, Trace, encode,
};

impl Place {
    /// A failing program of the suite, as a trace.
    fn failing(&self, program: &str) -> String {
        let arguments = ["suite", "run", program, "--strategy", "dfs", "--json"];
        let output = self.run(&arguments);
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        let id = found["trace"].as_str().unwrap();
        let trace = self.0.join(format!(".unpick/traces/{id}.trace"));
        trace.to_str().unwrap().to_string()
    }

    /// The page of schedules, made where the source is.
    fn page(&self, arguments: &[&str]) -> PathBuf {
        let page = self.0.join("page.html");
        let mut all = vec!["show", "--html", page.to_str().unwrap()];
        all.extend(arguments);
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let output = self.command(&all).current_dir(root).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        page
    }
}

/// What the page says of the chosen step, and the line of source that it marks.
fn told(browser: &mut Browser) -> (String, String) {
    let read = |browser: &mut Browser, what: &str| {
        let text = browser.evaluate(&format!("document.querySelector({what:?})?.textContent"));
        text.as_str().unwrap_or("nothing").to_string()
    };
    let words = read(browser, "#step");
    (words, read(browser, "#source .at"))
}

#[test]
fn the_page_steps_filters_and_shows_the_source() {
    let place = Place::new("steps");
    let Some(mut browser) = Browser::start(&place.0) else {
        return;
    };
    let trace = place.failing("CS.account_bad");
    browser.open(&place.page(&[&trace]));
    assert_eq!(
        browser.evaluate("document.querySelector('h1').textContent"),
        "suite:CS.account_bad"
    );
    let (words, line) = told(&mut browser);
    assert!(words.starts_with("panicked: wrong balance"), "{words}");
    assert!(line.contains("assert!("), "{line}");
    for (key, expected, source) in [
        ("Home", "spawn task 1step0 of 9", "thread::spawn"),
        ("j", "spawn task 2step1 of 9", "thread::spawn"),
        ("ArrowDown", "spawn task 3step2 of 9", "thread::spawn"),
        ("]", "lock mutex 2step3 of 9", "account.lock()"),
        ("ArrowRight", "unlock mutex 2step4 of 9", "account.lock()"),
        ("k", "lock mutex 2step3 of 9", "account.lock()"),
        ("End", "panicked", "assert!("),
    ] {
        browser.press(key);
        let (words, line) = told(&mut browser);
        assert!(words.starts_with(expected), "{key}: {words}");
        assert!(line.contains(source), "{key}: {line}");
    }
    // What makes it fail, and beside it a schedule that passes.
    browser.press("c");
    let (words, _) = told(&mut browser);
    let critical = "criticalfrom here on everything that was tried fails";
    assert!(words.contains(critical), "{words}");
    assert!(words.contains("fails since "), "{words}");
    let outcomes = "schedules.map((schedule) => schedule.failed)";
    assert_eq!(browser.evaluate(outcomes), json!([true, false]));
    browser.press("End");
    browser.press("ArrowUp");
    browser.press("ArrowUp");
    let (words, _) = told(&mut browser);
    let arrows = "comes after0 task 0: spawn task 16 task 3: unlock mutex 2";
    assert!(words.ends_with(arrows), "not the arrows of {words}");
    browser.press("/");
    browser.enter("unlock mutex");
    let waits = "new Promise((done) => { const look = () => \
                 document.getElementById('count').textContent ? done(1) : setTimeout(look, 5); look(); })";
    browser.evaluate(waits);
    assert_eq!(
        browser.evaluate("document.getElementById('count').textContent"),
        "3 | 3 found"
    );
    browser.evaluate("document.getElementById('only').click()");
    // And the chosen one.
    assert_eq!(browser.evaluate("[...views[0].rows]"), json!([4, 6, 7, 8]));
    assert!(browser.exceptions.is_empty(), "{:?}", browser.exceptions);
}

#[test]
fn two_schedules_stand_side_by_side() {
    let place = Place::new("beside");
    let Some(mut browser) = Browser::start(&place.0) else {
        return;
    };
    let trace = place.failing("CS.account_bad");
    let passing = place.0.join("passing.trace");
    let long = record(100, "worker");
    fs::write(&passing, encode(&long)).unwrap();
    browser.open(&place.page(&[&trace, "--beside", passing.to_str().unwrap()]));
    assert_eq!(browser.evaluate("views.length"), 2);
    browser.press("Home");
    // The first operation of task 0, here and there.
    assert_eq!(
        browser.evaluate("views.map((view) => view.chosen)"),
        json!([0, 0])
    );
    browser.press("b");
    browser.press("End");
    let (words, _) = told(&mut browser);
    assert!(words.starts_with("passed"), "{words}");
    assert!(browser.exceptions.is_empty(), "{:?}", browser.exceptions);
}

#[test]
fn hostile_names_are_harmless_and_many_steps_are_no_matter() {
    let place = Place::new("long");
    let Some(mut browser) = Browser::start(&place.0) else {
        return;
    };
    let trace = place.0.join("long.trace");
    let hostile = "</script><script>window.broken = 1</script><img src=x onerror=\"broken=1\">'\"";
    fs::write(&trace, encode(&record(100_000, hostile))).unwrap();
    let page = place.page(&[trace.to_str().unwrap()]);
    browser.open(&page);
    assert_eq!(browser.evaluate("typeof window.broken"), "undefined");
    let name = browser.evaluate("schedules[0].tasks[1]");
    assert_eq!(name, format!("task 1 ({hostile})"));
    let load_ms = browser.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd");
    println!("100,000 steps opened in {load_ms} ms");
    browser.press("a");
    assert_eq!(browser.evaluate("views[0].rows.length"), 100_001);
    // Only what is visible is drawn, so that one picture takes as long as that of a short schedule.
    let count = browser.evaluate(
        "(() => { let count = 0; const view = views[0], whole = view.drawRow; \
         view.drawRow = (...all) => { count++; whole.apply(view, all); }; \
         const start = performance.now(); view.draw(); \
         return [count, performance.now() - start]; })()",
    );
    println!("rows and milliseconds of one picture: {count}");
    assert!(count[0].as_u64().unwrap() < 200, "{count}");
    let found = browser.evaluate(
        "(() => { const start = performance.now(), count = schedules[0].search('store'); \
         return [count, performance.now() - start]; })()",
    );
    println!("found, and milliseconds of a search: {found}");
    assert_eq!(found[0], 50_000);
    let step = browser.evaluate(
        "(() => { const start = performance.now(); KEYS.PageUp(views[0]); KEYS.k(views[0]); \
         return (performance.now() - start) / 2; })()",
    );
    println!("milliseconds of a key: {step}");
    assert!(browser.exceptions.is_empty(), "{:?}", browser.exceptions);
}

/// A schedule of three tasks that take turns at a variable.
fn record(step_count: usize, name: &str) -> Record {
    let mut trace = Trace::default();
    for task in 0..3 {
        trace.tasks.push(TaskInfo {
            parent: TaskId(0),
            index: task,
            object: ObjectId(task),
            name: Some(name.to_string()),
        });
    }
    let kinds = [
        ObjectKind::Task,
        ObjectKind::Task,
        ObjectKind::Task,
        ObjectKind::Variable,
    ];
    for (index, kind) in (0..).zip(kinds) {
        trace.objects.push(ObjectInfo {
            kind,
            task: TaskId(0),
            index,
            name: (kind == ObjectKind::Variable).then(|| name.to_string()),
        });
    }
    trace.sites.push(Site::new(name, 1, 1));
    for index in 0..step_count {
        let task = TaskId((index / 5 % 3) as u32);
        let kind = [OpKind::Load, OpKind::Store][index % 2];
        let op = Op::new(kind, ObjectId(3));
        let mut step = Step::new(Choice::Task(task), task, op, SiteId(0));
        step.value = index as u64;
        trace.push(step, TaskBits::from_words(0b111, &[]));
    }
    Record {
        header: Header {
            program: name.to_string(),
            ..Header::default()
        },
        trace,
        outcome: Outcome::Pass,
        passing: None,
    }
}

#[test]
fn the_report_of_a_study_opens_and_no_labels_meet() {
    let place = Place::new("study");
    let Some(mut browser) = Browser::start(&place.0) else {
        return;
    };
    let arguments = [
        "study",
        "sctbench",
        "--limit",
        "50",
        "--only",
        "account,reorder",
        "--out",
    ];
    let output = place.run(&[&arguments[..], &["out"]].concat());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    browser.open(&place.0.join("out/report.html"));
    let title = browser.evaluate("document.querySelector('h1').textContent");
    assert_eq!(title, json!("SCTBench: which technique finds which bug"));
    let pictures = browser.evaluate("document.querySelectorAll('figure svg').length");
    assert_eq!(pictures, json!(6));
    assert_eq!(browser.evaluate(OVERLAPS), json!([]));
    assert!(browser.exceptions.is_empty());
}

/// What is checked in was drawn from other data than what the test above draws.
#[test]
fn the_reports_in_the_documentation_open_and_no_labels_meet() {
    let place = Place::new("study-docs");
    let Some(mut browser) = Browser::start(&place.0) else {
        return;
    };
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/study");
    let folders = fs::read_dir(&docs).unwrap().map(Result::unwrap);
    let reports = folders.map(|folder| folder.path().join("report.html"));
    let mut reports: Vec<_> = reports.filter(|report| report.exists()).collect();
    reports.sort();
    assert!(reports.len() >= 5, "{reports:?}");
    for report in reports {
        let folder = report.parent().unwrap();
        let is_picture =
            |entry: &fs::DirEntry| entry.path().extension().is_some_and(|kind| kind == "svg");
        let files = fs::read_dir(folder).unwrap().map(Result::unwrap);
        let picture_count = files.filter(is_picture).count();
        browser.open(&report);
        let seen = browser.evaluate(
            "[document.querySelectorAll('figure svg').length,
              [...document.querySelectorAll('table')].filter(table => table.rows.length < 2).length,
              document.querySelectorAll('table').length > 0]",
        );
        assert_eq!(seen, json!([picture_count, 0, true]), "{report:?}");
        assert_eq!(browser.evaluate(OVERLAPS), json!([]), "{report:?}");
        assert!(browser.exceptions.is_empty(), "{report:?}");
    }
}

/// Pairs of labels of one picture that overlap, and labels that are cut off.
const OVERLAPS: &str = "
    [...document.querySelectorAll('svg')].flatMap(svg => {
        const frame = svg.getBoundingClientRect();
        const all = [...svg.querySelectorAll('text')].map(text => [text.textContent, text.getBoundingClientRect()]);
        const cut = all.filter(([_, box]) => box.left < frame.left || box.right > frame.right
            || box.top < frame.top || box.bottom > frame.bottom).map(([name]) => name);
        const met = all.flatMap(([name, one], at) => all.slice(at + 1)
            .filter(([_, two]) => one.left < two.right && two.left < one.right
                && one.top < two.bottom && two.top < one.bottom)
            .map(([other]) => name + ' and ' + other));
        return cut.concat(met);
    })";
