//! Shrinking: from a failing schedule to one that a person can follow.
//!
//! Fewest preemptions first, then fewest steps, then fewest tasks. The schedule is taken as a list of
//! segments, each some operations of one task. Segments are left out (delta debugging: Zeller and
//! Hildebrandt, *Simplifying and isolating failure-inducing input*, TSE 2002), joined with the one before
//! or after of the same task (Jalbert and Sen, *A trace simplification technique for effective debugging
//! of concurrent programs*, FSE 2010), and made longer or shorter. Whatever comes of a changed list when
//! it is [followed](Plan), as far as the program lets itself be led, is kept if it fails in the same way
//! and is less. That may end where every single change spoils the failure although a quite different
//! schedule fails with fewer preemptions. So with what is left of the budget all schedules with fewer
//! preemptions are run ([`Branches`]), and then some of those with as many, because one of them may take
//! fewer steps.
//!
//! Deterministic: the same failing schedule, the same program and the same budget give the same result.

mod branches;

pub(crate) use branches::Branches;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use unpick_trace::{Outcome, Plan, Segment, Step, TaskSet, Trace, same_failure};

/// Executions with as many preemptions as the least one has, at most.
const EQUALS_MAX: u64 = 500;

/// Steps that an execution of the budget stands for: one of more steps takes more of it.
const STEPS_EACH: u64 = 10_000;

/// An execution that has ended.
#[derive(Clone, Debug)]
pub struct Ended {
    /// How.
    pub outcome: Outcome,
    /// What happened in it.
    pub trace: Trace,
}

impl Ended {
    /// How many executions of a budget it takes.
    pub(crate) fn price(&self) -> u64 {
        (self.trace.steps.len() as u64).div_ceil(STEPS_EACH).max(1)
    }
}

/// Runs the program once along a plan; `None` if there is no more time.
pub type Run<'a> = dyn FnMut(&Plan) -> Option<Ended> + 'a;

/// What came of shrinking.
#[derive(Clone, Debug)]
pub struct Shrunk {
    /// The smallest failing execution found; the given one if there is none.
    pub least: Ended,
    /// Executions that it took.
    pub executions: u64,
    /// Whether every schedule with fewer preemptions was run or is no different from one that was, so
    /// that there is none that fails in the same way.
    pub is_fewest: bool,
}

/// Shrinks a failing execution within `executions_max` executions.
pub fn shrink(failing: Ended, executions_max: u64, run: &mut Run<'_>) -> Shrunk {
    let mut shrinking = Shrinking {
        cost: Cost::of(&failing.trace),
        segments: failing.trace.segments(),
        least: failing,
        tried: HashSet::new(),
        executions: 0,
        left: executions_max,
        is_over: false,
        run,
    };
    shrinking.reduce();
    while shrinking.search() {
        shrinking.reduce();
    }
    let is_fewest = !shrinking.is_over;
    shrinking.reduce();
    Shrunk {
        least: shrinking.least,
        executions: shrinking.executions,
        is_fewest,
    }
}

/// What is to become less, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Cost {
    preemptions: usize,
    steps: usize,
    tasks: usize,
    answers: usize,
    switches: usize,
}

impl Cost {
    fn of(trace: &Trace) -> Cost {
        let mut tasks = TaskSet::default();
        for step in trace.operations() {
            tasks.insert(step.task);
        }
        let is_odd = |step: &&Step| step.choice.answer() != 0;
        Cost {
            preemptions: trace.preemption_count(),
            steps: trace.operation_count(),
            tasks: tasks.bits().len(),
            answers: trace.steps.iter().filter(is_odd).count(),
            switches: trace.segments().len(),
        }
    }
}

struct Shrinking<'a, 'b> {
    least: Ended,
    cost: Cost,
    /// Those of the least execution.
    segments: Vec<Segment>,
    /// Hashes of changed plans that were followed: those of a long execution are long, too.
    tried: HashSet<u64>,
    executions: u64,
    /// Executions that are left of the budget.
    left: u64,
    /// No execution is left, or no time.
    is_over: bool,
    run: &'a mut Run<'b>,
}

impl Shrinking<'_, '_> {
    /// Makes it less in every way there is, until nothing helps any more.
    fn reduce(&mut self) {
        loop {
            let before = self.cost;
            self.leave_out();
            self.join();
            self.answer_ordinarily();
            self.shift();
            if self.cost == before || self.is_over {
                return;
            }
        }
    }

    /// Runs a plan.
    fn follow(&mut self, plan: &Plan) -> Option<Ended> {
        self.is_over |= self.left == 0;
        if self.is_over {
            return None;
        }
        let ended = (self.run)(plan);
        self.is_over |= ended.is_none();
        if let Some(ended) = &ended {
            self.executions += 1;
            self.left = self.left.saturating_sub(ended.price());
        }
        ended
    }

