//! The sizes of the programs on which reductions are measured: what `dfs` finds, and how it ends.
//!
//! A program that changes by one visible operation changes its count, so these numbers hold the
//! programs still for everybody who measures reductions on them.

use unpick::{Config, Exploration};
use unpick_suite::published::REDUCTIONS;
use unpick_suite::{Source, find, programs};

/// All schedules, by the rules of the study: only the order of tasks varies, and locks prefer nobody.
fn explore(label: &str) -> Exploration {
    let selection = find(label).unwrap();
    let config = Config::new()
        .strategy("dfs")
        .executions(u64::MAX)
        .keep_going(true)
        .spurious_wakes(0)
        .writers_first(false)
        .weak_failures(0);
    unpick::explore(config, move || selection.run())
}

/// The search is exhausted after that many schedules, and some fail if the program is faulty.
fn check_size(label: &str, schedules: u64) {
    let found = explore(label);
    assert!(found.complete, "{label}");
    assert_eq!(found.schedules, schedules, "{label}");
    let is_faulty = find(label).unwrap().program.fault.is_some();
    assert_eq!(found.failures > 0, is_faulty, "{label}");
}

#[test]
fn figures_of_chapter_4_have_the_published_number_of_schedules() {
    for row in REDUCTIONS {
        check_size(row.label, row.schedules);
    }
}

/// Schedules of the programs with coarse locking at their default sizes.
const COARSE: &[(&str, u64)] = &[
    ("coarse.slots", 1_680),
    ("coarse.parity", 3_696),
    ("coarse.nested", 1_680),
    ("coarse.read_mostly", 630),
    ("coarse.config_reload", 630),
    ("coarse.directory", 4_092),
    ("coarse.snapshot", 16_800),
    ("coarse.rate_limiter", 630),
    ("coarse.event_bus", 630),
    ("coarse.matrix_rows", 630),
    ("coarse.bank", 2_520),
    ("coarse.histogram", 1_680),
    ("coarse.cache", 1_680),
    ("coarse.memo_table", 12_772),
    ("coarse.tree", 1_680),
    ("coarse.mailboxes", 2_520),
    ("coarse.pipeline", 2_520),
    ("coarse.pool_allocator", 2_520),
    ("coarse.inventory", 2_100),
    ("coarse.ticket_office", 7_740),
    ("coarse.work_queue", 2_556),
    ("coarse.registry", 1_680),
    ("coarse.session_table", 2_520),
    ("coarse.log_buffer", 90),
    ("coarse.reference_count", 4_974),
    ("coarse.stack", 3_444),
    ("coarse.lock_and_flag", 2_758),
    ("coarse.double_checked", 12_570),
    ("coarse.try_lock_poller", 330),
    ("coarse.hand_over_hand", 1_432),
    ("coarse.philosophers_cycle", 234),
    ("coarse.philosophers_order", 236),
    ("coarse.philosophers_waiter", 2_013),
    ("coarse.monitor", 1_146),
    ("coarse.readers_writers", 13_346),
    ("coarse.producer_consumer", 672),
    ("coarse.barrier", 115_920),
];

/// Schedules of the kernels.
const KERNELS: &[(&str, u64)] = &[
    ("kernel.treiber", 13_344),
    ("kernel.ms_queue", 5_989),
    ("kernel.ticket_lock", 6_072),
    ("kernel.seqlock", 48_344),
    ("kernel.bounded_buffer", 10_292),
];

#[test]
fn programs_with_coarse_locking_keep_their_size() {
    check_sizes(Source::Coarse, COARSE);
}

#[test]
fn kernels_keep_their_size() {
    check_sizes(Source::Kernels, KERNELS);
}

/// All programs of a source are in the table and have the number of schedules that it says.
fn check_sizes(source: Source, sizes: &[(&str, u64)]) {
    let programs = programs().iter().filter(|program| program.source == source);
    let names = programs.map(|program| program.name);
    assert!(names.eq(sizes.iter().map(|(name, _)| *name)));
    for (name, schedules) in sizes {
        check_size(name, *schedules);
    }
}
