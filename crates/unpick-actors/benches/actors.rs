//! How fast actors are. `cargo xtask bench actors` runs this.
//!
//! *Under control*: operations of eight actors that pass messages round a ring. Best of five.
//!
//! *In production*: messages to one actor that adds them up, beside the same written by hand on tokio: a task with a
//! channel, `while let Some(message) = receiver.recv().await`, an enum of messages, and a `oneshot` for an answer.
//! Both are timed from their creation until the sum was answered and the task has ended, on one runtime with a
//! worker for each core. The rows differ in who sends: the thread that waits for the runtime (`block_on`), a task, or
//! several tasks; in whether the mailbox is bounded, which lets the sender wait, by hand with `send().await`; and in
//! whether messages are requests, whose answers the sender awaits one by one. One row has a peer by hand that
//! receives in batches (`recv_many`), which is more than most people write.
//!
//! Hand and actor take turns, and who is first changes with each round, so that both see the same machine. Each
//! round gives a ratio: the time of the actor over that of the hand. The table has the medians of both rates and of
//! the ratio, and the least and the greatest ratio: how often the receiver sleeps and has to be woken differs from
//! round to round, on both sides, and a single round says little.
//!
//! `cargo bench --package unpick-actors --bench actors -- TEXT` measures those rows in production that have the text in
//! their names.

use std::time::{Duration, Instant};
use tokio::runtime::Runtime;
use tokio::sync::{mpsc, oneshot};
use unpick::{Config, explore};
use unpick_actors::{Context, Options, Proxy, System, Wait, actor};

/// Actors in the ring.
const RING: u64 = 8;
/// Hops in one execution.
const HOPS: u64 = 100_000;
/// Executions, of which the best counts.
const ATTEMPTS: usize = 5;
/// Rounds of hand and actor.
const ROUNDS: usize = 15;
/// Messages to one actor in a round.
const MESSAGES: u64 = 1_000_000;
/// Those to a mailbox that is bounded.
const BOUNDED: u64 = 200_000;
/// Requests, of all clients together.
const REQUESTS: u64 = 64_000;
/// Clients, where there are several.
const CLIENTS: u64 = 64;
/// Messages that a bounded mailbox holds.
const BOUND: usize = 1_000;
/// Tasks that send, where there are several.
const SENDERS: u64 = 4;
/// Messages that are received at once by hand.
const BATCH: usize = 64;

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

/// The sum of the numbers below another.
fn sum_below(count: u64) -> u64 {
    count * (count - 1) / 2
}

/// Sends the numbers below `count`, from so many tasks that share them, or from here if it is none.
async fn share(senders: u64, count: u64, send: impl Fn(u64) + Clone + Send + 'static) {
    if senders == 0 {
        return (0..count).for_each(send);
    }
    let tasks: Vec<_> = (0..senders)
        .map(|sender| {
            let send = send.clone();
            tokio::spawn(async move { (sender..count).step_by(senders as usize).for_each(send) })
        })
        .collect();
    for task in tasks {
        task.await.expect("a sender ends");
    }
}

async fn by_actor(senders: u64, bound: Option<usize>, count: u64) {
    let system = System::new();
    let options = Options::new("sum");
    let options = match bound {
        Some(bound) => options.bound(bound),
        None => options,
    };
    let sum = SumProxy::create(&system, options, Total(0));
    let proxy = sum.clone();
    share(senders, count, move |value| proxy.add(value)).await;
    assert_eq!(sum.total().await, Ok(sum_below(count)));
    system.stop().await;
}

enum ByHand {
    Add(u64),
    Total(oneshot::Sender<u64>),
}

fn handle(total: &mut u64, message: ByHand) {
    match message {
        ByHand::Add(value) => *total += value,
        ByHand::Total(reply) => drop(reply.send(*total)),
    }
}

async fn by_hand(senders: u64, count: u64) {
    let (sender, mut receiver) = mpsc::unbounded_channel();
    let task = tokio::spawn(async move {
        let mut total = 0;
        while let Some(message) = receiver.recv().await {
            handle(&mut total, message);
        }
    });
    send_by_hand(sender, senders, count).await;
    task.await.expect("the task ends");
}

async fn by_hand_in_batches(senders: u64, count: u64) {
    let (sender, mut receiver) = mpsc::unbounded_channel();
    let task = tokio::spawn(async move {
        let mut total = 0;
        let mut batch = Vec::with_capacity(BATCH);
        while receiver.recv_many(&mut batch, BATCH).await > 0 {
            for message in batch.drain(..) {
                handle(&mut total, message);
            }
        }
    });
    send_by_hand(sender, senders, count).await;
    task.await.expect("the task ends");
}

async fn send_by_hand(sender: mpsc::UnboundedSender<ByHand>, senders: u64, count: u64) {
    let sending = sender.clone();
    share(senders, count, move |value| {
        assert!(sending.send(ByHand::Add(value)).is_ok());
    })
    .await;
    let (reply, answer) = oneshot::channel();
    assert!(sender.send(ByHand::Total(reply)).is_ok());
    assert_eq!(answer.await, Ok(sum_below(count)));
}

/// The same with a bounded channel, for which a sender by hand awaits room.
async fn by_hand_bounded(is_task: bool, count: u64) {
    let (sender, mut receiver) = mpsc::channel(BOUND);
    let task = tokio::spawn(async move {
        let mut total = 0;
        while let Some(message) = receiver.recv().await {
            handle(&mut total, message);
        }
    });
    let sending = sender.clone();
    let send = async move {
        for value in 0..count {
            assert!(sending.send(ByHand::Add(value)).await.is_ok());
        }
    };
    match is_task {
        true => tokio::spawn(send).await.expect("the sender ends"),
        false => send.await,
    }
    let (reply, answer) = oneshot::channel();
    assert!(sender.send(ByHand::Total(reply)).await.is_ok());
    assert_eq!(answer.await, Ok(sum_below(count)));
    drop(sender);
    task.await.expect("the task ends");
}

