//! Typed actors under every schedule.

use std::time::Duration;
use unpick::trace::Outcome;
use unpick::{Config, Exploration, explore};
use unpick_actors::{Context, NoAnswer, Proxy, Reply, System, Wait, actor};

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

/// Looks at the balance before it withdraws, and does not look whether it could.
struct Hasty;

impl Teller for Hasty {
    async fn transfer(&mut self, from: AccountProxy, to: AccountProxy, amount: u64) -> bool {
        let is_enough = from.balance().await.is_ok_and(|balance| balance >= amount);
        if is_enough {
            from.withdraw(amount).forget();
            to.deposit(amount);
        }
        is_enough
    }
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

fn transfers<T: Teller>(teller: fn() -> T) {
    let system = System::new();
    let one = AccountProxy::create(&system, "one", Vault(100));
    let two = AccountProxy::create(&system, "two", Vault(0));
    for name in ["ada", "bob"] {
        let teller = TellerProxy::create(&system, name, teller());
        teller.transfer(one.clone(), two.clone(), 80).forget();
    }
    system.quiesce().wait();
    let total = one.balance().wait().unwrap() + two.balance().wait().unwrap();
    assert_eq!(total, 100);
}

fn explored(strategy: &str, program: impl Fn() + Send + Sync + 'static) -> Exploration {
    let config = Config::new().strategy(strategy).executions(100_000);
    explore(config, program)
}

#[test]
fn a_check_that_is_not_one_with_the_act_is_found() {
    for strategy in ["dfs", "odpor", "pct", "random", "portfolio"] {
        let found = explored(strategy, || transfers(|| Hasty));
        let failure = found.first_failure.expect(strategy);
        let Outcome::Fail(fault) = failure.outcome else {
            panic!("{strategy}: {:?}", failure.outcome);
        };
        assert!(fault.message.contains("left: 180"), "{}", fault.message);
    }
    for strategy in ["odpor", "dpor"] {
        let found = explored(strategy, || transfers(|| Careful));
        assert!(found.first_failure.is_none(), "{strategy}: {found:?}");
        assert!(
            found.complete,
            "{strategy}: {} executions",
            found.executions
        );
    }
}

#[test]
fn actors_appear_by_their_names() {
    let found = explored("dfs", || transfers(|| Hasty));
    let trace = found.first_failure.unwrap().trace;
    let names: Vec<_> = trace
        .tasks
        .iter()
        .filter_map(|task| task.name.as_deref())
        .collect();
    assert_eq!(names, ["one", "two", "ada", "bob"]);
    let named = |name: &str| {
        trace
            .objects
            .iter()
            .any(|object| object.name.as_deref() == Some(name))
    };
    assert!(named("one") && named("bob"));
    let told: Vec<_> = trace
        .steps
        .iter()
        .filter_map(|step| trace.label(step))
        .collect();
    assert_eq!(told[..2], ["transfer", "transfer"]);
    for message in ["balance", "withdraw", "deposit", "answer"] {
        assert!(told.contains(&message), "{message}: {told:?}");
    }
}

#[actor]
trait Peer {
    async fn ask(&mut self, other: PeerProxy) -> u32;
    fn number(&mut self) -> u32;
}

struct Number(u32);

impl Peer for Number {
    async fn ask(&mut self, other: PeerProxy) -> u32 {
        other.number().await.unwrap()
    }

    fn number(&mut self) -> u32 {
        self.0
    }
}

/// Each handles a request while it waits for the other one.
fn two_ask_each_other() {
    let system = System::new();
    let one = PeerProxy::create(&system, "one", Number(1));
    let two = PeerProxy::create(&system, "two", Number(2));
    one.ask(two.clone()).forget();
    two.ask(one).forget();
    system.quiesce().wait();
}

#[test]
fn actors_that_wait_for_each_other_are_a_deadlock() {
    for strategy in ["dfs", "dpor", "odpor", "lazy-odpor", "random"] {
        let found = explored(strategy, two_ask_each_other);
        let failure = found.first_failure.expect(strategy);
        let Outcome::Deadlock(deadlock) = failure.outcome else {
            panic!("{strategy}: {:?}", failure.outcome);
        };
        let blocked: Vec<_> = deadlock
            .blocked
            .iter()
            .map(|one| failure.trace.task_name(one.task))
            .collect();
        assert_eq!(
            blocked,
            ["task 0", "task 1 (one)", "task 2 (two)"],
            "{strategy}"
        );
    }
}

#[actor]
trait Clock {
    fn start(&mut self, context: &Context<ClockProxy>);
    fn tick(&mut self, context: &Context<ClockProxy>);
    fn ticks(&mut self) -> u32;
}

#[derive(Default)]
struct Counter(u32);

impl Clock for Counter {
    fn start(&mut self, context: &Context<ClockProxy>) {
        context.me().after(Duration::from_millis(50)).tick();
    }

    fn tick(&mut self, context: &Context<ClockProxy>) {
        self.0 += 1;
        if self.0 == 2 {
            context.halt();
        } else {
            context.me().tick();
        }
    }

