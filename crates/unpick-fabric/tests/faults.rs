//! What the system promises under faults of its network and of its processes.
//!
//! Faults of the network strike what the client sends. Within the platform messages stand for calls and for
//! connections that keep order and lose nothing; they may be overtaken by those of others.

use unpick::{Config, Exploration, explore};
use unpick_actors::{Faults, Wait};
use unpick_fabric::{Bugs, Replication, Scenario};

/// Those that let an actor which gives up waiting go last. Random scheduling gives up nearly every answer.
const STRATEGIES: [&str; 3] = ["actor-pct", "pct", "pos"];

fn explored(strategy: &str, executions: u64, scenario: Scenario) -> Exploration {
    let config = Config::new()
        .strategy(strategy)
        .executions(executions)
        .steps(5_000)
        .patience(1)
        .fail_on_limit(true)
        .timeouts(false);
    explore(config, move || scenario.run().wait())
}

/// Everything that was confirmed is there, once, and all replicas agree.
#[track_caller]
fn all_is_well(scenario: Scenario) {
    for strategy in STRATEGIES {
        let found = explored(strategy, 100, scenario);
        if let Some(failure) = found.first_failure {
            let (execution, outcome) = (failure.execution, failure.outcome);
            panic!("{strategy}, execution {execution} of {scenario:?}: {outcome:?}");
        }
    }
}

fn under(faults: fn() -> Faults) -> Scenario {
    Scenario {
        faults: Some(faults),
        ..Scenario::new(Bugs::none())
    }
}

fn from_client(from: &str, _: &str) -> bool {
    from == "client"
}

fn from_replica(from: &str, _: &str) -> bool {
    from.starts_with("replica")
}

#[test]
fn requests_that_are_lost_are_sent_again() {
    all_is_well(under(|| Faults::new().lose(3).between(from_client)));
}

#[test]
fn requests_that_arrive_twice_are_done_once() {
    all_is_well(under(|| Faults::new().duplicate(3).between(from_client)));
}

#[test]
fn requests_that_arrive_late_are_done_once() {
    all_is_well(under(|| Faults::new().delay(3).between(from_client)));
}

#[test]
fn messages_of_the_platform_may_overtake_those_of_others() {
    all_is_well(under(|| Faults::new().reorder(3)));
}

#[test]
fn a_client_that_is_cut_off_goes_on_when_it_is_back() {
    all_is_well(under(|| {
        Faults::new().partition(2, |name| u32::from(name == "client"))
    }));
}

/// The primary, or a secondary: whoever crashes is built anew.
#[test]
fn one_replica_may_crash() {
    let crash: fn() -> Faults = || Faults::new().crash(1).between(from_replica);
    for replication in [Replication::First, Replication::Second] {
        all_is_well(Scenario {
            kills: 0,
            replication,
            ..under(crash)
        });
    }
}

/// A primary that is killed leaves its disk behind, which the next one takes if nobody else has everything.
#[test]
fn with_disks_replicas_may_crash_while_the_primary_is_killed() {
    all_is_well(Scenario {
        is_durable: true,
        ..under(|| Faults::new().crash(2).between(from_replica))
    });
}

#[test]
fn one_disk_may_be_lost() {
    all_is_well(Scenario {
        is_durable: true,
        kills: 0,
        ..under(|| Faults::new().wipe(1).between(from_replica))
    });
}

/// Whenever they die: here the schedule says when.
#[test]
fn with_disks_a_secondary_may_be_killed_beside_the_primary() {
    let scenario = Scenario {
        is_durable: true,
        secondary_kills: 1,
        ..Scenario::new(Bugs::none())
    };
    all_is_well(scenario);
}
