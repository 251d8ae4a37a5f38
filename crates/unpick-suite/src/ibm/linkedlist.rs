//! Two tasks add to a list under a lock; adding at the end takes none.

use super::{program, run_all};
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use unpick::sync::Mutex;
use unpick::sync::atomic::{AtomicUsize, Ordering::SeqCst};

pub(crate) const PROGRAM: Program = program(
    "ibm.linkedlist",
    "list whose end is not locked",
    "an element at the end can be overwritten",
    &[Parameter::twin("0 locks the end too")],
    body,
);

const ELEMENTS: usize = 2;
const TASKS: usize = 2;

#[derive(Default)]
struct List {
    lock: Mutex<()>,
    end: AtomicUsize,
    places: [AtomicUsize; TASKS * ELEMENTS],
}

impl List {
    fn add_at_end(&self, element: usize) {
        let end = self.end.load(SeqCst);
        self.places[end].store(element, SeqCst);
        self.end.store(end + 1, SeqCst);
    }
}

fn body(arguments: &Arguments) {
    let is_locked = !arguments.is_on("bug");
    let list = Arc::new(List::default());
    let shared = list.clone();
    run_all(TASKS, move |me| {
        for _ in 0..ELEMENTS {
            let guard = is_locked.then(|| shared.lock.lock().unwrap());
            shared.add_at_end(me + 1);
            drop(guard);
        }
    });
    let size = list.end.load(SeqCst);
    assert!(size == TASKS * ELEMENTS, "{size} elements are in the list");
}
