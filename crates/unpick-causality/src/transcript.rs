//! An execution as events of the causal model, with names that other executions of the program understand.
//!
//! | what happens | event |
//! |---|---|
//! | an atomic of a known value is accessed | a read, a write, or both at once, of that value |
//! | a cell, data inside a mutex, an atomic that is no number | the same, of a *version* |
//! | a mutex is acquired and released | `Lock`, `Unlock` |
//! | a task is created, joined, waits for its store buffer | `Fork`, `Join`, `Fence` |
//! | a store leaves its buffer | the write, in the place of its store |
//! | anything else | a read and write at once of the version of each part that it touches |
//!
//! The *version* of something is told by who changed it last and everything this task had seen until then:
//! equal versions are equal contents, in all executions. So what has no kind of its own in the model, such as
//! a channel, is explored as well, in every order that there is.
//!
//! What tasks were about to do when an execution ended too early is told as well, as *pending* events: another
//! order may get further.
//!
//! Two uses of a mutex tell more than that it was free, and make it such a thing, too: an attempt to lock
//! it that can fail, and holding it while waiting for anything but another mutex, which may be a deadlock.

use crate::event::{Event, EventId, Kind};
use std::collections::{BTreeMap, HashMap, HashSet};
use unpick_engine::{Access, Execution, History, Location, Mode};
use unpick_trace::{Choice, ObjectId, ObjectKind, Op, OpKind, Outcome, SiteId, Step, TaskId};

/// A task, by who created it and how many that one had created before; the same in all executions.
pub type TaskKey = u64;

/// Where a task does something: its transition, from 0, and which event or answer within it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The task.
    pub task: TaskKey,
    /// Its transition.
    pub ordinal: u32,
    /// The event within the transition; answers to questions are counted from [`Place::ANSWERS`] on.
    pub part: u32,
}

impl Place {
    /// The number of the first answer within a transition.
    pub const ANSWERS: u32 = 1 << 16;
    /// The transition of what happens before the first one.
    pub const BEFORE: u32 = u32::MAX;
}

/// What a schedule has to do for an event to happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Deed {
    /// A task performs its transition of this number.
    Act {
        /// Who.
        task: TaskKey,
        /// Which one.
        ordinal: u32,
    },
    /// The store of this number leaves the buffer of a task.
    Flush {
        /// Whose.
        task: TaskKey,
        /// Which one.
        number: u32,
    },
}

/// A question that was answered within a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answered {
    /// Where.
    pub place: Place,
    /// The answer.
    pub answer: u32,
    /// How many there were to choose from.
    pub count: u32,
    /// An event of the transition; none before the first one.
    pub event: Option<EventId>,
}

/// The events of an execution.
#[derive(Clone, Debug, Default)]
pub struct Transcript {
    /// In the order in which they took effect.
    pub events: Vec<Event>,
    /// By event: where.
    pub places: Vec<Place>,
    /// By event: what makes it happen.
    pub deeds: Vec<Deed>,
    /// By event: the step of the trace; of a store, where it was performed.
    pub steps: Vec<usize>,
    /// By event: a number for the place in the program of a plain access, the same in all executions; zero for
    /// everything else.
    pub plain: Vec<u64>,
    /// By location: what it holds in the beginning.
    pub initial: Vec<Option<u64>>,
    /// The questions, in order.
    pub answers: Vec<Answered>,
    /// How many of the events happened; the others were about to.
    pub performed: usize,
    /// Of the others, those that may be possible in an order of the same events.
    pub possible: Vec<EventId>,
}

/// What an object that nobody has changed is: a version as good as any.
const UNCHANGED: u64 = 1;

impl Transcript {
    /// The events of an execution that was watched and has ended.
    pub fn new(execution: &Execution) -> Transcript {
        let mut history = History::new(&[]);
        history.extend(execution);
        let mut writer = Writer::new(execution, &history);
        writer.write_answers(None);
        for number in 0..history.events().len() {
            writer.write(number);
        }
        writer.write_waiting_stores();
        writer.transcript.performed = writer.transcript.events.len();
        if execution.outcome() != Some(&Outcome::Pass) {
            writer.write_pending();
        }
        writer.transcript
    }

