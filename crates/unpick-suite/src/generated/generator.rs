//! Makes programs from numbers.

use super::{ATOMICS, CELLS, CONDVARS, Channel, Flavour, MUTEXES, Program, RWLOCKS, Statement};

/// The program of this number. The same on every machine, for ever.
#[must_use]
pub fn generate(seed: u64, flavour: Flavour) -> Program {
    let mut generator = Generator {
        source: SplitMix64(seed ^ ((flavour as u64 + 1) << 56)),
        flavour,
        receiver: 0,
        held: Vec::new(),
        is_in_rwlock: false,
    };
    generator.program()
}

/// G. Steele, D. Lea, C. Flood, *Fast splittable pseudorandom number generators*, OOPSLA 2014.
pub(crate) struct SplitMix64(pub u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, count: usize) -> usize {
        (self.next() % count as u64) as usize
    }

    /// Below `count`, and more often than not the first: tasks should meet.
    pub(crate) fn skewed(&mut self, count: usize) -> usize {
        match self.below(2) {
            0 => 0,
            _ => self.below(count),
        }
    }

    /// One time out of `count`.
    pub(super) fn is_rare(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }
}

/// What a statement is about.
#[derive(Clone, Copy)]
enum Subject {
    Atomic,
    Branch,
    Lock,
    TryLock,
    Data,
    Cell,
    Wait,
    Notify,
    Rwlock,
    Channel,
    Park,
    Panic,
    Barrier,
}

use Subject::{
    Atomic, Barrier, Branch, Cell, Data, Lock, Notify, Panic, Park, Rwlock, TryLock, Wait,
};

/// Subjects with their weights. Data and waits only count inside a lock.
fn subjects(flavour: Flavour) -> &'static [(Subject, usize)] {
    match flavour {
        Flavour::Locks => &[(Lock, 5), (Data, 8), (Atomic, 3), (Branch, 1)],
        Flavour::Tries => &[(Lock, 3), (TryLock, 4), (Data, 6), (Atomic, 3), (Branch, 1)],
        Flavour::Atomics => &[(Atomic, 6), (Branch, 1)],
        Flavour::Cells => &[(Lock, 4), (Cell, 4), (Atomic, 1), (Branch, 1)],
        Flavour::Condvars => &[(Lock, 5), (Wait, 6), (Notify, 4), (Data, 3), (Atomic, 1)],
        Flavour::Mixed => &[
            (Lock, 5),
            (TryLock, 1),
            (Data, 4),
            (Cell, 1),
            (Wait, 3),
            (Notify, 2),
            (Atomic, 3),
            (Branch, 1),
        ],
        Flavour::Rwlocks => &[(Rwlock, 5), (Atomic, 2), (Branch, 1)],
        Flavour::Channels | Flavour::Rendezvous => {
            &[(Subject::Channel, 5), (Atomic, 2), (Branch, 1)]
        }
        Flavour::Parks => &[(Park, 4), (Atomic, 2), (Branch, 1)],
        Flavour::Barriers => &[
            (Barrier, 4),
            (Atomic, 3),
            (Park, 2),
            (Panic, 1),
            (Branch, 1),
        ],
        Flavour::Panics => &[(Lock, 2), (Data, 3), (Atomic, 4), (Panic, 2), (Branch, 1)],
    }
}

struct Generator {
    source: SplitMix64,
    flavour: Flavour,
    /// The task that receives.
    receiver: usize,
    /// Mutexes held where the next statement stands.
    held: Vec<usize>,
    is_in_rwlock: bool,
}

impl Generator {
    fn program(&mut self) -> Program {
        let count = [2, 2, 3, 3, 4][self.source.below(5)];
        let channel = match self.flavour {
            Flavour::Channels => Some([None, Some(1), Some(2)][self.source.below(3)]),
            Flavour::Rendezvous => Some(Some(0)),
            _ => None,
        };
        let channel = channel.map(|capacity| Channel {
            capacity,
            receiver: self.source.below(count),
        });
        self.receiver = channel.map_or(0, |channel| channel.receiver);
        let parents: Vec<usize> = (0..count)
            .map(|task| match self.source.is_rare(4) {
                true if task > 0 => self.source.below(task),
                _ => 0,
            })
            .collect();
        let mut tasks = Vec::new();
        for task in 0..count {
            let operations_max = if count == 2 { 5 } else { 7 - count };
            let mut budget = match task {
                0 => self.source.below(4),
                _ => 2 + self.source.below(operations_max - 1),
            };
            let kin = kin(&parents, task);
            tasks.push(self.block(task, &kin, &mut budget));
        }
        for task in (1..count).rev() {
            self.link(&mut tasks, parents[task], task);
        }
        Program { tasks, channel }
    }

