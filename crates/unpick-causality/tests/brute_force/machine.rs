//! An independent truth about small traces: a machine with store buffers that performs the events of a
//! trace in every possible order.
//!
//! Knows nothing of chains, clocks or constraints. A task performs its next event if its earlier reads
//! returned what they did in the trace; writes go through buffers, and what a buffer holds may reach
//! memory at any time.

use std::collections::{BTreeSet, HashMap, HashSet};
use unpick_causality::{Event, EventId, Kind, Memory};

/// Where a read found its value: a write or the beginning.
pub type Source = Option<EventId>;

/// The state of the machine.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Machine {
    /// How many events each task has issued.
    issued: Vec<usize>,
    /// The writes that each task has issued and that have not reached memory.
    buffers: Vec<Vec<EventId>>,
    /// What each location holds, and who wrote it.
    memory: Vec<(u64, Source)>,
    owners: Vec<Option<(u32, u32)>>,
    /// Who waits for each condition variable, by the beginning of the wait.
    waiting: Vec<BTreeSet<EventId>>,
    /// What has taken effect.
    pub done: BTreeSet<EventId>,
}

/// A trace with its programs.
pub struct Trace {
    pub memory: Memory,
    pub initial: Vec<u64>,
    pub events: Vec<Event>,
    /// The events of each task in program order.
    pub programs: Vec<Vec<EventId>>,
    /// The waits going on at each notification.
    met: HashMap<EventId, BTreeSet<EventId>>,
}

/// One thing the machine can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// A task issues its next event.
    Issue(usize),
    /// A write leaves the buffer of a task.
    Flush(usize, EventId),
}

impl Trace {
    pub fn new(memory: Memory, initial: Vec<u64>, events: Vec<Event>) -> Trace {
        let task_count = events.iter().map(|event| event.task as usize + 1).max();
        let mut programs = vec![Vec::new(); task_count.unwrap_or(0)];
        for (id, event) in events.iter().enumerate() {
            programs[event.task as usize].push(id);
        }
        for program in &mut programs {
            program.sort_by_key(|&id| events[id].place);
        }
        let mut met = HashMap::new();
        let mut waiting: HashMap<u32, EventId> = HashMap::new();
        for (id, event) in events.iter().enumerate() {
            match event.kind {
                Kind::Wait { .. } => _ = waiting.insert(event.task, id),
                Kind::Wake { .. } => _ = waiting.remove(&event.task),
                Kind::Notify { condvar } => {
                    let of = |id: &EventId| matches!(events[*id].kind, Kind::Wait { condvar: at, .. } if at == condvar);
                    met.insert(id, waiting.values().copied().filter(of).collect());
                }
                _ => {}
            }
        }
        Trace {
            memory,
            initial,
            events,
            programs,
            met,
        }
    }

    pub fn begin(&self) -> Machine {
        Machine {
            issued: vec![0; self.programs.len()],
            buffers: vec![Vec::new(); self.programs.len()],
            memory: self.initial.iter().map(|&value| (value, None)).collect(),
            owners: vec![None; 8],
            waiting: vec![BTreeSet::new(); 4],
            done: BTreeSet::new(),
        }
    }

    /// The next event that a task issues.
    pub fn next(&self, machine: &Machine, task: usize) -> Option<EventId> {
        self.programs[task].get(machine.issued[task]).copied()
    }

    /// Whether a task exists yet.
    fn is_forked(&self, machine: &Machine, task: usize) -> bool {
        let forks = |id: &EventId| matches!(self.events[*id].kind, Kind::Fork { task: child } if child as usize == task);
        (0..self.events.len())
            .filter(forks)
            .all(|fork| machine.done.contains(&fork))
    }

    /// The events that could take effect next: what tasks issue, and what buffers may give away.
    pub fn imminent(&self, machine: &Machine) -> Vec<EventId> {
        let flushes = self.flushes(machine).into_iter().map(|(_, write)| write);
        let tasks = 0..self.programs.len();
        let issues = tasks.filter_map(|task| {
            self.next(machine, task)
                .filter(|&id| !self.is_buffered(id) && self.can_issue(machine, task, id))
        });
        flushes.chain(issues).collect()
    }

