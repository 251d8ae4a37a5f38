//! Vector clocks of tasks and of what they synchronise through.
//!
//! A task's clock says how far it knows every other task. Its own component is its *epoch*: it moves
//! on whenever others may learn of what the task has done so far, so that what it does afterwards can
//! be told from what they know. Whether an access at some epoch of one task happened before what
//! another task does now is then a single comparison: [`Clocks::happens_before`].
//!
//! # How atomic operations are told
//!
//! Every atomic operation is told in two halves: what it reads, then what it writes.
//!
//! | order | load half | store half of a store | store half of a read-modify-write |
//! |---|---|---|---|
//! | relaxed | [`observe`](Clocks::observe) | [`overwrite`](Clocks::overwrite) | [`update`](Clocks::update) |
//! | acquire | [`acquire`](Clocks::acquire) | | [`update`](Clocks::update) |
//! | release | [`observe`](Clocks::observe) | [`replace`](Clocks::replace) | [`release`](Clocks::release) |
//! | both, or sequentially consistent | [`acquire`](Clocks::acquire) | [`replace`](Clocks::replace) | [`release`](Clocks::release) |
//!
//! Fences work as in C11: what relaxed loads have seen is known from the next acquire fence on, and a
//! relaxed store publishes what was known at the last release fence. A fence that is both is
//! [`fence_acquire`](Clocks::fence_acquire), then [`fence_release`](Clocks::fence_release). Release
//! sequences are those of C++20 and of Rust: read-modify-writes of any task go on with one, any other
//! relaxed store ends it. A store that others see later is told when it is made ([`keep`](Clocks::keep)) and when
//! they see it ([`give`](Clocks::give)).
//!
//! Never allocates once it has seen as many tasks and objects in one execution, but for what is kept.

use alloc::vec::Vec;
use unpick_trace::{ObjectId, TaskId};

/// The clocks of one execution.
#[derive(Debug, Default)]
pub struct Clocks {
    /// Those from `task_count` on are left over from earlier executions, for their memory.
    tasks: Vec<Task>,
    task_count: usize,
    /// The epoch of each task that has begun: its own component of what it knows, where every access
    /// finds it at once.
    epochs: Vec<u32>,
    /// Those from `object_count` on are empty.
    objects: Vec<Clock>,
    object_count: usize,
    /// What was released into objects in shared mode; those from `shared_count` on are empty.
    shared: Vec<Clock>,
    shared_count: usize,
    /// How many tasks have begun and have not been joined.
    alive: usize,
}

#[derive(Debug, Default)]
struct Task {
    /// What the task knows now.
    now: Clock,
    /// What it knew when it began.
    birth: Clock,
    /// What it will know after its next acquire fence.
    observed: Clock,
    /// What its relaxed stores publish: what it knew at its last release fence.
    fenced: Clock,
    /// Whether somebody has waited for its end.
    joined: bool,
}

/// What somebody knows: one number a task; what is not stored is zero.
#[derive(Debug, Default)]
pub struct Clock(Vec<u32>);

impl Clock {
    #[inline]
    fn get(&self, index: usize) -> u32 {
        self.0.get(index).copied().unwrap_or(0)
    }

    fn set(&mut self, index: usize, time: u32) {
        if self.0.len() <= index {
            self.0.resize(index + 1, 0);
        }
        self.0[index] = time;
    }

    fn join(&mut self, other: &Clock) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine = (*mine).max(*theirs);
        }
    }

    fn copy(&mut self, other: &Clock) {
        self.0.clear();
        self.0.extend_from_slice(&other.0);
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}

impl Clocks {
    /// No tasks, nothing known.
    pub fn new() -> Clocks {
        Clocks::default()
    }

    /// Begins an execution: forgets all, keeps the memory.
    pub fn reset(&mut self) {
        self.task_count = 0;
        self.epochs.clear();
        self.alive = 0;
        for object in &mut self.objects[..self.object_count] {
            object.clear();
        }
        self.object_count = 0;
        for object in &mut self.shared[..self.shared_count] {
            object.clear();
        }
        self.shared_count = 0;
    }

    /// Goes to where other clocks are, keeps the memory.
    pub fn copy_from(&mut self, other: &Clocks) {
        self.reset();
        while self.tasks.len() < other.task_count {
            self.tasks.push(Task::default());
        }
        for (mine, theirs) in self.tasks.iter_mut().zip(&other.tasks[..other.task_count]) {
            mine.now.copy(&theirs.now);
            mine.birth.copy(&theirs.birth);
            mine.observed.copy(&theirs.observed);
            mine.fenced.copy(&theirs.fenced);
            mine.joined = theirs.joined;
        }
        copy_all(&mut self.objects, &other.objects[..other.object_count]);
        copy_all(&mut self.shared, &other.shared[..other.shared_count]);
        self.task_count = other.task_count;
        self.epochs.clone_from(&other.epochs);
        self.object_count = other.object_count;
        self.shared_count = other.shared_count;
        self.alive = other.alive;
    }

