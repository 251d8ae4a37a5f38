//! What a service implements, and what the platform offers it: the interfaces of section 6.1 of the thesis.
//!
//! | there | here |
//! |---|---|
//! | `IStatefulServiceReplica` | [`StatefulReplica`] |
//! | `IStateProvider` | [`StateProvider`] |
//! | `IStateReplicator` | [`Replicator`] |
//! | `IOperationStream`, `IOperation` | [`OperationStream`], [`Operation`] |
//!
//! A replica is constructed, initialised, opened and gets a role. The platform calls the two halves of it from two
//! actors, so that its calls can come at the same time. What waits for a stream is an actor, too: it asks for the
//! next operation and is told it ([`Consumer`](crate::protocol::Consumer)).

use crate::disk::Disk;
use crate::protocol::{
    ClusterProxy, CompletionProxy, ConsumerProxy, Data, Epoch, Instance, Lsn, NotReplicated,
    Operation, Role, ServiceProxy, Settings, Stream, Url,
};
use std::sync::{Arc, Mutex, PoisonError};
use unpick_actors::{Handle, Proxy};

/// The life of a replica.
pub trait StatefulReplica: Send + 'static {
    /// Comes first, once.
    fn initialize(&mut self, process: &Process);
    /// Takes what it needs. `replicator` is for later: there is no role yet.
    fn open(&mut self, replicator: Replicator) -> impl Future<Output = ()> + Send;
    /// Becomes something else. Answers where clients reach it.
    fn change_role(&mut self, role: Role) -> impl Future<Output = Url> + Send;
    /// Comes to an end, and waits for what is under way.
    fn close(&mut self) -> impl Future<Output = ()> + Send;
    /// Comes to an end at once.
    fn abort(&mut self);
}

/// The state of a replica, for the platform.
pub trait StateProvider: Send + 'static {
    /// The number of the last operation that it has.
    fn last_committed(&mut self) -> impl Future<Output = Lsn> + Send;
    /// There is a new primary, and operations of its epoch come next.
    fn update_epoch(&mut self, epoch: Epoch) -> impl Future<Output = ()> + Send;
    /// It will be the primary although nobody knows whether it has everything. Answers whether it has changed its state.
    fn on_data_loss(&mut self) -> impl Future<Output = bool> + Send;
    /// What a secondary has, for the primary.
    fn copy_context(&mut self) -> impl Future<Output = Vec<Data>> + Send;
    /// What a secondary needs to have the state after operation `up_to`, given what it has.
    fn copy_state(
        &mut self,
        up_to: Lsn,
        context: Vec<Data>,
    ) -> impl Future<Output = Vec<Data>> + Send;
}

/// Makes replicas.
pub trait Factory: Send + Sync + 'static {
    /// One half of them.
    type Replica: StatefulReplica;
    /// The other half.
    type Provider: StateProvider;
    /// Constructs one.
    fn construct(&self, process: &Process) -> (Self::Replica, Self::Provider);
}

/// The process of a replica: who it is, what is around it, and the actors that die with it.
#[derive(Clone)]
pub struct Process {
    /// Which replica.
    pub instance: Instance,
    /// Where it creates actors.
    pub system: Handle,
    /// Where it tells clients how to reach it.
    pub cluster: ClusterProxy,
    /// What it finds again when it is built anew, if there is such a thing.
    pub disk: Option<Disk>,
    /// Used by the actor of the replica alone.
    actors: Arc<Mutex<Vec<End>>>,
}

type End = Box<dyn Fn() + Send>;

impl Process {
    pub(crate) fn new(
        instance: Instance,
        system: &Handle,
        cluster: &ClusterProxy,
        disk: Option<Disk>,
    ) -> Process {
        Process {
            instance,
            system: system.clone(),
            cluster: cluster.clone(),
            disk,
            actors: Arc::default(),
        }
    }

    /// A name for an actor of it.
    pub fn name(&self, what: &str) -> String {
        format!("{what} {}.{}", self.instance.id, self.instance.build)
    }

    /// Lets an actor die with the process.
    pub fn own<P: Proxy>(&self, actor: &P) {
        let actor = actor.clone();
        self.actors().push(Box::new(move || actor.halt()));
    }

    /// Ends its actors.
    pub fn kill(&self) {
        let actors = std::mem::take(&mut *self.actors());
        actors.iter().for_each(|end| end());
    }

    fn actors(&self) -> std::sync::MutexGuard<'_, Vec<End>> {
        self.actors.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a replica replicates with.
#[derive(Clone, Debug)]
pub struct Replicator {
    pub(crate) instance: Instance,
    pub(crate) service: ServiceProxy,
}

impl Replicator {
    /// What a new secondary needs.
    pub fn copy_stream(&self) -> OperationStream {
        self.stream(Stream::Copy)
    }

    /// What the primary replicates.
    pub fn replication_stream(&self) -> OperationStream {
        self.stream(Stream::Replication)
    }

    fn stream(&self, stream: Stream) -> OperationStream {
        OperationStream {
            stream,
            replicator: self.clone(),
        }
    }

    /// Replicates something. Answers its number and its epoch; `completion` learns when enough secondaries have it.
    ///
    /// # Errors
    /// If that is not possible now.
    pub async fn replicate(
        &self,
        data: Data,
        completion: CompletionProxy,
    ) -> Result<(Lsn, Epoch), NotReplicated> {
        let answer = self.service.replicate(self.instance, data, completion);
        answer.await.unwrap_or(Err(NotReplicated::NotPrimary))
    }

    /// Whether the replica is the primary. If so, it was until now.
    pub async fn is_primary(&self) -> bool {
        self.service.is_primary(self.instance).await == Ok(true)
    }

    /// Changes how it replicates, from the next operation on.
    pub fn update_settings(&self, settings: Settings) {
        self.service.update_settings(self.instance, settings);
    }
}

/// Operations that come one by one.
#[derive(Clone, Debug)]
pub struct OperationStream {
    stream: Stream,
    replicator: Replicator,
}

impl OperationStream {
    /// Asks for the next operation, which `consumer` is told; none is the end.
    pub fn get_next(&self, consumer: &ConsumerProxy) {
        let Replicator { instance, service } = &self.replicator;
        match self.stream {
            Stream::Copy => service.next_copy(*instance, consumer.clone()),
            Stream::Replication => service.next_operation(*instance, consumer.clone()),
        }
    }

    /// Says that an operation was applied.
    pub fn acknowledge(&self, operation: &Operation) {
        let Replicator { instance, service } = &self.replicator;
        service.acknowledge(*instance, operation.lsn);
    }
}
