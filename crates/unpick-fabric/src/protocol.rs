//! What the actors of the platform and of the service tell each other.

use unpick_actors::{Context, Reply, actor};

/// The number of an operation in the order of replication, from 1. Zero is before all of them.
pub type Lsn = u64;

/// What is on a shopping list.
pub type Item = &'static str;

/// A replica, by a number that is never used again.
pub type ReplicaId = u64;

/// What a replica is to its service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Serves clients.
    Primary,
    /// Has the state, and applies what the primary replicates.
    ActiveSecondary,
    /// Catches up.
    IdleSecondary,
}

/// An operation that is replicated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    /// Its number.
    pub lsn: Lsn,
    /// What is added to the list.
    pub item: Item,
}

/// Where the client learns that its addition is done.
#[derive(Debug)]
pub struct Done(pub Reply<bool>);

/// Where a replica can be reached.
#[derive(Clone, Debug)]
pub struct Endpoint {
    /// What it is.
    pub role: Role,
    /// The replica itself.
    pub replica: ReplicaProxy,
}

/// All services of a cluster; here there is one.
#[actor]
pub trait Cluster {
    /// Creates a service with so many replicas.
    fn create_service(&mut self, context: &Context<ClusterProxy>, replicas: usize);
    /// The service wants an id for a new replica.
    fn want_id(&mut self);
    /// An id for a new replica.
    fn next_id(&mut self) -> ReplicaId;
    /// Where the replicas of the service are now.
    fn publish(&mut self, endpoints: Vec<Endpoint>);
    /// Where the replicas of the service are.
    async fn resolve(&mut self) -> Vec<Endpoint>;
    /// Kills the primary.
    fn kill_primary(&mut self);
}

/// The platform's side of a service.
#[actor]
pub trait Service {
    /// Begins with a primary.
    async fn start(&mut self, context: &Context<ServiceProxy>);
    /// An id that was wanted.
    fn take_id(&mut self, context: &Context<ServiceProxy>, id: ReplicaId);
    /// A replica has changed its role.
    async fn role_changed(&mut self, context: &Context<ServiceProxy>, id: ReplicaId, role: Role);
    /// A new secondary tells what it has.
    fn copy_context(&mut self, id: ReplicaId, last: Lsn);
    /// The primary hands over the state for a secondary.
    fn copy_state(&mut self, id: ReplicaId, operations: Vec<Operation>);
    /// A secondary wants the next part of its copy.
    fn next_copy(&mut self, id: ReplicaId);
    /// A secondary wants the next operation that is replicated.
    fn next_operation(&mut self, id: ReplicaId);
    /// The primary replicates an item. `adder` learns when enough secondaries have it.
    fn replicate(&mut self, id: ReplicaId, item: Item, adder: AdderProxy) -> Option<Lsn>;
    /// A secondary has applied an operation.
    async fn acknowledge(&mut self, context: &Context<ServiceProxy>, id: ReplicaId, lsn: Lsn);
    /// The primary dies.
    async fn kill_primary(&mut self, context: &Context<ServiceProxy>);
    /// Where the replicas are.
    fn endpoints(&mut self) -> Vec<Endpoint>;
}

/// The code of the service: a shopping list.
#[actor]
pub trait Replica {
    /// Becomes something else.
    fn change_role(&mut self, role: Role);
    /// There is a new primary.
    fn update_epoch(&mut self, epoch: u64);
    /// The next part of the copy; none after the last one.
    fn copy_operation(&mut self, operation: Option<Operation>);
    /// The next operation that is replicated.
    fn operation(&mut self, operation: Operation);
    /// A secondary needs the state up to an operation.
    fn get_copy_state(&mut self, id: ReplicaId, after: Lsn, up_to: Lsn);
    /// A client adds an item. Answers whether it was possible.
    async fn add(&mut self, context: &Context<ReplicaProxy>, item: Item, done: Reply<bool>);
    /// An addition has its number.
    fn enter(&mut self, operation: Operation);
    /// An addition is confirmed.
    fn confirm(&mut self, operation: Operation, done: Done);
    /// What is on the list.
    fn list(&mut self) -> Vec<Item>;
}

/// One addition to the list.
#[actor]
pub trait Adder {
    /// Replicates the item first, if that was not done.
    async fn begin(&mut self, context: &Context<AdderProxy>);
    /// Enough secondaries have it.
    fn committed(&mut self, context: &Context<AdderProxy>, operation: Operation);
}

/// Somebody who wants three things.
#[actor]
pub trait Client {
    /// Adds them.
    async fn shop(&mut self, context: &Context<ClientProxy>, cluster: ClusterProxy);
}