    /// A task begins and knows what its parent knows. What the parent does from now on is new to it.
    pub fn begin(&mut self, parent: Option<TaskId>, child: TaskId) {
        let index = child.index();
        while self.tasks.len() <= index {
            self.tasks.push(Task::default());
        }
        // Ids come in order, but a gap must not show what an earlier execution has left behind.
        while self.task_count <= index {
            let task = &mut self.tasks[self.task_count];
            for clock in [&mut task.now, &mut task.birth] {
                clock.clear();
            }
            task.observed.clear();
            task.fenced.clear();
            task.joined = true;
            self.task_count += 1;
            self.epochs.push(0);
        }
        if let Some(parent) = parent {
            self.learn(child, parent);
            self.tick(parent);
        }
        let task = &mut self.tasks[index];
        task.now.set(index, 1);
        self.epochs[index] = 1;
        task.birth.copy(&task.now);
        self.alive += usize::from(task.joined);
        task.joined = false;
    }

    /// A task has waited for the end of another one, which does nothing any more.
    pub fn join(&mut self, task: TaskId, ended: TaskId) {
        self.learn(task, ended);
        if let Some(ended) = self.tasks[..self.task_count].get_mut(ended.index()) {
            self.alive -= usize::from(!ended.joined);
            ended.joined = true;
        }
    }

    /// A task learns what has been released into an object: locking, receiving, an acquire load.
    pub fn acquire(&mut self, task: TaskId, object: ObjectId) {
        if let (Some(task), Some(object)) = (
            self.tasks[..self.task_count].get_mut(task.index()),
            self.objects.get(object.index()),
        ) {
            task.now.join(object);
        }
    }

    /// A task adds what it knows to what an object gives: unlocking, sending, a read-modify-write
    /// that releases.
    pub fn release(&mut self, task: TaskId, object: ObjectId) {
        if let Some((task, object)) = self.both(task, object) {
            object.join(&task.now);
        }
        self.tick(task);
    }

    /// A reader learns nothing of other readers: what was released in shared mode is only learned by this.
    pub fn acquire_shared(&mut self, task: TaskId, object: ObjectId) {
        if let (Some(task), Some(object)) = (
            self.tasks[..self.task_count].get_mut(task.index()),
            self.shared.get(object.index()),
        ) {
            task.now.join(object);
        }
    }

    /// A task adds what it knows to what an object gives to those who acquire that too: unlocking after reading.
    pub fn release_shared(&mut self, task: TaskId, object: ObjectId) {
        let into = entry(&mut self.shared, &mut self.shared_count, object);
        let known = self.tasks[..self.task_count].get(task.index());
        if let (Some(into), Some(known)) = (into, known) {
            into.join(&known.now);
        }
        self.tick(task);
    }

    /// A release store: an object gives what the task knows, and nothing else any more.
    pub fn replace(&mut self, task: TaskId, object: ObjectId) {
        if let Some((task, object)) = self.both(task, object) {
            object.copy(&task.now);
        }
        self.tick(task);
    }

    /// A relaxed load: what the object gives is known from the next acquire fence on.
    pub fn observe(&mut self, task: TaskId, object: ObjectId) {
        if let Some((task, object)) = self.both(task, object) {
            task.observed.join(object);
        }
    }

    /// A relaxed store: the object gives what the task knew at its last release fence.
    pub fn overwrite(&mut self, task: TaskId, object: ObjectId) {
        if let Some((task, object)) = self.both(task, object) {
            object.copy(&task.fenced);
        }
    }

    /// The store half of a read-modify-write that does not release: the object still gives what it
    /// gave, and what the task knew at its last release fence.
    pub fn update(&mut self, task: TaskId, object: ObjectId) {
        if let Some((task, object)) = self.both(task, object) {
            object.join(&task.fenced);
        }
    }

    /// A store that others see later, a release store or a relaxed one: what the object gives from then on.
    pub fn keep(&mut self, task: TaskId, is_release: bool) -> Clock {
        let mut kept = Clock::default();
        if let Some(known) = self.task(task.index()) {
            kept.copy(match is_release {
                true => &known.now,
                false => &known.fenced,
            });
        }
        if is_release {
            self.tick(task);
        }
        kept
    }

    /// Others see a store that was kept for later: the object gives that, and nothing else any more.
    pub fn give(&mut self, object: ObjectId, kept: &Clock) {
        if let Some(object) = self.object(object) {
            object.copy(kept);
        }
    }

    /// The object gives nothing any more: it has been destroyed, or somebody unknown has written it.
    pub fn forget(&mut self, object: ObjectId) {
        for objects in [&mut self.objects, &mut self.shared] {
            if let Some(object) = objects.get_mut(object.index()) {
                object.clear();
            }
        }
    }

