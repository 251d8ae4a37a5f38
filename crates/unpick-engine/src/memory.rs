//! Weak memory: store buffers, as in the operational models of TSO and PSO.
//!
//! S. Huang, *Maximal causality reduction* (PhD dissertation, Texas A&M, 2019), section 3.3. A store
//! goes into the buffer of its task, where only that task sees it, and leaves it later, whenever it is
//! scheduled to. Under TSO the stores of a task leave in their order, under PSO only those to the same
//! variable do. A load takes the newest value in the own buffer, or else what all see.
//!
//! *A buffer is scheduled like a task.* Whatever empties it is an *agent*: a task without a program, whose
//! operations are flushes. So every strategy decides when a store becomes visible as it decides
//! everything else, the trace records it, and reductions see what it conflicts with. Under PSO there is
//! an agent for each variable that a task has stored to.
//!
//! *What waits for the buffer.* Read-modify-writes, sequentially consistent stores and fences, and
//! everything that synchronises: before these the front end lets the task perform a [`OpKind::Drain`],
//! which is possible when the buffer is empty. It does so whenever the task has stored something since
//! the last time, also if that has left the buffer by now: what a task does must not depend on when its
//! stores leave. A task has ended for those who join it when its buffer is empty.
//!
//! *What keeps stores in order.* The dissertation does not speak of orders of single operations. Here a release
//! store leaves after all stores before it, and all stores behind a release fence leave after all stores before
//! it; the task itself waits for neither. Under TSO stores leave in their order anyway. So whatever TSO allows,
//! PSO allows, too.

use crate::{Effect, Execution, execution::Status, model::Class, object::State, recording::Call};
use alloc::{collections::VecDeque, format, vec::Vec};
use core::sync::atomic::Ordering;
use serde::{Deserialize, Serialize};
use unpick_trace::{ObjectId, ObjectKind, Op, OpKind, SiteId, TaskId};

/// A memory model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Memory {
    /// Sequential consistency: everybody sees a store at once.
    #[default]
    Sc,
    /// Total store order: stores wait in a queue.
    Tso,
    /// Partial store order: stores wait in a queue for each variable.
    Pso,
}

impl Memory {
    /// All of them.
    pub const ALL: [Memory; 3] = [Memory::Sc, Memory::Tso, Memory::Pso];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Memory::Sc => "sc",
            Memory::Tso => "tso",
            Memory::Pso => "pso",
        }
    }

    /// The model of this name.
    pub fn find(name: &str) -> Option<Memory> {
        Memory::ALL.into_iter().find(|model| model.name() == name)
    }
}

/// A store that waits.
struct Entry {
    variable: ObjectId,
    /// What all see when it has left.
    word: u64,
    /// The same for the trace.
    value: u64,
    /// How many stores of its task came before.
    number: u32,
    /// Leaves after the stores of its task below this number.
    after: u32,
    /// Whether the variable was taken back by its owner in between.
    is_dead: bool,
    site: SiteId,
}

/// What empties a buffer, or the part of it for one variable.
struct Agent {
    task: TaskId,
    variable: Option<ObjectId>,
    queue: VecDeque<Entry>,
}

/// The buffer of a task.
struct Buffer {
    object: ObjectId,
    agents: Vec<Agent>,
    /// Stores so far.
    count: u32,
    /// Stores before the last fence that keeps later ones behind them.
    fenced: u32,
    /// Stores of which the task has seen that they have left.
    drained: u32,
    /// Whether the task has seen that all of them have left.
    is_drained: bool,
    /// Whether the task has nothing more to do.
    is_closing: bool,
}

/// The memory of an execution, as far as it is weak.
#[derive(Default)]
pub(crate) struct Buffers {
    /// By task.
    tasks: Vec<Option<Buffer>>,
    /// By agent, in order of creation: whose buffer it empties.
    owners: Vec<(TaskId, TaskId)>,
    /// By variable: what all see, if it was ever in a buffer.
    words: Vec<Option<u64>>,
}

impl Buffers {
    pub fn reset(&mut self) {
        self.tasks.clear();
        self.owners.clear();
        self.words.clear();
    }

    fn owner_of(&self, agent: TaskId) -> Option<TaskId> {
        let mut owners = self.owners.iter();
        let found = owners.find(|(one, _)| *one == agent);
        found.map(|(_, owner)| *owner)
    }

    fn buffer(&self, task: TaskId) -> Option<&Buffer> {
        self.tasks.get(task.index()).and_then(Option::as_ref)
    }

    fn buffer_mut(&mut self, task: TaskId) -> Option<&mut Buffer> {
        self.tasks.get_mut(task.index()).and_then(Option::as_mut)
    }
}

