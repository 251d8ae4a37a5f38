//! Executions that were run, so that a search that begins anew does not run them again.
//!
//! When the search would run something, a kept execution that can begin with what is planned takes its
//! place: it is performed again without the program, in the order that is planned and then in its own.
//! See `README.md`, 5.

use super::Odpor;
use super::levels::Levels;
use super::outline::{Outline, Taken};
use alloc::{sync::Arc, vec::Vec};
use unpick_engine::{Begin, Execution, History, Recording, Relation, Stop, Strategy, View};
use unpick_trace::{Choice, TaskId};

/// How many calls of the front end are kept, of all executions together; one takes 32 bytes.
const CALLS_MAX: usize = 1 << 20;

/// An event of an execution that is performed again: who acts, by name, and the answers within.
#[derive(Clone, Default)]
pub(super) struct Guided {
    pub name: u32,
    pub answers: Vec<u32>,
}

/// An execution that is performed again: what is to happen.
#[derive(Clone, Default)]
pub(super) struct Guide {
    /// Answers before the first event.
    pub opening: Vec<u32>,
    pub events: Vec<Guided>,
}

impl Guide {
    /// The next answer, `asked` having been given since so many events.
    pub fn answer(&self, depth: usize, asked: usize) -> Option<u32> {
        let answers = match depth.checked_sub(1) {
            None => &self.opening,
            Some(at) => &self.events.get(at)?.answers,
        };
        answers.get(asked).copied()
    }
}

/// An execution that was run.
#[derive(Clone)]
struct Past {
    recording: Arc<Recording>,
    /// The hash of its lazy relation.
    hash: u128,
    /// Whether it belongs to the search as it is now.
    is_used: bool,
    outline: Option<Outline>,
}

/// The executions that were run.
#[derive(Clone, Default)]
pub(super) struct Kept {
    is_active: bool,
    all: Vec<Past>,
    /// How many of them are not used.
    spare_count: usize,
    call_count: usize,
    levels: Levels,
}

impl Kept {
    pub fn new(is_active: bool) -> Kept {
        Kept {
            is_active,
            ..Kept::default()
        }
    }

    /// Whether all executions are kept that have come to an end.
    pub fn is_active(&self) -> bool {
        self.is_active
    }

    /// Keeps an execution that has just been run. If that is too much, no more are kept, and those that
    /// are only until the search begins anew: it cannot do without running others again.
    pub fn add(&mut self, execution: &Execution, history: &History) {
        let recording = execution.recording();
        self.call_count += recording.as_ref().map_or(0, Recording::call_count);
        match recording.filter(|_| self.call_count <= CALLS_MAX) {
            None => self.is_active = false,
            Some(recording) => self.all.push(Past {
                recording: Arc::new(recording),
                hash: history.hash(Relation::Lazy),
                is_used: true,
                outline: None,
            }),
        }
    }

    fn use_up(&mut self, number: usize) {
        self.all[number].is_used = true;
        self.all[number].outline = None;
        self.spare_count -= 1;
    }

    /// The search begins anew, without any of them.
    pub fn release(&mut self) {
        self.levels.clear();
        if !self.is_active {
            self.all.clear();
        }
        for past in &mut self.all {
            past.is_used = false;
        }
        self.spare_count = self.all.len();
    }
}

impl Odpor {
    /// Lets a kept execution take the place of the one that would be run now. Answers whether there
    /// was one.
    pub(super) fn reuse(&mut self) -> bool {
        if self.kept.spare_count == 0 {
            return false;
        }
        let agreed = self.path.nodes.len().saturating_sub(1);
        let fixed_count = self.sections.fixed_count();
        let known = self.kept.levels.narrow(agreed, fixed_count);
        let known = known.unwrap_or_else(|| (0..self.kept.all.len()).collect());
        let (mut reached, mut found) = (Vec::new(), Vec::new());
        for number in known {
            if self.kept.all[number].is_used {
                continue;
            }
            let Some(outline) = self.outline(number) else {
                self.kept.use_up(number);
                continue;
            };
            let depth = outline.begin_with(&self.path).err();
            if depth.is_none() {
                found.push(number);
            }
            reached.push((depth.unwrap_or(agreed).min(agreed), number));
            self.kept.all[number].outline = Some(outline);
        }
        self.kept.levels.add(reached);
        found.into_iter().any(|number| self.perform_again(number))
    }

