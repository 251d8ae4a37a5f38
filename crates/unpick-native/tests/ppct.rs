//! `ppct` on real threads: who is high runs at once with others, who is low waits. Needs a C compiler.

#[path = "support/programs.rs"]
mod support;

use std::time::{Duration, Instant};

use support::{Place, options};
use unpick_native::drive::{Command, explore};
use unpick_native::free::{End, Execution, ParallelPpct, Session, Setup};
use unpick_native::noise::NoiseOrder;
use unpick_native::noise::statistics::Share;
use unpick_native::protocol::PriorityOrder;

fn session(place: &Place, path: &str, arguments: &[&str]) -> Session {
    let command = Command {
        arguments: arguments.iter().map(Into::into).collect(),
        ..place.build(path, false)
    };
    let setup = Setup {
        threads_max: 64,
        events_max: 16,
        time_max: Duration::from_secs(60),
        ..Setup::default()
    };
    Session::new(&command, setup).unwrap()
}

fn execute(session: &mut Session, seed: u64, priorities: PriorityOrder) -> Execution {
    session.prioritise(priorities);
    session
        .execute(&NoiseOrder::nothing(seed), &mut || true)
        .unwrap()
        .expect("nobody has ended it")
}

fn order(depth: u32, low_first: u32, steps: &[u64]) -> PriorityOrder {
    let mut order = PriorityOrder {
        depth,
        low_first,
        ..PriorityOrder::NOBODY
    };
    order.changes[..steps.len()].copy_from_slice(steps);
    order
}

/// How many processors this machine has to spare: what two busy threads of our own get in a moment.
fn idle_processors() -> f64 {
    let start = Instant::now();
    let spin = || {
        let mut turns = 0u64;
        while start.elapsed() < Duration::from_millis(200) {
            turns = std::hint::black_box(turns + 1);
        }
    };
    let before = processor_ticks();
    std::thread::scope(|scope| {
        scope.spawn(spin);
        scope.spawn(spin);
    });
    (processor_ticks() - before) / start.elapsed().as_secs_f64()
}

/// Processor time of this process in seconds.
fn processor_ticks() -> f64 {
    let status = std::fs::read_to_string("/proc/self/stat").unwrap();
    let numbers = status.rsplit(')').next().unwrap().split_whitespace();
    let ticks = numbers
        .skip(11)
        .take(2)
        .map(|text| text.parse::<f64>().unwrap());
    ticks.sum::<f64>() / 100.0
}

#[test]
fn threads_of_high_priority_run_at_once() {
    let idle = idle_processors();
    if idle < 1.8 {
        println!("skipped: two busy threads get {idle:.2} processors here, so nothing can be seen");
        return;
    }
    let place = Place::new("ppct-parallel");
    let mut session = session(&place, "free/parallel.c", &["3", "20000", "5000"]);
    // The first thread, which only joins, is the low one.
    let mut best = 0.0f64;
    for seed in 0..5 {
        let execution = execute(&mut session, seed, order(1, 0, &[]));
        assert_eq!(execution.end, End::Exited(0));
        let share = execution.processor_time.as_secs_f64() / execution.elapsed.as_secs_f64();
        best = best.max(share);
        if best > 1.5 {
            return;
        }
    }
    assert!(
        idle_processors() < 1.8,
        "only {best:.2} processors are used, though more are idle"
    );
    println!("skipped: the machine got busy meanwhile");
}

#[test]
fn every_operation_is_a_step_and_few_threads_are_held_back() {
    let place = Place::new("ppct-steps");
    let mut session = session(&place, "free/parallel.c", &["3", "50", "100"]);
    let all = execute(&mut session, 1, order(3, 2, &[40, 90]));
    assert_eq!(all.end, End::Exited(0));
    // Fifty of each of three threads, three creations and three joins of the first one.
    assert_eq!(all.priorities.step_count, 150 + 3 + 3);
    assert!((1..=3).contains(&all.priorities.low_count), "{all:?}");
    let nobody = execute(&mut session, 1, PriorityOrder::NOBODY);
    assert_eq!(nobody.priorities, Default::default());
}

/// What the first thread does when all others have ended is no step, as it is none under control: with a larger k,
/// fewer changes of priority would fall where they matter.
#[test]
fn there_are_as_many_places_for_changes_as_under_control() {
    let place = Place::new("ppct-control");
    for (path, threads, steps) in [("free/memcached.c", 4, 17_u32), ("free/nspr.c", 3, 19)] {
        let mut session = session(&place, path, &[]);
        let mut ppct = ParallelPpct::new(1, 2, None, None);
        for low_first in 0..threads {
            ppct.learn(&execute(&mut session, 1, order(1, low_first, &[])));
        }
        let promised = 1.0 / f64::from(steps) / f64::from(threads);
        assert_eq!(ppct.guarantee(), promised, "{path}");
        let command = place.build(path, false);
        let controlled = explore(&command, &options("pct:d=1", 100), &mut |_| true);
        let profile = controlled.unwrap().exploration.profile;
        assert_eq!(profile.contended_steps_max, u64::from(steps), "{path}");
    }
}