async fn requests_by_actor(clients: u64, count: u64) {
    let system = System::new();
    let sum = SumProxy::create(&system, "sum", Total(7));
    let tasks: Vec<_> = (0..clients)
        .map(|_| {
            let sum = sum.clone();
            tokio::spawn(async move {
                for _ in 0..count / clients {
                    assert_eq!(sum.total().await, Ok(7));
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.expect("a client ends");
    }
    system.stop().await;
}

async fn requests_by_hand(clients: u64, count: u64) {
    let (sender, mut receiver) = mpsc::unbounded_channel();
    let task = tokio::spawn(async move {
        let mut total = 7;
        while let Some(message) = receiver.recv().await {
            handle(&mut total, message);
        }
    });
    let tasks: Vec<_> = (0..clients)
        .map(|_| {
            let sender = sender.clone();
            tokio::spawn(async move {
                for _ in 0..count / clients {
                    let (reply, answer) = oneshot::channel();
                    assert!(sender.send(ByHand::Total(reply)).is_ok());
                    assert_eq!(answer.await, Ok(7));
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.expect("a client ends");
    }
    drop(sender);
    task.await.expect("the task ends");
}

fn time(act: impl FnOnce()) -> Duration {
    let start = Instant::now();
    act();
    start.elapsed()
}

/// How often something happens in a second, at best.
fn best_rate(count: u64, mut act: impl FnMut()) -> f64 {
    let attempts = (0..ATTEMPTS).map(|_| count as f64 / time(&mut act).as_secs_f64());
    attempts.fold(0.0, f64::max)
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values
}

/// Measures an actor beside what is written by hand, in turns, and prints the row.
fn compare<A: Future<Output = ()>, H: Future<Output = ()>>(
    tokio: &Runtime,
    what: &str,
    count: u64,
    actor: impl Fn() -> A,
    hand: impl Fn() -> H,
) {
    // What to measure: all, or what has an argument in its name.
    let mut wanted = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with('-'));
    if wanted.next().is_some_and(|word| !what.contains(&word)) {
        return;
    }
    let mut times = Vec::new();
    // The first round warms up.
    for round in 0..=ROUNDS {
        let mut by_hand = Duration::ZERO;
        if round % 2 == 0 {
            by_hand = time(|| tokio.block_on(hand()));
        }
        let by_actor = time(|| tokio.block_on(actor()));
        if round % 2 == 1 {
            by_hand = time(|| tokio.block_on(hand()));
        }
        times.push((by_actor.as_secs_f64(), by_hand.as_secs_f64()));
    }
    let times = &times[1..];
    let actor = sorted(times.iter().map(|(actor, _)| count as f64 / actor));
    let hand = sorted(times.iter().map(|(_, hand)| count as f64 / hand));
    let ratio = sorted(times.iter().map(|(actor, hand)| actor / hand));
    let middle = ROUNDS / 2;
    println!(
        "| {what} | {:.0} | {:.0} | {:.2} | {:.2} to {:.2} |",
        actor[middle],
        hand[middle],
        ratio[middle],
        ratio[0],
        ratio[ROUNDS - 1]
    );
}

fn measure_control() {
    println!("| under control | operations a second |\n|---|---|");
    for strategy in ["random", "pct", "round-robin"] {
        let rate = best_rate(2 * HOPS, || {
            let config = Config::new()
                .strategy(strategy)
                .executions(1)
                .steps(4 * HOPS);
            let found = explore(config, || ping_pong().wait());
            assert!(found.first_failure.is_none(), "{found:?}");
        });
        println!("| {RING} actors in a ring, `{strategy}` | {rate:.0} |");
    }
}

fn measure_production(tokio: &Runtime) {
    println!("| in production | actor, a second | hand, a second | hand / actor | spread |");
    println!("|---|---|---|---|---|");
    for (senders, who) in [
        (0, "outside".to_string()),
        (1, "a task".to_string()),
        (SENDERS, format!("{SENDERS} tasks")),
    ] {
        let what = format!("messages from {who}");
        let actor = || by_actor(senders, None, MESSAGES);
        compare(tokio, &what, MESSAGES, actor, || by_hand(senders, MESSAGES));
    }
    let what = "messages from outside, by hand in batches";
    let actor = || by_actor(0, None, MESSAGES);
    let hand = || by_hand_in_batches(0, MESSAGES);
    compare(tokio, what, MESSAGES, actor, hand);
    for (is_task, who) in [(false, "outside"), (true, "a task")] {
        let what = format!("messages to a mailbox of {BOUND}, from {who}");
        let actor = || by_actor(u64::from(is_task), Some(BOUND), BOUNDED);
        let hand = || by_hand_bounded(is_task, BOUNDED);
        compare(tokio, &what, BOUNDED, actor, hand);
    }
    for clients in [1, CLIENTS] {
        let what = format!("requests, clients at once: {clients}");
        let actor = || requests_by_actor(clients, REQUESTS);
        let hand = || requests_by_hand(clients, REQUESTS);
        compare(tokio, &what, REQUESTS, actor, hand);
    }
}

fn main() {
    let tokio = tokio::runtime::Builder::new_multi_thread()
        .enable_time()
        .build()
        .expect("tokio can be started");
    measure_control();
    println!();
    measure_production(&tokio);
}
