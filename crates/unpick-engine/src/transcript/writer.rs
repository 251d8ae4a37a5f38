//! Writes an execution down as events, transition by transition.

use super::event::{Event, Kind};
use super::stores::Waiting;
use super::survey::{created, is_end_seen, sections};
use super::{Answered, Deed, EventId, Place, Questions, TaskKey, Transcript, mix};
use crate::{Access, Execution, History, Location, Mode, footprint::CLOCK};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::{vec, vec::Vec};
use unpick_trace::{Choice, ObjectId, ObjectKind, Op, OpKind, Outcome, SiteId, Step, TaskId};

/// What an object that nobody has changed is: a version as good as any.
const UNCHANGED: u64 = 1;

/// The transition at hand.
#[derive(Clone, Copy)]
pub(super) struct Acting {
    pub(super) task: TaskId,
    ordinal: u32,
    step: usize,
    op: Op,
    is_pending: bool,
}

pub(super) struct Writer<'a> {
    pub(super) execution: &'a Execution,
    pub(super) acting: Acting,
    history: &'a History,
    pub(super) transcript: Transcript,
    /// By task: its name.
    pub(super) keys: Vec<TaskKey>,
    /// By task: a hash of all that it has seen.
    seen: Vec<u64>,
    /// By task: events so far.
    counts: Vec<u32>,
    /// Events of the transition at hand so far.
    part: u32,
    /// Where in the transcript they begin.
    first: usize,
    /// By transition: the tasks that it created.
    created: BTreeMap<usize, Vec<TaskId>>,
    /// By task: stores so far.
    pub(super) stores: Vec<u32>,
    pub(super) waiting: Vec<Waiting>,
    locations: BTreeMap<(ObjectId, u32), u32>,
    /// By location: the version at hand, or the value.
    pub(super) versions: Vec<u64>,
    /// By variable: what it held at first, as a number.
    initials: BTreeMap<ObjectId, u64>,
    /// Mutexes whose order of locking tells nothing.
    sections: BTreeSet<ObjectId>,
    /// Whether anybody looks whether a task has ended.
    is_end_seen: bool,
}

impl<'a> Writer<'a> {
    pub(super) fn new(execution: &'a Execution, history: &'a History) -> Writer<'a> {
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
            first: 0,
            created: created(execution, history),
            stores: vec![0; count],
            waiting: Vec::new(),
            locations: BTreeMap::new(),
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

    pub(super) fn write(&mut self, number: usize) {
        let event = self.history.events()[number];
        if let Some((owner, variable)) = self.execution.agent(event.task) {
            return self.write_flush(owner, variable);
        }
        let first = self.transcript.events.len();
        let task = event.task;
        (self.part, self.first) = (0, first);
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
        let asks = || {
            self.steps_of(number)
                .iter()
                .any(|step| !step.is_operation())
        };
        if self.transcript.events.len() == first && (!event.op.is_buffered() || asks()) {
            // Somebody has to do it before what comes next, though nobody notices. A question needs an event to come
            // behind, also where a store stays in its buffer.
            self.push(Kind::Fence, false);
        }
        self.write_answers(Some(number));
    }