    /// What the reads have seen, how questions were answered and which locks were taken, in the order of
    /// places.
    pub fn reads(&self) -> BTreeMap<Place, u64> {
        let events = self.events[..self.performed].iter().zip(&self.places);
        let reads =
            events.map(|(event, &place)| (place, event.reads().map_or(0, |(_, value)| value)));
        let answers = self.answers.iter();
        reads
            .chain(answers.map(|one| (one.place, u64::from(one.answer))))
            .collect()
    }
}

/// A store that waits in its buffer.
struct Waiting {
    owner: TaskId,
    variable: ObjectId,
    number: u32,
    event: Event,
    place: Place,
    step: usize,
    plain: u64,
}

/// The transition at hand.
#[derive(Clone, Copy)]
struct Acting {
    task: TaskId,
    ordinal: u32,
    step: usize,
    op: Op,
    is_pending: bool,
}

struct Writer<'a> {
    execution: &'a Execution,
    acting: Acting,
    history: &'a History,
    transcript: Transcript,
    /// By task: its name.
    keys: Vec<TaskKey>,
    /// By task: a hash of all that it has seen.
    seen: Vec<u64>,
    /// By task: events so far.
    counts: Vec<u32>,
    /// Events of the transition at hand so far.
    part: u32,
    /// By transition: the tasks that it created.
    created: HashMap<usize, Vec<TaskId>>,
    /// By task: stores so far.
    stores: Vec<u32>,
    waiting: Vec<Waiting>,
    locations: HashMap<(ObjectId, u32), u32>,
    /// By location: the version at hand, or the value.
    versions: Vec<u64>,
    /// By variable: what it held at first, as a number.
    initials: HashMap<ObjectId, u64>,
    /// Mutexes whose order of locking tells nothing.
    sections: HashSet<ObjectId>,
    /// Whether anybody looks whether a task has ended.
    is_end_seen: bool,
}

