//! Random programs, and traces of them.

use crate::machine::Trace;
use unpick_causality::{Event, Kind, Memory};

/// Numbers that look random: splitmix64.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((word ^ (word >> 31)) % bound as u64) as usize
    }
}

/// An instruction. Values read do not enter those written: what a task does is fixed.
#[derive(Clone, Copy, Debug)]
pub enum Instruction {
    Read(u32, bool),
    Write(u32, u64, bool),
    Add(u32),
    Lock(u32),
    Unlock(u32),
    Fork(u32),
    Join(u32),
    Wait(u32, u32),
    Notify(u32),
    Fence,
    /// Keeps later writes behind earlier ones, and waits for nothing.
    OrderingFence,
}

/// A trace of a random program of two to four tasks with about `event_count` events.
pub fn random_trace(memory: Memory, seed: u64, event_count: usize) -> Trace {
    let mut numbers = Numbers(seed.wrapping_mul(0x1_0000_01b3));
    let programs = random_program(&mut numbers, event_count);
    record(memory, &programs, &mut numbers)
}

fn random_program(numbers: &mut Numbers, event_count: usize) -> Vec<Vec<Instruction>> {
    use Instruction::*;
    let task_count = 2 + numbers.below(3);
    let location_count = 2 + numbers.below(2);
    let (has_locks, has_waits, has_forks) = (
        numbers.below(2) == 0,
        numbers.below(4) == 0,
        numbers.below(4) == 0,
    );
    let mut programs = vec![Vec::new(); task_count];
    while programs.iter().map(Vec::len).sum::<usize>() < event_count {
        let task = numbers.below(task_count);
        let location = numbers.below(location_count) as u32;
        let value = 1 + numbers.below(2) as u64;
        let lock = numbers.below(2) as u32;
        let drains = numbers.below(8) == 0;
        let program = &mut programs[task];
        match numbers.below(13) {
            0..=3 => program.push(Read(location, drains)),
            4..=7 => program.push(Write(location, value, drains)),
            8 => program.push(Add(location)),
            9 if has_waits => {
                let wait = [Lock(0), Wait(0, 0), Read(location, false), Unlock(0)];
                let notify = [Lock(0), Write(location, value, false), Notify(0), Unlock(0)];
                program.extend(if numbers.below(2) == 0 { wait } else { notify });
            }
            10 if has_waits => program.push(Notify(0)),
            9..=10 if has_locks => {
                program.push(Lock(lock));
                for _ in 0..numbers.below(3) {
                    let inside = [
                        Read(location, false),
                        Write(location, value, false),
                        Lock(lock),
                        Lock(1 - lock),
                    ];
                    let one = inside[numbers.below(inside.len())];
                    program.push(one);
                    if let Lock(inner) = one {
                        program.push(Unlock(inner));
                    }
                }
                program.push(Unlock(lock));
            }
            11 if has_locks => {
                let nested = [Lock(lock), Lock(1 - lock), Unlock(1 - lock), Unlock(lock)];
                program.extend(nested);
            }
            _ => program.push(if value == 1 { Fence } else { OrderingFence }),
        }
    }
    if has_forks {
        let children = 1..task_count as u32;
        let forks = children.clone().map(Fork).collect::<Vec<_>>();
        programs[0].splice(0..0, forks);
        programs[0].extend(children.map(Join));
        programs[0].push(Read(0, false));
    }
    programs
}

/// Runs a program under a random schedule and writes down what happens, until nothing is possible.
pub fn record(memory: Memory, programs: &[Vec<Instruction>], numbers: &mut Numbers) -> Trace {
    let mut recorder = Recorder {
        programs: programs.iter().map(|program| flat(program)).collect(),
        trace: Trace::new(memory, vec![0; 8], Vec::new()),
        issued: vec![0; programs.len()],
        buffers: vec![Vec::new(); programs.len()],
        values: vec![0; 8],
        owners: vec![None; 8],
        waiting: Vec::new(),
        ended_by: vec![None; programs.len()],
    };
    while recorder.step(numbers) {}
    let trace = recorder.trace;
    Trace::new(memory, trace.initial, trace.events)
}

/// A wait is three instructions: it begins, ends, and the lock is acquired again.
fn flat(program: &[Instruction]) -> Vec<(Instruction, bool)> {
    let each = program.iter().flat_map(|&one| match one {
        Instruction::Wait(lock, _) => {
            vec![(one, false), (one, true), (Instruction::Lock(lock), false)]
        }
        other => vec![(other, false)],
    });
    each.collect()
}

struct Recorder {
    programs: Vec<Vec<(Instruction, bool)>>,
    trace: Trace,
    issued: Vec<usize>,
    /// Place, location and value of the writes that have not reached memory.
    buffers: Vec<Vec<(u32, u32, u64)>>,
    values: Vec<u64>,
    owners: Vec<Option<(usize, u32)>>,
    waiting: Vec<usize>,
    ended_by: Vec<Option<usize>>,
}

impl Recorder {
    /// Does one thing chosen at random, if there is one.
    fn step(&mut self, numbers: &mut Numbers) -> bool {
        let task_count = self.programs.len();
        let issues = (0..task_count)
            .filter(|&task| self.can_issue(task))
            .map(|task| (task, None));
        let flushes = (0..task_count).flat_map(|task| {
            let heads = self.heads(task);
            heads.into_iter().map(move |at| (task, Some(at)))
        });
        let moves: Vec<_> = issues.chain(flushes).collect();
        if moves.is_empty() {
            return false;
        }
        match moves[numbers.below(moves.len())] {
            (task, Some(at)) => {
                let (place, location, value) = self.buffers[task].remove(at);
                self.values[location as usize] = value;
                self.note(task, place, Kind::Write { location, value }, false);
            }
            (task, None) => self.issue(task, numbers),
        }
        true
    }

