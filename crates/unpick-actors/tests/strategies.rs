//! Strategies that choose among sends: what they count, and that they reach everything.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use unpick::trace::OpKind;
use unpick::{Config, Exploration, explore, explore_visited};
use unpick_actors::{Proxy, System, Wait, actor};

#[actor]
trait Log {
    fn note(&mut self, word: u32);
    fn words(&mut self) -> Vec<u32>;
}

#[derive(Default)]
struct Words(Vec<u32>);

impl Log for Words {
    fn note(&mut self, word: u32) {
        self.0.push(word);
    }

    fn words(&mut self) -> Vec<u32> {
        self.0.clone()
    }
}

#[actor]
trait Writer {
    fn write(&mut self, log: LogProxy, words: Vec<u32>);
}

struct Author;

impl Writer for Author {
    fn write(&mut self, log: LogProxy, words: Vec<u32>) {
        for word in words {
            log.note(word);
        }
    }
}

/// Three actors write two words each to one log.
fn three_write() -> Vec<u32> {
    let system = System::new();
    let log = LogProxy::create(&system, "log", Words::default());
    for number in 0..3 {
        let author = WriterProxy::create(&system, number.to_string(), Author);
        author.write(log.clone(), vec![2 * number, 2 * number + 1]);
    }
    system.quiesce().wait();
    let words = log.words().wait();
    words.expect("the log answers")
}

/// What the log can contain at the end.
fn reached(strategy: &str, executions: u64) -> (BTreeSet<Vec<u32>>, Exploration) {
    let all = Arc::new(Mutex::new(BTreeSet::new()));
    let known = Arc::clone(&all);
    let config = Config::new().strategy(strategy).executions(executions);
    let found = explore(config, move || {
        known.lock().unwrap().insert(three_write());
    });
    assert!(found.first_failure.is_none(), "{found:?}");
    let all = std::mem::take(&mut *all.lock().unwrap());
    (all, found)
}

/// Six words, each author's two in order: 6! / 2^3.
#[test]
fn every_order_of_sends_is_reached() {
    let (all, found) = reached("odpor", 100_000);
    assert!(found.complete);
    assert_eq!(all.len(), 90);
    assert_eq!(reached("actor-random", 20_000).0, all);
    // Without a change, who writes first writes to the end; with one, one of them is interrupted.
    let whole = reached("actor-pct:d=1", 2_000).0;
    assert_eq!(whole.len(), 6);
    let interrupted = reached("actor-pct:d=2", 2_000).0;
    assert!(interrupted.is_superset(&whole) && interrupted.is_subset(&all));
    assert!(interrupted.len() > whole.len());
}

/// As long as anybody is at something else, no send is performed.
#[test]
fn only_sends_are_choices() {
    for strategy in ["actor-random", "actor-pct"] {
        let mut sends = 0;
        let config = Config::new().strategy(strategy).executions(100);
        let found = explore_visited(&config, &|| drop(three_write()), &mut |execution| {
            let trace = execution.trace();
            for (index, step) in trace.steps.iter().enumerate() {
                let is_send = step.op.kind == OpKind::Send;
                sends += usize::from(is_send);
                if !is_send {
                    // The first one that could go on, in the order of creation.
                    let earlier = trace
                        .enabled(index)
                        .iter()
                        .take_while(|task| *task < step.task);
                    for task in earlier {
                        let next = trace.steps[index..].iter().find(|later| later.task == task);
                        assert!(next.is_none_or(|next| next.op.kind == OpKind::Send));
                    }
                }
            }
        });
        assert!(found.first_failure.is_none(), "{found:?}");
        // Three orders to write, six words, the question for them and its answer.
        assert_eq!(sends, 100 * 11, "{strategy}");
    }
}
