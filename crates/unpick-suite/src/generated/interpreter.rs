//! Executes a program against `unpick`'s types, and keeps a record that the engine knows nothing of.

use super::record::{DataAccess, Deviation, FIRST_CELL, FIRST_DATUM, FIRST_RWLOCK, Log, Ordered};
use super::shared_cell::SharedCell;
use super::{ATOMICS, CELLS, CONDVARS, MUTEXES, Orders, PARTIES, Program, RWLOCKS, Statement};
use std::sync::{Arc, Mutex as StdMutex};
use unpick::sync::atomic::Ordering::{self, AcqRel, Acquire, Relaxed, Release, SeqCst};
use unpick::sync::atomic::{AtomicU32, fence};
use unpick::sync::mpsc::{self, Receiver, Sender, SyncSender, TryRecvError, TrySendError};
use unpick::sync::{Barrier, Condvar, Mutex, MutexGuard, RwLock};
use unpick::thread::{self, JoinHandle, Thread};

/// What a refused attempt leaves in the list of what was seen.
const REFUSED: u32 = 1_000;
/// What a channel without its other side leaves there.
const CLOSED: u32 = 2_000;
/// Added to a value that a failed exchange found.
const NOT_EXCHANGED: u32 = 100;

/// Executes `program` once, inside an exploration; afterwards `log` has the record of it, also if
/// the execution ended in the middle.
pub fn run(program: &Arc<Program>, log: &Log) {
    {
        let mut record = log.record();
        record.reset(program.tasks.len());
        record.capacity = program.channel.and_then(|channel| channel.capacity);
    }
    let (sender, receiver) = match program.channel.map(|channel| channel.capacity) {
        None => (None, None),
        Some(None) => {
            let (sender, receiver) = mpsc::channel();
            (Some(Sending::Unlimited(sender)), Some(receiver))
        }
        Some(Some(capacity)) => {
            let (sender, receiver) = mpsc::sync_channel(capacity);
            (Some(Sending::Limited(sender)), Some(receiver))
        }
    };
    let receiver = match program.channel {
        Some(channel) if channel.receiver > 0 && !program.creates(channel.receiver) => {
            // Otherwise the last task to end would drop it, whichever that is.
            std::mem::forget(receiver);
            None
        }
        _ => receiver,
    };
    let shared = Arc::new(Shared {
        mutexes: Default::default(),
        atomics: Default::default(),
        cells: std::array::from_fn(|_| SharedCell::new()),
        condvars: Default::default(),
        rwlocks: Default::default(),
        barrier: Barrier::new(PARTIES),
        receiver: StdMutex::new(receiver),
        program: Arc::clone(program),
        log: log.clone(),
    });
    let threads = vec![None; program.tasks.len()];
    execute(&shared, 0, threads, sender);
}

struct Shared {
    mutexes: [Mutex<u32>; MUTEXES],
    atomics: [AtomicU32; ATOMICS],
    cells: [SharedCell; CELLS],
    condvars: [Condvar; CONDVARS],
    rwlocks: [RwLock<u32>; RWLOCKS],
    barrier: Barrier,
    /// Waits here for the task that receives; nobody else ever takes it.
    receiver: StdMutex<Option<Receiver<u32>>>,
    program: Arc<Program>,
    log: Log,
}

#[derive(Clone)]
enum Sending {
    Unlimited(Sender<u32>),
    Limited(SyncSender<u32>),
}

/// A mutex that a task holds.
struct Held<'a> {
    mutex: usize,
    /// Empty only while its task waits.
    guard: Option<MutexGuard<'a, u32>>,
    acquired_by: usize,
}

struct Task<'a> {
    shared: &'a Arc<Shared>,
    number: usize,
    /// The local of the program.
    r: u32,
    /// Operations performed so far.
    operations: usize,
    /// Those of the next statement about an atomic.
    orders: Orders,
    held: Vec<Held<'a>>,
    /// Forebears and children, by number.
    threads: Vec<Option<Thread>>,
    children: Vec<(usize, JoinHandle<()>)>,
    sender: Option<Sending>,
    receiver: Option<Receiver<u32>>,
}

