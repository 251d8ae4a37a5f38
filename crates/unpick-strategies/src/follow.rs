//! A plan, as far as the program lets itself be led.
//!
//! Where [`Replay`](crate::Replay) insists, this strategy makes do: a turn to a task that cannot go on
//! is passed over, and beyond the plan an execution goes on by itself.

use alloc::vec::Vec;
use unpick_engine::{Begin, Stop, Strategy, View};
use unpick_trace::{Choice, Place, Plan, TaskId};

/// Follows a plan, in one execution.
pub struct Follow {
    plan: Plan,
    /// The task of the execution that each task of the plan turned out to be.
    found: Vec<Option<TaskId>>,
    /// The task of the plan that each task of the execution is.
    roles: Vec<Option<TaskId>>,
    /// Where the last question was asked, and how many were asked there.
    asked: (Place, u32),
}

impl Follow {
    /// Follows `plan`.
    pub fn new(plan: Plan) -> Follow {
        Follow {
            found: alloc::vec![None; plan.tasks.len()],
            roles: Vec::new(),
            asked: (BEGINNING, 0),
            plan,
        }
    }

    /// Takes notice of tasks that have come to be.
    fn meet(&mut self, view: &View<'_>) {
        while self.roles.len() < view.task_count() {
            let number = self.roles.len();
            let info = &view.trace().tasks[number];
            let planned = match number {
                0 => Some(0),
                _ => self.roles[info.parent.index()].and_then(|parent| {
                    let names = &self.plan.tasks;
                    let is_it = |name: &(TaskId, u32)| *name == (parent, info.index);
                    // The first task is its own creator, and not one of those that it has created.
                    let found = names.iter().skip(1).position(is_it);
                    found.map(|position| position + 1)
                }),
            };
            if let Some(index) = planned
                && index < self.found.len()
            {
                self.found[index] = Some(TaskId(number as u32));
            }
            self.roles.push(planned.map(|index| TaskId(index as u32)));
        }
    }

    /// Where the execution is, in the words of the plan.
    fn place(&self, view: &View<'_>) -> Option<Place> {
        let last = view.last();
        let task = *self.roles.get(last.index())?;
        Some(Place {
            task: task?,
            operations: view.operations_of(last),
        })
    }

    /// Who goes on here by the plan.
    fn planned(&self, view: &View<'_>) -> Option<TaskId> {
        let place = self.place(view)?;
        let turns = &self.plan.turns;
        let task = match turns.binary_search_by_key(&place, |turn| turn.place) {
            Ok(at) if turns[at].to == place.task => None,
            Ok(at) => self.found.get(turns[at].to.index()).copied()?,
            // It has not come to its next place yet.
            Err(next) => {
                let is_before = turns
                    .get(next)
                    .is_some_and(|turn| turn.place.task == place.task);
                is_before.then(|| view.last())
            }
        };
        task.filter(|&task| view.enabled().contains(task))
    }
}

const BEGINNING: Place = Place {
    task: TaskId::MAIN,
    operations: 0,
};

/// Who goes on if nothing is planned: the task that ran last, or the next one that can.
fn by_itself(view: &View<'_>) -> TaskId {
    let (last, eligible) = (view.last(), view.eligible());
    if eligible.contains(last) {
        return last;
    }
    let next = eligible.iter().find(|&task| task > last);
    let next = next.or_else(|| eligible.iter().next());
    next.expect("internal error: nobody can go on")
}

impl Strategy for Follow {
    fn begin(&mut self, index: u64) -> Begin {
        match index {
            0 => Begin::Ready,
            _ => Begin::Exhausted,
        }
    }

    fn choose(&mut self, view: &View<'_>) -> Result<TaskId, Stop> {
        self.meet(view);
        Ok(self.planned(view).unwrap_or_else(|| by_itself(view)))
    }

    fn answer(&mut self, view: &View<'_>, question: Choice) -> Result<u32, Stop> {
        self.meet(view);
        let Some(place) = self.place(view) else {
            return Ok(0);
        };
        let index = match self.asked {
            (at, count) if at == place => count,
            _ => 0,
        };
        self.asked = (place, index + 1);
        let answers = &self.plan.answers;
        let key = (place, index);
        let found = answers.binary_search_by_key(&key, |answer| (answer.place, answer.index));
        let answer = found.map_or(0, |at| answers[at].answer);
        Ok(answer.min(question.answer_count() - 1))
    }

    fn leads_on(&mut self, view: &View<'_>) -> bool {
        self.meet(view);
        self.planned(view).is_some()
    }
}
