//! Blocks are looked for in one critical section and taken in the next one.

use super::{Section, Variables, program, run_both_locked};
use crate::{Parameter, Program};

pub(crate) const PROGRAM: Program = program(
    "huang.allocation",
    "blocks that are found in one critical section and taken in another",
    &[Parameter::twin("0 finds and takes in one")],
    Some("a block is taken twice"),
    |arguments| match arguments.is_on("bug") {
        true => run_both_locked(true, |in_section, blocks| {
            allocate(blocks, in_section, &|both| both());
        }),
        false => run_both_locked(true, |in_section, blocks| {
            allocate(blocks, &|one| one(), in_section);
        }),
    },
);

const BLOCKS: usize = 4;
/// Of each of the two tasks.
const ALLOCATIONS: usize = 2;
const FREE: u32 = 0;

fn allocate(blocks: &Variables<BLOCKS>, each: Section<'_>, both: Section<'_>) {
    for _ in 0..ALLOCATIONS {
        both(&|| {
            let found = std::cell::Cell::new(0);
            each(&|| {
                let is_free = |&block: &usize| blocks.read(block) == FREE;
                let free = (0..BLOCKS).find(is_free);
                found.set(free.expect("there are as many blocks as allocations"));
            });
            each(&|| {
                let block = found.get();
                assert!(blocks.read(block) == FREE, "block {block} is taken twice");
                blocks.write(block, 1);
            });
        });
    }
}
