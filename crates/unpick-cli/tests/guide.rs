//! The guide, followed to the letter: every command of `docs/guide` is typed, in order, in a clone of
//! the project, and must print what the page shows. `docs/guide/README.md` tells the rules.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

#[path = "guide/output.rs"]
mod output;
#[path = "guide/page.rs"]
mod page;
#[path = "guide/reader.rs"]
mod reader;

use reader::Reader;
use std::fs;
use std::path::{Path, PathBuf};

fn guide() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide")
}

fn follow(name: &str) {
    let text = fs::read_to_string(guide().join(name)).unwrap();
    let deeds = page::deeds(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(!deeds.is_empty(), "{name} has nothing to do");
    let mut reader = Reader::new();
    for deed in &deeds {
        if let Err(error) = reader.does(deed) {
            panic!("{name}: {error}");
        }
    }
}

/// A test for each page, and one that no page is left out.
macro_rules! pages {
    ($($test:ident: $name:literal;)*) => {
        $(#[test]
        fn $test() {
            follow($name);
        })*

        #[test]
        fn every_page_is_followed() {
            let mut found: Vec<String> = fs::read_dir(guide()).unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .filter(|name| name != "README.md")
                .collect();
            found.sort();
            assert_eq!(found, [$($name),*]);
            let index = fs::read_to_string(guide().join("README.md")).unwrap();
            for name in found {
                assert!(index.contains(&format!("({name})")), "no link to {name}");
            }
        }
    };
}

pages! {
    c_and_cpp: "c-and-cpp.md";
    choosing_a_strategy: "choosing-a-strategy.md";
    continuous_integration: "continuous-integration.md";
    existing_crate: "existing-crate.md";
    first_bug: "first-bug.md";
    lock_free: "lock-free.md";
    reading_a_failure: "reading-a-failure.md";
    when_it_says_nothing: "when-it-says-nothing.md";
}