    /// The requests for locks that are held by others, with the holders.
    pub fn blocked(&self, machine: &Machine) -> Vec<(EventId, u32)> {
        let blocked = |task: usize| {
            let request = self.next(machine, task)?;
            let Kind::Lock { lock } = self.events[request].kind else {
                return None;
            };
            let (holder, _) = machine.owners[lock as usize]?;
            let is_ready = self.is_forked(machine, task) && machine.buffers[task].is_empty();
            (is_ready && holder as usize != task).then_some((request, holder))
        };
        (0..self.programs.len()).filter_map(blocked).collect()
    }

    fn is_buffered(&self, id: EventId) -> bool {
        let event = &self.events[id];
        self.memory != Memory::Sc && !event.drains && matches!(event.kind, Kind::Write { .. })
    }

    fn flushes(&self, machine: &Machine) -> Vec<(usize, EventId)> {
        let mut flushes = Vec::new();
        for (task, buffer) in machine.buffers.iter().enumerate() {
            let mut locations = HashSet::new();
            for (at, &write) in buffer.iter().enumerate() {
                let (location, _) = self.events[write].writes().expect("a write");
                let is_first = locations.insert(location);
                let is_held = buffer[..at]
                    .iter()
                    .any(|&other| self.is_fenced(other, write));
                let may_overtake = is_first && !self.events[write].is_ordered && !is_held;
                if at == 0 || (self.memory == Memory::Pso && may_overtake) {
                    flushes.push((task, write));
                }
            }
        }
        flushes
    }

    /// Whether a fence that keeps writes in order stands between two writes of one task.
    fn is_fenced(&self, earlier: EventId, later: EventId) -> bool {
        let (from, to) = (self.events[earlier].place, self.events[later].place);
        self.events.iter().any(|event| {
            event.task == self.events[later].task
                && event.kind == Kind::Fence
                && event.is_ordered
                && (from..to).contains(&event.place)
        })
    }

    /// Whether a task can issue this event, whatever a read would see.
    fn can_issue(&self, machine: &Machine, task: usize, id: EventId) -> bool {
        let event = &self.events[id];
        if !self.is_forked(machine, task) || (event.drains && !machine.buffers[task].is_empty()) {
            return false;
        }
        match event.kind {
            Kind::Lock { lock } => {
                machine.owners[lock as usize].is_none_or(|(owner, _)| owner == event.task)
            }
            Kind::Join { task: child } => {
                let program = self.programs.get(child as usize);
                program
                    .into_iter()
                    .flatten()
                    .all(|id| machine.done.contains(id))
            }
            Kind::Notify { condvar } => {
                let waiting = &machine.waiting[condvar as usize];
                let wakes = |wake: &EventId| matches!(self.events[*wake].kind, Kind::Wake { notify: Some(by), .. } if by == id);
                let mut woken = (0..self.events.len())
                    .filter(wakes)
                    .map(|wake| self.wait_of(wake));
                waiting.is_subset(&self.met[&id]) && woken.all(|wait| waiting.contains(&wait))
            }
            Kind::Wake { notify, .. } => notify.is_none_or(|notify| machine.done.contains(&notify)),
            _ => true,
        }
    }

    fn wait_of(&self, wake: EventId) -> EventId {
        let task = self.events[wake].task as usize;
        let program = &self.programs[task];
        let at = program
            .iter()
            .position(|&id| id == wake)
            .expect("a wake of its task");
        program[at - 1]
    }

    /// What a read sees now.
    pub fn sees(&self, machine: &Machine, read: EventId) -> (u64, Source) {
        let event = &self.events[read];
        let (location, _) = event.reads().expect("a read");
        let own = machine.buffers[event.task as usize].iter().rev();
        let buffered = own
            .copied()
            .find(|&write| self.events[write].writes().expect("a write").0 == location);
        match buffered {
            Some(write) => (self.events[write].writes().expect("a write").1, Some(write)),
            None => machine.memory[location as usize],
        }
    }

