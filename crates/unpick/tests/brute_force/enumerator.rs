//! All schedules of a program, by brute force.
//!
//! Plain recursion over copied states. Nothing here is shared with the engine, and the condition
//! variable is modelled another way: a notification is the set of waiters it may still wake.

use crate::program::{CONDVARS, Event, MUTEXES, PARTIES, Program, Statement, VARIABLES};

/// How a schedule ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Pass,
    Deadlock,
}

/// One complete schedule.
#[derive(Clone, Debug)]
pub struct Schedule {
    pub events: Vec<Event>,
    pub end: End,
    pub preemptions: u32,
    pub delays: u32,
}

/// A transition of one task.
#[derive(Clone, Copy, Debug)]
enum Instruction {
    Spawn(usize),
    Join(usize),
    Load(usize),
    Store(usize, u32),
    Add(usize, u32),
    CompareExchange(usize, u32, u32),
    Lock(usize, u32),
    Unlock(usize),
    TryLock(usize),
    /// Only after a `TryLock` that worked.
    UnlockIfTaken(usize),
    WaitRelease(usize, usize),
    WaitBlock(usize),
    NotifyOne(usize),
    NotifyAll(usize),
    Park,
    Unpark(usize),
    Arrive,
    /// Only after an `Arrive` that was not the last of its round.
    Leave,
    /// Not a transition: a branch within one.
    Choose(u32),
}

#[derive(Clone)]
struct State {
    position: Vec<usize>,
    exists: Vec<bool>,
    owner: [Option<usize>; MUTEXES],
    value: [u32; VARIABLES],
    waiters: [Vec<usize>; CONDVARS],
    notifications: [Vec<Vec<usize>>; CONDVARS],
    released: Vec<bool>,
    parked: Vec<bool>,
    taken: Vec<bool>,
    /// Those who have arrived at the barrier in this round.
    present: Vec<usize>,
    last: usize,
    events: Vec<Event>,
    preemptions: u32,
    delays: u32,
}

struct Enumerator {
    code: Vec<Vec<Instruction>>,
    schedules: Vec<Schedule>,
    schedules_max: usize,
}

/// All schedules in the order of the search, or `None` if there are more than `schedules_max`.
pub fn enumerate(program: &Program, schedules_max: usize) -> Option<Vec<Schedule>> {
    let tasks = program.children.len() + 1;
    let mut main: Vec<Instruction> = (1..tasks).map(Instruction::Spawn).collect();
    compile(&program.main, 0, tasks - 1, None, &mut main);
    if program.joins {
        main.extend((1..tasks).map(Instruction::Join));
    }
    let mut code = vec![main];
    for child in &program.children {
        let mut instructions = Vec::new();
        compile(child, 1, tasks - 1, None, &mut instructions);
        code.push(instructions);
    }
    let mut state = State {
        position: vec![0; tasks],
        exists: vec![false; tasks],
        owner: [None; MUTEXES],
        value: [0; VARIABLES],
        waiters: Default::default(),
        notifications: Default::default(),
        released: vec![false; tasks],
        parked: vec![false; tasks],
        taken: vec![false; tasks],
        present: Vec::new(),
        last: 0,
        events: Vec::new(),
        preemptions: 0,
        delays: 0,
    };
    state.exists[0] = true;
    let mut enumerator = Enumerator {
        code,
        schedules: Vec::new(),
        schedules_max,
    };
    enumerator
        .run_on(state, &[0])
        .then_some(enumerator.schedules)
}

fn compile(
    statements: &[Statement],
    task: usize,
    children: usize,
    lock: Option<usize>,
    code: &mut Vec<Instruction>,
) {
    for statement in statements {
        let last = match statement {
            Statement::Load(x) => Instruction::Load(*x),
            Statement::Store(x, value) => Instruction::Store(*x, *value),
            Statement::Add(x, value) => Instruction::Add(*x, *value),
            Statement::CompareExchange(x, old, new) => Instruction::CompareExchange(*x, *old, *new),
            Statement::Locked(mutex, body) => {
                code.push(Instruction::Lock(*mutex, 0));
                compile(body, task, children, Some(*mutex), code);
                Instruction::Unlock(*mutex)
            }
            Statement::TryLock(mutex) => {
                code.push(Instruction::TryLock(*mutex));
                Instruction::UnlockIfTaken(*mutex)
            }
            Statement::Wait(condvar) => {
                let mutex = lock.expect("a wait stands inside a lock");
                code.push(Instruction::WaitRelease(mutex, *condvar));
                code.push(Instruction::WaitBlock(*condvar));
                Instruction::Lock(mutex, 7)
            }
            Statement::NotifyOne(condvar) => Instruction::NotifyOne(*condvar),
            Statement::NotifyAll(condvar) => Instruction::NotifyAll(*condvar),
            Statement::Park => Instruction::Park,
            Statement::Unpark(child) => Instruction::Unpark(match task {
                0 => child % children + 1,
                _ => 0,
            }),
            Statement::Choose(count) => Instruction::Choose(*count),
            Statement::Meet => {
                code.push(Instruction::Arrive);
                Instruction::Leave
            }
        };
        code.push(last);
    }
}

impl Enumerator {
    /// Runs the invisible work of `tasks`, one after the other, then goes on with the search.
    /// `false` means that there are too many schedules.
    fn run_on(&mut self, mut state: State, tasks: &[usize]) -> bool {
        let Some((&task, rest)) = tasks.split_first() else {
            return self.step(state);
        };
        match self.code[task].get(state.position[task]).copied() {
            Some(Instruction::UnlockIfTaken(_)) if !state.taken[task] => {
                state.position[task] += 1;
                self.run_on(state, tasks)
            }
            Some(Instruction::Choose(count)) => {
                state.position[task] += 1;
                (0..count).all(|value| {
                    let mut branch = state.clone();
                    branch.events.push((task, value));
                    self.run_on(branch, tasks)
                })
            }
            _ => {
                if task != 0 && rest == [0] {
                    // The spawn is seen by its creator after the child has begun.
                    state.events.push((0, 0));
                }
                self.run_on(state, rest)
            }
        }
    }

