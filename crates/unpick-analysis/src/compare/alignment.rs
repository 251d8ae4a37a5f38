//! Levenshtein and Damerau-Levenshtein distances of all pairs of traces.
//!
//! The matrix of each pair is worked out in strips of rows (`lanes.rs`), eight traces against one text.
//! E. Ukkonen, *Algorithms for approximate string matching*, Information and Control 64, 1985: an
//! alignment of cost k leaves the diagonal by at most k / 2 either way, so only a band of columns is
//! needed. What lies outside counts as rising by one, which is the cost of some alignment; a result of
//! at most k is therefore exact. As k serves a little more than the greatest distance so far, and where
//! the result exceeds that, the whole matrix is worked out.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use super::lanes::{Carry, Column, LANES, Lanes, Match, STRIP, Strip, WORDS};
use super::{Work, pairs};

/// Texts of a portion.
const TEXTS: usize = 32;

/// The greatest distance so far is kept in this many parts of the longer trace.
const PARTS: u32 = 1 << 16;

/// The distance of every two traces; `SWAPS`: a swap of two adjacent symbols costs one.
pub(super) fn all<const SWAPS: bool>(traces: &[&[u32]], work: &Work<'_>) -> Option<Vec<f64>> {
    let mut order: Vec<usize> = (0..traces.len()).collect();
    order.sort_by_key(|&at| traces[at].len());
    let portions = portions_of(traces.len());
    // Rounded up; no trace was compared yet.
    let share_max = AtomicU32::new(u32::MAX);
    pairs::portions(traces.len(), portions.len(), work, |number, done| {
        let (group, texts) = portions[number].clone();
        let patterns: Vec<&[u32]> = group.clone().map(|at| traces[order[at]]).collect();
        let patterns = Patterns::new(&patterns);
        let mut matrix = Matrix::new(&patterns);
        for text in texts {
            let rank = text;
            let text = traces[order[rank]];
            let distances = matrix.distances::<SWAPS>(text, &share_max);
            for (at, distance) in group.clone().zip(distances).filter(|(at, _)| *at < rank) {
                let (one, other) = (order[at], order[rank]);
                done.push((one.min(other), one.max(other), distance as f64));
            }
        }
    })
}

/// Groups of traces with the texts that they are compared with, each pair in one of them.
fn portions_of(trace_count: usize) -> Vec<(Range<usize>, Range<usize>)> {
    let mut portions = Vec::new();
    for start in (0..trace_count).step_by(LANES) {
        let group = start..(start + LANES).min(trace_count);
        for text in (start + 1..trace_count).step_by(TEXTS) {
            portions.push((group.clone(), text..(text + TEXTS).min(trace_count)));
        }
    }
    portions
}

/// A few traces, one in each lane, made ready to be compared with many texts.
struct Patterns {
    lengths: [usize; LANES],
    /// The symbols that stand in them, numbered from 1; 0 is any other.
    numbers: HashMap<u32, u32>,
    strips: Vec<PatternStrip>,
}

struct PatternStrip {
    /// The place of each numbered symbol in `matches`.
    places: Vec<u32>,
    matches: Vec<Match>,
}

impl Patterns {
    fn new(traces: &[&[u32]]) -> Patterns {
        let mut numbers = HashMap::new();
        for &symbol in traces.iter().flat_map(|trace| trace.iter()) {
            let next = numbers.len() as u32 + 1;
            numbers.entry(symbol).or_insert(next);
        }
        let mut lengths = [0; LANES];
        for (length, trace) in lengths.iter_mut().zip(traces) {
            *length = trace.len();
        }
        let row_count = lengths.iter().copied().max().unwrap_or(0);
        let strips = (0..row_count)
            .step_by(STRIP)
            .map(|start| PatternStrip::new(traces, start, &numbers))
            .collect();
        Patterns {
            lengths,
            numbers,
            strips,
        }
    }
}

impl PatternStrip {
    fn new(traces: &[&[u32]], start: usize, numbers: &HashMap<u32, u32>) -> PatternStrip {
        let mut strip = PatternStrip {
            places: vec![0; numbers.len() + 1],
            matches: vec![[Lanes::NONE; WORDS]],
        };
        for (lane, trace) in traces.iter().enumerate() {
            for (row, symbol) in trace.iter().skip(start).take(STRIP).enumerate() {
                let place = &mut strip.places[numbers[symbol] as usize];
                if *place == 0 {
                    *place = strip.matches.len() as u32;
                    strip.matches.push([Lanes::NONE; WORDS]);
                }
                strip.matches[*place as usize][row / 64].0[lane] |= 1 << (row % 64);
            }
        }
        strip
    }
}

/// What is worked out for one text after the other; kept to save allocations.
struct Matrix<'a> {
    patterns: &'a Patterns,
    vectors: pulp::Arch,
    text: Vec<u32>,
    places: Vec<u32>,
    carries: Vec<Carry>,
}

