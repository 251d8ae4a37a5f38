//! The platform's side of a service: its replicas from their construction to their end.
//!
//! First there is a primary, then secondaries. A secondary that has not caught up when the primary changes is closed,
//! and built anew once there is a primary. `replication` has what is replicated and copied, `failover` what happens
//! when a replica dies.

mod failover;
mod replica_info;
mod replication;

use crate::api::{Factory, Process};
use crate::disk::Disk;
use crate::election::{Election, News};
use crate::protocol::{
    ClusterProxy, CompletionProxy, ConsumerProxy, Data, Endpoint, Epoch, Instance, Lsn,
    NotReplicated, Operation, ReplicaId, Role, Service, ServiceProxy, Settings, Url, Victim,
};
use crate::wrapper::build;
use crate::{Bug, Bugs, Replication};
use replica_info::{Life, ReplicaInfo};
use replication::Pending;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use unpick_actors::{Context, Watched};

/// What is said of a service when it is created.
pub(crate) struct Plan<F> {
    pub name: String,
    pub replica_count: usize,
    pub bugs: Bugs,
    pub replication: Replication,
    pub is_durable: bool,
    pub factory: Arc<F>,
    pub election: Option<Watched<Election>>,
}

/// The platform's side of a service.
pub(crate) struct ServiceRuntime<F> {
    plan: Plan<F>,
    cluster: ClusterProxy,
    replicas: Vec<ReplicaInfo>,
    /// The primary, or who becomes it.
    primary: Option<ReplicaId>,
    epoch: Epoch,
    /// The last number that the primary had when its epoch began.
    inherited: Lsn,
    /// The roles of replicas that wait for their ids.
    wanted: VecDeque<Role>,
    pending: BTreeMap<Lsn, Pending>,
    settings: Settings,
    is_promoting: bool,
    /// What is left of primaries that died, the latest last.
    disks: Vec<Disk>,
}

impl<F: Factory> ServiceRuntime<F> {
    pub fn new(plan: Plan<F>, cluster: ClusterProxy) -> ServiceRuntime<F> {
        ServiceRuntime {
            plan,
            cluster,
            replicas: Vec::new(),
            primary: None,
            epoch: Epoch {
                data_loss: 0,
                configuration: 1,
            },
            inherited: 0,
            wanted: VecDeque::new(),
            pending: BTreeMap::new(),
            settings: Settings::default(),
            is_promoting: false,
            disks: Vec::new(),
        }
    }

    fn has(&self, bug: Bug) -> bool {
        self.plan.bugs.has(bug)
    }

    /// A replica, unless it was built anew since.
    fn find(&mut self, instance: Instance) -> Option<&mut ReplicaInfo> {
        let mut known = self.replicas.iter_mut();
        known.find(|info| info.instance == instance)
    }

    /// The primary, once it is one.
    fn ready_primary(&mut self) -> Option<&mut ReplicaInfo> {
        let id = self.primary?;
        let mut known = self.replicas.iter_mut();
        known.find(|info| info.instance.id == id && info.role == Role::Primary)
    }

    fn tell(&self, news: News) {
        if let Some(election) = &self.plan.election {
            election.tell(news);
        }
    }

    async fn want(&mut self, context: &Context<ServiceProxy>, role: Role) {
        if self.has(Bug::BlockForNextId) {
            if let Ok(id) = self.cluster.next_id().await {
                self.create(context, id, role);
            }
            return;
        }
        self.wanted.push_back(role);
        self.cluster.want_id(self.plan.name.clone());
    }

    /// Constructs a replica with a new id.
    fn create(&mut self, context: &Context<ServiceProxy>, id: ReplicaId, role: Role) {
        let disk = match (self.plan.is_durable, self.disks.pop()) {
            (true, left) => Some(left.unwrap_or_default()),
            (false, _) => None,
        };
        if role == Role::Primary {
            self.primary = Some(id);
        }
        let instance = Instance { id, build: 1 };
        let info = self.build(context, instance, role, disk);
        self.replicas.push(info);
        assert!(
            self.replicas.len() <= self.plan.replica_count,
            "there are more replicas than wanted"
        );
    }

