//! What is known of every step of a recorded schedule, gone through once.

use super::arrows::{Arrow, Arrows};
use super::ending::{self, Ending};
use super::folding;
use super::locks::{Locks, Missed};
use super::sources::shown;
use crate::operation::number;
use crate::why;
use unpick_trace::{Choice, ObjectId, OpKind, Outcome, Record, Site, SiteId, Step, TaskId, Trace};

/// A recorded schedule, ready to be drawn.
pub struct Timeline<'a> {
    pub(super) record: &'a Record,
    /// One for every step of the trace.
    pub(super) moments: Vec<Moment>,
    /// By the step that they lead to.
    pub(super) arrows: Vec<Arrow>,
    /// What became of the tasks after the last step.
    pub(super) endings: Vec<Ending>,
    /// Every set of locks that a task held at some time; the first one is empty.
    pub(super) lock_sets: Vec<Vec<ObjectId>>,
    pub(super) task_names: Vec<String>,
    pub(super) object_names: Vec<String>,
    sites: Vec<Site>,
}

/// One step.
pub(super) struct Moment {
    pub(super) task: usize,
    /// What is done, to what, and whether that was refused.
    pub(super) what: String,
    /// The value read or written, if it is known.
    pub(super) value: Option<String>,
    /// An index into the places of the schedule.
    pub(super) site: Option<usize>,
    /// The locks that the task holds after it: an index into the sets.
    pub(super) held: usize,
    pub(super) switch: Switch,
    /// Whether it is shown where not all steps are.
    pub(super) is_shown: bool,
}

/// Whether a step is of another task than the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Switch {
    /// The same task goes on.
    None,
    /// The task before could not go on, or had ended.
    Forced,
    /// The task before could have gone on.
    Preemption,
}

