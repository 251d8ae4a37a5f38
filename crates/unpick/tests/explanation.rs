//! Explanations tell what a failure depends on, and nothing else.

use unpick::sync::Arc;
use unpick::sync::atomic::{AtomicU32, Ordering::SeqCst};
use unpick::{Config, Pattern, explain, explore, shrink, thread};

/// Two tasks count in a way that loses one, and meet elsewhere, where it does not matter who is first.
fn lossy_count() {
    let counter = Arc::new(AtomicU32::new(0));
    let meeting = Arc::new(AtomicU32::new(0));
    counter.load(SeqCst);
    meeting.load(SeqCst);
    let tasks = [(), ()].map(|()| {
        let (counter, meeting) = (Arc::clone(&counter), Arc::clone(&meeting));
        thread::spawn(move || {
            meeting.fetch_add(1, SeqCst);
            let value = counter.load(SeqCst);
            counter.store(value + 1, SeqCst);
        })
    });
    for task in tasks {
        task.join().unwrap();
    }
    assert_eq!(counter.load(SeqCst), 2, "a count was lost");
}

#[test]
fn an_ordering_that_does_not_matter_is_no_cause() {
    let config = Config::new().strategy("dfs").executions(10_000);
    let found = explore(config.clone(), lossy_count).first_failure.unwrap();
    let failure = shrink(&config, &lossy_count, &found);
    let explanation = explain(&config, &lossy_count, &failure).unwrap();
    assert_eq!(explanation.pattern, Some(Pattern::LostUpdate));
    // Their first uses stand at the beginning, in this order.
    let objects = [0, 1].map(|index| explanation.events[index].op.object);
    let [counter, meeting] = objects;
    let is_met = |event: &&unpick::analysis::Event| event.op.object == meeting;
    assert_eq!(explanation.events.iter().filter(is_met).count(), 3);
    assert!(!explanation.causes.is_empty());
    for cause in &explanation.causes {
        for index in [cause.first, cause.second] {
            assert_eq!(explanation.events[index].op.object, counter, "{cause:?}");
        }
    }
}