    fn build(
        &self,
        context: &Context<ServiceProxy>,
        instance: Instance,
        role: Role,
        disk: Option<Disk>,
    ) -> ReplicaInfo {
        let process = Process::new(instance, context.system(), &self.cluster, disk.clone());
        let (host, provider) = build(&*self.plan.factory, &process, context.me());
        host.initialize();
        host.open();
        ReplicaInfo::new(instance, role, (host, provider), disk)
    }

    /// Builds replicas anew that were closed, if there is a primary to copy from.
    fn rebuild(&mut self, context: &Context<ServiceProxy>) {
        if self.ready_primary().is_none() {
            return;
        }
        for index in 0..self.replicas.len() {
            let ReplicaInfo { instance, life, .. } = self.replicas[index];
            if life == Life::Closed {
                let disk = self.replicas[index].disk.take();
                let build = instance.build + 1;
                let instance = Instance { build, ..instance };
                self.replicas[index] = self.build(context, instance, Role::IdleSecondary, disk);
            }
        }
    }

    fn publish(&mut self) {
        let endpoints = self.endpoints();
        self.cluster.publish(self.plan.name.clone(), endpoints);
    }

    /// A replica is the primary now: it gets secondaries, and they get what waits for them.
    async fn begin_epoch(&mut self, context: &Context<ServiceProxy>) {
        self.tell(News::Elected);
        self.rebuild(context);
        let missing = self.plan.replica_count - self.replicas.len();
        for _ in self.wanted.len()..missing {
            self.want(context, Role::IdleSecondary).await;
        }
        self.deliver_to_all();
    }
}

impl<F: Factory> Service for ServiceRuntime<F> {
    async fn start(&mut self, context: &Context<ServiceProxy>) {
        self.tell(News::Lost);
        self.want(context, Role::Primary).await;
    }

    fn take_id(&mut self, context: &Context<ServiceProxy>, id: ReplicaId) {
        // If none is wanted any more, it is left unused.
        if let Some(role) = self.wanted.pop_front() {
            self.create(context, id, role);
        }
    }

    fn opened(&mut self, instance: Instance) {
        let has_lost_data = self.epoch.data_loss > 0;
        let Some(info) = self.find(instance) else {
            return;
        };
        match info.first_role {
            Role::Primary if has_lost_data => info.provider.on_data_loss(),
            Role::Primary => info.provider.last_committed(),
            role if info.life == Life::Wanted => info.host.change_role(role),
            _ => {}
        }
    }

    fn data_loss_handled(&mut self, instance: Instance, _has_changed: bool) {
        if let Some(info) = self.find(instance) {
            info.provider.last_committed();
        }
    }

    fn take_last_committed(&mut self, instance: Instance, last: Lsn) {
        let Some(info) = self.find(instance) else {
            return;
        };
        info.sent = last;
        info.host.change_role(Role::Primary);
        self.inherited = last;
    }

    async fn role_changed(
        &mut self,
        context: &Context<ServiceProxy>,
        instance: Instance,
        role: Role,
        url: Url,
    ) {
        let is_listed_early = self.has(Bug::UpdateServiceEndpointTooEarly);
        let is_trusting = self.has(Bug::ActiveSecondaryCopyStreamDoneButCancelled);
        let Some(info) = self.find(instance) else {
            return;
        };
        match info.life {
            Life::Wanted => {}
            Life::Cancelled if is_trusting && role == Role::ActiveSecondary => {
                info.life = Life::Wanted;
            }
            Life::Cancelled | Life::Closed => return,
        }
        let is_promoted = role == Role::Primary && info.is_active();
        info.role = role;
        if !(is_promoted && is_listed_early) {
            info.listed = Some((role, url));
        }
        if role == Role::IdleSecondary {
            info.provider.copy_context();
        }
        self.publish();
        match role {
            Role::Primary => self.begin_epoch(context).await,
            // What it has counts from now on.
            Role::ActiveSecondary => self.commit(),
            Role::IdleSecondary | Role::None => {}
        }
    }

