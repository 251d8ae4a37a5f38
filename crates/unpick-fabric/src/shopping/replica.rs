//! The life of a list.

use super::listener::Listening;
use super::monitor::MonitorProxy;
use super::pump::{PumpProxy, Pumping};
use crate::Bugs;
use crate::api::{Process, Replicator, StatefulReplica};
use crate::protocol::{ListenerProxy, Role, Stream, Url};
use unpick_actors::Proxy;

/// One replica of the list.
pub(crate) struct ListReplica {
    bugs: Bugs,
    monitor: MonitorProxy,
    process: Option<Process>,
    replicator: Option<Replicator>,
    url: Url,
    pump: Option<PumpProxy>,
}

impl ListReplica {
    pub(super) fn new(bugs: Bugs, monitor: MonitorProxy) -> ListReplica {
        ListReplica {
            bugs,
            monitor,
            process: None,
            replicator: None,
            url: Url::new(),
            pump: None,
        }
    }
}

impl StatefulReplica for ListReplica {
    fn initialize(&mut self, process: &Process) {
        self.process = Some(process.clone());
    }

    /// Listens to clients.
    async fn open(&mut self, replicator: Replicator) {
        let process = self.process.as_ref().expect("it was initialised");
        let listening = Listening {
            bugs: self.bugs,
            system: process.system.clone(),
            monitor: self.monitor.clone(),
            replicator: replicator.clone(),
        };
        let listener = ListenerProxy::create(&process.system, process.name("listener"), listening);
        process.own(&listener);
        self.url = format!("list://{}.{}", process.instance.id, process.instance.build);
        process.cluster.register(self.url.clone(), listener);
        self.replicator = Some(replicator);
    }

    async fn change_role(&mut self, role: Role) -> Url {
        let process = self.process.as_ref().expect("it was initialised");
        let replicator = self.replicator.as_ref().expect("it is open");
        match role {
            Role::IdleSecondary => {
                let pump = Pumping {
                    monitor: self.monitor.clone(),
                    copy: replicator.copy_stream(),
                    replication: replicator.replication_stream(),
                };
                let pump = PumpProxy::create(&process.system, process.name("pump"), pump);
                process.own(&pump);
                pump.begin(Stream::Copy);
                self.pump = Some(pump);
            }
            Role::ActiveSecondary => {
                if let Some(pump) = &self.pump {
                    pump.begin(Stream::Replication);
                }
            }
            Role::Primary | Role::None => {}
        }
        self.url.clone()
    }

    async fn close(&mut self) {
        if let Some(pump) = self.pump.take() {
            pump.halt();
            pump.join().await;
        }
    }

    fn abort(&mut self) {
        self.pump = None;
    }
}
