//! A client that adds three items to a list, whatever becomes of the primary.

use crate::harness::SERVICE;
use crate::protocol::{ClusterProxy, Item, ListenerProxy, Role};
use crate::shopping::ITEMS;
use crate::{Bug, Bugs};
use std::time::Duration;
use unpick_actors::{Context, NoAnswer, Response, actor};

/// Rounds in which a client that asks for what is under way does so.
const HASTY_ROUNDS: u64 = 2;

/// Time after which an answer is given up, by a client that does so, and between two attempts.
const MOMENT: Duration = Duration::from_millis(1);

/// Somebody who wants three things.
#[actor]
pub(crate) trait Client {
    /// Adds them.
    async fn shop(&mut self, context: &Context<ClientProxy>, cluster: ClusterProxy);
}

/// Somebody who wants three things.
pub(crate) struct Shopper {
    pub bugs: Bugs,
    /// Whether it gives up an answer that does not come.
    pub is_impatient: bool,
}

impl Shopper {
    async fn answer<T: Send + 'static>(&self, response: Response<T>) -> Result<T, NoAnswer> {
        match self.is_impatient {
            true => response.within(MOMENT).await,
            false => response.await,
        }
    }

    /// The primary and what it has, if there is one.
    async fn read(&self, cluster: &ClusterProxy) -> Option<(ListenerProxy, Vec<Item>)> {
        let endpoints = self.answer(cluster.resolve(SERVICE.into())).await.ok()?;
        let mut endpoints = endpoints.into_iter();
        let primary = endpoints.find(|one| one.role == Role::Primary)?;
        let primary = self.answer(cluster.look_up(primary.url)).await.ok()??;
        let list = self.answer(primary.read()).await.ok()??;
        Some((primary, list))
    }
}

impl Client for Shopper {
    /// An addition keeps its number when it is asked for again, so that it is done once.
    async fn shop(&mut self, context: &Context<ClientProxy>, cluster: ClusterProxy) {
        let mut rounds = 0;
        loop {
            let Some((primary, list)) = self.read(&cluster).await else {
                context.system().sleep(MOMENT).await;
                continue;
            };
            rounds += 1;
            let is_hasty = self.bugs.has(Bug::SendDuplicateRequests) && rounds <= HASTY_ROUNDS;
            let first = if is_hasty { 10 * rounds } else { 0 };
            let numbered = ITEMS.iter().zip(first..);
            let missing = numbered.filter(|(item, _)| !list.contains(item));
            let answers = missing.map(|(item, number)| primary.add(number, item));
            let answers: Vec<_> = answers.collect();
            if answers.is_empty() {
                return context.halt();
            }
            let mut is_done = true;
            for answer in answers {
                match is_hasty {
                    true => answer.forget(),
                    // Whatever comes of it, the list is looked at again.
                    false => is_done &= self.answer(answer).await == Ok(true),
                }
            }
            if !is_done {
                context.system().sleep(MOMENT).await;
            }
        }
    }
}
