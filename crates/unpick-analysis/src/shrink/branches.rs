//! Schedules that branch off from others, those with fewest preemptions first.
//!
//! As iterative preemption bounding does (Musuvathi and Qadeer, *Iterative context bounding for systematic
//! testing of multithreaded programs*, PLDI 2007): an execution is followed up to some point, there another
//! task goes on, and from there the execution goes on by itself. A task is not preempted before an operation
//! on an object that nobody else uses: later is as good. Who uses what is known of executions that have come to
//! their end only.

use super::Ended;
use std::collections::VecDeque;
use std::rc::Rc;
use unpick_trace::{Outcome, Plan, Segment, TaskId, Trace};

/// Steps of all executions that are kept to branch off from, at most.
const STEPS_KEPT_MAX: usize = 4_000_000;

/// An execution that branches off from another one.
struct Branch {
    /// The execution.
    from: Rc<Path>,
    /// How many of its operations are followed.
    length: usize,
    /// The task that goes on then, if another one than by itself.
    to: Option<TaskId>,
}

struct Path {
    trace: Trace,
    /// The task of each operation.
    tasks: Vec<TaskId>,
}

impl Path {
    fn new(trace: Trace) -> Rc<Path> {
        let tasks = trace.operations().map(|step| step.task).collect();
        Rc::new(Path { trace, tasks })
    }
}

/// Schedules that are still to be run.
pub(crate) struct Branches {
    /// By the number of preemptions.
    waiting: Vec<VecDeque<Branch>>,
    steps_kept: usize,
}

impl Branches {
    /// The schedules that begin with the first `length` operations of an execution and have no more
    /// preemptions than `preemptions_max`.
    pub fn new(trace: &Trace, length: usize, preemptions_max: usize) -> Branches {
        let mut waiting: Vec<VecDeque<Branch>> = Vec::new();
        waiting.resize_with(preemptions_max + 1, VecDeque::new);
        waiting[0].push_back(Branch {
            from: Path::new(trace.clone()),
            length,
            to: None,
        });
        Branches {
            waiting,
            steps_kept: 0,
        }
    }

    /// How many preemptions the next schedule has.
    pub fn preemptions(&self) -> Option<usize> {
        self.waiting
            .iter()
            .position(|branches| !branches.is_empty())
    }

    /// Whether some schedules are left out because there are too many.
    pub fn is_partial(&self) -> bool {
        self.steps_kept > STEPS_KEPT_MAX
    }

    /// The next schedule, and how many operations of it are those of the one it branches off from.
    pub fn next(&mut self) -> Option<(Plan, usize)> {
        let branch = self.waiting.iter_mut().find_map(VecDeque::pop_front)?;
        let followed = branch.length + usize::from(branch.to.is_some());
        Some((branch.plan(), followed))
    }

    /// Adds what branches off from an execution behind its first `followed` operations.
    pub fn add(&mut self, ended: Ended, followed: usize) {
        self.steps_kept += ended.trace.steps.len();
        if self.is_partial() {
            return;
        }
        let path = Path::new(ended.trace);
        let is_over = ended.outcome == Outcome::Pass;
        let shared = shared_objects(&path.trace);
        let mut preemptions = 0;
        let mut last = TaskId::MAIN;
        let operations = path.trace.steps.iter().enumerate();
        let operations = operations.filter(|(_, step)| step.is_operation());
        for (position, (index, step)) in operations.enumerate() {
            let enabled = path.trace.enabled(index);
            let is_free = !enabled.contains(last);
            let is_shared = shared.get(step.op.object.0 as usize).is_none_or(|&is| is);
            let matters = step.task != last || is_shared || !is_over;
            let cost = preemptions + usize::from(!is_free);
            if position >= followed && matters && cost < self.waiting.len() {
                for to in enabled.iter().filter(|&to| to != step.task && to != last) {
                    self.waiting[cost].push_back(Branch {
                        from: Rc::clone(&path),
                        length: position,
                        to: Some(to),
                    });
                }
            }
            preemptions += usize::from(!is_free && step.task != last);
            last = step.task;
        }
    }
}

impl Branch {
    fn plan(&self) -> Plan {
        let followed = self.from.tasks[..self.length].iter().copied();
        let tasks = followed.chain(self.to);
        Plan::new(&self.from.trace, &Segment::of(tasks))
    }
}

/// Which objects more than one task uses.
fn shared_objects(trace: &Trace) -> Vec<bool> {
    let mut users: Vec<Option<TaskId>> = vec![None; trace.objects.len()];
    let mut shared = vec![false; trace.objects.len()];
    for step in trace.operations() {
        let object = step.op.object.0 as usize;
        let Some(user) = users.get_mut(object) else {
            continue;
        };
        shared[object] |= *user.get_or_insert(step.task) != step.task;
    }
    shared
}
