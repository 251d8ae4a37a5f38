//! The happens-before relation of an execution, event by event: vector clocks and hashes.
//!
//! P. Thomson, *Practical systematic concurrency testing*, PhD thesis, 2016, sections 4.2, 4.3 and
//! 5.4: an event is one transition; two events are ordered if one task performs both, or if they are
//! dependent; the relation is the transitive closure. The *lazy* relation leaves out the order of
//! acquiring and releasing mutexes. Both are kept at once.
//!
//! *Hashes.* The hash of an event is made of the hash of the event before it in its task, of what it
//! does, and of the hashes of the events it directly depends on; the hash of an execution is the sum
//! over its events. Equal relations give equal hashes whatever the order of events, and the converse
//! holds but for collisions of 128 bits. Neither tasks nor objects are named in it: which object an
//! operation means follows from what its task has seen before, so the hash does not depend on
//! numbers that differ from schedule to schedule.
//!
//! *Clocks.* Entry `t` of the clock of an event is the number of events of task `t` that happen
//! before or at it.

use crate::footprint::{
    Access, LEVEL, Location, Mode, Result, SLOTS, Traffic, add_effect, add_operation, is_mark,
};
use crate::{Effect, Execution, Grant};
use alloc::{vec, vec::Vec};
use unpick_trace::{Choice, ObjectId, Op, OpKind, TaskId};

/// Which of the two relations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// All dependent events are ordered.
    Regular,
    /// Acquiring and releasing a mutex orders nothing.
    Lazy,
}

/// One transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// The task that acts.
    pub task: TaskId,
    /// How many events of this task came before.
    pub ordinal: u32,
    /// The event of this task before, or the one that created the task.
    pub before: Option<usize>,
    /// The step that performs its operation.
    pub step: usize,
    /// The operation.
    pub op: Op,
    /// Whether the operation did not simply succeed: refused, timed out, left everything as it was.
    pub is_refused: bool,
    /// Whether the execution ended with it: nothing can happen after it.
    pub is_last: bool,
    /// Whether it was possible because no other event was: all that happened before it comes before it in
    /// every order.
    pub follows_all: bool,
    /// The value it left in a variable, if that is known.
    pub stored: Option<u64>,
    accesses: (u32, u32),
    /// Without where tasks come to stand.
    deeds: (u32, u32),
    /// What its task performed besides its operation, with no choice of another task.
    further: (u32, u32),
}

/// Events that touch a location in a mode in which they commute, and those that touched it before.
#[derive(Clone, Debug, Default)]
struct Chain {
    part: u32,
    mode: Option<Mode>,
    group: Vec<u32>,
    group_hash: u128,
    previous: Vec<u32>,
    previous_hash: u128,
}

/// One of the two relations.
#[derive(Clone)]
struct Order {
    relation: Relation,
    /// By event, `width` entries each.
    clocks: Vec<u32>,
    hashes: Vec<u128>,
    /// By object.
    chains: Vec<Vec<Chain>>,
    /// The sum over all events.
    hash: u128,
}

/// The relation of an execution so far.
#[derive(Clone, Default)]
pub struct History {
    events: Vec<Event>,
    accesses: Vec<Access>,
    further: Vec<(Op, Grant)>,
    orders: Vec<Order>,
    tasks: Vec<TaskHistory>,
    /// By object.
    traffic: Vec<Traffic>,
    effects_seen: usize,
    /// The answers that were given before the first event.
    start: u64,
    /// Entries of a clock.
    width: usize,
    /// Memory for what one event touches.
    scratch: Vec<Access>,
}

/// What is known of a task.
#[derive(Clone, Copy)]
struct TaskHistory {
    /// Its last event, or the one that created it.
    last: Option<usize>,
    event_count: u32,
    /// The event that created it.
    creator: Option<usize>,
    /// What it has seen if no event created it.
    start: u64,
    /// How many tasks its creator had created before.
    index: u32,
}

