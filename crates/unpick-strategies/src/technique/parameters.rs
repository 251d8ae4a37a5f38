//! Parameters that techniques have in common.

/// A parameter: its name, smallest and largest value, and meaning.
pub type Parameter = (&'static str, u64, u64, &'static str);

/// The parameters that are given as words; a word stands for its place.
pub(crate) const WORDS: &[(&str, &[&str])] = &[
    ("mode", &["complete", "literal"]),
    ("iterate", &["preemptions", "delays"]),
];

pub(super) const BOUND: Parameter = (
    "bound",
    0,
    u32::MAX as u64,
    "end after this bound (default: no end)",
);
pub(super) const BEYOND: Parameter = (
    "beyond",
    0,
    1,
    "1: go on after a bound that shows a failure (default 0)",
);
pub(super) const CACHE_BOUNDS: &[Parameter] = &[
    (
        "preemptions",
        0,
        u32::MAX as u64,
        "only schedules with so many preemptions (default: no bound)",
    ),
    (
        "delays",
        0,
        u32::MAX as u64,
        "only schedules with so many delays (default: no bound)",
    ),
    (
        "iterate",
        0,
        1,
        "preemptions or delays: with bound 0, 1, 2, … of them, each anew",
    ),
];
pub(super) const SLEEP: Parameter = ("sleep", 0, 1, "0: without sleep sets (default 1)");
pub(super) const PART: Parameter = (
    "part",
    1,
    u64::MAX,
    "executions after which a part is put aside for other workers (default 64)",
);
pub(super) const MODE: Parameter = (
    "mode",
    0,
    1,
    "complete (default), or literal: as published, which loses states",
);
pub(super) const STEPS: Parameter = (
    "k",
    1,
    u64::MAX,
    "steps of an execution (default: the most seen so far)",
);
pub(super) const DEPTH: Parameter = ("d", 1, 64, "bug depth (default 3)");
pub(super) const TASKS: Parameter = (
    "n",
    1,
    u32::MAX as u64,
    "tasks of an execution (default: the most seen so far)",
);
pub(super) const TASKS_TOLD: Parameter = (
    "n",
    1,
    u32::MAX as u64,
    "tasks of an execution (only for the guarantee; default: the most seen)",
);
pub(super) const ODDS: Parameter = (
    "odds",
    1,
    u32::MAX as u64,
    "one sleep in so many steps (default 30)",
);
pub(super) const SLEEP_MAX: Parameter = (
    "sleep",
    1,
    u32::MAX as u64,
    "longest sleep, in steps of others (default 100)",
);
pub(super) const SENDS: Parameter = (
    "k",
    1,
    u64::MAX,
    "sends of an execution (default: the most seen so far)",
);
