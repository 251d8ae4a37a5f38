//! Holds claims to the truth: what a technique calls complete is compared with brute force.
//!
//! The other judge ([`crate::judge`]) takes depth-first search for the truth, and so cannot see what the
//! engine itself leaves out. Here the truth is an enumeration on a state machine
//! ([`Program::terminals`]) that shares nothing with the engine: a yield does nothing, a loop takes every
//! number of turns, a store waits in its buffer as long as it likes, a timer fires by the rule of time.
//!
//! The rules: a technique reaches nothing that the machine does not reach. If it says complete and
//! assumes nothing that could hide a state, it reaches everything. What it assumes has its cause in the
//! program.

mod generator;
mod interpreter;
mod machine;

pub use generator::generate;
pub use interpreter::run;

use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;
use unpick::{Config, Exploration, Memory, Proviso, Provisos, StopReason};

/// Number of atomic variables.
pub const ATOMICS: usize = 2;
/// Number of mutexes.
pub const MUTEXES: usize = 2;
/// Executions that a technique may run; one that needs more claims nothing.
const EXECUTIONS_MAX: u64 = 1_000;
/// How long a task that could run may be held up, in milliseconds.
pub const MAX_DELAY: u64 = 100;
/// What a loop leaves in `r` that gave up.
pub const GAVE_UP: u8 = 9;

/// Something a task does. Every task has one local number, `r`, which is zero at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statement {
    /// Create the task of this number.
    Spawn(usize),
    /// Wait for the end of a child.
    Join(usize),
    /// Read an atomic into `r`.
    Load(usize),
    /// Write a constant into an atomic, with `Relaxed`.
    Store(usize, u8),
    /// Write a constant into an atomic, with `Release`.
    StoreRelease(usize, u8),
    /// Write a constant into an atomic, with `SeqCst`.
    StoreSeqCst(usize, u8),
    /// A fence with `Release`.
    FenceRelease,
    /// A fence with `SeqCst`.
    Fence,
    /// Add one to an atomic; `r` is what it was before.
    Add(usize),
    /// Acquire a mutex. Lists of statements hold and release in pairs.
    Lock(usize),
    /// Release it.
    Unlock(usize),
    /// Wait for a notification, with a mutex that is held.
    Wait(usize),
    /// Wake one waiter.
    NotifyOne,
    /// Wake all waiters.
    NotifyAll,
    /// Let others go first.
    Yield,
    /// Let so many milliseconds pass.
    Sleep(u64),
    /// Read an atomic until it has a value, at most this many times; `r` is that value or [`GAVE_UP`].
    Spin(usize, u8, u8),
    /// Wait at the barrier; `r` is 1 for the leader and 0 for others.
    Barrier,
    /// Wait for the own token.
    Park,
    /// The same, but for so many milliseconds at most.
    ParkFor(u64),
    /// Give its token to a child or to the first task.
    Unpark(usize),
    /// Panic if `r` has this value.
    PanicIf(u8),
}

/// A program: the statements of each task; the first task is number 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The tasks.
    pub tasks: Vec<Vec<Statement>>,
    /// Tasks that pass the barrier together.
    pub parties: usize,
    /// Whether the end of the first task ends the execution and cuts the other tasks off.
    pub ends_with_main: bool,
}

impl Program {
    /// Whether it has a timer that may have to wait for the clock.
    pub fn has_long_timer(&self) -> bool {
        self.has(is_long)
    }

    fn has(&self, is_it: impl Fn(&Statement) -> bool) -> bool {
        self.tasks.iter().flatten().any(is_it)
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, body) in self.tasks.iter().enumerate() {
            writeln!(f, "task {number}: {body:?}")?;
        }
        let end = if self.ends_with_main {
            "; the end of task 0 ends all"
        } else {
            ""
        };
        write!(f, "a barrier for {}{end}", self.parties)
    }
}

/// How an execution ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ending {
    /// All tasks have ended, or the first one has and that ends the program.
    Pass,
    /// Tasks wait that no task wakes.
    Deadlock,
    /// This task panicked.
    Panic(usize),
}

/// What is known of an execution at its end.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Terminal {
    /// How it ended.
    pub ending: Ending,
    /// What the atomics hold. Empty after a panic, and under memory models with buffers, in which only
    /// loads tell.
    pub atomics: Vec<u8>,
    /// What each task has seen; after a panic only the task that panicked.
    pub seen: Vec<Vec<u8>>,
}

impl Terminal {
    /// What the tasks have seen, and nothing else.
    fn view(&self) -> Terminal {
        Terminal {
            atomics: Vec::new(),
            ..self.clone()
        }
    }
}

/// The techniques that are judged. Those that plan by reads promise everything that tasks can see.
pub const TECHNIQUES: &[(&str, Shows)] = &[
    ("dfs", Shows::States),
    ("ipb:beyond=1", Shows::States),
    ("idb:beyond=1", Shows::States),
    ("hbr-cache", Shows::States),
    ("lazy-hbr-cache", Shows::States),
    ("dpor", Shows::States),
    ("odpor", Shows::States),
    ("lazy-dpor", Shows::States),
    ("lazy-odpor", Shows::States),
    ("mcr", Shows::Views),
    ("se-mcr", Shows::Views),
    ("portfolio", Shows::States),
];

