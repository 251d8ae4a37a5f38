//! An execution that is to show an idiom: who comes to an event too early waits.

use super::idiom::{Event, Root};
use crate::RandomSource;
use alloc::vec::Vec;
use unpick_engine::View;
use unpick_trace::{ObjectId, TaskId};

/// Points of an execution at which somebody may be held back.
const PATIENCE: u32 = 1_000;

/// How far an execution is on its way to an idiom.
pub(super) struct Script {
    root: Root,
    /// Events that have happened.
    at: usize,
    /// The two tasks, as soon as they are known.
    tasks: [Option<TaskId>; 2],
    /// The two objects, as soon as they are known.
    objects: [Option<ObjectId>; 2],
    /// Points left at which somebody may be held back; none if it was given up.
    patience: u32,
    /// The enabled tasks that are not held back.
    free: Vec<TaskId>,
}

impl Script {
    pub fn new(root: Root) -> Script {
        Script {
            root,
            at: 0,
            tasks: [None; 2],
            objects: [None; 2],
            patience: PATIENCE,
            free: Vec::new(),
        }
    }

    pub fn root(&self) -> Root {
        self.root
    }

    /// Whether the idiom was shown.
    pub fn is_done(&self) -> bool {
        self.at == self.root.events().len()
    }

    /// The task that goes on for the sake of the idiom; `None` if anybody may.
    pub fn choose(&mut self, view: &View<'_>, source: &mut RandomSource) -> Option<TaskId> {
        if self.is_done() || self.patience == 0 {
            return None;
        }
        let mut is_held = false;
        let mut free = core::mem::take(&mut self.free);
        free.clear();
        let mut next = None;
        for task in view.enabled().iter() {
            if self.fits(view, task, self.at) {
                next = next.or(Some(task));
            } else if self.is_early(view, task) {
                is_held = true;
            } else {
                free.push(task);
            }
        }
        let chosen = match (next, free.len()) {
            (Some(task), _) => {
                self.perform(view, task);
                Some(task)
            }
            // Everybody waits for somebody who will not come.
            (None, 0) => {
                self.patience = 0;
                None
            }
            (None, count) => {
                self.patience -= u32::from(is_held);
                let last = view.last();
                let stays = free.contains(&last) && !view.yields(last);
                let place = source.below(count as u64) as usize;
                Some(if stays { last } else { free[place] })
            }
        };
        self.free = free;
        chosen
    }

    /// Whether a task stands before an event that has to come later.
    fn is_early(&self, view: &View<'_>, task: TaskId) -> bool {
        let later = self.at + 1..self.root.events().len();
        later
            .into_iter()
            .any(|number| self.fits(view, task, number))
    }

    /// Whether the next operation of a task can be the event with this number.
    fn fits(&self, view: &View<'_>, task: TaskId, number: usize) -> bool {
        let (part, place) = self.root.parts()[number];
        let op = view.next_op(task);
        Event::new(view.next_site_id(task), op.kind) == self.root.events()[number]
            && self.tasks[part].is_none_or(|known| known == task)
            && self.tasks[1 - part] != Some(task)
            && self.objects[place].is_none_or(|known| known == op.object)
    }

    fn perform(&mut self, view: &View<'_>, task: TaskId) {
        let (part, place) = self.root.parts()[self.at];
        self.tasks[part] = Some(task);
        self.objects[place] = Some(view.next_op(task).object);
        self.at += 1;
    }
}