impl<'a> Writer<'a> {
    fn new(execution: &'a Execution, history: &'a History) -> Writer<'a> {
        let count = execution.task_count();
        let mut keys: Vec<TaskKey> = Vec::new();
        for info in &execution.trace().tasks {
            let parent = keys.get(info.parent.index()).copied().unwrap_or_default();
            keys.push(mix(parent, u64::from(info.index) + 1));
        }
        let acting = Acting {
            task: TaskId::MAIN,
            ordinal: Place::BEFORE,
            step: 0,
            op: Op::new(OpKind::Yield, ObjectId::NONE),
            is_pending: false,
        };
        Writer {
            execution,
            acting,
            history,
            transcript: Transcript::default(),
            seen: keys.clone(),
            keys,
            counts: vec![0; count],
            part: 0,
            created: created(execution, history),
            stores: vec![0; count],
            waiting: Vec::new(),
            locations: HashMap::new(),
            versions: Vec::new(),
            initials: execution.initials().iter().copied().collect(),
            sections: sections(execution),
            is_end_seen: is_end_seen(execution, history),
        }
    }

    fn steps_of(&self, number: usize) -> &'a [Step] {
        let events = self.history.events();
        let steps = &self.execution.trace().steps;
        let end = events.get(number + 1).map_or(steps.len(), |next| next.step);
        &steps[events[number].step..end]
    }

    fn write(&mut self, number: usize) {
        let event = self.history.events()[number];
        if let Some((owner, variable)) = self.execution.agent(event.task) {
            return self.write_flush(owner, variable);
        }
        let first = self.transcript.events.len();
        let task = event.task;
        self.part = 0;
        self.acting = Acting {
            task,
            ordinal: event.ordinal,
            step: event.step,
            op: event.op,
            is_pending: false,
        };
        self.look(task, u64::from(event.op.kind as u8));
        for (at, step) in self.steps_of(number).iter().enumerate() {
            if step.is_operation() && step.task == task {
                let step_number = event.step + at;
                let stored = event.stored.filter(|_| at == 0);
                let is_refused = event.is_refused && at == 0;
                self.write_operation(step, step_number, stored, is_refused);
            }
        }
        self.write_accesses(self.history.accesses(number));
        for created in self.created.remove(&number).unwrap_or_default() {
            self.seen[created.index()] = mix(self.keys[created.index()], self.seen[task.index()]);
            self.push(Kind::Fork { task: created.0 }, true);
        }
        if self.transcript.events.len() == first && !event.op.is_buffered() {
            // Somebody has to do it before what comes next, though nobody notices.
            self.push(Kind::Fence, false);
        }
        self.write_answers(Some(number));
    }

    /// What an operation does whose object has a kind of its own in the model.
    fn write_operation(
        &mut self,
        step: &Step,
        step_number: usize,
        stored: Option<u64>,
        is_refused: bool,
    ) {
        let op = step.op;
        let kind = |writer: &Writer<'_>| writer.execution.trace().objects[op.object.index()].kind;
        match op.kind {
            OpKind::Join => {
                let joined = self.execution.task_of(op.object);
                let joined = joined.expect("internal error: a join of what is no task");
                self.look(step.task, self.seen[joined.index()]);
                self.push(Kind::Join { task: joined.0 }, true);
            }
            OpKind::Fence | OpKind::Drain => {
                let drains = op.kind == OpKind::Drain;
                self.push(Kind::Fence, drains);
            }
            OpKind::Lock | OpKind::Unlock if self.sections.contains(&op.object) => {
                let lock = self.location(op.object, Location::WHOLE);
                let kind = match op.kind {
                    OpKind::Lock => Kind::Lock { lock },
                    _ => Kind::Unlock { lock },
                };
                self.push(kind, true);
            }
            _ if op.object != ObjectId::NONE && kind(self) == ObjectKind::Variable => {
                self.write_variable(step, step_number, stored, is_refused);
            }
            _ => {}
        }
    }

    fn write_variable(
        &mut self,
        step: &Step,
        step_number: usize,
        stored: Option<u64>,
        is_refused: bool,
    ) {
        let (op, task) = (step.op, step.task);
        let location = self.location(op.object, Location::WHOLE);
        let is_number = self.initials.contains_key(&op.object);
        let is_relaxed = self.execution.is_relaxed();
        let reads = op.kind != OpKind::Store;
        let writes = !matches!(op.kind, OpKind::Load | OpKind::PlainRead) && !is_refused;
        let read = match is_number && !self.acting.is_pending {
            true => step.value,
            false => self.visible(task, location),
        };
        if reads {
            self.look(task, read);
        }
        let written = match stored.filter(|_| is_number) {
            Some(value) => value,
            None if is_number && op.is_buffered() && !self.acting.is_pending => step.value,
            None => self.version(task),
        };
        let value = read;
        if op.is_buffered() {
            if reads {
                self.push(Kind::Read { location, value }, false);
            }
            let value = written;
            return self.wait(op, Kind::Write { location, value }, step_number);
        }
        let kind = match (reads, writes) {
            (true, true) => Kind::ReadModifyWrite {
                location,
                read,
                written,
            },
            (false, true) => Kind::Write {
                location,
                value: written,
            },
            _ => Kind::Read { location, value },
        };
        let is_plain = matches!(
            op.kind,
            OpKind::Load | OpKind::PlainRead | OpKind::PlainWrite
        );
        self.push(kind, !is_plain && is_relaxed);
        if writes && !self.acting.is_pending {
            self.versions[location as usize] = written;
        }
    }

    /// A store goes into the buffer of its task.
    fn wait(&mut self, op: Op, kind: Kind, step: usize) {
        let task = self.acting.task;
        let (place, position) = self.next_place();
        let made = Event::new(task.0, position, kind);
        let ordered = op.argument & Op::ORDERED != 0;
        let stores = &mut self.stores[task.index()];
        *stores += 1;
        self.waiting.push(Waiting {
            owner: task,
            variable: op.object,
            number: *stores - 1,
            event: if ordered { made.ordered() } else { made },
            place,
            step,
            plain: self.plain_site(),
        });
    }

    fn write_flush(&mut self, owner: TaskId, variable: Option<ObjectId>) {
        let is_it = |one: &Waiting| {
            one.owner == owner && variable.is_none_or(|variable| one.variable == variable)
        };
        let found = self.waiting.iter().position(is_it);
        let found = found.expect("internal error: a flush of what was not stored");
        let waiting = self.waiting.remove(found);
        self.let_out(waiting);
    }

    fn let_out(&mut self, waiting: Waiting) {
        if let Kind::Write { location, value } = waiting.event.kind {
            self.versions[location as usize] = value;
        }
        self.transcript.events.push(waiting.event);
        self.transcript.places.push(waiting.place);
        self.transcript.steps.push(waiting.step);
        self.transcript.plain.push(waiting.plain);
        self.transcript.deeds.push(Deed::Flush {
            task: self.keys[waiting.owner.index()],
            number: waiting.number,
        });
    }

    /// An execution that ended early has left stores in buffers, which can leave them any time.
    fn write_waiting_stores(&mut self) {
        for waiting in std::mem::take(&mut self.waiting) {
            self.let_out(waiting);
        }
    }

    /// What a task sees of a location: its newest own store that waits, or what all see.
    fn visible(&self, task: TaskId, location: u32) -> u64 {
        let own = self.waiting.iter().rev().filter(|one| one.owner == task);
        let values = own.filter_map(|one| one.event.writes());
        let mut values = values.filter(|(at, _)| *at == location);
        let newest = values.next().map(|(_, value)| value);
        newest.unwrap_or(self.versions[location as usize])
    }

    /// What a transition touches besides. A channel is one thing: whether there is room in it or a message
    /// tells the order of all its uses.
    fn write_accesses(&mut self, accesses: &[Access]) {
        for (at, access) in accesses.iter().enumerate() {
            let Location { object, .. } = access.location;
            let kind = self.execution.trace().objects[object.index()].kind;
            if kind != ObjectKind::Channel {
                self.write_access(access);
                continue;
            }
            let mut others = accesses.iter().filter(|one| one.location.object == object);
            let is_read = others.clone().all(|one| one.mode == Mode::Read);
            let is_first = others.next() == Some(&accesses[at]);
            if is_first {
                let part = Location::WHOLE;
                self.write_access(&Access {
                    location: Location { object, part },
                    mode: if is_read { Mode::Read } else { Mode::Write },
                    lazy: access.lazy,
                });
            }
        }
    }

    /// What an operation or effect touches that has no kind of its own in the model.
    fn write_access(&mut self, access: &Access) {
        let Location { object, part } = access.location;
        let Acting {
            task,
            op,
            is_pending,
            ..
        } = self.acting;
        let kind = self.execution.trace().objects[object.index()].kind;
        let is_read = match (kind, part) {
            (ObjectKind::Variable | ObjectKind::Buffer, _) => return,
            (ObjectKind::Mutex, Location::WHOLE) if self.sections.contains(&object) => return,
            (ObjectKind::Task, Location::END) => {
                let is_join = op.kind == OpKind::Join && op.object == object;
                if is_join || !self.is_end_seen {
                    return;
                }
                access.mode == Mode::Read
            }
            _ => access.mode == Mode::Read,
        };
        let location = self.location(object, part);
        let read = self.versions[location as usize];
        self.look(task, read);
        let drains = !matches!(op.kind, OpKind::OnceRead | OpKind::Enter);
        if is_read {
            self.push(
                Kind::Read {
                    location,
                    value: read,
                },
                drains,
            );
            return;
        }
        let written = self.version(task);
        if !is_pending {
            self.versions[location as usize] = written;
        }
        let kind = Kind::ReadModifyWrite {
            location,
            read,
            written,
        };
        self.push(kind, drains);
    }

    fn write_answers(&mut self, number: Option<usize>) {
        let (steps, task, ordinal) = match number {
            Some(number) => {
                let event = self.history.events()[number];
                (self.steps_of(number), event.task, event.ordinal)
            }
            None => {
                let first = self.history.events().first();
                let steps = &self.execution.trace().steps;
                let end = first.map_or(steps.len(), |first| first.step);
                (&steps[..end], TaskId::MAIN, Place::BEFORE)
            }
        };
        let event = number.and(self.transcript.events.len().checked_sub(1));
        let questions = steps.iter().filter(|step| !step.is_operation());
        for (at, step) in questions.enumerate() {
            let answer = step.choice.answer();
            self.look(task, u64::from(answer));
            self.transcript.answers.push(Answered {
                place: Place {
                    task: self.keys.get(task.index()).copied().unwrap_or_default(),
                    ordinal,
                    part: Place::ANSWERS + at as u32,
                },
                answer,
                count: step.choice.answer_count(),
                event,
            });
        }
    }

    /// What tasks were about to do. What they would see is what is there at the end.
    fn write_pending(&mut self) {
        let is_deadlock = matches!(self.execution.outcome(), Some(Outcome::Deadlock(_)));
        let tasks = (0..self.execution.task_count() as u32).map(TaskId);
        for task in tasks.filter(|&task| self.execution.is_pending(task)) {
            let op = self.execution.pending_op(task);
            if self.execution.is_agent(task) || op.kind == OpKind::Join {
                continue;
            }
            let first = self.transcript.events.len();
            self.part = 0;
            self.acting = Acting {
                task,
                ordinal: self.history.event_count_of(task),
                step: self.execution.trace().steps.len(),
                op,
                is_pending: true,
            };
            let step = Step::new(Choice::Task(task), task, op, SiteId::UNKNOWN);
            self.write_operation(&step, self.acting.step, None, false);
            let mut accesses = Vec::new();
            self.history
                .add_pending(self.execution, task, &mut accesses);
            self.write_accesses(&accesses);
            if self.transcript.events.len() == first && !op.is_buffered() {
                self.push(Kind::Fence, false);
            }
            // What waits for anything but a lock waits for something that has not happened.
            let is_lock = matches!(
                self.transcript.events.get(first).map(|event| event.kind),
                Some(Kind::Lock { .. })
            );
            if is_lock || !is_deadlock {
                self.transcript
                    .possible
                    .extend(first..self.transcript.events.len());
            }
        }
        let stores = self.transcript.events.len();
        self.write_waiting_stores();
        self.transcript
            .possible
            .extend(stores..self.transcript.events.len());
    }

    fn push(&mut self, kind: Kind, drains: bool) {
        let (place, position) = self.next_place();
        let event = Event::new(self.acting.task.0, position, kind);
        self.transcript.events.push(Event { drains, ..event });
        self.transcript.places.push(place);
        self.transcript.steps.push(self.acting.step);
        self.transcript.plain.push(self.plain_site());
        self.transcript.deeds.push(Deed::Act {
            task: place.task,
            ordinal: place.ordinal,
        });
    }

    /// The number of the place in the program if a plain access is at hand.
    fn plain_site(&self) -> u64 {
        let is_plain = matches!(self.acting.op.kind, OpKind::PlainRead | OpKind::PlainWrite);
        let step = self.execution.trace().steps.get(self.acting.step);
        let site = step.and_then(|step| self.execution.trace().site(step.site));
        site.filter(|_| is_plain).map_or(0, |site| {
            let file = site
                .file
                .bytes()
                .fold(1, |hash, byte| mix(hash, byte.into()));
            mix(mix(file, site.line.into()), site.column.into()) | 1
        })
    }

    /// The name of the next event of a transition, and its place in the program order of the task.
    fn next_place(&mut self) -> (Place, u32) {
        let Acting { task, ordinal, .. } = self.acting;
        let count = &mut self.counts[task.index()];
        let position = *count;
        *count += 1;
        let place = Place {
            task: self.keys[task.index()],
            ordinal,
            part: self.part,
        };
        self.part += 1;
        (place, position)
    }

    /// The number of a part of an object.
    fn location(&mut self, object: ObjectId, part: u32) -> u32 {
        let next = self.versions.len() as u32;
        let location = *self.locations.entry((object, part)).or_insert(next);
        if location == next {
            let initial = match part {
                Location::WHOLE => self.initials.get(&object).copied(),
                _ => None,
            };
            let initial = initial.unwrap_or(UNCHANGED);
            self.versions.push(initial);
            self.transcript.initial.push(Some(initial));
        }
        location
    }

    /// What a task makes of something now.
    fn version(&self, task: TaskId) -> u64 {
        mix(
            self.seen[task.index()],
            u64::from(self.counts[task.index()]),
        )
    }

    /// A task sees something.
    fn look(&mut self, task: TaskId, value: u64) {
        let seen = &mut self.seen[task.index()];
        *seen = mix(*seen, value);
    }
}