impl History {
    /// The history of an execution that has not begun; clocks and hashes are kept for these
    /// relations.
    pub fn new(relations: &[Relation]) -> History {
        let order = |&relation| Order {
            relation,
            clocks: Vec::new(),
            hashes: Vec::new(),
            chains: Vec::new(),
            hash: 0,
        };
        History {
            orders: relations.iter().map(order).collect(),
            width: 8,
            ..History::default()
        }
    }

    fn order(&self, relation: Relation) -> &Order {
        let mut orders = self.orders.iter();
        let found = orders.find(|order| order.relation == relation);
        found.expect("internal error: a relation that is not kept")
    }

    /// Forgets everything, keeps memory.
    pub fn reset(&mut self) {
        self.events.clear();
        self.accesses.clear();
        self.further.clear();
        self.tasks.clear();
        self.traffic.clear();
        self.effects_seen = 0;
        for order in &mut self.orders {
            order.clocks.clear();
            order.hashes.clear();
            order.hash = 0;
            order.chains.iter_mut().for_each(Vec::clear);
        }
    }

    /// Takes in the transitions that were performed since the last call. To be called when the last
    /// one is over: when the next is decided, or when the execution has ended.
    pub fn extend(&mut self, execution: &Execution) {
        assert!(
            execution.is_watched(),
            "internal error: the history of an execution that is not watched"
        );
        if self.events.is_empty() {
            self.begin(execution);
        }
        while self.events.len() < execution.transition_count() {
            self.add_event(execution);
        }
        let is_over = execution.is_cut_short();
        let last = self.events.last_mut();
        if let Some(last) = last.filter(|last| is_over && !last.is_last) {
            last.is_last = true;
            self.order_last_after_all();
        }
    }

    /// The events in the order of the schedule.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// What an event touches.
    pub fn accesses(&self, event: usize) -> &[Access] {
        let (start, end) = self.events[event].accesses;
        &self.accesses[start as usize..end as usize]
    }

    /// What an event looks at and what it changes: what it touches, without where tasks come to stand by
    /// it. So what it leads to can depend on other events only through these.
    pub fn deeds(&self, event: usize) -> &[Access] {
        let (start, end) = self.events[event].deeds;
        &self.accesses[start as usize..end as usize]
    }

    /// What the task of an event performed besides its operation, with no choice of another task: as it unwound.
    pub fn further(&self, event: usize) -> &[(Op, Grant)] {
        let (start, end) = self.events[event].further;
        &self.further[start as usize..end as usize]
    }

    /// Whether an event, or what its task performed besides, releases a mutex.
    pub fn unlocks(&self, event: usize, mutex: ObjectId) -> bool {
        let own = core::iter::once(&self.events[event].op);
        let mut all = own.chain(self.further(event).iter().map(|(op, _)| op));
        all.any(|op| op.kind == OpKind::Unlock && op.object == mutex)
    }