    /// The units of a kept execution under the relation that is in force. `None` if it cannot be
    /// performed again.
    fn outline(&mut self, number: usize) -> Option<Outline> {
        let past = &mut self.kept.all[number];
        let known = past.outline.take();
        let is_in_force = |outline: &Outline| outline.fixed_count == self.sections.fixed_count();
        if let Some(known) = known.filter(is_in_force) {
            return Some(known);
        }
        let recording = Arc::clone(&past.recording);
        let mut execution = Execution::new(recording.settings());
        self.prepare();
        let mut order = InOrder {
            search: self,
            tasks: &mut recording.tasks(),
            answers: &mut recording.answers().iter(),
        };
        if !recording.perform(&mut execution, &mut order) {
            return None;
        }
        self.names.update(execution.trace());
        self.history.extend(&execution);
        self.objects.update(&execution, &self.history, &self.names);
        self.sections.close(&self.history);
        Some(Outline::new(
            &execution,
            &self.history,
            &self.names,
            (&self.sections, &self.objects),
        ))
    }

    /// Performs a kept execution as planned and looks at it. Answers whether that has succeeded; if
    /// not, nothing has changed.
    fn perform_again(&mut self, number: usize) -> bool {
        let outline = self.kept.all[number].outline.as_ref();
        let taken = outline.and_then(|outline| outline.begin_with(&self.path).ok());
        let Some(guide) = taken.map(Taken::guide) else {
            return false;
        };
        let length = self.path.nodes.len();
        let (last, opening) = (self.path.nodes.last().cloned(), self.path.opening.clone());
        let recording = Arc::clone(&self.kept.all[number].recording);
        let mut execution = Execution::new(recording.settings());
        self.prepare();
        self.guide = guide;
        let mut is_same = recording.perform(&mut execution, self);
        self.guide = Guide::default();
        if is_same {
            self.history.extend(&execution);
            is_same = self.history.hash(Relation::Lazy) == self.kept.all[number].hash;
        }
        if is_same {
            self.kept.use_up(number);
            self.look_at(&execution);
        } else {
            self.path.opening = opening;
            self.path.nodes.truncate(length);
            if let Some(node) = last {
                self.path.nodes[length - 1] = node;
            }
        }
        is_same
    }
}

/// Performs a recording as it was, and takes note of what happens.
struct InOrder<'a> {
    search: &'a mut Odpor,
    tasks: &'a mut (dyn Iterator<Item = TaskId> + Send),
    answers: &'a mut (dyn Iterator<Item = &'a u32> + Send),
}

impl Strategy for InOrder<'_> {
    fn begin(&mut self, _index: u64) -> Begin {
        Begin::Ready
    }

    fn choose(&mut self, view: &View<'_>) -> Result<TaskId, Stop> {
        let search = &mut *self.search;
        let inside = search.take_note(view);
        let task = self.tasks.next().ok_or(Stop::Cut)?;
        let execution = view.execution();
        let key = search.objects.point(&search.history, &search.names, task);
        let is_inside = matches!(inside, Ok(Some(_)));
        if !is_inside && search.sections.is_movable(execution, key, task) {
            search.sections.open(execution, &search.history, key, task);
        }
        Ok(task)
    }

    fn answer(&mut self, _view: &View<'_>, _question: Choice) -> Result<u32, Stop> {
        self.answers.next().copied().ok_or(Stop::Cut)
    }
}
