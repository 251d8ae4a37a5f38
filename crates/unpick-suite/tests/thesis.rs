//! Chapter 4 of the thesis: how many schedules each reduction explores on the programs of its
//! figures, and how many relations and states there are.

use std::sync::Arc;
use unpick::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use unpick::{Config, Exploration, WarningKind};
use unpick_suite::find;
use unpick_suite::published::{REDUCTIONS, Reduction};

/// Programs with more schedules than this are left out, except by `lazy-dpor`.
const SCHEDULES_MAX: u64 = 1_000;

fn small() -> impl Iterator<Item = &'static Reduction> {
    REDUCTIONS
        .iter()
        .filter(|row| row.schedules <= SCHEDULES_MAX)
}

fn explore(label: &str, strategy: &str) -> Exploration {
    let found = explore_some(label, strategy);
    assert!(found.complete, "{label} {strategy}");
    found
}

/// As [`explore`], for strategies that leave something out.
fn explore_some(label: &str, strategy: &str) -> Exploration {
    let selection = find(label).unwrap();
    let config = Config::new()
        .strategy(strategy)
        .executions(1_000_000)
        .keep_going(true)
        .confirm(0)
        .classes(true)
        .spurious_wakes(0)
        .weak_failures(0);
    unpick::explore(config, move || selection.run())
}

/// What the technique warns about, as opposed to analyses.
fn kinds(found: &Exploration) -> Vec<WarningKind> {
    use WarningKind::{BlocksInSection, LockOrderCycle, ThirdOwner};
    let kinds = found.warnings.iter().map(|warning| warning.kind);
    kinds
        .filter(|kind| [BlocksInSection, LockOrderCycle, ThirdOwner].contains(kind))
        .collect()
}

/// Schedules, relations, lazy relations, states.
fn counts(found: &Exploration) -> [u64; 4] {
    [
        found.schedules,
        found.hbrs().unwrap(),
        found.lazy_hbrs().unwrap(),
        found.states().unwrap(),
    ]
}

#[test]
fn relations_and_states_are_as_many_as_published() {
    for row in REDUCTIONS
        .iter()
        .filter(|row| row.schedules <= SCHEDULES_MAX)
    {
        let expected = [row.schedules, row.hbrs, row.lazy_hbrs, row.states];
        assert_eq!(
            counts(&explore(row.label, "dfs")),
            expected,
            "{}",
            row.label
        );
    }
}

#[test]
fn caching_explores_each_relation_once() {
    for row in REDUCTIONS
        .iter()
        .filter(|row| row.schedules <= SCHEDULES_MAX)
    {
        let label = row.label;
        let expected = [row.hbrs, row.hbrs, row.lazy_hbrs, row.states];
        assert_eq!(counts(&explore(label, "hbr-cache")), expected, "{label}");
        let found = explore(label, "lazy-hbr-cache");
        assert_eq!(found.schedules, row.lazy_hbrs, "{label}");
        assert_eq!(found.lazy_hbrs(), Some(row.lazy_hbrs), "{label}");
        assert_eq!(found.states(), Some(row.states), "{label}");
    }
}

#[test]
fn dpor_explores_each_relation_once() {
    for row in small() {
        let label = row.label;
        let expected = [row.dpor, row.hbrs, row.lazy_hbrs, row.states];
        assert_eq!(counts(&explore(label, "dpor")), expected, "{label}");
        let found = explore(label, "dpor:sleep=0");
        assert_eq!(found.hbrs(), Some(row.hbrs), "{label}");
    }
}

/// The rows of the thesis, and what it says is missed or noticed.
#[test]
fn lazy_dpor_explores_what_the_thesis_says() {
    for row in REDUCTIONS {
        let label = row.label;
        let found = explore(label, "lazy-dpor:fallback=0");
        assert_eq!(found.schedules, row.lazy_dpor, "{label}");
        let (missed, noticed) = match label {
            "thesis.fig4_3b" => (0, Some(WarningKind::BlocksInSection)),
            "thesis.fig4_3c" => (1, Some(WarningKind::LockOrderCycle)),
            _ => (0, None),
        };
        assert_eq!(found.lazy_hbrs(), Some(row.lazy_hbrs - missed), "{label}");
        assert_eq!(found.states(), Some(row.states - missed), "{label}");
        assert_eq!(kinds(&found), Vec::from_iter(noticed), "{label}");
    }
}

