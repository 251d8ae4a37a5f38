//! The shadow against a checker that holds every access against every earlier one.

#[path = "model/graph.rs"]
mod graph;
#[path = "model/owned.rs"]
mod owned;
#[path = "model/races.rs"]
mod races;

use graph::{Graph, Sync, sync};
use owned::Owned;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use races::{Entry, Races, Verdict};
use unpick_memory::{Access, AccessKind, Clocks, Finding, Learning, Shadow};
use unpick_trace::TaskId;

#[derive(Clone, Copy, Debug)]
enum Act {
    Sync(Sync),
    /// If careful, it is left out if it would be a finding: histories grow long.
    Access {
        kind: AccessKind,
        range: Range,
        careful: bool,
    },
    Free(Range, bool),
    Allocate(Range),
    /// Allocates, and clears as a whole.
    Clear(Range),
}

/// In steps of some bytes.
#[derive(Clone, Copy, Debug)]
struct Range {
    start: usize,
    size: usize,
}

/// Where the ranges of a test lie.
#[derive(Clone, Copy)]
struct Scale {
    base: usize,
    step: usize,
}

impl Scale {
    fn of(self, range: Range) -> (usize, usize) {
        (self.base + range.start * self.step, range.size * self.step)
    }
}

const RANGE_END_MAX: usize = 33;

fn range() -> impl Strategy<Value = Range> {
    let size = prop_oneof![6 => prop::sample::select(vec![1, 2, 4, 8]), 1 => 0_usize..14];
    // Several starts in one word, and aligned ones, as programs have them.
    let start = prop_oneof![3 => 0_usize..20, 2 => prop::sample::select(vec![0, 4, 8, 12, 16])];
    (start, size).prop_map(|(start, size)| Range { start, size })
}

fn kind() -> impl Strategy<Value = AccessKind> {
    prop_oneof![
        4 => Just(AccessKind::Read),
        4 => Just(AccessKind::Write),
        2 => Just(AccessKind::AtomicRead),
        2 => Just(AccessKind::AtomicWrite),
    ]
}

fn acts(frees: u32) -> impl Strategy<Value = Vec<(usize, Act)>> {
    let careful = || prop::bool::weighted(0.9);
    let access = (kind(), range(), careful()).prop_map(|(kind, range, careful)| Act::Access {
        kind,
        range,
        careful,
    });
    let act = prop_oneof![
        40 => access,
        40 => sync().prop_map(Act::Sync),
        frees => (range(), careful()).prop_map(|(range, careful)| Act::Free(range, careful)),
        frees => range().prop_map(Act::Allocate),
        frees => range().prop_map(Act::Clear),
    ];
    prop::collection::vec((0..graph::TASK_COUNT_MAX, act), 1..110)
}

fn learning() -> impl Strategy<Value = Learning> {
    prop::sample::select(vec![Learning::Nothing, Learning::Shared, Learning::Racy])
}

/// Runs one execution up to its first finding, which must be where the model has it.
fn check(
    acts: &[(usize, Act)],
    scale: Scale,
    clocks: &mut Clocks,
    shadow: &mut Shadow,
) -> Result<(Graph, Races), TestCaseError> {
    check_with_privates(acts, scale, &[], clocks, shadow)
}

/// The same, with ranges that belong to the first tasks.
fn check_with_privates(
    acts: &[(usize, Act)],
    scale: Scale,
    privates: &[Range],
    clocks: &mut Clocks,
    shadow: &mut Shadow,
) -> Result<(Graph, Races), TestCaseError> {
    let mut graph = Graph::new(clocks);
    let mut races = Races::new(scale.base, RANGE_END_MAX * scale.step);
    shadow.begin_execution();
    for (task, range) in privates.iter().enumerate() {
        let (address, size) = scale.of(*range);
        shadow.keep_private(TaskId(task as u32), address, size);
    }
    for (number, act) in acts {
        if graph.is_full() {
            break;
        }
        let task = graph.some_task(*number);
        let id = TaskId(task as u32);
        let (range, kind, careful) = match *act {
            Act::Sync(sync) => {
                graph.apply(task, sync, clocks);
                continue;
            }
            Act::Allocate(range) => {
                let (address, size) = scale.of(range);
                races.allocate(address, size);
                shadow.allocate(address, size);
                continue;
            }
            Act::Clear(range) => {
                let node = graph.node(task);
                clear(scale.of(range), (task, node), clocks, shadow, &mut races);
                continue;
            }
            Act::Free(range, careful) => (range, AccessKind::Write, careful),
            Act::Access {
                kind,
                range,
                careful,
            } => (range, kind, careful),
        };
        let (address, size) = scale.of(range);
        let entry = Entry {
            task,
            node: graph.node(task),
            kind,
            address,
            size,
        };
        let verdict = races.verdict(&graph, &entry);
        if careful && verdict != Verdict::Fine {
            continue;
        }
        let pc = races.entries.len() + 1;
        let finding = match act {
            Act::Free(..) => shadow.free(id, address, size, pc, clocks),
            _ => shadow.access(clocks, id, address, size, kind, pc),
        };
        compare(&graph, &races, &entry, verdict, finding)?;
        match act {
            Act::Free(..) => races.free(entry),
            _ => races.push(entry),
        }
        if verdict != Verdict::Fine {
            break;
        }
    }
    Ok((graph, races))
}

