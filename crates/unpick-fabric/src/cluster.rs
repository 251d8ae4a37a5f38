//! The cluster: services by name, ids of replicas, and where they listen.

use crate::protocol::{
    Cluster, ClusterProxy, Endpoint, ListenerProxy, ReplicaId, ServiceProxy, Url, Victim,
};
use crate::service::{Plan, ServiceRuntime};
use crate::shopping::ShoppingLists;
use crate::{Bug, Scenario};
use std::collections::BTreeMap;
use std::sync::Arc;
use unpick_actors::{Context, Proxy, Watched};

/// A service, as the cluster knows it.
struct Known {
    runtime: ServiceProxy,
    endpoints: Vec<Endpoint>,
}

/// All services of a cluster.
pub(crate) struct ClusterRuntime {
    scenario: Scenario,
    last_id: ReplicaId,
    services: BTreeMap<String, Known>,
    listeners: BTreeMap<Url, ListenerProxy>,
}

impl ClusterRuntime {
    pub fn new(scenario: Scenario) -> ClusterRuntime {
        ClusterRuntime {
            scenario,
            last_id: 0,
            services: BTreeMap::new(),
            listeners: BTreeMap::new(),
        }
    }
}

impl Cluster for ClusterRuntime {
    fn create_service(&mut self, context: &Context<ClusterProxy>, name: String, replicas: usize) {
        let Scenario {
            bugs,
            replication,
            is_durable,
            is_watched,
            ..
        } = self.scenario;
        let plan = Plan {
            name: name.clone(),
            replica_count: replicas,
            bugs,
            replication,
            is_durable,
            factory: Arc::new(ShoppingLists { bugs }),
            election: is_watched.then(|| Watched::new("election", Default::default())),
        };
        let runtime = ServiceRuntime::new(plan, context.me().clone());
        let runtime = ServiceProxy::create(context.system(), name.clone(), runtime);
        runtime.start();
        let endpoints = Vec::new();
        self.services.insert(name, Known { runtime, endpoints });
    }

    fn want_id(&mut self, name: String) {
        let id = self.next_id();
        if let Some(service) = self.services.get(&name) {
            service.runtime.take_id(id);
        }
    }

    fn next_id(&mut self) -> ReplicaId {
        self.last_id += 1;
        self.last_id
    }

    fn publish(&mut self, name: String, endpoints: Vec<Endpoint>) {
        if let Some(service) = self.services.get_mut(&name) {
            service.endpoints = endpoints;
        }
    }

    fn register(&mut self, url: Url, listener: ListenerProxy) {
        self.listeners.insert(url, listener);
    }

    async fn resolve(&mut self, name: String) -> Vec<Endpoint> {
        match self.services.get(&name) {
            Some(service) if self.scenario.bugs.has(Bug::BlockForNextId) => {
                service.runtime.endpoints().await.unwrap_or_default()
            }
            Some(service) => service.endpoints.clone(),
            None => Vec::new(),
        }
    }

    fn look_up(&mut self, url: Url) -> Option<ListenerProxy> {
        self.listeners.get(&url).cloned()
    }

    fn kill(&mut self, name: String, victim: Victim) {
        if let Some(service) = self.services.get(&name) {
            service.runtime.kill(victim);
        }
    }
}
