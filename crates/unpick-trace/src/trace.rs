//! A recorded execution.

use crate::{Choice, ObjectId, ObjectKind, OpKind, SiteId, Step, TaskBits, TaskId};
use alloc::{borrow::Cow, string::String, vec::Vec};
use core::fmt;
use core::hash::{Hash, Hasher};
use serde::{Deserialize, Serialize};

/// A place in the source of the program under test.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Site {
    /// File, as the compiler was told it.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// The place in words, if the line calls a library or lies in one. Files do not keep it.
    #[serde(skip)]
    pub words: Option<String>,
}

impl Site {
    /// A line of a file.
    pub fn new(file: impl Into<String>, line: u32, column: u32) -> Site {
        Site {
            file: file.into(),
            line,
            column,
            words: None,
        }
    }

    /// File, line and column: what makes it the same place as another one, kept or not.
    fn key(&self) -> (&str, u32, u32) {
        (&self.file, self.line, self.column)
    }
}

impl PartialEq for Site {
    fn eq(&self, other: &Site) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Site {}

impl Hash for Site {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.words {
            Some(words) => f.write_str(words),
            None => write!(f, "{}:{}", self.file, self.line),
        }
    }
}

/// What is known of a task. Its stable name is the pair (parent, index).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskInfo {
    /// The task that created it; the first task is its own parent.
    pub parent: TaskId,
    /// How many tasks that parent had created before.
    pub index: u32,
    /// The object that stands for it in join, park and unpark.
    pub object: ObjectId,
    /// The name given to it by the program.
    pub name: Option<String>,
}

/// What is known of an object. Its stable name is the pair (task, index).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObjectInfo {
    /// What it is.
    pub kind: ObjectKind,
    /// The task that used it first.
    pub task: TaskId,
    /// How many objects that task had used first before.
    pub index: u32,
    /// The name given to it by the program.
    pub name: Option<String>,
}

/// Everything that happened in one execution, in order.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// The tasks by number.
    pub tasks: Vec<TaskInfo>,
    /// The objects by number.
    pub objects: Vec<ObjectInfo>,
    /// The source locations that steps refer to.
    pub sites: Vec<Site>,
    /// The steps in order.
    pub steps: Vec<Step>,
    /// The sets of enabled tasks that do not fit into their steps.
    more_enabled: Vec<u64>,
    /// What messages are called: the value of a step that sends or receives one is the number of its name
    /// in here, from 1. Zero has no name. Files have them after everything else.
    #[serde(skip)]
    pub(crate) labels: Vec<Cow<'static, str>>,
}

impl fmt::Debug for Trace {
    /// The sizes and the fingerprint: a whole trace would bury what stands beside it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trace")
            .field("tasks", &self.tasks.len())
            .field("objects", &self.objects.len())
            .field("steps", &self.steps.len())
            .field("hash", &self.hash())
            .finish_non_exhaustive()
    }
}

impl Trace {
    /// A copy that keeps only the locations its steps refer to, numbered by first appearance, so
    /// that it does not depend on what was run before.
    pub fn detached(&self) -> Trace {
        let mut copy = self.clone();
        let mut used: Vec<SiteId> = Vec::new();
        for step in &mut copy.steps {
            if self.site(step.site).is_none() {
                continue;
            }
            let known = used.iter().position(|site| *site == step.site);
            let index = known.unwrap_or_else(|| {
                used.push(step.site);
                used.len() - 1
            });
            step.site = SiteId(index as u32);
        }
        let site = |site: &SiteId| self.sites[site.0 as usize].clone();
        copy.sites = used.iter().map(site).collect();
        copy
    }

    /// Forgets the steps, keeps tables and memory.
    #[inline]
    pub fn clear_steps(&mut self) {
        self.steps.clear();
        self.more_enabled.clear();
    }

    /// Appends a step with the set of tasks that were enabled before it. A step that is not an
    /// operation has the empty set.
    #[inline]
    pub fn push(&mut self, mut step: Step, enabled: TaskBits<'_>) {
        step.enabled = enabled.low_word();
        // Apart, so that the way of nearly every step goes straight on.
        if self.steps.len() == self.steps.capacity() {
            self.make_room();
        }
        self.steps.push(step);
        let more = enabled.more_words();
        if !more.is_empty() {
            self.push_more_enabled(more);
        }
    }

    #[cold]
    fn make_room(&mut self) {
        self.steps.reserve(1);
    }

