//! The test of the thesis: a service of three replicas, somebody who kills the primary, and a client.

use crate::Bugs;
use crate::client::{ITEMS, Shopper};
use crate::cluster::ClusterRuntime;
use crate::protocol::{ClientProxy, ClusterProxy, Role};
use unpick_actors::{Proxy, System, actor};

const REPLICAS: usize = 3;

/// Somebody who kills.
#[actor]
trait Killer {
    fn kill(&mut self, cluster: ClusterProxy);
}

struct Killing;

impl Killer for Killing {
    fn kill(&mut self, cluster: ClusterProxy) {
        cluster.kill_primary();
    }
}

/// Runs the service until everything is quiet, and checks all of its replicas. To be explored.
///
/// # Panics
/// If replicas differ, or do not have just what the client wanted.
pub async fn run(bugs: Bugs) {
    let system = System::new();
    let cluster = ClusterProxy::create(&system, "cluster", ClusterRuntime::new(bugs));
    cluster.create_service(REPLICAS);
    let killer = KillerProxy::create(&system, "killer", Killing);
    killer.kill(cluster.clone());
    let client = ClientProxy::create(&system, "client", Shopper { bugs });
    client.shop(cluster.clone());
    system.quiesce().await;
    let endpoints = cluster.resolve().await.expect("the cluster answers");
    let count = |role| endpoints.iter().filter(|one| one.role == role).count();
    assert_eq!(count(Role::Primary), 1, "there is one primary");
    assert_eq!(
        count(Role::ActiveSecondary),
        REPLICAS - 1,
        "all others are active"
    );
    let mut lists = Vec::new();
    for endpoint in endpoints {
        let list = endpoint.replica.list().await;
        lists.push(list.expect("a replica answers"));
    }
    for list in &lists {
        assert_eq!(*list, lists[0], "replicas differ");
        let mut items = list.clone();
        items.sort_unstable();
        assert_eq!(items, ITEMS, "the list is not what the client wanted");
    }
    system.stop().await;
}
