//! Leading an execution along a route, and then in the default order.
//!
//! Under store buffers a route says when stores take effect, as in the replay of S. Huang's dissertation
//! (*Maximal Causality Reduction*, Texas A&M, 2019, section 3.3.3). When a task has to come to something, its
//! stores on the way go into its buffer; each leaves it when its turn comes. Stores are known by their numbers,
//! not by their addresses: with forwarding, an address does not tell whether a load or a store is meant.
//!
//! The default order is the one of the dissertation: task by task in the order of creation, each as far
//! as it gets, with its stores taking effect at once. Who asks for it has the task of the last deed wait
//! for all others instead, so that they come between what it has just seen and what it makes of that.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use unpick_engine::transcript::{Deed, Place, Questions, Route, TaskKey, mix};
use unpick_engine::{Begin, Stop, Strategy, View};
use unpick_trace::{Choice, TaskId};

/// Leads one execution along a route.
#[derive(Default)]
pub struct Along {
    route: Route,
    /// Deeds that are done.
    position: usize,
    /// By task of this execution: its name.
    keys: Vec<TaskKey>,
    tasks: BTreeMap<TaskKey, TaskId>,
    /// By task: transitions and stores so far.
    acts: Vec<u32>,
    stores: Vec<u32>,
    /// The stores that have left their buffers.
    flushed: BTreeSet<(TaskId, u32)>,
    /// Whose transition is going on, and the questions within it so far.
    acting: (TaskKey, u32),
    questions: Questions,
    /// The task whose turn it is in the default order.
    current: Option<TaskId>,
    /// The task that goes last in the default order.
    last: Option<TaskKey>,
}

impl Along {
    /// Along this one.
    pub fn new(route: Route) -> Along {
        let last = route.deeds.last().filter(|_| route.gives_way);
        Along {
            last: last.map(|deed| match *deed {
                Deed::Act { task, .. } | Deed::Flush { task, .. } => task,
            }),
            acting: (mix(0, 1), Place::BEFORE),
            route,
            ..Along::default()
        }
    }

    /// Who goes on; nobody if the route asks for what cannot be done.
    fn lead(&mut self, view: &View<'_>) -> Option<TaskId> {
        self.meet_tasks(view);
        let task = match self.next_of_route(view) {
            Next::Done => self.by_default(view),
            Next::Task(task) => task,
            Next::Nobody => return None,
        };
        let performed = self.acts[task.index()];
        self.acts[task.index()] += 1;
        self.stores[task.index()] += u32::from(view.next_op(task).is_buffered());
        let execution = view.execution();
        if let (Some((owner, _)), Some(number)) =
            (execution.agent(task), execution.next_store(task))
        {
            self.flushed.insert((owner, number));
        }
        self.acting = (self.keys[task.index()], performed);
        self.questions = Questions::default();
        Some(task)
    }

    /// The answer to a question.
    fn reply(&mut self, question: Choice) -> u32 {
        let (task, ordinal) = self.acting;
        let part = self.questions.next_part(question);
        let place = Place {
            task,
            ordinal,
            part,
        };
        let answer = self.route.answers.get(&place).copied();
        answer
            .filter(|&answer| answer < question.answer_count())
            .unwrap_or(0)
    }

    fn meet_tasks(&mut self, view: &View<'_>) {
        for info in &view.trace().tasks[self.keys.len()..] {
            let parent = self
                .keys
                .get(info.parent.index())
                .copied()
                .unwrap_or_default();
            let key = mix(parent, u64::from(info.index) + 1);
            self.tasks.insert(key, TaskId(self.keys.len() as u32));
            self.keys.push(key);
            self.acts.push(0);
            self.stores.push(0);
        }
    }

    /// Who goes on by the route.
    fn next_of_route(&mut self, view: &View<'_>) -> Next {
        while let Some(&deed) = self.route.deeds.get(self.position) {
            let next = match deed {
                Deed::Act { task, ordinal } => self.next_to_act(task, ordinal),
                Deed::Flush { task, number } => self.next_to_flush(view, task, number),
            };
            match next {
                Next::Done => self.position += 1,
                Next::Task(task) if view.enabled().contains(task) => return next,
                // What it waits for may come about: the model does not know everything that others wait for.
                Next::Task(_) if self.position + 1 == self.route.deeds.len() => return Next::Done,
                Next::Task(_) | Next::Nobody => return Next::Nobody,
            }
        }
        Next::Done
    }

    fn next_to_act(&self, task: TaskKey, ordinal: u32) -> Next {
        match self.tasks.get(&task) {
            None => Next::Nobody,
            Some(task) if self.acts[task.index()] > ordinal => Next::Done,
            Some(&task) => Next::Task(task),
        }
    }

    fn next_to_flush(&self, view: &View<'_>, task: TaskKey, number: u32) -> Next {
        let Some(&owner) = self.tasks.get(&task) else {
            return Next::Nobody;
        };
        if self.stores[owner.index()] <= number {
            return Next::Task(owner);
        }
        if self.flushed.contains(&(owner, number)) {
            return Next::Done;
        }
        let waiting = agents(view, owner).find(|(_, waiting)| *waiting == number);
        waiting.map_or(Next::Nobody, |(agent, _)| Next::Task(agent))
    }

    /// Who goes on when the route is done.
    fn by_default(&mut self, view: &View<'_>) -> TaskId {
        let eligible = view.eligible();
        let execution = view.execution();
        let goes_on = |task: TaskId| -> Option<TaskId> {
            let agents = agents(view, task).filter(|(agent, _)| eligible.contains(*agent));
            let first = agents.min_by_key(|(_, number)| *number);
            let first = first.map(|(agent, _)| agent);
            first.or_else(|| eligible.contains(task).then_some(task))
        };
        let waits = |task: TaskId| self.last == Some(self.keys[task.index()]);
        let current = self.current.filter(|&task| !waits(task));
        if let Some(next) = current.and_then(goes_on) {
            return next;
        }
        let tasks = (0..view.task_count() as u32).map(TaskId);
        let real = tasks.filter(|&task| !execution.is_agent(task));
        let (last, mut others): (Vec<_>, Vec<_>) = real.partition(|&task| waits(task));
        others.extend(last);
        let mut others = others.into_iter();
        let found = others.find_map(|task| Some((task, goes_on(task)?)));
        let (task, next) = found.expect("internal error: nobody can go on");
        self.current = Some(task);
        next
    }
}

impl Strategy for Along {
    fn begin(&mut self, index: u64) -> Begin {
        match index {
            0 => Begin::Ready,
            _ => Begin::Exhausted,
        }
    }

    fn choose(&mut self, view: &View<'_>) -> Result<TaskId, Stop> {
        // It waits for something, which only shows when it is tried.
        self.lead(view).ok_or(Stop::Cut)
    }

    fn answer(&mut self, _: &View<'_>, question: Choice) -> Result<u32, Stop> {
        Ok(self.reply(question))
    }
}

/// What the route or a deed of it needs next.
enum Next {
    Done,
    Task(TaskId),
    Nobody,
}

/// The agents of a task with a store to let out, and its number.
fn agents<'a>(view: &View<'a>, owner: TaskId) -> impl Iterator<Item = (TaskId, u32)> + use<'a> {
    let execution = view.execution();
    let count = match execution.buffer_of(owner) {
        Some(_) => view.task_count() as u32,
        None => 0,
    };
    let tasks = (0..count).map(TaskId);
    let own = tasks.filter(move |&task| {
        let agent = execution.agent(task);
        agent.is_some_and(|(of, _)| of == owner)
    });
    own.filter_map(move |task| Some((task, execution.next_store(task)?)))
}