    /// The stores that leave a buffer with an event, by number.
    pub fn flushes(&self, event: usize, buffer: ObjectId) -> impl Iterator<Item = u32> + '_ {
        let accesses = self.accesses(event).iter();
        let touched = accesses.filter(move |access| access.location.object == buffer);
        let leaves = |access: &Access| access.location.part == LEVEL && access.mode == Mode::Add;
        let is_flush = touched.clone().any(leaves);
        let written = move |access: &&Access| {
            is_flush && access.location.is_slot() && access.mode == Mode::Write
        };
        touched
            .filter(written)
            .map(|access| access.location.part - SLOTS)
    }

    /// The last event of a task, or the one that created it.
    pub fn last_of(&self, task: TaskId) -> Option<usize> {
        self.tasks.get(task.index()).and_then(|task| task.last)
    }

    /// The event that created a task; none for the first task.
    pub fn creator_of(&self, task: TaskId) -> Option<usize> {
        self.tasks.get(task.index()).and_then(|task| task.creator)
    }

    /// How many events a task has performed.
    pub fn event_count_of(&self, task: TaskId) -> u32 {
        let task = self.tasks.get(task.index());
        task.map_or(0, |task| task.event_count)
    }

    /// Whether one event happens before another, or is the same.
    #[inline]
    pub fn is_before(&self, relation: Relation, one: usize, other: usize) -> bool {
        let event = &self.events[one];
        let clock = self.order(relation).clocks[other * self.width + event.task.index()];
        clock > event.ordinal
    }

    /// The hash of the relation so far.
    pub fn hash(&self, relation: Relation) -> u128 {
        self.order(relation).hash
    }

    /// The hash of one event: of everything that happens before it, and of itself.
    pub fn event_hash(&self, relation: Relation, event: usize) -> u128 {
        self.order(relation).hashes[event]
    }

    /// The hash after the next operation of a task, as far as it can be told before it is performed.
    pub fn successor_hash(&self, relation: Relation, execution: &Execution, task: TaskId) -> u128 {
        let order = self.order(relation);
        let mut accesses = Vec::new();
        self.add_pending(execution, task, &mut accesses);
        let op = execution.pending_op(task);
        let mut hash = mix(self.tasks[task.index()].hash(&order.hashes), tag(&op));
        if op.kind == OpKind::Quiesce || execution.has_jumped() {
            hash = mix_previous(hash, Mode::Write, order.hash);
        }
        for access in &accesses {
            hash = order.mix_access(hash, access, relation);
        }
        order.hash.wrapping_add(hash)
    }

    /// Adds what the next operation of a task touches, as far as it can be told before it is
    /// performed; what is not known counts as a write.
    pub fn add_pending(&self, execution: &Execution, task: TaskId, accesses: &mut Vec<Access>) {
        let op = execution.pending_op(task);
        let known = self.traffic.get(op.object.0 as usize);
        let mut traffic = known.copied().unwrap_or_default();
        add_operation(accesses, execution, &op, Result::Unknown, &mut traffic);
        if let Some(mode) = execution.next_use_of_clock(task, &op) {
            add_effect(accesses, Effect::UsesClock(mode));
        }
        if let Some(condvar) = execution.intends_to_wait(task) {
            add_effect(accesses, Effect::Enlists(condvar));
        }
    }

    /// Adds what an operation would change wherever it were performed.
    pub fn add_wanted(&self, execution: &Execution, op: &Op, accesses: &mut Vec<Access>) {
        let mut wanted = Vec::new();
        let mut traffic = Traffic::default();
        add_operation(&mut wanted, execution, op, Result::Unknown, &mut traffic);
        wanted.retain(|access| access.mode != Mode::Read && !access.location.is_slot());
        accesses.append(&mut wanted);
    }

    /// Adds what an operation on a channel touches if it goes like this after so many messages were
    /// put in and taken out.
    pub fn add_on_channel(
        &self,
        execution: &Execution,
        op: &Op,
        grant: Grant,
        (sent, received): (u32, u32),
        accesses: &mut Vec<Access>,
    ) {
        let mut traffic = Traffic { sent, received };
        let result = Result::Granted(grant);
        add_operation(accesses, execution, op, result, &mut traffic);
    }

    /// Adds to `found` the events that an access at the end of the history would directly depend on
    /// through its location.
    pub fn add_predecessors(&self, relation: Relation, access: &Access, found: &mut Vec<usize>) {
        let order = self.order(relation);
        if let Some(chain) = order.chain(access.location) {
            let before = match chain.mode {
                Some(mode) if mode.commutes_with(mode_in(access, relation)) => &chain.previous,
                _ => &chain.group,
            };
            found.extend(before.iter().map(|&event| event as usize));
        }
    }

    /// Adds to `found` the events that the last event directly depends on through a location it
    /// touches.
    pub fn add_predecessors_of_last(
        &self,
        relation: Relation,
        access: &Access,
        found: &mut Vec<usize>,
    ) {
        // It is in the newest group; what came before that group came before it.
        if let Some(chain) = self.order(relation).chain(access.location) {
            found.extend(chain.previous.iter().map(|&event| event as usize));
        }
    }

    /// Takes in what was there before the first event: tasks, and answers to questions.
    fn begin(&mut self, execution: &Execution) {
        let first = match execution.transition_count() {
            0 => execution.trace().steps.len(),
            _ => execution.steps_of(0).start,
        };
        let answers = execution.trace().steps[..first].iter();
        self.start = answers.fold(0, |tag, step| tag_answer(tag, step.choice));
        for order in &mut self.orders {
            order.hash = u128::from(self.start);
        }
        self.add_tasks(execution, execution.task_count_at_first(), None);
    }

    /// Takes in the tasks up to this number, which an event created.
    fn add_tasks(&mut self, execution: &Execution, count: usize, creator: Option<usize>) {
        for info in &execution.trace().tasks[self.tasks.len()..count] {
            let is_first = u64::from(self.tasks.is_empty());
            self.tasks.push(TaskHistory {
                start: self.start ^ (is_first << 63),
                last: creator,
                event_count: 0,
                creator,
                index: info.index,
            });
        }
        if count > self.width {
            self.widen(count.next_power_of_two());
        }
    }

    fn widen(&mut self, width: usize) {
        for order in &mut self.orders {
            let mut clocks = vec![0; self.events.len() * width];
            for (event, clock) in order.clocks.chunks(self.width).enumerate() {
                clocks[event * width..][..self.width].copy_from_slice(clock);
            }
            order.clocks = clocks;
        }
        self.width = width;
    }

    fn add_event(&mut self, execution: &Execution) {
        let number = self.events.len();
        let steps = execution.steps_of(number);
        let first = &execution.trace().steps[steps.start];
        let (task, op) = (first.task, first.op);
        let TaskHistory {
            last: before,
            event_count: ordinal,
            ..
        } = self.tasks[task.index()];
        let effects = execution.effects_of(number, self.effects_seen);
        self.effects_seen += effects.len();
        let result = result_of(effects);
        let further = self.further.len() as u32;
        let mut accesses = core::mem::take(&mut self.scratch);
        let mut tag = tag(&op);
        for (index, step) in execution.trace().steps[steps.clone()].iter().enumerate() {
            if step.is_operation() {
                let result = if index == 0 { result } else { Result::Unknown };
                if index > 0 {
                    let grant = execution.grant_of(steps.start + index);
                    self.further.push((step.op, grant));
                }
                self.add_operation(execution, &step.op, result, &mut accesses);
            } else {
                tag = tag_answer(tag, step.choice);
            }
        }
        let mut has_marks = false;
        for (_, effect) in effects {
            match is_mark(execution, *effect) {
                true => has_marks = true,
                false => add_effect(&mut accesses, *effect),
            }
        }
        let deeds = self.keep(&accesses);
        let mut all = deeds;
        if has_marks {
            let marks = effects.iter().filter(|(_, one)| is_mark(execution, *one));
            marks.for_each(|(_, effect)| add_effect(&mut accesses, *effect));
            all = self.keep(&accesses);
        }
        accesses.clear();
        self.scratch = accesses;
        self.events.push(Event {
            task,
            ordinal,
            before,
            step: steps.start,
            op,
            is_refused: !matches!(result, Result::Granted(Grant::Done | Grant::Leader)),
            is_last: false,
            follows_all: op.kind == OpKind::Quiesce
                || effects
                    .iter()
                    .any(|(_, effect)| *effect == Effect::FollowsAll),
            stored: effects.iter().find_map(|(_, effect)| match effect {
                Effect::Stores(value) => Some(*value),
                _ => None,
            }),
            accesses: all,
            deeds,
            further: (further, self.further.len() as u32),
        });
        for index in 0..self.orders.len() {
            self.place(index, number, tag);
        }
        let known = &mut self.tasks[task.index()];
        known.last = Some(number);
        known.event_count += 1;
        self.add_tasks(execution, execution.task_count_after(number), Some(number));
    }

    /// Keeps accesses. Answers where they are.
    fn keep(&mut self, accesses: &[Access]) -> (u32, u32) {
        let start = self.accesses.len() as u32;
        self.accesses.extend_from_slice(accesses);
        (start, self.accesses.len() as u32)
    }

    fn add_operation(
        &mut self,
        execution: &Execution,
        op: &Op,
        result: Result,
        accesses: &mut Vec<Access>,
    ) {
        if op.object != ObjectId::NONE {
            let object = op.object.index();
            if self.traffic.len() <= object {
                self.traffic.resize(object + 1, Traffic::default());
            }
            add_operation(accesses, execution, op, result, &mut self.traffic[object]);
        }
    }

    /// Gives the event added last its clock and hash.
    fn place(&mut self, index: usize, number: usize, tag: u64) {
        let event = self.events[number];
        let (start, end) = event.accesses;
        let order = &mut self.orders[index];
        let (relation, width) = (order.relation, self.width);
        order.clocks.resize((number + 1) * width, 0);
        let (earlier, clock) = order.clocks.split_at_mut(number * width);
        let mut join = |other: usize| {
            for (mine, theirs) in clock.iter_mut().zip(&earlier[other * width..][..width]) {
                *mine = (*mine).max(*theirs);
            }
        };
        if let Some(before) = event.before {
            join(before);
        }
        let mut hash = mix(self.tasks[event.task.index()].hash(&order.hashes), tag);
        if event.follows_all {
            self.tasks
                .iter()
                .filter_map(|task| task.last)
                .for_each(&mut join);
            hash = mix_previous(hash, Mode::Write, order.hash);
        }
        for access in &self.accesses[start as usize..end as usize] {
            let chain = chain_mut(&mut order.chains, access.location);
            chain.turn(mode_in(access, relation));
            hash = mix_previous(hash, mode_in(access, relation), chain.previous_hash);
            chain
                .previous
                .iter()
                .for_each(|&event| join(event as usize));
        }
        clock[event.task.index()] = event.ordinal + 1;
        for access in &self.accesses[start as usize..end as usize] {
            let chain = chain_mut(&mut order.chains, access.location);
            chain.group.push(number as u32);
            chain.group_hash = chain.group_hash.wrapping_add(hash);
        }
        order.hashes.push(hash);
        order.hash = order.hash.wrapping_add(hash);
    }

    /// An execution that fails or exits ends at once: its last event depends on all others.
    fn order_last_after_all(&mut self) {
        let last = self.events.len() - 1;
        let width = self.width;
        for order in &mut self.orders {
            let mut hash = order.hashes[last];
            order.hash = order.hash.wrapping_sub(hash);
            hash = mix_previous(hash, Mode::Write, order.hash);
            order.hash = order.hash.wrapping_add(hash);
            order.hashes[last] = hash;
            let clock = &mut order.clocks[last * width..][..width];
            for (entry, task) in clock.iter_mut().zip(&self.tasks) {
                *entry = task.event_count;
            }
        }
    }
}

