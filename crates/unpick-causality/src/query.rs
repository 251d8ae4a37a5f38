//! Questions to a model, and what each of them asks for.
//!
//! Every question has the same form (a [`Plan`]): perform a set of events that is closed under ≺, in a
//! feasible order, so that some events have been performed, some have everything before them performed
//! but not themselves, and, if a read is asked about, its location holds the right thing at the end.
//! As such sets are prefixes of all chains, a plan is a few numbers a chain.

use crate::model::Model;
use crate::replay::Replay;
use std::collections::HashMap;
use unpick_engine::transcript::EventId;

/// A question to a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// What is asked.
    pub goal: Goal,
    /// Events that the schedule must contain: the prefix of an earlier answer, kept by content.
    pub include: Vec<EventId>,
    /// Events that it must not contain.
    pub exclude: Vec<EventId>,
    /// Events that it begins with, in this order; for shortest schedules only.
    pub prefix: Vec<EventId>,
}

/// What can be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Can this read see this value? Also the question for assertions and null pointers.
    Value {
        /// The read.
        read: EventId,
        /// The value.
        value: u64,
    },
    /// Can this read take its value from this write, or see the initial value?
    From {
        /// The read.
        read: EventId,
        /// The write; the initial value if none.
        write: Option<EventId>,
    },
    /// Can this event be performed, and find what it found in the trace?
    Reach(EventId),
    /// Can this event be performed, find what it found in the trace, and be the last one? Nothing that comes behind
    /// it, or depends on it otherwise, is performed.
    Last(EventId),
    /// Can these two accesses come one right after the other, with nothing to keep them in order?
    Race(EventId, EventId),
    /// Can all these requests for locks be made, each for a lock that another one's task holds?
    Deadlock(Vec<EventId>),
}

impl Query {
    /// A question without a prefix to keep.
    pub fn new(goal: Goal) -> Query {
        Query {
            goal,
            include: Vec::new(),
            exclude: Vec::new(),
            prefix: Vec::new(),
        }
    }

    /// The same question about schedules that contain these events.
    pub fn including(self, include: Vec<EventId>) -> Query {
        Query { include, ..self }
    }

    /// The same question about schedules that do not contain these events.
    pub fn excluding(self, exclude: Vec<EventId>) -> Query {
        Query { exclude, ..self }
    }

    /// The same question about schedules that begin with these events, in this order. Only
    /// [`Solver::solve_shortest`](crate::Solver::solve_shortest) heeds the order.
    pub fn following(self, prefix: Vec<EventId>) -> Query {
        Query { prefix, ..self }
    }
}

/// What a read at the end of the schedule is to see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    Value(u64),
    Write(Option<EventId>),
}

impl Wanted {
    /// Whether a read may see `write` (`None` is the initial value) as the last write.
    pub fn allows(self, model: &Model, location: u32, write: Option<EventId>) -> bool {
        match self {
            Wanted::Write(wanted) => write == wanted,
            Wanted::Value(value) => match write {
                Some(write) => model.written(write).1 == value,
                None => model.initial[location as usize] == Some(value),
            },
        }
    }
}

/// What a question asks for. Closed sets are given as the length of their part of each chain.
pub(crate) struct Plan {
    /// The read asked about, where it reads and what it is to see.
    pub target: Option<(EventId, u32, Wanted)>,
    /// The events that must be performed.
    pub required: Vec<u32>,
    /// The events that may be of use. Nothing else is ever performed.
    pub limit: Vec<u32>,
    /// What is performed after everything else to show it.
    pub ending: Vec<EventId>,
    /// Up to here the trace is feasible and stops nowhere.
    pub start: EventId,
    /// What a shortest schedule begins with.
    pub prefix: Vec<EventId>,
}

impl Plan {
    /// What `query` asks for; `None` if that is impossible for a plain reason.
    pub fn new(model: &Model, query: &Query) -> Option<Plan> {
        let (stops, target) = stops(model, &query.goal)?;
        let mut exclude = query.exclude.clone();
        if let Goal::Last(event) = query.goal
            && can_wait(model, event)
        {
            let events = 0..model.events.len();
            exclude.extend(events.filter(|&other| model.order.is_before(event, other)));
        }
        if query.exclude.iter().any(|event| stops.contains(event)) {
            return None;
        }
        let count = model.order.chain_count();
        let mut plan = Plan {
            target,
            required: vec![0; count],
            limit: vec![0; count],
            ending: match query.goal {
                Goal::Deadlock(_) => Vec::new(),
                Goal::Last(event) if can_wait(model, event) => Vec::new(),
                _ => stops.clone(),
            },
            start: stops.iter().copied().min().unwrap_or(0),
            prefix: query.prefix.clone(),
        };
        let ceiling = ceiling(model, &stops, &exclude);
        for &stop in &stops {
            for (own, &other) in plan.required.iter_mut().zip(model.order.clock(stop)) {
                *own = (*own).max(other);
            }
        }
        for &event in query.include.iter().chain(&query.prefix) {
            plan.require(model, event);
        }
        match query.goal {
            Goal::Reach(event) => plan.require(model, event),
            Goal::Last(event) if can_wait(model, event) => plan.require(model, event),
            _ => {}
        }
        if let Some((_, _, Wanted::Write(Some(write)))) = plan.target {
            // An own write may be seen in the store buffer.
            let is_own = target.is_some_and(|(read, ..)| model.order.forwards[read] == Some(write));
            if !is_own {
                plan.require(model, write);
            }
        }
        plan.require_groups(model, &stops);
        let mut below = plan.required.iter().zip(&ceiling);
        if below.any(|(required, ceiling)| required > ceiling) {
            return None;
        }
        plan.find_relevant(model, &ceiling);
        Some(plan)
    }

