//! Traces from elsewhere: they run nothing and show nothing that is not of the project.

use super::place::{Place, Said};
use std::fs;
use std::path::PathBuf;
use unpick::store::Store;
use unpick::trace::{Record, encode};

/// A trace of a program that fails.
fn trace(place: &Place) -> (PathBuf, Record) {
    place.build("found/ends_badly.c", &["-DEND=0", "-DRARE", "-DFLIP=1"]);
    let said = place.unpick(&["run", "--", "./ends_badly"]);
    Store::new(&place.0).load(&said.id()).unwrap()
}

/// The trace with something changed, as an attacker would make it.
fn forged(place: &Place, record: &Record, change: impl FnOnce(&mut Record)) -> String {
    let mut record = record.clone();
    change(&mut record);
    let path = place.0.join("forged.trace");
    fs::write(&path, encode(&record)).unwrap();
    path.to_string_lossy().into_owned()
}

/// The same with other words in its settings.
fn with_settings(place: &Place, record: &Record, from: &str, to: &str) -> String {
    forged(place, record, |record| {
        let settings = &mut record.header.settings;
        assert!(settings.contains(from), "{from} is not in: {settings}");
        *settings = settings.replace(from, to);
    })
}

#[test]
fn a_trace_runs_programs_of_its_project_only() {
    let place = Place::new("elsewhere-run");
    let (path, record) = trace(&place);
    assert_eq!(place.unpick(&["replay", path.to_str().unwrap()]).code, 1);
    let marker = place.0.join("marker");
    let touch = format!("program=/usr/bin/touch argument={}", marker.display());
    for command in ["replay", "predict"] {
        let forged = with_settings(&place, &record, "program=ends_badly", &touch);
        let said = place.unpick(&[command, &forged]);
        assert_eq!(said.code, 2, "{}", said.text);
        let line = format!("/usr/bin/touch {}", marker.display());
        for words in [&line[..], "outside of the project", "--allow-program"] {
            assert!(said.text.contains(words), "{command}: {}", said.text);
        }
        assert!(!marker.exists(), "{command}");
    }
    let loaded = "program=ends_badly environment=LD_PRELOAD=/nowhere/evil.so";
    let forged = with_settings(&place, &record, "program=ends_badly", loaded);
    let said = place.unpick(&["replay", &forged]);
    assert_eq!(said.code, 2, "{}", said.text);
    assert!(said.text.contains("it sets LD_PRELOAD"), "{}", said.text);
    let said = place.unpick(&["replay", "--allow-program", &forged]);
    assert!(
        said.text.contains("runs  LD_PRELOAD=/nowhere/evil.so "),
        "{}",
        said.text
    );
}

/// A test is run by Cargo, with the options that the trace names.
#[test]
fn a_trace_of_a_test_gives_cargo_no_other_options() {
    let place = Place::new("elsewhere-cargo");
    let output = place.unpick(&["suite", "run", "CS.account_bad"]);
    let (_, record) = Store::new(&place.0).load(&output.id()).unwrap();
    for (name, options, words) in [
        (
            "tests::works",
            " cargo=--manifest-path=/nowhere/Cargo.toml",
            "--manifest-path",
        ),
        (
            "tests::works",
            " cargo=--config cargo=build.rustc='/nowhere'",
            "--config",
        ),
        ("--config=/nowhere", "", "no name of a test"),
    ] {
        let forged = forged(&place, &record, |record| {
            record.header.program = name.to_string();
            record.header.settings.push_str(options);
        });
        for command in ["replay", "predict"] {
            if command == "predict" && !options.is_empty() {
                continue;
            }
            let said = place.unpick(&[command, &forged]);
            assert_eq!(said.code, 2, "{command} {name}{options}: {}", said.text);
            assert!(said.text.contains(words), "{command}: {}", said.text);
        }
    }
}

#[test]
fn a_trace_shows_sources_of_its_project_only() {
    let place = Place::new("elsewhere-show");
    let (_, record) = trace(&place);
    let secret = std::env::temp_dir().join(format!("unpick-secret-{}", std::process::id()));
    fs::write(&secret, "the secret line\n".repeat(100)).unwrap();
    let forged = forged(&place, &record, |record| {
        for site in &mut record.trace.sites {
            site.file = secret.to_string_lossy().into_owned();
        }
    });
    let page = place.0.join("page.html");
    let said = place.unpick(&["show", &forged, "--html", page.to_str().unwrap()]);
    assert_eq!(said.code, 0, "{}", said.text);
    assert!(
        !fs::read_to_string(&page)
            .unwrap()
            .contains("the secret line")
    );
    let said: Said = place.unpick(&["show", &forged]);
    assert!(!said.text.contains("the secret line"), "{}", said.text);
    fs::remove_file(&secret).unwrap();
}

#[test]
fn names_and_messages_do_not_command_the_terminal() {
    let place = Place::new("elsewhere-terminal");
    let (_, record) = trace(&place);
    let forged = forged(&place, &record, |record| {
        record.header.program = "native:\u{1b}[2J\u{202e}evil".to_string();
    });
    for command in ["show", "replay"] {
        let said = place.unpick(&[command, &forged]);
        assert!(said.text.contains("evil"), "{command}: {}", said.text);
        assert!(
            !said.text.contains(['\u{1b}', '\u{202e}']),
            "{command}: {:?}",
            said.text
        );
    }
}
