//! What of program order, forks, joins and notifications every execution keeps: the relation ≺.
//!
//! Program order is a parameter of the memory model, given as *chains*, sets of events of one task that
//! stay in order, and edges between chains:
//!
//! | | chains of a task | edges between them |
//! |---|---|---|
//! | SC | one | none |
//! | TSO | one of everything but buffered writes, one of these | into a write from what comes before it; into an event that drains from all writes before it |
//! | PSO | as TSO, with one of the writes to each location | the same; into an ordered write, and into each write behind an ordered fence, from all writes before that |
//!
//! So a store may be overtaken by later loads (and, under PSO, by stores elsewhere), and nothing else. The
//! edge from a store to a later load of the same location is missing on purpose: a load may take its
//! value from the store buffer (see [`Order::forwards`]). A set of events closed under ≺ is a prefix of
//! every chain, and most of this crate thinks in such prefixes.

use std::collections::HashMap;
use unpick_engine::Memory;
use unpick_engine::transcript::{Event, EventId, Kind};

/// Whether a load may take its value from the store buffer of its task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Forwarding {
    /// As the operational models of TSO and PSO say.
    Operational,
    /// As the printed formula has it: a load waits for the own stores to its location.
    Printed,
}

/// The relation ≺, with its transitive closure.
pub(crate) struct Order {
    /// The events of each chain.
    pub chains: Vec<Vec<EventId>>,
    /// Chain of each event, and its place there.
    pub place: Vec<(u32, u32)>,
    /// Predecessors of each event in other chains.
    pub across: Vec<Vec<EventId>>,
    /// For a read, the last write of its own task to the location that may still be in the buffer.
    pub forwards: Vec<Option<EventId>>,
    /// The clocks of all events, one after the other.
    clocks: Vec<u32>,
}

/// What has been seen of a task on the way through its program.
#[derive(Default)]
struct Progress {
    /// The last event that was not buffered.
    last: Option<EventId>,
    /// The buffered writes since the last event that drains.
    pending: Vec<EventId>,
    /// Those of them that come before the last ordered fence.
    fenced: Vec<EventId>,
}

impl Order {
    /// The order of these events. Fails with an event that stands before one it has to follow.
    /// The first `opening` of them come before all others.
    pub fn new(
        rules: (Memory, Forwarding),
        events: &[Event],
        opening: usize,
    ) -> Result<Order, EventId> {
        let mut order = Order {
            chains: Vec::new(),
            place: vec![(0, 0); events.len()],
            across: vec![Vec::new(); events.len()],
            forwards: vec![None; events.len()],
            clocks: Vec::new(),
        };
        let programs = programs(events);
        for program in &programs {
            order.add_program(rules, events, program);
        }
        order.add_forks_and_joins(events);
        order.add_notifications(events, &programs);
        order.add_opening(opening);
        order.close()?;
        Ok(order)
    }

    /// How many chains there are.
    pub fn chain_count(&self) -> usize {
        self.chains.len()
    }

    /// How many events of each chain come before `event` in every execution.
    pub fn clock(&self, event: EventId) -> &[u32] {
        let count = self.chain_count();
        &self.clocks[event * count..][..count]
    }

    /// All clocks, one after the other.
    pub fn clocks(&self) -> &[u32] {
        &self.clocks
    }

    /// Whether `first` comes before `second` in every execution that has both.
    pub fn is_before(&self, first: EventId, second: EventId) -> bool {
        let (chain, place) = self.place[first];
        self.clock(second)[chain as usize] > place
    }

    /// The event before this one in its chain.
    pub fn previous(&self, event: EventId) -> Option<EventId> {
        let (chain, place) = self.place[event];
        let before = (place as usize).checked_sub(1)?;
        Some(self.chains[chain as usize][before])
    }

