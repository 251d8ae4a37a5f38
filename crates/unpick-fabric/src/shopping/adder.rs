//! One addition to the list, from its replication to its answer.

use super::monitor::{Held, MonitorProxy};
use super::state::{Entry, addition};
use crate::api::Replicator;
use crate::protocol::{Completion, CompletionProxy, Item, Lsn, Operation};
use crate::{Bug, Bugs};
use unpick_actors::{Context, Reply, actor};

/// One addition.
#[actor]
pub(super) trait Adder: crate::protocol::Completion {
    /// Replicates it.
    async fn begin(&mut self, context: &Context<AdderProxy>);
}

/// One addition.
pub(super) struct Adding {
    pub bugs: Bugs,
    pub monitor: MonitorProxy,
    pub replicator: Replicator,
    pub number: u64,
    pub item: Item,
    /// None once the list knows who waits.
    pub done: Option<Reply<bool>>,
}

impl Adding {
    fn answer(&mut self, is_done: bool) {
        if let Some(done) = self.done.take() {
            done.send(is_done);
        }
    }

    /// Replicates the item, and answers what is to be applied.
    async fn replicate(&mut self, completion: CompletionProxy) -> Option<Operation> {
        let data = addition(self.number, self.item);
        let (lsn, epoch) = self
            .replicator
            .replicate(data.clone(), completion)
            .await
            .ok()?;
        Some(Operation { lsn, epoch, data })
    }

    fn enter(&mut self, list: &mut Held, operation: Operation) {
        list.entered.push_back(Entry {
            operation,
            is_confirmed: false,
            done: self.done.take(),
        });
    }
}

impl Adder for Adding {
    async fn begin(&mut self, context: &Context<AdderProxy>) {
        let me = CompletionProxy::from(context.me().clone());
        let early = match self.bugs.has(Bug::DoReplicateWithoutMutex) {
            true => match self.replicate(me.clone()).await {
                None => {
                    self.answer(false);
                    return context.halt();
                }
                early => early,
            },
            false => None,
        };
        let Ok(mut list) = self.monitor.lock().await else {
            return context.halt();
        };
        let known = list.find(self.number);
        let operation = match (early, known) {
            (Some(early), _) => Some(early),
            (None, Some(_)) => None,
            (None, None) => self.replicate(me).await,
        };
        match operation {
            Some(operation) => self.enter(&mut list, operation),
            None => {
                self.answer(known == Some(true));
                context.halt();
            }
        }
        self.monitor.unlock(list);
    }
}

impl Completion for Adding {
    async fn committed(&mut self, context: &Context<CompletionProxy>, lsn: Lsn) {
        context.halt();
        let Ok(mut list) = self.monitor.lock().await else {
            return;
        };
        let is_hasty = self.bugs.has(Bug::CommitAckedOpImmediately)
            || self.bugs.has(Bug::CommitAckedOpImmediatelySkipAssertions);
        let mut entered = list.entered.iter_mut();
        if let Some(entry) = entered.find(|entry| entry.operation.lsn == lsn) {
            entry.is_confirmed = true;
        }
        // Confirmations change places; operations must not.
        let is_due = |entry: &Entry, index| entry.is_confirmed && (is_hasty || index == 0);
        while let Some(due) = (0..list.entered.len()).find(|&at| is_due(&list.entered[at], at))
            && let Some(Entry {
                operation, done, ..
            }) = list.entered.remove(due)
        {
            let is_stored = list.apply(operation);
            if let Some(done) = done.filter(|_| is_stored) {
                done.send(true);
            }
        }
        self.monitor.unlock(list);
        self.monitor.pulse();
    }

    fn failed(&mut self, context: &Context<CompletionProxy>) {
        context.halt();
    }
}
