//! Every answer is held to what a machine with store buffers can do, on random small traces.

#[path = "brute_force/machine.rs"]
mod machine;
#[path = "brute_force/programs.rs"]
mod programs;

use machine::{Source, Trace};
use programs::{describe, random_trace};
use std::collections::{BTreeMap, BTreeSet};
use unpick_causality::{Answer, Budget, EventId, Goal, Kind, Memory, Model, Query, Solver};

/// Traces of each memory model; `UNPICK_TRACES` asks for more.
fn trace_count() -> u64 {
    let asked = std::env::var("UNPICK_TRACES").ok();
    asked.map_or(3_000, |count| {
        count.parse().expect("UNPICK_TRACES is a number")
    })
}

/// What is possible, by the machine.
#[derive(Default)]
struct Truth {
    /// What had taken effect when a read saw a value.
    values: BTreeMap<(EventId, u64), BTreeSet<BTreeSet<EventId>>>,
    sources: BTreeSet<(EventId, Source)>,
    races: BTreeSet<(EventId, EventId)>,
    deadlocks: BTreeSet<(EventId, EventId)>,
}

fn truth(trace: &Trace) -> Truth {
    let mut truth = Truth::default();
    for machine in trace.states() {
        for read in 0..trace.events.len() {
            if trace.events[read].reads().is_some() && trace.can_read(&machine, read) {
                let (value, source) = trace.sees(&machine, read);
                let done = truth.values.entry((read, value)).or_default();
                done.insert(machine.done.clone());
                truth.sources.insert((read, source));
            }
        }
        let blocked = trace.blocked(&machine);
        for &(one, holder) in &blocked {
            for &(other, other_holder) in &blocked {
                let tasks = (trace.events[one].task, trace.events[other].task);
                if (other_holder, holder) == tasks {
                    truth.deadlocks.insert((one, other));
                }
            }
        }
        let imminent = trace.imminent(&machine);
        for &one in &imminent {
            for &other in &imminent {
                if is_conflict(trace, one, other) {
                    truth.races.insert((one, other));
                }
            }
        }
    }
    truth
}

fn is_conflict(trace: &Trace, one: EventId, other: EventId) -> bool {
    let (first, second) = (&trace.events[one], &trace.events[other]);
    let at = |pair: Option<(u32, u64)>| pair.map(|(location, _)| location);
    let location = at(first.reads().or(first.writes()));
    first.task != second.task
        && location.is_some()
        && location == at(second.reads().or(second.writes()))
        && (first.writes().is_some() || second.writes().is_some())
}

struct Judge<'t> {
    trace: &'t Trace,
    model: Model,
    /// One that searches, one that leaves everything to the must-order and the SAT solver.
    solvers: [Solver; 2],
    /// One that may search as long as it takes.
    exhaustive: Solver,
}