    fn ticks(&mut self) -> u32 {
        self.0
    }
}

#[test]
fn a_short_timer_rings_at_any_time_and_who_halts_answers_no_more() {
    let seen = std::sync::Arc::new(std::sync::Mutex::new(std::collections::BTreeSet::new()));
    let answers = std::sync::Arc::clone(&seen);
    let found = explored("dfs", move || {
        let system = System::new();
        let clock = ClockProxy::create(&system, "clock", Counter::default());
        clock.start();
        let answer = clock.ticks().wait();
        clock.join().wait();
        assert_eq!(clock.ticks().wait(), Err(NoAnswer::Dropped));
        answers.lock().unwrap().insert(answer.ok());
    });
    assert!(found.complete && found.first_failure.is_none(), "{found:?}");
    let seen: Vec<_> = seen.lock().unwrap().iter().copied().collect();
    assert_eq!(seen, [None, Some(0), Some(1)]);
}

#[test]
fn a_request_can_be_given_up() {
    let found = explored("dfs", || {
        let system = System::new();
        let account = AccountProxy::create(&system, "account", Vault(7));
        let answer = account.balance().within(Duration::from_secs(1)).wait();
        assert!(answer == Ok(7) || answer == Err(NoAnswer::TimedOut));
        account.halt();
        account.join().wait();
        let answer = account.balance().within(Duration::from_secs(1)).wait();
        assert_ne!(answer, Ok(7));
        assert_eq!(account.balance().wait(), Err(NoAnswer::Dropped));
    });
    assert!(found.complete && found.first_failure.is_none(), "{found:?}");
    let config = Config::new().strategy("dfs").timeouts(false);
    let found = explore(config, || {
        let system = System::new();
        let account = AccountProxy::create(&system, "account", Vault(7));
        account.halt();
        // That it has ended is known before time is up.
        let answer = account.balance().within(Duration::from_secs(1)).wait();
        assert!(answer == Err(NoAnswer::Dropped) || answer == Err(NoAnswer::TimedOut));
        account.join().wait();
        let answer = account.balance().within(Duration::from_secs(1)).wait();
        assert_eq!(answer, Err(NoAnswer::Dropped));
    });
    assert!(found.complete && found.first_failure.is_none(), "{found:?}");
}

#[actor]
trait Reader {
    fn get(&mut self) -> u32;
}

#[actor]
trait Register: Reader {
    fn set(&mut self, value: u32);
}

impl Reader for Counter {
    fn get(&mut self) -> u32 {
        self.0
    }
}

impl Register for Counter {
    fn set(&mut self, value: u32) {
        self.0 = value;
    }
}

#[test]
fn a_proxy_can_be_narrowed() {
    let found = explored("dfs", || {
        let system = System::new();
        let register = RegisterProxy::create(&system, "register", Counter(0));
        let reader = ReaderProxy::from(register.clone());
        register.set(5);
        assert_eq!(reader.get().wait(), Ok(5));
    });
    assert!(found.complete && found.first_failure.is_none(), "{found:?}");
}

#[actor]
trait Gate {
    fn pass(&mut self, number: u32, reply: Reply<u32>);
    fn open(&mut self);
}

/// Answers nobody before it is open.
#[derive(Default)]
struct Waiting(Vec<(u32, Reply<u32>)>);

impl Gate for Waiting {
    fn pass(&mut self, number: u32, reply: Reply<u32>) {
        self.0.push((number, reply));
    }

    fn open(&mut self) {
        for (number, reply) in self.0.drain(..) {
            reply.send(number);
        }
    }
}

#[test]
fn an_answer_can_come_later() {
    let found = explored("dfs", || {
        let system = System::new();
        let gate = GateProxy::create(&system, "gate", Waiting::default());
        let answers = [gate.pass(1), gate.pass(2)];
        gate.open();
        let late = gate.pass(3);
        assert_eq!(answers.map(|answer| answer.wait()), [Ok(1), Ok(2)]);
        gate.halt();
        assert_eq!(late.wait(), Err(NoAnswer::Dropped));
    });
    assert!(found.complete && found.first_failure.is_none(), "{found:?}");
}

#[test]
fn a_panic_of_a_handler_is_an_outcome_with_its_actor_its_message_and_its_place() {
    let found = explored("dfs", || {
        let system = System::new();
        let account = AccountProxy::create(&system, "overdrawn", Vault(u64::MAX));
        account.deposit(1);
    });
    let failure = found.first_failure.unwrap();
    let Outcome::Fail(fault) = &failure.outcome else {
        panic!("{:?}", failure.outcome);
    };
    assert_eq!(failure.trace.task_name(fault.task), "task 1 (overdrawn)");
    assert!(fault.site.as_ref().unwrap().file.ends_with("typed.rs"));
    let steps = failure.trace.steps.iter();
    let mut of_actor = steps.filter(|step| step.task == fault.task).rev();
    let message = of_actor.find_map(|step| failure.trace.label(step));
    assert_eq!(message, Some("deposit"));
}
