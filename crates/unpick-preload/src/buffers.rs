//! Stores that others see later, under memory models in which they wait in buffers.
//!
//! The engine decides when a store leaves its buffer; what it stores, and where, is kept here. A plain store
//! is performed by the program itself, after it has told of it, and cannot be held back. So *memory holds
//! what the running task sees*: before a decision the stores of this task that wait are taken out of memory,
//! the newest first, and afterwards those of the task that goes on are put in, the oldest first. Loads need
//! nothing, not even those of code that is not instrumented; what such code writes where a store of its
//! task waits becomes part of that store.
//!
//! Some stores never wait: what is larger than a word, and the own stack of the task. Frames come and go
//! there, those of the runtime too, and memory must not change under them.

use crate::runtime::{Runtime, runtime, take_turn};
use alloc::vec::Vec;
use core::ops::Range;
use core::sync::atomic::Ordering;
use unpick_engine::Memory;
use unpick_memory::Clock;
use unpick_trace::{ObjectId, Op, OpKind, TaskId};

/// Bytes of a store that can wait.
const WORD: usize = size_of::<u64>();

/// A store that waits.
struct Waiting {
    task: TaskId,
    variable: ObjectId,
    address: usize,
    /// Nothing where the memory is gone.
    size: usize,
    /// What is to be there, or, while that is in memory, what was there before.
    bytes: [u8; WORD],
    /// What an atomic variable gives from then on to those who acquire it.
    given: Option<Clock>,
}

/// An atomic variable, and what all are known to see there.
#[derive(Clone, Copy)]
struct Known {
    address: usize,
    size: usize,
    word: u64,
}

/// A place that a task has stored to since it last saw its buffer empty.
#[derive(PartialEq)]
struct Place {
    task: TaskId,
    variable: ObjectId,
    range: Range<usize>,
}

/// The buffers of all tasks.
#[derive(Default)]
pub struct Buffers {
    /// In the order in which tasks have stored.
    waiting: Vec<Waiting>,
    /// Kept only where stores of a task may overtake each other.
    places: Vec<Place>,
    /// By variable.
    known: Vec<Option<Known>>,
}

impl Waiting {
    fn is_within(&self, range: &Range<usize>) -> bool {
        overlap(&(self.address..self.address + self.size), range)
    }

    /// Exchanges what is kept with what is in memory.
    fn swap(&mut self) {
        let place = self.address as *mut u8;
        // SAFETY: the program stores there, and what it frees or unmaps is forgotten.
        unsafe { core::ptr::swap_nonoverlapping(self.bytes.as_mut_ptr(), place, self.size) };
    }
}

