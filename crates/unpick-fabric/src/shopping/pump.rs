//! Who reads the streams of a secondary: first its copy, then what is replicated.

use super::monitor::MonitorProxy;
use crate::api::OperationStream;
use crate::protocol::{Consumer, ConsumerProxy, Operation, Stream};
use unpick_actors::{Context, actor};

/// Reads the streams of a secondary.
#[actor]
pub(super) trait Pump: crate::protocol::Consumer {
    /// Begins to read one.
    fn begin(&mut self, context: &Context<PumpProxy>, stream: Stream);
}

/// Reads the streams of a secondary.
pub(super) struct Pumping {
    pub monitor: MonitorProxy,
    pub copy: OperationStream,
    pub replication: OperationStream,
}

impl Pump for Pumping {
    fn begin(&mut self, context: &Context<PumpProxy>, stream: Stream) {
        let me = ConsumerProxy::from(context.me().clone());
        match stream {
            Stream::Copy => self.copy.get_next(&me),
            Stream::Replication => self.replication.get_next(&me),
        }
    }
}

impl Consumer for Pumping {
    async fn next(
        &mut self,
        context: &Context<ConsumerProxy>,
        stream: Stream,
        operation: Option<Operation>,
    ) {
        let Some(operation) = operation else { return };
        let Ok(mut list) = self.monitor.lock().await else {
            return;
        };
        match stream {
            Stream::Copy => {
                list.apply_copy(&operation.data);
                self.monitor.unlock(list);
                self.copy.get_next(context.me());
            }
            Stream::Replication => {
                list.apply_replicated(operation.clone());
                self.monitor.unlock(list);
                self.replication.acknowledge(&operation);
                self.replication.get_next(context.me());
            }
        }
    }
}
