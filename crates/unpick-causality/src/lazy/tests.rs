//! The SAT solver alone, without what the must-order finds, against the search.
//!
//! The must-order decides so much of small questions that the clauses would hardly be tested otherwise.

use super::*;
use crate::query::{Goal, Query};
use crate::search::search;
use unpick_engine::Memory;
use unpick_engine::transcript::{Event, Kind};

/// Numbers that look random: splitmix64.
pub(crate) struct Numbers(pub u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((word ^ (word >> 31)) % bound as u64) as usize
    }
}

/// What three tasks do in a random order, one event after the other, in sections of a lock or not.
pub(crate) fn trace(numbers: &mut Numbers) -> Vec<Event> {
    let mut values = [0_u64; 2];
    let mut places = [0; 3];
    let mut holder: Option<(usize, usize)> = None;
    let mut events = Vec::new();
    while events.len() < 16 {
        let task = numbers.below(3);
        let location = numbers.below(2) as u32;
        let held = &mut values[location as usize];
        let kind = match (holder, numbers.below(10)) {
            (Some((owner, left)), _) if owner == task && left == 0 => {
                holder = None;
                Kind::Unlock { lock: 0 }
            }
            (None, 0..3) => {
                holder = Some((task, numbers.below(3)));
                Kind::Lock { lock: 0 }
            }
            (_, 3..6) => {
                *held = numbers.below(3) as u64;
                Kind::Write {
                    location,
                    value: *held,
                }
            }
            (_, 6) => {
                let read = *held;
                *held = (read + 1) % 3;
                Kind::ReadModifyWrite {
                    location,
                    read,
                    written: *held,
                }
            }
            _ => Kind::Read {
                location,
                value: *held,
            },
        };
        if let Some((owner, left)) = &mut holder
            && *owner == task
        {
            *left = left.saturating_sub(1);
        }
        events.push(Event::new(task as u32, places[task], kind));
        places[task] += 1;
    }
    events
}

#[test]
fn agrees_with_the_search() {
    let (mut answers, mut conflict_count) = ([0, 0], 0);
    for seed in 0..1_000 {
        let memory = [Memory::Sc, Memory::Tso, Memory::Pso][seed as usize % 3];
        let events = trace(&mut Numbers(seed));
        let model = Model::new(memory, &[Some(0), Some(0)], events).expect("a trace");
        let reads = model
            .reads()
            .flat_map(|read| (0..3).map(move |value| (read, value)));
        let values = reads.map(|(read, value)| Goal::Value { read, value });
        let races = model
            .race_candidates()
            .into_iter()
            .map(|(one, other)| Goal::Race(one, other));
        for goal in values.chain(races) {
            let query = Query::new(goal);
            let Some(plan) = Plan::new(&model, &query) else {
                continue;
            };
            let outcome = solve(&model, &plan, &Closure::bare(&model, &plan), u64::MAX);
            conflict_count += outcome.conflict_count;
            let is_found = matches!(outcome.found, Found::Schedule(_));
            let expected = matches!(search(&model, &plan, usize::MAX), Found::Schedule(_));
            assert_eq!(is_found, expected, "{query:?} {:?}", model.events());
            answers[usize::from(is_found)] += 1;
        }
    }
    assert!(answers.iter().all(|&count| count > 500), "{answers:?}");
    assert!(conflict_count > 500, "{conflict_count}");
}
