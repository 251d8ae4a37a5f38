//! Every way in which a program can end, by brute force on a state machine.
//!
//! Written from the definitions: tasks take turns at visible operations, invisible work follows its
//! operation at once, and under `tso` and `pso` stores wait in a queue per task or per task and variable.
//!
//! Time: a timer is set when its task comes to stand before the statement. It can fire while its moment is at
//! most [`MAX_DELAY`] from now. If nothing can happen, it is the moment of the earliest timer. A timer that
//! fires makes it the moment of that timer, unless it is later already.

use super::{ATOMICS, Ending, GAVE_UP, MAX_DELAY, MUTEXES, Program, Statement, Terminal};
use std::collections::{BTreeSet, HashSet};
use unpick::Memory;

/// Where a task stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Phase {
    /// Before the statement.
    Ready,
    /// In a loop, with so many turns behind it.
    Spinning(u8),
    /// Waits for a notification.
    Waiting,
    /// Was notified and needs its mutex again.
    Notified,
    /// Has arrived at the barrier, in this round.
    Arrived(u8),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Task {
    exists: bool,
    at: usize,
    phase: Phase,
    r: u8,
    seen: Vec<u8>,
    has_token: bool,
    /// When its timer fires, in milliseconds.
    timer: Option<u64>,
    /// What others cannot see, oldest first.
    buffer: Vec<Waiting>,
}

/// Something in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Waiting {
    /// A value for an atomic. A release store leaves the buffer after all that is older.
    Store {
        x: usize,
        value: u8,
        is_release: bool,
    },
    /// What is younger leaves the buffer after all that is older.
    Fence,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    tasks: Vec<Task>,
    atomics: [u8; ATOMICS],
    owners: [Option<usize>; MUTEXES],
    arrived: usize,
    round: u8,
    panicked: Option<usize>,
    /// The end of the first task has ended the program.
    is_over: bool,
    /// Milliseconds since the beginning.
    now: u64,
}

impl Program {
    /// Every way in which this program can end; `None` if it has more than `states_max` states.
    pub fn terminals(&self, memory: Memory, states_max: usize) -> Option<BTreeSet<Terminal>> {
        let machine = Machine {
            program: self,
            memory,
        };
        let mut known = HashSet::new();
        let mut open = vec![machine.start()];
        let mut terminals = BTreeSet::new();
        while let Some(state) = open.pop() {
            if !known.insert(state.clone()) {
                continue;
            }
            if known.len() > states_max {
                return None;
            }
            let next = match state.panicked {
                None if !state.is_over => machine.successors(&state),
                _ => Vec::new(),
            };
            if next.is_empty() {
                terminals.insert(machine.terminal(&state));
            }
            open.extend(next);
        }
        Some(terminals)
    }
}

struct Machine<'a> {
    program: &'a Program,
    memory: Memory,
}