/// Executes one task from its beginning to its end.
fn execute(
    shared: &Arc<Shared>,
    number: usize,
    mut threads: Vec<Option<Thread>>,
    sender: Option<Sending>,
) {
    {
        let mut record = shared.log.record();
        record.tasks[number].exists = true;
        record.created.push(number);
    }
    threads[number] = Some(thread::current());
    let is_receiver = shared
        .program
        .channel
        .is_some_and(|channel| channel.receiver == number);
    let waiting_receiver = || {
        let mut receiver = shared.receiver.lock();
        receiver.as_mut().ok().and_then(|slot| slot.take())
    };
    let mut task = Task {
        shared,
        number,
        r: 0,
        operations: 0,
        orders: Orders::SEQ_CST,
        held: Vec::new(),
        threads,
        children: Vec::new(),
        sender,
        receiver: is_receiver.then(waiting_receiver).flatten(),
    };
    for statement in &shared.program.tasks[number] {
        task.perform(statement);
    }
    // Both are visible operations, in this order.
    task.sender = None;
    task.receiver = None;
    shared.log.record().tasks[number].has_ended = true;
}

impl<'a> Task<'a> {
    fn perform(&mut self, statement: &'a Statement) {
        match statement {
            Statement::Spawn(child) => self.spawn(*child),
            Statement::Join(child) => self.join(*child),
            Statement::Lock(mutex, body) => {
                let guard = self.shared.mutexes[*mutex]
                    .lock()
                    .expect("no panic is caught");
                self.locked(*mutex, guard, body);
            }
            Statement::TryLock(mutex, taken, refused) => {
                match self.shared.mutexes[*mutex].try_lock() {
                    Ok(guard) => {
                        self.see(1);
                        self.locked(*mutex, guard, taken);
                    }
                    Err(_) => {
                        self.deviate(false, true);
                        self.operations += 1;
                        self.see(REFUSED);
                        self.block(refused);
                    }
                }
            }
            Statement::DataRead | Statement::DataWrite(_) | Statement::DataAdd(_) => {
                self.access_data(statement);
            }
            Statement::Wait(condvar) => self.wait(*condvar),
            Statement::NotifyOne(condvar) => {
                self.shared.condvars[*condvar].notify_one();
                self.operations += 1;
            }
            Statement::NotifyAll(condvar) => {
                self.shared.condvars[*condvar].notify_all();
                self.operations += 1;
            }
            Statement::If(value, body) => {
                if self.r == *value {
                    self.block(body);
                }
            }
            Statement::Park => {
                thread::park();
                self.operations += 1;
            }
            Statement::Unpark(task) => self.unpark(*task),
            Statement::PanicIf(value) => {
                assert!(self.r != *value, "r is {value}");
            }
            Statement::Ordered(orders, inner) => {
                self.orders = *orders;
                self.perform(inner);
                self.orders = Orders::SEQ_CST;
            }
            Statement::Fence(order) => self.fence(*order),
            Statement::Meet => self.meet(),
            Statement::Load(_)
            | Statement::Store(..)
            | Statement::StoreLocal(_)
            | Statement::Add(..)
            | Statement::CompareExchange(..) => self.atomic(statement),
            Statement::ReadLock(..)
            | Statement::WriteLock(..)
            | Statement::TryReadLock(_)
            | Statement::TryWriteLock(..) => self.rwlock(statement),
            Statement::Send(_)
            | Statement::TrySend(_)
            | Statement::Receive
            | Statement::TryReceive => self.message(statement),
            Statement::CellRead(_) | Statement::CellWrite(..) => self.cell(statement),
        }
    }

    fn block(&mut self, body: &'a [Statement]) {
        for statement in body {
            self.perform(statement);
        }
    }

    /// Notes what an operation has given.
    fn see(&self, value: u32) {
        self.shared.log.record().tasks[self.number].seen.push(value);
    }

    /// Notes that the operation that comes next in the count did not simply succeed.
    fn deviate(&self, is_closed: bool, is_refused: bool) {
        self.shared.log.record().deviations.push(Deviation {
            task: self.number,
            operation: self.operations,
            is_closed,
            is_refused,
        });
    }

    /// Notes the memory order of the operation that comes next in the count.
    fn order(&self, order: Ordering) {
        if order != SeqCst {
            self.shared.log.record().ordered.push(Ordered {
                task: self.number,
                operation: self.operations,
                order,
            });
        }
    }

    /// Notes what a shared number is now.
    fn set(&self, index: usize, value: u32) {
        self.shared.log.record().values[index] = value;
    }

