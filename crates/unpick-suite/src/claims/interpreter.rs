//! Executes a program against `unpick`'s types, and keeps a record that the engine knows nothing of.

use super::machine::terminal;
use super::{ATOMICS, Ending, GAVE_UP, MUTEXES, Program, Statement, Terminal, config};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex as StdMutex, PoisonError};
use unpick::sync::atomic::{
    AtomicU8, Ordering::Relaxed, Ordering::Release, Ordering::SeqCst, fence,
};
use unpick::sync::{Barrier, Condvar, Mutex, MutexGuard};
use unpick::thread::{self, JoinHandle, Thread};
use unpick::time::Duration;
use unpick::trace::Outcome;
use unpick::{Exploration, Memory};

/// What an execution has done so far.
#[derive(Default)]
struct Record {
    seen: Vec<Vec<u8>>,
    atomics: [u8; ATOMICS],
}

struct Shared {
    program: Arc<Program>,
    record: Arc<StdMutex<Record>>,
    atomics: [AtomicU8; ATOMICS],
    mutexes: [Mutex<()>; MUTEXES],
    condvar: Condvar,
    barrier: Barrier,
}

/// Explores a program; answers what was found and the terminal states that were reached.
#[must_use]
pub fn run(
    program: &Program,
    technique: &str,
    memory: Memory,
) -> (Exploration, BTreeSet<Terminal>) {
    let config = &config(program, technique, memory);
    let program = Arc::new(program.clone());
    let record = Arc::new(StdMutex::new(Record::default()));
    let body = {
        let (program, record) = (Arc::clone(&program), Arc::clone(&record));
        move || execute_all(&program, &record)
    };
    let mut reached = BTreeSet::new();
    let found = unpick::explore_visited(config, &body, &mut |execution| {
        let ending = match execution.outcome() {
            Some(Outcome::Pass) => Ending::Pass,
            Some(Outcome::Deadlock(_)) => Ending::Deadlock,
            Some(Outcome::Fail(failure)) => Ending::Panic(number_of(&failure.message)),
            _ => return,
        };
        let record = record.lock().unwrap_or_else(PoisonError::into_inner);
        let (atomics, seen) = (record.atomics.to_vec(), record.seen.clone());
        reached.insert(terminal(ending, memory, atomics, seen));
    });
    (found, reached)
}

/// The task whose panic has this message.
fn number_of(message: &str) -> usize {
    let number = message.rsplit(' ').next();
    number
        .and_then(|word| word.parse().ok())
        .unwrap_or_else(|| panic!("not a panic of the program: {message}"))
}

fn execute_all(program: &Arc<Program>, record: &Arc<StdMutex<Record>>) {
    *record.lock().unwrap_or_else(PoisonError::into_inner) = Record {
        seen: vec![Vec::new(); program.tasks.len()],
        ..Record::default()
    };
    let shared = Arc::new(Shared {
        program: Arc::clone(program),
        record: Arc::clone(record),
        atomics: Default::default(),
        mutexes: Default::default(),
        condvar: Condvar::new(),
        barrier: Barrier::new(program.parties),
    });
    execute(&shared, 0, None);
}

/// What a task has at hand.
struct Local<'a> {
    shared: &'a Arc<Shared>,
    task: usize,
    r: u8,
    main: Option<Thread>,
    children: Vec<Option<JoinHandle<()>>>,
    threads: Vec<Option<Thread>>,
    guards: [Option<MutexGuard<'a, ()>>; MUTEXES],
}

fn execute(shared: &Arc<Shared>, task: usize, main: Option<Thread>) {
    let count = shared.program.tasks.len();
    let mut local = Local {
        shared,
        task,
        r: 0,
        main,
        children: (0..count).map(|_| None).collect(),
        threads: vec![None; count],
        guards: Default::default(),
    };
    for &statement in &shared.program.tasks[task] {
        local.perform(statement);
    }
}

