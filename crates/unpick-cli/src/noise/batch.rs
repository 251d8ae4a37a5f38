//! Many free executions of a program: run, judged, and written down one by one.

use super::record::{Group, Recorded, Told};
use super::{ProgramArguments, Subject};
use crate::progress::is_interrupted;
use anyhow::Result;
use std::collections::HashMap;
use unpick_native::free::{Event, Execution, Expectation, Session, Thread, Verdict};
use unpick_native::protocol::PriorityOrder;
use unpick_noise::pairs::{self, Action, ActionKind};
use unpick_noise::{NoiseOrder, Operation, Placement, Placements, Random, Side, Variables};

/// The executions of one command.
pub(super) struct Batch {
    session: Session,
    pub(super) expected: Expectation,
    takes_output: bool,
    seed: u64,
    /// What the trace has besides what it is compared by.
    also_traced: Placements,
    /// Places of plain accesses that are traced, if that is not left to the plan.
    pub(super) places: Vec<u64>,
    locations: HashMap<(usize, u64), u32>,
    pub(super) recorded: Recorded,
}

/// An execution that is looked at closely.
pub(super) struct Chosen {
    pub(super) group: usize,
    /// Its number in its group, from 1.
    pub(super) number: u64,
    pub(super) verdict: Verdict,
    pub(super) execution: Execution,
}

impl Batch {
    pub(super) fn new(arguments: &ProgramArguments, subject: &Subject) -> Result<Batch> {
        Ok(Batch {
            session: Session::new(&subject.command, arguments.setup())?,
            expected: arguments.expectation()?,
            takes_output: arguments.same_output,
            seed: arguments.seed,
            also_traced: for_pairs(),
            places: Vec::new(),
            locations: HashMap::new(),
            recorded: Recorded::new(&subject.name, &subject.command.program, arguments.seed),
        })
    }

    /// Traces all that the controlled engine has operations for, plain accesses at these places among it.
    pub(super) fn trace_for_control(&mut self, places: Vec<u64>) {
        let all = Placements::named("sync").unwrap_or_default();
        let sleeps = Placements::named("sleeps").unwrap_or_default();
        self.also_traced = all.union(sleeps);
        if !places.is_empty() {
            let memory = Placements::named("memory").unwrap_or_default();
            self.also_traced = self.also_traced.union(memory);
        }
        self.places = places;
    }

    /// Holds threads back in the executions that follow.
    pub(super) fn prioritise(&mut self, priorities: PriorityOrder) {
        self.session.prioritise(priorities);
    }

    pub(super) fn add_group(&mut self, plan: Option<String>) -> usize {
        self.recorded.groups.push(Group::new(plan));
        self.recorded.groups.len() - 1
    }

    /// The seed of the next execution of a group.
    pub(super) fn next_seed(&self, group: usize) -> u64 {
        let number = self.recorded.groups[group].executions.len() as u64;
        let mut random = Random::new(self.seed ^ number.rotate_left(32), group as u32);
        random.next()
    }

    /// Runs the program once. Interleavings are told apart by what is traced in `order`. `None` if the
    /// user has ended it.
    pub(super) fn execute(
        &mut self,
        group: usize,
        mut order: NoiseOrder,
    ) -> Result<Option<(Verdict, Execution)>> {
        let compared = order.traced;
        order.traced = compared.union(self.also_traced);
        if !self.places.is_empty() {
            order.variables = Variables::Aimed;
        }
        let goes_on = &mut || !is_interrupted();
        let Some(execution) = self.session.execute(&order, goes_on)? else {
            return Ok(None);
        };
        if self.takes_output && self.expected.output.is_none() {
            self.expected.output = Some(execution.output.clone());
        }
        let verdict = Verdict::of(&execution, &self.expected);
        let told = self.tell(&execution, &verdict, order.seed, compared);
        let actions = actions(&execution.events, &execution.threads);
        if self.recorded.pairs_required.is_empty() {
            self.recorded.pairs_required = pairs::required(&actions);
        }
        let seen = pairs::covered(&actions);
        self.recorded.pairs_required.extend(seen.iter().copied());
        let group = &mut self.recorded.groups[group];
        group.pairs.extend(seen);
        group.executions.push(told);
        for placement in order.counted.iter() {
            let (reached, fired) = execution.count(placement);
            let count = group.counts.entry(placement.name()).or_default();
            *count = (count.0 + reached, count.1 + fired);
        }
        Ok(Some((verdict, execution)))
    }

