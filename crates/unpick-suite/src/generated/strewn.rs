//! Strews accesses of plain cells into programs of any flavour, to see what orders them, and memory orders.

use super::generator::SplitMix64;
use super::{CELLS, Orders, Program, Statement};
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};

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

/// The program with other memory orders, and with fences here and there. The same for the same number.
#[must_use]
pub fn strew_orders(program: &Program, seed: u64) -> Program {
    let mut strewn = program.clone();
    let mut source = SplitMix64(seed.rotate_left(32) ^ 0x0b5e_55ed);
    for body in &mut strewn.tasks {
        order(body, &mut source);
    }
    strewn
}

fn order(body: &mut Vec<Statement>, source: &mut SplitMix64) {
    for mut statement in std::mem::take(body) {
        for block in statement.blocks_mut() {
            order(block, source);
        }
        let is_atomic = matches!(
            statement,
            Statement::Load(_)
                | Statement::Store(..)
                | Statement::StoreLocal(_)
                | Statement::Add(..)
                | Statement::CompareExchange(..)
        );
        if !is_atomic {
            body.push(statement);
            continue;
        }
        maybe_fence(body, source);
        let orders = Orders {
            success: [SeqCst, AcqRel, Acquire, Release, Relaxed, Relaxed][source.below(6)],
            failure: [SeqCst, Acquire, Relaxed][source.below(3)],
        };
        body.push(Statement::Ordered(orders, Box::new(statement)));
        maybe_fence(body, source);
    }
}

fn maybe_fence(body: &mut Vec<Statement>, source: &mut SplitMix64) {
    if source.is_rare(5) {
        let order = [SeqCst, AcqRel, Acquire, Release][source.below(4)];
        body.push(Statement::Fence(order));
    }
}