/// The mutexes that are acquired and released and nothing else, and never held while waiting for something
/// that is no mutex.
fn sections(execution: &Execution) -> HashSet<ObjectId> {
    let objects = execution.trace().objects.iter().enumerate();
    let mutexes = objects.filter(|(_, info)| info.kind == ObjectKind::Mutex);
    let mut sections: HashSet<ObjectId> = mutexes.map(|(at, _)| ObjectId(at as u32)).collect();
    let mut held: Vec<Vec<ObjectId>> = vec![Vec::new(); execution.task_count()];
    let pending = (0..execution.task_count() as u32).map(TaskId);
    let pending = pending.filter(|&task| execution.is_pending(task));
    let pending: Vec<_> = pending
        .map(|task| (task, execution.pending_op(task)))
        .collect();
    let performed = execution
        .trace()
        .operations()
        .map(|step| (step.task, step.op));
    for (task, op) in performed.chain(pending) {
        let held = &mut held[task.index()];
        match op.kind {
            OpKind::Lock if !op.timed => held.push(op.object),
            OpKind::Lock | OpKind::TryLock => {
                sections.remove(&op.object);
            }
            OpKind::Unlock => held.retain(|&one| one != op.object),
            kind if waits(kind) => {
                for mutex in held {
                    sections.remove(mutex);
                }
            }
            _ => {}
        }
    }
    sections
}