impl Judge<'_> {
    /// Asks, compares with what is expected and replays what is found.
    fn ask(&mut self, query: &Query, expected: bool, sees: impl Fn(u64, Source) -> bool) {
        for solver in 0..self.solvers.len() {
            match self.solvers[solver].solve(&self.model, query) {
                Answer::Sat(schedule) => {
                    assert!(
                        expected,
                        "not possible: {schedule:?}, {}",
                        self.story(query)
                    );
                    if let Err(error) = self.check(query, &schedule, &sees) {
                        panic!("{error}: {schedule:?}, {}", self.story(query));
                    }
                }
                Answer::Unsat => assert!(!expected, "denied: {}", self.story(query)),
                Answer::Unknown => panic!("no answer: {}", self.story(query)),
            }
        }
    }

    fn story(&self, query: &Query) -> String {
        format!("{query:?}\n{}", describe(self.trace))
    }

    fn check(
        &self,
        query: &Query,
        schedule: &[EventId],
        sees: impl Fn(u64, Source) -> bool,
    ) -> Result<(), String> {
        let ending = match query.goal {
            Goal::Value { read, .. } | Goal::From { read, .. } => vec![read],
            Goal::Race(one, other) => vec![one, other],
            Goal::Deadlock(_) | Goal::Reach(_) | Goal::Last(_) => vec![],
        };
        if !schedule.ends_with(&ending) {
            return Err("ends otherwise".into());
        }
        if query.include.iter().any(|event| !schedule.contains(event)) {
            return Err("something is missing".into());
        }
        if query.exclude.iter().any(|event| schedule.contains(event)) {
            return Err("something must not be there".into());
        }
        let (before, after) = self.trace.follow(schedule, &ending)?;
        match &query.goal {
            Goal::Value { read, .. } | Goal::From { read, .. } => {
                let (value, source) = self.trace.sees(&before, *read);
                let is_right = sees(value, source);
                is_right
                    .then_some(())
                    .ok_or(format!("sees {value} of {source:?}"))
            }
            Goal::Reach(event) | Goal::Last(event) if !schedule.contains(event) => {
                Err("it is not reached".into())
            }
            Goal::Race(..) | Goal::Reach(_) | Goal::Last(_) => Ok(()),
            Goal::Deadlock(requests) => {
                let blocked = self.trace.blocked(&after);
                let are = requests
                    .iter()
                    .all(|request| blocked.iter().any(|(of, _)| of == request));
                are.then_some(()).ok_or(format!("blocked are {blocked:?}"))
            }
        }
    }

    fn values(&mut self, truth: &Truth, seed: u64) {
        for read in self.model.reads().collect::<Vec<_>>() {
            for value in 0..4 {
                let ways = truth.values.get(&(read, value));
                let query = Query::new(Goal::Value { read, value });
                self.ask(&query, ways.is_some(), |seen, _| seen == value);
                self.shortest(&query, ways);
                // With some event that has to be there as well.
                let event =
                    (seed as usize * 7 + read * 3 + value as usize) % self.trace.events.len();
                let is_possible =
                    ways.is_some_and(|ways| ways.iter().any(|done| done.contains(&event)));
                let including = query.clone().including(vec![event]);
                self.ask(&including, is_possible, |seen, _| seen == value);
                // Without it.
                let is_possible =
                    ways.is_some_and(|ways| ways.iter().any(|done| !done.contains(&event)));
                let excluding = query.excluding(vec![event]);
                self.ask(&excluding, is_possible && event != read, |seen, _| {
                    seen == value
                });
            }
        }
    }

    /// Whatever is in the trace can be reached; without an event it can if some way to it does without.
    fn reached(&mut self, truth: &Truth) {
        for read in self.model.reads().collect::<Vec<_>>() {
            let query = Query::new(Goal::Reach(read));
            self.ask(&query, true, |_, _| true);
            let (_, value) = self.trace.events[read].reads().expect("it is a read");
            for event in 0..self.trace.events.len() {
                let ways = truth.values.get(&(read, value));
                let is_possible =
                    ways.is_some_and(|ways| ways.iter().any(|done| !done.contains(&event)));
                let query = Query::new(Goal::Reach(read)).excluding(vec![event]);
                self.ask(&query, is_possible && event != read, |_, _| true);
            }
        }
    }

    /// The shortest schedule is as long as the fewest events that had taken effect, and the read.
    fn shortest(&mut self, query: &Query, ways: Option<&BTreeSet<BTreeSet<EventId>>>) {
        let expected = ways.into_iter().flatten().map(|done| done.len() + 1).min();
        let found = match self.exhaustive.solve_shortest(&self.model, query) {
            Answer::Sat(schedule) => Some(schedule.len()),
            Answer::Unsat => None,
            Answer::Unknown => panic!("no answer: {}", self.story(query)),
        };
        assert_eq!(found, expected, "{}", self.story(query));
    }

    fn sources(&mut self, truth: &Truth) {
        for read in self.model.reads().collect::<Vec<_>>() {
            let writes =
                (0..self.trace.events.len()).filter(|&id| self.trace.events[id].writes().is_some());
            for write in std::iter::once(None).chain(writes.map(Some)) {
                let query = Query::new(Goal::From { read, write });
                let is_possible = truth.sources.contains(&(read, write));
                self.ask(&query, is_possible, |_, source| source == write);
            }
        }
    }

    fn deadlocks(&mut self, truth: &Truth) {
        let candidates = self.model.deadlock_candidates(2);
        let is_listed = |&(one, other): &(EventId, EventId)| {
            candidates.contains(&vec![one.min(other), one.max(other)])
        };
        assert!(
            truth.deadlocks.iter().all(is_listed),
            "{}",
            describe(self.trace)
        );
        let is_request = |id: &EventId| matches!(self.trace.events[*id].kind, Kind::Lock { .. });
        let requests: Vec<_> = (0..self.trace.events.len()).filter(is_request).collect();
        for &one in &requests {
            for &other in &requests {
                let query = Query::new(Goal::Deadlock(vec![one, other]));
                self.ask(&query, truth.deadlocks.contains(&(one, other)), |_, _| true);
            }
        }
    }

    fn races(&mut self, truth: &Truth) {
        let candidates = self.model.race_candidates();
        let is_listed = |&(one, other): &(EventId, EventId)| {
            candidates.contains(&(one.min(other), one.max(other)))
        };
        assert!(
            truth.races.iter().all(is_listed),
            "{}",
            describe(self.trace)
        );
        for one in 0..self.trace.events.len() {
            for other in 0..self.trace.events.len() {
                let query = Query::new(Goal::Race(one, other));
                self.ask(&query, truth.races.contains(&(one, other)), |_, _| true);
            }
        }
    }
}

