//! How fast actors are: under control in operations, in production in messages, beside a loop over a channel of
//! tokio that was written by hand.
//!
//! `cargo xtask bench actors` runs this. Each figure is the best of five.

use std::time::Instant;
use unpick::{Config, explore};
use unpick_actors::{Context, Proxy, System, Wait, actor};

/// Actors in the ring.
const RING: u64 = 8;
/// Hops in one execution.
const HOPS: u64 = 100_000;
/// Messages to one actor.
const MESSAGES: u64 = 1_000_000;
const ATTEMPTS: usize = 5;

#[actor]
trait Node {
    fn meet(&mut self, next: NodeProxy);
    fn pass(&mut self, context: &Context<NodeProxy>, hops: u64);
}

#[derive(Default)]
struct Ring(Option<NodeProxy>);

impl Node for Ring {
    fn meet(&mut self, next: NodeProxy) {
        self.0 = Some(next);
    }

    fn pass(&mut self, _: &Context<NodeProxy>, hops: u64) {
        if let Some(next) = self.0.as_ref().filter(|_| hops > 0) {
            next.pass(hops - 1);
        }
    }
}

/// Every actor of the ring has a message under way.
async fn ping_pong() {
    let system = System::new();
    let nodes: Vec<NodeProxy> = (0..RING)
        .map(|number| NodeProxy::create(&system, number.to_string(), Ring::default()))
        .collect();
    for (number, node) in nodes.iter().enumerate() {
        node.meet(nodes[(number + 1) % nodes.len()].clone());
    }
    for node in &nodes {
        node.pass(HOPS / RING);
    }
    system.stop().await;
}

#[actor]
trait Sum {
    fn add(&mut self, value: u64);
    fn total(&mut self) -> u64;
}

struct Total(u64);

impl Sum for Total {
    fn add(&mut self, value: u64) {
        self.0 += value;
    }

    fn total(&mut self) -> u64 {
        self.0
    }
}

async fn by_actor() {
    let system = System::new();
    let sum = SumProxy::create(&system, "sum", Total(0));
    for value in 0..MESSAGES {
        sum.add(value);
    }
    assert_eq!(sum.total().await, Ok(MESSAGES * (MESSAGES - 1) / 2));
    system.stop().await;
}

enum ByHand {
    Add(u64),
    Total(tokio::sync::oneshot::Sender<u64>),
}

async fn by_hand() {
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    let task = tokio::spawn(async move {
        let mut total = 0;
        while let Some(message) = receiver.recv().await {
            match message {
                ByHand::Add(value) => total += value,
                ByHand::Total(reply) => drop(reply.send(total)),
            }
        }
    });
    for value in 0..MESSAGES {
        assert!(sender.send(ByHand::Add(value)).is_ok());
    }
    let (reply, answer) = tokio::sync::oneshot::channel();
    assert!(sender.send(ByHand::Total(reply)).is_ok());
    assert_eq!(answer.await, Ok(MESSAGES * (MESSAGES - 1) / 2));
    drop(sender);
    task.await.expect("the task ends");
}

/// How often something happens in a second, at best.
fn rate(count: u64, mut act: impl FnMut()) -> f64 {
    let attempts = (0..ATTEMPTS).map(|_| {
        let start = Instant::now();
        act();
        count as f64 / start.elapsed().as_secs_f64()
    });
    attempts.fold(0.0, f64::max)
}

fn main() {
    let tokio = tokio::runtime::Builder::new_multi_thread()
        .enable_time()
        .build()
        .expect("tokio can be started");
    println!("| what | a second |\n|---|---|");
    for strategy in ["random", "pct", "round-robin"] {
        let operations = 2 * HOPS;
        let rate = rate(operations, || {
            let config = Config::new()
                .strategy(strategy)
                .executions(1)
                .steps(4 * HOPS);
            let found = explore(config, || ping_pong().wait());
            assert!(found.first_failure.is_none(), "{found:?}");
        });
        println!("| operations of {RING} actors under `{strategy}` | {rate:.0} |");
    }
    let actor = rate(MESSAGES, || tokio.block_on(by_actor()));
    let hand = rate(MESSAGES, || tokio.block_on(by_hand()));
    println!("| messages to an actor in production | {actor:.0} |");
    println!("| messages to a loop by hand | {hand:.0} |");
    println!("| hand / actor | {:.2} |", hand / actor);
}
