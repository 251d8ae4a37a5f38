//! Little programs over shared variables, for memory models.
//!
//! A litmus test is data: a few instructions for each task. It can be executed against the drop-in types
//! ([`Litmus::run`]), its outcomes can be enumerated on store buffers without any engine
//! ([`Litmus::outcomes`]), and random ones can be made ([`random`]). An outcome is what each read has
//! returned, task by task, and what the variables hold when all is over. A task that panics ends the execution
//! at once, which is no outcome but a failure ([`Litmus::failures`]).

mod classic;
mod enumerator;
mod random;

pub use classic::CLASSICS;
pub use random::{random, random_orders, random_sections};

use std::fmt;
use std::sync::Arc;
use unpick::sync::atomic::{AtomicU32, Ordering, fence};
use unpick::sync::{Mutex, MutexGuard};
use unpick::thread;

/// What each read has returned, by task, and then what the variables hold at the end.
pub type Outcome = Vec<Vec<u32>>;

/// What a task does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instruction {
    /// Write a constant to a variable, relaxed.
    Write(usize, u32),
    /// The same, as a release store.
    Release(usize, u32),
    /// The same, sequentially consistent.
    WriteSeqCst(usize, u32),
    /// Read a variable.
    Read(usize),
    /// Add to a variable; counts as a read of what it was before.
    Add(usize, u32),
    /// Exchange a value for another; counts as a read of what was there.
    Exchange(usize, u32, u32),
    /// A sequentially consistent fence.
    Fence,
    /// A fence that releases.
    FenceRelease,
    /// A fence that acquires.
    FenceAcquire,
    /// A fence that does both.
    FenceAcqRel,
    /// Leave out so many instructions, unless the last read returned this value.
    SkipUnless(u32, usize),
    /// Lock a mutex.
    Lock(usize),
    /// Unlock it.
    Unlock(usize),
    /// Panic if the last read returned this value.
    PanicIf(u32),
}

/// A program: the instructions of each task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Litmus {
    /// How many variables there are; all hold zero at the beginning.
    pub variables: usize,
    /// What each task does.
    pub tasks: Vec<Vec<Instruction>>,
}

/// How many mutexes there are.
pub const MUTEXES: usize = 2;

#[derive(Default)]
struct Shared {
    variables: Vec<AtomicU32>,
    mutexes: [Mutex<()>; MUTEXES],
}

impl Litmus {
    /// Runs it against the drop-in types. The main task creates the others and waits for them.
    pub fn run(self: &Arc<Litmus>) -> Outcome {
        let shared = self.shared();
        let mut outcome = self.run_on(&shared);
        let last = |variable: &AtomicU32| variable.load(Ordering::SeqCst);
        outcome.push(shared.variables.iter().map(last).collect());
        outcome
    }

    /// The same without a look at the variables at the end.
    pub fn run_tasks(self: &Arc<Litmus>) -> Outcome {
        self.run_on(&self.shared())
    }

    fn shared(&self) -> Arc<Shared> {
        Arc::new(Shared {
            variables: (0..self.variables).map(|_| AtomicU32::new(0)).collect(),
            ..Shared::default()
        })
    }

    fn run_on(self: &Arc<Litmus>, shared: &Arc<Shared>) -> Outcome {
        let tasks: Vec<_> = (0..self.tasks.len())
            .map(|task| {
                let (litmus, shared) = (Arc::clone(self), Arc::clone(shared));
                thread::spawn(move || perform(&litmus.tasks[task], task, &shared))
            })
            .collect();
        tasks.into_iter().map(|task| task.join().unwrap()).collect()
    }
}

/// Performs the instructions of a task. Answers what its reads have returned.
fn perform(instructions: &[Instruction], task: usize, shared: &Shared) -> Vec<u32> {
    use Ordering::{Acquire, Relaxed, SeqCst};
    let mut reads = Vec::new();
    let mut guards: [Option<MutexGuard<'_, ()>>; MUTEXES] = Default::default();
    let mut next = 0;
    while let Some(instruction) = instructions.get(next) {
        next += 1;
        match *instruction {
            Instruction::Write(x, value) => shared.variables[x].store(value, Relaxed),
            Instruction::Release(x, value) => {
                shared.variables[x].store(value, Ordering::Release);
            }
            Instruction::WriteSeqCst(x, value) => shared.variables[x].store(value, SeqCst),
            Instruction::Read(x) => reads.push(shared.variables[x].load(Acquire)),
            Instruction::Add(x, value) => {
                reads.push(shared.variables[x].fetch_add(value, Relaxed));
            }
            Instruction::Exchange(x, old, new) => {
                let result = shared.variables[x].compare_exchange(old, new, Relaxed, Relaxed);
                reads.push(result.unwrap_or_else(|found| found));
            }
            Instruction::Fence => fence(SeqCst),
            Instruction::FenceRelease => fence(Ordering::Release),
            Instruction::FenceAcquire => fence(Acquire),
            Instruction::FenceAcqRel => fence(Ordering::AcqRel),
            Instruction::PanicIf(value) => {
                assert!(reads.last() != Some(&value), "{}", failure(task, next - 1));
            }
            Instruction::SkipUnless(value, count) => {
                if reads.last() != Some(&value) {
                    next += count;
                }
            }
            Instruction::Lock(mutex) => guards[mutex] = Some(shared.mutexes[mutex].lock().unwrap()),
            Instruction::Unlock(mutex) => drop(guards[mutex].take()),
        }
    }
    reads
}

/// How a panic in this instruction of a task is reported.
fn failure(task: usize, instruction: usize) -> String {
    format!("task {task} fails at {instruction}")
}

impl fmt::Display for Litmus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, task) in self.tasks.iter().enumerate() {
            writeln!(f, "t{number}: {task:?}")?;
        }
        Ok(())
    }
}
