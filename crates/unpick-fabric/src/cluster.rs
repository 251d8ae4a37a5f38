//! The cluster: ids, and where services are.

use crate::protocol::{Cluster, ClusterProxy, Endpoint, ReplicaId, ServiceProxy};
use crate::service::ServiceRuntime;
use crate::{Bug, Bugs};
use unpick_actors::{Context, Proxy};

/// All services of a cluster; here there is one.
pub(crate) struct ClusterRuntime {
    bugs: Bugs,
    last_id: ReplicaId,
    service: Option<ServiceProxy>,
    endpoints: Vec<Endpoint>,
}

impl ClusterRuntime {
    pub fn new(bugs: Bugs) -> ClusterRuntime {
        ClusterRuntime {
            bugs,
            last_id: 0,
            service: None,
            endpoints: Vec::new(),
        }
    }
}

impl Cluster for ClusterRuntime {
    fn create_service(&mut self, context: &Context<ClusterProxy>, replicas: usize) {
        let runtime = ServiceRuntime::new(self.bugs, replicas, context.me().clone());
        let service = ServiceProxy::create(context.system(), "service", runtime);
        service.start();
        self.service = Some(service);
    }

    fn want_id(&mut self) {
        let id = self.next_id();
        if let Some(service) = &self.service {
            service.take_id(id);
        }
    }

    fn next_id(&mut self) -> ReplicaId {
        self.last_id += 1;
        self.last_id
    }

    fn publish(&mut self, endpoints: Vec<Endpoint>) {
        self.endpoints = endpoints;
    }

    async fn resolve(&mut self) -> Vec<Endpoint> {
        match &self.service {
            Some(service) if self.bugs.has(Bug::BlockForNextId) => {
                service.endpoints().await.unwrap_or_default()
            }
            _ => self.endpoints.clone(),
        }
    }

    fn kill_primary(&mut self) {
        if let Some(service) = &self.service {
            service.kill_primary();
        }
    }
}