    /// The direct predecessors of an event.
    pub fn predecessors(&self, event: EventId) -> impl Iterator<Item = EventId> + '_ {
        let across = self.across[event].iter().copied();
        self.previous(event).into_iter().chain(across)
    }

    fn add_program(
        &mut self,
        (memory, forwarding): (Memory, Forwarding),
        events: &[Event],
        program: &[EventId],
    ) {
        let mut progress = Progress::default();
        let mut chain_of: HashMap<u32, u32> = HashMap::new();
        for &id in program {
            let event = &events[id];
            let buffered = match event.kind {
                Kind::Write { location, .. } if memory != Memory::Sc && !event.drains => {
                    Some(location)
                }
                _ => None,
            };
            let key = match (buffered, memory) {
                (None, _) => 0,
                (Some(location), Memory::Pso) => location + 1,
                (Some(_), _) => 1,
            };
            let chain = *chain_of.entry(key).or_insert_with(|| {
                self.chains.push(Vec::new());
                self.chains.len() as u32 - 1
            });
            let events_of_chain = &mut self.chains[chain as usize];
            self.place[id] = (chain, events_of_chain.len() as u32);
            events_of_chain.push(id);
            if buffered.is_some() {
                self.across[id].extend(progress.last);
                let earlier = match event.is_ordered {
                    true => &progress.pending,
                    false => &progress.fenced,
                };
                self.add_latest(id, earlier);
                progress.pending.push(id);
                continue;
            }
            progress.last = Some(id);
            if event.drains {
                self.add_latest(id, &progress.pending);
                progress.pending.clear();
                progress.fenced.clear();
            } else if event.is_ordered && event.kind == Kind::Fence {
                progress.fenced.clone_from(&progress.pending);
            } else if let Kind::Read { location, .. } = event.kind {
                let writes_there = |&&write: &&EventId| {
                    events[write].writes().is_some_and(|(at, _)| at == location)
                };
                let own = progress.pending.iter().rev().find(writes_there).copied();
                match forwarding {
                    Forwarding::Operational => self.forwards[id] = own,
                    Forwarding::Printed => self.across[id].extend(own),
                }
            }
        }
    }

    /// Puts an event behind these writes of its task. The last of each chain is enough.
    fn add_latest(&mut self, event: EventId, writes: &[EventId]) {
        let mut is_known: Vec<u32> = Vec::new();
        for &write in writes.iter().rev() {
            let (chain, _) = self.place[write];
            if !is_known.contains(&chain) && chain != self.place[event].0 {
                is_known.push(chain);
                self.across[event].push(write);
            }
        }
    }

    fn add_forks_and_joins(&mut self, events: &[Event]) {
        for (id, event) in events.iter().enumerate() {
            let (task, is_fork) = match event.kind {
                Kind::Fork { task } => (task, true),
                Kind::Join { task } => (task, false),
                _ => continue,
            };
            for chain in &self.chains {
                if events[chain[0]].task != task {
                    continue;
                }
                if is_fork {
                    self.across[chain[0]].push(id);
                } else {
                    self.across[id].push(chain[chain.len() - 1]);
                }
            }
        }
    }

    /// A notification comes after the beginning of the waits that it ended and before their end.
    fn add_notifications(&mut self, events: &[Event], programs: &[Vec<EventId>]) {
        for program in programs {
            let mut wait = None;
            for &id in program {
                match events[id].kind {
                    Kind::Wait { .. } => wait = Some(id),
                    Kind::Wake {
                        notify: Some(notify),
                        ..
                    } => {
                        self.across[id].push(notify);
                        self.across[notify].extend(wait);
                    }
                    _ => {}
                }
            }
        }
    }

    /// Puts what comes first in each chain behind the events of the opening.
    fn add_opening(&mut self, opening: usize) {
        for chain in &self.chains {
            let first = chain.iter().find(|&&event| event >= opening);
            if let Some(&first) = first {
                self.across[first].extend(0..opening);
            }
        }
    }

    fn close(&mut self) -> Result<(), EventId> {
        let count = self.chain_count();
        self.clocks = vec![0; count * self.place.len()];
        for id in 0..self.place.len() {
            let predecessors: Vec<_> = self.predecessors(id).collect();
            for before in predecessors {
                if before >= id {
                    return Err(id);
                }
                let (earlier, later) = self.clocks.split_at_mut(id * count);
                let clock = &mut later[..count];
                for (own, other) in clock.iter_mut().zip(&earlier[before * count..]) {
                    *own = (*own).max(*other);
                }
                let (chain, place) = self.place[before];
                clock[chain as usize] = clock[chain as usize].max(place + 1);
            }
        }
        Ok(())
    }
}

/// The events of each task in program order.
fn programs(events: &[Event]) -> Vec<Vec<EventId>> {
    let task_count = events.iter().map(|event| event.task as usize + 1).max();
    let mut programs = vec![Vec::new(); task_count.unwrap_or(0)];
    for (id, event) in events.iter().enumerate() {
        programs[event.task as usize].push(id);
    }
    for program in &mut programs {
        program.sort_by_key(|&id| events[id].place);
    }
    programs
}
