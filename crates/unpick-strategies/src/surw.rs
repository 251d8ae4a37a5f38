//! `surw`: selectively uniform random walk.
//!
//! H. Zhao, D. Wolff, U. Mathur, A. Roychoudhury, *Selectively uniform concurrency testing*,
//! ASPLOS 2025.
//!
//! ```text
//! D = the interesting events;  r(t) = how many of them t and the tasks it will create still have
//! draw the task i that shall perform the next interesting event, with probability ~ r(t)
//! repeat: run a random enabled task whose next event is not in D, or i
//!         when i has performed an event of D: r(i) -= 1, draw a new i
//!         when i has created a task c: with probability r(c) / r(i), c is intended instead; r(i) -= r(c)
//! ```
//!
//! If every r(t) is right and nothing blocks, all interleavings of the events in D are equally
//! likely. By default `surw` takes for D the operations on one shared object, drawn
//! anew for every execution; `surw:all=1` takes all operations, which is the uniform random
//! walk (URW) of the same paper. `objects` draws more than one object, `weigh=1` by how often they are used.
//!
//! *Departures from the paper.* The counts are the largest ones seen in earlier executions, looked
//! at after 1, 2, 4, 8, … of them; the first execution is a plain random walk. Where all that
//! may go yield or spin, or none may go (the chosen one is blocked), one of those that should wait
//! goes on, by weight. Objects are told apart as `places.rs` says.

mod places;

use crate::{RandomSource, random::uniform};
use alloc::vec::Vec;
use places::{Places, accesses};
use unpick_engine::{Begin, Execution, Profile, Stop, Strategy, View};
use unpick_trace::{Choice, ObjectId, TaskId};

/// Which events are interesting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Select {
    /// All of them.
    All,
    /// The operations on so many shared objects, drawn for every execution.
    Objects {
        /// How many.
        count: u32,
        /// Whether an object is drawn in proportion to how often it is used, or each alike.
        weighs: bool,
    },
}

/// Selectively uniform random walk.
pub struct Surw {
    seed: u64,
    select: Select,
    source: RandomSource,
    profile: Profile,
    /// The objects that two tasks use and one changes, by place, and how often they are used.
    shared: Vec<(usize, u64)>,
    /// The objects whose operations are interesting; all operations are if there is none.
    objects: Vec<usize>,
    places: Places,
    /// Interesting events of each task and of all that descend from it.
    totals: Vec<u64>,
    /// r(t) for the tasks that exist.
    left: Vec<u64>,
    intended: Option<TaskId>,
    /// The enabled tasks that need not wait for the intended one.
    free: Vec<TaskId>,
}

impl Surw {
    /// The executions of one seed.
    pub fn new(seed: u64, select: Select) -> Surw {
        Surw {
            seed,
            select,
            source: RandomSource::for_execution(seed, 0),
            profile: Profile::default(),
            shared: Vec::new(),
            objects: Vec::new(),
            places: Places::default(),
            totals: Vec::new(),
            left: Vec::new(),
            intended: None,
            free: Vec::new(),
        }
    }

    fn count(&self, task: usize) -> u64 {
        if self.objects.is_empty() {
            return self.profile.operations_max[task];
        }
        let of_task = self.profile.accesses_max.get(task);
        let count = |&place: &usize| of_task?.get(place).map(|&(count, _)| count);
        self.objects.iter().filter_map(count).sum()
    }

    fn is_interesting(&self, view: &View<'_>, task: TaskId) -> bool {
        let object = view.next_op(task).object;
        self.objects.is_empty()
            || (object != ObjectId::NONE && self.objects.contains(&self.places.of(object)))
    }

    /// Draws the objects of an execution.
    fn draw_objects(&mut self) {
        self.objects.clear();
        let Select::Objects { count, weighs } = self.select else {
            return;
        };
        while self.objects.len() < self.shared.len().min(count as usize) {
            let left = |(object, _): &&(usize, u64)| !self.objects.contains(object);
            let left = self.shared.iter().filter(left);
            let weight = |(_, uses): &(usize, u64)| if weighs { *uses } else { 1 };
            let mut place = self.source.below(left.clone().map(weight).sum());
            let is_it = |one: &&(usize, u64)| match place.checked_sub(weight(one)) {
                Some(rest) => {
                    place = rest;
                    false
                }
                None => true,
            };
            let drawn = left.clone().find(is_it).map(|(object, _)| *object);
            self.objects.extend(drawn);
        }
    }

