//! All outcomes of a litmus test, by trying every interleaving on store buffers. Nothing here is shared
//! with the engine.

use super::{Instruction, Litmus, MUTEXES, Outcome};
use std::collections::{BTreeSet, HashSet, VecDeque};
use unpick::Memory;

#[derive(Clone, PartialEq, Eq, Hash, Default)]
struct Task {
    next: usize,
    reads: Vec<u32>,
    /// Variable, value, and whether it waits for all before it: the oldest first.
    buffer: VecDeque<(usize, u32, bool)>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    tasks: Vec<Task>,
    memory: Vec<u32>,
    owners: [Option<usize>; MUTEXES],
}

impl Litmus {
    /// Every outcome that the model allows. A state in which nobody can go on although not all is done is
    /// one too: there the memory is missing.
    pub fn outcomes(&self, model: Memory) -> BTreeSet<Outcome> {
        let start = State {
            tasks: vec![Task::default(); self.tasks.len()],
            memory: vec![0; self.variables],
            owners: [None; MUTEXES],
        };
        let mut seen = HashSet::from([start.clone()]);
        let mut left = vec![start];
        let mut outcomes = BTreeSet::new();
        while let Some(state) = left.pop() {
            let next = self.successors(&state, model);
            if next.is_empty() {
                outcomes.insert(self.outcome(&state));
            }
            for state in next {
                if seen.insert(state.clone()) {
                    left.push(state);
                }
            }
        }
        outcomes
    }

    fn outcome(&self, state: &State) -> Outcome {
        let mut outcome: Outcome = state.tasks.iter().map(|task| task.reads.clone()).collect();
        let mut all = state.tasks.iter().zip(&self.tasks);
        if all.all(|(task, program)| task.next >= program.len()) {
            outcome.push(state.memory.clone());
        }
        outcome
    }

    fn successors(&self, state: &State, model: Memory) -> Vec<State> {
        let mut found = Vec::new();
        for task in 0..self.tasks.len() {
            found.extend(self.step(state, task, model));
            let buffer = &state.tasks[task].buffer;
            for index in 0..buffer.len() {
                let (variable, value, waits) = buffer[index];
                let before = || buffer.iter().take(index);
                let can_leave = match model {
                    Memory::Pso => !waits && before().all(|one| one.0 != variable) || index == 0,
                    _ => index == 0,
                };
                if can_leave {
                    let mut next = state.clone();
                    next.tasks[task].buffer.remove(index);
                    next.memory[variable] = value;
                    found.push(next);
                }
            }
        }
        found
    }

    /// What a task does next, if it can.
    fn step(&self, state: &State, task: usize, model: Memory) -> Option<State> {
        use Instruction::*;
        let instruction = *self.tasks[task].get(state.tasks[task].next)?;
        let is_empty = state.tasks[task].buffer.is_empty();
        let mut after = state.clone();
        let State {
            tasks,
            memory,
            owners,
        } = &mut after;
        let Task {
            next,
            reads,
            buffer,
        } = &mut tasks[task];
        *next += 1;
        match instruction {
            Write(x, value) | Release(x, value) if model != Memory::Sc => {
                buffer.push_back((x, value, matches!(instruction, Release(..))));
            }
            Read(x) => {
                let own = buffer.iter().rev().find(|one| one.0 == x);
                reads.push(own.map_or(memory[x], |one| one.1));
            }
            SkipUnless(value, count) => {
                if reads.last() != Some(&value) {
                    *next += count;
                }
            }
            _ if !is_empty => return None,
            Write(x, value) | Release(x, value) | WriteSeqCst(x, value) => memory[x] = value,
            Add(x, value) => {
                reads.push(memory[x]);
                memory[x] = memory[x].wrapping_add(value);
            }
            Exchange(x, old, new) => {
                reads.push(memory[x]);
                if memory[x] == old {
                    memory[x] = new;
                }
            }
            Fence => {}
            Lock(mutex) if owners[mutex].is_some() => return None,
            Lock(mutex) => owners[mutex] = Some(task),
            Unlock(mutex) => owners[mutex] = None,
        }
        Some(after)
    }
}
