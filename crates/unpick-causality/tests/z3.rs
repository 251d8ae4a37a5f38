//! The solver agrees with Z3, where Z3 is installed.

#[path = "brute_force/machine.rs"]
#[allow(dead_code, reason = "only traces are needed")]
mod machine;
#[path = "z3/process.rs"]
mod process;
#[path = "brute_force/programs.rs"]
mod programs;

use process::Z3;
use programs::{describe, random_trace};
use unpick_causality::{Answer, Budget, Goal, Memory, Model, Query, Solver, smtlib};

const QUESTION_COUNT_MIN: u64 = 1_500;

#[test]
fn agrees_with_z3() {
    let Some(mut z3) = Z3::start(60_000) else {
        println!("skipped: z3 is not installed");
        return;
    };
    // Everything is left to the must-order and the SAT solver.
    let budget = Budget {
        state_count_max: 0,
        ..Budget::default()
    };
    let mut solver = Solver {
        budget,
        ..Solver::default()
    };
    for seed in 0.. {
        let memory = [Memory::Sc, Memory::Tso, Memory::Pso][seed as usize % 3];
        let trace = random_trace(memory, seed, 10 + 4 * (seed as usize % 4));
        let initial: Vec<_> = trace.initial.iter().copied().map(Some).collect();
        let model = Model::new(memory, &initial, trace.events.clone()).expect("a trace");
        for query in questions(&model, seed as usize) {
            let expected = z3.ask(&smtlib(&model, &query)).expect("enough time");
            match solver.solve(&model, &query) {
                Answer::Unknown => panic!("no answer: {query:?}, {}", describe(&trace)),
                answer => assert_eq!(
                    matches!(answer, Answer::Sat(_)),
                    expected,
                    "{query:?}, {}",
                    describe(&trace)
                ),
            }
        }
        if solver.counts.queries >= QUESTION_COUNT_MIN {
            break;
        }
    }
    println!("{:?}", solver.counts);
    assert!(solver.counts.sat > 0 && solver.counts.unsat > 0);
}

/// For each read one question of a kind, and some that keep an event.
fn questions(model: &Model, seed: usize) -> Vec<Query> {
    let mut questions = Vec::new();
    for read in model.reads() {
        for write in model.alternatives(read) {
            let goal = match (write, (seed + read) % 2) {
                (Some(write), 0) => Goal::Value {
                    read,
                    value: model.events()[write].writes().expect("a write").1,
                },
                _ => Goal::From { read, write },
            };
            let include = (seed + 5 * read) % model.events().len();
            questions.push(Query::new(goal.clone()));
            questions.push(Query::new(goal).including(vec![include]));
        }
    }
    questions
}
