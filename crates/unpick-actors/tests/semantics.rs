//! Mailboxes, requests and answers against a sequential model, under control and on tokio: an actor does what it
//! would do if it was called one message after the other, in some order that keeps that of each sender.

use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, Strategy, any, prop_assert, prop_assert_eq, proptest};
use std::sync::{Arc, Mutex};
use unpick::{Config, explore};
use unpick_actors::{Options, Proxy, System, Wait, actor};

/// What senders do: add something, or ask for the sum, waiting for the answer or looking at it later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deed {
    Add(u32),
    Ask,
    AskLater,
}

/// A message as it was handled: who sent it, its number there, and the deed.
type Handled = (usize, usize, Deed);

#[actor]
trait Adder {
    fn add(&mut self, from: usize, number: usize, amount: u32);
    fn sum(&mut self, from: usize, number: usize, deed: Deed) -> u64;
}

struct Sum {
    sum: u64,
    handled: Arc<Mutex<Vec<Handled>>>,
}

impl Adder for Sum {
    fn add(&mut self, from: usize, number: usize, amount: u32) {
        self.sum += u64::from(amount);
        self.handled
            .lock()
            .unwrap()
            .push((from, number, Deed::Add(amount)));
    }

    fn sum(&mut self, from: usize, number: usize, deed: Deed) -> u64 {
        self.handled.lock().unwrap().push((from, number, deed));
        self.sum
    }
}

#[actor]
trait Sender {
    async fn send(&mut self, adder: AdderProxy, deeds: Vec<Deed>);
}

/// A sender and the answers that it got, by number.
struct Sending(usize, Arc<Mutex<Vec<(usize, usize, u64)>>>);

impl Sender for Sending {
    async fn send(&mut self, adder: AdderProxy, deeds: Vec<Deed>) {
        let mut later = Vec::new();
        for (number, deed) in deeds.into_iter().enumerate() {
            match deed {
                Deed::Add(amount) => adder.add(self.0, number, amount),
                Deed::Ask => {
                    let sum = adder.sum(self.0, number, deed).await.expect("an answer");
                    self.1.lock().unwrap().push((self.0, number, sum));
                }
                Deed::AskLater => later.push((number, adder.sum(self.0, number, deed))),
            }
        }
        for (number, answer) in later {
            let sum = answer.await.expect("an answer");
            self.1.lock().unwrap().push((self.0, number, sum));
        }
    }
}

#[derive(Clone, Default)]
struct Seen {
    handled: Arc<Mutex<Vec<Handled>>>,
    answers: Arc<Mutex<Vec<(usize, usize, u64)>>>,
}

async fn run(senders: Vec<Vec<Deed>>, bound: Option<usize>, seen: Seen) {
    let system = System::new();
    let mut options = Options::new("adder");
    if let Some(bound) = bound {
        options = options.bound(bound);
    }
    let sum = Sum {
        sum: 0,
        handled: seen.handled,
    };
    let adder = AdderProxy::create(&system, options, sum);
    for (from, deeds) in senders.into_iter().enumerate() {
        let sending = Sending(from, Arc::clone(&seen.answers));
        SenderProxy::create(&system, format!("sender {from}"), sending).send(adder.clone(), deeds);
    }
    system.stop().await;
}

/// Calls the model in the order in which messages were handled, and compares.
fn check(senders: &[Vec<Deed>], seen: &Seen) {
    let handled = seen.handled.lock().unwrap();
    let mut answers = seen.answers.lock().unwrap().clone();
    for (from, deeds) in senders.iter().enumerate() {
        let of_sender: Vec<Deed> = handled
            .iter()
            .filter(|one| one.0 == from)
            .enumerate()
            .map(|(place, one)| {
                assert_eq!(one.1, place, "messages of one sender changed places");
                one.2
            })
            .collect();
        assert_eq!(of_sender, *deeds, "every message is handled, once");
    }
    let (mut sum, mut expected) = (0, Vec::new());
    for &(from, number, deed) in handled.iter() {
        match deed {
            Deed::Add(amount) => sum += u64::from(amount),
            Deed::Ask | Deed::AskLater => expected.push((from, number, sum)),
        }
    }
    expected.sort_unstable();
    answers.sort_unstable();
    assert_eq!(answers, expected);
}

fn deeds() -> impl Strategy<Value = Vec<Vec<Deed>>> {
    let deed = any::<u32>().prop_map(|number| match number % 4 {
        0 => Deed::Ask,
        1 => Deed::AskLater,
        _ => Deed::Add(number),
    });
    vec(vec(deed, 0..8), 1..5)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn under_control(senders in deeds(), seed in any::<u64>(), bound in 0..4_usize) {
        for strategy in ["random", "pct", "actor-pct"] {
            let (program, of_program) = (senders.clone(), senders.clone());
            let config = Config::new().strategy(strategy).seed(seed).executions(5);
            let bound = (bound > 0).then_some(bound);
            let found = explore(config, move || {
                let seen = Seen::default();
                run(program.clone(), bound, seen.clone()).wait();
                check(&of_program, &seen);
            });
            prop_assert!(found.first_failure.is_none(), "{strategy}: {:?}", found.first_failure);
            prop_assert_eq!(found.executions, 5);
        }
    }

    #[test]
    fn in_production(senders in deeds(), bound in 0..4_usize) {
        let tokio = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_time().build();
        let tokio = tokio.expect("tokio can be started");
        let seen = Seen::default();
        let bound = (bound > 0).then_some(bound);
        tokio.block_on(run(senders.clone(), bound, seen.clone()));
        check(&senders, &seen);
    }
}