    fn heads(&self, task: usize) -> Vec<usize> {
        let buffer = &self.buffers[task];
        let is_head = |&at: &usize| {
            let same = |other: &(u32, u32, u64)| other.1 == buffer[at].1;
            let to = buffer[at].0;
            let is_fence = |place: u32| {
                let instruction = self.programs[task][place as usize].0;
                matches!(instruction, Instruction::OrderingFence)
            };
            let is_held = |other: &(u32, u32, u64)| (other.0..to).any(is_fence);
            let is_free = |other| !same(other) && !is_held(other);
            let may_overtake = !is_ordered(to) && buffer[..at].iter().all(is_free);
            at == 0 || (self.trace.memory == Memory::Pso && may_overtake)
        };
        (0..buffer.len()).filter(is_head).collect()
    }

    fn can_issue(&self, task: usize) -> bool {
        let Some(&(instruction, ends)) = self.programs[task].get(self.issued[task]) else {
            return false;
        };
        let child_of = |program: &Vec<(Instruction, bool)>| {
            let forks = |&(one, _): &(Instruction, bool)| matches!(one, Instruction::Fork(child) if child as usize == task);
            program.iter().position(forks)
        };
        let fork = self
            .programs
            .iter()
            .position(|program| child_of(program).is_some());
        if let Some(parent) = fork
            && Some(self.issued[parent]) <= child_of(&self.programs[parent])
        {
            return false;
        }
        let is_plain = matches!(
            instruction,
            Instruction::Read(_, false)
                | Instruction::Write(_, _, false)
                | Instruction::OrderingFence
        );
        if !is_plain && !self.buffers[task].is_empty() {
            return false;
        }
        match instruction {
            Instruction::Lock(lock) => {
                self.owners[lock as usize].is_none_or(|(owner, _)| owner == task)
            }
            Instruction::Join(child) => {
                let child = child as usize;
                self.issued[child] == self.programs[child].len() && self.buffers[child].is_empty()
            }
            Instruction::Wait(..) if ends => self.ended_by[task].is_some(),
            _ => true,
        }
    }

    fn issue(&mut self, task: usize, numbers: &mut Numbers) {
        let place = self.issued[task] as u32;
        let (instruction, ends) = self.programs[task][place as usize];
        self.issued[task] += 1;
        let mut drains = true;
        let kind = match instruction {
            Instruction::Write(location, value, false) if self.trace.memory != Memory::Sc => {
                self.buffers[task].push((place, location, value));
                return;
            }
            Instruction::Write(location, value, past_buffer) => {
                self.values[location as usize] = value;
                drains = past_buffer;
                Kind::Write { location, value }
            }
            Instruction::Read(location, past_buffer) => {
                let own = self.buffers[task]
                    .iter()
                    .rev()
                    .find(|write| write.1 == location);
                let value = own.map_or(self.values[location as usize], |write| write.2);
                drains = past_buffer;
                Kind::Read { location, value }
            }
            Instruction::Add(location) => {
                let read = self.values[location as usize];
                let written = (read + 1) % 3;
                self.values[location as usize] = written;
                Kind::ReadModifyWrite {
                    location,
                    read,
                    written,
                }
            }
            Instruction::Lock(lock) => {
                let depth = self.owners[lock as usize].map_or(0, |(_, depth)| depth);
                self.owners[lock as usize] = Some((task, depth + 1));
                Kind::Lock { lock }
            }
            Instruction::Unlock(lock) => {
                self.release(lock);
                Kind::Unlock { lock }
            }
            Instruction::Wait(_, condvar) if ends => Kind::Wake {
                condvar,
                notify: self.ended_by[task].take(),
            },
            Instruction::Wait(lock, condvar) => {
                self.release(lock);
                self.waiting.push(task);
                Kind::Wait { lock, condvar }
            }
            Instruction::Notify(condvar) => {
                if !self.waiting.is_empty() {
                    let woken = self.waiting.remove(numbers.below(self.waiting.len()));
                    self.ended_by[woken] = Some(self.trace.events.len());
                }
                Kind::Notify { condvar }
            }
            Instruction::Fork(child) => Kind::Fork { task: child },
            Instruction::Join(child) => Kind::Join { task: child },
            Instruction::Fence => Kind::Fence,
            Instruction::OrderingFence => {
                drains = false;
                Kind::Fence
            }
        };
        self.note(task, place, kind, drains);
    }

    fn release(&mut self, lock: u32) {
        let owner = self.owners[lock as usize].filter(|&(_, depth)| depth > 1);
        self.owners[lock as usize] = owner.map(|(task, depth)| (task, depth - 1));
    }

    fn note(&mut self, task: usize, place: u32, kind: Kind, drains: bool) {
        let event = Event {
            task: task as u32,
            place,
            kind,
            drains,
            is_ordered: match kind {
                Kind::Fence => !drains,
                _ => is_ordered(place),
            },
            continues: false,
        };
        self.trace.events.push(event);
    }
}

/// Whether a store in this place of a program leaves its buffer after all before it: one in four.
fn is_ordered(place: u32) -> bool {
    place % 4 == 3
}

/// A trace in words, for messages.
pub fn describe(trace: &Trace) -> String {
    let mut text = format!("{:?}\n", trace.memory);
    for (id, event) in trace.events.iter().enumerate() {
        text += &format!("{id}: {event:?}\n");
    }
    text
}
