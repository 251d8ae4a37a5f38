//! What the platform knows of a replica.

use crate::buffer::Buffer;
use crate::disk::Disk;
use crate::protocol::{
    ConsumerProxy, Endpoint, Epoch, HostProxy, Instance, Lsn, Operation, ProviderProxy, Role, Url,
};

/// Where a replica is between its construction and its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Life {
    /// It is opened, or has a role.
    Wanted,
    /// It was told to close, since the primary has changed.
    Cancelled,
    /// It has closed or crashed, and is built anew once there is a primary.
    Closed,
}

/// What the platform knows of a replica.
pub(crate) struct ReplicaInfo {
    pub instance: Instance,
    pub life: Life,
    pub role: Role,
    /// What it is to become when it is open.
    pub first_role: Role,
    /// What others believe it is, and where it is.
    pub listed: Option<(Role, Url)>,
    pub host: HostProxy,
    pub provider: ProviderProxy,
    pub disk: Option<Disk>,
    pub copy: Buffer<ConsumerProxy, Option<Operation>>,
    pub replication: Buffer<ConsumerProxy, Option<Operation>>,
    /// Whether it gets what is replicated: from the moment at which its copy was asked for.
    pub is_receiving: bool,
    /// The last number that it has given out, as a primary. It is lost with it.
    pub sent: Lsn,
    pub delivered: Lsn,
    pub acknowledged: Lsn,
    /// The epoch that it knows of.
    pub epoch: Epoch,
    /// The epoch that it was told, and has not confirmed.
    pub told: Option<Epoch>,
}

impl ReplicaInfo {
    pub fn new(
        instance: Instance,
        first_role: Role,
        (host, provider): (HostProxy, ProviderProxy),
        disk: Option<Disk>,
    ) -> ReplicaInfo {
        ReplicaInfo {
            instance,
            life: Life::Wanted,
            role: Role::None,
            first_role,
            listed: None,
            host,
            provider,
            disk,
            copy: Buffer::new(),
            replication: Buffer::new(),
            is_receiving: false,
            sent: 0,
            delivered: 0,
            acknowledged: 0,
            epoch: Epoch::default(),
            told: None,
        }
    }

    pub fn is_active(&self) -> bool {
        self.role == Role::ActiveSecondary
    }

    pub fn is_settled(&self) -> bool {
        self.acknowledged == self.delivered
    }

    pub fn endpoint(&self) -> Option<Endpoint> {
        let (role, url) = self.listed.clone()?;
        Some(Endpoint { role, url })
    }
}