    /// An acquire fence: relaxed loads before it count as acquire loads from here on.
    pub fn fence_acquire(&mut self, task: TaskId) {
        if let Some(task) = self.tasks[..self.task_count].get_mut(task.index()) {
            task.now.join(&task.observed);
        }
    }

    /// A release fence: relaxed stores after it publish what is known here.
    pub fn fence_release(&mut self, task: TaskId) {
        if let Some(task) = self.tasks[..self.task_count].get_mut(task.index()) {
            task.fenced.copy(&task.now);
        }
        self.tick(task);
    }

    /// A task has seen something of which nobody knows who made it, and may so know all that has
    /// happened: a missed race rather than a false one.
    pub fn acquire_all(&mut self, task: TaskId) {
        for other in 0..self.task_count {
            let other = TaskId(other as u32);
            if other != task {
                self.learn(task, other);
                // A task that has ended does nothing more, and its last epoch says that it has.
                if !self.tasks[other.index()].joined {
                    self.tick(other);
                }
            }
        }
    }

    /// The epoch in which a task is; zero if it has not begun.
    #[inline]
    pub fn epoch(&self, task: TaskId) -> u32 {
        self.epochs.get(task.index()).copied().unwrap_or(0)
    }

    /// What a task knows: up to the end of which epoch of each task all that was done there happened
    /// before what the task does now. Tasks beyond the end are not known at all.
    #[inline]
    pub fn known_to(&self, task: TaskId) -> &[u32] {
        self.task(task.index()).map_or(&[], |it| &it.now.0)
    }

    /// Whether all that `earlier` did up to the end of an epoch happened before what `task` does now.
    #[inline]
    pub fn happens_before(&self, earlier: TaskId, epoch: u32, task: TaskId) -> bool {
        let known = self.known_to(task).get(earlier.index());
        known.copied().unwrap_or(0) >= epoch
    }

    /// Whether what `earlier` did in an epoch can never come after what `task` does now, whatever is
    /// locked: it was done before the task began, or by a task whose end was waited for.
    #[inline]
    pub fn is_apart(&self, earlier: TaskId, epoch: u32, task: TaskId) -> bool {
        let Some(later) = self.task(task.index()) else {
            return false;
        };
        if later.birth.get(earlier.index()) >= epoch {
            return true;
        }
        self.task(earlier.index()).is_some_and(|it| {
            it.joined && later.now.get(earlier.index()) >= it.now.get(earlier.index())
        })
    }

    /// Whether all other tasks that have begun have ended and have been waited for.
    #[inline]
    pub fn is_alone(&self) -> bool {
        self.alive <= 1
    }

    #[inline]
    fn task(&self, index: usize) -> Option<&Task> {
        self.tasks[..self.task_count].get(index)
    }

    /// The next epoch. One that cannot be counted any more stays: races are missed then, not made up.
    fn tick(&mut self, task: TaskId) {
        let index = task.index();
        if let Some(task) = self.tasks[..self.task_count].get_mut(index) {
            let next = task.now.get(index).saturating_add(1);
            task.now.set(index, next);
            self.epochs[index] = next;
        }
    }

    fn learn(&mut self, task: TaskId, other: TaskId) {
        let tasks = &mut self.tasks[..self.task_count];
        if let Ok([task, other]) = tasks.get_disjoint_mut([task.index(), other.index()]) {
            task.now.join(&other.now);
        }
    }

    /// A task and an object; nothing for a task that has not begun and for [`ObjectId::NONE`].
    fn both(&mut self, task: TaskId, object: ObjectId) -> Option<(&mut Task, &mut Clock)> {
        self.object(object)?;
        let task = self.tasks[..self.task_count].get_mut(task.index())?;
        Some((task, &mut self.objects[object.index()]))
    }

    /// An object; nothing for [`ObjectId::NONE`].
    fn object(&mut self, object: ObjectId) -> Option<&mut Clock> {
        entry(&mut self.objects, &mut self.object_count, object)
    }
}

/// What an object gives, in a list of which so many are in use; nothing for [`ObjectId::NONE`].
fn entry<'a>(
    objects: &'a mut Vec<Clock>,
    count: &mut usize,
    object: ObjectId,
) -> Option<&'a mut Clock> {
    if object == ObjectId::NONE {
        return None;
    }
    let index = object.index();
    while objects.len() <= index {
        objects.push(Clock::default());
    }
    *count = (*count).max(index + 1);
    Some(&mut objects[index])
}

/// Makes clocks those of another list, and keeps the memory.
fn copy_all(mine: &mut Vec<Clock>, theirs: &[Clock]) {
    while mine.len() < theirs.len() {
        mine.push(Clock::default());
    }
    for (mine, theirs) in mine.iter_mut().zip(theirs) {
        mine.copy(theirs);
    }
}
