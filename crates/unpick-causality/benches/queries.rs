//! Time per question by length of the trace, beside Z3 if it is installed.
//!
//! `cargo xtask bench mcr` runs this. Traces are random: eight tasks, as many reads as writes, two locks with
//! short sections, `length / 20` variables. Asked is whether a random read can see a random other value that
//! is written to its location. With four values there are many writes to choose from, which is hard; with a
//! thousand there is mostly one.

use std::time::{Duration, Instant};
use unpick_causality::{Answer, Event, Goal, Kind, Memory, Model, Query, Solver};

const TASK_COUNT: usize = 8;
const LENGTHS: [usize; 4] = [20, 100, 500, 2_000];

fn main() {
    let number = |name: &str, otherwise: usize| {
        let mut arguments = std::env::args().skip_while(|argument| argument != name);
        let value = arguments.nth(1).and_then(|value| value.parse().ok());
        value.unwrap_or(otherwise)
    };
    let question_count = number("--questions", 20) as u64;
    let longest = number("--longest", 2_000);
    let memory_count = number("--memories", 3);
    let states = number("--states", 300);
    let conflicts = number("--conflicts", 20_000);
    println!(
        "| memory | values | events | median | worst | sat | search | closure | SAT solver | unknown |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let memories = [Memory::Sc, Memory::Tso, Memory::Pso];
    for memory in memories.into_iter().take(memory_count) {
        for value_count in [4, 1_000] {
            for length in LENGTHS.into_iter().filter(|&length| length <= longest) {
                let mut solver = Solver::default();
                solver.budget.state_count_max = states;
                solver.budget.conflict_count_max = conflicts as u64;
                measure(memory, value_count, length, question_count, solver);
            }
        }
    }
}

fn measure(
    memory: Memory,
    value_count: usize,
    length: usize,
    question_count: u64,
    mut solver: Solver,
) {
    let mut times = Vec::new();
    for seed in 0..question_count {
        let (model, query) = question(memory, value_count, length, seed);
        let start = Instant::now();
        let answer = solver.solve(&model, &query);
        times.push(start.elapsed());
        if std::env::var_os("UNPICK_VERBOSE").is_some() {
            eprintln!("{seed} {:?} {:?}", start.elapsed(), solver.counts);
        }
        if let Answer::Sat(schedule) = answer {
            let seen = model.replay(&schedule).expect("schedules replay");
            let Goal::Value { value, .. } = query.goal else {
                unreachable!("a value was asked for");
            };
            assert_eq!(seen, Some(value));
        }
    }
    times.sort_unstable();
    let counts = solver.counts;
    println!(
        "| {memory:?} | {value_count} | {length} | {} | {} | {} | {} | {} | {} | {} |",
        show(times[times.len() / 2]),
        show(times[times.len() - 1]),
        counts.sat,
        counts.by_search,
        counts.by_closure,
        counts.by_solver,
        counts.queries - counts.sat - counts.unsat,
    );
}

fn show(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1e3)
}

/// A random trace and a question about it.
fn question(memory: Memory, value_count: usize, length: usize, seed: u64) -> (Model, Query) {
    let mut numbers = Numbers(seed.wrapping_mul(0x5851_f42d_4c95_7f2d) ^ length as u64);
    loop {
        let location_count = (length / 20).clamp(2, 20);
        let trace = trace(&mut numbers, location_count, value_count, length);
        let initial = vec![Some(0); location_count];
        let model = Model::new(memory, &initial, trace).expect("the trace is consistent");
        let reads: Vec<_> = model.reads().collect();
        if reads.is_empty() {
            continue;
        }
        let read = reads[numbers.below(reads.len())];
        let others = model.alternatives(read);
        if others.is_empty() {
            continue;
        }
        let value = match others[numbers.below(others.len())] {
            Some(write) => model.events()[write].writes().expect("a write").1,
            None => 0,
        };
        return (model, Query::new(Goal::Value { read, value }));
    }
}

/// A trace under sequential consistency, which is one of every memory model.
fn trace(numbers: &mut Numbers, locations: usize, value_count: usize, length: usize) -> Vec<Event> {
    let mut values = vec![0_u64; locations];
    let mut places = [0; TASK_COUNT];
    // The lock that a task holds, and how many accesses it has left.
    let mut sections: [Option<(u32, usize)>; TASK_COUNT] = [None; TASK_COUNT];
    let mut events = Vec::new();
    while events.len() < length {
        let task = numbers.below(TASK_COUNT);
        let kind = match sections[task] {
            Some((lock, 0)) => {
                sections[task] = None;
                Kind::Unlock { lock }
            }
            None if numbers.below(10) == 0 => {
                let lock = numbers.below(2) as u32;
                let is_held =
                    |section: &Option<(u32, usize)>| section.is_some_and(|(at, _)| at == lock);
                if sections.iter().any(is_held) {
                    continue;
                }
                sections[task] = Some((lock, 1 + numbers.below(3)));
                Kind::Lock { lock }
            }
            section => {
                sections[task] = section.map(|(lock, left)| (lock, left - 1));
                let location = numbers.below(locations) as u32;
                if numbers.below(2) == 0 {
                    let value = values[location as usize];
                    Kind::Read { location, value }
                } else {
                    let value = numbers.below(value_count) as u64;
                    values[location as usize] = value;
                    Kind::Write { location, value }
                }
            }
        };
        events.push(Event::new(task as u32, places[task], kind));
        places[task] += 1;
    }
    events
}

/// Numbers that look random: splitmix64.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((word ^ (word >> 31)) % bound as u64) as usize
    }
}