impl Order {
    fn chain(&self, location: Location) -> Option<&Chain> {
        let chains = self.chains.get(location.object.index())?;
        chains.iter().find(|chain| chain.part == location.part)
    }

    fn mix_access(&self, hash: u128, access: &Access, relation: Relation) -> u128 {
        let mode = mode_in(access, relation);
        let previous = match self.chain(access.location) {
            None => 0,
            Some(chain) => match chain.mode {
                Some(other) if other.commutes_with(mode) => chain.previous_hash,
                _ => chain.group_hash,
            },
        };
        mix_previous(hash, mode, previous)
    }
}

impl TaskHistory {
    /// The hash of everything the task has seen.
    fn hash(&self, hashes: &[u128]) -> u128 {
        match self.last {
            None => mix(u128::from(self.start), u64::from(self.index) << 32),
            Some(last) if self.event_count > 0 => hashes[last],
            Some(creator) => mix(hashes[creator], u64::from(self.index) << 32),
        }
    }
}

impl Chain {
    /// Begins a new group unless an access in this mode commutes with the present one.
    fn turn(&mut self, mode: Mode) {
        if !self.mode.is_some_and(|present| present.commutes_with(mode)) {
            self.mode = Some(mode);
            core::mem::swap(&mut self.previous, &mut self.group);
            self.group.clear();
            self.previous_hash = core::mem::take(&mut self.group_hash);
        }
    }
}

