//! `n` tasks fill a cache behind a reader-writer lock if they find it empty.
//!
//! Nobody looks again once he has the write lock, so that two tasks can fill it; with `bug=0` they
//! do look. Check-then-act; used by all the Rust peers.

use crate::join::join_all;
use crate::{Arguments, Parameter, Program, Source};
use std::sync::Arc;
use unpick::sync::RwLock;
use unpick::thread;

pub(crate) const PROGRAM: Program = Program {
    name: "rwlock_init",
    summary: "cache filled once behind a reader-writer lock",
    source: Source::Peers,
    parameters: &[
        Parameter::size("n", "tasks", 2, 1, 64),
        Parameter::switch("bug", "0 looks again under the write lock", 1),
    ],
    fault: Some("the test and the filling are two critical sections"),
    published: None,
    body,
};

#[derive(Default)]
struct Cache {
    value: Option<usize>,
    fillings: u32,
}

fn body(arguments: &Arguments) {
    let look_again = !arguments.is_on("bug");
    let cache = Arc::new(RwLock::new(Cache::default()));
    let handles = (0..arguments.size("n"))
        .map(|task| {
            let cache = cache.clone();
            thread::spawn(move || fill(&cache, task, look_again))
        })
        .collect();
    join_all(handles);
    let filled = cache.read().unwrap();
    assert!(filled.fillings == 1, "filled more than once");
    drop(filled);
}

fn fill(cache: &RwLock<Cache>, value: usize, look_again: bool) {
    let reader = cache.read().unwrap();
    let is_empty = reader.value.is_none();
    drop(reader);
    if is_empty {
        let mut writer = cache.write().unwrap();
        if !look_again || writer.value.is_none() {
            writer.value = Some(value);
            writer.fillings += 1;
        }
        drop(writer);
    }
}
