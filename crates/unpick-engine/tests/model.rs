//! The object model without any front end: tasks are lists of operations, run by hand.
//!
//! This is also the smallest possible [`Runtime`]: what the engine asks of a front end.

use std::collections::BTreeSet;
use std::panic::Location;
use unpick_engine::{
    Begin, Control, Decision, Execution, Grant, Limits, Runtime, Settings, Shape, Stop, Strategy,
    View, explore,
};
use unpick_trace::{Choice, FailureKind, ObjectId, Op, OpKind, Outcome, TaskId};

/// An operation on the object of this number.
#[derive(Clone, Copy, Debug)]
struct Do(OpKind, u32, u16);

struct Script {
    shapes: Vec<Shape>,
    tasks: Vec<Vec<Do>>,
    execution: Execution,
    /// What every complete execution saw: task, operation, grant.
    seen: BTreeSet<Vec<(u32, OpKind, Grant)>>,
    deadlocks: usize,
}

impl Script {
    fn new(shapes: &[Shape], tasks: &[&[Do]]) -> Script {
        let settings = Settings {
            spurious_wakes_max: 0,
            ..Settings::default()
        };
        Script {
            shapes: shapes.to_vec(),
            tasks: tasks.iter().map(|task| task.to_vec()).collect(),
            execution: Execution::new(settings),
            seen: BTreeSet::new(),
            deadlocks: 0,
        }
    }
}

impl Runtime for Script {
    fn execute(&mut self, strategy: &mut dyn Strategy) {
        let execution = &mut self.execution;
        execution.reset();
        let main = execution.add_task(None);
        for _ in 1..self.tasks.len() {
            execution.add_task(Some(main));
        }
        let objects: Vec<ObjectId> = self
            .shapes
            .iter()
            .map(|&shape| execution.add_object(shape, main))
            .collect();
        let mut positions = vec![0; self.tasks.len()];
        let mut log = Vec::new();
        let mut arriving: Vec<usize> = (0..self.tasks.len()).collect();
        loop {
            for index in arriving.drain(..) {
                let task = TaskId(index as u32);
                match self.tasks[index].get(positions[index]) {
                    None => execution.finish(task),
                    Some(&Do(kind, object, argument)) => {
                        let op = Op {
                            argument,
                            ..Op::new(kind, objects[object as usize])
                        };
                        execution.announce(task, op, Location::caller());
                    }
                }
            }
            let Decision::Run(task) = execution.decide(strategy) else {
                break;
            };
            let Do(kind, ..) = self.tasks[task.index()][positions[task.index()]];
            log.push((task.0, kind, execution.grant()));
            if kind == OpKind::Unlock && self.shapes.len() > 1 {
                // By convention of these tests: an unlock before a wait enlists the task.
                let next = self.tasks[task.index()].get(positions[task.index()] + 1);
                if let Some(&Do(OpKind::Wait, condvar, _)) = next {
                    execution.enlist(task, objects[condvar as usize], strategy);
                }
            }
            positions[task.index()] += 1;
            arriving.push(task.index());
        }
        match execution.outcome() {
            Some(Outcome::Pass) => {
                self.seen.insert(log);
            }
            Some(Outcome::Deadlock(_)) => self.deadlocks += 1,
            _ => {}
        }
    }

    fn execution(&mut self) -> &mut Execution {
        &mut self.execution
    }
}

/// All schedules, in any order: an odometer over the numbers of options.
#[derive(Default)]
struct All {
    path: Vec<(usize, usize)>,
    depth: usize,
    has_begun: bool,
}

impl All {
    fn branch(&mut self, options: usize) -> usize {
        if self.depth == self.path.len() {
            self.path.push((0, options));
        }
        self.depth += 1;
        self.path[self.depth - 1].0
    }
}

impl Strategy for All {
    fn begin(&mut self, _index: u64) -> Begin {
        self.depth = 0;
        if !std::mem::replace(&mut self.has_begun, true) {
            return Begin::Ready;
        }
        while let Some(last) = self.path.last_mut() {
            last.0 += 1;
            if last.0 < last.1 {
                return Begin::Ready;
            }
            self.path.pop();
        }
        Begin::Exhausted
    }

    fn choose(&mut self, view: &View<'_>) -> Result<TaskId, Stop> {
        let branch = self.branch(view.enabled_count());
        Ok(view.enabled().nth(branch).expect("an enabled task"))
    }

    fn answer(&mut self, _view: &View<'_>, question: Choice) -> Result<u32, Stop> {
        Ok(self.branch(question.answer_count() as usize) as u32)
    }
}

const ALL: Limits = Limits {
    executions_max: 1_000_000,
    keep_going: true,
    fingerprint: false,
    races: true,
    classes: false,
    coverage: false,
};

fn run(script: &mut Script) -> unpick_engine::Exploration {
    let found = explore(script, &mut All::default(), &ALL, &mut |_| {
        Control::Continue
    });
    assert!(found.complete);
    found
}

