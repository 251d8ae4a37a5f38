//! What an execution shows: the idioms that were in it, and those that might be possible.

use super::idiom::{Event, Root};
use super::predict::{WINDOW, predict_pairs, predict_single};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use unpick_trace::{Access, ObjectId, OpKind, Trace};

/// One operation of a task on a shared object.
pub(super) struct Use {
    /// Operations of the task before it.
    at: usize,
    pub object: ObjectId,
    pub event: Event,
    pub writes: bool,
    /// The locks that are held, and which of their acquisitions by this task it is.
    pub locks: Vec<(ObjectId, u32)>,
}

/// What the tasks of an execution did to what they share.
pub(super) struct Seen {
    by_task: Vec<Vec<Use>>,
    /// Task and place in `by_task`, in the order in which it happened.
    order: Vec<(usize, usize)>,
    /// By task: its parent, and how many operations of the parent came before.
    parents: Vec<(usize, usize)>,
    /// By pair of tasks: operations of the first before it has joined the second.
    joined: BTreeMap<(usize, usize), usize>,
}

impl Seen {
    pub fn of(trace: &Trace) -> Seen {
        let count = trace.tasks.len();
        let mut seen = Seen {
            by_task: Vec::new(),
            order: Vec::new(),
            parents: alloc::vec![(0, 0); count],
            joined: BTreeMap::new(),
        };
        seen.by_task.resize_with(count, Vec::new);
        let shared = shared_objects(trace);
        let mut held: Vec<Vec<(ObjectId, u32)>> = alloc::vec![Vec::new(); count];
        let mut numbers = alloc::vec![(0usize, 0u32, 0u32); count];
        for step in trace.steps.iter().filter(|step| step.is_operation()) {
            let task = step.task.index();
            let (at, children, locks) = &mut numbers[task];
            let (kind, object) = (step.op.kind, step.op.object);
            if kind == OpKind::Spawn {
                let is_it = |child: usize| {
                    let info = &trace.tasks[child];
                    child > 0 && info.parent.index() == task && info.index == *children
                };
                if let Some(child) = (0..count).find(|&child| is_it(child)) {
                    seen.parents[child] = (task, *at);
                }
                *children += 1;
            } else if kind == OpKind::Join {
                let other = trace.tasks.iter().position(|info| info.object == object);
                seen.joined.extend(other.map(|other| ((task, other), *at)));
            } else if shared.contains(&object) && is_event(kind) {
                seen.order.push((task, seen.by_task[task].len()));
                seen.by_task[task].push(Use {
                    at: *at,
                    object,
                    event: Event::new(step.site, kind),
                    writes: step.op.access() == Access::Write,
                    locks: held[task].clone(),
                });
            }
            match kind {
                OpKind::Lock | OpKind::WriteLock => {
                    *locks += 1;
                    held[task].push((object, *locks));
                }
                OpKind::Unlock | OpKind::WriteUnlock => held[task].retain(|lock| lock.0 != object),
                _ => {}
            }
            *at += 1;
        }
        seen
    }

    /// The idioms that were in the execution.
    pub fn roots(&self) -> BTreeSet<Root> {
        let mut roots = BTreeSet::new();
        let mut writers: BTreeMap<ObjectId, (usize, usize)> = BTreeMap::new();
        let mut readers: BTreeMap<ObjectId, Vec<(usize, usize)>> = BTreeMap::new();
        let mut followers: BTreeMap<(usize, usize), Vec<(usize, usize)>> = BTreeMap::new();
        for &now in &self.order {
            let (task, place) = now;
            let one = self.get(now);
            let since = readers.entry(one.object).or_default();
            let has_read = since.iter().any(|reader| reader.0 == task);
            let mut before: Vec<(usize, usize)> = Vec::new();
            if one.writes {
                before.extend(since.iter().filter(|reader| reader.0 != task));
            }
            if !has_read && (before.is_empty() || !one.writes) {
                let writer = writers.get(&one.object);
                before.extend(writer.filter(|writer| writer.0 != task));
            }
            for &earlier in &before {
                roots.insert(Root::One([self.get(earlier).event, one.event]));
                self.close(&mut roots, &followers, (task, place), earlier);
                followers.entry(earlier).or_default().push(now);
            }
            if one.writes {
                since.clear();
                writers.insert(one.object, now);
            } else {
                since.push(now);
            }
        }
        roots
    }