impl Buffer {
    /// Whether a store has to wait for one before it that waits elsewhere.
    fn is_held_up(&self, entry: &Entry) -> bool {
        let mut first = self.agents.iter().filter_map(|agent| agent.queue.front());
        first.any(|other| other.number < entry.after)
    }
}

impl Execution {
    /// Whether stores go through buffers.
    #[inline]
    pub fn is_relaxed(&self) -> bool {
        self.settings().memory != Memory::Sc
    }

    /// Whether a task has no program but empties a buffer.
    pub fn is_agent(&self, task: TaskId) -> bool {
        self.is_relaxed() && self.buffers.owner_of(task).is_some()
    }

    /// The task whose stores an agent lets out, and the variable if it does so for one only.
    pub fn agent(&self, task: TaskId) -> Option<(TaskId, Option<ObjectId>)> {
        let owner = self.buffers.owner_of(task)?;
        let mut agents = self.buffers.buffer(owner)?.agents.iter();
        let agent = agents.find(|agent| agent.task == task)?;
        Some((owner, agent.variable))
    }

    /// The store that an agent lets out next: how many of its task came before.
    pub fn next_store(&self, agent: TaskId) -> Option<u32> {
        let owner = self.buffers.owner_of(agent)?;
        let mut agents = self.buffers.buffer(owner)?.agents.iter();
        let agent = agents.find(|one| one.task == agent)?;
        agent.queue.front().map(|entry| entry.number)
    }

    /// The buffer of a task, if it has ever stored something.
    pub fn buffer_of(&self, task: TaskId) -> Option<ObjectId> {
        self.buffers.buffer(task).map(|buffer| buffer.object)
    }

    /// The agent that lets out what a task stores to a variable.
    pub(crate) fn agent_for(&self, task: TaskId, variable: ObjectId) -> Option<TaskId> {
        let mut agents = self.buffers.buffer(task)?.agents.iter();
        let is_it = |agent: &&Agent| agent.variable.is_none_or(|own| own == variable);
        agents.find(is_it).map(|agent| agent.task)
    }

    /// The argument of a store in this order.
    pub fn store_argument(&self, order: Ordering) -> u16 {
        match (self.settings().memory, order) {
            (Memory::Sc, _) | (_, Ordering::SeqCst) => 0,
            (Memory::Pso, Ordering::Release) => Op::BUFFERED | Op::ORDERED,
            _ => Op::BUFFERED,
        }
    }

    /// The argument of a fence of this order. Under TSO only a sequentially consistent one orders what is
    /// not ordered anyway.
    pub fn fence_argument(&self, order: Ordering) -> u16 {
        match (self.settings().memory, order) {
            (Memory::Tso | Memory::Pso, Ordering::SeqCst) => Op::ORDERED,
            (Memory::Pso, Ordering::Release | Ordering::AcqRel) => Op::BUFFERED,
            _ => 0,
        }
    }

    /// Keeps later stores of a task behind those before this fence, if it is one that does so.
    pub(crate) fn fence(&mut self, task: TaskId, fence: &Op) {
        if let Some(buffer) = self
            .buffers
            .buffer_mut(task)
            .filter(|_| fence.keeps_order())
        {
            buffer.fenced = buffer.count;
        }
    }

    /// The buffer that a task has to see empty before it performs an operation.
    pub fn must_drain(&self, task: TaskId, op: Op) -> Option<ObjectId> {
        use OpKind::*;
        let buffer = self.buffers.buffer(task)?;
        let waits = match op.kind {
            Load | PlainRead | PlainWrite | Yield | Sleep | Enter | TryJoin => false,
            OnceRead => op.argument & Op::WAITS != 0,
            Store => !op.is_buffered(),
            Fence => op.argument & Op::ORDERED != 0,
            _ => true,
        };
        (waits && !buffer.is_drained).then_some(buffer.object)
    }

    /// What a task sees of a variable; `None` if that is what its place holds.
    pub fn word_seen(&self, task: TaskId, variable: ObjectId) -> Option<u64> {
        let agents = self.buffers.buffer(task).map(|buffer| &buffer.agents);
        let entries = agents.into_iter().flatten().flat_map(|agent| &agent.queue);
        let own = entries.filter(|entry| entry.variable == variable && !entry.is_dead);
        let newest = own.max_by_key(|entry| entry.number);
        let shared = || self.buffers.words.get(variable.index()).copied().flatten();
        newest.map(|entry| entry.word).or_else(shared)
    }

    /// Tells that all see this in a variable at once. It changes nothing for one that was never in a buffer.
    pub fn write_through(&mut self, variable: ObjectId, word: u64) {
        if let Some(Some(shared)) = self.buffers.words.get_mut(variable.index()) {
            *shared = word;
        }
    }

