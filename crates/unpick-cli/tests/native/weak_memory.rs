//! Memory models on native programs: what is found is kept, shrunk, explained and replayed under its model.

use super::place::Place;
use serde_json::Value;

const PROGRAM: &str = "memory/peterson.c";

fn json(text: &str) -> Value {
    serde_json::from_str(text.trim()).unwrap()
}

#[test]
fn a_missing_fence_is_shrunk_explained_and_replayed() {
    let place = Place::new("weak");
    place.build(PROGRAM, &[]);
    for model in ["tso", "pso"] {
        place.forget();
        let run = ["run", "--json", "--strategy", "random", "--memory", model];
        let said = place.unpick(&[&run[..], &["--", "./peterson"]].concat());
        assert_eq!(said.code, 1, "{}", said.text);
        let object = json(&said.text);
        let failure = &object["failure"];
        assert_eq!(failure["pattern"], "missing fence", "{}", said.text);
        let number = |name: &str| failure[name].as_u64().unwrap();
        assert!(number("preemptions") <= number("preemptions_found"));
        let trace = object["trace"].as_str().unwrap();
        for backend in ["fibers", "threads"] {
            let again = place.unpick(&["replay", trace, "--backend", backend]);
            let is_same = again.text.contains("the same failure, step by step");
            assert!(is_same, "{model} in {backend}: {}", again.text);
        }
        let shown = place.unpick(&["show", trace]);
        let agent = match model {
            "tso" => "(stores of task 1)",
            _ => "(stores of task 1 to `wants`)",
        };
        assert!(shown.text.contains(agent), "{}", shown.text);
    }
}

#[test]
fn a_regression_is_run_under_the_model_that_it_was_found_under() {
    let place = Place::new("weak-regression");
    place.build(PROGRAM, &[]);
    let run = |model| place.unpick(&["run", "--memory", model, "--", "./peterson"]);
    assert_eq!(run("sc").code, 0);
    assert_eq!(run("tso").code, 1);
    let again = run("sc");
    assert!(
        again.text.contains("found   by its regression"),
        "{}",
        again.text
    );
    place.build(PROGRAM, &["-DFIXED"]);
    for model in ["sc", "tso", "pso"] {
        assert_eq!(run(model).code, 0, "{model}");
    }
}

#[test]
fn two_processes_find_what_one_finds_under_every_model() {
    let place = Place::new("weak-jobs");
    place.build(PROGRAM, &[]);
    for (model, strategy) in [
        ("tso", "dfs"),
        ("tso", "odpor:part=4"),
        ("pso", "odpor:part=4"),
    ] {
        let run = |jobs: &str| {
            place.forget();
            let run = ["run", "--json", "--memory", model, "--strategy", strategy];
            let more = ["--executions", "3000", "--jobs", jobs, "--", "./peterson"];
            let object = json(&place.unpick(&[&run[..], &more].concat()).text);
            (object["executions"].clone(), object["failure"].clone())
        };
        assert_eq!(run("1"), run("2"), "{strategy} under {model}");
    }
}

/// Without the compiler's calls no store is seen.
#[test]
fn a_program_that_is_not_instrumented_is_refused() {
    let place = Place::new("weak-refused");
    let said = place.unpick(&["run", "--memory", "tso", "--", "/bin/true"]);
    assert_eq!(said.code, 2, "{}", said.text);
    assert!(said.text.contains("is not instrumented"), "{}", said.text);
    assert!(said.text.contains("leave out --memory"), "{}", said.text);
}
