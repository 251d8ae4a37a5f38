//! Windows against shortest schedules of the whole trace that begin with what is before the window.

use super::*;
use crate::lazy::tests::{Numbers, trace};
use crate::query::{Goal, Query};
use crate::solver::{Answer, Solver};
use unpick_engine::Memory;

fn transcript(memory: Memory, events: Vec<Event>) -> Transcript {
    Transcript {
        performed: events.len(),
        memory,
        initial: vec![Some(0), Some(0)],
        events,
        ..Transcript::default()
    }
}

/// What there is to ask about a window, in its own numbers.
fn goals(window: &Window) -> Vec<Goal> {
    let model = &window.model;
    let reads = window
        .events()
        .filter(|&event| model.events()[event].reads().is_some());
    let values = reads.flat_map(|read| (0..3).map(move |value| Goal::Value { read, value }));
    let races = model.race_candidates().into_iter();
    let races = races.map(|(first, second)| Goal::Race(first, second));
    values.chain(races).collect()
}

fn global(window: &Window, goal: &Goal) -> Goal {
    match *goal {
        Goal::Value { read, value } => Goal::Value {
            read: window.global(read),
            value,
        },
        Goal::Race(first, second) => Goal::Race(window.global(first), window.global(second)),
        _ => unreachable!("internal error: not asked"),
    }
}

#[test]
fn a_window_is_the_trace_behind_its_beginning() {
    let (mut answers, mut held) = ([0, 0], 0);
    for seed in 0..300 {
        let memory = [Memory::Sc, Memory::Tso, Memory::Pso][seed as usize % 3];
        let transcript = transcript(memory, trace(&mut Numbers(seed)));
        for part in parts(transcript.performed, 8) {
            let window = Window::new(&transcript, part.clone()).expect("a part of a trace");
            held += window.opening;
            let events = transcript.events[..part.end].to_vec();
            let whole = Model::new(memory, &transcript.initial, events).expect("a trace");
            for goal in goals(&window) {
                let mut solver = Solver::default();
                let answer = solver.solve(&window.model, &Query::new(goal.clone()));
                let prefix = (0..part.start).collect();
                let query = Query::new(global(&window, &goal)).following(prefix);
                solver.budget.state_count_max = usize::MAX;
                let expected = solver.solve_shortest(&whole, &query);
                let is_expected = matches!(expected, Answer::Sat(_));
                if let Answer::Sat(schedule) = &answer {
                    let mut schedule = window.whole(schedule);
                    if let Goal::Race(..) = goal {
                        // Both may see something else.
                        schedule.pop();
                    }
                    let seen = whole
                        .replay(&schedule)
                        .expect("a schedule of the whole trace");
                    if let Goal::Value { value, .. } = goal {
                        assert_eq!(seen, Some(value));
                    }
                }
                assert_eq!(
                    matches!(answer, Answer::Sat(_)),
                    is_expected,
                    "{memory:?} {part:?} {goal:?} {:?}",
                    transcript.events
                );
                answers[usize::from(is_expected)] += 1;
            }
        }
    }
    assert!(answers.iter().all(|&count| count > 1_000), "{answers:?}");
    assert!(held > 100, "{held}");
}

#[test]
fn parts_overlap_by_half_and_cores_share_everything_out() {
    for (count, size) in [(0, 5), (5, 5), (6, 5), (100, 7), (1_000, 500), (1_001, 500)] {
        let parts = parts(count, size);
        let cores = cores(&parts);
        assert_eq!((parts[0].start, parts[parts.len() - 1].end), (0, count));
        for pair in parts.windows(2) {
            assert!(pair[1].start <= pair[0].start + size.div_ceil(2));
        }
        for (part, core) in parts.iter().zip(&cores) {
            assert!(part.start <= core.start && part.len() <= size);
            assert!(core.end == usize::MAX || core.end <= part.end);
        }
        let mut ends = cores.windows(2);
        assert!(ends.all(|pair| pair[0].end == pair[1].start));
    }
}
