//! `n` stages move items from one slot to the next, as far as they find any, in `m` rounds.
//!
//! Locked: all slots, by one lock. Conflicts: neighbouring stages, in the slot between them; stages
//! further apart do not.

use super::{program, run_tasks, values};
use crate::section::section;
use crate::{Arguments, Parameter, Program};
use unpick::sync::Mutex;
use unpick::sync::atomic::{AtomicU32, Ordering::SeqCst};

pub(crate) const PROGRAM: Program = program(
    "coarse.pipeline",
    "stages that hand items on behind one lock",
    &[
        Parameter::size("n", "stages", 4, 1, 16),
        Parameter::size("m", "rounds of each stage", 2, 1, 100),
    ],
    body,
);

/// Moves an item on if there is one and room for it.
fn advance(from: &AtomicU32, to: &AtomicU32) {
    let item = from.load(SeqCst);
    if item != 0 && to.load(SeqCst) == 0 {
        from.store(0, SeqCst);
        to.store(item, SeqCst);
    }
}

fn body(arguments: &Arguments) {
    let (stages, rounds) = (arguments.size("n"), arguments.size("m"));
    // Every other slot is filled, so that every stage can have something to do.
    let slots: Box<[AtomicU32]> = (0..=stages as u32)
        .map(|slot| AtomicU32::new(if slot % 2 == 0 { slot + 1 } else { 0 }))
        .collect();
    run_tasks(
        stages,
        (Mutex::new(()), slots),
        move |(lock, slots), stage| {
            for _ in 0..rounds {
                section(lock, || advance(&slots[stage], &slots[stage + 1]));
            }
        },
        move |(_, slots)| {
            let left = values(slots).into_iter().filter(|item| *item != 0);
            assert!(left.count() == stages / 2 + 1, "an item was made or lost");
        },
    );
}
