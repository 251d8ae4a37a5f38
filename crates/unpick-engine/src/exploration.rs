//! The loop over executions.

use crate::{
    Begin, Claim, Classes, Coverage, Covered, Execution, FailureGroups, History, Planning, Profile,
    Proviso, Provisos, Relation, Sketch, Strategy, Warning, warning::add_warning,
};
use alloc::{boxed::Box, string::String, vec::Vec};
use core::ops::Range;
use serde::{Deserialize, Serialize};
use unpick_trace::{Outcome, TaskId, Trace};

/// Something that can run the program under test from its start to its end, as often as asked.
pub trait Runtime {
    /// Runs the program once under the strategy. Afterwards the execution has an outcome.
    fn execute(&mut self, strategy: &mut dyn Strategy);

    /// The execution that was run last.
    fn execution(&mut self) -> &mut Execution;
}

/// When an exploration ends, besides by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Executions to run at most.
    pub executions_max: u64,
    /// Whether to go on after a failure.
    pub keep_going: bool,
    /// Whether to compute [`Exploration::hash`].
    pub fingerprint: bool,
    /// Whether to collect [`Exploration::classes`].
    pub classes: bool,
    /// Whether to keep [`Exploration::coverage`].
    pub coverage: bool,
    /// Whether a data race is a failure.
    pub races: bool,
}

/// Why an exploration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StopReason {
    /// The search space of the strategy was exhausted.
    Exhausted,
    /// The strategy ended by its own rule.
    Strategy,
    /// A failure was found.
    Failure,
    /// The allowed number of executions was reached.
    Executions,
    /// The allowed time was over.
    Time,
    /// The allowed memory was taken.
    Memory,
    /// The user asked for it.
    Interrupted,
    /// The program did not behave the same under the same schedule.
    Diverged,
}

/// What the observer of an exploration wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Go on.
    Continue,
    /// Leave a range of executions here, to go on with it later.
    Pause,
    /// End now, for this reason.
    Stop(StopReason),
}

/// Schedules that have exactly one value of a bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoundCount {
    /// The bound.
    pub bound: u32,
    /// Schedules with exactly this bound.
    pub schedules: u64,
    /// Those of them that fail.
    pub failures: u64,
}

/// The first failing schedule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FirstFailure {
    /// Its rank among the schedules that count, from 1.
    pub rank: u64,
    /// Which execution it was, from 1.
    pub execution: u64,
    /// What happened.
    pub trace: Trace,
    /// How it ended.
    pub outcome: Outcome,
    /// Whether it was found by a search directed at a possible deadlock, not by the strategy.
    pub is_directed: bool,
    /// The technique that led it, if the strategy has several.
    pub member: Option<String>,
}

/// What one part of a split search has found under one bound.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartFound {
    /// The bound; zero for techniques without one.
    pub bound: u32,
    /// The number of the part, from 0, in the order of the whole search.
    pub part: u32,
    /// What it has found, with its executions counted from 0.
    pub found: Exploration,
}

/// Which parts of an exploration a shard has run: what is needed to put the shards together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardFound {
    /// Number of parts of the whole, the same for every shard.
    pub part_count: u32,
    /// What each part of this shard has found, in the order of the search.
    pub parts: Vec<PartFound>,
}

/// What an exploration has found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exploration {
    /// Times the program was run.
    pub executions: u64,
    /// Complete executions that count.
    pub schedules: u64,
    /// Schedules that fail.
    pub failures: u64,
    /// Schedules that were not at their end when they had taken all the steps that were allowed, and did not
    /// fail.
    #[serde(default)]
    pub inconclusive: u64,
    /// The first that fails.
    pub first_failure: Option<Box<FirstFailure>>,
    /// All of them, put together where they are the same, if the exploration goes on after a failure.
    pub groups: FailureGroups,
    /// The first divergence, with the execution in which it was seen.
    pub diverged: Option<Box<FirstFailure>>,
    /// Whether the search space of the strategy was exhausted.
    pub complete: bool,
    /// What was assumed on the way: see [`Exploration::claim`].
    #[serde(default)]
    pub provided: Provisos,
    /// Why the exploration ended.
    pub stopped_because: StopReason,
    /// Most operations in one execution.
    pub steps_max: u64,
    /// Most tasks in one execution.
    pub tasks_max: u64,
    /// Most tasks enabled at once.
    pub enabled_max: u64,
    /// Operations in all executions together.
    pub steps_total: u64,
    /// Schedules by bound, for techniques that iterate over one.
    pub bounds: Vec<BoundCount>,
    /// What was seen of the size of the program.
    pub profile: Profile,
    /// A fingerprint of all executions, in order; zero if it was not asked for.
    pub hash: u64,
    /// The sum of their fingerprints, in which order does not matter; zero as well.
    pub hash_sum: u64,
    /// The parts of which this is put together, if it is a shard.
    pub shard: Option<Box<ShardFound>>,
    /// The classes of the schedules that count, if asked for.
    pub classes: Option<Classes>,
    /// How much of the program was seen, if asked for.
    pub coverage: Option<Coverage>,
    /// What the strategy has done between executions, if it plans there.
    pub planning: Option<Planning>,
    /// What the user should know, each once.
    pub warnings: Vec<Warning>,
}

