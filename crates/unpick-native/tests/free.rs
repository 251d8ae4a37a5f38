//! Programs that run freely: everything they do is counted and traced, however they end. Needs a C compiler.

#[path = "support/programs.rs"]
mod support;

use std::time::Duration;

use support::Place;
use unpick_native::drive::Command;
use unpick_native::free::{End, Execution, Session, Setup};
use unpick_noise::{
    Category, NoiseOrder, Operation, Placement, Placements, Plan, Side, Strength, Type, Variables,
};

/// What `free/counted.c` does: an operation, how often each of three threads, how often the first one.
const COUNTED: &[(Operation, u64, u64)] = &[
    (Operation::Lock, 7, 1),
    (Operation::TryLock, 3, 0),
    (Operation::Unlock, 10, 1),
    (Operation::Wait, 0, 1),
    (Operation::NotifyOne, 2, 0),
    (Operation::NotifyAll, 1, 0),
    (Operation::Create, 0, 3),
    (Operation::Begin, 1, 0),
    (Operation::End, 1, 0),
    (Operation::Join, 0, 3),
    (Operation::ReadLock, 4, 0),
    (Operation::WriteLock, 2, 0),
    (Operation::RwTryLock, 0, 0),
    (Operation::RwUnlock, 6, 0),
    (Operation::Acquire, 3, 0),
    (Operation::TryAcquire, 1, 0),
    (Operation::Release, 3, 0),
    (Operation::BarrierWait, 2, 0),
    (Operation::Once, 4, 0),
    (Operation::Load, 6, 0),
    (Operation::Store, 5, 0),
    (Operation::Update, 5, 0),
    (Operation::Fence, 1, 0),
    (Operation::Input, 0, 2),
    (Operation::Output, 0, 2),
    (Operation::Poll, 0, 1),
    (Operation::FutexWait, 0, 0),
    (Operation::FutexWake, 0, 0),
    (Operation::Sleep, 0, 1),
    (Operation::Yield, 0, 3),
];
const THREADS: u64 = 3;

fn run(command: &Command, setup: Setup, order: &NoiseOrder) -> Execution {
    let mut session = Session::new(command, setup).unwrap();
    session
        .execute(order, &mut || true)
        .unwrap()
        .expect("nobody has ended it")
}

/// Counts at some placements, and traces there if that is wanted.
fn order(placements: Placements, is_traced: bool) -> NoiseOrder {
    NoiseOrder {
        counted: placements,
        traced: if is_traced {
            placements
        } else {
            Placements::default()
        },
        variables: Variables::All,
        ..NoiseOrder::nothing(1)
    }
}

fn total(execution: &Execution, placements: Placements) -> u64 {
    placements
        .iter()
        .map(|placement| execution.count(placement).0)
        .sum()
}

#[test]
fn counters_are_the_true_counts_with_and_without_a_trace() {
    let place = Place::new("free-counted");
    let command = place.build("free/counted.c", false);
    for is_traced in [false, true] {
        let found = run(
            &command,
            Setup::default(),
            &order(Placements::all(), is_traced),
        );
        assert_eq!(
            found.end,
            End::Exited(0),
            "{}",
            String::from_utf8_lossy(&found.error_output)
        );
        for &(operation, each, first) in COUNTED {
            for &side in operation.sides() {
                let placement = Placement { operation, side };
                assert_eq!(
                    found.count(placement).0,
                    THREADS * each + first,
                    "{placement}"
                );
            }
        }
        assert_eq!(found.threads.len(), 4);
        let traced = found.events.len() as u64;
        let counted = total(&found, Placements::all());
        assert_eq!(traced, if is_traced { counted } else { 0 });
        assert_eq!((found.events_lost, found.threads_lost), (0, 0));
    }
}

#[test]
fn categories_add_up_to_the_whole() {
    let place = Place::new("free-categories");
    let command = place.build("free/counted.c", false);
    let whole = run(&command, Setup::default(), &order(Placements::all(), false));
    let mut sum = 0;
    for category in Category::ALL {
        let placements = Placements::named(category.name()).unwrap();
        let alone = run(&command, Setup::default(), &order(placements, false));
        assert_eq!(
            total(&alone, Placements::all()),
            total(&whole, placements),
            "{category:?}"
        );
        sum += total(&alone, placements);
    }
    assert_eq!(sum, total(&whole, Placements::all()));
    let nothing = run(&command, Setup::default(), &NoiseOrder::nothing(1));
    assert_eq!(total(&nothing, Placements::all()), 0);
    assert!(nothing.events.is_empty());
}

#[test]
fn plain_accesses_are_counted_one_by_one() {
    let place = Place::new("free-plain");
    let mut command = place.build("free/counted.c", false);
    let memory = Placements::named("memory").unwrap();
    let mut count = |repetitions: &str| {
        command.arguments = vec![repetitions.into()];
        let found = run(&command, Setup::default(), &order(memory, false));
        [Operation::Read, Operation::Write].map(|one| found.count(Placement::before(one)).0)
    };
    let (few, many) = (count("10"), count("110"));
    assert_eq!([many[0] - few[0], many[1] - few[1]], [300, 300]);
}

