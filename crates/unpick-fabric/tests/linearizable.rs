//! What clients see of a shopping list is what they would see of one list that does one thing at a time.
//!
//! M. Herlihy, J. Wing, *Linearizability: a correctness condition for concurrent objects*, TOPLAS 1990; the search
//! for an order is that of J. Wing, C. Gong, *Testing and verifying concurrent objects*, JPDC 1993.

use std::sync::{Arc, Mutex};
use std::time::Duration;
use unpick::{Config, explore};
use unpick_actors::{Context, Proxy, System, Wait, actor};
use unpick_fabric::protocol::{ClusterProxy, Item, ListenerProxy, Role};
use unpick_fabric::{Bugs, Replication, Scenario, all_lists};

#[derive(Clone, Debug, PartialEq, Eq)]
enum Deed {
    /// An addition of this number. Whoever is told that it is done knows that it is.
    Add(u64, Item),
    /// What was on the list.
    Read(Vec<Item>),
}

/// Something that a client did, from the moment at which it was asked for to that at which it was answered.
#[derive(Clone, Debug)]
struct Event {
    deed: Deed,
    asked: usize,
    /// None if nobody knows whether it was done, or will be.
    answered: Option<usize>,
}

#[derive(Clone, Default)]
struct History(Arc<Mutex<(usize, Vec<Event>)>>);

impl History {
    fn now(&self) -> usize {
        let mut inner = self.0.lock().unwrap();
        inner.0 += 1;
        inner.0
    }

    fn note(&self, deed: Deed, asked: usize, is_answered: bool) {
        let answered = is_answered.then(|| self.now());
        self.0.lock().unwrap().1.push(Event {
            deed,
            asked,
            answered,
        });
    }

    fn events(&self) -> Vec<Event> {
        self.0.lock().unwrap().1.clone()
    }
}

/// Whether there is an order of the events that keeps those apart that did not overlap, and explains what was read.
fn is_linearizable(events: &[Event]) -> bool {
    search(events, &mut vec![false; events.len()], &mut Vec::new())
}

fn search(events: &[Event], done: &mut [bool], list: &mut Vec<(u64, Item)>) -> bool {
    let is_left = |at: usize| !done[at];
    let left = (0..events.len()).filter(|&at| is_left(at));
    let ends = left.clone().filter_map(|at| events[at].answered);
    let Some(first_end) = ends.min() else {
        // All that is left may never have been done.
        return true;
    };
    let next: Vec<usize> = left.filter(|&at| events[at].asked < first_end).collect();
    for at in next {
        let length = list.len();
        let fits = match &events[at].deed {
            Deed::Add(number, item) => {
                if list.iter().all(|one| one.0 != *number) {
                    list.push((*number, item));
                }
                true
            }
            Deed::Read(seen) => seen.iter().eq(list.iter().map(|one| &one.1)),
        };
        done[at] = true;
        if fits && search(events, done, list) {
            return true;
        }
        done[at] = false;
        list.truncate(length);
    }
    false
}

#[actor]
trait Shopper {
    async fn shop(&mut self, context: &Context<ShopperProxy>, cluster: ClusterProxy);
}

struct Recorded {
    items: Vec<(u64, Item)>,
    history: History,
}

impl Recorded {
    async fn primary(cluster: &ClusterProxy) -> Option<ListenerProxy> {
        let endpoints = cluster.resolve("shopping".into()).await.ok()?;
        let mut endpoints = endpoints.into_iter();
        let primary = endpoints.find(|one| one.role == Role::Primary)?;
        cluster.look_up(primary.url).await.ok()?
    }

    /// One attempt to add and to read.
    async fn attempt(&self, cluster: &ClusterProxy, number: u64, item: Item) -> Option<bool> {
        let primary = Recorded::primary(cluster).await?;
        let asked = self.history.now();
        let is_done = primary.add(number, item).await == Ok(true);
        self.history.note(Deed::Add(number, item), asked, is_done);
        let asked = self.history.now();
        let list = primary.read().await.ok()??;
        self.history.note(Deed::Read(list), asked, true);
        Some(is_done)
    }
}

impl Shopper for Recorded {
    async fn shop(&mut self, context: &Context<ShopperProxy>, cluster: ClusterProxy) {
        for &(number, item) in &self.items {
            while self.attempt(&cluster, number, item).await != Some(true) {
                context.system().sleep(Duration::from_millis(1)).await;
            }
        }
    }
}

async fn record(scenario: Scenario) {
    let system = System::new();
    let cluster = scenario.start(&system);
    let history = History::default();
    scenario.send_killers(&system, &cluster);
    for items in [vec![(1, "apples"), (2, "bread")], vec![(3, "cheese")]] {
        let recorded = Recorded {
            items,
            history: history.clone(),
        };
        ShopperProxy::create(&system, "client", recorded).shop(cluster.clone());
    }
    system.quiesce().await;
    let asked = history.now();
    let lists = all_lists(&cluster).await;
    history.note(Deed::Read(lists[0].clone()), asked, true);
    system.stop().await;
    let events = history.events();
    assert!(is_linearizable(&events), "not linearizable: {events:?}");
}

#[test]
fn reads_and_additions_are_linearizable_while_the_primary_is_killed() {
    for replication in [Replication::First, Replication::Second] {
        for strategy in ["actor-random", "actor-pct", "pct", "pos"] {
            let scenario = Scenario {
                replication,
                kills: 2,
                ..Scenario::new(Bugs::none())
            };
            let config = Config::new().strategy(strategy).executions(60).steps(5_000);
            let config = config.patience(1).fail_on_limit(true);
            let found = explore(config, move || record(scenario).wait());
            if let Some(failure) = found.first_failure {
                panic!("{strategy}, {replication:?}: {:?}", failure.outcome);
            }
        }
    }
}

fn event(deed: Deed, asked: usize, answered: Option<usize>) -> Event {
    Event {
        deed,
        asked,
        answered,
    }
}

#[test]
fn the_checker_knows_histories_that_are_not() {
    let add = |number, item| Deed::Add(number, item);
    let stale = [
        event(add(1, "apples"), 1, Some(2)),
        event(Deed::Read(vec![]), 3, Some(4)),
    ];
    assert!(!is_linearizable(&stale));
    let overlapping = [
        event(add(1, "apples"), 1, Some(4)),
        event(Deed::Read(vec![]), 2, Some(3)),
    ];
    assert!(is_linearizable(&overlapping));
    let two_orders = [
        event(add(1, "apples"), 1, Some(2)),
        event(add(2, "bread"), 1, Some(2)),
        event(Deed::Read(vec!["apples", "bread"]), 3, Some(4)),
        event(Deed::Read(vec!["bread", "apples"]), 5, Some(6)),
    ];
    assert!(!is_linearizable(&two_orders));
    let unknown_and_repeated = [
        event(add(1, "apples"), 1, None),
        event(Deed::Read(vec![]), 2, Some(3)),
        event(add(1, "apples"), 4, Some(6)),
        event(Deed::Read(vec!["apples"]), 5, Some(7)),
    ];
    assert!(is_linearizable(&unknown_and_repeated));
    let seen_and_gone = [
        event(add(1, "apples"), 1, None),
        event(Deed::Read(vec!["apples"]), 2, Some(3)),
        event(Deed::Read(vec![]), 4, Some(5)),
    ];
    assert!(!is_linearizable(&seen_and_gone));
}