    /// Whether an event may be performed.
    pub fn may_perform(&self, model: &Model, event: EventId) -> bool {
        let (chain, place) = model.order.place[event];
        place < self.limit[chain as usize]
    }

    /// Whether the target would see what it is to see. True of questions without a target.
    pub fn is_met(&self, model: &Model, replay: &Replay<'_>) -> bool {
        self.target.is_none_or(|(read, location, wanted)| {
            let last = replay.writers[location as usize];
            wanted.allows(model, location, replay.forwarder(read).or(last))
        })
    }

    /// The events that may be performed.
    pub fn events<'a>(&'a self, model: &'a Model) -> impl Iterator<Item = EventId> + 'a {
        let chains = model.order.chains.iter().zip(&self.limit);
        chains.flat_map(|(chain, &limit)| chain[..limit as usize].iter().copied())
    }

    /// How many constraints it stands for.
    pub fn constraint_count(&self, model: &Model) -> u64 {
        let kept = |event: EventId| model.order.predecessors(event).count() as u64;
        let seen = |event: EventId| u64::from(model.events[event].reads().is_some());
        let events: u64 = self
            .events(model)
            .map(|event| kept(event) + seen(event))
            .sum();
        let sections = model.sections.iter().map(|sections| {
            let opened = sections
                .iter()
                .filter(|span| self.may_perform(model, span.opens));
            let count = opened.count() as u64;
            count * count.saturating_sub(1) / 2
        });
        events + sections.sum::<u64>() + u64::from(self.target.is_some())
    }

    fn require(&mut self, model: &Model, event: EventId) {
        let clock = model.order.clock(event);
        for (own, &other) in self.required.iter_mut().zip(clock) {
            *own = (*own).max(other);
        }
        let (chain, place) = model.order.place[event];
        let own = &mut self.required[chain as usize];
        *own = (*own).max(place + 1);
    }

    /// Requires transitions as a whole, but for those that end with a stop.
    fn require_groups(&mut self, model: &Model, stops: &[EventId]) {
        let mut is_settled = false;
        while !is_settled {
            is_settled = true;
            for group in model.groups.iter() {
                let (first, last) = (group[0], group[group.len() - 1]);
                let is_required = |event: EventId| {
                    let (chain, place) = model.order.place[event];
                    place < self.required[chain as usize]
                };
                let is_stopped = group.iter().any(|event| stops.contains(event));
                if is_required(first) && !is_required(last) && !is_stopped {
                    self.require(model, last);
                    is_settled = false;
                }
            }
        }
    }

    /// Finds the events that can be of any use: what is required, what reads can take their values from,
    /// what ends spans, and whatever comes before these. A feasible schedule stays feasible without the
    /// others.
    fn find_relevant(&mut self, model: &Model, ceiling: &[u32]) {
        let mut wanted = self.required.clone();
        if let Some((read, location, choice)) = self.target {
            let own = model.order.forwards[read].into_iter();
            let writes = model.writers[location as usize].iter().copied();
            for write in writes
                .filter(|&write| choice.allows(model, location, Some(write)))
                .chain(own)
            {
                raise(model, &mut wanted, ceiling, write);
            }
        }
        while let Some(chain) = (0..wanted.len()).find(|&chain| self.limit[chain] < wanted[chain]) {
            let event = model.order.chains[chain][self.limit[chain] as usize];
            self.limit[chain] += 1;
            for &part in model.groups.of(event).unwrap_or_default() {
                raise(model, &mut wanted, ceiling, part);
            }
            for &before in &model.order.across[event] {
                raise(model, &mut wanted, ceiling, before);
            }
            if let Some((location, value)) = model.events[event].reads() {
                for &write in &model.writers[location as usize] {
                    let is_source = model.written(write).1 == value && write != event;
                    if is_source && !model.order.is_before(event, write) {
                        raise(model, &mut wanted, ceiling, write);
                    }
                }
                if let Some(write) = model.order.forwards[event] {
                    raise(model, &mut wanted, ceiling, write);
                }
            }
            if let Some((lock, at)) = model.opens[event]
                && let Some(end) = model.sections[lock as usize][at as usize].closes
            {
                raise(model, &mut wanted, ceiling, end);
            }
            if let Some(&end) = model.wakes.get(&event) {
                raise(model, &mut wanted, ceiling, end);
            }
        }
    }
}

/// Takes an event into a closed set, unless it may not be performed.
fn raise(model: &Model, set: &mut [u32], ceiling: &[u32], event: EventId) {
    let (chain, place) = model.order.place[event];
    let chain = chain as usize;
    if place < ceiling[chain] {
        set[chain] = set[chain].max(place + 1);
    }
}

