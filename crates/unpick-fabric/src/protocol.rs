//! What the actors of the platform, of the service and of the client tell each other.

use std::sync::Arc;
use unpick_actors::{Context, Reply, actor};

/// The number of an operation in the order of replication, from 1. Zero is before all of them.
pub type Lsn = u64;

/// What the platform carries without knowing what it means.
pub type Data = Arc<[u8]>;

/// What is on a shopping list.
pub type Item = &'static str;

/// A replica, by a number that is never used again.
pub type ReplicaId = u64;

/// Where clients reach a replica.
pub type Url = String;

/// The time of one primary. A new one begins when the primary changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Epoch {
    /// How often there was nobody left who surely had everything.
    pub data_loss: u32,
    /// How often the primary has changed.
    pub configuration: u32,
}

/// A replica as it was built the n-th time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instance {
    /// Which one.
    pub id: ReplicaId,
    /// How often it was built.
    pub build: u32,
}

/// What a replica is to its service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Serves clients.
    Primary,
    /// Has the state, and applies what the primary replicates.
    ActiveSecondary,
    /// Catches up.
    IdleSecondary,
    /// Nothing, before it is something and when it is closed.
    None,
}

/// An operation that is replicated, or a part of a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// Its number.
    pub lsn: Lsn,
    /// Whose primary made it.
    pub epoch: Epoch,
    /// What it does.
    pub data: Data,
}

/// The two streams of a secondary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// What it needs to catch up.
    Copy,
    /// What the primary replicates.
    Replication,
}

/// Why something was not replicated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotReplicated {
    /// Only the primary replicates.
    NotPrimary,
    /// There are not enough active secondaries.
    NoQuorum,
    /// Too much is under way: see [`Settings`].
    QueueFull,
}

/// How the primary replicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Operations that may be under way at once.
    pub queue_operations_max: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            queue_operations_max: 64,
        }
    }
}

/// Who is killed, if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Victim {
    /// The primary, or who becomes it.
    Primary,
    /// The first active secondary.
    ActiveSecondary,
}

/// Where a replica can be reached, and what it is.
#[derive(Clone, Debug)]
pub struct Endpoint {
    /// What it is.
    pub role: Role,
    /// Where it is.
    pub url: Url,
}

/// All services of a cluster, by their names, and where replicas listen.
#[actor]
pub trait Cluster {
    /// Creates a service with so many replicas.
    fn create_service(&mut self, context: &Context<ClusterProxy>, name: String, replicas: usize);
    /// A service wants an id for a new replica.
    fn want_id(&mut self, name: String);
    /// An id for a new replica.
    fn next_id(&mut self) -> ReplicaId;
    /// Where the replicas of a service are now.
    fn publish(&mut self, name: String, endpoints: Vec<Endpoint>);
    /// A replica listens.
    fn register(&mut self, url: Url, listener: ListenerProxy);
    /// Where the replicas of a service are.
    async fn resolve(&mut self, name: String) -> Vec<Endpoint>;
    /// Who listens there.
    fn look_up(&mut self, url: Url) -> Option<ListenerProxy>;
    /// Kills a replica of a service.
    fn kill(&mut self, name: String, victim: Victim);
}