/// The tasks with a program that each transition created.
fn created(execution: &Execution, history: &History) -> HashMap<usize, Vec<TaskId>> {
    let mut created: HashMap<usize, Vec<TaskId>> = HashMap::new();
    let tasks = (0..execution.task_count() as u32).map(TaskId);
    for task in tasks.filter(|&task| !execution.is_agent(task)) {
        if let Some(number) = history.creator_of(task) {
            created.entry(number).or_default().push(task);
        }
    }
    created
}

/// Whether an operation may have to wait for others, besides for a mutex.
fn waits(kind: OpKind) -> bool {
    use OpKind::*;
    matches!(
        kind,
        Join | ReadLock
            | WriteLock
            | Wait
            | Acquire
            | BarrierWait
            | OnceEnter
            | Send
            | Receive
            | Park
    )
}

/// Whether anybody looks whether a task has ended, without waiting for that.
fn is_end_seen(execution: &Execution, history: &History) -> bool {
    (0..history.events().len()).any(|number| {
        let op = history.events()[number].op;
        history.accesses(number).iter().any(|access| {
            let Location { object, part } = access.location;
            let is_join = op.kind == OpKind::Join && op.object == object;
            let kind = execution.trace().objects[object.index()].kind;
            kind == ObjectKind::Task
                && part == Location::END
                && access.mode == Mode::Read
                && !is_join
        })
    })
}

/// Two numbers as one without visible structure: splitmix64.
pub(crate) fn mix(first: u64, second: u64) -> u64 {
    let mut word = first.rotate_left(17) ^ second.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for factor in [0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb] {
        word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
        word = (word ^ (word >> 30)).wrapping_mul(factor);
        word ^= word >> 27;
    }
    word ^ (word >> 31)
}