/// The first thread can be held back from what follows the creation of the second one: the bound needs that.
#[test]
fn who_creates_the_second_thread_may_fall_at_that() {
    let place = Place::new("ppct-chain");
    let mut session = session(&place, "free/chain.c", &[]);
    let mut judged = 0;
    for seed in 0..20 {
        let execution = execute(&mut session, seed, order(2, 1, &[1]));
        let found = execution.priorities;
        if found.passed + found.stalled == 0 {
            assert_eq!(execution.end, End::Exited(1), "{found:?}");
            judged += 1;
        }
    }
    assert!(judged > 0, "always out of turn");
}

/// The thread that begins low makes its first step when the other one has ended or waits for it.
#[test]
fn a_low_thread_goes_on_when_nobody_else_can() {
    let place = Place::new("ppct-low");
    let mut session = session(&place, "free/ordered.c", &[]);
    let mut judged = [0, 0];
    for seed in 0..20 {
        for (low_first, code) in [(0, 1), (1, 0)] {
            let execution = execute(&mut session, seed, order(1, low_first, &[]));
            let found = execution.priorities;
            // Chance, or a machine that is so busy that everything seems to stand still.
            if found.passed + found.stalled == 0 {
                assert_eq!(
                    execution.end,
                    End::Exited(code),
                    "thread {low_first} is low: {found:?}"
                );
                judged[low_first as usize] += 1;
            }
        }
    }
    assert!(
        judged.iter().all(|&count| count > 0),
        "always out of turn: {judged:?}"
    );
}

/// Whoever is woken by a low thread goes before it, though it takes some time to come back.
#[test]
fn who_was_woken_goes_first() {
    let place = Place::new("ppct-woken");
    for way in ["lock", "notify", "release", "end"] {
        let mut session = session(&place, "free/handoff.c", &[way]);
        let mut judged = 0;
        for seed in 0..20 {
            let execution = execute(&mut session, seed, order(1, 0, &[]));
            let found = execution.priorities;
            if found.passed + found.stalled == 0 {
                assert_eq!(execution.end, End::Exited(0), "{way}: {found:?}");
                judged += 1;
            }
        }
        assert!(judged > 0, "{way}: always out of turn");
    }
}

/// The bug of depth d shows at least as often as promised, and as under `pct`, one task at a time.
#[test]
fn the_promise_is_kept_on_real_threads() {
    for (path, depth) in [
        ("free/ordered.c", 1),
        ("free/memcached.c", 2),
        ("free/nspr.c", 2),
        ("free/wsq.c", 2),
    ] {
        let place = Place::new("ppct-promise");
        let mut session = session(&place, path, &[]);
        let mut ppct = ParallelPpct::new(7, depth, None, None);
        let executions = 300;
        let mut free = Share {
            count: 0,
            of: executions,
        };
        for index in 0..executions {
            let order = ppct.order(index);
            let execution = execute(&mut session, index, order);
            ppct.learn(&execution);
            free.count += u64::from(execution.end == End::Exited(1));
        }
        let (rate, promised) = (free.rate(), ppct.guarantee());
        let deviation = (promised * (1.0 - promised) / executions as f64).sqrt();
        assert!(
            rate >= promised - 5.0 * deviation && free.count > 0,
            "{path}: {rate} measured, {promised} promised"
        );
        let serial = serial(&place.build(path, false), depth);
        let above = free.deviations_above(serial);
        assert!(above > -5.0, "{path}: {free:?} beside {serial:?} of pct");
    }
}

/// How often `pct` finds a bug, one task at a time.
fn serial(command: &Command, depth: u32) -> Share {
    let mut options = options(&format!("pct:d={depth}"), 3_000);
    options.limits.keep_going = true;
    options.races = false;
    let exploration = explore(command, &options, &mut |_| true)
        .unwrap()
        .exploration;
    Share {
        count: exploration.failures,
        of: exploration.executions,
    }
}

/// Two threads that wait for a third one busily do not keep it from going on.
#[test]
fn busy_waiting_ends() {
    let place = Place::new("ppct-busy");
    let mut session = session(&place, "free/busy.c", &[]);
    let execution = execute(&mut session, 1, order(1, 1, &[]));
    assert_eq!(execution.end, End::Exited(0));
    let found = execution.priorities;
    assert!(found.passed + found.stalled > 0, "{found:?}");
}
