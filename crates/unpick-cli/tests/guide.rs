//! The documentation, followed to the letter: every command of `docs` is typed, in order, in a clone of
//! the project, and must print what the page shows. `docs/guide/README.md` tells the rules.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

#[path = "guide/output.rs"]
mod output;
#[path = "guide/page.rs"]
mod page;
#[path = "guide/reader.rs"]
mod reader;

use page::Deed;
use reader::Reader;
use std::fs;
use std::path::{Path, PathBuf};

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

fn guide() -> PathBuf {
    docs().join("guide")
}

/// Does what a page says; tells how much there was to do.
fn follow(path: &Path, read: fn(&str) -> Result<Vec<Deed>, String>) -> usize {
    let name = path.display();
    let text = fs::read_to_string(path).unwrap();
    let deeds = read(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
    if !deeds.is_empty() {
        let mut reader = Reader::new();
        for deed in &deeds {
            if let Err(error) = reader.does(deed) {
                panic!("{name}: {error}");
            }
        }
    }
    deeds.len()
}

#[test]
fn the_other_pages_show_commands_that_work() {
    let mut followed = 0;
    for folder in ["", "native", "study", "techniques"] {
        for entry in fs::read_dir(docs().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let is_page = path.extension().is_some_and(|ending| ending == "md");
            followed += usize::from(is_page && follow(&path, page::commands) > 0);
        }
    }
    assert!(followed > 20, "only {followed} pages show commands");
}

/// A test for each page, and one that no page is left out.
macro_rules! pages {
    ($($test:ident: $name:literal;)*) => {
        $(#[test]
        fn $test() {
            let count = follow(&guide().join($name), page::deeds);
            assert!(count > 0, "{} has nothing to do", $name);
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