impl Matrix<'_> {
    fn new(patterns: &Patterns) -> Matrix<'_> {
        Matrix {
            patterns,
            vectors: pulp::Arch::new(),
            text: Vec::new(),
            places: Vec::new(),
            carries: Vec::new(),
        }
    }

    /// The distance of each pattern from the text.
    fn distances<const SWAPS: bool>(
        &mut self,
        text: &[u32],
        share_max: &AtomicU32,
    ) -> [usize; LANES] {
        let numbers = &self.patterns.numbers;
        self.text.clear();
        let numbered = text
            .iter()
            .map(|symbol| numbers.get(symbol).copied().unwrap_or(0));
        self.text.extend(numbered);
        let lengths = self.patterns.lengths;
        let longest = lengths.iter().copied().fold(text.len(), usize::max);
        let share = share_max.load(Ordering::Relaxed);
        let bound = match share {
            u32::MAX => longest,
            share => (longest as u64 * u64::from(share) / u64::from(PARTS)) as usize + 8,
        };
        let mut distances = self.within::<SWAPS>(bound.min(longest));
        if bound < longest && distances.iter().any(|&distance| distance > bound) {
            distances = self.within::<SWAPS>(longest);
        }
        let greatest = distances.iter().copied().max().unwrap_or(0);
        // A thirtieth more, so that most of the next results lie within.
        let greatest = (greatest + greatest / 30) as u64;
        let share = (greatest * u64::from(PARTS)).div_ceil(longest.max(1) as u64) as u32;
        if share_max.load(Ordering::Relaxed) == u32::MAX {
            share_max.store(share, Ordering::Relaxed);
        }
        share_max.fetch_max(share, Ordering::Relaxed);
        distances
    }

    /// The distances that are at most `bound`; others come out as something greater than that.
    fn within<const SWAPS: bool>(&mut self, bound: usize) -> [usize; LANES] {
        let column_count = self.text.len();
        let lengths = self.patterns.lengths;
        let (mut inserted_max, mut deleted_max) = (0, 0);
        for length in lengths {
            let cost = bound.max(length.abs_diff(column_count));
            inserted_max = inserted_max.max((cost + column_count).saturating_sub(length) / 2);
            deleted_max = deleted_max.max((cost + length).saturating_sub(column_count) / 2);
        }
        let columns_of = |row: usize| {
            let start = row.saturating_sub(deleted_max);
            start..(row + STRIP + inserted_max + 1).min(column_count)
        };
        self.carries.clear();
        self.carries.resize(column_count, Carry::RISING);
        // The distances of the row above a strip, at its first column.
        let mut corner = [0; LANES];
        let mut distances = lengths.map(|length| if length == 0 { column_count } else { 0 });
        for (number, strip) in self.patterns.strips.iter().enumerate() {
            let row = number * STRIP;
            let columns = columns_of(row);
            let ends = |length: usize| row < length && length <= row + STRIP;
            let above = if lengths.iter().any(|&length| ends(length)) {
                along(corner, &self.carries[columns.clone()])
            } else {
                corner
            };
            let places = self.text[columns.clone()].iter();
            self.places.clear();
            self.places
                .extend(places.map(|&symbol| strip.places[symbol as usize]));
            let before = columns.start.checked_sub(1);
            let last = self.vectors.dispatch(Strip::<SWAPS> {
                matches: &strip.matches,
                text: &self.places,
                before: before.map(|column| strip.places[self.text[column] as usize]),
                carries: &mut self.carries[columns.clone()],
            });
            for lane in (0..LANES).filter(|&lane| ends(lengths[lane])) {
                distances[lane] = (above[lane] + last.rise(lane, lengths[lane] - row)) as usize;
            }
            let next_start = columns_of(row + STRIP).start.min(columns.end);
            let below = corner.map(|distance| distance + STRIP as i64);
            corner = along(below, &self.carries[columns.start..next_start]);
        }
        distances
    }
}

/// Where a row is after some columns.
fn along(mut distances: [i64; LANES], carries: &[Carry]) -> [i64; LANES] {
    for carry in carries {
        for (lane, distance) in distances.iter_mut().enumerate() {
            *distance += carry.more.0[lane] as i64 - carry.less.0[lane] as i64;
        }
    }
    distances
}

impl Column {
    /// How much the first rows of a lane rise from the row above them.
    fn rise(&self, lane: usize, row_count: usize) -> i64 {
        let mut rise = 0;
        for word in 0..WORDS {
            let rows = row_count.saturating_sub(64 * word).min(64) as u32;
            let mask = u64::MAX.checked_shr(64 - rows).unwrap_or(0);
            rise += i64::from((self.more[word].0[lane] & mask).count_ones());
            rise -= i64::from((self.less[word].0[lane] & mask).count_ones());
        }
        rise
    }
}