    fn spawn(&mut self, child: usize) {
        let (shared, threads) = (Arc::clone(self.shared), self.threads.clone());
        let sender = self.sender.clone();
        let handle = thread::spawn(move || execute(&shared, child, threads, sender));
        self.operations += 1;
        self.threads[child] = Some(handle.thread().clone());
        self.children.push((child, handle));
    }

    fn join(&mut self, child: usize) {
        if let Some(at) = self
            .children
            .iter()
            .position(|(number, _)| *number == child)
        {
            let (_, handle) = self.children.remove(at);
            handle
                .join()
                .expect("a task that panics ends the execution");
            self.operations += 1;
        }
    }

    /// The rest of a block whose mutex has just been acquired.
    fn locked(&mut self, mutex: usize, guard: MutexGuard<'a, u32>, body: &'a [Statement]) {
        self.held.push(Held {
            mutex,
            guard: Some(guard),
            acquired_by: self.operations,
        });
        self.operations += 1;
        self.block(body);
        drop(self.held.pop());
        self.operations += 1;
    }

    /// Reads or writes the number inside the innermost mutex, and never both unless it says so:
    /// which of the two a guard is used for may matter.
    fn access_data(&mut self, statement: &Statement) {
        let Some(held) = self.held.last_mut() else {
            return;
        };
        let guard = held.guard.as_mut().expect("it does not wait now");
        let (seen, written) = match statement {
            Statement::DataWrite(value) => {
                **guard = *value;
                (None, Some(*value))
            }
            Statement::DataAdd(value) => {
                let number: &mut u32 = guard;
                let old = *number;
                *number += value;
                (Some(old), Some(*number))
            }
            _ => (Some(**guard), None),
        };
        let mut record = self.shared.log.record();
        if let Some(value) = seen {
            self.r = value;
            record.tasks[self.number].seen.push(value);
        }
        if let Some(value) = written {
            record.values[FIRST_DATUM + held.mutex] = value;
        }
        record.data.push(DataAccess {
            task: self.number,
            operation: self.operations - 1,
            acquired_by: held.acquired_by,
            is_write: written.is_some(),
        });
    }

    fn wait(&mut self, condvar: usize) {
        let Some(held) = self.held.last_mut() else {
            return;
        };
        let guard = held.guard.take().expect("it does not wait now");
        let again = self.shared.condvars[condvar].wait(guard);
        held.guard = Some(again.expect("no panic is caught"));
        // Unlock, wait, lock.
        self.operations += 3;
    }

    fn unpark(&mut self, task: usize) {
        if let Some(thread) = &self.threads[task] {
            thread.unpark();
            self.operations += 1;
        }
    }

    fn meet(&mut self) {
        let leads = self.shared.barrier.wait().is_leader();
        self.operations += 1;
        self.r = u32::from(leads);
        self.see(self.r);
    }

    fn fence(&mut self, order: Ordering) {
        if order != Relaxed {
            fence(order);
            self.order(order);
            self.operations += 1;
        }
    }

    fn atomic(&mut self, statement: &Statement) {
        let Orders { success, failure } = self.orders;
        let (x, new, order) = match statement {
            Statement::Load(x) => {
                let order = of_load(success);
                self.r = self.shared.atomics[*x].load(order);
                self.see(self.r);
                (x, None, order)
            }
            Statement::Store(x, value) => {
                let order = of_store(success);
                self.shared.atomics[*x].store(*value, order);
                (x, Some(*value), order)
            }
            Statement::StoreLocal(x) => {
                let order = of_store(success);
                self.shared.atomics[*x].store(self.r, order);
                (x, Some(self.r), order)
            }
            Statement::Add(x, value) => {
                self.r = self.shared.atomics[*x].fetch_add(*value, success);
                self.see(self.r);
                (x, Some(self.r + value), success)
            }
            Statement::CompareExchange(x, old, new) => {
                let failure = of_load(failure);
                match self.shared.atomics[*x].compare_exchange(*old, *new, success, failure) {
                    Ok(value) => {
                        self.r = value;
                        self.see(value);
                        (x, Some(*new), success)
                    }
                    Err(value) => {
                        self.r = value;
                        self.see(value + NOT_EXCHANGED);
                        (x, None, failure)
                    }
                }
            }
            other => unreachable!("{other:?} is not about atomics"),
        };
        self.order(order);
        let old = self.shared.log.record().values[*x];
        // A store and an addition count as changes whatever they leave.
        let is_exchange = matches!(statement, Statement::CompareExchange(..));
        let is_write = !is_exchange && !matches!(statement, Statement::Load(_));
        if !is_write && new.is_none_or(|new| new == old) {
            self.deviate(false, is_exchange && new.is_none());
        }
        self.operations += 1;
        if let Some(new) = new {
            self.set(*x, new);
        }
    }

