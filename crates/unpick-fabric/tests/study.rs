//! The system without bugs, and each of the bugs.

use unpick::trace::{FailureKind, Outcome};
use unpick::{Config, Exploration, explore, replay, understand};
use unpick_actors::Wait;
use unpick_fabric::{Bug, Bugs, Replication, Scenario};

/// More than any execution of a system that comes to rest needs.
const STEPS_MAX: u64 = 1_500;

const STRATEGIES: [&str; 6] = ["actor-random", "actor-pct", "random", "pct", "pos", "surw"];

fn config(strategy: &str, seed: u64, executions: u64) -> Config {
    Config::new()
        .strategy(strategy)
        .seed(seed)
        .executions(executions)
        .steps(STEPS_MAX)
        .patience(1)
        .fail_on_limit(true)
}

fn explored(config: Config, scenario: Scenario) -> Exploration {
    explore(config, move || scenario.run().wait())
}

#[track_caller]
fn holds(strategy: &str, executions: u64, scenario: Scenario) {
    let found = explored(config(strategy, 0x5eed, executions), scenario);
    if let Some(failure) = found.first_failure {
        let (execution, outcome) = (failure.execution, failure.outcome);
        panic!("{strategy}, execution {execution} of {scenario:?}: {outcome:?}");
    }
}

/// `unpick study fabric --only none --limit 100000 --out DIR` is the long form.
#[test]
fn without_bugs_nothing_is_found() {
    for strategy in STRATEGIES {
        holds(strategy, 200, Scenario::new(Bugs::none()));
    }
}

#[test]
fn the_first_replication_disks_and_two_kills_change_nothing() {
    for replication in [Replication::First, Replication::Second] {
        for kills in [1, 2] {
            let scenario = Scenario {
                replication,
                kills,
                is_durable: true,
                ..Scenario::new(Bugs::none())
            };
            holds("actor-pct", 150, scenario);
        }
    }
}

fn text(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Fail(failure) if failure.kind != FailureKind::StepLimit => failure.message.clone(),
        other => other.word().to_string(),
    }
}

/// Finds a bug, sees it by what shows it, replays and shrinks it.
#[track_caller]
fn find(bug: Bug, seed: u64, executions: u64, expected: &[&str]) {
    let scenario = Scenario::new(Bugs::only(bug));
    let config = config("actor-pct", seed, executions).shrink(20);
    let found = explored(config.clone(), scenario);
    let failure = found.first_failure.expect("the bug is found");
    let shown = text(&failure.outcome);
    assert!(expected.iter().any(|part| shown.contains(part)), "{shown}");
    let program = move || scenario.run().wait();
    let again = replay(&config, &program, failure.trace.clone());
    let again = again.first_failure.expect("it fails again");
    assert_eq!(again.trace, failure.trace);
    assert_eq!(again.outcome, failure.outcome);
    let (least, _) = understand(&config, &program, &failure).expect("it is shrunk");
    assert!(least.trace.preemption_count() <= failure.trace.preemption_count());
    let again = replay(&config, &program, least.trace.clone());
    let again = again.first_failure.expect("what is shrunk fails, too");
    assert_eq!(again.outcome, least.outcome);
    let shown = text(&least.outcome);
    assert!(expected.iter().any(|part| shown.contains(part)), "{shown}");
}

const WRONG_ORDER: &str = "is applied after";
const DIFFERENT: &str = "replicas differ";

/// The other secondary still knows the epoch of the primary that died.
#[test]
fn bug_0_a_bad_assertion_of_the_platform() {
    let bug = Bug::BadAssertInPrimaryReplicateOp;
    find(bug, 0, 20, &["a secondary is of an older epoch"]);
}

/// While the client still has something to add it looks for a primary for ever; if it has all, the check finds that no
/// primary is listed.
#[test]
fn bug_1_a_primary_that_nobody_finds() {
    let bug = Bug::UpdateServiceEndpointTooEarly;
    find(bug, 0, 20, &["step-limit", "there is one primary"]);
}

/// The promoted secondary applies an operation whose number the platform gives out again: it, or the other one if it
/// has the operation, too, then gets that number twice. If nothing more is added the other one lacks it for ever, since
/// the platform believes that the new primary does not have it either, and replicas differ.
#[test]
fn bug_2_a_secondary_that_is_promoted_at_once() {
    let bug = Bug::PromotePrimaryImmediately;
    find(bug, 0, 20, &[WRONG_ORDER, DIFFERENT]);
}