    /// Lets a task be created, and perhaps joined.
    fn link(&mut self, tasks: &mut [Vec<Statement>], parent: usize, task: usize) {
        let body = &mut tasks[parent];
        let joined = match self.source.below(8) {
            0..4 => Some(body.len()),
            4 => Some(self.source.below(body.len() + 1)),
            _ => None,
        };
        let at = match self.source.is_rare(4) {
            true => self.source.below(joined.unwrap_or(body.len()) + 1),
            false => 0,
        };
        if let Some(joined) = joined {
            body.insert(joined, Statement::Join(task));
        }
        body.insert(at, Statement::Spawn(task));
    }

    /// Statements that use up at most `budget` operations, roughly.
    fn block(&mut self, task: usize, kin: &[usize], budget: &mut usize) -> Vec<Statement> {
        let mut body = Vec::new();
        while *budget > 0 {
            *budget -= 1;
            body.push(self.statement(task, kin, budget));
            if !self.held.is_empty() && self.source.is_rare(2) {
                break;
            }
        }
        body
    }

    fn subject(&mut self) -> Subject {
        let table = subjects(self.flavour);
        let weight_of = |held: bool, (subject, weight): &(Subject, usize)| match subject {
            Data | Wait if !held => 0,
            _ => *weight,
        };
        let held = !self.held.is_empty();
        let total: usize = table.iter().map(|row| weight_of(held, row)).sum();
        let mut left = self.source.below(total);
        for row in table {
            match left.checked_sub(weight_of(held, row)) {
                Some(rest) => left = rest,
                None => return row.0,
            }
        }
        Atomic
    }

    fn statement(&mut self, task: usize, kin: &[usize], budget: &mut usize) -> Statement {
        let value = 1 + self.source.below(2) as u32;
        match self.subject() {
            Atomic => self.atomic(),
            Branch => {
                *budget = budget.saturating_sub(1);
                let body = self.block(task, kin, &mut 1);
                Statement::If(self.source.below(3) as u32, body)
            }
            Lock | TryLock if self.held.len() == MUTEXES => self.atomic(),
            Lock if self.held.is_empty() && self.source.is_rare(5) => self.nested(value, budget),
            Lock => {
                let mutex = self.free_mutex();
                let body = self.locked(mutex, task, kin, budget);
                Statement::Lock(mutex, body)
            }
            TryLock => {
                let mutex = self.free_mutex();
                let taken = self.locked(mutex, task, kin, budget);
                let refused = match self.source.is_rare(2) {
                    true => vec![self.atomic()],
                    false => Vec::new(),
                };
                Statement::TryLock(mutex, taken, refused)
            }
            Data => match self.source.below(3) {
                0 => Statement::DataRead,
                1 => Statement::DataWrite(value),
                _ => Statement::DataAdd(value),
            },
            Cell => self.cell(value),
            Wait => Statement::Wait(self.source.below(CONDVARS)),
            Notify => match self.source.is_rare(3) {
                true => Statement::NotifyAll(self.source.below(CONDVARS)),
                false => Statement::NotifyOne(self.source.below(CONDVARS)),
            },
            Rwlock => self.rwlock(task, kin, budget, value),
            Subject::Channel => self.message(task, value),
            Park => match (kin.is_empty() || self.source.is_rare(2), kin) {
                (true, _) => Statement::Park,
                (false, kin) => Statement::Unpark(kin[self.source.below(kin.len())]),
            },
            Barrier => Statement::Meet,
            Panic => Statement::PanicIf(self.source.below(3) as u32),
        }
    }

