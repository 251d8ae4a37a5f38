//! The test of the thesis: a service of three replicas, somebody who kills the primary, and a client.

use crate::client::{ClientProxy, Shopper};
use crate::cluster::ClusterRuntime;
use crate::protocol::{ClusterProxy, Item, Role, Victim};
use crate::shopping::ITEMS;
use crate::{Bugs, Replication};
use unpick_actors::{Faults, Proxy, System, actor};

/// The service of the test.
pub(crate) const SERVICE: &str = "shopping";

const REPLICAS: usize = 3;

/// What is run.
#[derive(Clone, Copy, Debug)]
pub struct Scenario {
    /// Which bugs there are.
    pub bugs: Bugs,
    /// How operations get to secondaries.
    pub replication: Replication,
    /// How often the primary is killed.
    pub kills: u32,
    /// How often an active secondary is killed.
    pub secondary_kills: u32,
    /// Whether replicas have a disk.
    pub is_durable: bool,
    /// Whether a monitor watches for a primary.
    pub is_watched: bool,
    /// Faults of the network and of processes. With faults the client gives up answers that do not come.
    pub faults: Option<fn() -> Faults>,
}

impl Scenario {
    /// The test of the thesis.
    pub fn new(bugs: Bugs) -> Scenario {
        Scenario {
            bugs,
            replication: Replication::Second,
            kills: 1,
            secondary_kills: 0,
            is_durable: false,
            is_watched: false,
            faults: None,
        }
    }

    /// Creates a cluster with a service.
    pub fn start(&self, system: &System) -> ClusterProxy {
        let cluster = ClusterProxy::create(system, "cluster", ClusterRuntime::new(*self));
        cluster.create_service(SERVICE.into(), REPLICAS);
        cluster
    }

    /// Sends those who kill.
    pub fn send_killers(&self, system: &System, cluster: &ClusterProxy) {
        for _ in 0..self.kills {
            let killer = KillerProxy::create(system, "killer", Killing);
            killer.kill(cluster.clone(), Victim::Primary);
        }
        for _ in 0..self.secondary_kills {
            let killer = KillerProxy::create(system, "killer of secondaries", Killing);
            killer.kill(cluster.clone(), Victim::ActiveSecondary);
        }
    }

    /// Runs it until everything is quiet, and checks all replicas. To be explored.
    ///
    /// # Panics
    /// If replicas differ, or do not have just what the client wanted.
    pub async fn run(self) {
        let system = System::new();
        let cluster = self.start(&system);
        if let Some(faults) = self.faults {
            system.inject(faults());
        }
        self.send_killers(&system, &cluster);
        let shopper = Shopper {
            bugs: self.bugs,
            is_impatient: self.faults.is_some(),
        };
        let client = ClientProxy::create(&system, "client", shopper);
        client.shop(cluster.clone());
        system.quiesce().await;
        for mut list in all_lists(&cluster).await {
            list.sort_unstable();
            assert_eq!(list, ITEMS, "the list is not what the client wanted");
        }
        system.stop().await;
    }
}

/// What each replica has, the primary first, when everything is quiet.
///
/// # Panics
/// If there is not one primary, a replica is missing, or replicas differ.
pub async fn all_lists(cluster: &ClusterProxy) -> Vec<Vec<Item>> {
    let endpoints = cluster.resolve(SERVICE.into()).await;
    let mut endpoints = endpoints.expect("the cluster answers");
    let count = |role| endpoints.iter().filter(|one| one.role == role).count();
    assert_eq!(count(Role::Primary), 1, "there is one primary");
    assert_eq!(
        count(Role::ActiveSecondary),
        REPLICAS - 1,
        "all others are active"
    );
    endpoints.sort_by_key(|one| one.role != Role::Primary);
    let mut lists = Vec::new();
    for endpoint in endpoints {
        let replica = cluster.look_up(endpoint.url).await;
        let replica = replica.ok().flatten().expect("a replica listens");
        lists.push(replica.list().await.expect("a replica answers"));
        assert_eq!(lists.last(), lists.first(), "replicas differ");
    }
    lists
}

/// Runs the test of the thesis. To be explored.
///
/// # Panics
/// If replicas differ, or do not have just what the client wanted.
pub async fn run(bugs: Bugs) {
    Scenario::new(bugs).run().await;
}

/// Somebody who kills.
#[actor]
trait Killer {
    fn kill(&mut self, cluster: ClusterProxy, victim: Victim);
}

struct Killing;

impl Killer for Killing {
    fn kill(&mut self, cluster: ClusterProxy, victim: Victim) {
        cluster.kill(SERVICE.into(), victim);
    }
}