/// The one that was not waited for has more than the new primary. It gets those numbers twice, or keeps, if nothing
/// more is added, what the primary lacks.
#[test]
fn bug_3_a_secondary_that_is_promoted_too_early() {
    let bug = Bug::PromotePrimaryImmediatelyBadFix;
    find(bug, 33, 20, &[WRONG_ORDER, DIFFERENT]);
}

/// The secondary knows the new epoch, and what the new primary had before it still comes. If it did not know the old
/// epoch either, it is even told that one after the new one.
#[test]
fn bug_4_an_epoch_that_comes_too_early() {
    let bug = Bug::UpdateSecondaryEpochTooEarly;
    find(bug, 0, 20, &["is of another epoch", "comes after"]);
}

#[test]
fn bug_5_cluster_and_service_that_wait_for_each_other() {
    find(Bug::BlockForNextId, 0, 20, &["deadlock"]);
}

#[test]
fn bug_6_a_copy_stream_that_is_asked_for_too_early() {
    let bug = Bug::GetCopyStreamNPE;
    find(bug, 0, 20, &["there is no copy stream yet"]);
}

/// A dead secondary is listed, and does not answer. If it is the only one, an addition is accepted since there seem to be
/// enough, and waits for ever: a deadlock. If it is promoted, clients look for a primary for ever.
#[test]
fn bug_7_a_dead_secondary_that_is_taken_for_an_active_one() {
    let bug = Bug::ActiveSecondaryCopyStreamDoneButCancelled;
    find(bug, 9, 20, &["a replica answers", "deadlock", "step-limit"]);
}

/// A dead secondary is never active. If that happens to both, nothing can be added, and the client tries for ever.
#[test]
fn bug_8_a_dead_secondary_that_is_to_become_active() {
    let bug = Bug::SecondaryCopyStreamDoneButCancelled;
    find(bug, 0, 20, &["all others are active", "step-limit"]);
}

/// A secondary is created while there is no primary: nobody asks for its copy, and it is never active. If that happens
/// to both, nothing can be added, and the client tries for ever. Or there is one too many.
#[test]
fn bug_9_replicas_that_nobody_wants_any_more() {
    let bug = Bug::DontClearCreateReplicasList;
    let expected = ["all others are active", "step-limit", "more replicas"];
    find(bug, 15, 20, &expected);
}

#[test]
fn bugs_10_and_12_additions_that_change_places() {
    find(Bug::DoReplicateWithoutMutex, 1, 20, &[WRONG_ORDER]);
    find(Bug::CommitAckedOpImmediately, 0, 20, &[WRONG_ORDER]);
}

/// The copy lacks what the platform believes it has. The next operation leaves a gap, or there is none, and the
/// secondary lacks it for ever.
#[test]
fn bug_11_a_copy_that_lacks_something() {
    let bug = Bug::DontWaitWhenSendingCopyState;
    find(bug, 1, 20, &[WRONG_ORDER, DIFFERENT]);
}

/// Primary and secondaries have the same in another order. Or a copy waits for the greatest number, although the one
/// applied last is a smaller one: the platform's actor for the state of the primary waits for ever, a deadlock. In
/// the thesis that is a livelock, since clients go on asking; here another secondary is active, or there was nothing to
/// change places.
#[test]
fn bug_13_additions_that_change_places_without_notice() {
    let bug = Bug::CommitAckedOpImmediatelySkipAssertions;
    find(bug, 0, 20, &[DIFFERENT, "deadlock"]);
}

#[test]
fn bug_14_a_client_that_asks_twice() {
    let bug = Bug::SendDuplicateRequests;
    find(bug, 0, 20, &["not what the client wanted"]);
}

/// Random scheduling kills the primary before there are secondaries, and finds what does not need any.
#[test]
fn random_scheduling_finds_the_six_that_it_found_in_the_thesis() {
    let published = [
        Bug::BlockForNextId,
        Bug::GetCopyStreamNPE,
        Bug::DoReplicateWithoutMutex,
        Bug::CommitAckedOpImmediately,
        Bug::CommitAckedOpImmediatelySkipAssertions,
        Bug::SendDuplicateRequests,
    ];
    for bug in published {
        let scenario = Scenario::new(Bugs::only(bug));
        let found = explored(config("actor-random", 0x5eed, 500), scenario);
        assert!(found.first_failure.is_some(), "{bug:?}");
    }
}
