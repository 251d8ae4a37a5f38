//! The actors through which the platform calls a replica: one for each half of it, so that a replica still takes
//! operations while it changes its role.

use crate::api::{Factory, Process, Replicator, StateProvider, StatefulReplica};
use crate::protocol::{
    Data, Epoch, Host, HostProxy, Instance, Lsn, Provider, ProviderProxy, Role, ServiceProxy,
};
use unpick_actors::{Context, Options, Proxy};

/// Constructs a replica, and creates its two actors.
pub(crate) fn build<F: Factory>(
    factory: &F,
    process: &Process,
    service: &ServiceProxy,
) -> (HostProxy, ProviderProxy) {
    let (code, state) = factory.construct(process);
    let providing = Providing {
        state,
        instance: process.instance,
        service: service.clone(),
    };
    let provider = ProviderProxy::create(&process.system, process.name("provider"), providing);
    process.own(&provider);
    let mut options = Options::new(process.name("replica"));
    if let Some(disk) = process.disk.clone() {
        options = options.wipe(move || disk.wipe());
    }
    let mut code = Some(code);
    let (own, service) = (process.clone(), service.clone());
    let host = HostProxy::create_from(&process.system, options, move || {
        let code = code.take();
        if code.is_none() {
            // It has crashed, and everything that belongs to it with it.
            own.kill();
            service.crashed(own.instance);
        }
        Hosting {
            code,
            process: own.clone(),
            service: service.clone(),
        }
    });
    (host, provider)
}

/// One half.
struct Hosting<R> {
    /// None after a crash: who is built anew has other actors.
    code: Option<R>,
    process: Process,
    service: ServiceProxy,
}

impl<R: StatefulReplica> Host for Hosting<R> {
    fn initialize(&mut self) {
        if let Some(code) = &mut self.code {
            code.initialize(&self.process);
        }
    }

    async fn open(&mut self) {
        let Some(code) = &mut self.code else { return };
        let replicator = Replicator {
            instance: self.process.instance,
            service: self.service.clone(),
        };
        code.open(replicator).await;
        self.service.opened(self.process.instance);
    }

    async fn change_role(&mut self, role: Role) {
        let Some(code) = &mut self.code else { return };
        let url = code.change_role(role).await;
        self.service.role_changed(self.process.instance, role, url);
    }

    async fn close(&mut self, context: &Context<HostProxy>) {
        if let Some(code) = &mut self.code {
            code.close().await;
            self.process.kill();
            self.service.closed(self.process.instance);
        }
        context.halt();
    }

    fn abort(&mut self, context: &Context<HostProxy>) {
        if let Some(code) = &mut self.code {
            code.abort();
            self.process.kill();
        }
        context.halt();
    }
}

/// The other half.
struct Providing<S> {
    state: S,
    instance: Instance,
    service: ServiceProxy,
}

impl<S: StateProvider> Provider for Providing<S> {
    async fn last_committed(&mut self) {
        let last = self.state.last_committed().await;
        self.service.take_last_committed(self.instance, last);
    }

    async fn update_epoch(&mut self, epoch: Epoch) {
        self.state.update_epoch(epoch).await;
        self.service.epoch_updated(self.instance, epoch);
    }

    async fn on_data_loss(&mut self) {
        let has_changed = self.state.on_data_loss().await;
        self.service.data_loss_handled(self.instance, has_changed);
    }

    async fn copy_context(&mut self) {
        let context = self.state.copy_context().await;
        self.service.take_copy_context(self.instance, context);
    }

    async fn copy_state(&mut self, to: Instance, up_to: Lsn, copy_context: Vec<Data>) {
        let state = self.state.copy_state(up_to, copy_context).await;
        self.service.take_copy_state(to, state);
    }
}
