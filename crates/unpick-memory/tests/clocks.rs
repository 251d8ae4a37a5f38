//! Clocks against their definition: an access happened before another one if a path leads from the
//! one to the other.

#[path = "model/graph.rs"]
mod graph;

use graph::{Graph, Sync, sync};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use unpick_memory::Clocks;
use unpick_trace::{ObjectId, TaskId};

#[derive(Clone, Copy, Debug)]
enum Act {
    Sync(Sync),
    /// Is held against all earlier ones.
    Access,
}

fn acts() -> impl Strategy<Value = Vec<(usize, Act)>> {
    let act = prop_oneof![
        3 => sync().prop_map(Act::Sync),
        2 => Just(Act::Access),
    ];
    prop::collection::vec((0..graph::TASK_COUNT_MAX, act), 1..110)
}

struct Noted {
    task: usize,
    node: usize,
    epoch: u32,
}

/// Goes on with a copy in other clocks halfway, if there are any.
fn check(
    acts: &[(usize, Act)],
    clocks: &mut Clocks,
    mut others: Option<&mut Clocks>,
) -> Result<(), TestCaseError> {
    let mut graph = Graph::new(clocks);
    let mut noted: Vec<Noted> = Vec::new();
    for (index, (number, act)) in acts.iter().enumerate() {
        if graph.is_full() {
            break;
        }
        if let (true, Some(others)) = (index == acts.len() / 2, &mut others) {
            others.copy_from(clocks);
            std::mem::swap(clocks, others);
        }
        let task = graph.some_task(*number);
        match act {
            Act::Sync(sync) => graph.apply(task, *sync, clocks),
            Act::Access => {
                let node = graph.node(task);
                let id = TaskId(task as u32);
                prop_assert_eq!(clocks.is_alone(), graph.live().len() == 1);
                for one in &noted {
                    let earlier = TaskId(one.task as u32);
                    prop_assert_eq!(
                        clocks.happens_before(earlier, one.epoch, id),
                        graph.reaches(one.node, node)
                    );
                    if one.task != task {
                        prop_assert_eq!(
                            clocks.is_apart(earlier, one.epoch, id),
                            graph.is_apart((one.task, one.node), (task, node))
                        );
                    }
                }
                let epoch = clocks.epoch(id);
                noted.push(Noted { task, node, epoch });
            }
        }
    }
    Ok(())
}

/// The same cases on every machine.
fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(0x5eed),
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(cases(2_000))]

    #[test]
    fn clocks_are_paths(first in acts(), second in acts()) {
        // The second execution must not see anything of the first one.
        let mut clocks = Clocks::new();
        check(&first, &mut clocks, None)?;
        check(&second, &mut clocks, None)?;
    }

    #[test]
    fn a_copy_is_as_good(first in acts(), second in acts()) {
        let mut others = Clocks::new();
        check(&first, &mut others, None)?;
        check(&second, &mut Clocks::new(), Some(&mut others))?;
    }
}

const MAIN: TaskId = TaskId(0);
const OTHER: TaskId = TaskId(1);
const OBJECT: ObjectId = ObjectId(0);

fn two() -> Clocks {
    let mut clocks = Clocks::new();
    clocks.begin(None, MAIN);
    clocks.begin(Some(MAIN), OTHER);
    clocks
}

/// Whether the other task knows what the first one has done up to now after `between`.
fn knows(clocks: &mut Clocks, between: impl FnOnce(&mut Clocks)) -> bool {
    let epoch = clocks.epoch(MAIN);
    between(clocks);
    clocks.happens_before(MAIN, epoch, OTHER)
}

#[test]
fn message_passing_with_fences_is_ordered() {
    assert!(knows(&mut two(), |clocks| {
        clocks.fence_release(MAIN);
        clocks.overwrite(MAIN, OBJECT);
        clocks.observe(OTHER, OBJECT);
        clocks.fence_acquire(OTHER);
    }));
}

