//! `cargo xtask fabric`: the table of the study of a replicated service, published beside measured.
//!
//! P. Thomson's thesis (2016), table 6.1: 10,000 schedules for each bug and scheduler, each counted as buggy or as a
//! livelock; here both are failures.

use anyhow::Result;
use unpick::{Config, explore};
use unpick_actors::Wait;
use unpick_fabric::{Bug, Bugs, run};

/// Operations after which an execution counts as a livelock. The thesis counts as many sends.
const STEPS_MAX: u64 = 5_000;

const STRATEGIES: [&str; 4] = ["actor-random", "actor-pct", "pos", "surw"];

/// The first schedule that fails, and how many do.
type Found = Option<(u64, u64)>;

/// The number of a bug, and what random scheduling and PCT found of it.
#[rustfmt::skip]
const PUBLISHED: [(Bug, u32, Found, Found); Bug::ALL.len()] = [
    (Bug::BadAssertInPrimaryReplicateOp, 0, None, Some((186, 118))),
    (Bug::UpdateServiceEndpointTooEarly, 1, None, Some((19, 1_036))),
    (Bug::PromotePrimaryImmediately, 2, None, Some((124, 129))),
    (Bug::PromotePrimaryImmediatelyBadFix, 3, None, Some((6_568, 1))),
    (Bug::BlockForNextId, 5, Some((1, 9_999)), Some((6, 5_522))),
    (Bug::GetCopyStreamNPE, 6, Some((6, 1_427)), Some((6, 1_558))),
    (Bug::DontClearCreateReplicasList, 9, None, Some((244, 3))),
    (Bug::DoReplicateWithoutMutex, 10, Some((7, 1_877)), Some((36, 103))),
    (Bug::DontWaitWhenSendingCopyState, 11, None, Some((244, 20))),
    (Bug::CommitAckedOpImmediately, 12, Some((15, 91)), Some((5, 1_083))),
    (Bug::CommitAckedOpImmediatelySkipAssertions, 13, Some((15, 91)), Some((5, 1_061))),
    (Bug::SendDuplicateRequests, 14, Some((9, 1_491)), Some((5, 2_353))),
];

/// Prints the table. Well if the system without bugs shows none, and each bug is found.
pub fn run_study(executions: u64) -> Result<bool> {
    println!(
        "| bug | Rand, published | PCT, published | {} |",
        STRATEGIES.join(" | ")
    );
    println!("|---|---|---|{}", "---|".repeat(STRATEGIES.len()));
    let mut is_well = true;
    for (bug, number, random, pct) in PUBLISHED {
        let found = STRATEGIES.map(|strategy| measure(strategy, executions, Bugs::only(bug)));
        is_well &= found.iter().any(Option::is_some);
        let cells: Vec<String> = [random, pct].into_iter().chain(found).map(cell).collect();
        println!("| {number} `{bug:?}` | {} |", cells.join(" | "));
    }
    let found = STRATEGIES.map(|strategy| measure(strategy, executions, Bugs::none()));
    is_well &= found.iter().all(Option::is_none);
    println!("| none | | | {} |", found.map(cell).join(" | "));
    Ok(is_well)
}

fn measure(strategy: &str, executions: u64, bugs: Bugs) -> Found {
    let config = Config::new()
        .strategy(strategy)
        .executions(executions)
        .steps(STEPS_MAX)
        .keep_going(true)
        .confirm(0);
    let found = explore(config, move || run(bugs).wait());
    let first = found.first_failure.as_ref()?;
    Some((first.rank, found.failures))
}

fn cell(found: Found) -> String {
    match found {
        Some((first, count)) => format!("{first} / {count}"),
        None => "–".to_string(),
    }
}