    /// Adds the idioms of two dependencies whose second one is from `middle` to `last`.
    fn close(
        &self,
        roots: &mut BTreeSet<Root>,
        followers: &BTreeMap<(usize, usize), Vec<(usize, usize)>>,
        last: (usize, usize),
        middle: (usize, usize),
    ) {
        let (task, place) = last;
        for earlier in (place.saturating_sub(WINDOW)..place).rev() {
            let first = (task, earlier);
            let [a, c, d] = [first, middle, last].map(|one| self.get(one).event);
            let is_same = self.get(first).object == self.get(last).object;
            let of_middle = followers.get(&first).into_iter().flatten();
            for &second in of_middle.filter(|second| second.0 == middle.0) {
                let b = self.get(second).event;
                roots.extend(match (is_same, second.1.cmp(&middle.1)) {
                    (true, core::cmp::Ordering::Equal) => Some(Root::Two([a, c, d])),
                    (true, core::cmp::Ordering::Less) => Some(Root::Three([a, b, c, d])),
                    (false, core::cmp::Ordering::Less) => Some(Root::Four([a, b, c, d])),
                    (false, core::cmp::Ordering::Greater) => Some(Root::Five([a, c, b, d])),
                    _ => None,
                });
            }
            if is_same {
                break;
            }
        }
    }

    /// The idioms that might be possible.
    pub fn predict(&self) -> BTreeSet<Root> {
        let mut roots = BTreeSet::new();
        let count = self.by_task.len();
        for first in 0..count {
            for second in (0..count).filter(|&second| second != first) {
                let mine = self.concurrent(first, second);
                let theirs = self.concurrent(second, first);
                predict_single(&mine, &theirs, &mut roots);
                predict_pairs(&mine, &theirs, &mut roots);
            }
        }
        roots
    }

    /// The uses of a task that are not before another one was created, nor after it was joined.
    fn concurrent(&self, task: usize, other: usize) -> Vec<&Use> {
        let mut from = 0;
        let mut child = other;
        while child != 0 {
            let (parent, at) = self.parents[child];
            if parent == task {
                from = at;
                break;
            }
            child = parent;
        }
        let to = self.joined.get(&(task, other)).copied();
        let uses = self.by_task[task].iter();
        let to = to.unwrap_or(usize::MAX);
        uses.filter(|one| one.at >= from && one.at < to).collect()
    }

    fn get(&self, (task, place): (usize, usize)) -> &Use {
        &self.by_task[task][place]
    }
}

/// Whether an operation is an event of idioms: it accesses an object, or takes a lock.
fn is_event(kind: OpKind) -> bool {
    use OpKind::{Drain, Enter, Flush, ReadUnlock, Unlock, WriteUnlock};
    !matches!(
        kind,
        Unlock | ReadUnlock | WriteUnlock | Enter | Flush | Drain
    )
}

/// The objects that two tasks use and one changes.
fn shared_objects(trace: &Trace) -> BTreeSet<ObjectId> {
    let mut users: BTreeMap<ObjectId, (usize, bool, bool)> = BTreeMap::new();
    for step in trace.steps.iter().filter(|step| step.is_operation()) {
        let access = step.op.access();
        if step.op.object == ObjectId::NONE || access == Access::None {
            continue;
        }
        let task = step.task.index();
        let entry = users.entry(step.op.object).or_insert((task, false, false));
        entry.1 |= entry.0 != task;
        entry.2 |= access == Access::Write;
    }
    let shared = users
        .into_iter()
        .filter(|(_, (_, many, writes))| *many && *writes);
    shared.map(|(object, _)| object).collect()
}
