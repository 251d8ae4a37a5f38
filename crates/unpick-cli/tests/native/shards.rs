//! Shares of an exploration of a native program, put together.

use super::place::{Place, name_of};
use serde_json::Value;

/// What a share, or the whole of them, may say differently.
const OTHERWISE: &[&str] = &[
    "elapsed_ms",
    "executions_per_second",
    "trace",
    "backend",
    "reexec",
];

fn run(place: &Place, program: &str, strategy: &str, options: &[&str]) -> String {
    // A share does not confirm possible deadlocks.
    let words = ["run", "--json", "--no-save", "--confirm", "0", "--strategy"];
    let words = [&words[..], &[strategy], options, &["--", program]];
    let said = place.unpick(&words.concat());
    assert!(said.code < 2, "{program} by {strategy}: {}", said.text);
    said.text
}

fn object(text: &str) -> Value {
    let mut object: Value =
        serde_json::from_str(text.trim()).unwrap_or_else(|error| panic!("{error}: {text}"));
    for name in OTHERWISE {
        object.as_object_mut().unwrap().remove(*name);
    }
    object
}

/// The whole in one, and its two shares put together, of which the second is run by two processes.
fn whole_and_merged(place: &Place, program: &str, strategy: &str, options: &[&str]) -> [Value; 2] {
    let whole = run(place, program, strategy, options);
    let shares: [&[&str]; 2] = [&["--shard", "1/2"], &["--shard", "2/2", "--jobs", "2"]];
    let mut files = Vec::new();
    for (number, share) in shares.iter().enumerate() {
        let text = run(place, program, strategy, &[options, share].concat());
        let file = format!("{number}.json");
        std::fs::write(place.0.join(&file), text).unwrap();
        files.push(file);
    }
    let merged = place.unpick(&["merge", &files[0], &files[1]]);
    assert!(merged.code < 2, "{}", merged.text);
    [object(&whole), object(&merged.text)]
}

#[test]
fn shares_put_together_are_the_whole() {
    let place = Place::new("shards");
    let runs: [(&str, &[&str], &[&str]); 3] = [
        ("c/ab_ba.c", &[], &[]),
        (
            "c/dining_philosophers.c",
            &[],
            &["--keep-going", "--executions", "20000"],
        ),
        (
            "c/bounded_buffer.c",
            &["-DFIXED"],
            &["--executions", "20000"],
        ),
    ];
    for (path, flags, options) in runs {
        place.build(path, flags);
        let program = format!("./{}", name_of(path));
        for strategy in [
            "dfs",
            "ipb",
            "idb",
            "round-robin",
            "portfolio",
            "pct",
            "random",
        ] {
            let [whole, merged] = whole_and_merged(&place, &program, strategy, options);
            assert_eq!(whole, merged, "{path} by {strategy}");
        }
    }
}

#[test]
fn shares_of_a_reduction_reach_every_state() {
    let place = Place::new("shards-reduction");
    place.build("c/dining_philosophers.c", &[]);
    for strategy in ["dpor", "odpor"] {
        let options = ["--keep-going"];
        let program = "./dining_philosophers";
        let [whole, merged] = whole_and_merged(&place, program, strategy, &options);
        for name in ["states", "complete", "outcome"] {
            assert_eq!(whole[name], merged[name], "{strategy}: {name}");
        }
        assert_eq!(merged["complete"], true, "{strategy}");
    }
}

#[test]
fn shares_of_different_points_are_not_put_together() {
    let place = Place::new("shards-points");
    place.build("c/ab_ba.c", &[]);
    for (file, options) in [("1", ["1/2", "sync"]), ("2", ["2/2", "all"])] {
        let options = ["--shard", options[0], "--points", options[1]];
        let text = run(&place, "./ab_ba", "dfs", &options);
        std::fs::write(place.0.join(file), text).unwrap();
    }
    let merged = place.unpick(&["merge", "1", "2"]);
    assert_eq!(merged.code, 2, "{}", merged.text);
    assert!(merged.text.contains("points=all"), "{}", merged.text);
}