impl Local<'_> {
    fn with_record(&self, change: impl FnOnce(&mut Record)) {
        let record = self.shared.record.lock();
        change(&mut record.unwrap_or_else(PoisonError::into_inner));
    }

    fn see(&mut self, value: u8) {
        self.r = value;
        self.with_record(|record| record.seen[self.task].push(value));
    }

    fn perform(&mut self, statement: Statement) {
        let shared = self.shared;
        match statement {
            Statement::Spawn(child) => {
                let main = thread::current();
                let shared = Arc::clone(shared);
                let handle = thread::spawn(move || execute(&shared, child, Some(main)));
                self.threads[child] = Some(handle.thread().clone());
                self.children[child] = Some(handle);
            }
            Statement::Join(child) => {
                let handle = self.children[child].take().expect("it was created");
                handle
                    .join()
                    .expect("a task that panics ends the execution");
            }
            Statement::Yield => thread::yield_now(),
            Statement::Sleep(limit) => thread::sleep(Duration::from_millis(limit)),
            Statement::Barrier => {
                let is_leader = shared.barrier.wait().is_leader();
                self.see(u8::from(is_leader));
            }
            Statement::Park => thread::park(),
            Statement::ParkFor(limit) => thread::park_timeout(Duration::from_millis(limit)),
            Statement::Unpark(0) => self.main.as_ref().expect("only children do").unpark(),
            Statement::Unpark(child) => {
                self.threads[child]
                    .as_ref()
                    .expect("created first")
                    .unpark();
            }
            Statement::PanicIf(value) => {
                assert!(self.r != value, "r is {value} in task {}", self.task);
            }
            Statement::Load(_)
            | Statement::Store(..)
            | Statement::StoreRelease(..)
            | Statement::StoreSeqCst(..)
            | Statement::Fence
            | Statement::FenceRelease
            | Statement::Add(_)
            | Statement::Spin(..) => self.atomic(statement),
            locking => self.lock(locking),
        }
    }

    fn atomic(&mut self, statement: Statement) {
        let shared = self.shared;
        match statement {
            Statement::Load(x) => {
                let value = shared.atomics[x].load(SeqCst);
                self.see(value);
            }
            Statement::Spin(x, wanted, turns_max) => {
                let is_it = |_: &u8| shared.atomics[x].load(SeqCst) == wanted;
                let value = (0..turns_max).find(is_it).map_or(GAVE_UP, |_| wanted);
                self.see(value);
            }
            Statement::Add(x) => {
                let value = shared.atomics[x].fetch_add(1, SeqCst);
                self.with_record(|record| record.atomics[x] = value + 1);
                self.see(value);
            }
            Statement::Store(x, value)
            | Statement::StoreRelease(x, value)
            | Statement::StoreSeqCst(x, value) => {
                let order = match statement {
                    Statement::Store(..) => Relaxed,
                    Statement::StoreRelease(..) => Release,
                    _ => SeqCst,
                };
                shared.atomics[x].store(value, order);
                self.with_record(|record| record.atomics[x] = value);
            }
            Statement::Fence => fence(SeqCst),
            Statement::FenceRelease => fence(Release),
            other => unreachable!("{other:?} is not about atomics"),
        }
    }

    fn lock(&mut self, statement: Statement) {
        let shared = self.shared;
        match statement {
            Statement::Lock(mutex) => {
                let guard = shared.mutexes[mutex].lock();
                self.guards[mutex] = Some(guard.expect("no panic is caught"));
            }
            Statement::Unlock(mutex) => drop(self.guards[mutex].take()),
            Statement::Wait(mutex) => {
                let guard = self.guards[mutex].take().expect("it is held");
                let guard = shared.condvar.wait(guard).expect("no panic is caught");
                self.guards[mutex] = Some(guard);
            }
            Statement::NotifyOne => shared.condvar.notify_one(),
            Statement::NotifyAll => shared.condvar.notify_all(),
            other => unreachable!("{other:?} is not about locks"),
        }
    }
}