#[test]
fn a_fence_and_an_operation_of_the_other_side_are_ordered() {
    assert!(knows(&mut two(), |clocks| {
        clocks.replace(MAIN, OBJECT);
        clocks.observe(OTHER, OBJECT);
        clocks.fence_acquire(OTHER);
    }));
    assert!(knows(&mut two(), |clocks| {
        clocks.fence_release(MAIN);
        clocks.overwrite(MAIN, OBJECT);
        clocks.acquire(OTHER, OBJECT);
    }));
}

#[test]
fn half_a_pair_of_fences_orders_nothing() {
    assert!(!knows(&mut two(), |clocks| {
        clocks.overwrite(MAIN, OBJECT);
        clocks.observe(OTHER, OBJECT);
        clocks.fence_acquire(OTHER);
    }));
    assert!(!knows(&mut two(), |clocks| {
        clocks.fence_release(MAIN);
        clocks.overwrite(MAIN, OBJECT);
        clocks.observe(OTHER, OBJECT);
    }));
    assert!(!knows(&mut two(), |clocks| {
        clocks.overwrite(MAIN, OBJECT);
        clocks.fence_release(MAIN);
        clocks.observe(OTHER, OBJECT);
        clocks.fence_acquire(OTHER);
    }));
    assert!(!knows(&mut two(), |clocks| {
        clocks.fence_release(MAIN);
        clocks.fence_acquire(OTHER);
        clocks.overwrite(MAIN, OBJECT);
        clocks.observe(OTHER, OBJECT);
    }));
}

#[test]
fn a_read_modify_write_goes_on_with_a_release_and_a_store_ends_it() {
    let mut clocks = two();
    clocks.begin(Some(MAIN), TaskId(2));
    assert!(knows(&mut clocks, |clocks| {
        clocks.replace(MAIN, OBJECT);
        clocks.update(TaskId(2), OBJECT);
        clocks.acquire(OTHER, OBJECT);
    }));
    assert!(!knows(&mut clocks, |clocks| {
        clocks.replace(MAIN, OBJECT);
        clocks.overwrite(TaskId(2), OBJECT);
        clocks.acquire(OTHER, OBJECT);
    }));
}

#[test]
fn a_store_that_others_see_later_gives_what_was_known_when_it_was_made() {
    let mut clocks = two();
    let mut kept = None;
    assert!(!knows(&mut clocks, |clocks| {
        kept = Some(clocks.keep(MAIN, true));
        clocks.acquire(OTHER, OBJECT);
    }));
    let before = clocks.epoch(MAIN) - 1;
    assert!(!knows(&mut clocks, |clocks| {
        clocks.give(OBJECT, kept.as_ref().unwrap());
        clocks.acquire(OTHER, OBJECT);
    }));
    assert!(clocks.happens_before(MAIN, before, OTHER));
    // A relaxed one gives what was known at the last fence, and ends the release before it.
    assert!(!knows(&mut clocks, |clocks| {
        let relaxed = clocks.keep(MAIN, false);
        clocks.replace(MAIN, OBJECT);
        clocks.give(OBJECT, &relaxed);
        clocks.acquire(OTHER, OBJECT);
    }));
    assert!(knows(&mut clocks, |clocks| {
        clocks.fence_release(MAIN);
        let relaxed = clocks.keep(MAIN, false);
        clocks.give(OBJECT, &relaxed);
        clocks.acquire(OTHER, OBJECT);
    }));
}

#[test]
fn no_object_and_no_task_are_no_trouble() {
    let mut clocks = two();
    for task in [MAIN, TaskId(77)] {
        clocks.acquire(task, ObjectId::NONE);
        clocks.release(task, ObjectId::NONE);
        clocks.release(task, OBJECT);
        clocks.acquire(task, OBJECT);
        clocks.fence_release(task);
        clocks.acquire_all(task);
        let kept = clocks.keep(task, true);
        clocks.give(ObjectId::NONE, &kept);
    }
    clocks.forget(ObjectId::NONE);
    assert_eq!(clocks.epoch(TaskId(77)), 0);
    assert!(!clocks.happens_before(MAIN, 1, TaskId(77)));
    assert!(!clocks.is_apart(MAIN, 1, TaskId(77)));
}
