//! The code of the service: a shopping list. It replicates an item before it adds it, and answers when enough
//! others have it.

use crate::protocol::{
    Adder, AdderProxy, Done, Item, Lsn, Operation, Replica, ReplicaId, ReplicaProxy, Role,
    ServiceProxy,
};
use crate::{Bug, Bugs};
use std::collections::{BTreeMap, VecDeque};
use unpick_actors::{Context, Proxy, Reply};

/// A secondary that waits for its copy.
struct Copy {
    id: ReplicaId,
    after: Lsn,
    up_to: Lsn,
}

/// One replica of the list.
pub(crate) struct ShoppingList {
    bugs: Bugs,
    id: ReplicaId,
    service: ServiceProxy,
    role: Option<Role>,
    epoch: u64,
    /// What was applied, in that order.
    applied: Vec<Operation>,
    /// The number applied last.
    last: Lsn,
    /// Additions that were replicated, in the order in which they are to be applied.
    entered: VecDeque<Operation>,
    confirmed: BTreeMap<Lsn, Done>,
    copies: Vec<Copy>,
}

impl ShoppingList {
    pub fn new(bugs: Bugs, id: ReplicaId, service: ServiceProxy) -> ShoppingList {
        ShoppingList {
            bugs,
            id,
            service,
            role: None,
            epoch: 0,
            applied: Vec::new(),
            last: 0,
            entered: VecDeque::new(),
            confirmed: BTreeMap::new(),
            copies: Vec::new(),
        }
    }

    fn apply(&mut self, operation: Operation) {
        if !self.bugs.has(Bug::CommitAckedOpImmediatelySkipAssertions) {
            let (lsn, last) = (operation.lsn, self.last);
            assert_eq!(lsn, last + 1, "operation {lsn} is applied after {last}");
        }
        self.last = operation.lsn;
        self.applied.push(operation);
        let (last, applied) = (self.last, &self.applied);
        for copy in self.copies.extract_if(.., |copy| copy.up_to <= last) {
            send_copy(&self.service, &copy, applied);
        }
    }
}

fn send_copy(service: &ServiceProxy, copy: &Copy, applied: &[Operation]) {
    let is_part =
        |operation: &&Operation| operation.lsn > copy.after && operation.lsn <= copy.up_to;
    service.copy_state(copy.id, applied.iter().filter(is_part).copied().collect());
}

impl Replica for ShoppingList {
    fn change_role(&mut self, role: Role) {
        self.role = Some(role);
        self.service.role_changed(self.id, role);
        match role {
            Role::Primary => {}
            Role::IdleSecondary => {
                self.service.copy_context(self.id, self.last);
                self.service.next_copy(self.id);
            }
            Role::ActiveSecondary => self.service.next_operation(self.id),
        }
    }

    fn update_epoch(&mut self, epoch: u64) {
        assert!(
            epoch > self.epoch,
            "epoch {epoch} comes after {}",
            self.epoch
        );
        self.epoch = epoch;
    }

    fn copy_operation(&mut self, operation: Option<Operation>) {
        if let Some(operation) = operation {
            self.apply(operation);
            self.service.next_copy(self.id);
        }
    }

    fn operation(&mut self, operation: Operation) {
        self.apply(operation);
        self.service.acknowledge(self.id, operation.lsn);
        self.service.next_operation(self.id);
    }

    fn get_copy_state(&mut self, id: ReplicaId, after: Lsn, up_to: Lsn) {
        let copy = Copy { id, after, up_to };
        if self.last >= up_to || self.bugs.has(Bug::DontWaitWhenSendingCopyState) {
            send_copy(&self.service, &copy, &self.applied);
        } else {
            self.copies.push(copy);
        }
    }

    async fn add(&mut self, context: &Context<ReplicaProxy>, item: Item, done: Reply<bool>) {
        if self.role != Some(Role::Primary) {
            return done.send(false);
        }
        let adding = Adding {
            id: self.id,
            service: self.service.clone(),
            replica: context.me().clone(),
            item,
            done: Some(Done(done)),
        };
        let adder = AdderProxy::create(context.system(), format!("adder of {item}"), adding);
        if self.bugs.has(Bug::DoReplicateWithoutMutex) {
            return adder.begin();
        }
        match self.service.replicate(self.id, item, adder.clone()).await {
            Ok(Some(lsn)) => self.enter(Operation { lsn, item }),
            _ => adder.halt(),
        }
    }

    fn enter(&mut self, operation: Operation) {
        self.entered.push_back(operation);
    }

    fn confirm(&mut self, operation: Operation, done: Done) {
        if self.bugs.has(Bug::CommitAckedOpImmediately)
            || self.bugs.has(Bug::CommitAckedOpImmediatelySkipAssertions)
        {
            self.apply(operation);
            return done.0.send(true);
        }
        self.confirmed.insert(operation.lsn, done);
        while let Some(next) = self.entered.front().copied()
            && let Some(done) = self.confirmed.remove(&next.lsn)
        {
            self.entered.pop_front();
            self.apply(next);
            done.0.send(true);
        }
    }

    fn list(&mut self) -> Vec<Item> {
        self.applied
            .iter()
            .map(|operation| operation.item)
            .collect()
    }
}

/// One addition to the list.
struct Adding {
    id: ReplicaId,
    service: ServiceProxy,
    replica: ReplicaProxy,
    item: Item,
    done: Option<Done>,
}

impl Adder for Adding {
    async fn begin(&mut self, context: &Context<AdderProxy>) {
        let me = context.me().clone();
        match self.service.replicate(self.id, self.item, me).await {
            Ok(Some(lsn)) => self.replica.enter(Operation {
                lsn,
                item: self.item,
            }),
            _ => context.halt(),
        }
    }

    fn committed(&mut self, context: &Context<AdderProxy>, operation: Operation) {
        if let Some(done) = self.done.take() {
            self.replica.confirm(operation, done);
        }
        context.halt();
    }
}
