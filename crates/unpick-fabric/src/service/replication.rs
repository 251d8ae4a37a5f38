//! What is replicated and copied.

use super::failover::tell_epoch;
use super::replica_info::{Life, ReplicaInfo};
use super::{Bug, ServiceRuntime};
use crate::Replication;
use crate::api::Factory;
use crate::buffer::{Buffer, Removal};
use crate::protocol::{
    CompletionProxy, Data, Epoch, Instance, Lsn, NotReplicated, Operation, Role, ServiceProxy,
    Stream,
};

/// An operation that not enough secondaries have.
pub(super) struct Pending {
    pub completion: CompletionProxy,
    pub operation: Operation,
}

impl<F: Factory> ServiceRuntime<F> {
    /// How many secondaries must have an operation: at least half of them.
    fn quorum(&self) -> usize {
        (self.plan.replica_count - 1).div_ceil(2)
    }

    /// Gives an operation of the primary a number, and sends it out to the secondaries.
    pub(super) fn send_out(
        &mut self,
        me: &ServiceProxy,
        instance: Instance,
        data: Data,
        completion: CompletionProxy,
    ) -> Result<(Lsn, Epoch), NotReplicated> {
        if !self.has_primary(instance) {
            return Err(NotReplicated::NotPrimary);
        }
        let epoch = self.epoch;
        let active = || self.replicas.iter().filter(|info| info.is_active());
        if self.has(Bug::BadAssertInPrimaryReplicateOp) {
            let is_new = |known: Epoch| known == Epoch::default() || known == epoch;
            assert!(
                active().all(|info| is_new(info.epoch)),
                "a secondary is of an older epoch"
            );
        }
        if active().count() < self.quorum() {
            return Err(NotReplicated::NoQuorum);
        }
        if self.pending.len() >= self.settings.queue_operations_max {
            return Err(NotReplicated::QueueFull);
        }
        let Some(primary) = self.find(instance) else {
            return Err(NotReplicated::NotPrimary);
        };
        primary.sent += 1;
        let lsn = primary.sent;
        let operation = Operation { lsn, epoch, data };
        let is_receiving = |info: &&ReplicaInfo| info.is_receiving && info.life == Life::Wanted;
        let receiving = self.replicas.iter().filter(is_receiving);
        let receiving: Vec<Instance> = receiving.map(|info| info.instance).collect();
        for to in receiving {
            match self.plan.replication {
                Replication::Second => self.set_out(to, operation.clone()),
                Replication::First => me.send_replicate(to, operation.clone()),
            }
        }
        let pending = Pending {
            completion,
            operation,
        };
        self.pending.insert(lsn, pending);
        Ok((lsn, epoch))
    }

    fn has_primary(&self, instance: Instance) -> bool {
        let is_it = |info: &ReplicaInfo| {
            info.instance == instance && info.role == Role::Primary && info.life == Life::Wanted
        };
        self.primary == Some(instance.id) && self.replicas.iter().any(is_it)
    }

    /// Puts an operation into the stream of a secondary. What a dead primary had under way is dropped, unless the new
    /// one has it.
    pub(super) fn set_out(&mut self, to: Instance, operation: Operation) {
        let is_lost = operation.epoch != self.epoch && operation.lsn > self.inherited;
        // While nobody is the primary that cannot be known yet: it waits with the others.
        if is_lost && !self.is_promoting {
            return;
        }
        if let Some(info) = self.find(to) {
            info.replication.add_response(Some(operation));
            self.deliver_operations(to);
        }
    }

    /// A secondary has told what it has. The primary is asked for the rest, and from here on the secondary gets what
    /// is replicated.
    pub(super) fn begin_copy(&mut self, instance: Instance, copy_context: Vec<Data>) {
        let primary = self.ready_primary();
        let primary = primary.map(|info| (info.provider.clone(), info.sent));
        let pending = self.pending.values().map(|one| one.operation.clone());
        let pending: Vec<Operation> = pending.collect();
        let Some(info) = self.find(instance) else {
            return;
        };
        let Some((provider, sent)) = primary.filter(|_| info.life == Life::Wanted) else {
            return;
        };
        // What is not confirmed yet is no part of the copy: it comes with what is replicated.
        let up_to = pending.first().map_or(sent, |first| first.lsn - 1);
        info.is_receiving = true;
        info.delivered = up_to;
        info.acknowledged = up_to;
        for operation in pending {
            info.replication.add_response(Some(operation));
        }
        provider.copy_state(instance, up_to, copy_context);
    }

    /// Hands over what there is of a copy. At its end the secondary becomes active, if it is still wanted.
    pub(super) fn deliver_copy(&mut self, instance: Instance) {
        let is_trusting = self.has(Bug::SecondaryCopyStreamDoneButCancelled);
        let Some(info) = self.find(instance) else {
            return;
        };
        let mut is_done = false;
        info.copy.process_matching(|consumer, next| {
            consumer.next(Stream::Copy, next.clone());
            is_done = next.is_none();
            match next {
                Some(_) => Removal::Both,
                None => Removal::Request,
            }
        });
        if is_done && info.role == Role::IdleSecondary {
            match info.life {
                Life::Wanted => info.host.change_role(Role::ActiveSecondary),
                Life::Cancelled if is_trusting => {
                    info.life = Life::Wanted;
                    info.host.change_role(Role::ActiveSecondary);
                }
                Life::Cancelled | Life::Closed => {}
            }
        }
    }

    pub(super) fn deliver_to_all(&mut self) {
        let all: Vec<Instance> = self.replicas.iter().map(|info| info.instance).collect();
        all.into_iter().for_each(|one| self.deliver_operations(one));
    }

    /// Hands over what a secondary has asked for. While the primary changes nobody gets anything; and before the first
    /// operation of an epoch a secondary learns of that, when it has applied all that came before.
    pub(super) fn deliver_operations(&mut self, instance: Instance) {
        let is_waiting = self.is_promoting && !self.has(Bug::PromotePrimaryImmediatelyBadFix);
        let is_pushing = self.plan.replication == Replication::First;
        let can_go_on = |info: &&mut ReplicaInfo| !is_waiting && info.life == Life::Wanted;
        let Some(info) = self.find(instance).filter(can_go_on) else {
            return;
        };
        let mut buffer = std::mem::replace(&mut info.replication, Buffer::new());
        buffer.process_matching(|consumer, next| {
            let Some(operation) = next else {
                consumer.next(Stream::Replication, None);
                return Removal::Request;
            };
            if operation.epoch > info.epoch {
                if info.is_settled() {
                    tell_epoch(info, operation.epoch);
                }
                return Removal::Neither;
            }
            info.delivered = operation.lsn;
            consumer.next(Stream::Replication, Some(operation.clone()));
            match is_pushing {
                true => Removal::Response,
                false => Removal::Both,
            }
        });
        info.replication = buffer;
    }

    /// Tells who waits for operations that enough active secondaries have by now.
    pub(super) fn commit(&mut self) {
        let quorum = self.quorum();
        let active = self.replicas.iter().filter(|info| info.is_active());
        let have: Vec<Lsn> = active.map(|info| info.acknowledged).collect();
        let is_enough = |lsn: &Lsn| have.iter().filter(|&last| last >= lsn).count() >= quorum;
        for (lsn, pending) in self.pending.extract_if(.., |lsn, _| is_enough(lsn)) {
            pending.completion.committed(lsn);
        }
    }
}