/// What a complete exploration shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shows {
    /// Every terminal state.
    States,
    /// Everything that tasks can have seen at the end, and every way to end.
    Views,
}

/// What a technique did with a program.
pub struct Judged {
    /// What it claims.
    pub found: Exploration,
    /// Terminal states that it reached, and that there are.
    pub counts: (usize, usize),
    /// The first rule that it breaks, with what was found.
    pub breach: Option<String>,
    /// Whether it says complete, and assumes nothing that could hide a state.
    pub is_held_to_all: bool,
}

/// Provisos that cannot hide a state here, because the machine assumes them too.
const SHARED: &[Proviso] = &[
    Proviso::SpuriousWakes,
    Proviso::WeakOrderings,
    Proviso::Timeouts,
];

/// The configuration under which techniques are judged.
fn config(program: &Program, technique: &str, memory: Memory) -> Config {
    Config::new()
        .strategy(technique)
        .executions(EXECUTIONS_MAX)
        .keep_going(true)
        .spurious_wakes(0)
        .max_delay(Duration::from_millis(MAX_DELAY))
        .memory(memory)
        .ends_with_main(program.ends_with_main)
}

/// Compares what a technique has found with the truth.
pub fn judge(
    program: &Program,
    (technique, shows): (&str, Shows),
    truth: &BTreeSet<Terminal>,
    (found, reached): (Exploration, BTreeSet<Terminal>),
) -> Judged {
    let of = |set: &BTreeSet<Terminal>| -> BTreeSet<Terminal> {
        match shows {
            Shows::States => set.clone(),
            Shows::Views => set.iter().map(Terminal::view).collect(),
        }
    };
    let (reached, truth) = (of(&reached), of(truth));
    let claim = found.claim();
    let is_held_to_all = claim.is_exhausted && !hides(claim.provided);
    let breach = if let Some(invented) = reached.difference(&truth).next() {
        Some(format!("reaches what the program cannot: {invented:?}"))
    } else if let Some(groundless) = claim
        .provided
        .iter()
        .find(|one| !is_caused(*one, program, technique, &truth))
    {
        Some(format!("assumes without a cause: {groundless:?}"))
    } else if !found.complete && found.stopped_because != StopReason::Executions {
        let why = found.stopped_because;
        Some(format!("does not come to its end: {why:?}"))
    } else if is_held_to_all {
        let missing = truth.difference(&reached).next();
        missing.map(|missing| format!("says \"{claim}\" and misses {missing:?}"))
    } else {
        None
    };
    Judged {
        counts: (reached.len(), truth.len()),
        found,
        is_held_to_all,
        breach: breach.map(|breach| format!("{technique}: {breach}")),
    }
}

/// Whether something assumed can hide a state.
fn hides(provided: Provisos) -> bool {
    provided.iter().any(|proviso| !SHARED.contains(&proviso))
}

/// A task that reads one value this often may be in a loop.
const LOOKS_MIN: u32 = 8;

/// How often a task may read in a row without changing anything.
fn looks_of(body: &[Statement]) -> u32 {
    let looks = body.iter().map(|statement| match statement {
        Statement::Spin(_, _, turns) => u32::from(*turns),
        Statement::Load(_) => 1,
        _ => 0,
    });
    looks.sum()
}

/// Whether a program gives a reason to assume something.
fn is_caused(
    proviso: Proviso,
    program: &Program,
    technique: &str,
    truth: &BTreeSet<Terminal>,
) -> bool {
    match proviso {
        Proviso::ForcedSwitch => program.has(|one| {
            matches!(
                one,
                Statement::Yield | Statement::Sleep(_) | Statement::ParkFor(_)
            )
        }),
        Proviso::Timeouts => program.has_long_timer(),
        Proviso::SpinCutShort => program.tasks.iter().any(|body| looks_of(body) >= LOOKS_MIN),
        Proviso::SpuriousWakes => program.has(|one| {
            matches!(
                one,
                Statement::Wait(_) | Statement::Park | Statement::ParkFor(_)
            )
        }),
        Proviso::WeakOrderings => program.has(|one| {
            use Statement::{FenceRelease, Store, StoreRelease};
            matches!(one, Store(..) | StoreRelease(..) | FenceRelease)
        }),
        Proviso::BehindFailure => truth.iter().any(|one| one.ending != Ending::Pass),
        Proviso::LazyLocks => technique.starts_with("lazy-dpor"),
        // What plans from traces knows nothing of time, and does not plan every place at which the end of the
        // program can cut a task off.
        Proviso::Unplanned => {
            technique.ends_with("mcr") && (program.ends_with_main || program.has_long_timer())
        }
        _ => false,
    }
}

/// Whether a statement may have to wait for the clock.
fn is_long(statement: &Statement) -> bool {
    matches!(statement, Statement::Sleep(limit) | Statement::ParkFor(limit) if *limit > MAX_DELAY)
}
