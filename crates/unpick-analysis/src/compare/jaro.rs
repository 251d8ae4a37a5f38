//! Jaro similarity in time linear in the traces.
//!
//! M. A. Jaro, *Advances in record-linkage methodology as applied to matching the 1985 census of Tampa,
//! Florida*, Journal of the American Statistical Association 84, 1989.
//!
//! A symbol of the one trace takes the first equal symbol of the other that nobody took and that is at
//! most w = max(|a|, |b|) / 2 - 1 places away. The lower end of that window only moves forwards, so the
//! places of each symbol are walked through once, with one pointer a symbol.

use super::pairs;
use super::{Symbols, Work};

/// The similarity of every two traces, and what `finish` makes of it.
pub(super) fn all(
    traces: &[&[u32]],
    work: &Work<'_>,
    finish: impl Fn(f64, &[u32], &[u32]) -> f64 + Sync,
) -> Option<Vec<f64>> {
    let symbol_count = traces
        .iter()
        .flat_map(|trace| trace.iter())
        .max()
        .map_or(0, |&symbol| symbol as usize + 1);
    pairs::portions(traces.len(), traces.len(), work, |later, done| {
        let mut places = Places::of(traces[later], symbol_count);
        for (earlier, one) in traces[..later].iter().enumerate() {
            let value = jaro(one, traces[later], &mut places);
            done.push((earlier, later, finish(value, one, traces[later])));
        }
    })
}

/// Where each symbol of a trace stands, and how far a comparison has got with it.
pub(super) struct Places {
    /// Where the places of a symbol begin in `places`; one more than there are symbols.
    starts: Vec<u32>,
    places: Vec<u32>,
    next: Vec<u32>,
    is_taken: Vec<bool>,
    taken_by_one: Symbols,
}

impl Places {
    pub(super) fn of(trace: &[u32], symbol_count: usize) -> Places {
        let mut starts = vec![0; symbol_count + 1];
        for &symbol in trace {
            starts[symbol as usize + 1] += 1;
        }
        for symbol in 0..symbol_count {
            starts[symbol + 1] += starts[symbol];
        }
        let mut next = starts.clone();
        let mut places = vec![0; trace.len()];
        for (place, &symbol) in (0..).zip(trace) {
            let slot = &mut next[symbol as usize];
            places[*slot as usize] = place;
            *slot += 1;
        }
        Places {
            next,
            starts,
            is_taken: vec![false; places.len()],
            places,
            taken_by_one: Symbols::new(),
        }
    }
}

/// The similarity of `one` with `other`, whose places are given.
pub(super) fn jaro(one: &[u32], other: &[u32], places: &mut Places) -> f64 {
    if one.is_empty() && other.is_empty() {
        return 1.0;
    }
    let window = (one.len().max(other.len()) / 2).saturating_sub(1);
    places.next.copy_from_slice(&places.starts);
    places.is_taken.fill(false);
    places.taken_by_one.clear();
    for (place, &symbol) in one.iter().enumerate() {
        let end = places.starts[symbol as usize + 1];
        let next = &mut places.next[symbol as usize];
        while *next < end && (places.places[*next as usize] as usize + window) < place {
            *next += 1;
        }
        if *next < end && places.places[*next as usize] as usize <= place + window {
            places.is_taken[places.places[*next as usize] as usize] = true;
            places.taken_by_one.push(symbol);
            *next += 1;
        }
    }
    let matching = places.taken_by_one.len();
    if matching == 0 {
        return 0.0;
    }
    let taken = other
        .iter()
        .zip(&places.is_taken)
        .filter(|(_, is_taken)| **is_taken);
    let pairs = taken.zip(&places.taken_by_one);
    let out_of_order = pairs.filter(|((a, _), b)| a != b).count();
    let matching = matching as f64;
    let in_order = (matching - out_of_order as f64 / 2.0) / matching;
    (matching / one.len() as f64 + matching / other.len() as f64 + in_order) / 3.0
}
