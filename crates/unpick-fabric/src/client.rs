//! A client that adds three items to a list, whatever becomes of the primary.

use crate::protocol::{Client, ClientProxy, ClusterProxy, Item, Role};
use crate::{Bug, Bugs};
use std::time::Duration;
use unpick_actors::Context;

/// What is wanted.
pub(crate) const ITEMS: [Item; 3] = ["apples", "bread", "cheese"];

/// Rounds in which a client that asks for what is under way does so.
const HASTY_ROUNDS: u32 = 2;

/// Somebody who wants three things.
pub(crate) struct Shopper {
    pub bugs: Bugs,
}

impl Client for Shopper {
    async fn shop(&mut self, context: &Context<ClientProxy>, cluster: ClusterProxy) {
        let mut rounds = 0;
        loop {
            let endpoints = cluster.resolve().await.unwrap_or_default();
            let primary = endpoints.iter().find(|one| one.role == Role::Primary);
            let list = match primary {
                Some(primary) => primary.replica.list().await.ok(),
                None => None,
            };
            let (Some(primary), Some(list)) = (primary, list) else {
                context.system().sleep(Duration::from_millis(1)).await;
                continue;
            };
            let missing = ITEMS.iter().filter(|item| !list.contains(item));
            let answers: Vec<_> = missing.map(|item| primary.replica.add(item)).collect();
            if answers.is_empty() {
                return context.halt();
            }
            rounds += 1;
            if self.bugs.has(Bug::SendDuplicateRequests) && rounds <= HASTY_ROUNDS {
                continue;
            }
            for answer in answers {
                // Whatever comes of it, the list is looked at again.
                let _ = answer.await;
            }
        }
    }
}
