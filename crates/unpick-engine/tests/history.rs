//! Clocks and hashes of the happens-before relation against its definition, on random schedules of
//! small programs.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::Location;
use unpick_engine::{
    Begin, Decision, Execution, History, Relation, Settings, Shape, Stop, Strategy, View,
};
use unpick_trace::{Choice, ObjectId, Op, OpKind, TaskId};

const RELATIONS: [Relation; 2] = [Relation::Regular, Relation::Lazy];

/// An operation on the object of this number; the first objects are mutexes.
type Do = (OpKind, u32);
type Program = Vec<Vec<Do>>;
/// Task and number of the operation within its task.
type Name = (u32, u32);
/// Every ordered pair of events.
type Pairs = BTreeSet<(Name, Name)>;

/// A generator that anybody can write again.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) as usize % bound
    }
}

/// Chooses at random and keeps the history step by step.
struct Random {
    numbers: Numbers,
    history: History,
}

impl Strategy for Random {
    fn begin(&mut self, _index: u64) -> Begin {
        Begin::Ready
    }

    fn choose(&mut self, view: &View<'_>) -> Result<TaskId, Stop> {
        self.history.extend(view.execution());
        let nth = self.numbers.below(view.enabled_count());
        Ok(view.enabled().nth(nth).unwrap())
    }

    fn answer(&mut self, _view: &View<'_>, _question: Choice) -> Result<u32, Stop> {
        Ok(0)
    }
}

fn execute(
    execution: &mut Execution,
    program: &Program,
    mutexes: u32,
    strategy: &mut dyn Strategy,
) {
    execution.reset();
    execution.watch(true);
    let main = execution.add_task(None);
    for _ in 1..program.len() {
        execution.add_task(Some(main));
    }
    let objects: Vec<ObjectId> = (0..5)
        .map(|number| match number < mutexes {
            true => execution.add_object(Shape::Mutex, main),
            false => execution.add_object(Shape::Variable, main),
        })
        .collect();
    let mut positions = vec![0; program.len()];
    let mut arriving: Vec<usize> = (0..program.len()).collect();
    loop {
        for index in arriving.drain(..) {
            let task = TaskId(index as u32);
            match program[index].get(positions[index]) {
                None => execution.finish(task),
                Some(&(kind, object)) => {
                    let op = Op::new(kind, objects[object as usize]);
                    execution.announce(task, op, Location::caller());
                }
            }
        }
        match execution.decide(strategy) {
            Decision::Run(task) => {
                positions[task.index()] += 1;
                arriving.push(task.index());
            }
            Decision::Over => break,
        }
    }
}

/// By the definition: same task, or same object and not both reads; and what follows.
fn by_definition(execution: &Execution, relation: Relation) -> (Vec<Name>, Pairs) {
    let steps: Vec<_> = execution
        .trace()
        .steps
        .iter()
        .map(|step| (step.task, step.op))
        .collect();
    let mut counts = BTreeMap::new();
    let mut names = Vec::new();
    for (task, _) in &steps {
        let count = counts.entry(*task).or_insert(0);
        names.push((task.0, *count));
        *count += 1;
    }
    let is_mutex = |op: &Op| matches!(op.kind, OpKind::Lock | OpKind::Unlock);
    let mut before = vec![vec![false; steps.len()]; steps.len()];
    for later in 0..steps.len() {
        for earlier in (0..later).rev() {
            let ((task, op), (other_task, other)) = (&steps[earlier], &steps[later]);
            let is_lazy = relation == Relation::Lazy && is_mutex(op) && is_mutex(other);
            if task == other_task || (op.conflicts_with(other) && !is_lazy) {
                before[earlier][later] = true;
                for row in &mut before[..earlier] {
                    row[later] |= row[earlier];
                }
            }
        }
    }
    let mut pairs = Pairs::new();
    for (earlier, row) in before.iter().enumerate() {
        for (later, _) in row.iter().enumerate().filter(|(_, is_before)| **is_before) {
            pairs.insert((names[earlier], names[later]));
        }
    }
    (names, pairs)
}

fn program(numbers: &mut Numbers, mutexes: u32) -> Program {
    let task = |numbers: &mut Numbers| {
        let mut list = Vec::new();
        for _ in 0..1 + numbers.below(3) {
            let variable = mutexes + numbers.below(5 - mutexes as usize) as u32;
            let kind = [OpKind::Load, OpKind::Store][numbers.below(2)];
            if mutexes > 0 && numbers.below(2) == 0 {
                let mutex = numbers.below(mutexes as usize) as u32;
                list.extend([
                    (OpKind::Lock, mutex),
                    (kind, variable),
                    (OpKind::Unlock, mutex),
                ]);
            } else {
                list.push((kind, variable));
            }
        }
        list
    };
    (0..2 + numbers.below(2)).map(|_| task(numbers)).collect()
}