    fn closed(&mut self, context: &Context<ServiceProxy>, instance: Instance) {
        if let Some(info) = self.find(instance)
            && info.life == Life::Cancelled
        {
            info.life = Life::Closed;
            self.rebuild(context);
        }
    }

    async fn crashed(&mut self, context: &Context<ServiceProxy>, instance: Instance) {
        self.fail(context, instance).await;
    }

    fn take_copy_context(&mut self, instance: Instance, copy_context: Vec<Data>) {
        self.begin_copy(instance, copy_context);
    }

    fn take_copy_state(&mut self, instance: Instance, state: Vec<Data>) {
        let epoch = self.epoch;
        let Some(info) = self.find(instance) else {
            return;
        };
        for data in state {
            info.copy.add_response(Some(Operation {
                lsn: 0,
                epoch,
                data,
            }));
        }
        info.copy.add_response(None);
        self.deliver_copy(instance);
    }

    fn next_copy(&mut self, instance: Instance, consumer: ConsumerProxy) {
        let is_unchecked = self.has(Bug::GetCopyStreamNPE);
        if let Some(info) = self.find(instance) {
            if is_unchecked {
                assert!(info.role != Role::None, "there is no copy stream yet");
            }
            info.copy.add_request(consumer);
            self.deliver_copy(instance);
        }
    }

    fn next_operation(&mut self, instance: Instance, consumer: ConsumerProxy) {
        let is_asked_once = self.plan.replication == Replication::First;
        if let Some(info) = self.find(instance) {
            if !(is_asked_once && info.replication.has_request()) {
                info.replication.add_request(consumer);
            }
            self.deliver_operations(instance);
        }
    }

    fn epoch_updated(&mut self, instance: Instance, epoch: Epoch) {
        if let Some(info) = self.find(instance) {
            info.epoch = info.epoch.max(epoch);
            info.told = None;
            self.deliver_operations(instance);
        }
    }

    fn replicate(
        &mut self,
        context: &Context<ServiceProxy>,
        instance: Instance,
        data: Data,
        completion: CompletionProxy,
    ) -> Result<(Lsn, Epoch), NotReplicated> {
        self.send_out(context.me(), instance, data, completion)
    }

    fn send_replicate(&mut self, instance: Instance, operation: Operation) {
        self.set_out(instance, operation);
    }

    async fn acknowledge(&mut self, context: &Context<ServiceProxy>, instance: Instance, lsn: Lsn) {
        let Some(info) = self.find(instance) else {
            return;
        };
        info.acknowledged = lsn;
        self.commit();
        self.deliver_operations(instance);
        self.promote(context).await;
    }

    fn is_primary(&mut self, instance: Instance) -> bool {
        let primary = self.ready_primary();
        primary.is_some_and(|info| info.instance == instance)
    }

    fn update_settings(&mut self, instance: Instance, settings: Settings) {
        if self.is_primary(instance) {
            self.settings = settings;
        }
    }

    async fn kill(&mut self, context: &Context<ServiceProxy>, victim: Victim) {
        let primary = self.primary;
        let mut known = self.replicas.iter();
        let dies = known.find(|info| match victim {
            Victim::Primary => primary == Some(info.instance.id),
            Victim::ActiveSecondary => info.is_active() && primary != Some(info.instance.id),
        });
        if let Some(instance) = dies.map(|info| info.instance) {
            self.fail(context, instance).await;
        }
    }

    fn endpoints(&mut self) -> Vec<Endpoint> {
        let known = self.replicas.iter();
        known.filter_map(ReplicaInfo::endpoint).collect()
    }
}