impl<'a> Timeline<'a> {
    /// Goes through a recorded schedule.
    pub fn new(record: &'a Record) -> Timeline<'a> {
        let trace = &record.trace;
        let task_names = (0..trace.tasks.len() as u32).map(|task| trace.task_name(TaskId(task)));
        let object_names =
            (0..trace.objects.len() as u32).map(|object| trace.object_name(ObjectId(object)));
        let mut timeline = Timeline {
            record,
            moments: Vec::with_capacity(trace.steps.len()),
            arrows: Vec::new(),
            endings: Vec::new(),
            lock_sets: Vec::new(),
            task_names: task_names.map(|name| shown(&name)).collect(),
            object_names: object_names.map(|name| shown(&name)).collect(),
            sites: trace.sites.clone(),
        };
        timeline.go_through();
        timeline
    }

    /// Why it failed, as it was found out, or else as the outcome tells.
    pub fn why(&self) -> String {
        match self.record.header.why.as_str() {
            "" => why(&self.record.outcome, &self.record.trace),
            known => shown(known),
        }
    }

    /// The places of steps and endings.
    pub fn sites(&self) -> impl Iterator<Item = &Site> {
        self.sites.iter()
    }

    pub(super) fn site(&self, index: Option<usize>) -> Option<&Site> {
        self.sites.get(index?)
    }

    pub(super) fn add_site(&mut self, site: Option<&Site>) -> Option<usize> {
        self.sites.push(site?.clone());
        Some(self.sites.len() - 1)
    }

    /// The locks of a set, in words.
    pub(super) fn lock_names(&self, set: usize) -> Vec<&str> {
        let names = self.lock_sets[set].iter();
        names.map(|&lock| self.object_name(lock)).collect()
    }

    fn object_name(&self, object: ObjectId) -> &str {
        let name = self.object_names.get(object.0 as usize);
        name.map_or("nothing", String::as_str)
    }

    fn go_through(&mut self) {
        let trace = &self.record.trace;
        let (created, children) = created_by(trace);
        let mut locks = Locks::new(trace.tasks.len());
        let mut arrows = Arrows::new(trace, created);
        let mut last: Option<TaskId> = None;
        for (index, step) in trace.steps.iter().enumerate() {
            let mut missed = None;
            let mut switch = Switch::None;
            if step.is_operation() {
                missed = locks.perform(step.task, &step.op, gives_up(trace, index));
                let is_refused = missed.is_some();
                let from = arrows.perform(step.task, index, &step.op, is_refused);
                let to = |from| Arrow { from, to: index };
                self.arrows.extend(from.into_iter().map(to));
                switch = switch_at(trace, index, last);
                last = Some(step.task);
            }
            let moment = Moment {
                task: step.task.index(),
                what: self.what(step, missed, &children[index]),
                value: value(trace, step),
                site: known_site(trace, step.site),
                held: locks.held_by(step.task),
                switch,
                is_shown: false,
            };
            self.moments.push(moment);
        }
        self.lock_sets = locks.into_sets();
        self.endings = ending::of(self);
        folding::mark(self, &arrows);
    }

    /// A step in words.
    fn what(&self, step: &Step, missed: Option<Missed>, children: &[usize]) -> String {
        let happens = |flag| if flag { "happens" } else { "does not happen" };
        let verb = step.op.verb();
        let mut text = match step.choice {
            Choice::Timeout(flag) => format!("time-out {}", happens(flag)),
            Choice::SpuriousWake(flag) => format!("spurious wake-up {}", happens(flag)),
            Choice::WeakFailure(flag) => format!("weak failure {}", happens(flag)),
            Choice::Datum { value, of } => format!("chose {value} of {of}"),
            Choice::Task(_) if !children.is_empty() => {
                let names = children
                    .iter()
                    .map(|&child| self.task_names[child].as_str());
                format!("{verb} {}", names.collect::<Vec<_>>().join(", "))
            }
            Choice::Task(_) if (step.op.object.0 as usize) < self.object_names.len() => {
                format!("{verb} {}", self.object_name(step.op.object))
            }
            Choice::Task(_) => verb.to_string(),
        };
        match missed {
            Some(Missed::Refused) => text.push_str(": refused"),
            Some(Missed::TimedOut) => text.push_str(": timed out"),
            None => {}
        }
        text
    }

    /// The tasks that fail or can never go on.
    pub(super) fn failing_tasks(&self) -> Vec<TaskId> {
        match &self.record.outcome {
            Outcome::Fail(failure) => vec![failure.task],
            Outcome::Deadlock(deadlock) => deadlock.blocked.iter().map(|one| one.task).collect(),
            _ => Vec::new(),
        }
    }
}

/// By task, the step that created it; by step, the tasks that it created. The children of a task are
/// counted, and so are its spawns; if there are more children, the last spawn made the rest.
fn created_by(trace: &Trace) -> (Vec<Option<usize>>, Vec<Vec<usize>>) {
    let mut spawns: Vec<Vec<usize>> = vec![Vec::new(); trace.tasks.len()];
    for (index, step) in trace.steps.iter().enumerate() {
        if step.is_operation() && step.op.kind == OpKind::Spawn {
            spawns[step.task.index()].push(index);
        }
    }
    let mut created = vec![None; trace.tasks.len()];
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); trace.steps.len()];
    for (task, info) in trace.tasks.iter().enumerate() {
        let is_first = info.parent.index() == task;
        let of_parent = spawns.get(info.parent.index()).filter(|_| !is_first);
        let spawn =
            of_parent.and_then(|all| all.get(info.index as usize).or_else(|| all.last()).copied());
        if let Some(step) = spawn {
            created[task] = Some(step);
            children[step].push(task);
        }
    }
    (created, children)
}

/// Whether a time-out was chosen for the operation of a step: the answer stands right behind it.
fn gives_up(trace: &Trace, index: usize) -> bool {
    let answer = trace.steps.get(index + 1).map(|step| step.choice);
    answer == Some(Choice::Timeout(true))
}

fn switch_at(trace: &Trace, index: usize, last: Option<TaskId>) -> Switch {
    match last {
        Some(last) if last != trace.steps[index].task => {
            match trace.enabled(index).contains(last) {
                true => Switch::Preemption,
                false => Switch::Forced,
            }
        }
        _ => Switch::None,
    }
}

fn known_site(trace: &Trace, site: SiteId) -> Option<usize> {
    trace.site(site).map(|_| site.0 as usize)
}

/// The value of an operation on a variable, or the name of a message. Plain accesses do not tell theirs.
fn value(trace: &Trace, step: &Step) -> Option<String> {
    if !step.is_operation() {
        return None;
    }
    match step.op.kind {
        OpKind::Load | OpKind::Store => Some(format!("= {}", number(step.value))),
        OpKind::ReadModifyWrite | OpKind::CompareExchange => {
            Some(format!("was {}", number(step.value)))
        }
        _ => trace.label(step).map(String::from),
    }
}
