//! Where clients talk to a list.

use super::adder::{AdderProxy, Adding};
use super::monitor::MonitorProxy;
use crate::Bugs;
use crate::api::Replicator;
use crate::protocol::{Item, Listener, ListenerProxy};
use unpick_actors::{Context, Handle, Proxy, Reply};

/// Listens to clients.
pub(super) struct Listening {
    pub bugs: Bugs,
    pub system: Handle,
    pub monitor: MonitorProxy,
    pub replicator: Replicator,
}

impl Listening {
    async fn items(&self) -> Option<Vec<Item>> {
        let list = self.monitor.lock().await.ok()?;
        let items = list.items();
        self.monitor.unlock(list);
        Some(items)
    }
}

impl Listener for Listening {
    fn add(&mut self, _: &Context<ListenerProxy>, number: u64, item: Item, done: Reply<bool>) {
        let adding = Adding {
            bugs: self.bugs,
            monitor: self.monitor.clone(),
            replicator: self.replicator.clone(),
            number,
            item,
            done: Some(done),
        };
        AdderProxy::create(&self.system, format!("adder of {item}"), adding).begin();
    }

    /// A primary that is none any more must not tell what it has: it may lack what another one has confirmed.
    async fn read(&mut self) -> Option<Vec<Item>> {
        let items = self.items().await?;
        self.replicator.is_primary().await.then_some(items)
    }

    async fn list(&mut self) -> Vec<Item> {
        self.items().await.unwrap_or_default()
    }
}
