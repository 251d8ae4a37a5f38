//! The state of a list, for the platform.

use super::monitor::MonitorProxy;
use crate::api::StateProvider;
use crate::protocol::{Data, Epoch, Lsn};

/// The state of a list, for the platform. If the list is gone, what it answers reaches nobody.
pub(crate) struct ListProvider {
    pub(super) monitor: MonitorProxy,
    /// Whether a copy waits until there is what it must contain.
    pub(super) does_wait: bool,
}

impl StateProvider for ListProvider {
    async fn last_committed(&mut self) -> Lsn {
        let Ok(list) = self.monitor.lock().await else {
            return 0;
        };
        let last = list.last;
        self.monitor.unlock(list);
        last
    }

    async fn update_epoch(&mut self, epoch: Epoch) {
        let Ok(mut list) = self.monitor.lock().await else {
            return;
        };
        assert!(
            epoch >= list.epoch,
            "{epoch:?} comes after {:?}",
            list.epoch
        );
        list.epoch = epoch;
        self.monitor.unlock(list);
    }

    /// What is on the disk is taken as it is.
    async fn on_data_loss(&mut self) -> bool {
        false
    }

    async fn copy_context(&mut self) -> Vec<Data> {
        let Ok(list) = self.monitor.lock().await else {
            return Vec::new();
        };
        let context = list.copy_context();
        self.monitor.unlock(list);
        context
    }

    async fn copy_state(&mut self, up_to: Lsn, context: Vec<Data>) -> Vec<Data> {
        let Ok(mut list) = self.monitor.lock().await else {
            return Vec::new();
        };
        // What was applied last tells: operations are applied in their order.
        while self.does_wait && list.last < up_to {
            list = match self.monitor.wait(list).await {
                Ok(list) => list,
                Err(_) => return Vec::new(),
            };
        }
        let state = list.copy_state(up_to, &context);
        self.monitor.unlock(list);
        state
    }
}