impl Default for Exploration {
    fn default() -> Exploration {
        Exploration {
            executions: 0,
            schedules: 0,
            failures: 0,
            inconclusive: 0,
            first_failure: None,
            groups: FailureGroups::default(),
            diverged: None,
            complete: false,
            provided: Provisos::NONE,
            stopped_because: StopReason::Executions,
            steps_max: 0,
            tasks_max: 0,
            enabled_max: 0,
            steps_total: 0,
            bounds: Vec::new(),
            profile: Profile::default(),
            hash: 0,
            hash_sum: 0,
            shard: None,
            classes: None,
            coverage: None,
            planning: None,
            warnings: Vec::new(),
        }
    }
}

impl Exploration {
    /// What this exploration claims.
    pub fn claim(&self) -> Claim {
        let mut provided = self.provided;
        if self.stopped_because == StopReason::Strategy {
            provided.add(Proviso::Bound);
        }
        Claim {
            is_exhausted: self.complete,
            provided,
        }
    }

    /// Number of happens-before relations among the schedules, if asked for.
    pub fn hbrs(&self) -> Option<u64> {
        let classes = self.classes.as_ref();
        classes.map(|classes| classes.hbrs.len() as u64)
    }

    /// Number of lazy happens-before relations among the schedules, if asked for.
    pub fn lazy_hbrs(&self) -> Option<u64> {
        let classes = self.classes.as_ref();
        classes.map(|classes| classes.lazy_hbrs.len() as u64)
    }

    /// Number of states in which the schedules end, if asked for.
    pub fn states(&self) -> Option<u64> {
        let classes = self.classes.as_ref();
        classes.map(|classes| classes.states.len() as u64)
    }

    /// Number of states in which the reads of the schedules have seen the same, if asked for.
    pub fn read_states(&self) -> Option<u64> {
        let classes = self.classes.as_ref();
        classes.map(|classes| classes.reads.len() as u64)
    }

    /// How much of the program was seen, in numbers, if asked for.
    pub fn covered(&self) -> Option<Covered> {
        self.coverage.as_ref().map(Coverage::covered)
    }

    /// Whether no failure and no divergence was found.
    pub fn is_clean(&self) -> bool {
        self.failures == 0 && self.diverged.is_none()
    }

    /// Counts the executions from another number on: from `first`, if they were counted from 0.
    pub fn count_from(&mut self, first: u64) {
        let snapshots = [&mut self.first_failure, &mut self.diverged];
        let snapshots = snapshots.into_iter().flatten().map(Box::as_mut);
        for found in snapshots.chain(self.groups.firsts()) {
            found.execution = found.execution.wrapping_add(first);
        }
        let moved = self.hash_sum.wrapping_mul(first.wrapping_mul(2));
        self.hash = self.hash.wrapping_add(moved);
    }

    /// Appends what was found in the executions that follow, numbered on.
    pub fn append(&mut self, later: Exploration) {
        if self.first_failure.is_none() {
            self.first_failure = later.first_failure.map(|mut failure| {
                failure.rank += self.schedules;
                failure
            });
        }
        self.groups.append(later.groups, self.schedules);
        if self.diverged.is_none() {
            self.diverged = later.diverged;
        }
        self.executions += later.executions;
        self.schedules += later.schedules;
        self.failures += later.failures;
        self.inconclusive += later.inconclusive;
        self.complete = later.complete;
        self.provided.merge(later.provided);
        self.stopped_because = later.stopped_because;
        self.steps_max = self.steps_max.max(later.steps_max);
        self.tasks_max = self.tasks_max.max(later.tasks_max);
        self.enabled_max = self.enabled_max.max(later.enabled_max);
        self.steps_total += later.steps_total;
        for count in &later.bounds {
            self.begin_bound(count.bound);
            let mine = &mut self.bounds[count.bound as usize];
            mine.schedules += count.schedules;
            mine.failures += count.failures;
        }
        self.profile.merge(&later.profile);
        self.hash = self.hash.wrapping_add(later.hash);
        self.hash_sum = self.hash_sum.wrapping_add(later.hash_sum);
        match (&mut self.classes, later.classes) {
            (Some(classes), Some(more)) => classes.merge(more),
            (classes, more) => *classes = classes.take().or(more),
        }
        match (&mut self.coverage, later.coverage) {
            (Some(coverage), Some(more)) => coverage.merge(&more),
            (coverage, more) => *coverage = coverage.take().or(more),
        }
        self.add_planning(later.planning);
        self.warn(later.warnings);
    }

