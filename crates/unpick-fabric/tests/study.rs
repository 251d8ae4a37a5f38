//! The system without bugs, and each of the bugs.

use unpick::trace::Outcome;
use unpick::{Config, Exploration, explore, replay};
use unpick_actors::Wait;
use unpick_fabric::{Bug, Bugs, run};

/// More than any execution of a system that comes to rest needs.
const STEPS_MAX: u64 = 5_000;

fn config(strategy: &str, executions: u64) -> Config {
    Config::new()
        .strategy(strategy)
        .executions(executions)
        .steps(STEPS_MAX)
}

fn explored(strategy: &str, executions: u64, bugs: Bugs) -> Exploration {
    explore(config(strategy, executions), move || run(bugs).wait())
}

#[test]
fn without_bugs_nothing_is_found() {
    for strategy in ["actor-random", "actor-pct", "random", "pct", "pos", "surw"] {
        let found = explored(strategy, 500, Bugs::none());
        if let Some(failure) = found.first_failure {
            let (execution, outcome) = (failure.execution, failure.outcome);
            panic!("{strategy}, execution {execution}: {outcome:?}");
        }
    }
}

fn text(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Fail(failure) => failure.message.clone(),
        other => other.word().to_string(),
    }
}

/// Finds a bug by what shows it, and replays it.
#[track_caller]
fn find(bug: Bug, executions: u64, expected: &[&str]) {
    let found = explored("actor-pct", executions, Bugs::only(bug));
    let failure = found.first_failure.expect("the bug is found");
    let shown = text(&failure.outcome);
    assert!(expected.iter().any(|part| shown.contains(part)), "{shown}");
    let program = move || run(Bugs::only(bug)).wait();
    let again = replay(&config("actor-pct", 1), &program, failure.trace.clone());
    let again = again.first_failure.expect("it fails again");
    assert_eq!(again.trace, failure.trace);
    assert_eq!(again.outcome, failure.outcome);
}

const WRONG_ORDER: &str = "is applied after";
const DIFFERENT: &str = "replicas differ";
const UNWANTED: &str = "not what the client wanted";

#[test]
fn a_bad_assertion_of_the_platform() {
    let bug = Bug::BadAssertInPrimaryReplicateOp;
    find(bug, 100, &["a secondary is not active"]);
}

#[test]
fn a_primary_that_nobody_finds() {
    find(Bug::UpdateServiceEndpointTooEarly, 2_000, &["step-limit"]);
}

#[test]
fn a_secondary_that_is_promoted_at_once() {
    let bug = Bug::PromotePrimaryImmediately;
    find(bug, 2_000, &[WRONG_ORDER, DIFFERENT, UNWANTED]);
}

#[test]
fn a_secondary_that_is_promoted_too_early() {
    let bug = Bug::PromotePrimaryImmediatelyBadFix;
    find(bug, 10_000, &[WRONG_ORDER, DIFFERENT, UNWANTED]);
}

#[test]
fn cluster_and_service_that_wait_for_each_other() {
    find(Bug::BlockForNextId, 100, &["deadlock"]);
}

#[test]
fn a_copy_without_a_primary() {
    find(Bug::GetCopyStreamNPE, 1_000, &["there is no primary"]);
}

#[test]
fn replicas_that_nobody_wants_any_more() {
    let bug = Bug::DontClearCreateReplicasList;
    find(bug, 1_000, &["all others are active", "more replicas"]);
}

#[test]
fn additions_that_change_places() {
    find(Bug::DoReplicateWithoutMutex, 1_000, &[WRONG_ORDER]);
    find(Bug::CommitAckedOpImmediately, 1_000, &[WRONG_ORDER]);
    let bug = Bug::CommitAckedOpImmediatelySkipAssertions;
    find(
        bug,
        1_000,
        &[DIFFERENT, WRONG_ORDER, "all others are active"],
    );
}

#[test]
fn a_copy_that_lacks_something() {
    let bug = Bug::DontWaitWhenSendingCopyState;
    find(bug, 1_000, &[WRONG_ORDER, DIFFERENT]);
}

#[test]
fn a_client_that_asks_twice() {
    let bug = Bug::SendDuplicateRequests;
    find(bug, 1_000, &[UNWANTED]);
}
