//! Random small programs, and how they run against `unpick`.

use proptest::prelude::*;
use std::fmt;
use std::sync::{Arc, Mutex as StdMutex};
use unpick::sync::atomic::{AtomicU32, Ordering::SeqCst};
use unpick::sync::{Barrier, Condvar, Mutex, MutexGuard};
use unpick::thread::{self, Thread};

pub const MUTEXES: usize = 2;
pub const VARIABLES: usize = 2;
pub const CONDVARS: usize = 1;
/// How many tasks meet at the barrier; there may be more.
pub const PARTIES: usize = 2;

/// One visible operation, or a short structure of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    Load(usize),
    Store(usize, u32),
    Add(usize, u32),
    CompareExchange(usize, u32, u32),
    /// Lock, the statements, unlock.
    Locked(usize, Vec<Statement>),
    /// Try to lock; unlock if it worked.
    TryLock(usize),
    /// Wait for the condition variable, inside `Locked` with that mutex innermost.
    Wait(usize),
    NotifyOne(usize),
    NotifyAll(usize),
    Park,
    /// In the main task: unpark the child of this number, round the number of children. In a
    /// child: unpark the main task.
    Unpark(usize),
    Choose(u32),
    /// Meet another task at the barrier.
    Meet,
}

/// The main task spawns the children in order, runs its own statements, and joins them in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    pub main: Vec<Statement>,
    pub children: Vec<Vec<Statement>>,
    pub joins: bool,
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "main (joins: {}): {:?}", self.joins, self.main)?;
        for child in &self.children {
            writeln!(f, "child: {child:?}")?;
        }
        Ok(())
    }
}

/// What a task saw: who, and the value of its operation (zero where there is none).
pub type Event = (usize, u32);

fn simple() -> impl Strategy<Value = Statement> {
    let variable = 0..VARIABLES;
    prop_oneof![
        3 => variable.clone().prop_map(Statement::Load),
        3 => (variable.clone(), 0..3u32).prop_map(|(x, v)| Statement::Store(x, v)),
        2 => (variable.clone(), 1..3u32).prop_map(|(x, v)| Statement::Add(x, v)),
        1 => (variable, 0..2u32, 1..3u32).prop_map(|(x, a, b)| Statement::CompareExchange(x, a, b)),
        1 => (0..MUTEXES).prop_map(Statement::TryLock),
        2 => (0..CONDVARS).prop_map(Statement::NotifyOne),
        1 => (0..CONDVARS).prop_map(Statement::NotifyAll),
        1 => Just(Statement::Park),
        1 => (0..3usize).prop_map(Statement::Unpark),
        1 => (2..4u32).prop_map(Statement::Choose),
        1 => Just(Statement::Meet),
    ]
}

fn statement() -> impl Strategy<Value = Statement> {
    let inner = prop_oneof![
        4 => simple(),
        2 => (0..CONDVARS).prop_map(Statement::Wait),
    ];
    prop_oneof![
        4 => simple(),
        3 => (0..MUTEXES, prop::collection::vec(inner, 0..2))
            .prop_map(|(mutex, body)| Statement::Locked(mutex, body)),
        1 => simple().prop_map(|inner| {
            Statement::Locked(0, vec![Statement::Locked(1, vec![inner])])
        }),
        1 => Just(Statement::Locked(1, vec![Statement::Locked(0, vec![])])),
    ]
}

/// A statement that tries to lock what it holds is refused by the engine's own rule; leave it out.
fn is_well_formed(statement: &Statement, held: &mut Vec<usize>) -> bool {
    match statement {
        Statement::Locked(mutex, body) => {
            if held.contains(mutex) {
                return false;
            }
            held.push(*mutex);
            let well = body.iter().all(|inner| is_well_formed(inner, held));
            held.pop();
            well
        }
        Statement::Wait(_) => !held.is_empty(),
        _ => true,
    }
}

/// Programs of two to four tasks.
pub fn programs() -> impl Strategy<Value = Program> {
    let body = |most: usize| prop::collection::vec(statement(), 0..=most);
    (
        body(2),
        prop::collection::vec(body(3), 1..=3),
        prop::bool::weighted(0.8),
    )
        .prop_map(|(main, children, joins)| Program {
            main,
            children,
            joins,
        })
        .prop_filter("ill-formed", |program| {
            let all = program.children.iter().chain([&program.main]);
            all.flatten()
                .all(|statement| is_well_formed(statement, &mut Vec::new()))
        })
}