fn chain_mut(chains: &mut Vec<Vec<Chain>>, location: Location) -> &mut Chain {
    let object = location.object.index();
    if chains.len() <= object {
        chains.resize(object + 1, Vec::new());
    }
    let chains = &mut chains[object];
    let position = chains.iter().position(|chain| chain.part == location.part);
    let position = position.unwrap_or_else(|| {
        chains.push(Chain {
            part: location.part,
            ..Chain::default()
        });
        chains.len() - 1
    });
    &mut chains[position]
}

#[inline]
fn mode_in(access: &Access, relation: Relation) -> Mode {
    match relation {
        Relation::Regular => access.mode,
        Relation::Lazy => access.lazy,
    }
}

fn result_of(effects: &[(u32, Effect)]) -> Result {
    let own = effects
        .iter()
        .take_while(|(_, effect)| *effect != Effect::GoesOn);
    let found = own.into_iter().find_map(|(_, effect)| match effect {
        Effect::Granted(grant) => Some(Result::Granted(*grant)),
        Effect::LeavesUnchanged => Some(Result::LeftUnchanged),
        _ => None,
    });
    found.unwrap_or(Result::Granted(Grant::Done))
}

pub(crate) fn tag(op: &Op) -> u64 {
    let op = op.without_orders();
    1 + (op.kind as u64) + (u64::from(op.timed) << 8) + (u64::from(op.argument) << 16)
}

