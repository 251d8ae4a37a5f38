//! Questions within a step under maximal causality reduction: weak exchanges that fail, time-outs, waits that end by
//! themselves, data. A claim of `mcr` or `se-mcr` without a proviso that hides states is held to depth-first search on
//! random programs of two or three tasks.
//!
//! `UNPICK_PROGRAMS=3000 cargo test --release -p unpick-suite --test questions -- --nocapture` judges more programs and
//! prints how many claims were held; `UNPICK_FIRST` is the number of the first program.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use unpick::sync::atomic::{AtomicI32, Ordering};
use unpick::sync::mpsc::{self, Receiver, Sender};
use unpick::{Config, Exploration, Memory, Proviso, thread};

/// Programs for each memory model, unless asked for more.
const PROGRAMS: u64 = 50;
/// Executions of the depth-first search above which a program is passed over.
const TRUTH_MAX: u64 = 1_000;
/// Executions of the other techniques; one that needs more claims nothing.
const EXECUTIONS_MAX: u64 = 300;

/// Something a task does; what it sees is its result.
#[derive(Clone, Copy, Debug)]
enum Statement {
    Load(usize),
    Store(usize, i32),
    StoreRelaxed(usize, i32),
    Add(usize),
    Exchange(usize, i32, i32),
    ExchangeWeak(usize, i32, i32),
    Update(usize),
    /// A number below two that the strategy chooses.
    Choose,
    /// The same, left in a variable.
    StoreChosen(usize),
    /// The same, while holding the mutex, added to what the mutex protects.
    AddChosen,
    /// What the mutex protects.
    Peek,
    WaitFor,
    Wait,
    Notify,
    Send(i32),
    /// Only of the first task, which owns the receiver.
    ReceiveFor,
    Receive,
}

use Statement::*;

#[derive(Clone, Debug)]
struct Program {
    tasks: Vec<Vec<Statement>>,
    /// How many weak exchanges may fail, and how many waits may end by themselves.
    ration: u32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Theme {
    Atomics,
    Questions,
}

fn generate(theme: Theme, seed: u64) -> Program {
    let mut source = Numbers(seed.wrapping_mul(0xa076_1d64_78bd_642f));
    let count = 2 + source.below(2);
    let variables = 1 + source.below(2);
    let statement = |source: &mut Numbers, task: usize| {
        let x = source.below(variables);
        let (one, other) = (source.below(3) as i32, source.below(3) as i32);
        let kind = match theme {
            Theme::Atomics => source.below(8),
            Theme::Questions => source.below(18),
        };
        match kind {
            0 => Load(x),
            1 => match source.below(2) {
                0 => Store(x, one),
                _ => StoreRelaxed(x, one),
            },
            2 => Add(x),
            3 => Exchange(x, one, other),
            4 | 5 => ExchangeWeak(x, one, other),
            6 => Update(x),
            7 => StoreRelaxed(x, one),
            8 => Choose,
            9 => StoreChosen(x),
            10 => AddChosen,
            11 => Peek,
            12 => WaitFor,
            13 => Wait,
            14 => Notify,
            15 => Send(one),
            _ if task > 0 => Send(other),
            16 => ReceiveFor,
            _ => Receive,
        }
    };
    let mut tasks = Vec::new();
    for task in 0..count {
        let length = 1 + source.below(if count == 2 { 3 } else { 2 });
        tasks.push((0..length).map(|_| statement(&mut source, task)).collect());
    }
    Program {
        tasks,
        ration: source.below(3) as u32,
    }
}

/// Numbers without visible structure: splitmix64.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        for factor in [0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb] {
            word = (word ^ (word >> 30)).wrapping_mul(factor);
        }
        ((word ^ (word >> 31)) % bound as u64) as usize
    }
}

struct Shared {
    variables: [AtomicI32; 2],
    number: unpick::sync::Mutex<i32>,
    changed: unpick::sync::Condvar,
}

