//! What a front end has told of an execution, so that it can be performed again without the program.
//!
//! What a task does until its next operation follows from what it has seen. So in every order of the
//! transitions in which all tasks see the same, the front end makes the same calls within each of them,
//! but for the numbers of tasks and objects, which follow the order. This does not hold for time, nor for
//! the limits on spurious wakes and weak failures: who performs an execution in another order has to
//! compare what comes of it.

use crate::{Decision, Effect, Execution, Settings, Shape, Strategy, Timer, model::Class};
use alloc::{vec, vec::Vec};
use unpick_trace::{Choice, Failure, ObjectId, Op, Outcome, SiteId, TaskId};

/// A call of the front end that the model or those who watch learn something from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Call {
    AddTask {
        parent: Option<TaskId>,
        task: TaskId,
        object: ObjectId,
    },
    AddObject {
        object: ObjectId,
        shape: Shape,
        task: TaskId,
    },
    Announce(TaskId, Op, SiteId),
    Note(Effect),
    Finish(TaskId),
    PerformAtOnce(TaskId),
    Ask(TaskId, Choice),
    FailWeakly(TaskId),
    Enlist(TaskId, ObjectId),
    PreparePark(TaskId),
    SetTimer(TaskId, Timer),
    AddSender(ObjectId),
    Provide(ObjectId, u32),
    IntendToWait(TaskId, ObjectId),
    Buffer {
        task: TaskId,
        buffer: ObjectId,
        agent: TaskId,
        value: u64,
    },
}

/// What is kept of a transition.
#[derive(Clone, Copy, Debug)]
struct Transition {
    task: TaskId,
    /// Calls before it.
    calls: u32,
    /// The value that its operation gave.
    value: u64,
    /// Whether its operation left everything as it was.
    is_idle: bool,
}

/// An execution that has ended, as its front end told it.
#[derive(Clone, Debug)]
pub struct Recording {
    settings: Settings,
    calls: Vec<Call>,
    transitions: Vec<Transition>,
    /// By object: what it was made as; `None` if it stands for a task.
    shapes: Vec<Option<Shape>>,
    task_count: usize,
    /// The answers to questions, in order.
    answers: Vec<u32>,
    failure: Option<Failure>,
    /// Whether the program ended as a whole with the last transition, although tasks could go on.
    is_exit: bool,
}

// Who keeps many recordings counts their calls.
const _: () = assert!(size_of::<Call>() <= 32);

impl Execution {
    /// Keeps the calls of the front end, from the next execution on.
    pub fn keep_calls(&mut self, is_recording: bool) {
        self.watch.is_recording = is_recording;
    }

    #[inline]
    pub(crate) fn record(&mut self, call: Call) {
        if self.watch.is_recording {
            self.record_call(call);
        }
    }

    /// When the execution is over, tasks unwind, which is not part of it.
    #[cold]
    fn record_call(&mut self, call: Call) {
        if self.outcome.is_none() {
            self.watch.calls.push(call);
        }
    }

    /// What the front end told of this execution. `None` if that was not kept, or if the execution did
    /// not come to an end of its own.
    pub fn recording(&self) -> Option<Recording> {
        let failure = match self.outcome()? {
            Outcome::Fail(failure) => Some(failure.clone()),
            Outcome::Pass | Outcome::Deadlock(_) | Outcome::StepLimit { .. } => None,
            Outcome::Cut | Outcome::Diverged(_) => return None,
        };
        if !self.watch.is_recording {
            return None;
        }
        let transitions = self.watch.transitions.iter().map(|start| {
            let step = &self.trace.steps[start.steps as usize];
            Transition {
                task: step.task,
                calls: start.calls,
                value: step.value,
                is_idle: start.is_idle,
            }
        });
        let asked = self.trace.steps.iter().filter(|step| !step.is_operation());
        // What is recorded has no more operations than the step limit.
        let settings = Settings {
            patience: 1,
            ..*self.settings()
        };
        Some(Recording {
            settings,
            transitions: transitions.collect(),
            calls: self.watch.calls.clone(),
            shapes: self.shapes(),
            task_count: self.task_count(),
            answers: asked.map(|step| step.choice.answer()).collect(),
            is_exit: self.has_exited(),
            failure,
        })
    }
}

impl Execution {
    /// By object: what it was made as.
    fn shapes(&self) -> Vec<Option<Shape>> {
        let mut shapes = vec![None; self.trace.objects.len()];
        for call in &self.watch.calls {
            if let Call::AddObject { object, shape, .. } = call {
                shapes[object.index()] = Some(*shape);
            }
        }
        shapes
    }
}

