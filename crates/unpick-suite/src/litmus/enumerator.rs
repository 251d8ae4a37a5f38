//! All outcomes of a litmus test, by trying every interleaving on store buffers. Nothing here is shared
//! with the engine.

use super::{Instruction, Litmus, MUTEXES, Outcome, failure};
use std::collections::{BTreeSet, HashSet, VecDeque};
use unpick::Memory;

#[derive(Clone, PartialEq, Eq, Hash, Default)]
struct Task {
    next: usize,
    reads: Vec<u32>,
    /// What it has stored and what others do not see: the oldest first.
    buffer: VecDeque<Waiting>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Waiting {
    /// A value for a variable, and whether it passes nothing that is before it.
    Store(usize, u32, bool),
    /// Nothing behind it passes what is before it.
    Barrier,
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
        self.enumerate(model).0
    }

    /// Every way to fail that the model allows.
    pub fn failures(&self, model: Memory) -> BTreeSet<String> {
        let (outcomes, mut failures) = self.enumerate(model);
        if outcomes.iter().any(|one| one.len() == self.tasks.len()) {
            failures.insert("deadlock".into());
        }
        failures
    }

    fn enumerate(&self, model: Memory) -> (BTreeSet<Outcome>, BTreeSet<String>) {
        let mut start = State {
            tasks: vec![Task::default(); self.tasks.len()],
            memory: vec![0; self.variables],
            owners: [None; MUTEXES],
        };
        (0..self.tasks.len()).for_each(|task| self.go_on(&mut start.tasks[task], task));
        let mut seen = HashSet::from([start.clone()]);
        let mut left = vec![start];
        let (mut outcomes, mut failures) = (BTreeSet::new(), BTreeSet::new());
        while let Some(state) = left.pop() {
            if let Some((task, instruction)) = self.panicking(&state) {
                failures.insert(failure(task, instruction));
                continue;
            }
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
        (outcomes, failures)
    }

    /// The task that fails right now, within what it did last.
    fn panicking(&self, state: &State) -> Option<(usize, usize)> {
        let fails = |&task: &usize| {
            let Task { next, reads, .. } = &state.tasks[task];
            let instruction = self.tasks[task].get(*next);
            instruction.is_some_and(
                |one| matches!(one, Instruction::PanicIf(value) if reads.last() == Some(value)),
            )
        };
        let task = (0..self.tasks.len()).find(fails)?;
        Some((task, state.tasks[task].next))
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
                let Waiting::Store(variable, value, waits) = buffer[index] else {
                    continue;
                };
                let is_passed = |one: &Waiting| match *one {
                    Waiting::Store(other, ..) => {
                        model == Memory::Pso && !waits && other != variable
                    }
                    Waiting::Barrier => false,
                };
                if buffer.iter().take(index).all(is_passed) {
                    let mut next = state.clone();
                    let buffer = &mut next.tasks[task].buffer;
                    buffer.remove(index);
                    while buffer.front() == Some(&Waiting::Barrier) {
                        buffer.pop_front();
                    }
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
                let waits = matches!(instruction, Release(..));
                buffer.push_back(Waiting::Store(x, value, waits));
            }
            Read(x) => {
                let own = buffer.iter().rev().find_map(|one| match *one {
                    Waiting::Store(variable, value, _) if variable == x => Some(value),
                    _ => None,
                });
                reads.push(own.unwrap_or(memory[x]));
            }
            FenceRelease | FenceAcqRel if !is_empty => buffer.push_back(Waiting::Barrier),
            FenceRelease | FenceAcqRel | FenceAcquire => {}
            SkipUnless(..) | PanicIf(_) => unreachable!("it belongs to what comes before"),
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
        self.go_on(&mut after.tasks[task], task);
        Some(after)
    }

    /// Performs what nobody else can notice or prevent, up to the next access or to a panic.
    fn go_on(&self, state: &mut Task, task: usize) {
        while let Some(instruction) = self.tasks[task].get(state.next) {
            let last = state.reads.last();
            match *instruction {
                Instruction::SkipUnless(value, count) if last != Some(&value) => {
                    state.next += 1 + count;
                }
                Instruction::PanicIf(value) if last == Some(&value) => return,
                Instruction::SkipUnless(..) | Instruction::PanicIf(_) => state.next += 1,
                _ => return,
            }
        }
    }
}