fn perform(
    statements: &[Statement],
    shared: &Shared,
    (sender, receiver): (Option<Sender<i32>>, Option<Receiver<i32>>),
) -> Vec<i32> {
    use Ordering::{Relaxed, SeqCst};
    const SHORT: Duration = Duration::from_millis(1);
    let mut seen = Vec::new();
    let exchanged = |result: Result<i32, i32>| match result {
        Ok(old) => [1, old],
        Err(old) => [0, old],
    };
    for statement in statements {
        match *statement {
            Load(x) => seen.push(shared.variables[x].load(SeqCst)),
            Store(x, value) => shared.variables[x].store(value, SeqCst),
            StoreRelaxed(x, value) => shared.variables[x].store(value, Relaxed),
            Add(x) => seen.push(shared.variables[x].fetch_add(1, SeqCst)),
            Exchange(x, old, new) => {
                let result = shared.variables[x].compare_exchange(old, new, SeqCst, SeqCst);
                seen.extend(exchanged(result));
            }
            ExchangeWeak(x, old, new) => {
                let result = shared.variables[x].compare_exchange_weak(old, new, SeqCst, SeqCst);
                seen.extend(exchanged(result));
            }
            Update(x) => {
                let result = shared.variables[x]
                    .fetch_update(SeqCst, SeqCst, |old| (old < 2).then_some(old + 1));
                seen.extend(exchanged(result));
            }
            Choose => seen.push(unpick::choose(2) as i32),
            StoreChosen(x) => shared.variables[x].store(unpick::choose(2) as i32, Relaxed),
            AddChosen => {
                let mut number = shared.number.lock().unwrap();
                *number += unpick::choose(2) as i32;
                seen.push(*number);
            }
            Peek => seen.push(*shared.number.lock().unwrap()),
            WaitFor => {
                let number = shared.number.lock().unwrap();
                let (number, result) = shared.changed.wait_timeout(number, SHORT).unwrap();
                seen.extend([*number, i32::from(result.timed_out())]);
            }
            Wait => {
                let number = shared.number.lock().unwrap();
                seen.push(*shared.changed.wait(number).unwrap());
            }
            Notify => {
                *shared.number.lock().unwrap() += 1;
                shared.changed.notify_one();
            }
            Send(value) => {
                let _ = sender.as_ref().map(|sender| sender.send(value));
            }
            ReceiveFor => {
                let received = receiver.as_ref().map(|one| one.recv_timeout(SHORT));
                seen.push(match received {
                    Some(Ok(value)) => value,
                    Some(Err(mpsc::RecvTimeoutError::Timeout)) => -1,
                    _ => -2,
                });
            }
            Receive => {
                let received = receiver.as_ref().map(Receiver::recv);
                seen.push(match received {
                    Some(Ok(value)) => value,
                    _ => -2,
                });
            }
        }
    }
    seen
}

impl Program {
    /// Runs the program; answers what each task has seen.
    fn run(&self) -> Vec<Vec<i32>> {
        let shared = unpick::sync::Arc::new(Shared {
            variables: [AtomicI32::new(0), AtomicI32::new(0)],
            number: unpick::sync::Mutex::new(0),
            changed: unpick::sync::Condvar::new(),
        });
        let has = |is_it: fn(&Statement) -> bool| self.tasks.iter().flatten().any(is_it);
        let (mut sender, mut receiver) = (None, None);
        if has(|one| matches!(one, Send(_) | ReceiveFor | Receive)) {
            let (one, other) = mpsc::channel();
            (sender, receiver) = (Some(one), Some(other));
        }
        let tasks: Vec<_> = (0..self.tasks.len())
            .map(|task| {
                let (statements, shared) = (self.tasks[task].clone(), shared.clone());
                let ends = match task {
                    0 => (None, receiver.take()),
                    _ => (sender.clone(), None),
                };
                thread::spawn(move || perform(&statements, &shared, ends))
            })
            .collect();
        drop(sender);
        tasks.into_iter().map(|task| task.join().unwrap()).collect()
    }
}

/// What the tasks see in executions that come to their end, and whether one of them fails.
type States = (BTreeSet<Vec<Vec<i32>>>, bool);

fn reached(program: &Program, memory: Memory, technique: &str) -> (States, Exploration) {
    let executions = match technique {
        "dfs" => TRUTH_MAX,
        _ => EXECUTIONS_MAX,
    };
    let config = Config::new()
        .strategy(technique)
        .executions(executions)
        .keep_going(true)
        .memory(memory)
        .weak_failures(program.ration)
        .spurious_wakes(program.ration);
    let seen = Arc::new(Mutex::new(BTreeSet::new()));
    let body = {
        let (program, seen) = (program.clone(), Arc::clone(&seen));
        move || {
            let result = program.run();
            seen.lock().unwrap().insert(result);
        }
    };
    let found = unpick::explore(config, body);
    let seen = seen.lock().unwrap().clone();
    ((seen, found.failures > 0), found)
}

/// Whether a claim is that of a complete search that assumes nothing but what depth-first search assumes, too.
fn holds_all(found: &Exploration) -> bool {
    let claim = found.claim();
    let is_shared = |one: Proviso| {
        let is_rationed = matches!(one, Proviso::WeakFailures | Proviso::SpuriousWakes);
        is_rationed || matches!(one, Proviso::WeakOrderings | Proviso::BehindFailure)
    };
    claim.is_exhausted && claim.provided.iter().all(is_shared)
}

