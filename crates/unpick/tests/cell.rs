//! Cells and their races.

#[path = "answers/every_schedule.rs"]
mod answers;

use answers::{answers, assert_fails};
use std::collections::BTreeSet;
use unpick::cell::{Cell, UnsafeCell};
use unpick::sync::{Arc, Mutex};
use unpick::thread;
use unpick::trace::FailureKind;

/// What users of cells write themselves.
struct Shared<T>(T);

// SAFETY: the tests run inside explorations, where tasks share one thread.
unsafe impl<T> Sync for Shared<T> {}
// SAFETY: as above.
unsafe impl<T> Send for Shared<T> {}

impl<T> Shared<T> {
    fn get(&self) -> &T {
        &self.0
    }
}

#[test]
fn two_writes_race() {
    assert_fails(FailureKind::DataRace, "data race", || {
        let cell = Shared(UnsafeCell::new(0));
        thread::scope(|scope| {
            for value in 1..=2 {
                let cell = &cell;
                // SAFETY: one thread.
                scope.spawn(move || cell.get().with_mut(|place| unsafe { *place = value }));
            }
        });
    });
}

#[test]
fn a_read_and_a_write_race() {
    assert_fails(FailureKind::DataRace, "reads", || {
        let cell = Shared(Cell::new(0));
        thread::scope(|scope| {
            scope.spawn(|| cell.get().set(1));
            scope.spawn(|| cell.get().get());
        });
    });
}

#[test]
fn reads_do_not_race() {
    let seen = answers(|| {
        let cell = Shared(UnsafeCell::new(7));
        let plain = Shared(Cell::new(1));
        thread::scope(|scope| {
            // SAFETY: nobody writes.
            let read = || cell.get().with(|place| unsafe { *place }) + plain.get().get();
            let handles = [scope.spawn(read), scope.spawn(read)];
            handles.map(|handle| handle.join().unwrap())
        })
    });
    assert_eq!(seen, BTreeSet::from([[8, 8]]));
}

#[test]
fn accesses_under_a_lock_do_not_race() {
    let seen = answers(|| {
        let shared = Arc::new((Mutex::new(()), Shared(UnsafeCell::new(1))));
        let double = |shared: &(Mutex<()>, Shared<UnsafeCell<u32>>)| {
            let _guard = shared.0.lock().unwrap();
            // SAFETY: under the lock.
            let value = shared.1.get().with(|place| unsafe { *place });
            // SAFETY: as above.
            shared
                .1
                .get()
                .with_mut(|place| unsafe { *place = 2 * value });
        };
        let other = thread::spawn({
            let shared = Arc::clone(&shared);
            move || double(&shared)
        });
        double(&shared);
        other.join().unwrap();
        let _guard = shared.0.lock().unwrap();
        // SAFETY: as above.
        unsafe { *shared.1.get().get() }
    });
    assert_eq!(seen, BTreeSet::from([4]));
}

#[test]
fn a_cell_does_what_the_standard_one_does() {
    let program = || {
        let mut cell = Cell::new(1);
        let other = Cell::from(10);
        cell.swap(&other);
        cell.swap(&cell);
        cell.update(|value| value + 1);
        *cell.get_mut() += 1;
        let taken = other.take();
        let copy = cell.clone();
        assert!(copy == cell && copy >= other);
        (cell.replace(3), taken, other.get(), cell.into_inner())
    };
    assert_eq!(program(), (12, 1, 0, 3));
    assert_eq!(answers(program), BTreeSet::from([(12, 1, 0, 3)]));
}
