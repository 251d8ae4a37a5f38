//! An exploration that has taken the memory or the time it may take comes to an end, with what it has found.
#![cfg(target_os = "linux")]

use std::sync::Arc;
use std::time::{Duration, Instant};
use unpick::sync::atomic::{AtomicU32, Ordering::SeqCst};
use unpick::{Config, StopReason, explore, thread};

/// Memory of this process, in bytes.
fn taken() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: u64 = text.split(' ').nth(1).unwrap().parse().unwrap();
    pages * 4096
}

/// More orders than any machine can remember; some of them are said to fail.
fn vast() {
    let cells: Arc<Vec<AtomicU32>> = Arc::new((0..6).map(|_| AtomicU32::new(0)).collect());
    let tasks: Vec<_> = (0..4)
        .map(|task| {
            let cells = Arc::clone(&cells);
            thread::spawn(move || {
                for step in 0..12 {
                    cells[(task + step) % 6].fetch_add(1 << task, SeqCst);
                    cells[(task * step) % 6].load(SeqCst);
                }
            })
        })
        .collect();
    let seen = cells[0].load(SeqCst);
    tasks.into_iter().for_each(|task| task.join().unwrap());
    assert_ne!(seen, 1, "one addition is seen");
}

#[test]
fn searches_end_before_memory_does() {
    const MORE: u64 = 24 << 20;
    for (strategy, jobs) in [
        ("hbr-cache", 1),
        ("hbr-cache", 2),
        ("ipb", 1),
        ("lazy-odpor", 1),
    ] {
        let room = taken() + MORE;
        let config = Config::new()
            .strategy(strategy)
            .executions(u64::MAX / 2)
            .time(Duration::from_secs(120))
            .keep_going(true)
            .jobs(jobs);
        let found = explore(config.max_memory(room), vast);
        assert_eq!(found.stopped_because, StopReason::Memory, "{strategy}");
        assert!(found.executions > 0 && !found.complete, "{strategy}");
        assert!(!found.claim().is_exhausted, "{strategy}");
        // It may have taken a little more between two looks.
        assert!(
            taken() < room + 4 * MORE,
            "{strategy}: {} of {room}",
            taken()
        );
    }
}

#[test]
fn without_a_limit_nothing_ends() {
    let config = Config::new().strategy("hbr-cache").executions(500);
    let found = explore(config.max_memory(None).keep_going(true), vast);
    assert_eq!(found.executions, 500);
}

/// Planning from one trace of this program takes longer than there is time.
#[test]
fn techniques_that_plan_end_in_time() {
    let limit = Duration::from_millis(500);
    for (strategy, jobs) in [("mcr", 1), ("se-mcr", 1), ("mcr", 2)] {
        let config = Config::new().strategy(strategy).time(limit).jobs(jobs);
        let start = Instant::now();
        let found = explore(config.executions(u64::MAX / 2).keep_going(true), vast);
        let took = start.elapsed();
        assert_eq!(found.stopped_because, StopReason::Time, "{strategy}");
        // A tenth and a second more, as is promised.
        assert!(
            took < limit + limit / 10 + Duration::from_secs(1),
            "{strategy}: {took:?}"
        );
    }
}
