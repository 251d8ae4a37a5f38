//! When a replica dies: who follows a primary, and what is built anew.

use super::replica_info::{Life, ReplicaInfo};
use super::{Bug, ServiceRuntime};
use crate::api::Factory;
use crate::buffer::Removal;
use crate::election::News;
use crate::protocol::{ConsumerProxy, Epoch, Instance, Operation, Role, ServiceProxy, Stream};
use unpick_actors::Context;

impl<F: Factory> ServiceRuntime<F> {
    /// A replica is dead. A primary is followed by a new replica with an id of its own, others are built anew.
    pub(super) async fn fail(&mut self, context: &Context<ServiceProxy>, instance: Instance) {
        let Some(index) = self.index_of(instance) else {
            return;
        };
        self.replicas[index].host.abort();
        if self.primary == Some(instance.id) {
            return self.lose_primary(context, index).await;
        }
        let info = &mut self.replicas[index];
        info.life = Life::Closed;
        info.role = Role::None;
        info.listed = None;
        self.publish();
        self.rebuild(context);
        self.promote(context).await;
    }

    fn index_of(&self, instance: Instance) -> Option<usize> {
        let mut known = self.replicas.iter();
        known.position(|info| info.instance == instance)
    }

    async fn lose_primary(&mut self, context: &Context<ServiceProxy>, index: usize) {
        let dead = self.replicas.remove(index);
        self.disks.extend(dead.disk);
        self.primary = None;
        self.tell(News::Lost);
        for pending in std::mem::take(&mut self.pending).into_values() {
            pending.completion.failed();
        }
        if !self.has(Bug::DontClearCreateReplicasList) {
            self.wanted.clear();
        }
        for info in &mut self.replicas {
            if !info.is_active() && info.life == Life::Wanted {
                info.life = Life::Cancelled;
                info.listed = None;
                info.host.close();
            }
        }
        self.publish();
        self.is_promoting = true;
        self.promote(context).await;
    }

    /// Promotes a secondary, once that is possible, or begins with another replica if there is none.
    pub(super) async fn promote(&mut self, context: &Context<ServiceProxy>) {
        if !self.is_promoting {
            return;
        }
        let active = || self.replicas.iter().filter(|info| info.is_active());
        let is_hasty = self.has(Bug::PromotePrimaryImmediately);
        let is_short_sighted = self.has(Bug::PromotePrimaryImmediatelyBadFix);
        // The one that has most, so that nobody has what the new primary does not have.
        let best = match is_hasty || is_short_sighted {
            true => active().next(),
            false => active().rev().max_by_key(|info| info.acknowledged),
        };
        let Some(best) = best else {
            self.is_promoting = false;
            self.epoch.data_loss += 1;
            self.epoch.configuration += 1;
            return self.want(context, Role::Primary).await;
        };
        let must_wait = match (is_hasty, is_short_sighted) {
            (true, _) => false,
            (_, true) => !best.is_settled(),
            _ => active().any(|info| !info.is_settled()),
        };
        if !must_wait {
            self.become_primary(best.instance);
        }
    }

    fn become_primary(&mut self, instance: Instance) {
        self.is_promoting = false;
        self.epoch.configuration += 1;
        self.primary = Some(instance.id);
        let is_hurried = self.has(Bug::UpdateSecondaryEpochTooEarly);
        let (epoch, listed_early) = (self.epoch, self.has(Bug::UpdateServiceEndpointTooEarly));
        let Some(info) = self.find(instance) else {
            return;
        };
        let last = info.acknowledged;
        info.sent = last;
        info.replication.retain_responses(|_| false);
        info.replication.add_response(None);
        info.replication.process_matching(end_of_stream);
        info.host.change_role(Role::Primary);
        self.inherited = last;
        let is_inherited = |operation: &Operation| operation.lsn <= last;
        for info in self.replicas.iter_mut().filter(|info| info.is_active()) {
            if info.instance == instance {
                continue;
            }
            let is_kept = |operation: &Option<_>| operation.as_ref().is_some_and(is_inherited);
            info.replication.retain_responses(is_kept);
            if is_hurried {
                tell_epoch(info, epoch);
            }
        }
        if listed_early {
            self.publish();
        }
    }
}

/// Delivers the end of a stream, which stays.
fn end_of_stream(consumer: &ConsumerProxy, _: &Option<Operation>) -> Removal {
    consumer.next(Stream::Replication, None);
    Removal::Request
}

/// Tells a secondary that there is a new primary.
pub(super) fn tell_epoch(info: &mut ReplicaInfo, epoch: Epoch) {
    if info.told != Some(epoch) {
        info.told = Some(epoch);
        info.provider.update_epoch(epoch);
    }
}