#[test]
fn clocks_and_hashes_are_those_of_the_definition() {
    let mut numbers = Numbers(7);
    let (mut relation_count, mut lazy_count) = (0, 0);
    for number in 0..150 {
        let mutexes = number % 3;
        let program = program(&mut numbers, mutexes);
        let mut random = Random {
            numbers: Numbers(u64::from(number)),
            history: History::new(&RELATIONS),
        };
        let mut execution = Execution::new(Settings::default());
        let mut whole = History::new(&RELATIONS);
        let mut seen = [BTreeMap::new(), BTreeMap::new()];
        for _ in 0..60 {
            random.history.reset();
            execute(&mut execution, &program, mutexes, &mut random);
            random.history.extend(&execution);
            whole.reset();
            whole.extend(&execution);
            for (relation, seen) in RELATIONS.into_iter().zip(&mut seen) {
                let (names, pairs) = by_definition(&execution, relation);
                for one in 0..names.len() {
                    for other in 0..names.len() {
                        let expected = one == other || pairs.contains(&(names[one], names[other]));
                        let found = random.history.is_before(relation, one, other);
                        assert_eq!(found, expected, "{program:?} {one} {other}");
                    }
                }
                let hash = random.history.hash(relation);
                assert_eq!(hash, whole.hash(relation), "step by step and at once");
                let known = seen.entry(pairs).or_insert(hash);
                assert_eq!(*known, hash, "equal relations have equal hashes");
            }
        }
        for seen in &seen {
            let hashes: BTreeSet<u128> = seen.values().copied().collect();
            assert_eq!(
                hashes.len(),
                seen.len(),
                "other relations have other hashes"
            );
        }
        relation_count += seen[0].len();
        lazy_count += seen[1].len();
    }
    assert!(lazy_count < relation_count, "{lazy_count} {relation_count}");
}

/// What a successor is expected to be is what it is, if its transition only performs its operation.
#[test]
fn successors_are_foreseen() {
    struct Foresees(Random, Option<u128>);
    impl Strategy for Foresees {
        fn begin(&mut self, index: u64) -> Begin {
            self.0.begin(index)
        }
        fn choose(&mut self, view: &View<'_>) -> Result<TaskId, Stop> {
            let task = self.0.choose(view)?;
            let history = &self.0.history;
            if let Some(foreseen) = self.1 {
                assert_eq!(history.hash(Relation::Regular), foreseen);
            }
            let is_last_of_task = view.operations_of(task) == 1;
            let hash = history.successor_hash(Relation::Regular, view.execution(), task);
            self.1 = (!is_last_of_task).then_some(hash);
            Ok(task)
        }
        fn answer(&mut self, view: &View<'_>, question: Choice) -> Result<u32, Stop> {
            self.0.answer(view, question)
        }
    }
    // Two operations a task: the second one also ends it, which cannot be foreseen.
    let two = |one, other| vec![(OpKind::Store, one), (OpKind::Load, other)];
    let program = vec![two(0, 1), two(1, 2), two(2, 0)];
    let mut execution = Execution::new(Settings::default());
    for seed in 0..50 {
        let random = Random {
            numbers: Numbers(seed),
            history: History::new(&RELATIONS),
        };
        let mut foresees = Foresees(random, None);
        execute(&mut execution, &program, 0, &mut foresees);
    }
}

/// Figure 5.3 of the thesis: two events that are not ordered, both before a third; only one of them
/// races with it, since the other is before it in its own task.
#[test]
fn what_comes_before_in_the_same_task_is_no_race() {
    // One task stores x and then y; the other loads y before that.
    let program = vec![
        vec![(OpKind::Store, 0), (OpKind::Store, 1)],
        vec![(OpKind::Load, 1)],
    ];
    let mut random = Random {
        numbers: Numbers(1),
        history: History::new(&RELATIONS),
    };
    let mut execution = Execution::new(Settings::default());
    loop {
        random.history.reset();
        execute(&mut execution, &program, 0, &mut random);
        random.history.extend(&execution);
        let tasks = execution.trace().steps.iter().map(|step| step.task.0);
        if tasks.eq([0, 1, 0]) {
            break;
        }
    }
    let history = &random.history;
    let is_before = |one, other| history.is_before(Relation::Regular, one, other);
    assert!(!is_before(0, 1) && is_before(0, 2) && is_before(1, 2));
    let mut predecessors = Vec::new();
    for access in history.accesses(2) {
        history.add_predecessors_of_last(Relation::Regular, access, &mut predecessors);
    }
    assert_eq!(predecessors, [1]);
}

#[test]
fn the_end_of_a_task_is_no_deed_of_its_last_event() {
    let program = vec![vec![(OpKind::Store, 0), (OpKind::Load, 1)]];
    let mut random = Random {
        numbers: Numbers(1),
        history: History::new(&RELATIONS),
    };
    let mut execution = Execution::new(Settings::default());
    execute(&mut execution, &program, 0, &mut random);
    let history = &mut random.history;
    history.extend(&execution);
    assert_eq!(history.deeds(0), history.accesses(0));
    let (deeds, all) = (history.deeds(1), history.accesses(1));
    assert_eq!((deeds.len(), all.len()), (1, 2));
    assert_eq!(deeds[0], all[0]);
}