type Target = Option<(EventId, u32, Wanted)>;

/// The events before which the schedule stops, and what a read among them is to see. `None` if the
/// question has the answer no already.
fn stops(model: &Model, goal: &Goal) -> Option<(Vec<EventId>, Target)> {
    let target = |read: EventId, wanted| {
        let (location, _) = model.events.get(read)?.reads()?;
        Some((vec![read], Some((read, location, wanted))))
    };
    match *goal {
        Goal::Value { read, value } => target(read, Wanted::Value(value)),
        Goal::From { read, write } => {
            let (stops, found) = target(read, Wanted::Write(write))?;
            let location = found?.1;
            let fits = match write {
                Some(write) => model.writers[location as usize].contains(&write) && write != read,
                None => model.initial[location as usize].is_some(),
            };
            fits.then_some((stops, found))
        }
        Goal::Reach(event) => (event < model.events.len()).then(|| (Vec::new(), None)),
        Goal::Last(event) if can_wait(model, event) => {
            // Of its transition nothing else is performed, either.
            let group = model.groups.of(event).unwrap_or_default();
            let next = group.iter().position(|&one| one == event);
            let next = next.and_then(|at| group.get(at + 1)).copied();
            Some((next.into_iter().collect(), None))
        }
        Goal::Last(event) => match model.events.get(event)?.reads() {
            Some((_, value)) => target(event, Wanted::Value(value)),
            None => Some((vec![event], None)),
        },
        Goal::Race(first, second) => {
            conflict(model, first, second).then(|| (vec![first, second], None))
        }
        Goal::Deadlock(ref requests) => is_ring(model, requests).then(|| (requests.clone(), None)),
    }
}

/// Whether an event may have to wait for others. Such an event changes no location, so that it is the last one if
/// nothing that comes behind it by ≺ is performed: whatever else there is can be performed before it as well.
fn can_wait(model: &Model, event: EventId) -> bool {
    let is_locking = model.opens.get(event).is_some_and(Option::is_some);
    is_locking || model.avoids.contains_key(&event)
}

/// Whether two events of different tasks access one location, one of them to write, with nothing that
/// always keeps them in order.
pub(crate) fn conflict(model: &Model, first: EventId, second: EventId) -> bool {
    let (Some(one), Some(other)) = (model.events.get(first), model.events.get(second)) else {
        return false;
    };
    let location = |pair: Option<(u32, u64)>| pair.map(|(location, _)| location);
    let (at, other_at) = (
        location(one.writes().or(one.reads())),
        location(other.writes().or(other.reads())),
    );
    one.task != other.task
        && at.is_some()
        && at == other_at
        && (one.writes().is_some() || other.writes().is_some())
        && !model.order.is_before(first, second)
        && !model.order.is_before(second, first)
}

/// Whether each of these requests is for a lock that the task of another one holds when it makes its own.
fn is_ring(model: &Model, requests: &[EventId]) -> bool {
    if requests
        .iter()
        .any(|&request| request >= model.events.len())
    {
        return false;
    }
    let mut holders: HashMap<u32, EventId> = HashMap::new();
    for &request in requests {
        let held = model.held_at(request).into_iter();
        holders.extend(held.map(|lock| (lock, request)));
    }
    let waits = |&request: &EventId| match model.opens.get(request) {
        Some(Some((lock, _))) => holders.get(lock).is_some_and(|&holder| holder != request),
        _ => false,
    };
    let mut tasks: Vec<_> = requests
        .iter()
        .map(|&request| model.events[request].task)
        .collect();
    tasks.sort_unstable();
    let is_distinct = tasks.windows(2).all(|pair| pair[0] != pair[1]);
    !requests.is_empty() && is_distinct && requests.iter().all(waits)
}

/// For each chain, how many of its events do not come behind one of `stops` or `excluded`. What is not performed as a
/// whole is not begun, unless it ends with a stop.
fn ceiling(model: &Model, stops: &[EventId], excluded: &[EventId]) -> Vec<u32> {
    let order = &model.order;
    let mut ends = [stops, excluded].concat();
    loop {
        let is_behind = |event: EventId| {
            let behind = |&stop: &EventId| stop == event || order.is_before(stop, event);
            ends.iter().any(behind)
        };
        let chains = order.chains.iter();
        let ceiling: Vec<u32> = chains
            .map(|chain| chain.partition_point(|&event| !is_behind(event)) as u32)
            .collect();
        let is_open = |event: EventId| {
            let (chain, place) = order.place[event];
            place < ceiling[chain as usize]
        };
        let is_cut = |group: &&[EventId]| {
            let is_stopped = group.iter().any(|event| stops.contains(event));
            is_open(group[0]) && !is_open(group[group.len() - 1]) && !is_stopped
        };
        let cut: Vec<EventId> = model
            .groups
            .iter()
            .filter(is_cut)
            .map(|one| one[0])
            .collect();
        if cut.is_empty() {
            return ceiling;
        }
        ends.extend(cut);
    }
}