    /// Tells that the running task has a variable for itself, and that it is in its place again.
    pub fn take_back(&mut self, variable: ObjectId) {
        let agents = self.buffers.tasks.iter_mut().flatten();
        let entries = agents.flat_map(|buffer| &mut buffer.agents);
        for entry in entries.flat_map(|agent| &mut agent.queue) {
            entry.is_dead |= entry.variable == variable;
        }
        if let Some(word) = self.buffers.words.get_mut(variable.index()) {
            *word = None;
        }
    }

    /// Puts the store that a task has just performed into its buffer: `word` is what others see later,
    /// `before` what they see now if nothing else is known, `value` what the trace tells.
    pub fn buffer_store(&mut self, task: TaskId, before: u64, word: u64, value: u64) {
        let slot = &self.tasks[task.index()];
        let (variable, site) = (slot.op.object, slot.site);
        let is_ordered = slot.op.argument & Op::ORDERED != 0;
        let agent = self.prepare_buffer(task, variable);
        let buffers = &mut self.buffers;
        if buffers.words.len() <= variable.index() {
            buffers.words.resize(variable.index() + 1, None);
        }
        buffers.words[variable.index()].get_or_insert(before);
        let buffer = buffers.tasks[task.index()].as_mut();
        let buffer = buffer.expect("internal error: a task without a buffer stores");
        let number = buffer.count;
        let after = if is_ordered { number } else { buffer.fenced };
        buffer.count += 1;
        buffer.is_drained = false;
        let (object, agent_task) = (buffer.object, buffer.agents[agent].task);
        let queue = &mut buffer.agents[agent].queue;
        queue.push_back(Entry {
            variable,
            word,
            value,
            number,
            after,
            is_dead: false,
            site,
        });
        let is_first = queue.len() == 1;
        self.record(Call::Buffer {
            task,
            value,
            buffer: object,
            agent: agent_task,
        });
        self.count_queued(object, 1);
        self.mark(Effect::Buffers(object, number));
        if is_first {
            self.arm(task, agent);
        }
    }

    /// Makes sure that a task has a buffer and an agent for a variable. Answers the number of the agent.
    fn prepare_buffer(&mut self, task: TaskId, variable: ObjectId) -> usize {
        if self.buffers.buffer(task).is_none() {
            let object = self.push_object(State::Buffer { queued: 0 }, ObjectKind::Buffer, task);
            let tasks = &mut self.buffers.tasks;
            if tasks.len() <= task.index() {
                tasks.resize_with(task.index() + 1, || None);
            }
            tasks[task.index()] = Some(Buffer {
                object,
                agents: Vec::new(),
                count: 0,
                fenced: 0,
                drained: 0,
                is_drained: true,
                is_closing: false,
            });
        }
        let variable = (self.settings().memory == Memory::Pso).then_some(variable);
        let agents = self.buffers.buffer(task).map(|buffer| &buffer.agents);
        let known = agents.and_then(|all| all.iter().position(|one| one.variable == variable));
        known.unwrap_or_else(|| self.add_agent(task, variable))
    }

    fn add_agent(&mut self, owner: TaskId, variable: Option<ObjectId>) -> usize {
        let task = self.push_task(Some(owner));
        self.set_enabled(task, false);
        let name = match variable {
            None => format!("stores of {}", self.trace.task_name(owner)),
            Some(variable) => {
                let variable = self.trace.object_name(variable);
                format!("stores of {} to {variable}", self.trace.task_name(owner))
            }
        };
        self.name_task(task, &name);
        self.tasks[task.index()].may_outlive = true;
        self.buffers.owners.push((task, owner));
        let buffer = self.buffers.buffer_mut(owner);
        let buffer = buffer.expect("internal error: an agent without a buffer");
        buffer.agents.push(Agent {
            task,
            variable,
            queue: VecDeque::new(),
        });
        buffer.agents.len() - 1
    }

    fn count_queued(&mut self, buffer: ObjectId, change: i32) {
        let State::Buffer { queued } = &mut self.objects[buffer.index()].state else {
            panic!("internal error: {buffer:?} is not a buffer");
        };
        *queued = queued.wrapping_add_signed(change);
        if *queued == 0 {
            self.refresh(buffer);
        }
    }

    /// Lets an agent stand before the flush of the first store of its queue, if there is one.
    fn arm(&mut self, owner: TaskId, agent: usize) {
        let Some(buffer) = self.buffers.buffer(owner) else {
            return;
        };
        let Agent { task, queue, .. } = &buffer.agents[agent];
        let task = *task;
        let next = queue.front().map(|entry| {
            let op = Op::new(OpKind::Flush, entry.variable);
            (op, entry.site, !buffer.is_held_up(entry))
        });
        let slot = &mut self.tasks[task.index()];
        slot.status = Status::Running;
        if let Some((op, site, _)) = next {
            slot.status = Status::Pending;
            slot.class = Class::of(op);
            slot.op = op;
            slot.site = site;
        }
        self.set_enabled(task, next.is_some_and(|(.., can_leave)| can_leave));
    }

