//! How far the search for rings of locks goes: what is noted once, and where it stops.

use unpick::sync::Mutex;
use unpick::{Config, thread};

/// Whether one schedule, which must pass, shows a possible deadlock.
fn warns<F: Fn() + Send + Sync + 'static>(program: F) -> bool {
    let config = Config::new().strategy("round-robin:quantum=0").confirm(0);
    let found = unpick::explore(config, program);
    assert_eq!((found.executions, found.failures), (1, 0));
    found.warnings.iter().any(|one| one.cycle.is_some())
}

fn mutexes(count: usize) -> Vec<Mutex<()>> {
    (0..count).map(|_| Mutex::new(())).collect()
}

fn nest(outer: &Mutex<()>, inner: &Mutex<()>) {
    let _outer = outer.lock();
    let _inner = inner.lock();
}

/// Two tasks take the last two locks in either order, after what `before` does in one of them.
fn crossed_after(locks: &[Mutex<()>], before: impl FnOnce() + Send) {
    let [.., a, b] = locks else {
        panic!("no two locks");
    };
    thread::scope(|scope| {
        scope.spawn(|| {
            before();
            nest(a, b);
        });
        scope.spawn(|| nest(b, a));
    });
}

/// Holding the gate both exclude each other; the second time one of them does without.
#[test]
fn the_same_order_counts_again_without_the_gate() {
    let program = |is_repeated: bool| {
        move || {
            let locks = mutexes(3);
            let (gate, a, b) = (&locks[0], &locks[1], &locks[2]);
            thread::scope(|scope| {
                scope.spawn(move || {
                    let guard = gate.lock();
                    nest(a, b);
                    drop(guard);
                    if is_repeated {
                        nest(a, b);
                    }
                });
                scope.spawn(move || {
                    let _guard = gate.lock();
                    nest(b, a);
                });
            });
        }
    };
    assert!(!warns(program(false)));
    assert!(warns(program(true)));
}

/// 128 links are kept. What is done again needs no room.
#[test]
fn what_is_done_again_is_noted_once() {
    assert!(warns(|| {
        let locks = mutexes(4);
        let again = || (0..200).for_each(|_| nest(&locks[0], &locks[1]));
        crossed_after(&locks, again);
    }));
}

#[test]
fn links_beyond_the_limit_are_not_kept() {
    let program = |count: usize| {
        move || {
            let locks = mutexes(count + 3);
            let many = || (1..=count).for_each(|inner| nest(&locks[0], &locks[inner]));
            crossed_after(&locks, many);
        }
    };
    assert!(warns(program(126)));
    assert!(!warns(program(127)));
}

#[test]
fn rings_of_more_than_eight_tasks_are_not_looked_for() {
    let philosophers = |count: usize| {
        move || {
            let forks = mutexes(count);
            thread::scope(|scope| {
                for seat in 0..count {
                    let (left, right) = (&forks[seat], &forks[(seat + 1) % count]);
                    scope.spawn(move || nest(left, right));
                }
            });
        }
    };
    assert!(warns(philosophers(8)));
    assert!(!warns(philosophers(9)));
}

/// Everybody takes a lock and then each of those behind it: no ring, but very many ways to go on. The
/// ring that comes last is not reached any more.
#[test]
fn a_search_that_takes_too_long_is_given_up() {
    let program = |count: usize| {
        move || {
            let locks = mutexes(count + 2);
            thread::scope(|scope| {
                for outer in 0..count {
                    let (outer, behind) = (&locks[outer], &locks[outer + 1..count]);
                    scope.spawn(move || behind.iter().for_each(|inner| nest(outer, inner)));
                }
            });
            crossed_after(&locks, || {});
        }
    };
    assert!(warns(program(5)));
    assert!(!warns(program(12)));
}
