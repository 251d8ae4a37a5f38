//! Two tasks allocate blocks: they find a free one in one critical section and take it in the next.

use super::{program, run_all};
use crate::section::section;
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use unpick::sync::Mutex;

pub(crate) const PROGRAM: Program = program(
    "ibm.allocationvector",
    "blocks that are found and taken in two steps",
    "a block can be taken twice",
    &[Parameter::twin("0 finds and takes in one critical section")],
    body,
);

const BLOCKS: usize = 4;
const TURNS: usize = 2;

#[derive(Default)]
struct Vector {
    lock: Mutex<()>,
    /// How often each block was taken; used under the lock only.
    taken: [AtomicU32; BLOCKS],
}

impl Vector {
    fn find(&self) -> usize {
        let is_free = |block: &AtomicU32| block.load(Relaxed) == 0;
        self.taken.iter().position(is_free).unwrap_or(0)
    }

    fn take(&self, block: usize) {
        let before = self.taken[block].fetch_add(1, Relaxed);
        assert!(before == 0, "block {block} was taken twice");
    }
}

fn body(arguments: &Arguments) {
    let is_atomic = !arguments.is_on("bug");
    let vector = Arc::new(Vector::default());
    run_all(2, move |_| {
        for _ in 0..TURNS {
            if is_atomic {
                section(&vector.lock, || vector.take(vector.find()));
            } else {
                let block = section(&vector.lock, || vector.find());
                section(&vector.lock, || vector.take(block));
            }
        }
    });
}
