//! The table of techniques: names, parameters, and one line of help each.

mod parameters;

pub use parameters::Parameter;
pub(crate) use parameters::WORDS;
use parameters::{
    BEYOND, BOUND, CACHE_BOUNDS, DEPTH, MODE, ODDS, PART, SENDS, SLEEP, SLEEP_MAX, STEPS, TASKS,
    TASKS_TOLD,
};

/// A technique that can be asked for by name.
pub struct Technique {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// Its parameters: name, smallest and largest value, and meaning.
    pub parameters: &'static [Parameter],
    /// Whether an execution depends on seed and number alone, so that workers can share the work.
    pub is_randomised: bool,
    /// Whether no failing state is left when it has come to its end, unless a bound was set.
    pub is_exhaustive: bool,
    /// Whether it plans between executions, with more means than there are here: see
    /// [`Spec::build`](crate::Spec::build).
    pub is_planned: bool,
}

impl Technique {
    const fn exhaustive(
        name: &'static str,
        summary: &'static str,
        parameters: &'static [Parameter],
    ) -> Technique {
        Technique {
            name,
            summary,
            parameters,
            is_randomised: false,
            is_exhaustive: true,
            is_planned: false,
        }
    }

    const fn randomised(
        name: &'static str,
        summary: &'static str,
        parameters: &'static [Parameter],
    ) -> Technique {
        Technique {
            name,
            summary,
            parameters,
            is_randomised: true,
            is_exhaustive: false,
            is_planned: false,
        }
    }
}

static TECHNIQUES: &[Technique] = &[
    Technique {
        name: "portfolio",
        summary: "few delays first, then pct, pos and random by what they find; the default",
        parameters: &[],
        is_randomised: true,
        is_exhaustive: true,
        is_planned: false,
    },
    Technique::exhaustive("dfs", "every schedule, depth first", &[]),
    Technique::exhaustive(
        "ipb",
        "iterative preemption bounding: schedules with 0, 1, 2, … preemptions",
        &[BOUND, BEYOND],
    ),
    Technique::exhaustive(
        "idb",
        "iterative delay bounding: schedules with 0, 1, 2, … delays",
        &[BOUND, BEYOND],
    ),
    Technique::exhaustive(
        "hbr-cache",
        "every happens-before relation, depth first",
        CACHE_BOUNDS,
    ),
    Technique::exhaustive(
        "lazy-hbr-cache",
        "every happens-before relation without the order of locking, depth first",
        CACHE_BOUNDS,
    ),
    Technique::exhaustive(
        "dpor",
        "dynamic partial-order reduction: turns races round, depth first",
        &[SLEEP, PART],
    ),
    Technique {
        name: "lazy-dpor",
        summary: "dpor that ignores the order of locking, as long as that is sound",
        parameters: &[
            SLEEP,
            (
                "fallback",
                0,
                1,
                "0: go on, with a warning, where it may miss something (default 1)",
            ),
        ],
        is_randomised: false,
        is_exhaustive: false,
        is_planned: false,
    },
    Technique::exhaustive(
        "odpor",
        "optimal partial order reduction: one execution a happens-before relation",
        &[PART],
    ),
    Technique::exhaustive(
        "lazy-odpor",
        "optimal partial order reduction that moves critical sections as a whole",
        &[],
    ),
    Technique {
        name: "mcr",
        summary: "maximal causality reduction: what reads can see, whatever the order it comes of",
        parameters: &[MODE],
        is_randomised: false,
        is_exhaustive: true,
        is_planned: true,
    },
    Technique {
        name: "se-mcr",
        summary: "the same with switch equivalence: one execution for each thing that reads can see",
        parameters: &[MODE],
        is_randomised: false,
        is_exhaustive: true,
        is_planned: true,
    },
    Technique::randomised(
        "random",
        "any enabled task, each with the same probability",
        &[(
            "linger",
            1,
            1 << 20,
            "before an atomic update a task is drawn so many times less often (default 1)",
        )],
    ),
    Technique::randomised(
        "pct",
        "probabilistic concurrency testing: random priorities, d - 1 changes",
        &[DEPTH, STEPS, TASKS_TOLD],
    ),
    Technique::randomised(
        "ppct",
        "pct that leaves open who of the tasks of high priority goes first",
        &[DEPTH, STEPS, TASKS],
    ),
    Technique::randomised(
        "pos",
        "partial order sampling: fresh priorities for racing operations",
        &[],
    ),
    Technique::randomised(
        "surw",
        "selectively uniform random walk: interleavings with equal probability",
        &[
            (
                "all",
                0,
                1,
                "1: all operations count (URW); 0: those on some objects (default)",
            ),
            (
                "objects",
                1,
                u32::MAX as u64,
                "how many objects are drawn for an execution (default 1)",
            ),
            (
                "weigh",
                0,
                1,
                "1: objects are drawn by how often they are used (default 0: each alike)",
            ),
        ],
    ),
    Technique::randomised("actor-random", "random orders of what actors send", &[]),
    Technique::randomised(
        "actor-pct",
        "pct over what actors send; needs to know nothing of the program",
        &[DEPTH, SENDS],
    ),
    Technique::randomised(
        "preempt-always",
        "a switch to another random task at every point",
        &[],
    ),
    Technique::randomised(
        "preempt-bound",
        "c preemptions at random points",
        &[("c", 0, 1024, "preemptions (default 2)"), STEPS],
    ),
    Technique::randomised(
        "random-sleep",
        "as on as many processors, with sleeps at random points",
        &[ODDS, SLEEP_MAX],
    ),
    Technique::randomised(
        "atom-fuzzer",
        "random, but others come between two critical sections of a task",
        &[],
    ),
    Technique {
        name: "maple",
        summary: "forces dependencies between tasks that were not seen yet; ends when none is left",
        parameters: &[],
        is_randomised: false,
        is_exhaustive: false,
        is_planned: false,
    },
    Technique {
        name: "round-robin",
        summary: "the tasks in turn; one execution",
        parameters: &[(
            "quantum",
            0,
            u64::MAX,
            "operations in a turn (default 1), 0: until it blocks",
        )],
        is_randomised: false,
        is_exhaustive: false,
        is_planned: false,
    },
];

/// Every technique that can be asked for by name, in the order of the documentation. `replay` is not
/// among them: it needs a trace.
pub fn techniques() -> &'static [Technique] {
    TECHNIQUES
}