    /// What can be done now, with all earlier reads as in the trace.
    pub fn moves(&self, machine: &Machine) -> Vec<Move> {
        let flushes = self
            .flushes(machine)
            .into_iter()
            .map(|(task, write)| Move::Flush(task, write));
        let issues = (0..self.programs.len()).filter(|&task| {
            self.next(machine, task).is_some_and(|id| {
                let keeps = self.events[id]
                    .reads()
                    .is_none_or(|(_, value)| self.sees(machine, id).0 == value);
                keeps && self.can_issue(machine, task, id)
            })
        });
        flushes.chain(issues.map(Move::Issue)).collect()
    }

    /// Whether a task can issue the read that is its next event, whatever it would see.
    pub fn can_read(&self, machine: &Machine, read: EventId) -> bool {
        let task = self.events[read].task as usize;
        self.next(machine, task) == Some(read) && self.can_issue(machine, task, read)
    }

    pub fn perform(&self, machine: &mut Machine, what: Move) {
        match what {
            Move::Flush(task, write) => {
                machine.buffers[task].retain(|&other| other != write);
                self.take_effect(machine, write);
            }
            Move::Issue(task) => {
                let id = self.next(machine, task).expect("something to issue");
                machine.issued[task] += 1;
                if self.is_buffered(id) {
                    machine.buffers[task].push(id);
                } else {
                    self.take_effect(machine, id);
                }
            }
        }
    }

    fn take_effect(&self, machine: &mut Machine, id: EventId) {
        let event = &self.events[id];
        if let Some((location, value)) = event.writes() {
            machine.memory[location as usize] = (value, Some(id));
        }
        match event.kind {
            Kind::Lock { lock } => {
                let depth = machine.owners[lock as usize].map_or(0, |(_, depth)| depth);
                machine.owners[lock as usize] = Some((event.task, depth + 1));
            }
            Kind::Unlock { lock } | Kind::Wait { lock, .. } => {
                let owner = machine.owners[lock as usize].filter(|&(_, depth)| depth > 1);
                machine.owners[lock as usize] = owner.map(|(task, depth)| (task, depth - 1));
            }
            _ => {}
        }
        match event.kind {
            Kind::Wait { condvar, .. } => _ = machine.waiting[condvar as usize].insert(id),
            Kind::Wake { condvar, .. } => {
                _ = machine.waiting[condvar as usize].remove(&self.wait_of(id))
            }
            _ => {}
        }
        machine.done.insert(id);
    }

    /// All states that can be reached.
    pub fn states(&self) -> HashSet<Machine> {
        let mut states = HashSet::new();
        let mut open = vec![self.begin()];
        while let Some(machine) = open.pop() {
            for what in self.moves(&machine) {
                let mut next = machine.clone();
                self.perform(&mut next, what);
                if !states.contains(&next) {
                    open.push(next);
                }
            }
            states.insert(machine);
        }
        states
    }

    /// Performs a schedule: events in the order in which they take effect. The events of `free` may read
    /// anything. Returns the states before and after the last
    /// event.
    pub fn follow(
        &self,
        schedule: &[EventId],
        free: &[EventId],
    ) -> Result<(Machine, Machine), String> {
        let mut machine = self.begin();
        let mut before = machine.clone();
        for &id in schedule {
            before = machine.clone();
            let task = self.events[id].task as usize;
            // What stands before it in program order must be waiting in the buffer.
            while let Some(next) = self.next(&machine, task)
                && self.events[next].place <= self.events[id].place
                && self.is_buffered(next)
            {
                if !self.is_forked(&machine, task) {
                    return Err(format!("event {id} of a task that does not exist"));
                }
                self.perform(&mut machine, Move::Issue(task));
                before = machine.clone();
            }
            if self.is_buffered(id) {
                let what = Move::Flush(task, id);
                if !self.moves(&machine).contains(&what) {
                    return Err(format!("event {id} cannot leave its buffer"));
                }
                self.perform(&mut machine, what);
                continue;
            }
            let keeps = match self.events[id].reads() {
                Some((_, value)) => free.contains(&id) || self.sees(&machine, id).0 == value,
                None => true,
            };
            if self.next(&machine, task) != Some(id)
                || !self.can_issue(&machine, task, id)
                || !keeps
            {
                return Err(format!("event {id} cannot be performed"));
            }
            self.perform(&mut machine, Move::Issue(task));
        }
        Ok((before, machine))
    }
}