impl Machine<'_> {
    fn start(&self) -> State {
        let task = Task {
            exists: false,
            at: 0,
            phase: Phase::Ready,
            r: 0,
            seen: Vec::new(),
            has_token: false,
            timer: None,
            buffer: Vec::new(),
        };
        let mut state = State {
            tasks: vec![task; self.program.tasks.len()],
            atomics: [0; ATOMICS],
            owners: [None; MUTEXES],
            arrived: 0,
            round: 0,
            panicked: None,
            is_over: false,
            now: 0,
        };
        state.tasks[0].exists = true;
        self.settle(&mut state, 0);
        state
    }

    fn statement(&self, state: &State, task: usize) -> Option<Statement> {
        let body = &self.program.tasks[task];
        body.get(state.tasks[task].at).copied()
    }

    /// Does the invisible work of a task.
    fn settle(&self, state: &mut State, task: usize) {
        while let Some(Statement::PanicIf(value)) = self.statement(state, task) {
            if state.tasks[task].r == value {
                state.panicked = Some(task);
                return;
            }
            state.tasks[task].at += 1;
        }
        let statement = self.statement(state, task);
        state.tasks[task].timer = match statement {
            Some(Statement::Sleep(limit) | Statement::ParkFor(limit)) => Some(state.now + limit),
            _ => None,
        };
    }

    /// The timer of a task fires, if it can.
    fn fire(&self, state: &State, task: usize, next: &mut Vec<State>) {
        let Some(moment) = state.tasks[task].timer else {
            return;
        };
        if moment <= state.now + MAX_DELAY {
            let mut state = state.clone();
            state.now = state.now.max(moment);
            // A park that ends leaves no token behind, however it ends.
            let is_park = matches!(self.statement(&state, task), Some(Statement::ParkFor(_)));
            state.tasks[task].has_token &= !is_park;
            next.push(self.go_on(state, task));
        }
    }

    /// The statement of a task is over.
    fn go_on(&self, mut state: State, task: usize) -> State {
        state.tasks[task].at += 1;
        state.tasks[task].phase = Phase::Ready;
        self.settle(&mut state, task);
        state
    }

    fn see(&self, mut state: State, task: usize, value: u8) -> State {
        state.tasks[task].r = value;
        state.tasks[task].seen.push(value);
        self.go_on(state, task)
    }

    fn has_ended(&self, state: &State, task: usize) -> bool {
        let one = &state.tasks[task];
        one.exists && one.at == self.program.tasks[task].len()
    }

    fn terminal(&self, state: &State) -> Terminal {
        let has_ended = |task: usize| !state.tasks[task].exists || self.has_ended(state, task);
        let ending = match state.panicked {
            Some(task) => Ending::Panic(task),
            None if state.is_over => Ending::Pass,
            None if (0..state.tasks.len()).all(has_ended) => Ending::Pass,
            None => Ending::Deadlock,
        };
        terminal(
            ending,
            self.memory,
            state.atomics.to_vec(),
            state.tasks.iter().map(|task| task.seen.clone()).collect(),
        )
    }

    /// What can happen next, when time has passed if nothing can happen before.
    fn successors(&self, state: &State) -> Vec<State> {
        let next = self.successors_now(state);
        let timers = state.tasks.iter().filter(|task| task.exists);
        match timers.filter_map(|task| task.timer).min() {
            Some(moment) if next.is_empty() => {
                let mut state = state.clone();
                state.now = moment;
                self.successors_now(&state)
            }
            _ => next,
        }
    }

    fn successors_now(&self, state: &State) -> Vec<State> {
        let mut next = Vec::new();
        for task in (0..state.tasks.len()).filter(|&task| state.tasks[task].exists) {
            self.flushes(state, task, &mut next);
            if let Some(statement) = self.statement(state, task) {
                self.perform(state, task, statement, &mut next);
            }
        }
        if self.program.ends_with_main && self.has_ended(state, 0) {
            let mut state = state.clone();
            state.is_over = true;
            next.push(state);
        }
        next
    }

    /// A store leaves the buffer of a task.
    fn flushes(&self, state: &State, task: usize, next: &mut Vec<State>) {
        let buffer = &state.tasks[task].buffer;
        for (place, &waiting) in buffer.iter().enumerate() {
            let Waiting::Store {
                x,
                value,
                is_release,
            } = waiting
            else {
                continue;
            };
            let is_overtaken = |older: &Waiting| match *older {
                Waiting::Store { x: other, .. } => {
                    self.memory == Memory::Pso && !is_release && other != x
                }
                Waiting::Fence => false,
            };
            if buffer[..place].iter().all(is_overtaken) {
                let mut state = state.clone();
                let buffer = &mut state.tasks[task].buffer;
                buffer.remove(place);
                let fences = buffer.iter().take_while(|one| **one == Waiting::Fence);
                buffer.drain(..fences.count());
                state.atomics[x] = value;
                next.push(state);
            }
        }
    }

    /// What a task sees in an atomic.
    fn load(&self, state: &State, task: usize, x: usize) -> u8 {
        let mut own = state.tasks[task].buffer.iter().rev();
        let own = own.find_map(|one| match *one {
            Waiting::Store {
                x: other, value, ..
            } if other == x => Some(value),
            _ => None,
        });
        own.unwrap_or(state.atomics[x])
    }

    fn perform(&self, state: &State, task: usize, statement: Statement, next: &mut Vec<State>) {
        let mut state = state.clone();
        match statement {
            Statement::Load(x) => {
                let value = self.load(&state, task, x);
                next.push(self.see(state, task, value));
            }
            Statement::Spin(x, wanted, turns_max) => {
                next.push(self.spin(state, task, (x, wanted), turns_max));
            }
            Statement::Store(x, value) | Statement::StoreRelease(x, value)
                if self.memory != Memory::Sc =>
            {
                state.tasks[task].buffer.push(Waiting::Store {
                    x,
                    value,
                    is_release: matches!(statement, Statement::StoreRelease(..)),
                });
                next.push(self.go_on(state, task));
            }
            Statement::FenceRelease => {
                if !state.tasks[task].buffer.is_empty() {
                    state.tasks[task].buffer.push(Waiting::Fence);
                }
                next.push(self.go_on(state, task));
            }
            Statement::Yield => next.push(self.go_on(state, task)),
            Statement::Sleep(_) => self.fire(&state, task, next),
            // Everything else waits until others can see what the task has stored.
            _ if !state.tasks[task].buffer.is_empty() => {}
            Statement::Fence => next.push(self.go_on(state, task)),
            Statement::Store(x, value)
            | Statement::StoreRelease(x, value)
            | Statement::StoreSeqCst(x, value) => {
                state.atomics[x] = value;
                next.push(self.go_on(state, task));
            }
            Statement::Add(x) => {
                let value = state.atomics[x];
                state.atomics[x] += 1;
                next.push(self.see(state, task, value));
            }
            Statement::Spawn(child) => {
                state.tasks[child].exists = true;
                self.settle(&mut state, child);
                next.push(self.go_on(state, task));
            }
            Statement::Join(child) => {
                if self.has_ended(&state, child) && state.tasks[child].buffer.is_empty() {
                    next.push(self.go_on(state, task));
                }
            }
            Statement::Park | Statement::ParkFor(_) | Statement::Unpark(_) => {
                self.park(state, task, statement, next);
            }
            Statement::Barrier => self.barrier(state, task, next),
            Statement::PanicIf(_) => unreachable!("invisible work is done at once"),
            locking => self.lock(state, task, locking, next),
        }
    }

    /// One turn of a loop that waits for a value.
    fn spin(
        &self,
        mut state: State,
        task: usize,
        (x, wanted): (usize, u8),
        turns_max: u8,
    ) -> State {
        let turns = match state.tasks[task].phase {
            Phase::Spinning(turns) => turns,
            _ => 0,
        };
        let value = self.load(&state, task, x);
        if value == wanted {
            return self.see(state, task, value);
        }
        if turns + 1 == turns_max {
            return self.see(state, task, GAVE_UP);
        }
        state.tasks[task].phase = Phase::Spinning(turns + 1);
        state
    }

    fn park(&self, mut state: State, task: usize, statement: Statement, next: &mut Vec<State>) {
        if let Statement::Unpark(other) = statement {
            state.tasks[other].has_token = true;
            return next.push(self.go_on(state, task));
        }
        if let Statement::ParkFor(_) = statement {
            self.fire(&state, task, next);
        }
        if std::mem::take(&mut state.tasks[task].has_token) {
            next.push(self.go_on(state, task));
        }
    }

    fn barrier(&self, mut state: State, task: usize, next: &mut Vec<State>) {
        match state.tasks[task].phase {
            Phase::Arrived(round) if round == state.round => {}
            Phase::Arrived(_) => next.push(self.see(state, task, 0)),
            _ if state.arrived + 1 == self.program.parties => {
                state.arrived = 0;
                state.round += 1;
                next.push(self.see(state, task, 1));
            }
            _ => {
                state.arrived += 1;
                state.tasks[task].phase = Phase::Arrived(state.round);
                next.push(state);
            }
        }
    }

    fn lock(&self, mut state: State, task: usize, statement: Statement, next: &mut Vec<State>) {
        let phase = state.tasks[task].phase;
        match statement {
            Statement::Lock(mutex) => {
                if state.owners[mutex].is_none() {
                    state.owners[mutex] = Some(task);
                    next.push(self.go_on(state, task));
                }
            }
            Statement::Unlock(mutex) => {
                state.owners[mutex] = None;
                next.push(self.go_on(state, task));
            }
            Statement::Wait(mutex) => match phase {
                Phase::Waiting => {}
                Phase::Notified => {
                    if state.owners[mutex].is_none() {
                        state.owners[mutex] = Some(task);
                        next.push(self.go_on(state, task));
                    }
                }
                _ => {
                    state.owners[mutex] = None;
                    state.tasks[task].phase = Phase::Waiting;
                    next.push(state);
                }
            },
            Statement::NotifyAll => {
                for other in &mut state.tasks {
                    if other.phase == Phase::Waiting {
                        other.phase = Phase::Notified;
                    }
                }
                next.push(self.go_on(state, task));
            }
            _ => {
                let is_waiting = |other: &usize| state.tasks[*other].phase == Phase::Waiting;
                let waiting: Vec<usize> = (0..state.tasks.len()).filter(is_waiting).collect();
                for &other in &waiting {
                    let mut state = state.clone();
                    state.tasks[other].phase = Phase::Notified;
                    next.push(self.go_on(state, task));
                }
                if waiting.is_empty() {
                    next.push(self.go_on(state, task));
                }
            }
        }
    }
}

/// A terminal with what can be compared of it.
pub(super) fn terminal(
    ending: Ending,
    memory: Memory,
    mut atomics: Vec<u8>,
    mut seen: Vec<Vec<u8>>,
) -> Terminal {
    if let Ending::Panic(task) = ending {
        seen = vec![seen.swap_remove(task)];
    }
    if memory != Memory::Sc || matches!(ending, Ending::Panic(_)) {
        atomics.clear();
    }
    Terminal {
        ending,
        atomics,
        seen,
    }
}