/// Hands memory out to a task, and clears it.
fn clear(
    (address, size): (usize, usize),
    (task, node): (usize, usize),
    clocks: &Clocks,
    shadow: &mut Shadow,
    races: &mut Races,
) {
    races.allocate(address, size);
    shadow.allocate(address, size);
    let pc = races.entries.len() + 1;
    shadow.imprint(TaskId(task as u32), address, size, pc, clocks);
    races.push(Entry {
        task,
        node,
        kind: AccessKind::Write,
        address,
        size,
    });
}

fn compare(
    graph: &Graph,
    races: &Races,
    entry: &Entry,
    verdict: Verdict,
    finding: Option<Finding>,
) -> Result<(), TestCaseError> {
    let new = Access {
        task: TaskId(entry.task as u32),
        pc: races.entries.len() + 1,
        kind: entry.kind,
        address: entry.address,
        size: entry.size,
    };
    let earlier = match finding {
        None => {
            prop_assert_eq!(verdict, Verdict::Fine);
            return Ok(());
        }
        Some(Finding::Race { earlier, later }) => {
            prop_assert_eq!(verdict, Verdict::Race);
            prop_assert_eq!(later, new);
            prop_assert!(races.races_somewhere(graph, earlier.pc - 1, entry));
            earlier
        }
        Some(Finding::UseAfterFree { freed, used }) => {
            prop_assert_eq!(verdict, Verdict::UseAfterFree);
            prop_assert_eq!(used, new);
            prop_assert!(races.freed_by(entry, freed.pc - 1));
            freed
        }
    };
    let known = races.entries[earlier.pc - 1];
    prop_assert_eq!(earlier.task.index(), known.task);
    prop_assert_eq!(earlier.kind, known.kind);
    prop_assert!(earlier.address >= known.address && earlier.size > 0);
    prop_assert!(earlier.address + earlier.size <= known.address + known.size);
    Ok(())
}

/// The places found to share memory: all that must be there, and none that may not.
fn compare_shared(graph: &Graph, races: &Races, shadow: &Shadow) -> Result<(), TestCaseError> {
    let entries = &races.entries;
    let mut allowed = vec![false; entries.len()];
    let mut wanted = vec![false; entries.len()];
    for history in races.histories() {
        let mut byte_is_shared = false;
        for (at, later) in history.iter().enumerate() {
            for earlier in &history[..at] {
                let (one, other) = (&entries[*earlier], &entries[*later]);
                let shared = one.task != other.task
                    && (one.writes() || other.writes())
                    && !graph.is_apart((one.task, one.node), (other.task, other.node));
                wanted[*later] |= shared;
                byte_is_shared |= shared;
            }
        }
        for one in history {
            allowed[*one] |= byte_is_shared;
            // Whichever access it was that made the byte shared: all others are points too.
            wanted[*one] |= byte_is_shared;
        }
    }
    compare_places(entries, &wanted, &allowed, shadow)
}

/// The places found to race: those of accesses to a byte that nothing orders, and no others.
fn compare_racy(graph: &Graph, races: &Races, shadow: &Shadow) -> Result<(), TestCaseError> {
    let entries = &races.entries;
    let mut wanted = vec![false; entries.len()];
    for history in races.histories() {
        for (at, later) in history.iter().enumerate() {
            for earlier in &history[..at] {
                if races.races_somewhere(graph, *earlier, &entries[*later]) {
                    wanted[*earlier] = true;
                    wanted[*later] = true;
                }
            }
        }
    }
    compare_places(entries, &wanted, &wanted, shadow)
}

fn compare_places(
    entries: &[Entry],
    wanted: &[bool],
    allowed: &[bool],
    shadow: &Shadow,
) -> Result<(), TestCaseError> {
    for number in 0..entries.len() {
        let found = shadow.shared().contains(number + 1);
        prop_assert!(found || !wanted[number], "missing {number}: {entries:?}");
        prop_assert!(!found || allowed[number], "too many {number}: {entries:?}");
    }
    Ok(())
}

/// A place where the words of the ranges are in two pages.
const AT_PAGE_END: Scale = Scale {
    base: 0x7fff_f000 - 10,
    step: 1,
};

/// A place where ranges are some hundred bytes long: as stacks are lost piece by piece.
const APART: Scale = Scale {
    base: 0x7fff_f000 - 80,
    step: 12,
};

/// Ranges of up to 13 kilobytes that begin and end anywhere.
const PAGES: Scale = Scale {
    base: 0x40_1000 - 1000,
    step: 1000,
};

