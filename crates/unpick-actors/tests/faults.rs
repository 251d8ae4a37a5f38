//! Faults as choices: where they can strike, how often, and what they do.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use unpick::trace::Outcome;
use unpick::{Config, Exploration, explore};
use unpick_actors::{Faults, NoAnswer, Options, Proxy, System, Wait, actor};

#[actor(clone)]
trait Log {
    fn note(&mut self, word: &'static str);
    fn words(&mut self) -> Vec<&'static str>;
}

#[derive(Default)]
struct Words(Vec<&'static str>);

impl Log for Words {
    fn note(&mut self, word: &'static str) {
        self.0.push(word);
    }

    fn words(&mut self) -> Vec<&'static str> {
        self.0.clone()
    }
}

#[actor]
trait Writer {
    fn write(&mut self, log: LogProxy, words: Vec<&'static str>);
    fn write_by(&mut self, log: LogProxy, word: &'static str, other: WriterProxy);
    async fn read(&mut self, log: LogProxy);
}

struct Author(Arc<Mutex<Vec<Result<usize, NoAnswer>>>>);

impl Writer for Author {
    fn write(&mut self, log: LogProxy, words: Vec<&'static str>) {
        for word in words {
            log.note(word);
        }
    }

    /// Writes a word, and then lets another one write.
    fn write_by(&mut self, log: LogProxy, word: &'static str, other: WriterProxy) {
        log.note(word);
        other.write(log, vec!["other"]);
    }

    async fn read(&mut self, log: LogProxy) {
        let words = log.words().within(Duration::from_secs(1)).await;
        self.0.lock().unwrap().push(words.map(|words| words.len()));
    }
}

type Seen = BTreeSet<Vec<&'static str>>;

/// What a log can contain at the end, under all schedules and faults.
fn seen(
    strategy: &str,
    faults: fn() -> Faults,
    act: fn(&System, &LogProxy),
) -> (Seen, Exploration) {
    let all = Arc::new(Mutex::new(Seen::new()));
    let known = Arc::clone(&all);
    let config = Config::new().strategy(strategy).executions(200_000);
    let found = explore(config, move || {
        let system = System::new();
        let log = LogProxy::create(&system, "log", Words::default());
        system.inject(faults());
        act(&system, &log);
        system.quiesce().wait();
        let words = log.words().wait().expect("the log answers");
        known.lock().unwrap().insert(words);
    });
    assert!(found.complete, "{strategy}: {found:?}");
    assert!(found.first_failure.is_none(), "{strategy}: {found:?}");
    let all = std::mem::take(&mut *all.lock().unwrap());
    (all, found)
}

fn author(system: &System, name: &str) -> WriterProxy {
    WriterProxy::create(system, name, Author(Arc::default()))
}

fn one_writes(system: &System, log: &LogProxy) {
    author(system, "ada").write(log.clone(), vec!["a", "b", "c"]);
}

#[track_caller]
fn expect(faults: fn() -> Faults, act: fn(&System, &LogProxy), expected: &[&[&'static str]]) {
    let expected: Seen = expected.iter().map(|words| words.to_vec()).collect();
    for strategy in ["dfs", "dpor", "odpor", "lazy-odpor"] {
        let (seen, _) = seen(strategy, faults, act);
        assert_eq!(seen, expected, "{strategy}");
    }
}

#[test]
fn without_faults_messages_of_one_keep_their_order() {
    expect(Faults::new, one_writes, &[&["a", "b", "c"]]);
}

#[test]
fn a_message_is_lost_and_no_more_than_the_budget() {
    let once: [&[_]; 4] = [&["a", "b", "c"], &["b", "c"], &["a", "c"], &["a", "b"]];
    expect(|| Faults::new().lose(1), one_writes, &once);
    let twice = [&once[..], &[&["a"], &["b"], &["c"]]].concat();
    expect(|| Faults::new().lose(2), one_writes, &twice);
}

#[test]
fn a_message_arrives_twice() {
    let expected: [&[_]; 4] = [
        &["a", "b", "c"],
        &["a", "a", "b", "c"],
        &["a", "b", "b", "c"],
        &["a", "b", "c", "c"],
    ];
    expect(|| Faults::new().duplicate(1), one_writes, &expected);
}

#[test]
fn a_delayed_message_arrives_after_any_others() {
    let expected: [&[_]; 4] = [
        &["a", "b", "c"],
        &["b", "a", "c"],
        &["b", "c", "a"],
        &["a", "c", "b"],
    ];
    expect(|| Faults::new().delay(1), one_writes, &expected);
}

#[test]
fn overtaken_messages_keep_their_order_among_themselves() {
    expect(|| Faults::new().reorder(1), one_writes, &[&["a", "b", "c"]]);
    let by_another = |system: &System, log: &LogProxy| {
        let (ada, bob) = (author(system, "ada"), author(system, "bob"));
        ada.write_by(log.clone(), "own", bob);
    };
    expect(Faults::new, by_another, &[&["own", "other"]]);
    let expected: [&[_]; 2] = [&["own", "other"], &["other", "own"]];
    expect(|| Faults::new().reorder(1), by_another, &expected);
}

#[test]
fn groups_that_fall_apart_lose_messages_until_they_come_together() {
    let faults = || Faults::new().partition(1, |name| u32::from(name == "log"));
    // What is lost is one stretch.
    let expected: [&[_]; 7] = [
        &["a", "b", "c"],
        &["b", "c"],
        &["c"],
        &[],
        &["a", "c"],
        &["a"],
        &["a", "b"],
    ];
    expect(faults, one_writes, &expected);
}

#[test]
fn who_waits_for_an_answer_to_a_lost_request_does_not_learn_of_it() {
    let answers = Arc::new(Mutex::new(BTreeSet::new()));
    let known = Arc::clone(&answers);
    let config = Config::new()
        .strategy("dfs")
        .executions(10_000)
        .timeouts(false);
    let found = explore(config, move || {
        let system = System::new();
        let log = LogProxy::create(&system, "log", Words::default());
        system.inject(Faults::new().lose(1).between(|_, to| to == "log"));
        let answer: Arc<Mutex<Vec<_>>> = Arc::default();
        let ada = WriterProxy::create(&system, "ada", Author(Arc::clone(&answer)));
        ada.read(log);
        system.stop().wait();
        let answer = answer.lock().unwrap().pop().unwrap();
        known.lock().unwrap().insert(format!("{answer:?}"));
    });
    assert!(found.complete && found.first_failure.is_none(), "{found:?}");
    let answers: Vec<_> = answers.lock().unwrap().iter().cloned().collect();
    assert_eq!(answers, ["Err(TimedOut)", "Ok(0)"]);
}

#[actor]
trait Store {
    fn put(&mut self, word: &'static str, log: LogProxy);
}

/// Keeps words on its disk, and some that it has not stored yet.
struct Disk {
    disk: Arc<Mutex<Vec<&'static str>>>,
    memory: Vec<&'static str>,
}

impl Store for Disk {
    /// Stores what it knew before, then says so.
    fn put(&mut self, word: &'static str, log: LogProxy) {
        self.disk.lock().unwrap().append(&mut self.memory);
        log.note("stored");
        self.memory.push(word);
    }
}

/// The disk at the end, under all faults.
fn disks(faults: fn() -> Faults) -> Seen {
    let all = Arc::new(Mutex::new(Seen::new()));
    let known = Arc::clone(&all);
    let config = Config::new().strategy("odpor").executions(10_000);
    let found = explore(config, move || {
        let system = System::new();
        let log = LogProxy::create(&system, "log", Words::default());
        let disk: Arc<Mutex<Vec<_>>> = Arc::default();
        let (own, wiped) = (Arc::clone(&disk), Arc::clone(&disk));
        let options = Options::new("store").wipe(move || wiped.lock().unwrap().clear());
        let store = StoreProxy::create_from(&system, options, move || Disk {
            disk: Arc::clone(&own),
            memory: Vec::new(),
        });
        system.inject(faults());
        store.put("a", log.clone());
        store.put("b", log.clone());
        store.put("c", log);
        system.stop().wait();
        known.lock().unwrap().insert(disk.lock().unwrap().clone());
    });
    assert!(found.complete && found.first_failure.is_none(), "{found:?}");
    std::mem::take(&mut *all.lock().unwrap())
}

#[test]
fn an_actor_that_crashes_loses_what_it_had_not_stored() {
    assert_eq!(disks(Faults::new), Seen::from([vec!["a", "b"]]));
    let crashed = disks(|| Faults::new().crash(1));
    // At the first message, at the second before and after storing `a`, at the third before and after `b`.
    let expected = [vec!["a", "b"], vec!["b"], vec![], vec!["a"]];
    assert_eq!(crashed, Seen::from(expected));
}

#[test]
fn an_actor_that_is_wiped_loses_what_it_had_stored() {
    let wiped = disks(|| Faults::new().wipe(1));
    assert_eq!(wiped, Seen::from([vec!["a", "b"], vec!["b"], vec![]]));
}

#[test]
fn a_fault_in_a_failure_replays() {
    let program = || {
        let system = System::new();
        let log = LogProxy::create(&system, "log", Words::default());
        system.inject(Faults::new().lose(1));
        one_writes(&system, &log);
        system.quiesce().wait();
        let words = log.words().wait().expect("the log answers");
        assert_ne!(words, ["a", "c"], "b is missing");
    };
    let config = Config::new().strategy("random").executions(1_000);
    let found = explore(config.clone(), program);
    let failure = found.first_failure.expect("the loss is found");
    assert!(matches!(failure.outcome, Outcome::Fail(_)));
    let again = unpick::replay(&config, &program, failure.trace.clone());
    assert_eq!(again.first_failure.expect("again").trace, failure.trace);
}