    /// Adds what a strategy has done between executions.
    pub fn add_planning(&mut self, planning: Option<Planning>) {
        if let Some(planning) = planning {
            self.planning.get_or_insert_default().merge(&planning);
        }
    }

    /// Adds warnings that are not known yet.
    pub fn warn(&mut self, warnings: Vec<Warning>) {
        for warning in warnings {
            add_warning(&mut self.warnings, warning);
        }
    }

    /// The strategy begins anew: its schedules so far do not count. A failure that was found is
    /// kept, in case it is not met again.
    fn restart(&mut self) {
        self.schedules = 0;
        self.failures = 0;
        self.inconclusive = 0;
        self.groups.clear();
        if let Some(classes) = &mut self.classes {
            *classes = Classes::default();
        }
        if let Some(coverage) = &mut self.coverage {
            *coverage = Coverage::default();
        }
    }

    /// Counts the failure that was met before the strategy began anew, and not again.
    fn settle(&mut self) {
        if let Some(failure) = self.first_failure.as_mut().filter(|_| self.failures == 0) {
            self.schedules += 1;
            self.failures = 1;
            failure.rank = self.schedules;
        }
    }

    /// Makes sure that the schedules of a bound have their line, and those of smaller ones.
    pub fn begin_bound(&mut self, bound: u32) {
        while self.bounds.len() <= bound as usize {
            self.bounds.push(BoundCount {
                bound: self.bounds.len() as u32,
                ..BoundCount::default()
            });
        }
    }

    /// Looks for what is wrong with an execution although it did not end with it.
    fn analyse(&mut self, execution: &mut Execution, limits: &Limits) {
        execution.judge_lock_order(&mut self.warnings);
        execution.judge_leaks(&mut self.warnings);
        execution.judge_misuse(&mut self.warnings);
        // Last, since a race is no place where an execution ends: strategies and classes take it for
        // what it is without.
        if limits.races {
            execution.judge_races();
        }
    }

    /// Takes in an execution.
    fn add(
        &mut self,
        execution: &Execution,
        index: u64,
        is_schedule: bool,
        strategy: &dyn Strategy,
        keep_going: bool,
    ) {
        let outcome = execution
            .outcome()
            .expect("internal error: an execution ended without an outcome");
        self.executions += 1;
        self.provided.merge(execution.provisos());
        self.steps_max = self.steps_max.max(execution.operation_count());
        self.steps_total += execution.operation_count();
        self.enabled_max = self.enabled_max.max(execution.enabled_max() as u64);
        let task_count = execution.task_count();
        self.tasks_max = self.tasks_max.max(task_count as u64);
        let is_divergence = matches!(outcome, Outcome::Diverged(_));
        if is_divergence && self.diverged.is_none() {
            self.diverged = Some(Box::new(self.snapshot(execution, index, strategy)));
        }
        if !is_schedule {
            return;
        }
        self.schedules += 1;
        self.inconclusive += u64::from(matches!(outcome, Outcome::StepLimit { .. }));
        let is_failure = outcome.is_failure();
        if let Some(bound) = strategy.bound() {
            self.begin_bound(bound);
            let count = &mut self.bounds[bound as usize];
            count.schedules += 1;
            count.failures += u64::from(is_failure);
        }
        if is_failure {
            self.failures += 1;
            if self.failures == 1 {
                self.first_failure = Some(Box::new(self.snapshot(execution, index, strategy)));
            }
            if keep_going {
                let mut groups = core::mem::take(&mut self.groups);
                groups.add(1, outcome, || self.snapshot(execution, index, strategy));
                self.groups = groups;
            }
        }
    }

    fn add_fingerprint(&mut self, execution: &Execution, index: u64) {
        let hash = execution.trace().hash();
        self.hash_sum = self.hash_sum.wrapping_add(hash);
        self.hash = self.hash.wrapping_add(hash.wrapping_mul(2 * index + 1));
    }

