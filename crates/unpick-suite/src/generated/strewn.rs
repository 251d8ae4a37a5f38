//! Strews accesses of plain cells into programs of any flavour, to see what orders them.

use super::generator::SplitMix64;
use super::{CELLS, Program, Statement};

/// The program with accesses of cells added here and there. The same for the same number.
#[must_use]
pub fn strew_cells(program: &Program, seed: u64) -> Program {
    let mut strewn = program.clone();
    let mut source = SplitMix64(!seed);
    for body in &mut strewn.tasks {
        strew(body, &mut source);
    }
    strewn
}

fn strew(body: &mut Vec<Statement>, source: &mut SplitMix64) {
    for statement in std::mem::take(body) {
        let mut statement = statement;
        for block in statement.blocks_mut() {
            strew(block, source);
        }
        maybe_access(body, source);
        body.push(statement);
    }
    maybe_access(body, source);
}

fn maybe_access(body: &mut Vec<Statement>, source: &mut SplitMix64) {
    if source.is_rare(4) {
        let cell = source.skewed(CELLS);
        body.push(match source.below(2) {
            0 => Statement::CellRead(cell),
            _ => Statement::CellWrite(cell, 1),
        });
    }
}
