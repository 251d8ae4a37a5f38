//! The store under control: the flaw is found, and without it nothing is.

use replicated_kv::log::{Log, MemoryLog};
use replicated_kv::{Flaw, StoreProxy, start};
use unpick::trace::Outcome;
use unpick::{Config, explore, replay};
use unpick_actors::{Proxy, System, Wait, actor};

#[actor]
trait Client {
    async fn write(&mut self, store: StoreProxy, keys: Vec<&'static str>);
}

/// Looks into the logs whenever a write is acknowledged.
struct Suspicious([MemoryLog; 3]);

impl Client for Suspicious {
    async fn write(&mut self, store: StoreProxy, keys: Vec<&'static str>) {
        for key in keys {
            let number = store.put(key.into(), "value".into()).await;
            let number = number.expect("the store answers");
            let has_it = |log: &&MemoryLog| log.entries().iter().any(|one| one.number == number);
            let copies = self.0.iter().filter(has_it).count();
            assert!(
                copies >= 2,
                "write {number} is acknowledged and in {copies} log"
            );
            let read = store.get(key.into()).await;
            assert_eq!(read, Ok(Some("value".into())), "it is not there");
        }
    }
}

fn two_clients(flaw: Flaw) {
    let system = System::new();
    let logs = [(); 3].map(|()| MemoryLog::default());
    let store = start(&system, flaw, logs.clone());
    for (name, keys) in [("ada", vec!["a", "b"]), ("bob", vec!["c"])] {
        let client = ClientProxy::create(&system, name, Suspicious(logs.clone()));
        client.write(store.clone(), keys);
    }
    system.stop().wait();
    let [first, others @ ..] = logs.map(|log| log.entries());
    assert_eq!(first.len(), 3);
    assert!(others.iter().all(|other| *other == first), "logs differ");
    // What one log has lost, the others bring back.
    let system = System::new();
    let [two, three] = others.map(|entries| {
        let mut log = MemoryLog::default();
        log.append(&entries);
        log
    });
    let store = start(&system, Flaw::None, [MemoryLog::default(), two, three]);
    for key in ["a", "b", "c"] {
        assert_eq!(store.get(key.into()).wait(), Ok(Some("value".into())));
    }
    system.stop().wait();
}

#[test]
fn an_answer_that_confirms_another_batch_is_found_and_replays() {
    let program = || two_clients(Flaw::CountsAnyAnswer);
    for strategy in ["portfolio", "actor-pct", "pos", "odpor"] {
        let config = Config::new().strategy(strategy).executions(2_000);
        let found = explore(config.clone(), program);
        let failure = found.first_failure.expect(strategy);
        let Outcome::Fail(fault) = &failure.outcome else {
            panic!("{strategy}: {:?}", failure.outcome);
        };
        assert!(
            fault.message.contains("is acknowledged and in 1 log"),
            "{}",
            fault.message
        );
        let again = replay(&config, &program, failure.trace.clone());
        assert_eq!(again.first_failure.expect("again").outcome, failure.outcome);
    }
}

#[test]
fn without_the_flaw_nothing_is_found() {
    for strategy in ["portfolio", "actor-random", "actor-pct", "pos", "odpor"] {
        let config = Config::new().strategy(strategy).executions(1_000);
        let found = explore(config, || two_clients(Flaw::None));
        assert!(
            found.first_failure.is_none(),
            "{strategy}: {:?}",
            found.first_failure
        );
    }
}