    fn atomic(&mut self) -> Statement {
        let x = self.source.skewed(ATOMICS);
        let value = 1 + self.source.below(2) as u32;
        match self.source.below(10) {
            0..3 => Statement::Load(x),
            3..6 => Statement::Store(x, value),
            6 => Statement::StoreLocal(x),
            7..9 => Statement::Add(x, value),
            _ => Statement::CompareExchange(x, self.source.below(2) as u32, value),
        }
    }

    /// A cell under its own mutex, if one is held; without protection now and then.
    fn cell(&mut self, value: u32) -> Statement {
        let cell = match self.held.last() {
            Some(&mutex) if !self.source.is_rare(12) => mutex,
            _ if self.source.is_rare(4) => self.source.below(CELLS),
            _ => return self.atomic(),
        };
        match self.source.is_rare(2) {
            true => Statement::CellRead(cell),
            false => Statement::CellWrite(cell, value),
        }
    }

    fn free_mutex(&mut self) -> usize {
        let free: Vec<usize> = (0..MUTEXES)
            .filter(|mutex| !self.held.contains(mutex))
            .collect();
        free[self.source.below(free.len())]
    }

    /// One mutex inside the other, in either order: what deadlocks are made of.
    fn nested(&mut self, value: u32, budget: &mut usize) -> Statement {
        *budget = budget.saturating_sub(3);
        let outer = self.free_mutex();
        let body = match self.source.is_rare(2) {
            true => vec![Statement::DataAdd(value)],
            false => Vec::new(),
        };
        let inner = Statement::Lock((outer + 1) % MUTEXES, body);
        Statement::Lock(outer, vec![inner])
    }

    fn locked(
        &mut self,
        mutex: usize,
        task: usize,
        kin: &[usize],
        budget: &mut usize,
    ) -> Vec<Statement> {
        // The unlock is an operation as well, and a lock around nothing shows little.
        *budget = budget.saturating_sub(1);
        let mut inner = (*budget).max(1);
        self.held.push(mutex);
        let body = self.block(task, kin, &mut inner);
        self.held.pop();
        *budget = (*budget).min(inner);
        body
    }

    fn rwlock(&mut self, task: usize, kin: &[usize], budget: &mut usize, value: u32) -> Statement {
        if self.is_in_rwlock {
            return self.atomic();
        }
        let lock = self.source.below(RWLOCKS);
        let kind = self.source.below(8);
        if kind >= 6 {
            return match kind {
                6 => Statement::TryReadLock(lock),
                _ => Statement::TryWriteLock(lock, value),
            };
        }
        *budget = budget.saturating_sub(1);
        let mut inner = self.source.below(*budget + 1);
        *budget -= inner;
        self.is_in_rwlock = true;
        let body = self.block(task, kin, &mut inner);
        self.is_in_rwlock = false;
        match kind {
            0..3 => Statement::ReadLock(lock, body),
            _ => Statement::WriteLock(lock, value, body),
        }
    }

    fn message(&mut self, task: usize, value: u32) -> Statement {
        let is_rare = self.source.is_rare(4);
        match (task == self.receiver && !self.source.is_rare(4), is_rare) {
            (true, false) => Statement::Receive,
            (true, true) => Statement::TryReceive,
            (false, false) => Statement::Send(value),
            (false, true) => Statement::TrySend(value),
        }
    }
}

/// The tasks whose handles a task has: its forebears and its children.
fn kin(parents: &[usize], task: usize) -> Vec<usize> {
    let mut kin: Vec<usize> = (1..parents.len())
        .filter(|&other| other != task && parents[other] == task)
        .collect();
    let mut at = task;
    while at != 0 {
        at = parents[at];
        kin.push(at);
    }
    kin
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_makes_the_same_program_for_ever() {
        let text: String = (0..50)
            .flat_map(|seed| Flavour::ALL.iter().map(move |one| generate(seed, *one)))
            .map(|program| program.to_string())
            .collect();
        let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        assert_eq!(hash, PINNED);
    }

    /// What it was when it was written; changed on purpose only.
    const PINNED: u64 = 2_971_813_082_068_361_365;
}