#[test]
fn noise_fires_where_and_as_often_as_it_is_told() {
    let place = Place::new("free-noise");
    let command = place.build("free/counted.c", false);
    let mut plan = Plan::default();
    plan.add("after-unlock").unwrap();
    plan.strength = Some(Strength {
        min: 1_000_000,
        max: 1_000_000,
    });
    let found = run(&command, Setup::default(), &plan.order(3, &[]));
    assert_eq!(found.end, End::Exited(0));
    let after = Placement::after(Operation::Unlock);
    assert_eq!(found.count(after), (31, 31));
    assert_eq!(total(&found, Placements::all()), 31);
    assert!(
        found.noise_time >= Duration::from_millis(31),
        "{:?}",
        found.noise_time
    );
    // Only the thread that was created second.
    let mut only = plan.order(3, &[]);
    only.only_thread = 3;
    let found = run(&command, Setup::default(), &only);
    let fired: Vec<u64> = found
        .threads
        .iter()
        .map(|one| one.fired[after.number()])
        .collect();
    assert_eq!(fired, [0, 0, 10, 0]);
}

#[test]
fn every_type_of_noise_lets_the_program_come_to_its_end() {
    let place = Place::new("free-types");
    let command = place.build("free/counted.c", false);
    for &kind in Type::ALL {
        let mut plan = Plan {
            kind,
            probability: 0.5,
            strength: Some(match kind.is_timed() {
                true => Strength {
                    min: 1_000,
                    max: 1_000_000,
                },
                false => Strength { min: 0, max: 5 },
            }),
            ..Plan::default()
        };
        plan.add("all").unwrap();
        let found = run(&command, Setup::default(), &plan.order(7, &[]));
        assert_eq!(found.end, End::Exited(0), "{kind:?}");
        let fired: u64 = plan.placements().iter().map(|one| found.count(one).1).sum();
        assert!(fired > 0, "{kind:?}");
    }
}

#[test]
fn a_deadlock_is_ended_and_tells_where_everybody_is() {
    let place = Place::new("free-stuck");
    let command = place.build("free/stuck.c", false);
    let setup = Setup {
        time_max: Duration::from_secs(1),
        ..Setup::default()
    };
    let found = run(
        &command,
        setup,
        &order(Placements::named("locks").unwrap(), true),
    );
    let End::TimedOut { is_asleep, stacks } = &found.end else {
        panic!("it ended: {:?}", found.end);
    };
    assert!(is_asleep);
    assert_eq!(found.output, b"waiting\n");
    assert_eq!(stacks.len(), 3);
    assert!(
        stacks.iter().all(|stack| stack.frames.len() > 2),
        "{stacks:?}"
    );
    // Each thread has come to two locks and got one.
    let lock = |side| Placement {
        operation: Operation::Lock,
        side,
    };
    assert_eq!(found.count(lock(Side::Before)).0, 4);
    assert_eq!(found.count(lock(Side::After)).0, 2);
    assert_eq!(found.events.len(), 6);
}

#[test]
fn a_deadlock_is_not_waited_for_when_nobody_may_sleep_that_long() {
    let place = Place::new("free-still");
    let command = place.build("free/stuck.c", false);
    let setup = Setup {
        time_max: Duration::from_secs(3_600),
        asleep_max: Some(Duration::from_millis(300)),
        ..Setup::default()
    };
    let found = run(
        &command,
        setup,
        &order(Placements::named("locks").unwrap(), true),
    );
    let asleep = matches!(
        found.end,
        End::TimedOut {
            is_asleep: true,
            ..
        }
    );
    assert!(asleep, "{:?}", found.end);
    assert!(found.elapsed >= Duration::from_millis(300));
}

/// Threads that sleep again and again use no processor time that the kernel would show, and go on all the same.
#[test]
fn who_naps_is_not_in_a_deadlock() {
    let place = Place::new("free-naps");
    let command = place.build("free/naps.c", false);
    let setup = Setup {
        time_max: Duration::from_secs(3),
        asleep_max: Some(Duration::from_secs(1)),
        ..Setup::default()
    };
    let found = run(&command, setup, &order(Placements::default(), false));
    let busy = matches!(
        found.end,
        End::TimedOut {
            is_asleep: false,
            ..
        }
    );
    assert!(busy, "{:?}", found.end);
    assert!(found.elapsed >= Duration::from_secs(3));
}

#[test]
fn a_crash_leaves_the_trace() {
    let place = Place::new("free-crash");
    let command = place.build("free/crash.c", false);
    let found = run(
        &command,
        Setup::default(),
        &order(Placements::named("locks").unwrap(), true),
    );
    assert_eq!(found.end, End::Signalled(11));
    assert_eq!(found.events.len(), 40);
    let is_ordered = found.events.is_sorted_by_key(|event| event.time);
    assert!(is_ordered);
    assert_eq!(
        (found.threads[1].parent, found.threads[1].index),
        (0, Some(0))
    );
}

#[test]
fn a_trace_without_room_says_what_it_lost() {
    let place = Place::new("free-room");
    let command = place.build("free/crash.c", false);
    let setup = Setup {
        events_max: 12,
        ..Setup::default()
    };
    let found = run(
        &command,
        setup,
        &order(Placements::named("locks").unwrap(), true),
    );
    assert_eq!((found.events.len(), found.events_lost), (12, 28));
    assert_eq!(total(&found, Placements::all()), 40);
}