fn overlap(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

impl Buffers {
    pub fn reset(&mut self) {
        self.waiting.clear();
        self.places.clear();
        self.known.clear();
    }

    /// Whether a task sees there what others may not see yet.
    #[inline]
    pub fn hides(&self, task: TaskId, address: usize, size: usize) -> bool {
        let range = address..address + size;
        let mut waiting = self.waiting.iter();
        waiting.any(|store| store.task == task && store.is_within(&range))
    }

    /// Memory is gone: what was to be stored there is not.
    pub fn forget(&mut self, range: Range<usize>) {
        let gone = self.waiting.iter_mut();
        for store in gone.filter(|store| store.is_within(&range)) {
            store.size = 0;
        }
        for known in &mut self.known {
            known.take_if(|one| overlap(&(one.address..one.address + one.size), &range));
        }
    }

    fn knows(&self, variable: ObjectId) -> bool {
        self.known
            .get(variable.index())
            .is_some_and(Option::is_some)
    }

    fn know(&mut self, variable: ObjectId, address: usize, size: usize, word: u64) {
        if self.known.len() <= variable.index() {
            self.known.resize(variable.index() + 1, None);
        }
        self.known[variable.index()] = Some(Known {
            address,
            size,
            word,
        });
    }

    /// Whether code that is not instrumented has written an atomic variable since this was last asked: the
    /// running task has.
    fn has_foreign_change(&mut self, task: TaskId) -> bool {
        let mut is_changed = false;
        for index in 0..self.known.len() {
            let Some(Known {
                address,
                size,
                word,
            }) = self.known[index]
            else {
                continue;
            };
            // SAFETY: the program has used the variable, and what it frees or unmaps is forgotten.
            let now = unsafe { word_at(address, size) };
            if now != word && !self.hides(task, address, size) {
                self.know(ObjectId(index as u32), address, size, now);
                is_changed = true;
            }
        }
        is_changed
    }

    /// Takes what a task stored out of memory.
    fn take_out(&mut self, task: TaskId) {
        let own = self.waiting.iter_mut().rev();
        own.filter(|store| store.task == task)
            .for_each(Waiting::swap);
    }

    /// Puts what a task stored into memory.
    fn put_in(&mut self, task: TaskId) {
        let own = self.waiting.iter_mut();
        own.filter(|store| store.task == task)
            .for_each(Waiting::swap);
    }

    /// Whether a store of the task would be seen before an earlier one to the same place, which is in the
    /// queue of another variable: atomic and plain accesses, or sizes, are mixed.
    fn may_overtake(&self, task: TaskId, variable: ObjectId, range: &Range<usize>) -> bool {
        let mut places = self.places.iter();
        places.any(|place| {
            place.task == task && place.variable != variable && overlap(&place.range, range)
        })
    }
}

/// The argument of a store of the running task: whether it waits, and whether all before it leave first.
pub fn argument(
    this: &Runtime,
    variable: ObjectId,
    address: usize,
    size: usize,
    order: Ordering,
) -> u16 {
    let argument = this.execution.store_argument(order);
    let is_own = || this.tasks[this.current.index()].stack.contains(&address);
    if argument == 0 || size > WORD || is_own() {
        return 0;
    }
    let range = address..address + size;
    let is_ordered = this.execution.settings().memory == Memory::Pso
        && this.buffers.may_overtake(this.current, variable, &range);
    match is_ordered {
        true => argument | Op::ORDERED,
        false => argument,
    }
}

/// Notes that the running task performs a store that waits. Its memory still holds what was there before.
/// The trace is told `value`.
pub fn hold(variable: ObjectId, address: usize, size: usize, value: u64, given: Option<Clock>) {
    let this = runtime();
    let task = this.current;
    this.execution.observe(task, value, true);
    // What others see is kept here, so that the words are of no use.
    this.execution.buffer_store(task, 0, 0, value);
    let mut bytes = [0; WORD];
    // SAFETY: the program stores there.
    unsafe { core::ptr::copy_nonoverlapping(address as *const u8, bytes.as_mut_ptr(), size) };
    this.buffers.waiting.push(Waiting {
        task,
        variable,
        address,
        size,
        bytes,
        given,
    });
    let place = Place {
        task,
        variable,
        range: address..address + size,
    };
    let is_kept = this.execution.settings().memory == Memory::Pso;
    if is_kept && !this.buffers.places.contains(&place) {
        this.buffers.places.push(place);
    }
}

/// Lets the running task see its buffer empty, if it has to before this operation.
#[cold]
pub fn drain(op: Op, pc: usize) {
    let this = runtime();
    let task = this.current;
    if let Some(buffer) = this.execution.must_drain(task, op) {
        take_turn(Op::new(OpKind::Drain, buffer), pc);
        let places = &mut runtime().buffers.places;
        places.retain(|place| place.task != task);
    }
}

/// The same before a plain store that does not wait.
pub fn drain_before_store(pc: usize) {
    drain(Op::new(OpKind::ReadModifyWrite, ObjectId::NONE), pc);
}

/// Notes what all see in an atomic variable that the running task has used.
pub fn know(this: &mut Runtime, variable: ObjectId, address: usize, size: usize, word: u64) {
    // What was done before there were others is not done again in every execution.
    if !this.execution.is_relaxed() || this.is_alone() || size > WORD {
        return;
    }
    // Its frame may be gone before anybody else has used it.
    let is_own = this.tasks[this.current.index()].stack.contains(&address);
    if !is_own || this.buffers.knows(variable) {
        this.buffers.know(variable, address, size, word);
    }
}

/// Before a decision: takes out of memory what the running task has stored. Gives whether anything waits.
#[inline]
pub fn leave(this: &mut Runtime) -> bool {
    this.execution.is_relaxed() && leave_weakly(this)
}

#[cold]
fn leave_weakly(this: &mut Runtime) -> bool {
    let task = this.current;
    // Asked also if nothing waits: what the task does next must not depend on when its stores leave.
    if this.buffers.has_foreign_change(task) {
        let_out(this, Some(task));
    }
    this.buffers.take_out(task);
    !this.buffers.waiting.is_empty()
}

/// After a decision: lets out what has left its buffer in the steps from that one on, and shows the rest of
/// what it stored to the task that goes on.
#[cold]
pub fn enter(this: &mut Runtime, step_from: usize) {
    for index in step_from..this.execution.trace().steps.len() {
        let step = &this.execution.trace().steps[index];
        if step.op.kind != OpKind::Flush {
            continue;
        }
        let Some((owner, variable)) = this.execution.agent(step.task) else {
            continue;
        };
        let mut waiting = this.buffers.waiting.iter();
        let position = waiting.position(|store| {
            store.task == owner && variable.is_none_or(|variable| variable == store.variable)
        });
        let position = position.expect("internal error: a flush of what does not wait");
        let mut store = this.buffers.waiting.remove(position);
        store.swap();
        publish(this, &store);
    }
    this.buffers.put_in(this.current);
}

/// Lets the stores of a task, or of all, out at once: code that is not instrumented may have synchronised.
#[cold]
pub fn let_out(this: &mut Runtime, task: Option<TaskId>) {
    let is_meant = |one: TaskId| task.is_none_or(|task| task == one);
    let waiting = core::mem::take(&mut this.buffers.waiting);
    for mut store in waiting {
        if !is_meant(store.task) {
            this.buffers.waiting.push(store);
            continue;
        }
        if store.task != this.current {
            store.swap();
        }
        publish(this, &store);
        this.execution.drain_at_once(store.task);
    }
    this.buffers.places.retain(|place| !is_meant(place.task));
    // Also if they have left before, for the same reason.
    task.into_iter()
        .for_each(|task| this.execution.drain_at_once(task));
}

/// Nobody is left who could notice when a store is seen.
pub fn end(this: &mut Runtime) {
    let_out(this, None);
    this.buffers.reset();
}

/// Tells those who watch variables that all see a store now.
fn publish(this: &mut Runtime, store: &Waiting) {
    let Some(given) = &store.given else {
        return;
    };
    this.clocks.give(store.variable, given);
    if store.size > 0 {
        // SAFETY: the program has stored there.
        let word = unsafe { word_at(store.address, store.size) };
        this.set_value(store.variable, word);
        this.buffers
            .know(store.variable, store.address, store.size, word);
    }
}

/// # Safety
///
/// So many bytes can be read there.
unsafe fn word_at(address: usize, size: usize) -> u64 {
    let mut bytes = [0; WORD];
    // SAFETY: by the caller.
    unsafe { core::ptr::copy_nonoverlapping(address as *const u8, bytes.as_mut_ptr(), size) };
    u64::from_le_bytes(bytes)
}