    /// Keeps an execution if it fails in the same way and is less.
    fn keep(&mut self, ended: Ended) -> bool {
        let cost = Cost::of(&ended.trace);
        let is_less = cost < self.cost && same_failure(&ended.outcome, &self.least.outcome);
        if is_less {
            self.cost = cost;
            self.segments = ended.trace.segments();
            self.least = ended;
        }
        is_less
    }

    /// Runs a plan, unless that was done before, and keeps what comes of it if that is less.
    fn attempt(&mut self, plan: Plan) -> bool {
        if self.is_over || !self.tried.insert(hash_of(&plan)) {
            return false;
        }
        let ended = self.follow(&plan);
        ended.is_some_and(|ended| self.keep(ended))
    }

    fn attempt_segments(&mut self, segments: &[Segment]) -> bool {
        self.attempt(Plan::new(&self.least.trace, segments))
    }

    /// Leaves out more and more, smaller and smaller pieces, from the end.
    fn leave_out(&mut self) {
        let mut size = self.segments.len().div_ceil(2);
        while size > 0 && !self.is_over {
            let mut end = self.segments.len();
            while end > 0 && !self.is_over {
                let start = end.saturating_sub(size);
                let mut rest = self.segments.clone();
                rest.drain(start..end);
                let is_kept = self.attempt_segments(&rest);
                end = match is_kept {
                    true => start.min(self.segments.len()),
                    false => start,
                };
            }
            size = match size {
                1 => 0,
                _ => size.div_ceil(2),
            };
        }
    }

    /// Has a task do at once what it does in two segments, at the place of either.
    fn join(&mut self) {
        let mut later = self.segments.len();
        while later > 0 && !self.is_over {
            later = (later - 1).min(self.segments.len().saturating_sub(1));
            let Some(earlier) = self.before(later) else {
                continue;
            };
            let operations = self.segments[later].operations;
            let mut up = self.segments.clone();
            up[earlier].operations += operations;
            up.remove(later);
            let mut down = self.segments.clone();
            down[later].operations += down[earlier].operations;
            down.remove(earlier);
            if self.attempt_segments(&up) || self.attempt_segments(&down) {
                later = self.segments.len();
            }
        }
    }

    /// The segment before `later` of the same task.
    fn before(&self, later: usize) -> Option<usize> {
        let task = self.segments.get(later)?.task;
        let is_same = |segment: &Segment| segment.task == task;
        self.segments[..later].iter().rposition(is_same)
    }

    /// Moves switches: a task does a little more or a little less before another one goes on.
    fn shift(&mut self) {
        let mut later = self.segments.len();
        while later > 0 && !self.is_over {
            later = (later - 1).min(self.segments.len().saturating_sub(1));
            let Some(earlier) = self.before(later) else {
                continue;
            };
            let (gives, takes) = (
                self.segments[earlier].operations,
                self.segments[later].operations,
            );
            for amount in amounts(takes) {
                let mut longer = self.segments.clone();
                longer[earlier].operations += amount;
                longer[later].operations -= amount;
                if self.attempt_segments(&longer) {
                    return;
                }
            }
            for amount in amounts(gives) {
                let mut shorter = self.segments.clone();
                shorter[earlier].operations -= amount;
                shorter[later].operations += amount;
                if self.attempt_segments(&shorter) {
                    return;
                }
            }
        }
    }

    /// Runs the schedules with fewer preemptions. Answers whether one fails in the same way; if not, and
    /// there was enough time, there is none.
    fn search(&mut self) -> bool {
        let bound = self.cost.preemptions;
        let mut branches = Branches::new(&self.least.trace, 0, bound);
        let mut equals = 0;
        while equals <= EQUALS_MAX {
            equals += u64::from(branches.preemptions() == Some(bound));
            let Some((plan, followed)) = branches.next() else {
                return false;
            };
            let Some(ended) = self.follow(&plan) else {
                return false;
            };
            if self.keep(ended.clone()) && self.cost.preemptions < bound {
                return true;
            }
            branches.add(ended, followed);
            self.is_over |= branches.is_partial();
        }
        false
    }

    /// Gives the ordinary answer where another one is not needed.
    fn answer_ordinarily(&mut self) {
        let mut at = 0;
        loop {
            let mut plan = Plan::new(&self.least.trace, &self.segments);
            if at >= plan.answers.len() || self.is_over {
                return;
            }
            plan.answers.remove(at);
            if !self.attempt(plan) {
                at += 1;
            }
        }
    }
}

fn hash_of(plan: &Plan) -> u64 {
    let mut hasher = DefaultHasher::new();
    plan.hash(&mut hasher);
    hasher.finish()
}

/// How far a switch is moved: by one operation, by half of those there are.
fn amounts(operations: u64) -> impl Iterator<Item = u64> {
    let half = operations / 2;
    [1, half]
        .into_iter()
        .take(if half > 1 { 2 } else { 1 })
        .filter(move |&amount| amount < operations)
}