/// Ranges that begin and end with pages.
const WHOLE_PAGES: Scale = Scale {
    base: 0x40_1000,
    step: 2048,
};

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
    #![proptest_config(cases(3_000))]

    #[test]
    fn races_are_found_where_they_are(acts in acts(0), learning in learning()) {
        let mut owned = Owned::new();
        owned.shadow.learn(learning);
        check(&acts, AT_PAGE_END, &mut Clocks::new(), &mut owned.shadow)?;
    }
}

proptest! {
    #![proptest_config(cases(1_500))]

    #[test]
    fn freed_memory_is_known_byte_by_byte(
        first in acts(6),
        second in acts(6),
        learning in learning(),
    ) {
        let mut owned = Owned::new();
        owned.shadow.learn(learning);
        let mut clocks = Clocks::new();
        for acts in [first, second] {
            check(&acts, AT_PAGE_END, &mut clocks, &mut owned.shadow)?;
        }
    }
}

proptest! {
    #![proptest_config(cases(1_000))]

    #[test]
    fn private_memory_is_like_any_other_once_somebody_comes(
        first in acts(2),
        second in acts(2),
        ends in prop::collection::vec(0..RANGE_END_MAX, 3),
        is_apart in any::<bool>(),
        learning in learning(),
    ) {
        let scale = if is_apart { APART } else { AT_PAGE_END };
        let mut owned = Owned::new();
        owned.shadow.learn(learning);
        let mut clocks = Clocks::new();
        let mut start = 0;
        let privates: Vec<_> = ends
            .into_iter()
            .map(|end| {
                let range = Range { start, size: end.saturating_sub(start) };
                start = start.max(end);
                range
            })
            .collect();
        for acts in [first, second] {
            check_with_privates(&acts, scale, &privates, &mut clocks, &mut owned.shadow)?;
        }
    }
}

proptest! {
    #![proptest_config(cases(40))]

    #[test]
    fn large_ranges_are_like_many_bytes(
        first in acts(10),
        second in acts(10),
        whole in any::<bool>(),
    ) {
        let scale = if whole { WHOLE_PAGES } else { PAGES };
        let mut owned = Owned::new();
        let mut clocks = Clocks::new();
        for acts in [first, second] {
            check(&acts, scale, &mut clocks, &mut owned.shadow)?;
        }
    }
}

proptest! {
    #![proptest_config(cases(1_500))]

    #[test]
    fn shared_places_are_those_of_concurrent_tasks(acts in acts(0)) {
        // Accesses that come when all other tasks have ended are no points.
        let acts = without_joins(acts);
        let mut owned = Owned::new();
        let mut clocks = Clocks::new();
        let (graph, races) = check(&acts, AT_PAGE_END, &mut clocks, &mut owned.shadow)?;
        compare_shared(&graph, &races, &owned.shadow)?;
    }

    #[test]
    fn racy_places_are_those_of_all_races_also_behind_the_first(acts in acts(0)) {
        let mut owned = Owned::new();
        owned.shadow.learn(Learning::Racy);
        let mut clocks = Clocks::new();
        let (graph, races) = learn(&acts, &mut clocks, &mut owned.shadow);
        compare_racy(&graph, &races, &owned.shadow)?;
    }

    #[test]
    fn shared_places_are_learnt_behind_races_too(acts in acts(0)) {
        let acts = without_joins(acts);
        let mut owned = Owned::new();
        let mut clocks = Clocks::new();
        let (graph, races) = learn(&acts, &mut clocks, &mut owned.shadow);
        compare_shared(&graph, &races, &owned.shadow)?;
    }
}

fn without_joins(acts: Vec<(usize, Act)>) -> Vec<(usize, Act)> {
    let is_wanted = |(_, act): &(usize, Act)| !matches!(act, Act::Sync(Sync::Join(_)));
    acts.into_iter().filter(is_wanted).collect()
}

/// Runs one execution to its end, whatever is found.
fn learn(acts: &[(usize, Act)], clocks: &mut Clocks, shadow: &mut Shadow) -> (Graph, Races) {
    let scale = AT_PAGE_END;
    let mut graph = Graph::new(clocks);
    let mut races = Races::new(scale.base, RANGE_END_MAX * scale.step);
    shadow.begin_execution();
    for (number, act) in acts {
        if graph.is_full() {
            break;
        }
        let task = graph.some_task(*number);
        match *act {
            Act::Sync(sync) => graph.apply(task, sync, clocks),
            Act::Access { kind, range, .. } => {
                let (address, size) = scale.of(range);
                let pc = races.entries.len() + 1;
                shadow.access(clocks, TaskId(task as u32), address, size, kind, pc);
                let node = graph.node(task);
                races.push(Entry {
                    task,
                    node,
                    kind,
                    address,
                    size,
                });
            }
            _ => {}
        }
    }
    (graph, races)
}
