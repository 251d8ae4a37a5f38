//! Random litmus tests.

use super::{Instruction, Litmus, MUTEXES};
use crate::generated::SplitMix64;

/// A litmus test of two to `tasks_max` tasks with up to `instructions_max` instructions each, over two or
/// three variables. Every other one has locks, every third one read-modify-writes and fences.
pub fn random(seed: u64, tasks_max: usize, instructions_max: usize) -> Litmus {
    let mut source = SplitMix64(seed.wrapping_mul(0x2545_f491_4f6c_dd1d));
    let variables = 2 + source.below(2);
    let (has_locks, has_fences) = (seed.is_multiple_of(2), seed.is_multiple_of(3));
    let task_count = 2 + source.below(tasks_max - 1);
    let tasks = (0..task_count).map(|_| {
        let length = 1 + source.below(instructions_max);
        task(&mut source, variables, length, (has_locks, has_fences))
    });
    Litmus {
        tasks: tasks.collect(),
        variables,
    }
}

/// A litmus test of critical sections: two to `tasks_max` tasks with up to three of them each, every third one
/// nested, with up to three accesses inside, over two variables.
pub fn random_sections(seed: u64, tasks_max: usize) -> Litmus {
    let mut source = SplitMix64(seed.wrapping_mul(0x9fb2_1c65_1e98_df25));
    let task_count = 2 + source.below(tasks_max - 1);
    let tasks = (0..task_count).map(|_| {
        let mut instructions = Vec::new();
        for _ in 0..1 + source.below(2) {
            let mutex = source.below(MUTEXES);
            let is_nested = source.below(3) == 0;
            instructions.push(Instruction::Lock(mutex));
            add_accesses(&mut source, &mut instructions);
            if is_nested {
                let inner = (mutex + 1) % MUTEXES;
                instructions.push(Instruction::Lock(inner));
                add_accesses(&mut source, &mut instructions);
                instructions.push(Instruction::Unlock(inner));
            }
            instructions.push(Instruction::Unlock(mutex));
            if source.below(3) == 0 {
                add_accesses(&mut source, &mut instructions);
            }
        }
        instructions
    });
    Litmus {
        tasks: tasks.collect(),
        variables: 2,
    }
}

/// A litmus test of two to `tasks_max` tasks with up to `instructions_max` instructions each, over two variables:
/// stores in every order, every kind of fence, and panics. Every third one has locks.
pub fn random_orders(seed: u64, tasks_max: usize, instructions_max: usize) -> Litmus {
    let mut source = SplitMix64(seed.wrapping_mul(0xd6e8_feb8_6659_fd93));
    let has_locks = seed.is_multiple_of(3);
    let task_count = 2 + source.below(tasks_max - 1);
    let tasks = (0..task_count).map(|_| {
        let length = 1 + source.below(instructions_max);
        ordered_task(&mut source, length, has_locks)
    });
    Litmus {
        tasks: tasks.collect(),
        variables: 2,
    }
}

fn ordered_task(source: &mut SplitMix64, length: usize, has_locks: bool) -> Vec<Instruction> {
    use Instruction::*;
    let mut instructions = Vec::new();
    let mut has_read = false;
    while instructions.len() < length {
        let x = source.below(2);
        let value = 1 + source.below(2) as u32;
        let fences = [Fence, FenceRelease, FenceAcquire, FenceAcqRel];
        let instruction = match source.below(14) {
            0..3 => Write(x, value),
            3 => Release(x, value),
            4 => WriteSeqCst(x, value),
            5..7 => fences[source.below(fences.len())],
            7 => Add(x, value),
            8 => Exchange(x, source.below(2) as u32, value),
            9 if has_read => PanicIf(source.below(3) as u32),
            10 if has_read => SkipUnless(source.below(3) as u32, 1),
            11 if has_locks && length - instructions.len() >= 3 => {
                let mutex = source.below(MUTEXES);
                let inner = [Write(x, value), Read(x), Lock(1 - mutex)][source.below(3)];
                instructions.extend([Lock(mutex), inner]);
                if let Lock(other) = inner {
                    instructions.push(Unlock(other));
                }
                instructions.push(Unlock(mutex));
                continue;
            }
            _ => Read(x),
        };
        let reads = matches!(instruction, Read(_) | Add(..) | Exchange(..));
        has_read |= reads;
        instructions.push(instruction);
        if reads && source.below(3) == 0 {
            instructions.push(PanicIf(source.below(3) as u32));
        }
    }
    instructions
}

/// Adds one or two reads and writes.
fn add_accesses(source: &mut SplitMix64, instructions: &mut Vec<Instruction>) {
    for _ in 0..1 + source.below(2) {
        let x = source.below(2);
        instructions.push(match source.below(2) {
            0 => Instruction::Write(x, 1 + source.below(2) as u32),
            _ => Instruction::Read(x),
        });
    }
}

fn task(
    source: &mut SplitMix64,
    variables: usize,
    length: usize,
    (has_locks, has_fences): (bool, bool),
) -> Vec<Instruction> {
    use Instruction::*;
    let mut instructions = Vec::new();
    let mut has_read = false;
    while instructions.len() < length {
        let x = source.below(variables);
        let value = 1 + source.below(2) as u32;
        let instruction = match source.below(12) {
            0..4 => Write(x, value),
            4..8 => Read(x),
            8 if has_fences => Add(x, value),
            9 if has_fences => [Fence, WriteSeqCst(x, value), Release(x, value)][source.below(3)],
            10 if has_locks && length - instructions.len() >= 3 => {
                let mutex = source.below(MUTEXES);
                let inner = [Write(x, value), Read(x)][source.below(2)];
                instructions.extend([Lock(mutex), inner, Unlock(mutex)]);
                continue;
            }
            11 if has_read => SkipUnless(source.below(2) as u32, 1),
            _ => Read(x),
        };
        has_read |= matches!(instruction, Read(_) | Add(..));
        instructions.push(instruction);
    }
    instructions
}