    /// Performs the operation of an agent: a store leaves its buffer.
    pub(crate) fn flush(&mut self, agent: TaskId) {
        let owner = self.buffers.owner_of(agent);
        let owner = owner.expect("internal error: a flush by a task that is no agent");
        let (object, entry) = self.take_first(owner, agent);
        if !entry.is_dead {
            self.buffers.words[entry.variable.index()] = Some(entry.word);
        }
        if let Some(step) = self.trace.steps.last_mut() {
            step.value = entry.value;
        }
        self.mark(Effect::Stores(entry.value));
        self.mark_flush(owner, object, &entry);
        self.count_queued(object, -1);
        let count = self.buffers.buffer(owner).map_or(0, |one| one.agents.len());
        (0..count).for_each(|agent| self.arm(owner, agent));
        self.note_change(agent);
        self.end_if_closing(owner);
    }

    fn mark_flush(&mut self, owner: TaskId, buffer: ObjectId, entry: &Entry) {
        let drained = self.buffers.buffer(owner).map_or(0, |one| one.drained);
        self.mark(Effect::Flushes {
            task: self.object_of(owner),
            buffer,
            number: entry.number,
            after: (drained.min(entry.after), entry.after),
        });
    }

    fn take_first(&mut self, owner: TaskId, agent: TaskId) -> (ObjectId, Entry) {
        let buffer = self.buffers.buffer_mut(owner);
        let buffer = buffer.expect("internal error: an agent without a buffer");
        let object = buffer.object;
        let mut agents = buffer.agents.iter_mut();
        let queue = agents
            .find(|one| one.task == agent)
            .map(|one| &mut one.queue);
        let entry = queue.and_then(VecDeque::pop_front);
        (object, entry.expect("internal error: a flush of nothing"))
    }

    /// Notes that a task has seen its buffer empty.
    pub(crate) fn note_drained(&mut self, task: TaskId) {
        if let Some(buffer) = self.buffers.buffer_mut(task) {
            buffer.is_drained = true;
            buffer.drained = buffer.count;
        }
    }

    /// Lets all stores of a task out at once: it unwinds, so that nothing else may run now, or it may have
    /// synchronised in a way that is no operation.
    pub fn drain_at_once(&mut self, task: TaskId) {
        if self.empty(task) {
            self.end_if_closing(task);
        }
    }

    /// Empties the buffer of a task. Answers whether there was something in it.
    fn empty(&mut self, task: TaskId) -> bool {
        let Some(buffer) = self.buffers.buffer_mut(task) else {
            return false;
        };
        let object = buffer.object;
        let agents = buffer.agents.iter_mut();
        let mut entries: Vec<Entry> = agents.flat_map(|agent| agent.queue.drain(..)).collect();
        entries.sort_by_key(|entry| entry.number);
        for entry in &entries {
            if !entry.is_dead {
                self.buffers.words[entry.variable.index()] = Some(entry.word);
            }
            self.mark(Effect::Arrives(entry.variable));
            self.mark_flush(task, object, entry);
        }
        self.count_queued(object, -(entries.len() as i32));
        self.note_drained(task);
        // What was still to leave when the execution ended stays the next operation of its agent.
        if self.outcome.is_none() {
            let count = self.buffers.buffer(task).map_or(0, |one| one.agents.len());
            (0..count).for_each(|agent| self.arm(task, agent));
        }
        !entries.is_empty()
    }

    /// Ends a task that has nothing more to do, if its last store has left.
    fn end_if_closing(&mut self, owner: TaskId) {
        let is_closing = self.buffers.buffer(owner).is_some_and(|one| one.is_closing);
        if is_closing && self.end_buffer(owner) {
            self.end(owner);
        }
    }

    /// Ends the buffer of a task that ends. Answers whether nothing waits in it any more; otherwise the task
    /// has ended for the others when the last store leaves.
    pub(crate) fn end_buffer(&mut self, owner: TaskId) -> bool {
        if self.outcome.is_some() {
            self.empty(owner);
        }
        let Some(buffer) = self.buffers.buffer_mut(owner) else {
            return true;
        };
        buffer.is_closing = true;
        let is_empty = buffer.agents.iter().all(|agent| agent.queue.is_empty());
        if is_empty {
            let agents: Vec<TaskId> = buffer.agents.iter().map(|agent| agent.task).collect();
            agents.into_iter().for_each(|agent| self.end_agent(agent));
        }
        is_empty
    }
}