/// Mixes in the answer to a question. Waits that may end by themselves and weak failures are limited
/// in number for the execution as a whole: whether they are asked about depends on the order of
/// independent events, so that the ordinary answer counts as none.
fn tag_answer(tag: u64, choice: Choice) -> u64 {
    let question = match choice {
        Choice::SpuriousWake(false) | Choice::WeakFailure(false) => return tag,
        Choice::Task(_) | Choice::Datum { .. } => 0,
        Choice::Timeout(_) => 1,
        Choice::SpuriousWake(true) => 2,
        Choice::WeakFailure(true) => 3,
    };
    let answer = (u64::from(choice.answer()) << 2) + question + 1;
    (tag.rotate_left(7) ^ answer).wrapping_mul(LANES[0])
}

/// Odd numbers without pattern; fixed for ever, so that hashes can be compared between machines.
const LANES: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xd1b5_4a32_d192_ed03];

#[inline]
fn fold(one: u64, other: u64) -> u64 {
    let product = u128::from(one) * u128::from(other);
    (product as u64) ^ ((product >> 64) as u64)
}

/// Two lanes of folded multiplication.
#[inline]
pub(crate) fn mix(hash: u128, word: u64) -> u128 {
    let (low, high) = (hash as u64, (hash >> 64) as u64);
    let low_next = fold(low ^ word ^ LANES[0], high ^ LANES[1]);
    let high_next = fold(
        high ^ word.rotate_left(32) ^ LANES[1],
        low.rotate_left(17) ^ LANES[0],
    );
    u128::from(low_next) | u128::from(high_next) << 64
}

#[inline]
fn mix_previous(hash: u128, mode: Mode, previous: u128) -> u128 {
    let hash = mix(hash, previous as u64 ^ mode as u64);
    mix(hash, (previous >> 64) as u64)
}