    fn observe_size(&mut self, execution: &Execution) {
        let task_count = execution.task_count();
        let profile = &mut self.profile;
        profile.tasks_max = profile.tasks_max.max(task_count as u32);
        profile.contended_steps_max = profile.contended_steps_max.max(execution.contended_count());
        for index in 0..task_count {
            let task = TaskId(index as u32);
            let operations = execution.operations_of(task);
            let parent = execution.trace().tasks[index].parent;
            if index < profile.operations_max.len() {
                let most = &mut profile.operations_max[index];
                *most = (*most).max(operations);
                let lowest = &mut profile.parents[index];
                *lowest = (*lowest).min(parent);
            } else {
                profile.operations_max.push(operations);
                profile.parents.push(parent);
            }
        }
    }

    fn snapshot(&self, execution: &Execution, index: u64, strategy: &dyn Strategy) -> FirstFailure {
        FirstFailure {
            rank: self.schedules,
            execution: index + 1,
            trace: execution.trace().detached(),
            outcome: execution.outcome().cloned().unwrap_or(Outcome::Cut),
            is_directed: false,
            member: strategy.member().map(String::from),
        }
    }
}

/// Whether an execution came to an end of its own.
fn is_complete(outcome: &Outcome) -> bool {
    !matches!(outcome, Outcome::Diverged(_) | Outcome::Cut)
}

/// Executions after which a strategy learns no more: what the later ones do can be found out from
/// these alone, so that they can be run anywhere.
pub const LEARNING_MAX: u64 = 4_096;

/// The executions that follow number `start` and are run with what was learned from those before:
/// strategies learn after 1, 2, 4, 8, … executions, up to [`LEARNING_MAX`].
pub fn epoch(start: u64, executions_max: u64) -> Range<u64> {
    let end = match start {
        LEARNING_MAX.. => executions_max,
        _ => (start + 1).next_power_of_two(),
    };
    start..end.min(executions_max)
}

/// Explores until the strategy, the limits or the observer end it. The observer is called after
/// every execution.
pub fn explore(
    runtime: &mut dyn Runtime,
    strategy: &mut dyn Strategy,
    limits: &Limits,
    observer: &mut dyn FnMut(&Exploration) -> Control,
) -> Exploration {
    let mut found = Exploration::default();
    let mut range = epoch(0, limits.executions_max);
    loop {
        let end = range.end;
        let ended = run_range(runtime, strategy, range, limits, observer, &mut found);
        match ended {
            End::Ended => break,
            End::BoundDone => {
                if !raise_bound(strategy, &mut found) {
                    found.stopped_because = StopReason::Strategy;
                    break;
                }
                range = found.executions..end;
            }
            End::Waiting => panic!("internal error: a search waits for none"),
            End::Paused if found.executions < end => range = found.executions..end,
            End::Paused if end == limits.executions_max => {
                // A budget that just suffices leaves nothing unexplored.
                if begin(strategy, &mut found) == Begin::Exhausted {
                    found.complete = true;
                    found.stopped_because = StopReason::Exhausted;
                }
                break;
            }
            End::Paused => {
                strategy.learn(&found.profile);
                range = epoch(end, limits.executions_max);
            }
        }
    }
    found.settle();
    found
}

/// Begins another execution, under a higher bound if need be.
fn begin(strategy: &mut dyn Strategy, found: &mut Exploration) -> Begin {
    loop {
        match strategy.begin(found.executions) {
            Begin::BoundDone if raise_bound(strategy, found) => {}
            Begin::BoundDone => return Begin::Stopped,
            other => return other,
        }
    }
}

fn raise_bound(strategy: &mut dyn Strategy, found: &mut Exploration) -> bool {
    let is_raised = strategy.raise_bound(found.failures);
    if let (true, Some(bound)) = (is_raised, strategy.bound()) {
        found.begin_bound(bound);
    }
    is_raised
}

/// How a range of executions ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum End {
    /// All of its executions were run, or the observer asked for a pause.
    Paused,
    /// Everything within the bound at hand was run.
    BoundDone,
    /// The search has to be told first what the one before it has found.
    Waiting,
    /// The exploration is over; [`Exploration::stopped_because`] says why.
    Ended,
}