impl Recording {
    /// The settings of the execution.
    pub fn settings(&self) -> Settings {
        self.settings
    }

    /// The tasks that acted, in order, by their numbers in the execution.
    pub fn tasks(&self) -> impl Iterator<Item = TaskId> + '_ {
        self.transitions.iter().map(|transition| transition.task)
    }

    /// The answers that were given to questions, in order.
    pub fn answers(&self) -> &[u32] {
        &self.answers
    }

    /// How many calls it consists of: a measure of the memory that it takes.
    pub fn call_count(&self) -> usize {
        self.calls.len()
    }

    /// Performs it again under a strategy that chooses the order. Answers whether all of it was
    /// performed, and nothing else.
    pub fn perform(&self, execution: &mut Execution, strategy: &mut dyn Strategy) -> bool {
        execution.watch(true);
        execution.keep_calls(false);
        execution.reset();
        let mut again = Again {
            recording: self,
            tasks: Vec::new(),
            renamed: vec![None; self.task_count],
            objects: vec![None; self.shapes.len()],
            positions: vec![0; self.task_count],
        };
        again.make_calls(None, execution, strategy);
        while let Decision::Run(task) = execution.decide(strategy) {
            let Some(transition) = again.next_of(task) else {
                return false;
            };
            again.tell_value(transition, task, execution);
            again.make_calls(Some(transition), execution, strategy);
            if transition + 1 == self.transitions.len() {
                self.end(execution);
            }
        }
        let is_stopped = matches!(
            execution.outcome(),
            Some(Outcome::Cut | Outcome::Diverged(_))
        );
        // Agents act without the front end.
        !is_stopped && execution.transition_count() == self.transitions.len()
    }
}

impl Recording {
    /// Ends an execution after the last transition, unless it ends by itself.
    fn end(&self, execution: &mut Execution) {
        if let Some(failure) = &self.failure {
            execution.fail(failure.clone());
        } else if self.is_exit {
            execution.exit_among_others();
        }
    }
}

/// A recording that is being performed again.
struct Again<'a> {
    recording: &'a Recording,
    /// By task: its number in the recording.
    tasks: Vec<usize>,
    /// By task of the recording.
    renamed: Vec<Option<TaskId>>,
    /// By object of the recording.
    objects: Vec<Option<ObjectId>>,
    /// By task of the recording: transitions up to its last one.
    positions: Vec<usize>,
}

