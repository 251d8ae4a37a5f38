//! The tools and the strategies they are measured with.

use shuttle::scheduler::{DfsScheduler, RandomScheduler, Scheduler};

use crate::measurement::execute;
use crate::programs::Program;

/// A tool with one strategy.
pub struct Tool {
    pub name: &'static str,
    /// Explores the program once, until the search ends or the time is over.
    pub explore: fn(&Program),
}

pub const UNPICK_RANDOM: &str = "unpick random";
pub const UNPICK_DFS: &str = "unpick dfs";
pub const SHUTTLE_RANDOM: &str = "shuttle random";
pub const SHUTTLE_DFS: &str = "shuttle dfs";
pub const LOOM: &str = "loom";

/// In the order in which they take turns.
pub const TOOLS: &[Tool] = &[
    Tool {
        name: UNPICK_RANDOM,
        explore: |program| unpick_with("random", program.on_unpick),
    },
    Tool {
        name: SHUTTLE_RANDOM,
        explore: |program| {
            let random = RandomScheduler::new_from_seed(1, usize::MAX);
            shuttle_with(random, program.on_shuttle);
        },
    },
    Tool {
        name: UNPICK_DFS,
        explore: |program| unpick_with("dfs", program.on_unpick),
    },
    Tool {
        name: SHUTTLE_DFS,
        explore: |program| shuttle_with(DfsScheduler::new(None, false), program.on_shuttle),
    },
    Tool {
        name: LOOM,
        explore: |program| loom_search(program.on_loom),
    },
];

/// Without spurious wake-ups, which the condition variables of the others do not have: waits would be longer.
fn unpick_with(strategy: &str, body: fn()) {
    let config = unpick::Config::new()
        .strategy(strategy)
        .spurious_wakes(0)
        .seed(1)
        .executions(u64::MAX);
    unpick::explore(config, move || execute(body));
}

fn shuttle_with(strategy: impl Scheduler + 'static, body: fn()) {
    let mut config = shuttle::Config::new();
    config.failure_persistence = shuttle::FailurePersistence::None;
    config.silence_warnings = true;
    shuttle::Runner::new(strategy, config).run(move || execute(body));
}

/// The search of loom's own, over everything: without a bound on preemptions.
fn loom_search(body: fn()) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = None;
    model.check(move || execute(body));
}
