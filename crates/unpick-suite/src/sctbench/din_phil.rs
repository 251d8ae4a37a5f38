//! Dining philosophers who take both forks under one big lock and then count the meals.
//!
//! Somebody reports an error when all have eaten, which is what happens in almost every schedule.
//! With up to four philosophers the meals are counted in a racy way; with five and six, under the
//! big lock; with seven, each takes the big lock again where it should release it. From the CS
//! suite in SCTBench (ids 9 to 14).

use super::with_twin;
use crate::join::join_all;
use crate::published::rows::{DIN_PHIL2, DIN_PHIL3, DIN_PHIL4, DIN_PHIL5, DIN_PHIL6, DIN_PHIL7};
use crate::{Arguments, Parameter, Program, Published};
use std::sync::Arc;
use unpick::sync::Mutex;
use unpick::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use unpick::thread;

pub(crate) const PROGRAM_2: Program = racy(&DIN_PHIL2, |arguments| {
    dine(arguments, 2, eat_and_count_racily);
});
pub(crate) const PROGRAM_3: Program = racy(&DIN_PHIL3, |arguments| {
    dine(arguments, 3, eat_and_count_racily);
});
pub(crate) const PROGRAM_4: Program = racy(&DIN_PHIL4, |arguments| {
    dine(arguments, 4, eat_and_count_racily);
});
pub(crate) const PROGRAM_5: Program = locked(&DIN_PHIL5, |arguments| {
    dine(arguments, 5, eat_and_count_locked);
});
pub(crate) const PROGRAM_6: Program = locked(&DIN_PHIL6, |arguments| {
    dine(arguments, 6, eat_and_count_locked);
});
pub(crate) const PROGRAM_7: Program = with_twin(
    &DIN_PHIL7,
    "dining philosophers who lock twice",
    "the lock is taken again where it should be released",
    &[Parameter::twin("0 releases it, and lets all eat")],
    |arguments| {
        dine(arguments, 7, eat_and_lock_again);
    },
);

const TWIN: &[Parameter] = &[Parameter::twin("0 lets all eat")];

const fn racy(published: &'static Published, body: fn(&Arguments)) -> Program {
    with_twin(
        published,
        "dining philosophers who count their meals in a racy way",
        "the meal of the last philosopher is taken for an error",
        TWIN,
        body,
    )
}

const fn locked(published: &'static Published, body: fn(&Arguments)) -> Program {
    with_twin(
        published,
        "dining philosophers who count their meals under a lock",
        "the meal of the last philosopher is taken for an error",
        TWIN,
        body,
    )
}

struct Table {
    /// The big lock, with the meals that are counted under it.
    exclusion: Mutex<usize>,
    forks: Vec<Mutex<()>>,
    /// The meals that are counted without a lock.
    meals: AtomicUsize,
    /// As many meals are an error.
    too_many: usize,
    locks_again: bool,
}

fn dine(arguments: &Arguments, seats: usize, eat: fn(&Table, usize)) {
    let table = Arc::new(Table {
        exclusion: Mutex::new(0),
        forks: (0..seats).map(|_| Mutex::new(())).collect(),
        meals: AtomicUsize::new(0),
        too_many: seats + usize::from(!arguments.is_on("bug")),
        locks_again: arguments.is_on("bug"),
    });
    let handles = (0..seats)
        .map(|seat| {
            let table = table.clone();
            thread::spawn(move || eat(&table, seat))
        })
        .collect();
    join_all(handles);
}

/// Takes and puts back the two forks of a seat.
fn use_forks(table: &Table, seat: usize) {
    let right = table.forks[(seat + 1) % table.forks.len()].lock().unwrap();
    let left = table.forks[seat].lock().unwrap();
    drop(left);
    drop(right);
}

fn eat_and_count_racily(table: &Table, seat: usize) {
    let exclusion = table.exclusion.lock().unwrap();
    use_forks(table, seat);
    drop(exclusion);
    let meals = table.meals.load(SeqCst);
    table.meals.store(meals + 1, SeqCst);
    assert!(table.meals.load(SeqCst) != table.too_many, "all have eaten");
}

fn eat_and_count_locked(table: &Table, seat: usize) {
    let exclusion = table.exclusion.lock().unwrap();
    use_forks(table, seat);
    drop(exclusion);
    let mut meals = table.exclusion.lock().unwrap();
    *meals += 1;
    assert!(*meals != table.too_many, "all have eaten");
    drop(meals);
}

fn eat_and_lock_again(table: &Table, seat: usize) {
    let exclusion = table.exclusion.lock().unwrap();
    use_forks(table, seat);
    let exclusion = match table.locks_again {
        true => Some(exclusion),
        false => {
            drop(exclusion);
            None
        }
    };
    let mut meals = table.exclusion.lock().unwrap();
    *meals += 1;
    assert!(*meals != table.too_many, "all have eaten");
    drop(meals);
    drop(exclusion);
}