    fn cell(&mut self, statement: &Statement) {
        match statement {
            Statement::CellRead(cell) => {
                self.r = self.shared.cells[*cell].get();
                self.operations += 1;
                self.see(self.r);
            }
            Statement::CellWrite(cell, value) => {
                self.shared.cells[*cell].set(*value);
                self.operations += 1;
                self.set(FIRST_CELL + cell, *value);
            }
            other => unreachable!("{other:?} is not about cells"),
        }
    }

    fn rwlock(&mut self, statement: &'a Statement) {
        let shared = self.shared;
        match statement {
            Statement::ReadLock(lock, body) => {
                let guard = shared.rwlocks[*lock].read().expect("no panic is caught");
                self.r = *guard;
                self.operations += 1;
                self.see(self.r);
                self.block(body);
                drop(guard);
                self.operations += 1;
            }
            Statement::WriteLock(lock, value, body) => {
                let mut guard = shared.rwlocks[*lock].write().expect("no panic is caught");
                *guard = *value;
                self.operations += 1;
                self.set(FIRST_RWLOCK + lock, *value);
                self.block(body);
                drop(guard);
                self.operations += 1;
            }
            Statement::TryReadLock(lock) => {
                let guard = shared.rwlocks[*lock].try_read();
                let seen = guard.as_ref().map_or(REFUSED, |guard| **guard);
                self.see(seen);
                if guard.is_err() {
                    self.deviate(false, true);
                }
                self.operations += 1;
                if let Ok(guard) = guard {
                    self.r = *guard;
                    drop(guard);
                    self.operations += 1;
                }
            }
            Statement::TryWriteLock(lock, value) => {
                let guard = shared.rwlocks[*lock].try_write();
                self.see(if guard.is_ok() { 1 } else { REFUSED });
                if guard.is_err() {
                    self.deviate(false, true);
                }
                self.operations += 1;
                if let Ok(mut guard) = guard {
                    *guard = *value;
                    self.set(FIRST_RWLOCK + lock, *value);
                    drop(guard);
                    self.operations += 1;
                }
            }
            other => unreachable!("{other:?} is not about reader-writer locks"),
        }
    }

    fn message(&mut self, statement: &Statement) {
        let seen = match (statement, &self.sender, &self.receiver) {
            (
                Statement::Send(value) | Statement::TrySend(value),
                Some(Sending::Unlimited(to)),
                _,
            ) => to.send(*value).map_or(CLOSED, |()| 1),
            (Statement::Send(value), Some(Sending::Limited(to)), _) => {
                to.send(*value).map_or(CLOSED, |()| 1)
            }
            (Statement::TrySend(value), Some(Sending::Limited(to)), _) => {
                match to.try_send(*value) {
                    Ok(()) => 1,
                    Err(TrySendError::Full(_)) => REFUSED,
                    Err(TrySendError::Disconnected(_)) => CLOSED,
                }
            }
            (Statement::Receive, _, Some(from)) => {
                self.r = from.recv().unwrap_or(CLOSED);
                self.r
            }
            (Statement::TryReceive, _, Some(from)) => {
                self.r = match from.try_recv() {
                    Ok(value) => value,
                    Err(TryRecvError::Empty) => REFUSED,
                    Err(TryRecvError::Disconnected) => CLOSED,
                };
                self.r
            }
            _ => return,
        };
        if matches!(seen, REFUSED | CLOSED) {
            self.deviate(seen == CLOSED, seen == REFUSED);
        }
        self.operations += 1;
        self.see(seen);
    }
}

/// The order of a load, as far as this one fits.
fn of_load(order: Ordering) -> Ordering {
    match order {
        AcqRel => Acquire,
        Release => Relaxed,
        other => other,
    }
}

/// The order of a store, as far as this one fits.
fn of_store(order: Ordering) -> Ordering {
    match order {
        AcqRel => Release,
        Acquire => Relaxed,
        other => other,
    }
}
