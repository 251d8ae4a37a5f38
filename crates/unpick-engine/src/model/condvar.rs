//! Waiting and waking: condition variables, parks, and waits that end by themselves.

use crate::{Effect, Execution, Grant, Strategy, object::State, recording::Call};
use unpick_trace::{ObjectId, Op, OpKind, TaskId};

impl Execution {
    /// Takes in a task that is about to wait without a deadline.
    #[inline(never)]
    pub(crate) fn arrive_at_wait(&mut self, task: TaskId, op: Op) {
        let object = &mut self.objects[op.object.index()];
        object.begin_wait(task);
        let slot = &self.tasks[task.index()];
        if !slot.is_woken && !object.has_token_for(slot.ticket) {
            self.hold_up(task);
        }
    }

    /// Ends a wait without a deadline.
    #[inline(never)]
    pub(crate) fn perform_wait(&mut self, task: TaskId, op: Op) {
        self.objects[op.object.index()].end_wait(task);
        let was_woken = self.tasks[task.index()].is_woken;
        self.consume_notification(task, op.object);
        self.note_change(task);
        // Waiters compete for single notifications only.
        if !was_woken {
            self.refresh(op.object);
        }
    }

    /// Notifies one waiter or all.
    #[inline(never)]
    pub(crate) fn perform_notify(&mut self, task: TaskId, op: Op) {
        self.notify(&op);
        self.note_change(task);
        if op.kind == OpKind::NotifyOne {
            self.refresh(op.object);
        }
    }

    /// A waiter's time is over: it leaves its queue.
    pub(super) fn give_up(&mut self, task: TaskId, op: &Op) -> Grant {
        let was_woken = core::mem::take(&mut self.tasks[task.index()].is_woken);
        if op.kind == OpKind::Wait && !was_woken {
            let object = &mut self.objects[op.object.index()];
            if let State::Condvar { waiting, .. } = &mut object.state {
                *waiting -= 1;
            }
            self.drop_stale_tokens(op.object);
        }
        // A park uses up its token also when its time was over.
        if let State::Task { token, .. } = &mut self.objects[op.object.index()].state {
            *token = false;
        }
        Grant::TimedOut
    }

    /// Drops the notifications for which no waiter is left to consume them.
    fn drop_stale_tokens(&mut self, condvar: ObjectId) {
        let mut kept = 0;
        while let Some(&top) = self.objects[condvar.index()].tokens.get(kept) {
            let waiting = self.objects[condvar.index()].waiting.bits();
            let covered = waiting.iter().filter(|waiter| {
                let slot = &self.tasks[waiter.index()];
                !slot.is_woken && slot.ticket < top
            });
            if covered.count() > kept {
                kept += 1;
            } else {
                self.objects[condvar.index()].tokens.remove(kept);
            }
        }
    }

    /// Makes a running task a waiter of a condition variable, within the transition that released
    /// the mutex. The strategy says whether the wait will end by itself. `false` means that the
    /// execution is over.
    pub fn enlist(&mut self, task: TaskId, condvar: ObjectId, strategy: &mut dyn Strategy) -> bool {
        self.record(Call::Enlist(task, condvar));
        let Some(woken) = self.spurious_wake(task, strategy) else {
            return false;
        };
        let State::Condvar { serial, waiting } = &mut self.objects[condvar.index()].state else {
            panic!("internal error: {condvar:?} is not a condition variable");
        };
        let slot = &mut self.tasks[task.index()];
        slot.ticket = *serial;
        slot.is_woken = woken;
        *serial += 1;
        if !woken {
            *waiting += 1;
        }
        self.watch.intents.retain(|(of, _)| *of != task);
        self.mark(Effect::Enlists(condvar));
        true
    }

    /// How many waiters the last notification was meant for that none was meant for before.
    pub fn notified_count(&self) -> u32 {
        self.notified_count
    }

    /// Lets a park that begins now end by itself, if the strategy says so. `false` means that the
    /// execution is over.
    pub fn prepare_park(&mut self, task: TaskId, strategy: &mut dyn Strategy) -> bool {
        self.record(Call::PreparePark(task));
        match self.spurious_wake(task, strategy) {
            Some(woken) => self.tasks[task.index()].is_woken = woken,
            None => return false,
        }
        true
    }

    #[inline]
    pub(super) fn notify(&mut self, op: &Op) -> Grant {
        let object = &mut self.objects[op.object.index()];
        let State::Condvar { serial, waiting } = &mut object.state else {
            panic!("internal error: {op:?} needs a condition variable");
        };
        if op.kind == OpKind::NotifyOne {
            let is_heard = object.tokens.len() < *waiting as usize;
            if is_heard {
                object.tokens.push(*serial);
            }
            self.notified_count = u32::from(is_heard);
            return Grant::Done;
        }
        self.notified_count = *waiting - object.tokens.len() as u32;
        *waiting = 0;
        object.tokens.clear();
        if object.waiting_count > 0 {
            for task in object.waiting.bits().iter() {
                self.tasks[task.index()].is_woken = true;
                self.enabled_count += usize::from(self.enabled.insert(task));
            }
        }
        Grant::Done
    }

    pub(super) fn consume_notification(&mut self, task: TaskId, condvar: ObjectId) -> Grant {
        let slot = &mut self.tasks[task.index()];
        if slot.is_woken {
            slot.is_woken = false;
            return Grant::Done;
        }
        let object = &mut self.objects[condvar.index()];
        // The smallest token that covers this waiter leaves the others the most freedom.
        let position = object.tokens.iter().position(|&top| slot.ticket < top);
        object
            .tokens
            .remove(position.expect("internal error: no notification to consume"));
        if let State::Condvar { waiting, .. } = &mut object.state {
            *waiting -= 1;
        }
        Grant::Done
    }
}
