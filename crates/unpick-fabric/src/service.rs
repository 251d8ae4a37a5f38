//! The platform's side of a service: its replicas, replication, copies, failover.
//!
//! First there is a primary, then secondaries. Numbers of operations belong to the primary and are lost with it:
//! the one that is promoted goes on with its own. A secondary that has not caught up when the primary changes is
//! destroyed, and another one begins.

use crate::protocol::{
    AdderProxy, ClusterProxy, Endpoint, Item, Lsn, Operation, ReplicaId, ReplicaProxy, Role,
    Service, ServiceProxy,
};
use crate::replica::ShoppingList;
use crate::stream::Stream;
use crate::{Bug, Bugs};
use std::collections::{BTreeMap, VecDeque};
use unpick_actors::{Context, Proxy};

/// What the platform knows of a replica.
struct ReplicaInfo {
    id: ReplicaId,
    /// None until it has one.
    role: Option<Role>,
    /// What others believe it is.
    listed: Option<Role>,
    replica: ReplicaProxy,
    copy: Stream<Operation>,
    operations: Stream<Operation>,
    /// Whether it gets what is replicated: from the moment at which its copy was asked for.
    is_receiving: bool,
    delivered: Lsn,
    acknowledged: Lsn,
    epoch: u64,
}

impl ReplicaInfo {
    fn is_active(&self) -> bool {
        self.role == Some(Role::ActiveSecondary)
    }

    fn is_settled(&self) -> bool {
        self.acknowledged == self.delivered
    }
}

/// An operation that not enough secondaries have.
struct Pending {
    adder: AdderProxy,
    operation: Operation,
    missing: usize,
}

/// The platform's side of a service.
pub(crate) struct ServiceRuntime {
    bugs: Bugs,
    replica_count: usize,
    cluster: ClusterProxy,
    replicas: Vec<ReplicaInfo>,
    primary: Option<ReplicaId>,
    /// The last number that the primary has given out.
    sent: Lsn,
    epoch: u64,
    /// The roles of replicas that wait for their ids.
    wanted: VecDeque<Role>,
    pending: BTreeMap<Lsn, Pending>,
    is_promoting: bool,
}

impl ServiceRuntime {
    pub fn new(bugs: Bugs, replica_count: usize, cluster: ClusterProxy) -> ServiceRuntime {
        ServiceRuntime {
            bugs,
            replica_count,
            cluster,
            replicas: Vec::new(),
            primary: None,
            sent: 0,
            epoch: 0,
            wanted: VecDeque::new(),
            pending: BTreeMap::new(),
            is_promoting: false,
        }
    }

    fn find(&mut self, id: ReplicaId) -> Option<&mut ReplicaInfo> {
        self.replicas.iter_mut().find(|info| info.id == id)
    }

    async fn want(&mut self, context: &Context<ServiceProxy>, role: Role) {
        if self.bugs.has(Bug::BlockForNextId) {
            if let Ok(id) = self.cluster.next_id().await {
                self.create(context, id, role);
            }
            return;
        }
        self.wanted.push_back(role);
        self.cluster.want_id();
    }

    fn create(&mut self, context: &Context<ServiceProxy>, id: ReplicaId, role: Role) {
        let list = ShoppingList::new(self.bugs, id, context.me().clone());
        let replica = ReplicaProxy::create(context.system(), format!("replica {id}"), list);
        replica.change_role(role);
        if role == Role::Primary {
            self.primary = Some(id);
        }
        self.replicas.push(ReplicaInfo {
            id,
            role: None,
            listed: None,
            replica,
            copy: Stream::new(),
            operations: Stream::new(),
            is_receiving: false,
            delivered: 0,
            acknowledged: 0,
            epoch: self.epoch,
        });
        assert!(
            self.replicas.len() <= self.replica_count,
            "there are more replicas than wanted"
        );
    }

    fn publish(&mut self) {
        let endpoints = self.endpoints();
        self.cluster.publish(endpoints);
    }

    fn deliver_copy(&mut self, id: ReplicaId) {
        let Some(info) = self.find(id) else { return };
        while let Some(next) = info.copy.next() {
            info.replica.copy_operation(next);
            if next.is_none() {
                info.replica.change_role(Role::ActiveSecondary);
            }
        }
    }

    fn deliver_operations(&mut self, id: ReplicaId) {
        let (epoch, is_promoting) = (self.epoch, self.is_promoting);
        let is_waiting = is_promoting && !self.bugs.has(Bug::PromotePrimaryImmediatelyBadFix);
        let Some(info) = self.find(id).filter(|_| !is_waiting) else {
            return;
        };
        while let Some(Some(operation)) = info.operations.next() {
            if info.epoch != epoch {
                info.epoch = epoch;
                info.replica.update_epoch(epoch);
            }
            info.delivered = operation.lsn;
            info.replica.operation(operation);
        }
    }

    /// Promotes a secondary, once that is possible, or begins anew if there is none.
    async fn promote(&mut self, context: &Context<ServiceProxy>) {
        if !self.is_promoting {
            return;
        }
        let active = || self.replicas.iter().filter(|info| info.is_active());
        let is_hasty = self.bugs.has(Bug::PromotePrimaryImmediately);
        let is_short_sighted = self.bugs.has(Bug::PromotePrimaryImmediatelyBadFix);
        // The one that has most, so that nobody has what the new primary does not have.
        let best = match is_hasty || is_short_sighted {
            true => active().next(),
            false => active().rev().max_by_key(|info| info.acknowledged),
        };
        let Some(best) = best else {
            self.is_promoting = false;
            self.sent = 0;
            self.epoch += 1;
            return self.want(context, Role::Primary).await;
        };
        let must_wait = match (is_hasty, is_short_sighted) {
            (true, _) => false,
            (_, true) => !best.is_settled(),
            _ => active().any(|info| !info.is_settled()),
        };
        if must_wait {
            return;
        }
        let (id, last, replica) = (best.id, best.acknowledged, best.replica.clone());
        self.is_promoting = false;
        self.sent = last;
        self.epoch += 1;
        self.primary = Some(id);
        for info in &mut self.replicas {
            info.operations.retain(|operation| operation.lsn <= last);
        }
        replica.change_role(Role::Primary);
    }
}