/// In figure 4.3c one schedule is enough to notice, and the search that takes over finds the
/// deadlock. What was run before does not count.
#[test]
fn lazy_dpor_falls_back_to_dpor() {
    for row in small() {
        let label = row.label;
        let found = explore(label, "lazy-dpor");
        assert_eq!(found.states(), Some(row.states), "{label}");
        if matches!(label, "thesis.fig4_3b" | "thesis.fig4_3c") {
            assert_eq!(found.schedules, row.dpor, "{label}");
            assert_eq!(found.hbrs(), Some(row.hbrs), "{label}");
            let before = found.executions - explore(label, "dpor").executions;
            assert_eq!(before, 1, "{label}");
            let mut warnings = found.warnings.iter();
            assert!(warnings.any(|one| one.text.ends_with("started again as dpor")));
        } else {
            assert_eq!(found.schedules, row.lazy_dpor, "{label}");
            assert!(kinds(&found).is_empty(), "{label}");
        }
    }
    assert_eq!(explore("thesis.fig4_3c", "lazy-dpor").failures, 1);
}

/// Programs with locks, tries, conditions, barriers and channels; among them faulty ones.
const PROGRAMS: &[&str] = &[
    "coarse.slots",
    "coarse.parity",
    "coarse.nested",
    "coarse.event_bus",
    "coarse.bank",
    "coarse.cache",
    "coarse.work_queue",
    "coarse.log_buffer",
    "coarse.lock_and_flag",
    "coarse.try_lock_poller",
    "coarse.hand_over_hand",
    "coarse.philosophers_cycle",
    "coarse.philosophers_order",
    "coarse.monitor",
    "coarse.producer_consumer",
    "CS.account_bad",
    "CS.lazy01_bad",
    "CS.deadlock01_bad",
    "CS.sync02_bad",
    "CS.twostage_bad",
];

#[test]
fn reductions_end_in_the_states_of_dfs() {
    for label in PROGRAMS {
        let truth = explore(label, "dfs");
        for strategy in ["hbr-cache", "lazy-hbr-cache", "dpor"] {
            let found = explore(label, strategy);
            let (classes, all) = (found.classes.unwrap(), truth.classes.as_ref().unwrap());
            assert_eq!(classes.states, all.states, "{label} {strategy}");
            assert_eq!(classes.lazy_hbrs, all.lazy_hbrs, "{label} {strategy}");
            if strategy != "lazy-hbr-cache" {
                assert_eq!(classes.hbrs, all.hbrs, "{label} {strategy}");
            }
        }
    }
}

#[test]
fn a_bounded_cache_ends_in_the_states_within_the_bound() {
    for label in PROGRAMS {
        for (bounded, cached) in [("ipb", "preemptions"), ("idb", "delays")] {
            for bound in 0..2 {
                let bounded = format!("{bounded}:bound={bound},beyond=1");
                let truth = explore_some(label, &bounded);
                for cache in ["hbr-cache", "lazy-hbr-cache"] {
                    let cached = format!("{cache}:{cached}={bound}");
                    let found = explore_some(label, &cached);
                    let states = |found: &Exploration| found.classes.clone().unwrap().states;
                    assert_eq!(states(&found), states(&truth), "{label} {cached}");
                    assert!(found.schedules <= truth.schedules, "{label} {cached}");
                }
            }
        }
    }
}

/// A task that waits for a flag in a loop: the search must come to an end.
#[test]
fn reductions_end_on_spin_loops() {
    for strategy in [
        "hbr-cache",
        "lazy-hbr-cache",
        "dpor",
        "lazy-dpor",
        "dpor:sleep=0",
    ] {
        let config = Config::new()
            .strategy(strategy)
            .executions(100_000)
            .classes(true);
        let found = unpick::explore(config, || {
            let shared = Arc::new((AtomicBool::new(false), AtomicU32::new(0)));
            let other = shared.clone();
            unpick::thread::spawn(move || {
                other.1.store(1, SeqCst);
                other.0.store(true, SeqCst);
            });
            while !shared.0.load(SeqCst) {
                unpick::thread::yield_now();
            }
            assert_eq!(shared.1.load(SeqCst), 1);
        });
        assert!(found.complete, "{strategy}");
        assert_eq!(found.failures, 0, "{strategy}");
    }
}

/// Answers that are given before the first operation make a difference, too.
#[test]
fn reductions_try_all_answers() {
    for strategy in ["dfs", "hbr-cache", "lazy-hbr-cache", "dpor", "lazy-dpor"] {
        let config = Config::new()
            .strategy(strategy)
            .executions(1_000)
            .classes(true);
        let found = unpick::explore(config, || {
            let value = unpick::choose(3);
            let shared = AtomicU32::new(0);
            shared.store(value, SeqCst);
            let more = unpick::choose(2);
            shared.fetch_add(more, SeqCst);
        });
        assert!(found.complete, "{strategy}");
        assert_eq!(found.schedules, 6, "{strategy}");
        assert_eq!(found.hbrs(), Some(6), "{strategy}");
        assert_eq!(found.states(), Some(4), "{strategy}");
    }
}
