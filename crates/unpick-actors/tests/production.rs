//! The same actors in production, on tokio.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use unpick_actors::{
    Context, Machine, MachineProxy, Next, NoAnswer, Options, Proxy, States, System, Verdict, Wait,
    actor,
};

#[actor]
trait Account {
    fn deposit(&mut self, amount: u64);
    fn withdraw(&mut self, amount: u64) -> bool;
    fn balance(&mut self) -> u64;
}

struct Vault(u64);

impl Account for Vault {
    fn deposit(&mut self, amount: u64) {
        self.0 += amount;
    }

    fn withdraw(&mut self, amount: u64) -> bool {
        let is_enough = self.0 >= amount;
        if is_enough {
            self.0 -= amount;
        }
        is_enough
    }

    fn balance(&mut self) -> u64 {
        self.0
    }
}

#[actor]
trait Teller {
    async fn transfer(&mut self, from: AccountProxy, to: AccountProxy, amount: u64) -> bool;
}

struct Careful;

impl Teller for Careful {
    async fn transfer(&mut self, from: AccountProxy, to: AccountProxy, amount: u64) -> bool {
        let is_done = from.withdraw(amount).await == Ok(true);
        if is_done {
            to.deposit(amount);
        }
        is_done
    }
}

/// Not a word of where it runs.
async fn transfers() {
    let system = System::new();
    let one = AccountProxy::create(&system, "one", Vault(100));
    let two = AccountProxy::create(&system, "two", Vault(0));
    let tellers = ["ada", "bob"].map(|name| TellerProxy::create(&system, name, Careful));
    let answers = tellers.map(|teller| teller.transfer(one.clone(), two.clone(), 80));
    let mut done = 0;
    for answer in answers {
        done += u64::from(answer.await.unwrap());
    }
    system.quiesce().await;
    assert_eq!(done, 1);
    assert_eq!(one.balance().await, Ok(20));
    assert_eq!(two.balance().await, Ok(80));
    one.halt();
    one.join().await;
    assert_eq!(one.balance().await, Err(NoAnswer::Dropped));
    system.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_program_runs_on_tokio() {
    transfers().await;
}

#[test]
fn the_same_program_runs_under_every_schedule() {
    let config = unpick::Config::new().strategy("odpor").executions(100_000);
    let found = unpick::explore(config, || transfers().wait());
    assert!(found.complete && found.first_failure.is_none(), "{found:?}");
}

#[test]
fn outside_of_both_there_is_no_system() {
    let error = std::panic::catch_unwind(System::new).unwrap_err();
    let text = error.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| error.downcast_ref::<&str>().copied());
    assert!(
        text.unwrap().contains("neither inside an exploration"),
        "{text:?}"
    );
}

#[actor]
trait Fragile {
    fn set(&mut self, value: u32);
    fn get(&mut self) -> u32;
    fn fall(&mut self);
}

struct Cup(u32);

impl Fragile for Cup {
    fn set(&mut self, value: u32) {
        self.0 = value;
    }

    fn get(&mut self) -> u32 {
        self.0
    }