impl Service for ServiceRuntime {
    async fn start(&mut self, context: &Context<ServiceProxy>) {
        self.want(context, Role::Primary).await;
    }

    fn take_id(&mut self, context: &Context<ServiceProxy>, id: ReplicaId) {
        // If none is wanted any more, it is left unused.
        if let Some(role) = self.wanted.pop_front() {
            self.create(context, id, role);
        }
    }

    async fn role_changed(&mut self, context: &Context<ServiceProxy>, id: ReplicaId, role: Role) {
        let is_listed_early = self.bugs.has(Bug::UpdateServiceEndpointTooEarly);
        let Some(info) = self.find(id) else { return };
        let is_promoted = role == Role::Primary && info.role.is_some();
        info.role = Some(role);
        if !(is_promoted && is_listed_early) {
            info.listed = Some(role);
        }
        self.publish();
        if role == Role::Primary {
            let missing = self.replica_count - self.replicas.len();
            for _ in self.wanted.len()..missing {
                self.want(context, Role::IdleSecondary).await;
            }
            let ids: Vec<ReplicaId> = self.replicas.iter().map(|info| info.id).collect();
            ids.into_iter().for_each(|id| self.deliver_operations(id));
        }
    }

    fn copy_context(&mut self, id: ReplicaId, last: Lsn) {
        let primary = self.primary.and_then(|id| self.find(id));
        let primary = primary.map(|info| info.replica.clone());
        if self.bugs.has(Bug::GetCopyStreamNPE) {
            assert!(primary.is_some(), "there is no primary to copy from");
        }
        // What is not confirmed yet is no part of the copy: it comes with what is replicated.
        let pending: Vec<Operation> = self.pending.values().map(|one| one.operation).collect();
        let up_to = pending.first().map_or(self.sent, |first| first.lsn - 1);
        if let (Some(primary), Some(info)) = (primary, self.find(id)) {
            info.is_receiving = true;
            info.delivered = up_to;
            info.acknowledged = up_to;
            pending.into_iter().for_each(|one| info.operations.add(one));
            primary.get_copy_state(id, last, up_to);
        }
    }

    fn copy_state(&mut self, id: ReplicaId, operations: Vec<Operation>) {
        if let Some(info) = self.find(id) {
            operations.into_iter().for_each(|one| info.copy.add(one));
            info.copy.end();
            self.deliver_copy(id);
        }
    }

    fn next_copy(&mut self, id: ReplicaId) {
        if let Some(info) = self.find(id) {
            info.copy.request();
            self.deliver_copy(id);
        }
    }

    fn next_operation(&mut self, id: ReplicaId) {
        if let Some(info) = self.find(id) {
            info.operations.request();
            self.deliver_operations(id);
        }
    }

    fn replicate(&mut self, id: ReplicaId, item: Item, adder: AdderProxy) -> Option<Lsn> {
        if self.primary != Some(id) {
            return None;
        }
        let mut others = self.replicas.iter().filter(|info| info.id != id);
        if self.bugs.has(Bug::BadAssertInPrimaryReplicateOp) {
            assert!(
                others.all(|info| info.is_active()),
                "a secondary is not active"
            );
        }
        self.sent += 1;
        let lsn = self.sent;
        let operation = Operation { lsn, item };
        let pending = Pending {
            adder,
            operation,
            // At least half of the secondaries.
            missing: (self.replica_count - 1).div_ceil(2),
        };
        self.pending.insert(lsn, pending);
        let mut receiving = Vec::new();
        for info in &mut self.replicas {
            if info.is_receiving && info.id != id {
                info.operations.add(operation);
                receiving.push(info.id);
            }
        }
        receiving
            .into_iter()
            .for_each(|id| self.deliver_operations(id));
        Some(lsn)
    }

    async fn acknowledge(&mut self, context: &Context<ServiceProxy>, id: ReplicaId, lsn: Lsn) {
        let Some(info) = self.find(id) else { return };
        info.acknowledged = lsn;
        if let Some(pending) = self.pending.get_mut(&lsn) {
            pending.missing -= 1;
            if pending.missing == 0
                && let Some(Pending {
                    adder, operation, ..
                }) = self.pending.remove(&lsn)
            {
                adder.committed(operation);
            }
        }
        self.promote(context).await;
    }

    async fn kill_primary(&mut self, context: &Context<ServiceProxy>) {
        let Some(id) = self.primary.take() else {
            return;
        };
        for pending in std::mem::take(&mut self.pending).into_values() {
            pending.adder.halt();
        }
        if !self.bugs.has(Bug::DontClearCreateReplicasList) {
            self.wanted.clear();
        }
        let is_kept = |info: &ReplicaInfo| info.id != id && info.is_active();
        for info in self.replicas.extract_if(.., |info| !is_kept(info)) {
            info.replica.halt();
        }
        self.publish();
        self.is_promoting = true;
        self.promote(context).await;
    }

    fn endpoints(&mut self) -> Vec<Endpoint> {
        let known = self.replicas.iter();
        known
            .filter_map(|info| {
                let replica = info.replica.clone();
                info.listed.map(|role| Endpoint { role, replica })
            })
            .collect()
    }
}
