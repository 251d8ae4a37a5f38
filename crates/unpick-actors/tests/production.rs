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

/// Handles nothing until it is let.
#[actor]
trait Gate {
    async fn wait(&mut self);
    fn note(&mut self, number: u64);
    fn fall(&mut self);
    fn all(&mut self) -> Vec<u64>;
}

struct Porter {
    open: Arc<tokio::sync::Semaphore>,
    seen: Vec<u64>,
}

impl Porter {
    /// One who waits, and what lets him go on.
    fn pair() -> (Arc<tokio::sync::Semaphore>, Porter) {
        let open = Arc::new(tokio::sync::Semaphore::new(0));
        let seen = Vec::new();
        (Arc::clone(&open), Porter { open, seen })
    }
}

impl Gate for Porter {
    async fn wait(&mut self) {
        self.open.acquire().await.unwrap().forget();
    }

    fn note(&mut self, number: u64) {
        self.seen.push(number);
    }

    fn fall(&mut self) {
        panic!("fell");
    }

    fn all(&mut self) -> Vec<u64> {
        self.seen.clone()
    }
}

/// Longer than anything takes that happens at all.
const FOREVER: Duration = Duration::from_secs(60);

#[tokio::test(flavor = "multi_thread")]
async fn a_full_mailbox_has_room_for_the_end() {
    let system = System::new();
    let (open, porter) = Porter::pair();
    let gate = GateProxy::create(&system, Options::new("gate").bound(1), porter);
    gate.wait();
    // The first one fills the mailbox, or two do if the actor waits by now.
    gate.wait();
    drop(system);
    open.add_permits(2);
    let end = tokio::time::timeout(FOREVER, gate.join()).await;
    assert_eq!(end, Ok(()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn who_waits_for_room_learns_that_the_actor_has_ended() {
    let system = System::new();
    let (open, porter) = Porter::pair();
    let gate = GateProxy::create(&system, Options::new("gate").bound(1), porter);
    gate.wait();
    gate.fall();
    let senders: Vec<_> = (0..3)
        .map(|number| {
            let gate = gate.clone();
            std::thread::spawn(move || gate.note(number))
        })
        .collect();
    open.add_permits(1);
    tokio::time::timeout(FOREVER, gate.join()).await.unwrap();
    for sender in senders {
        tokio::task::block_in_place(|| sender.join().unwrap());
    }
}

/// Several threads send numbers to an actor. It sees those of each in order, and all of them.
async fn keeps_order(options: Options) {
    const SENDERS: u64 = 4;
    const EACH: u64 = 2_000;
    let system = System::new();
    let gate = GateProxy::create(&system, options, Porter::pair().1);
    let senders: Vec<_> = (0..SENDERS)
        .map(|sender| {
            let gate = gate.clone();
            std::thread::spawn(move || (0..EACH).for_each(|at| gate.note(sender * EACH + at)))
        })
        .collect();
    for sender in senders {
        tokio::task::block_in_place(|| sender.join().unwrap());
    }
    let mut all = gate.all().await.unwrap();
    system.stop().await;
    for sender in 0..SENDERS {
        let of_sender = all.iter().filter(|number| *number / EACH == sender);
        assert!(of_sender.is_sorted(), "sender {sender}: {all:?}");
    }
    all.sort_unstable();
    assert!(all.iter().copied().eq(0..SENDERS * EACH), "{all:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_one_sender_sends_arrives_in_order() {
    keeps_order(Options::new("gate")).await;
    keeps_order(Options::new("gate").bound(1)).await;
    keeps_order(Options::new("gate").bound(100)).await;
}

#[tokio::test]
async fn a_crash_loses_one_message_and_none_that_came_with_it() {
    let system = System::new();
    system.supervise(|_| Verdict::Restart);
    let (open, _) = Porter::pair();
    let gate = GateProxy::create_from(&system, "gate", move || Porter {
        open: Arc::clone(&open),
        seen: Vec::new(),
    });
    // On a runtime of one thread the actor finds all of these at once.
    for number in 0..3 {
        gate.note(number);
    }
    gate.fall();
    for number in 3..6 {
        gate.note(number);
    }
    system.quiesce().await;
    assert_eq!(gate.all().await, Ok(vec![3, 4, 5]));
    system.stop().await;
}

#[tokio::test]
async fn an_actor_with_much_to_do_lets_others_go_on() {
    let system = System::new();
    let (_, porter) = Porter::pair();
    let gate = GateProxy::create(&system, "gate", porter);
    (0..10_000).for_each(|number| gate.note(number));
    let last = gate.all();
    let other = tokio::spawn(async {});
    // The other task came last, and is done while the actor has messages left.
    let mut last = std::pin::pin!(last);
    tokio::select! {
        biased;
        answer = &mut last => panic!("{} messages at once", answer.unwrap().len()),
        end = other => end.unwrap(),
    }
    assert_eq!(last.await.map(|all| all.len()), Ok(10_000));
    system.stop().await;
}