    fn fall(&mut self) {
        panic!("broken at {}", self.0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_panic_reaches_the_supervisor_who_decides() {
    let system = System::new();
    let crashes = Arc::new(Mutex::new(Vec::new()));
    let known = Arc::clone(&crashes);
    system.supervise(move |crash| {
        known.lock().unwrap().push(crash.clone());
        match crash.restarts {
            0 => Verdict::Restart,
            _ => Verdict::End,
        }
    });
    let cup = FragileProxy::create_from(&system, "cup", || Cup(7));
    cup.set(8);
    cup.fall();
    assert_eq!(cup.get().await, Ok(7));
    cup.fall();
    cup.join().await;
    assert_eq!(cup.get().await, Err(NoAnswer::Dropped));
    let once = FragileProxy::create(&system, "once", Cup(1));
    once.fall();
    once.join().await;
    system.stop().await;
    let crashes = crashes.lock().unwrap();
    let told: Vec<_> = crashes
        .iter()
        .map(|crash| {
            (
                crash.actor.as_str(),
                crash.message,
                crash.panic.as_str(),
                crash.restarts,
            )
        })
        .collect();
    let expected = [
        ("cup", Some("fall"), "broken at 8", 0),
        ("cup", Some("fall"), "broken at 7", 1),
        ("once", Some("fall"), "broken at 1", 0),
    ];
    assert_eq!(told, expected);
}

#[actor]
trait Slow {
    async fn work(&mut self, context: &Context<SlowProxy>);
    fn nothing(&mut self);
}

struct Worker(Arc<AtomicU64>);

impl Slow for Worker {
    async fn work(&mut self, context: &Context<SlowProxy>) {
        context.system().sleep(Duration::from_millis(1)).await;
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    fn nothing(&mut self) {}
}

#[tokio::test(flavor = "multi_thread")]
async fn who_sends_more_than_a_mailbox_holds_waits() {
    let system = System::new();
    let done = Arc::new(AtomicU64::new(0));
    let options = Options::new("worker").bound(2);
    let worker = SlowProxy::create(&system, options, Worker(Arc::clone(&done)));
    for sent in 0..20 {
        worker.work();
        // One is in hand, two are in the mailbox.
        assert!(done.load(Ordering::Relaxed) + 3 > sent);
    }
    system.stop().await;
    assert_eq!(done.load(Ordering::Relaxed), 20);
}

#[tokio::test(flavor = "multi_thread")]
async fn timers_ring_and_time_passes() {
    let system = System::new();
    let done = Arc::new(AtomicU64::new(0));
    let worker = SlowProxy::create(&system, "worker", Worker(Arc::clone(&done)));
    worker.after(Duration::from_millis(1)).work();
    worker.work();
    while done.load(Ordering::Relaxed) < 2 {
        tokio::task::yield_now().await;
    }
    system.stop().await;
}

#[actor]
trait Silent {
    async fn ask(&mut self, other: AccountProxy) -> u64;
}

struct Waits;

impl Silent for Waits {
    async fn ask(&mut self, _: AccountProxy) -> u64 {
        std::future::pending().await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_does_not_come_in_time_is_given_up() {
    let system = System::new();
    let account = AccountProxy::create(&system, "account", Vault(0));
    let silent = SilentProxy::create(&system, "silent", Waits);
    let answer = silent.ask(account.clone()).within(Duration::from_millis(1));
    assert_eq!(answer.await, Err(NoAnswer::TimedOut));
    // Also where nothing can be awaited.
    let outside = std::thread::spawn(move || {
        let balance = account.balance().within(Duration::from_secs(60)).wait();
        let answer = silent.ask(account).within(Duration::from_millis(1)).wait();
        (balance, answer)
    });
    let answers = tokio::task::block_in_place(|| outside.join().unwrap());
    assert_eq!(answers, (Ok(0), Err(NoAnswer::TimedOut)));
}

struct Tally(Arc<AtomicU64>);

struct Count;

impl Machine for Tally {
    type State = ();
    const START: () = ();

    fn behave(states: &mut States<Tally>) {
        states.at(()).on(|tally, Count, _| {
            tally.0.fetch_add(1, Ordering::Relaxed);
            Next::Stay
        });
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn stopping_loses_nothing() {
    const ACTORS: u64 = 10_000;
    const MESSAGES: u64 = 100;
    let system = System::new();
    let tally = Arc::new(AtomicU64::new(0));
    let mut proxies = Vec::new();
    for _ in 0..ACTORS {
        proxies.push(MachineProxy::start(
            &system,
            "tally",
            Tally(Arc::clone(&tally)),
        ));
    }
    for _ in 0..MESSAGES {
        for proxy in &proxies {
            proxy.send(Count);
        }
    }
    system.stop().await;
    assert_eq!(tally.load(Ordering::Relaxed), ACTORS * MESSAGES);
}
