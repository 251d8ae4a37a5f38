//! A service on the platform: a shopping list. It replicates an item before it adds it, and answers when enough
//! others have it.
//!
//! Several actors of a replica use the list: one for each addition, one that reads the streams of a secondary, one
//! that listens to clients, and the platform. A monitor keeps them apart (`monitor`).

mod adder;
mod listener;
mod monitor;
mod provider;
mod pump;
mod replica;
mod state;

pub(crate) use state::ITEMS;

use crate::api::{Factory, Process};
use crate::{Bug, Bugs};
use monitor::{ListMonitor, MonitorProxy};
use provider::ListProvider;
use replica::ListReplica;
use state::ListState;
use unpick_actors::Proxy;

/// Makes shopping lists.
pub(crate) struct ShoppingLists {
    pub bugs: Bugs,
}

impl Factory for ShoppingLists {
    type Replica = ListReplica;
    type Provider = ListProvider;

    fn construct(&self, process: &Process) -> (ListReplica, ListProvider) {
        let disk = process.disk.as_ref().map(|disk| disk.open());
        let state = ListState::new(self.bugs, disk);
        let monitor = ListMonitor::new(state);
        let monitor = MonitorProxy::create(&process.system, process.name("list"), monitor);
        process.own(&monitor);
        let replica = ListReplica::new(self.bugs, monitor.clone());
        let does_wait = !self.bugs.has(Bug::DontWaitWhenSendingCopyState);
        (replica, ListProvider { monitor, does_wait })
    }
}