struct Shared {
    mutexes: [Mutex<()>; MUTEXES],
    variables: [AtomicU32; VARIABLES],
    condvars: [Condvar; CONDVARS],
    barrier: Barrier,
    main: Thread,
}

/// What the tasks of each execution saw, in order; one list an execution.
pub type Log = Arc<StdMutex<Vec<Vec<Event>>>>;

/// Runs a program once and appends what its tasks see as one more list of `log`.
pub fn run(program: &Program, log: &Log) {
    log.lock().unwrap().push(Vec::new());
    let shared = Arc::new(Shared {
        mutexes: Default::default(),
        variables: Default::default(),
        condvars: Default::default(),
        barrier: Barrier::new(PARTIES),
        main: thread::current(),
    });
    let mut handles = Vec::new();
    let mut children = Vec::new();
    for (index, child) in program.children.iter().enumerate() {
        let (shared, child_log, child) = (Arc::clone(&shared), Arc::clone(log), child.clone());
        let handle = thread::spawn(move || {
            let task = Task {
                shared: &shared,
                log: &child_log,
                number: index + 1,
                children: Vec::new(),
            };
            task.run(&child);
        });
        children.push(handle.thread().clone());
        handles.push(handle);
        note(log, 0, 0);
    }
    let task = Task {
        shared: &shared,
        log,
        number: 0,
        children,
    };
    task.run(&program.main);
    if program.joins {
        for handle in handles {
            handle.join().unwrap();
            note(log, 0, 0);
        }
    }
}

fn note(log: &Log, task: usize, value: u32) {
    let mut log = log.lock().unwrap();
    let last = log.last_mut().expect("an execution has begun");
    last.push((task, value));
}

struct Task<'a> {
    shared: &'a Shared,
    log: &'a Log,
    number: usize,
    children: Vec<Thread>,
}

impl<'a> Task<'a> {
    fn run(&self, statements: &[Statement]) {
        for statement in statements {
            self.perform(statement, None);
        }
    }

    fn note(&self, value: u32) {
        note(self.log, self.number, value);
    }

    /// Performs a statement; a wait gives its guard up and gets it back.
    fn perform(
        &self,
        statement: &Statement,
        guard: Option<MutexGuard<'a, ()>>,
    ) -> Option<MutexGuard<'a, ()>> {
        let shared = self.shared;
        match statement {
            Statement::Load(x) => self.note(shared.variables[*x].load(SeqCst)),
            Statement::Store(x, value) => {
                shared.variables[*x].store(*value, SeqCst);
                self.note(0);
            }
            Statement::Add(x, value) => self.note(shared.variables[*x].fetch_add(*value, SeqCst)),
            Statement::CompareExchange(x, old, new) => {
                let result = shared.variables[*x].compare_exchange(*old, *new, SeqCst, SeqCst);
                self.note(result.unwrap_or_else(|value| value + 100));
            }
            Statement::Locked(mutex, body) => {
                let mut guard = Some(shared.mutexes[*mutex].lock().unwrap());
                self.note(0);
                for inner in body {
                    guard = self.perform(inner, guard);
                }
                drop(guard);
                self.note(0);
            }
            Statement::TryLock(mutex) => {
                let guard = shared.mutexes[*mutex].try_lock();
                self.note(guard.is_ok().into());
                if let Ok(guard) = guard {
                    drop(guard);
                    self.note(0);
                }
            }
            Statement::Wait(condvar) => {
                let guard = guard.expect("a wait stands inside a lock");
                // Three transitions, of which only the end can be seen from here.
                let guard = shared.condvars[*condvar].wait(guard).unwrap();
                self.note(7);
                return Some(guard);
            }
            Statement::NotifyOne(condvar) => {
                shared.condvars[*condvar].notify_one();
                self.note(0);
            }
            Statement::NotifyAll(condvar) => {
                shared.condvars[*condvar].notify_all();
                self.note(0);
            }
            Statement::Park => {
                thread::park();
                self.note(0);
            }
            Statement::Unpark(child) => {
                match self.number {
                    0 => self.children[child % self.children.len()].unpark(),
                    _ => shared.main.unpark(),
                }
                self.note(0);
            }
            Statement::Choose(count) => self.note(unpick::choose(*count)),
            Statement::Meet => self.note(shared.barrier.wait().is_leader().into()),
        }
        guard
    }
}
