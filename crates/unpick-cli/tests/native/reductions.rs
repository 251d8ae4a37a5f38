//! Reductions meet in native programs every happens-before relation that there is, and `odpor` each once.

use super::place::{Place, name_of};
use serde_json::Value;

/// Programs, whose fixed twins have few enough schedules to run a good part of them.
const PROGRAMS: &[&str] = &[
    "c/cancel_complete.c",
    "c/check_before_store.c",
    "c/list_insert.c",
    "c/publish_early.c",
    "c/split_increment.c",
    "c/stale_read.c",
    "c/transfer.c",
    "c/work_stealing.c",
    "cpp/stale_cache.cc",
];

fn explore(place: &Place, program: &str, strategy: &str) -> Value {
    let run = ["run", "--json", "--no-save", "--strategy", strategy];
    let more = ["--executions", "60000", "--", program];
    let said = place.unpick(&[&run[..], &more].concat());
    assert_eq!(said.code, 0, "{program} with {strategy}: {}", said.text);
    serde_json::from_str(said.text.trim()).unwrap()
}

#[test]
fn every_relation_is_met_and_by_odpor_once() {
    let place = Place::new("reductions");
    let mut wrong = Vec::new();
    for path in PROGRAMS {
        place.build(path, &["-DFIXED"]);
        let program = format!("./{}", name_of(path));
        let odpor = explore(&place, &program, "odpor");
        assert_eq!(odpor["complete"], true, "{path}");
        let all = odpor["hbrs"].as_u64().unwrap();
        let once = [&odpor["executions"], &odpor["schedules"]];
        if once.iter().any(|count| **count != all) {
            wrong.push(format!("{path}: odpor meets {all} in {once:?}"));
        }
        for strategy in ["dfs", "hbr-cache", "dpor"] {
            let found = explore(&place, &program, strategy);
            let met = found["hbrs"].as_u64().unwrap();
            let is_right = match found["complete"] == true {
                true => met == all,
                false => met <= all,
            };
            if !is_right {
                wrong.push(format!("{path}: {strategy} meets {met}, odpor {all}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