    fn tell(
        &mut self,
        execution: &Execution,
        verdict: &Verdict,
        seed: u64,
        compared: Placements,
    ) -> Told {
        let events = execution.events.iter();
        let mut trace = Vec::new();
        for event in events.filter(|event| compared.contains(event.placement)) {
            let key = (event.placement.number(), event.pc);
            let known = self.locations.len() as u32;
            let location = *self.locations.entry(key).or_insert(known);
            if location == known {
                let text = format!("{} {:#x}", event.placement, event.pc);
                self.recorded.locations.push(text);
            }
            trace.extend([event.thread, location]);
        }
        Told {
            seed,
            verdict: verdict.words(),
            is_failure: verdict.is_failure(),
            time_us: execution.elapsed.as_micros() as u64,
            processor_us: execution.processor_time.as_micros() as u64,
            lost: execution.events_lost,
            trace,
        }
    }
}

/// What the measure of synchronisation pairs is made of.
fn for_pairs() -> Placements {
    [
        Placement::after(Operation::Lock),
        Placement::before(Operation::Unlock),
        Placement::after(Operation::WriteLock),
        Placement::before(Operation::RwUnlock),
        Placement::after(Operation::Create),
        Placement::after(Operation::Join),
    ]
    .into_iter()
    .collect()
}

/// What a trace says of locks and threads.
fn actions(events: &[Event], threads: &[Thread]) -> Vec<Action> {
    let mut created: HashMap<u32, u32> = HashMap::new();
    let mut handles: HashMap<u64, u32> = HashMap::new();
    let mut actions = Vec::new();
    for event in events {
        let thread = event.thread;
        let kind = match (event.placement.operation, event.placement.side) {
            (Operation::Lock | Operation::WriteLock, Side::After) => ActionKind::Lock {
                lock: event.object,
                place: event.pc,
            },
            (Operation::Unlock | Operation::RwUnlock, Side::Before) => {
                ActionKind::Unlock { lock: event.object }
            }
            (Operation::Create, Side::After) => {
                let index = created.entry(thread).or_default();
                let is_it = |one: &Thread| one.parent == thread && one.index == Some(*index);
                // The first thread is its own parent.
                let child = threads
                    .iter()
                    .skip(1)
                    .position(is_it)
                    .map(|at| at as u32 + 1);
                *index += 1;
                let Some(child) = child else { continue };
                handles.insert(event.object, child);
                ActionKind::Create(child)
            }
            (Operation::Join, Side::After) => match handles.get(&event.object) {
                Some(&child) => ActionKind::Join(child),
                None => continue,
            },
            _ => continue,
        };
        actions.push(Action { thread, kind });
    }
    actions
}

/// Places in the code that are worth aiming at: plain accesses that conflict, and operations on objects
/// that two threads use.
pub(super) fn places_of_conflict(execution: &Execution) -> Vec<u64> {
    let mut users: HashMap<u64, (u32, bool)> = HashMap::new();
    for event in execution.events.iter().filter(|event| event.object != 0) {
        let known = users.entry(event.object).or_insert((event.thread, false));
        known.1 |= known.0 != event.thread;
    }
    let is_shared = |event: &&Event| users.get(&event.object).is_some_and(|user| user.1);
    let events = execution.events.iter().filter(is_shared);
    let mut places: Vec<u64> = events.map(|event| event.pc).collect();
    places.extend(&execution.conflicts);
    places.sort_unstable();
    places.dedup();
    places
}
