//! What lies below `.unpick` may come from elsewhere, with a repository: links, pipes and damaged files there are
//! refused, and nothing outside is read or written.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use unpick_store::Store;
use unpick_trace::{Header, Outcome, Record, Trace};

struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Place {
        let name = format!("unpick-store-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(path.join("project/.unpick")).unwrap();
        Place(path)
    }

    fn store(&self) -> Store {
        Store::new(self.0.join("project"))
    }

    fn below(&self, path: &str) -> PathBuf {
        self.0.join("project/.unpick").join(path)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn record(program: &str) -> Record {
    Record {
        header: Header {
            program: program.to_string(),
            ..Header::default()
        },
        trace: Trace::default(),
        outcome: Outcome::Pass,
        passing: None,
    }
}

fn files(directory: &Path) -> usize {
    fs::read_dir(directory).unwrap().count()
}

#[test]
fn links_and_pipes_are_not_read() {
    let place = Place::new("read");
    let saved = place.store().save(&record("own")).unwrap();
    assert_eq!(place.store().regressions_of("own").len(), 1);
    let outside = place.0.join("outside.txt");
    fs::rename(&saved.regression, &outside).unwrap();
    symlink(&outside, &saved.regression).unwrap();
    let errors: Vec<String> = place
        .store()
        .regressions_of("own")
        .into_iter()
        .map(|one| one.unwrap_err().to_string())
        .collect();
    assert!(
        errors.len() == 1 && errors[0].contains("it is a link"),
        "{errors:?}"
    );
    fs::remove_file(&saved.regression).unwrap();
    // To open it would wait for ever.
    let made = Command::new("mkfifo").arg(&saved.regression).status();
    assert!(made.unwrap().success());
    let errors: Vec<String> = place
        .store()
        .regressions_of("own")
        .into_iter()
        .map(|one| one.unwrap_err().to_string())
        .collect();
    assert!(
        errors.len() == 1 && errors[0].contains("no regular file"),
        "{errors:?}"
    );
    // A new failure is kept beside it.
    let again = place.store().save(&record("own")).unwrap();
    assert_ne!(again.regression, saved.regression);
    // A trace by its id.
    let link = place.below("traces/abcd.trace");
    symlink(&outside, &link).unwrap();
    let error = place.store().load("abcd").unwrap_err().to_string();
    assert!(error.contains("it is a link"), "{error}");
    // A user may name a link elsewhere.
    let elsewhere = place.0.join("link.txt");
    symlink(&outside, &elsewhere).unwrap();
    assert!(place.store().load(elsewhere.to_str().unwrap()).is_ok());
}

#[test]
fn nothing_is_written_through_links() {
    let place = Place::new("write");
    let outside = place.0.join("outside");
    fs::create_dir(&outside).unwrap();
    for directory in ["traces", "regressions"] {
        symlink(&outside, place.below(directory)).unwrap();
        let error = place.store().save(&record("own")).unwrap_err().to_string();
        assert!(error.contains("it is a link"), "{directory}: {error}");
        assert_eq!(files(&outside), 0, "{directory}");
        fs::remove_file(place.below(directory)).unwrap();
    }
    // A link where a file is to be put gives way; what it leads to stays.
    let saved = place.store().save(&record("own")).unwrap();
    let target = outside.join("target.txt");
    fs::write(&target, "untouched").unwrap();
    fs::remove_file(&saved.regression).unwrap();
    symlink(&target, &saved.regression).unwrap();
    let again = place
        .store()
        .save_as(&record("own"), saved.regression.clone())
        .unwrap();
    assert!(!again.regression.is_symlink());
    assert_eq!(fs::read_to_string(&target).unwrap(), "untouched");
}