    /// Tries every enabled task, in creation order from the last one on.
    fn step(&mut self, state: State) -> bool {
        let tasks = self.code.len();
        let order: Vec<usize> = (0..tasks)
            .map(|offset| (state.last + offset) % tasks)
            .collect();
        let enabled: Vec<usize> = order
            .iter()
            .copied()
            .filter(|&task| state.exists[task] && self.is_enabled(&state, task))
            .collect();
        if enabled.is_empty() {
            return self.finish(state);
        }
        enabled.iter().enumerate().all(|(delays, &task)| {
            let mut next = state.clone();
            next.delays += delays as u32;
            next.preemptions += u32::from(task != state.last && enabled.contains(&state.last));
            next.last = task;
            self.perform(next, task)
        })
    }

    fn finish(&mut self, state: State) -> bool {
        let done =
            |task: usize| state.exists[task] && state.position[task] == self.code[task].len();
        let end = match (0..self.code.len()).all(|task| done(task) || !state.exists[task]) {
            true => End::Pass,
            false => End::Deadlock,
        };
        self.schedules.push(Schedule {
            events: state.events,
            end,
            preemptions: state.preemptions,
            delays: state.delays,
        });
        self.schedules.len() <= self.schedules_max
    }

    fn is_enabled(&self, state: &State, task: usize) -> bool {
        match self.code[task].get(state.position[task]) {
            None => false,
            Some(Instruction::Lock(mutex, _)) => state.owner[*mutex].is_none(),
            Some(Instruction::Join(child)) => state.position[*child] == self.code[*child].len(),
            Some(Instruction::WaitBlock(condvar)) => {
                state.released[task]
                    || state.notifications[*condvar]
                        .iter()
                        .any(|candidates| candidates.contains(&task))
            }
            Some(Instruction::Park) => state.parked[task],
            Some(Instruction::Leave) => !state.present.contains(&task),
            Some(_) => true,
        }
    }

    fn perform(&mut self, mut state: State, task: usize) -> bool {
        let instruction = self.code[task][state.position[task]];
        state.position[task] += 1;
        let mut seen = Some(0);
        match instruction {
            Instruction::Spawn(child) => {
                state.exists[child] = true;
                return self.run_on(state, &[child, 0]);
            }
            Instruction::Join(_) => {}
            Instruction::Load(x) => seen = Some(state.value[x]),
            Instruction::Store(x, value) => state.value[x] = value,
            Instruction::Add(x, value) => {
                seen = Some(state.value[x]);
                state.value[x] += value;
            }
            Instruction::CompareExchange(x, old, new) => {
                let value = state.value[x];
                seen = Some(if value == old { value } else { value + 100 });
                if value == old {
                    state.value[x] = new;
                }
            }
            Instruction::Lock(mutex, value) => {
                state.owner[mutex] = Some(task);
                seen = Some(value);
            }
            Instruction::Unlock(mutex) | Instruction::UnlockIfTaken(mutex) => {
                state.owner[mutex] = None;
                state.taken[task] = false;
            }
            Instruction::TryLock(mutex) => {
                let free = state.owner[mutex].is_none();
                state.taken[task] = free;
                state.owner[mutex].get_or_insert(task);
                seen = Some(free.into());
            }
            Instruction::WaitRelease(mutex, condvar) => {
                state.owner[mutex] = None;
                state.waiters[condvar].push(task);
                seen = None;
            }
            Instruction::WaitBlock(condvar) => {
                wake(&mut state, condvar, task);
                seen = None;
            }
            Instruction::NotifyOne(condvar) => {
                let waiters = &state.waiters[condvar];
                if state.notifications[condvar].len() < waiters.len() {
                    state.notifications[condvar].push(waiters.clone());
                }
            }
            Instruction::NotifyAll(condvar) => {
                for waiter in std::mem::take(&mut state.waiters[condvar]) {
                    state.released[waiter] = true;
                }
                state.notifications[condvar].clear();
            }
            Instruction::Park => state.parked[task] = false,
            Instruction::Unpark(target) => state.parked[target] = true,
            Instruction::Arrive => seen = arrive(&mut state, task),
            Instruction::Leave => {}
            Instruction::Choose(_) => unreachable!("not a transition"),
        }
        if let Some(value) = seen {
            state.events.push((task, value));
        }
        self.run_on(state, &[task])
    }
}

/// A waiter that is scheduled uses up the notification with the fewest candidates.
fn wake(state: &mut State, condvar: usize, task: usize) {
    if std::mem::take(&mut state.released[task]) {
        return;
    }
    let notifications = &mut state.notifications[condvar];
    let fewest = (0..notifications.len())
        .filter(|&index| notifications[index].contains(&task))
        .min_by_key(|&index| notifications[index].len())
        .expect("it was enabled");
    notifications.remove(fewest);
    for candidates in notifications.iter_mut() {
        candidates.retain(|&other| other != task);
    }
    state.waiters[condvar].retain(|&other| other != task);
}

/// A task arrives at the barrier. The last one of a round leaves at once, and sees that it leads.
fn arrive(state: &mut State, task: usize) -> Option<u32> {
    state.present.push(task);
    if state.present.len() < PARTIES {
        return None;
    }
    state.present.clear();
    state.position[task] += 1;
    Some(1)
}