    /// Adds the tasks from 64 on to the last step.
    #[cold]
    fn push_more_enabled(&mut self, more: &[u64]) {
        let start = self.more_enabled.len();
        self.more_enabled.extend_from_slice(more);
        if let Some(step) = self.steps.last_mut() {
            step.more_enabled = (start as u32, more.len() as u32);
        }
    }

    /// The tasks that were enabled before step `index`.
    pub fn enabled(&self, index: usize) -> TaskBits<'_> {
        let step = &self.steps[index];
        let (start, count) = step.more_enabled;
        let more = &self.more_enabled[start as usize..][..count as usize];
        TaskBits::from_words(step.enabled, more)
    }

    /// Whether every step has an enabled set within bounds; false only for forged data.
    pub(crate) fn enabled_sets_fit(&self) -> bool {
        let words = self.more_enabled.len() as u64;
        self.steps.iter().all(|step| {
            let (start, count) = step.more_enabled;
            u64::from(start) + u64::from(count) <= words
        })
    }

    /// Forgets what messages are called.
    pub fn clear_labels(&mut self) {
        self.labels.clear();
    }

    /// Says what the message is called that a step sends or receives.
    pub fn set_label(&mut self, index: usize, label: &'static str) {
        let known = self.labels.iter().position(|other| other == label);
        let number = known.unwrap_or_else(|| {
            self.labels.push(Cow::Borrowed(label));
            self.labels.len() - 1
        });
        if let Some(step) = self.steps.get_mut(index) {
            step.value = number as u64 + 1;
        }
    }

    /// What the message is called that a step sends or receives, if it has a name.
    pub fn label(&self, step: &Step) -> Option<&str> {
        use OpKind::{Receive, Send, TryReceive, TrySend};
        let is_message = matches!(step.op.kind, Send | TrySend | Receive | TryReceive);
        let number = usize::try_from(step.value).ok()?.checked_sub(1)?;
        let label = self.labels.get(number).filter(|_| is_message);
        label.map(|label| &**label)
    }

    /// The location of a step, if known.
    pub fn site(&self, site: SiteId) -> Option<&Site> {
        self.sites.get(site.0 as usize)
    }

    /// Number of steps that run a task: the length of the schedule.
    pub fn operation_count(&self) -> usize {
        self.steps.iter().filter(|step| step.is_operation()).count()
    }

    /// Number of steps at which the running task was left although it could have gone on.
    pub fn preemption_count(&self) -> usize {
        let mut last: Option<TaskId> = None;
        let mut count = 0;
        for (index, step) in self.steps.iter().enumerate() {
            if !step.is_operation() {
                continue;
            }
            let left = |before: TaskId| before != step.task && self.enabled(index).contains(before);
            count += usize::from(last.is_some_and(left));
            last = Some(step.task);
        }
        count
    }

    /// A name for a task, for reports: `task 2` or `task 2 (writer)`.
    pub fn task_name(&self, task: TaskId) -> String {
        let name = self
            .tasks
            .get(task.index())
            .and_then(|info| info.name.as_deref());
        match name {
            Some(name) => alloc::format!("task {task} ({name})"),
            None => alloc::format!("task {task}"),
        }
    }

    /// A name for an object, for reports: `` `balance` `` or `mutex 3`.
    pub fn object_name(&self, object: ObjectId) -> String {
        match self.objects.get(object.0 as usize) {
            None => String::from("nothing"),
            Some(info) if info.kind == ObjectKind::Task => {
                let task = self.tasks.iter().position(|task| task.object == object);
                self.task_name(TaskId(task.unwrap_or(0) as u32))
            }
            Some(info) => match &info.name {
                Some(name) => alloc::format!("`{name}`"),
                None => alloc::format!("{} {}", info.kind.word(), object.0),
            },
        }
    }

    /// A fingerprint of the schedule: equal for equal sequences of choices and operations, on every
    /// machine. Locations, values and names do not enter.
    pub fn hash(&self) -> u64 {
        let mut hash = 0x9e37_79b9_7f4a_7c15_u64;
        for step in &self.steps {
            let answer = match step.choice {
                Choice::Task(_) => 0,
                other => 1 + u64::from(other.answer()),
            };
            let who = u64::from(step.task.0) << 32 | answer;
            let what = u64::from(step.op.object.0) << 8 | step.op.kind as u64;
            let word = who.rotate_left(17) ^ what;
            hash = (hash.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
        }
        hash ^ (hash >> 29)
    }
}