/// Runs the executions of a range of numbers, for workers that share an exploration.
pub fn explore_range(
    runtime: &mut dyn Runtime,
    strategy: &mut dyn Strategy,
    range: Range<u64>,
    limits: &Limits,
    observer: &mut dyn FnMut(&Exploration) -> Control,
) -> (Exploration, End) {
    let mut found = Exploration::default();
    let end = run_range(runtime, strategy, range, limits, observer, &mut found);
    (found, end)
}

fn run_range(
    runtime: &mut dyn Runtime,
    strategy: &mut dyn Strategy,
    range: Range<u64>,
    limits: &Limits,
    observer: &mut dyn FnMut(&Exploration) -> Control,
    found: &mut Exploration,
) -> End {
    let end = run_loop(runtime, strategy, range, limits, observer, found);
    found.warn(strategy.warnings());
    found.provided.merge(strategy.provisos());
    found.add_planning(strategy.take_planning());
    end
}

/// Looks at executions for what was asked for besides failures.
struct Survey {
    history: Option<History>,
    sketch: Option<Sketch>,
}

impl Survey {
    fn new(limits: &Limits, found: &mut Exploration) -> Survey {
        if limits.classes {
            found.classes.get_or_insert_default();
        }
        if limits.coverage {
            found.coverage.get_or_insert_default();
        }
        let relations = [Relation::Regular, Relation::Lazy];
        Survey {
            history: limits.classes.then(|| History::new(&relations)),
            sketch: limits.coverage.then(Sketch::default),
        }
    }

    fn add(
        &mut self,
        execution: &Execution,
        is_schedule: bool,
        strategy: &mut dyn Strategy,
        found: &mut Exploration,
    ) {
        if let (Some(history), Some(classes), true) =
            (&mut self.history, &mut found.classes, is_schedule)
        {
            classes.add(execution, history);
        }
        if let (Some(sketch), Some(coverage)) = (&mut self.sketch, &mut found.coverage) {
            if let Some(portion) = strategy.portion() {
                coverage.add_portion(portion);
            }
            if is_schedule {
                sketch.read(execution);
                coverage.add(sketch.hash());
            }
        }
    }
}

fn run_loop(
    runtime: &mut dyn Runtime,
    strategy: &mut dyn Strategy,
    range: Range<u64>,
    limits: &Limits,
    observer: &mut dyn FnMut(&Exploration) -> Control,
    found: &mut Exploration,
) -> End {
    found.stopped_because = StopReason::Executions;
    let mut survey = Survey::new(limits, found);
    for index in range {
        match strategy.begin(index) {
            Begin::Ready => {}
            Begin::Restart => found.restart(),
            Begin::Exhausted => {
                found.complete = true;
                found.stopped_because = StopReason::Exhausted;
                return End::Ended;
            }
            Begin::BoundDone => return End::BoundDone,
            Begin::Waiting => return End::Waiting,
            Begin::Stopped => {
                found.stopped_because = StopReason::Strategy;
                return End::Ended;
            }
        }
        let execution = runtime.execution();
        execution.watch(limits.classes || strategy.watches());
        execution.keep_calls(strategy.records());
        execution.be_fair(strategy.is_fair());
        runtime.execute(strategy);
        let execution = runtime.execution();
        // Reductions take a look at the clock for something that no other task notices.
        if strategy.watches() && execution.has_read_clock() {
            execution.assume(Proviso::Clock);
        }
        // They take every unlock for that of the task which holds the mutex.
        let plans = strategy.watches() || strategy.records();
        if plans && execution.has_foreign_unlocks() {
            execution.assume(Proviso::Unplanned);
        }
        let counts = match execution.counts_at_limit() {
            Some(counts) => Ok(counts),
            None => strategy.end(execution),
        };
        let counts = counts.unwrap_or_else(|stop| {
            execution.stop(stop);
            false
        });
        let is_schedule = counts && execution.outcome().is_some_and(is_complete);
        survey.add(execution, is_schedule, strategy, found);
        found.analyse(execution, limits);
        found.add(execution, index, is_schedule, strategy, limits.keep_going);
        if limits.fingerprint {
            found.add_fingerprint(execution, index);
        }
        if strategy.learns() {
            found.observe_size(execution);
            strategy.measure(execution, &mut found.profile);
        }
        if found.diverged.is_some() {
            found.stopped_because = StopReason::Diverged;
            return End::Ended;
        }
        if found.failures > 0 && !limits.keep_going {
            found.stopped_because = StopReason::Failure;
            return End::Ended;
        }
        match observer(found) {
            Control::Continue => {}
            Control::Pause => return End::Paused,
            Control::Stop(reason) => {
                found.stopped_because = reason;
                return End::Ended;
            }
        }
    }
    End::Paused
}