impl Again<'_> {
    /// The next transition of a task, if there is one more.
    fn next_of(&mut self, task: TaskId) -> Option<usize> {
        let recorded = *self.tasks.get(task.index())?;
        let position = &mut self.positions[recorded];
        let rest = &self.recording.transitions[*position..];
        let next = rest.iter().position(|one| one.task.index() == recorded)?;
        *position += next + 1;
        Some(*position - 1)
    }

    /// Tells what came of the operation that a transition begins with.
    fn tell_value(&self, transition: usize, task: TaskId, execution: &mut Execution) {
        let told = &self.recording.transitions[transition];
        let is_variable = matches!(
            Class::of(execution.pending_op(task)),
            Class::Variable | Class::Idle
        );
        if is_variable || told.is_idle {
            execution.observe(task, told.value, !told.is_idle);
        } else if let Some(step) = execution.trace.steps.last_mut() {
            step.value = told.value;
        }
    }

    /// Makes the calls of a transition, or those before the first one.
    fn make_calls(
        &mut self,
        transition: Option<usize>,
        execution: &mut Execution,
        strategy: &mut dyn Strategy,
    ) {
        let recording = self.recording;
        let start_of = |transition: usize| {
            let next = recording.transitions.get(transition);
            next.map_or(recording.calls.len(), |next| next.calls as usize)
        };
        let start = transition.map_or(0, start_of);
        let end = start_of(transition.map_or(0, |transition| transition + 1));
        for call in &recording.calls[start..end] {
            self.make_call(*call, execution, strategy);
        }
    }

    fn make_call(&mut self, call: Call, execution: &mut Execution, strategy: &mut dyn Strategy) {
        match call {
            Call::AddTask {
                parent,
                task,
                object,
            } => {
                let parent = parent.map(|parent| self.task(parent));
                let renamed = execution.add_task(parent);
                self.tasks.push(task.index());
                self.renamed[task.index()] = Some(renamed);
                self.objects[object.index()] = Some(execution.object_of(renamed));
            }
            Call::AddObject { object, task, .. } => {
                self.object(object, task, execution);
            }
            Call::Announce(task, op, site) => {
                let object = self.object(op.object, task, execution);
                execution.announce_at(self.task(task), Op { object, ..op }, site);
            }
            Call::Note(effect) => {
                let effect = self.effect(effect, execution);
                execution.note(effect);
            }
            Call::Finish(task) => execution.finish(self.task(task)),
            Call::PerformAtOnce(task) => {
                execution.perform_at_once(self.task(task), strategy);
            }
            Call::Ask(task, question) => {
                execution.ask(self.task(task), question, strategy);
            }
            Call::FailWeakly(task) => {
                execution.weak_failure(self.task(task), strategy);
            }
            Call::Enlist(task, condvar) => {
                let condvar = self.object(condvar, task, execution);
                execution.enlist(self.task(task), condvar, strategy);
            }
            Call::PreparePark(task) => {
                execution.prepare_park(self.task(task), strategy);
            }
            Call::SetTimer(task, timer) => execution.set_timer(self.task(task), timer),
            Call::AddSender(channel) => {
                let channel = self.object_of_running(channel, execution);
                execution.add_sender(channel);
            }
            Call::Provide(semaphore, count) => {
                let semaphore = self.object_of_running(semaphore, execution);
                execution.provide(semaphore, count);
            }
            Call::IntendToWait(task, condvar) => {
                let condvar = self.object(condvar, task, execution);
                execution.intend_to_wait(self.task(task), condvar);
            }
            Call::Buffer {
                task,
                buffer,
                agent,
                value,
            } => {
                // What tasks see is in the recording, so that the words are of no use.
                let owner = self.task(task);
                let variable = execution.pending_op(owner).object;
                execution.buffer_store(owner, 0, 0, value);
                self.objects[buffer.index()] = execution.buffer_of(owner);
                self.renamed[agent.index()] = execution.agent_for(owner, variable);
                if self.tasks.len() < execution.task_count() {
                    self.tasks.push(agent.index());
                }
            }
        }
    }

    fn task(&self, recorded: TaskId) -> TaskId {
        self.renamed[recorded.index()]
            .expect("internal error: a task acts that has not been created")
    }

    /// An object that a task uses, perhaps as the first one to do so.
    fn object(&mut self, recorded: ObjectId, task: TaskId, execution: &mut Execution) -> ObjectId {
        let Some(known) = self.objects.get(recorded.index()).copied() else {
            return recorded;
        };
        known.unwrap_or_else(|| {
            let shape = self.recording.shapes[recorded.index()];
            let shape = shape.expect("internal error: a task is used that has not been created");
            let object = execution.add_object(shape, self.task(task));
            self.objects[recorded.index()] = Some(object);
            object
        })
    }

    /// As [`Again::object`], for the task that runs.
    fn object_of_running(&mut self, recorded: ObjectId, execution: &mut Execution) -> ObjectId {
        let running = self.tasks[execution.running().index()];
        self.object(recorded, TaskId(running as u32), execution)
    }

    fn effect(&mut self, effect: Effect, execution: &mut Execution) -> Effect {
        let mut object = |object: ObjectId| self.object_of_running(object, execution);
        match effect {
            Effect::Enlists(condvar) => Effect::Enlists(object(condvar)),
            Effect::Arrives(barrier) => Effect::Arrives(object(barrier)),
            Effect::Destroys(gone) => Effect::Destroys(object(gone)),
            Effect::ReadsNext(cell) => Effect::ReadsNext(object(cell)),
            Effect::WritesNext(cell) => Effect::WritesNext(object(cell)),
            Effect::Ends(task) => Effect::Ends(object(task)),
            Effect::LeavesOff(task) => Effect::LeavesOff(object(task)),
            Effect::LooksAtEnd(task) => Effect::LooksAtEnd(object(task)),
            Effect::ReadsData(mutex) => Effect::ReadsData(object(mutex)),
            Effect::WritesData(mutex) => Effect::WritesData(object(mutex)),
            Effect::ReadsPoison(mutex) => Effect::ReadsPoison(object(mutex)),
            Effect::WritesPoison(mutex) => Effect::WritesPoison(object(mutex)),
            Effect::ReadsAlone(variable) => Effect::ReadsAlone(object(variable)),
            Effect::WritesAlone(variable) => Effect::WritesAlone(object(variable)),
            Effect::Granted(_)
            | Effect::LeavesUnchanged
            | Effect::Stores(_)
            | Effect::UsesClock(_)
            | Effect::UsesRation(..)
            | Effect::GoesOn
            | Effect::FollowsAll
            | Effect::Buffers(..)
            | Effect::Flushes { .. } => effect,
        }
    }
}
