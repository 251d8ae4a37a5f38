//! Time per question by length of the trace, beside Z3 if it is installed.
//!
//! `cargo xtask bench mcr` runs this. Traces are random: eight tasks, as many reads as writes, two locks with
//! short sections, `length / 20` variables. Asked is whether a random read can see a random other value that
//! is written to its location. With four values there are many writes to choose from, which is hard; with a
//! thousand there is mostly one.

#[path = "../tests/z3/process.rs"]
mod process;

use process::Z3;
use std::time::{Duration, Instant};
use unpick_causality::{Answer, Event, Goal, Kind, Memory, Model, Query, Solver, smtlib};

const TASK_COUNT: usize = 8;
const LENGTHS: [usize; 4] = [20, 100, 500, 2_000];
/// Z3 gives up after so long.
const Z3_TIME_MS_MAX: u32 = 30_000;

fn main() {
    let number = |name: &str, otherwise: u64| {
        let mut arguments = std::env::args().skip_while(|argument| argument != name);
        let value = arguments.nth(1).and_then(|value| value.parse().ok());
        value.unwrap_or(otherwise)
    };
    let question_count = number("--questions", 20);
    // Z3 takes its time for the longest ones.
    let z3_question_count = |length| match length {
        0..500 => number("--z3", 20),
        500..2_000 => number("--z3", 5),
        _ => number("--z3", 1),
    };
    println!(
        "| memory | values | events | median | worst | sat | unknown | by search | by closure | by SAT solver | median, Z3 | Z3 / ours | answers of Z3 |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for memory in [Memory::Sc, Memory::Tso, Memory::Pso] {
        for value_count in [4, 1_000] {
            for length in LENGTHS {
                let questions = (0..question_count)
                    .map(|seed| question(memory, value_count, length, seed))
                    .collect::<Vec<_>>();
                let ours = measure(&questions);
                let theirs = measure_z3(
                    &questions[..z3_question_count(length).min(question_count) as usize],
                );
                println!("| {memory:?} | {value_count} | {length} | {ours} | {theirs} |");
            }
        }
    }
}

/// Median and worst time, and who gave how many answers.
fn measure(questions: &[(Model, Query)]) -> String {
    let mut solver = Solver::default();
    let mut times = Vec::new();
    for (model, query) in questions {
        let start = Instant::now();
        let answer = solver.solve(model, query);
        times.push(start.elapsed());
        if let Answer::Sat(schedule) = answer {
            let seen = model.replay(&schedule).expect("schedules replay");
            assert!(matches!(query.goal, Goal::Value { value, .. } if Some(value) == seen));
        }
    }
    let counts = solver.counts;
    let worst = times.iter().max().copied().unwrap_or_default();
    format!(
        "{} | {} | {} | {} | {} | {} | {}",
        median(times),
        show(worst),
        counts.sat,
        counts.queries - counts.sat - counts.unsat,
        counts.by_search,
        counts.by_closure,
        counts.by_solver,
    )
}

/// Median time of Z3 for these questions, how many times that of ours it is at the median, and how many of
/// them it answered. Z3 also has to read the question.
fn measure_z3(questions: &[(Model, Query)]) -> String {
    let Some(mut z3) = Z3::start(Z3_TIME_MS_MAX) else {
        return "not installed | none | none".into();
    };
    let mut times = Vec::new();
    let mut ratios = Vec::new();
    let mut answer_count = 0;
    for (model, query) in questions {
        let commands = smtlib(model, query);
        let start = Instant::now();
        let theirs = z3.ask(&commands);
        let time = start.elapsed();
        let start = Instant::now();
        let ours = Solver::default().solve(model, query);
        ratios.push(time.as_secs_f64() / start.elapsed().as_secs_f64());
        times.push(time);
        let Some(is_sat) = theirs else {
            continue;
        };
        answer_count += 1;
        if ours != Answer::Unknown {
            assert_eq!(is_sat, matches!(ours, Answer::Sat(_)), "Z3 disagrees");
        }
    }
    ratios.sort_unstable_by(f64::total_cmp);
    let ratio = ratios.get(ratios.len() / 2).copied().unwrap_or_default();
    let asked = questions.len();
    format!("{} | {ratio:.0} | {answer_count} of {asked}", median(times))
}

fn median(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    times
        .get(times.len() / 2)
        .copied()
        .map_or("none".into(), show)
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
