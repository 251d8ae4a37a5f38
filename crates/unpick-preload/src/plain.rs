//! Plain accesses as scheduling points.
//!
//! The object of an access is the variable at its first byte, the same that atomic operations there have, so
//! that neighbours in a word do not depend on each other. Accesses that share bytes and begin at different
//! ones are *mixed*: parts of a union, a copy of a structure and an access to a member. Reductions must
//! know that they depend on each other before they are performed. So the places of such accesses are learnt,
//! as points are, and all of them have one object.

use crate::address_table::AddressTable;
use crate::buffers;
use crate::runtime::{Runtime, operate, runtime, take_turn};
use crate::signals;
use alloc::vec::Vec;
use core::sync::atomic::Ordering;
use unpick_engine::Shape;
use unpick_memory::{AccessKind, Shared};
use unpick_protocol::Points;
use unpick_trace::{ObjectId, Op, OpKind};

/// Bytes whose accesses are kept together.
const WORD: usize = 8;

/// Different accesses that are kept of a word.
const KEPT_MAX: usize = 4;

/// Marks a place among those that are learnt as one of mixed accesses.
const MIXED: usize = 1 << 63;

/// Stands for the first byte of a mixed access.
const ANYWHERE: usize = usize::MAX;

/// The part of an access that lies in a word.
#[derive(Clone, Copy, Default)]
struct Part {
    /// One bit a byte.
    bytes: u8,
    /// The first byte of the whole access.
    start: usize,
    pc: usize,
}

/// What plain accesses that are points have touched in an execution.
pub struct Plain {
    words: AddressTable,
    parts: Vec<[Part; KEPT_MAX]>,
    /// The places of mixed accesses.
    mixed: Shared,
    /// The object of these.
    memory: Option<ObjectId>,
}

impl Plain {
    pub fn new() -> Plain {
        Plain {
            words: AddressTable::new(),
            parts: Vec::new(),
            mixed: Shared::new(),
            memory: None,
        }
    }

    /// Takes over what was learnt about places, and gives those that are points.
    pub fn take_order(&mut self, learnt: &[u64]) -> Shared {
        let (mut points, mut mixed) = (Shared::new(), Shared::new());
        for place in learnt.iter().map(|&place| place as usize) {
            match place & MIXED {
                0 => points.insert(place),
                _ => mixed.insert(place & !MIXED),
            };
        }
        self.mixed = mixed;
        points
    }

    pub fn reset(&mut self) {
        self.memory = None;
        if !self.parts.is_empty() {
            self.words.clear();
            self.parts.clear();
        }
    }

    fn parts(&mut self, word: usize) -> &mut [Part; KEPT_MAX] {
        let index = match self.words.get(word as u64) {
            Some(index) => index as usize,
            None => {
                self.words.insert(word as u64, self.parts.len() as u32);
                self.parts.push([Part::default(); KEPT_MAX]);
                self.parts.len() - 1
            }
        };
        &mut self.parts[index]
    }
}

/// Lets others run before a plain access, if it is a point.
#[inline(never)]
pub fn point(address: usize, size: usize, kind: AccessKind, pc: usize) {
    let this = runtime();
    if this.is_alone() {
        return note_alone(this, address, kind, pc);
    }
    if this.points == Points::All || this.points_at.contains(pc) {
        perform(this, address, size, kind, pc);
    }
}

/// Notes what a task that is alone does with a variable that is known, for techniques that plan by traces.
fn note_alone(this: &mut Runtime, address: usize, kind: AccessKind, pc: usize) {
    let known = match start_of(this, address, pc) {
        Some(start) => this.variables.get(start as u64).map(ObjectId),
        None => this.plain.memory,
    };
    if let Some(object) = known {
        // Compilers also call a read with a write a write.
        this.note_alone(object, true, kind == AccessKind::Write);
    }
}

/// The address by which the variable of an access is known; `None` if the access is mixed.
fn start_of(this: &Runtime, address: usize, pc: usize) -> Option<usize> {
    if is_coarse(this) {
        return Some(address & !(WORD - 1));
    }
    (!this.plain.mixed.contains(pc)).then_some(address)
}

/// Whether accesses are known by their words: stores that wait do so by word, and which accesses are mixed
/// is not known where nothing is learnt.
fn is_coarse(this: &Runtime) -> bool {
    this.execution.is_relaxed() || !this.points.are_learnt()
}

/// Performs an access as an operation.
pub fn perform(this: &mut Runtime, address: usize, size: usize, kind: AccessKind, pc: usize) {
    let start = start_of(this, address, pc);
    let object = match start {
        Some(start) => this.variable(start),
        None => memory(this),
    };
    if !is_coarse(this) {
        learn(this, (address, size), start.unwrap_or(ANYWHERE), pc);
    }
    match kind {
        AccessKind::Write => write(object, address, size, pc),
        _ => {
            operate(Op::new(OpKind::PlainRead, object), pc);
        }
    }
}

/// The object of all mixed accesses.
fn memory(this: &mut Runtime) -> ObjectId {
    if let Some(object) = this.plain.memory {
        return object;
    }
    let object = this.add_object(Shape::Variable, 0);
    this.execution
        .name_object(object, "memory that is used in parts");
    this.plain.memory = Some(object);
    object
}

/// The same for a write, which others may see later.
fn write(object: ObjectId, address: usize, size: usize, pc: usize) {
    let this = runtime();
    let argument = buffers::argument(this, object, address, size, Ordering::Relaxed);
    let op = Op {
        argument,
        ..Op::new(OpKind::PlainWrite, object)
    };
    if op.is_buffered() {
        take_turn(op, pc);
        buffers::hold(object, address, size, 0, None);
        return signals::deliver();
    }
    if this.execution.is_relaxed() {
        buffers::drain_before_store(pc);
    }
    operate(op, pc);
}

/// Learns whether an access shares bytes with one that has another object.
fn learn(this: &mut Runtime, (address, size): (usize, usize), start: usize, pc: usize) {
    let end = address + size;
    let mut at = address;
    while at < end {
        let (word, first) = (at & !(WORD - 1), at % WORD);
        let count = (WORD - first).min(end - at);
        let bytes = (0xff_u32 >> (WORD - count) << first) as u8;
        let parts = *this.plain.parts(word);
        for part in parts {
            if part.bytes & bytes != 0 && part.start != start {
                mix(this, part.pc, part.start);
                mix(this, pc, start);
            }
        }
        let is_its = |part: &&mut Part| part.bytes == 0 || part.start == start && part.pc == pc;
        match this.plain.parts(word).iter_mut().find(is_its) {
            Some(part) => {
                part.bytes |= bytes;
                (part.start, part.pc) = (start, pc);
            }
            // Too many to be kept: they are as good as mixed.
            None => mix(this, pc, start),
        }
        at += count;
    }
}

fn mix(this: &mut Runtime, pc: usize, start: usize) {
    if start != ANYWHERE {
        this.shadow.shared_mut().insert(pc | MIXED);
    }
}