/// What there is to reach; none if that takes too long. Depth-first search tells, unless a program is too large for it,
/// or has a timed wait that it does not go on past.
fn truth(program: &Program, memory: Memory) -> Option<States> {
    let (states, found) = reached(program, memory, "dfs");
    if holds_all(&found) {
        return Some(states);
    }
    let (states, found) = reached(program, memory, "odpor");
    let provided = found.claim().provided;
    let rations = [Proviso::WeakFailures, Proviso::SpuriousWakes];
    // It does not reach all that a ration allows.
    let is_rationed = rations.iter().any(|&one| provided.contains(one));
    (holds_all(&found) && !is_rationed).then_some(states)
}

/// Holds claims of both techniques about a program to the truth. Whether each of them claims anything.
fn judge(program: &Program, memory: Memory, truth: &States) -> [bool; 2] {
    ["mcr", "se-mcr"].map(|technique| {
        let (states, found) = reached(program, memory, technique);
        let claim = found.claim();
        let model = memory.name();
        let name = || format!("{technique} under {model}: {claim}\n{program:?}");
        let invented = states.0.difference(&truth.0).next();
        assert_eq!(invented, None, "{}", name());
        let is_held = holds_all(&found);
        if is_held {
            let missing = truth.0.difference(&states.0).next();
            assert_eq!(missing, None, "{}", name());
            assert_eq!(states.1, truth.1, "{}", name());
        }
        is_held
    })
}

fn judge_all(theme: Theme, memory: Memory) {
    let number = |name: &str| std::env::var(name).ok()?.parse().ok();
    let first: u64 = number("UNPICK_FIRST").unwrap_or(0);
    // Programs that wait take a hundred times as long.
    let usual = match theme {
        Theme::Atomics => PROGRAMS,
        Theme::Questions => PROGRAMS / 5,
    };
    let count: u64 = number("UNPICK_PROGRAMS").unwrap_or(usual);
    let (mut claims, mut passed_over) = ([0; 2], 0);
    for seed in first..first + count {
        let program = generate(theme, seed);
        match truth(&program, memory) {
            Some(truth) => {
                let held = judge(&program, memory, &truth);
                for (claims, is_held) in claims.iter_mut().zip(held) {
                    *claims += u64::from(is_held);
                }
            }
            None => passed_over += 1,
        }
    }
    let model = memory.name();
    println!("{theme:?} under {model}: {claims:?} claims held, {passed_over} programs passed over");
    for claims in claims {
        assert!(claims > count / 3, "{claims} claims about {count} programs");
    }
}

#[test]
fn claims_about_exchanges_hold() {
    for memory in Memory::ALL {
        judge_all(Theme::Atomics, memory);
    }
}

#[test]
fn claims_about_other_questions_hold() {
    for memory in Memory::ALL {
        judge_all(Theme::Questions, memory);
    }
}

/// Programs of which states were lost, with what a search must say of each: complete, without a proviso.
#[test]
fn no_answer_is_left_out() {
    let programs = [
        // The expected value is there only behind another task.
        vec![vec![ExchangeWeak(0, 1, 2)], vec![Store(0, 1)]],
        vec![vec![Add(0)], vec![ExchangeWeak(0, 1, 2)]],
        vec![vec![Update(0)], vec![Update(0)]],
        // What another task has read must not be taken for what it reads behind the other answer.
        vec![
            vec![Exchange(0, 1, 2)],
            vec![Load(0), ExchangeWeak(0, 0, 1)],
            vec![Exchange(0, 1, 3)],
        ],
        // A question that is asked, or not, behind the read that is to see something else.
        vec![
            vec![Load(0), Load(0)],
            vec![ExchangeWeak(0, 1, 0)],
            vec![Store(0, 1)],
        ],
        // One behind a store that stays in its buffer, and one behind a use of a mutex.
        vec![vec![StoreRelaxed(0, 1), Choose, Load(1)], vec![Load(0)]],
        vec![vec![AddChosen, Peek], vec![AddChosen]],
    ];
    for (tasks, ration) in programs
        .iter()
        .flat_map(|one| [(one, 0), (one, 1), (one, 2)])
    {
        let program = Program {
            tasks: tasks.clone(),
            ration,
        };
        for memory in Memory::ALL {
            let truth = truth(&program, memory).expect("it is small");
            let held = judge(&program, memory, &truth);
            assert_eq!(held, [true; 2], "{program:?}");
        }
    }
}