    /// The events of the transition that was written last.
    pub(super) fn last_transition(&self) -> (EventId, EventId) {
        (self.first, self.transcript.events.len())
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
                if let Some(fence) = self.transcript.events.last_mut() {
                    fence.is_ordered = op.keeps_order();
                }
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

    /// What a transition touches besides. A channel is one thing: whether there is room in it or a message
    /// tells the order of all its uses.
    fn write_accesses(&mut self, accesses: &[Access]) {
        for (at, access) in accesses.iter().enumerate() {
            let Location { object, part } = access.location;
            let kind = self.execution.trace().objects[object.index()].kind;
            if kind == ObjectKind::Variable && part >= Location::ALONE {
                self.write_alone(access.location, &accesses[..at]);
                continue;
            }
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

    /// What a task does with a variable while it is alone; `before` is what the transition has touched.
    fn write_alone(&mut self, used: Location, before: &[Access]) {
        let task = self.acting.task;
        let location = self.location(used.object, Location::WHOLE);
        if used.part != Location::ALONE {
            let value = self.version(task);
            self.versions[location as usize] = value;
            return self.push(Kind::Write { location, value }, true);
        }
        // What it has written itself tells nothing.
        let is_own = |access: &Access| {
            access.location.object == used.object && access.location.part > Location::ALONE
        };
        if !before.iter().any(is_own) {
            let value = self.versions[location as usize];
            self.look(task, value);
            self.push(Kind::Read { location, value }, true);
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
            // Who plans from transcripts does not know time: see `Execution::has_awaited_clock`.
            _ if access.location == CLOCK => return,
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
        // Who waits for a mutex does not see who had it before.
        let is_blind = matches!(op.kind, OpKind::Lock | OpKind::Unlock) && !op.timed;
        if kind != ObjectKind::Mutex || part != Location::WHOLE || !is_blind {
            self.look(task, read);
        }
        let drains = match op.kind {
            OpKind::OnceRead => op.argument & Op::WAITS != 0,
            OpKind::TryJoin | OpKind::Enter => false,
            _ => true,
        };
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

    pub(super) fn write_answers(&mut self, number: Option<usize>) {
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
        let event = number.map(|_| self.first);
        let mut questions = Questions::default();
        for step in steps.iter().filter(|step| !step.is_operation()) {
            let answer = step.choice.answer();
            self.look(task, u64::from(answer));
            self.transcript.answers.push(Answered {
                place: Place {
                    task: self.keys.get(task.index()).copied().unwrap_or_default(),
                    ordinal,
                    part: questions.next_part(step.choice),
                },
                answer,
                count: step.choice.answer_count(),
                event,
            });
        }
    }

    /// Which event ended the process, if it ended while tasks may have had more to do, and where these were.
    pub(super) fn write_end(&mut self) {
        let Some(last) = self.history.events().last() else {
            return;
        };
        if !self.execution.is_cut_short() || last.op.kind != OpKind::End {
            return;
        }
        let deed = Deed::Act {
            task: self.keys[last.task.index()],
            ordinal: last.ordinal,
        };
        let mut deeds = self.transcript.deeds.iter();
        self.transcript.end = deeds.rposition(|&one| one == deed);
        for index in 0..self.execution.task_count() {
            let task = TaskId(index as u32);
            if self.execution.is_pending(task) && !self.execution.is_agent(task) {
                self.transcript.cut_off.push(Place {
                    task: self.keys[index],
                    ordinal: self.history.event_count_of(task),
                    part: Place::CUT_OFF,
                });
            }
        }
    }

    /// Whether what a task was about to do counts: who waits for the end of a task that has not ended waits
    /// for something that has not happened.
    fn is_told(&self, task: TaskId, op: &Op) -> bool {
        let joined = self.execution.task_of(op.object);
        let has_ended = || joined.is_some_and(|joined| !self.execution.is_pending(joined));
        let is_join = op.kind == OpKind::Join;
        let is_ready = self.transcript.end.is_some() && has_ended();
        !self.execution.is_agent(task) && (!is_join || is_ready)
    }

    /// What tasks were about to do. What they would see is what is there at the end.
    pub(super) fn write_pending(&mut self) {
        let is_deadlock = matches!(self.execution.outcome(), Some(Outcome::Deadlock(_)));
        let tasks = (0..self.execution.task_count() as u32).map(TaskId);
        for task in tasks.filter(|&task| self.execution.is_pending(task)) {
            let op = self.execution.pending_op(task);
            if !self.is_told(task, &op) {
                continue;
            }
            let first = self.transcript.events.len();
            (self.part, self.first) = (0, first);
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
        let continues = self.transcript.events.len() > self.first;
        self.transcript.events.push(Event {
            drains,
            continues,
            ..event
        });
        self.transcript.places.push(place);
        self.transcript.steps.push(self.acting.step);
        self.transcript.plain.push(self.plain_site());
        self.transcript.deeds.push(Deed::Act {
            task: place.task,
            ordinal: place.ordinal,
        });
    }

    /// The number of the place in the program if a plain access is at hand.
    pub(super) fn plain_site(&self) -> u64 {
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
    pub(super) fn next_place(&mut self) -> (Place, u32) {
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
