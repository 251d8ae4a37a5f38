//! Failures of an exploration that goes on, put together where they are the same.

use unpick::{Config, Exploration, GROUPS_MAX, choose, explore, thread};

/// Fails in so many ways, the last one twice as often as each of the others.
fn failing(ways: u32) -> impl Fn() + Send + Sync + Clone + 'static {
    move || {
        let other = thread::spawn(thread::yield_now);
        let way = choose(ways + 2).min(ways);
        assert!(way == 0, "way {way}");
        other.join().unwrap();
    }
}

fn config(strategy: &str) -> Config {
    let config = Config::new().strategy(strategy).executions(1_000);
    config.keep_going(true).shrink(0)
}

fn told(found: &Exploration) -> Vec<(u64, u64, u64, String)> {
    let groups = found.groups.list().iter();
    let told = groups.map(|group| {
        let first = &group.first;
        let message = match &first.outcome {
            unpick::trace::Outcome::Fail(failure) => failure.message.clone(),
            other => panic!("{other:?}"),
        };
        (group.count, first.rank, first.execution, message)
    });
    told.collect()
}

#[test]
fn each_is_listed_once_with_its_count() {
    let found = explore(config("dfs"), failing(3));
    let told = told(&found);
    assert_eq!(told.len(), 3, "{told:?}");
    let counts: Vec<u64> = told.iter().map(|group| group.0).collect();
    assert_eq!(counts.iter().sum::<u64>(), found.failures);
    assert_eq!(counts[0], counts[1]);
    assert_eq!(counts[2], 2 * counts[0], "{told:?}");
    assert!(told.is_sorted_by_key(|group| group.1), "{told:?}");
    let first = found.first_failure.as_deref();
    assert_eq!(Some(&found.groups.list()[0].first), first);
}

#[test]
fn nothing_is_put_together_unless_the_exploration_goes_on() {
    let found = explore(config("dfs").keep_going(false), failing(3));
    assert_eq!((found.failures, found.groups.list().len()), (1, 0));
}

#[test]
fn only_the_first_ones_are_listed() {
    let found = explore(config("dfs"), failing(12));
    let told = told(&found);
    assert_eq!(told.len(), GROUPS_MAX);
    let listed: u64 = told.iter().map(|group| group.0).sum();
    assert!(listed < found.failures, "{told:?}");
}

#[test]
fn workers_and_shards_list_what_one_lists() {
    for strategy in ["random", "dfs", "idb:beyond=1"] {
        let config = config(strategy);
        let one = explore(config.clone(), failing(6)).groups;
        assert_eq!(one.list().len(), 6);
        for jobs in [2, 3] {
            let many = explore(config.clone().jobs(jobs), failing(6)).groups;
            assert_eq!(many, one, "{strategy} with {jobs} workers");
        }
        let shard = |index| explore(config.clone().shard(index, 2), failing(6));
        let whole = unpick::merge(&config, &[shard(1), shard(2)]).unwrap();
        assert_eq!(whole.groups, one, "{strategy}");
    }
}
