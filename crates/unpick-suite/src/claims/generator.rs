//! Makes programs from numbers.

use super::{ATOMICS, MUTEXES, Program, Statement};
use crate::generated::SplitMix64;

/// The program of this number.
#[must_use]
pub fn generate(seed: u64) -> Program {
    let mut source = SplitMix64(seed ^ 0x636c_6169_6d73);
    let count = [2, 2, 3, 3, 4][source.below(5)];
    let theme = THEMES[source.below(THEMES.len())];
    let mut tasks: Vec<Vec<Statement>> = Vec::new();
    for task in 0..count {
        let length = match (task, count) {
            (0, _) => source.below(4),
            (_, 2) => 1 + source.below(5),
            (_, 3) => 1 + source.below(3),
            _ => 1 + source.below(2),
        };
        let kin = match task {
            0 => (1..count).collect(),
            _ => vec![0],
        };
        tasks.push(body(&mut source, theme, &kin, length));
    }
    for child in (1..count).rev() {
        // Half of the children are detached.
        if source.below(2) == 0 {
            tasks[0].push(Statement::Join(child));
        }
        tasks[0].insert(0, Statement::Spawn(child));
    }
    if source.below(3) == 0 {
        tasks[0].push(Statement::Load(0));
        let value = source.below(3) as u8;
        tasks[0].push(Statement::PanicIf(value));
    }
    Program {
        tasks,
        parties: 2,
        ends_with_main: source.below(4) == 0,
    }
}

/// What a program is about besides atomics.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Theme {
    Yields,
    Spins,
    Condvars,
    Barriers,
    Parks,
    Locks,
    Buffers,
    Timers,
    All,
}

const THEMES: &[Theme] = &[
    Theme::Yields,
    Theme::Spins,
    Theme::Condvars,
    Theme::Barriers,
    Theme::Parks,
    Theme::Locks,
    Theme::Buffers,
    Theme::Timers,
    Theme::All,
];

/// Milliseconds: one that can come at any moment, and others that are close to each other and far apart.
const LIMITS: &[u64] = &[1, 150, 150, 230, 1_000];

fn body(source: &mut SplitMix64, theme: Theme, kin: &[usize], length: usize) -> Vec<Statement> {
    let mut body = Vec::new();
    while body.len() < length {
        if theme != Theme::Buffers && source.below(2) == 0 {
            body.push(atomic(source));
        } else {
            special(source, theme, kin, &mut body);
        }
        if source.below(6) == 0 {
            body.push(Statement::PanicIf(1 + source.below(2) as u8));
        }
    }
    body
}

fn atomic(source: &mut SplitMix64) -> Statement {
    let x = source.skewed(ATOMICS);
    let value = 1 + source.below(2) as u8;
    match source.below(6) {
        0 | 1 => Statement::Load(x),
        2 | 3 => Statement::Store(x, value),
        4 => Statement::StoreSeqCst(x, value),
        _ => Statement::Add(x),
    }
}

fn special(source: &mut SplitMix64, theme: Theme, kin: &[usize], body: &mut Vec<Statement>) {
    let theme = match theme {
        Theme::All => THEMES[source.below(THEMES.len() - 1)],
        one => one,
    };
    match theme {
        Theme::Yields => body.push([Statement::Yield, Statement::Sleep(1)][source.below(2)]),
        Theme::Spins => {
            let turns = [2, 10][source.below(2)];
            let value = 1 + source.below(2) as u8;
            body.push(Statement::Spin(source.skewed(ATOMICS), value, turns));
        }
        Theme::Condvars => {
            let mutex = source.skewed(MUTEXES);
            match source.below(3) {
                0 => body.push([Statement::NotifyOne, Statement::NotifyAll][source.below(2)]),
                // Notified with the lock, and waited for with the same one only: as std asks for.
                1 => body.extend([Statement::Lock(0), Statement::Wait(0), Statement::Unlock(0)]),
                _ => body.extend([
                    Statement::Lock(mutex),
                    Statement::NotifyOne,
                    Statement::Unlock(mutex),
                ]),
            }
        }
        Theme::Barriers => body.push(Statement::Barrier),
        Theme::Parks => match source.below(2) {
            0 => body.push(Statement::Park),
            _ => body.push(Statement::Unpark(kin[source.below(kin.len())])),
        },
        Theme::Buffers => buffered(source, body),
        Theme::Timers => {
            let limit = LIMITS[source.below(LIMITS.len())];
            body.push(match source.below(3) {
                0 => Statement::Sleep(limit),
                1 => Statement::ParkFor(limit),
                _ => Statement::Unpark(kin[source.below(kin.len())]),
            });
        }
        Theme::Locks | Theme::All => {
            let mutex = source.below(MUTEXES);
            body.push(Statement::Lock(mutex));
            if source.below(3) == 0 {
                let inner = (mutex + 1) % MUTEXES;
                body.extend([Statement::Lock(inner), Statement::Unlock(inner)]);
            }
            body.push(atomic(source));
            body.push(Statement::Unlock(mutex));
        }
    }
}

/// What shows a store that waits in a buffer: a load or a store of another atomic behind it, and the two
/// loads that notice stores in the wrong order. Now and then a fence forbids it.
fn buffered(source: &mut SplitMix64, body: &mut Vec<Statement>) {
    let x = source.below(ATOMICS);
    let y = (x + 1) % ATOMICS;
    let value = 1 + source.below(2) as u8;
    let (first, second) = match source.below(4) {
        0 | 1 => (Statement::Store(x, value), Statement::Load(y)),
        2 => (Statement::Store(x, value), store(source, y)),
        _ => (Statement::Load(x), Statement::Load(y)),
    };
    body.push(first);
    match source.below(6) {
        0 => body.push(Statement::Fence),
        1 => body.push(Statement::FenceRelease),
        _ => {}
    }
    body.push(second);
}

/// A store that can wait.
fn store(source: &mut SplitMix64, x: usize) -> Statement {
    let value = 1 + source.below(2) as u8;
    match source.below(3) {
        0 => Statement::StoreRelease(x, value),
        _ => Statement::Store(x, value),
    }
}