#[test]
fn a_semaphore_admits_as_many_as_it_has_permits() {
    use OpKind::{Acquire, Release, TryAcquire};
    let body: &[Do] = &[Do(Acquire, 0, 1), Do(Release, 0, 1)];
    for (permits, deadlocks) in [(0, true), (1, false), (2, false)] {
        let mut script = Script::new(&[Shape::Semaphore { permits }], &[body, body, body]);
        let found = run(&mut script);
        assert_eq!(found.failures > 0, deadlocks, "{permits} permits");
        for log in &script.seen {
            let mut inside = 0;
            for (_, kind, _) in log {
                inside += if *kind == Acquire { 1 } else { -1 };
                assert!(inside <= permits as i32, "{permits} permits: {log:?}");
            }
        }
        assert_eq!(found.enabled_max, if permits == 0 { 0 } else { 3 });
    }
    // Several permits at once, and trying.
    let mut script = Script::new(
        &[Shape::Semaphore { permits: 2 }],
        &[
            &[Do(Acquire, 0, 2), Do(Release, 0, 2)],
            &[Do(TryAcquire, 0, 1)],
        ],
    );
    let found = run(&mut script);
    assert!(
        found.failures > 0,
        "a permit that is not given back starves the other"
    );
    let tried: BTreeSet<Grant> = script
        .seen
        .iter()
        .flatten()
        .filter(|(_, kind, _)| *kind == TryAcquire)
        .map(|(_, _, grant)| *grant)
        .collect();
    assert_eq!(tried, BTreeSet::from([Grant::Done, Grant::Refused]));
}

#[test]
fn a_barrier_lets_nobody_through_before_the_last() {
    const ARRIVE: Do = Do(OpKind::BarrierWait, 0, Op::ARRIVAL);
    const LEAVE: Do = Do(OpKind::BarrierWait, 0, 0);
    let wait: &[Do] = &[ARRIVE, LEAVE, ARRIVE, LEAVE];
    let mut script = Script::new(&[Shape::Barrier { size: 2 }], &[wait, wait]);
    let found = run(&mut script);
    assert!(found.is_clean());
    for log in &script.seen {
        let leaders = log.iter().filter(|(.., grant)| *grant == Grant::Leader);
        assert_eq!(leaders.count(), 2, "one a round: {log:?}");
        // Nobody leaves before both have arrived.
        assert_ne!(log[0].0, log[1].0, "{log:?}");
        assert_eq!(log[1].2, Grant::Leader, "{log:?}");
    }
    let mut lonely = Script::new(&[Shape::Barrier { size: 3 }], &[wait, wait]);
    // They arrive in either order.
    assert_eq!(run(&mut lonely).schedules, 2);
    assert_eq!(lonely.deadlocks, 2);
}

#[test]
fn a_notification_wakes_one_of_those_who_wait_and_is_lost_without_any() {
    use OpKind::{Lock, NotifyOne, Unlock, Wait};
    let waiter: &[Do] = &[
        Do(Lock, 0, 0),
        Do(Unlock, 0, 0),
        Do(Wait, 1, 0),
        Do(Lock, 0, 0),
        Do(Unlock, 0, 0),
    ];
    let notifier: &[Do] = &[Do(NotifyOne, 1, 0)];
    let shapes = [Shape::Mutex, Shape::Condvar];
    let mut script = Script::new(&shapes, &[waiter, waiter, notifier]);
    let found = run(&mut script);
    assert_eq!(
        found.failures, found.schedules,
        "one of the two waits for ever"
    );
    let mut script = Script::new(&shapes, &[waiter, waiter, notifier, notifier]);
    let found = run(&mut script);
    assert!(found.failures > 0, "a notification can come too early");
    let first_awake: BTreeSet<u32> = script
        .seen
        .iter()
        .map(|log| log.iter().find(|(_, kind, _)| *kind == Wait).unwrap().0)
        .collect();
    assert_eq!(
        first_awake,
        BTreeSet::from([0, 1]),
        "either waiter can be first"
    );
}

#[test]
fn misuse_is_reported_when_it_is_reached() {
    use OpKind::{Lock, Unlock};
    for (body, words) in [
        (&[Do(Lock, 0, 0), Do(Lock, 0, 0)][..], "holds already"),
        (&[Do(Unlock, 0, 0)], "does not hold"),
    ] {
        let found = run(&mut Script::new(&[Shape::Mutex], &[body]));
        let failure = found.first_failure.expect("it fails");
        let Outcome::Fail(fault) = failure.outcome else {
            panic!("{:?}", failure.outcome);
        };
        assert_eq!(fault.kind, FailureKind::Misuse);
        assert!(fault.message.contains(words), "{}", fault.message);
        assert_eq!(failure.trace.steps.len(), body.len() - 1);
    }
}

#[test]
fn endless_programs_meet_the_step_limit() {
    struct Endless(Execution);
    impl Runtime for Endless {
        fn execute(&mut self, strategy: &mut dyn Strategy) {
            self.0.reset();
            let main = self.0.add_task(None);
            loop {
                let op = Op::new(OpKind::Fence, ObjectId::NONE);
                self.0.announce(main, op, Location::caller());
                if self.0.decide(strategy) == Decision::Over {
                    return;
                }
            }
        }
        fn execution(&mut self) -> &mut Execution {
            &mut self.0
        }
    }
    let explored = |patience, fail_on_limit| {
        let settings = Settings {
            steps_max: 100,
            patience,
            fail_on_limit,
            ..Settings::default()
        };
        let mut endless = Endless(Execution::new(settings));
        explore(&mut endless, &mut All::default(), &ALL, &mut |_| {
            Control::Continue
        })
    };
    let kind = |found: unpick_engine::Exploration| match found.first_failure.unwrap().outcome {
        Outcome::Fail(failure) => failure.kind,
        other => panic!("{other:?}"),
    };
    let found = explored(1, false);
    assert_eq!(
        (found.steps_max, found.inconclusive, found.failures),
        (100, 1, 0)
    );
    assert_eq!(kind(explored(1, true)), FailureKind::StepLimit);
    let found = explored(10, false);
    assert_eq!((found.steps_max, found.inconclusive), (1_000, 0));
    assert_eq!(kind(found), FailureKind::Livelock);
}