fn model(trace: &Trace) -> Model {
    let initial: Vec<_> = trace.initial.iter().copied().map(Some).collect();
    let model = Model::new(trace.memory, &initial, trace.events.clone());
    model.unwrap_or_else(|error| panic!("{error}: {}", describe(trace)))
}

/// A solver that leaves everything to the must-order and the SAT solver.
fn thorough() -> Solver {
    Solver {
        budget: Budget {
            state_count_max: 0,
            ..Budget::default()
        },
        ..Solver::default()
    }
}

/// A solver that only searches, on traces of this size.
fn exhaustive() -> Solver {
    Solver {
        budget: Budget {
            state_count_max: 1_000_000,
            ..Budget::default()
        },
        ..Solver::default()
    }
}

fn judge(memory: Memory) {
    let (mut query_count, mut deadlock_count) = (0, 0);
    let mut thorough = thorough();
    for seed in 0..trace_count() {
        let trace = random_trace(memory, seed, 8);
        let model = model(&trace);
        let truth = truth(&trace);
        let mut judge = Judge {
            trace: &trace,
            model,
            solvers: [Solver::default(), thorough.clone()],
            exhaustive: exhaustive(),
        };
        judge.values(&truth, seed);
        judge.reached(&truth);
        judge.sources(&truth);
        judge.races(&truth);
        judge.deadlocks(&truth);
        deadlock_count += truth.deadlocks.len();
        query_count += judge.solvers[0].counts.queries;
        thorough = judge.solvers[1].clone();
    }
    println!(
        "{memory:?}: {query_count} questions, {deadlock_count} deadlocks, {:?}",
        thorough.counts
    );
    assert!(deadlock_count > 0 && thorough.counts.by_solver > 0 && thorough.counts.by_closure > 0);
}

#[test]
fn sequential_consistency() {
    judge(Memory::Sc);
}

#[test]
fn total_store_order() {
    judge(Memory::Tso);
}

#[test]
fn partial_store_order() {
    judge(Memory::Pso);
}

/// Too large for the machine; the means of the solver are held to each other.
#[test]
fn search_and_solver_agree() {
    let mut solvers = [exhaustive(), thorough()];
    for seed in 0..trace_count() / 10 {
        let memory = [Memory::Sc, Memory::Tso, Memory::Pso][seed as usize % 3];
        let trace = random_trace(memory, seed, 24);
        let model = model(&trace);
        for read in model.reads() {
            for write in model.alternatives(read) {
                let query = Query::new(Goal::From { read, write });
                let answers = solvers
                    .each_mut()
                    .map(|solver| match solver.solve(&model, &query) {
                        Answer::Sat(schedule) => {
                            let (before, _) = trace.follow(&schedule, &[read]).expect("it replays");
                            assert_eq!(trace.sees(&before, read).1, write);
                            true
                        }
                        Answer::Unsat => false,
                        Answer::Unknown => panic!("no answer: {query:?}, {}", describe(&trace)),
                    });
                assert_eq!(answers[0], answers[1], "{query:?}, {}", describe(&trace));
            }
        }
    }
    println!("{:?}", solvers[1].counts);
    assert!(solvers[1].counts.conflicts > 0);
}
