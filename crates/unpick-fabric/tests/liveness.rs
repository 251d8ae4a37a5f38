//! A service owes its clients a primary.

use unpick::trace::{FailureKind, Outcome};
use unpick::{Config, explore};
use unpick_actors::{Faults, Wait};
use unpick_fabric::{Bugs, Scenario};

fn watched(bugs: Bugs) -> Scenario {
    Scenario {
        is_watched: true,
        ..Scenario::new(bugs)
    }
}

/// What the platform tells a replica is lost, against its assumptions: nobody ever becomes the primary.
#[test]
fn a_service_that_never_elects_a_primary_is_a_livelock() {
    let scenario = Scenario {
        kills: 0,
        faults: Some(|| Faults::new().lose(1).between(|_, to| to == "replica 1.1")),
        ..watched(Bugs::none())
    };
    let config = Config::new()
        .strategy("actor-pct")
        .executions(50)
        .keep_going(true)
        .timeouts(false)
        .confirm(0);
    let found = explore(config, move || scenario.run().wait());
    let groups = found.groups.list().iter();
    let failures = groups.filter_map(|group| match &group.first.outcome {
        Outcome::Fail(failure) => Some((failure.kind, failure.message.clone())),
        _ => None,
    });
    let livelock = failures
        .into_iter()
        .find(|one| one.0 == FailureKind::Livelock);
    let (_, message) = livelock.expect("a livelock is found");
    let expected = "livelock: monitor `election` stays hot in state `no primary`";
    assert!(message.starts_with(expected), "{message}");
}

#[test]
fn a_service_that_elects_one_is_none() {
    for strategy in [
        "actor-random",
        "actor-pct",
        "random",
        "pct",
        "pos",
        "round-robin",
    ] {
        let scenario = watched(Bugs::none());
        let config = Config::new().strategy(strategy).executions(150);
        let found = explore(config, move || scenario.run().wait());
        assert!(found.first_failure.is_none(), "{strategy}: {found:?}");
    }
}