/// The platform's side of a service.
#[actor]
pub trait Service {
    /// Begins with a primary.
    async fn start(&mut self, context: &Context<ServiceProxy>);
    /// An id that was wanted.
    fn take_id(&mut self, context: &Context<ServiceProxy>, id: ReplicaId);
    /// A replica is open.
    fn opened(&mut self, instance: Instance);
    /// A replica that becomes the primary has looked at what it has.
    fn data_loss_handled(&mut self, instance: Instance, has_changed: bool);
    /// What a replica that becomes the primary has.
    fn take_last_committed(&mut self, instance: Instance, last: Lsn);
    /// A replica has changed its role.
    async fn role_changed(
        &mut self,
        context: &Context<ServiceProxy>,
        instance: Instance,
        role: Role,
        url: Url,
    );
    /// A replica has closed.
    fn closed(&mut self, context: &Context<ServiceProxy>, instance: Instance);
    /// The process of a replica has crashed.
    async fn crashed(&mut self, context: &Context<ServiceProxy>, instance: Instance);
    /// A new secondary tells what it has.
    fn take_copy_context(&mut self, instance: Instance, copy_context: Vec<Data>);
    /// The primary hands over what a secondary needs.
    fn take_copy_state(&mut self, instance: Instance, state: Vec<Data>);
    /// A secondary wants the next part of its copy.
    fn next_copy(&mut self, instance: Instance, consumer: ConsumerProxy);
    /// A secondary wants the next operation that is replicated.
    fn next_operation(&mut self, instance: Instance, consumer: ConsumerProxy);
    /// A secondary has learnt of an epoch.
    fn epoch_updated(&mut self, instance: Instance, epoch: Epoch);
    /// The primary replicates something. `completion` learns when enough secondaries have it.
    fn replicate(
        &mut self,
        context: &Context<ServiceProxy>,
        instance: Instance,
        data: Data,
        completion: CompletionProxy,
    ) -> Result<(Lsn, Epoch), NotReplicated>;
    /// An operation sets out for one secondary: in the first model, which tells itself so.
    fn send_replicate(&mut self, instance: Instance, operation: Operation);
    /// A secondary has applied an operation.
    async fn acknowledge(&mut self, context: &Context<ServiceProxy>, instance: Instance, lsn: Lsn);
    /// Whether a replica is the primary.
    fn is_primary(&mut self, instance: Instance) -> bool;
    /// The primary changes how it replicates.
    fn update_settings(&mut self, instance: Instance, settings: Settings);
    /// A replica dies.
    async fn kill(&mut self, context: &Context<ServiceProxy>, victim: Victim);
    /// Where the replicas are.
    fn endpoints(&mut self) -> Vec<Endpoint>;
}

/// One half of a replica, as the platform calls it.
#[actor]
pub trait Host {
    /// Comes first.
    fn initialize(&mut self);
    /// Opens it.
    async fn open(&mut self);
    /// Becomes something else.
    async fn change_role(&mut self, role: Role);
    /// Comes to an end.
    async fn close(&mut self, context: &Context<HostProxy>);
    /// Dies.
    fn abort(&mut self, context: &Context<HostProxy>);
}

/// The other half of a replica, as the platform calls it.
#[actor]
pub trait Provider {
    /// What it has.
    async fn last_committed(&mut self);
    /// There is a new primary.
    async fn update_epoch(&mut self, epoch: Epoch);
    /// It becomes the primary, whatever it has.
    async fn on_data_loss(&mut self);
    /// What it has, for the primary.
    async fn copy_context(&mut self);
    /// What a secondary needs.
    async fn copy_state(&mut self, to: Instance, up_to: Lsn, copy_context: Vec<Data>);
}

/// Somebody who reads a stream.
#[actor]
pub trait Consumer {
    /// What it has asked for; none at the end.
    async fn next(
        &mut self,
        context: &Context<ConsumerProxy>,
        stream: Stream,
        operation: Option<Operation>,
    );
}

/// Somebody who waits until something is replicated.
#[actor]
pub trait Completion {
    /// Enough secondaries have it.
    async fn committed(&mut self, context: &Context<CompletionProxy>, lsn: Lsn);
    /// The primary is dead. Who knows what becomes of it.
    fn failed(&mut self, context: &Context<CompletionProxy>);
}

/// Where clients talk to a replica of a shopping list.
#[actor(clone)]
pub trait Listener {
    /// Adds an item, once for each number. Answers whether that is done; if not, it may still be done later.
    fn add(&mut self, context: &Context<ListenerProxy>, number: u64, item: Item, done: Reply<bool>);
    /// What is on the list, if this is the primary.
    async fn read(&mut self) -> Option<Vec<Item>>;
    /// What this replica has, whatever it is.
    async fn list(&mut self) -> Vec<Item>;
}
