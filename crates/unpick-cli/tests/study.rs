//! `unpick study` as a user meets it: data, resuming, errors, what a kill leaves. The report in a browser is in `page.rs`.

#[path = "support/place.rs"]
mod place;

use place::Place;
use std::fs;
use std::process::Stdio;

/// Small programs of every kind: an atomicity violation, a deadlock, one that always fails, one that is seldom found.
const SUBSET: [&str; 8] = [
    "study",
    "sctbench",
    "--limit",
    "50",
    "--only",
    "account,deadlock01,sync01,reorder_4,stringbuffer",
    "--quiet",
    "--out",
];

fn study(place: &Place, out: &str, more: &[&str]) -> (Option<i32>, String) {
    let output = place.run(&[&SUBSET[..], &[out], more].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    (output.status.code(), format!("{text}{error}"))
}

#[test]
fn the_data_are_what_they_always_were() {
    let place = Place::new("study-data");
    let (code, text) = study(&place, "out", &[]);
    assert_eq!(code, Some(0), "{text}");
    let read = |name: &str| fs::read_to_string(place.0.join("out").join(name)).unwrap();
    insta::assert_snapshot!("study_data", read("data.csv"));
    insta::assert_snapshot!("study_comparisons", read("comparisons.csv"));
}

#[test]
fn the_same_seed_gives_the_same_files() {
    let place = Place::new("study-same");
    assert_eq!(study(&place, "one", &[]).0, Some(0));
    assert_eq!(study(&place, "other", &["--jobs", "3"]).0, Some(0));
    let mut count = 0;
    for entry in fs::read_dir(place.0.join("one")).unwrap() {
        let name = entry.unwrap().file_name();
        if name != "times.csv" && !name.to_string_lossy().starts_with("results.") {
            let read = |directory: &str| fs::read(place.0.join(directory).join(&name)).unwrap();
            assert!(read("one") == read("other"), "{name:?}");
            count += 1;
        }
    }
    assert!(count >= 8, "{count} files");
    let (_, text) = study(&place, "one", &[]);
    assert!(
        text.starts_with("55 cells, 55 of them known from before"),
        "{text}"
    );
}

#[test]
fn mistakes_are_named_with_their_remedy() {
    let place = Place::new("study-mistakes");
    for (arguments, words) in [
        (
            &["study", "sctbnch", "--out", "out"][..],
            "unknown study `sctbnch`; there are sctbench",
        ),
        (&["study", "sctbench"], "give `--out DIR`"),
        (
            &["study", "sctbench", "--out", "out", "--only", "nowhere"],
            "unpick suite list",
        ),
        (
            &["study", "sctbench", "--out", "out", "--techniques", "pcd"],
            "unknown strategy `pcd`",
        ),
        (
            &["study", "sctbench", "--out", "out", "--limit", "0"],
            "--limit",
        ),
    ] {
        let output = place.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains(words), "{arguments:?}: {error}");
    }
    let output = place.run(&["study"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(
        String::from_utf8(output.stdout)
            .unwrap()
            .contains("lazy-hbr")
    );
}

#[cfg(unix)]
#[test]
fn what_was_measured_survives_a_kill() {
    let place = Place::new("study-kill");
    let arguments = [
        "study", "sctbench", "--limit", "2000", "--out", "out", "--quiet",
    ];
    let mut process = place
        .command(&arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // It has begun when there is a log of results with something in it.
    let results = place.0.join("out/results.sqlite-wal");
    while fs::metadata(&results).map_or(0, |file| file.len()) < 16_384 {
        assert!(
            process.try_wait().unwrap().is_none(),
            "it ended before it was killed"
        );
        std::thread::yield_now();
    }
    process.kill().unwrap();
    process.wait().unwrap();
    assert_eq!(study(&place, "out", &[]).0, Some(0), "the file is whole");
}