    /// Gives tasks that have come into being their share of what their creator had left. If it is the
    /// intended one, it was drawn for them, too, and its turn goes to one of them as often as their shares say.
    fn admit_new_tasks(&mut self, view: &View<'_>) {
        while self.left.len() < view.task_count() {
            let task = self.left.len();
            let share = self.totals.get(task).copied().unwrap_or(0);
            if task > 0 {
                let parent = view.parent(TaskId(task as u32));
                let left = self.left[parent.index()];
                let is_drawn_for_it = self.intended == Some(parent) && share > 0;
                if is_drawn_for_it && self.source.below(share.max(left)) < share {
                    self.intended = Some(TaskId(task as u32));
                }
                self.left[parent.index()] = left.saturating_sub(share);
            }
            self.left.push(share);
        }
    }

    /// A task drawn by weight among those that `may` be drawn.
    fn draw(&mut self, view: &View<'_>, may: impl Fn(TaskId) -> bool) -> Option<TaskId> {
        let tasks = || {
            (0..view.task_count() as u32)
                .map(TaskId)
                .filter(|&task| may(task))
        };
        let sum: u64 = tasks().map(|task| self.left[task.index()]).sum();
        if sum == 0 {
            return None;
        }
        let mut place = self.source.below(sum);
        tasks().find(|task| match place.checked_sub(self.left[task.index()]) {
            Some(rest) => {
                place = rest;
                false
            }
            None => true,
        })
    }

    fn pick(&mut self, view: &View<'_>) -> TaskId {
        let enabled = view.enabled();
        if self.select == Select::All {
            return self
                .draw(view, |task| enabled.contains(task))
                .unwrap_or_else(|| uniform(view, &mut self.source));
        }
        if self.intended.is_none_or(|task| view.is_finished(task)) {
            self.intended = self.draw(view, |task| !view.is_finished(task));
        }
        self.free.clear();
        for task in enabled.iter() {
            if Some(task) == self.intended || !self.is_interesting(view, task) {
                self.free.push(task);
            }
        }
        let all_wait = self.free.iter().all(|&task| view.yields(task));
        if self.free.is_empty() || (all_wait && self.free.len() < view.enabled_count()) {
            let may_go = |task| enabled.contains(task) && !view.yields(task);
            return self
                .draw(view, may_go)
                .unwrap_or_else(|| uniform(view, &mut self.source));
        }
        let place = self.source.below(self.free.len() as u64) as usize;
        self.free[place]
    }
}

impl Strategy for Surw {
    fn begin(&mut self, index: u64) -> Begin {
        self.source = RandomSource::for_execution(self.seed, index);
        self.draw_objects();
        let known = self.profile.operations_max.len();
        self.totals.clear();
        self.totals.resize(known, 0);
        for task in (0..known).rev() {
            self.totals[task] += self.count(task);
            if task > 0 {
                let parent = self.profile.parents[task].index();
                self.totals[parent] += self.totals[task];
            }
        }
        self.left.clear();
        self.places.clear();
        self.intended = None;
        Begin::Ready
    }

    fn choose(&mut self, view: &View<'_>) -> Result<TaskId, Stop> {
        self.admit_new_tasks(view);
        self.places.update(view.trace());
        let task = self.pick(view);
        if self.is_interesting(view, task) {
            let left = &mut self.left[task.index()];
            *left = left.saturating_sub(1);
            self.intended = None;
        }
        Ok(task)
    }

    fn answer(&mut self, _view: &View<'_>, question: Choice) -> Result<u32, Stop> {
        Ok(self.source.below(question.answer_count().into()) as u32)
    }

    fn measure(&self, execution: &Execution, profile: &mut Profile) {
        if self.select != Select::All {
            profile.merge_accesses(&accesses(execution));
        }
    }

    fn learns(&self) -> bool {
        true
    }

    fn learn(&mut self, profile: &Profile) {
        self.profile = profile.clone();
        self.shared.clear();
        let accesses = &profile.accesses_max;
        let objects = accesses.iter().map(Vec::len).max().unwrap_or(0);
        for object in 0..objects {
            let users = accesses.iter().filter_map(|counts| counts.get(object));
            let used = users.clone().filter(|(count, _)| *count > 0).count();
            let uses = users.clone().map(|(count, _)| count).sum();
            if used > 1 && users.map(|(_, writes)| writes).sum::<u64>() > 0 {
                self.shared.push((object, uses));
            }
        }
    }
}
