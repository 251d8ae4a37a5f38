//! How different the interleavings of many executions are.
//!
//! F. de Luna, *OSCAR: a noise injection framework for testing concurrent software*, master's thesis,
//! NOVA University Lisbon, 2022, chapter 4, with its slips put right (see `docs/compare.md`).
//! Traces become strings of symbols ([`interpret`]), every two of them are compared ([`distances`],
//! [`similarities`]), and what comes out is described by a mean *and* a deviation ([`Pairs`]).
//!
//! A distance grows with the difference, a similarity falls with it. They are different types, so that
//! nobody averages one with the other. Nothing is read, printed or timed here.

mod alignment;
mod interpretation;
mod jaro;
mod lanes;
mod metric;
mod minhash;
mod pairs;
mod ranks;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

pub use interpretation::{Interpretation, Point, Threads, Trimmed, interpret, trim};
pub use metric::{DistanceMetric, Metric, SimilarityMetric, UnknownMetric};
pub use minhash::{MinHash, Signature, containment, resemblance, shingles};
pub use pairs::{Distance, Pairs, Similarity, Value, Work};
pub use ranks::rank_correlation;

/// A trace as symbols; equal symbols of two traces stand for the same event.
pub type Symbols = Vec<u32>;

/// Symbols that Winkler's bonus looks at, and what each is worth.
const PREFIX_MAX: usize = 4;
const PREFIX_SCALE: f64 = 0.1;

/// The distance of every two traces; `None` if [`Work::observe`] ended the work.
pub fn distances(
    traces: &[Symbols],
    metric: DistanceMetric,
    work: &Work<'_>,
) -> Option<Pairs<Distance>> {
    let classes = Classes::of(traces);
    let values = match metric {
        DistanceMetric::Hamming => pairs::each(&classes.traces, work, |one, other| {
            hamming(one, other) as f64
        }),
        DistanceMetric::Levenshtein => alignment::all::<false>(&classes.traces, work),
        DistanceMetric::DamerauLevenshtein => alignment::all::<true>(&classes.traces, work),
    }?;
    Some(classes.pairs(&values))
}

/// The similarity of every two traces; `None` if [`Work::observe`] ended the work.
pub fn similarities(
    traces: &[Symbols],
    metric: SimilarityMetric,
    work: &Work<'_>,
) -> Option<Pairs<Similarity>> {
    let classes = Classes::of(traces);
    let distinct = &classes.traces;
    let values = match metric {
        SimilarityMetric::Jaro => jaro::all(distinct, work, |jaro, _, _| jaro),
        SimilarityMetric::JaroWinkler => jaro::all(distinct, work, with_prefix_bonus),
        SimilarityMetric::LevenshteinSimilarity => {
            edit_similarities(distinct, work, |same, _, _| same)
        }
        SimilarityMetric::ModifiedLevenshtein => {
            edit_similarities(distinct, work, with_prefix_bonus)
        }
        SimilarityMetric::MinHash(minhash) => {
            let signatures: Vec<_> = distinct.iter().map(|trace| minhash.sign(trace)).collect();
            pairs::each(&signatures, work, Signature::similarity)
        }
    }?;
    Some(classes.pairs(&values))
}

/// How many of the traces are distinct.
pub fn unique_count(traces: &[Symbols]) -> usize {
    Classes::of(traces).traces.len()
}

/// 1 less the edit distance as a share of the longer trace, and what `finish` makes of that.
fn edit_similarities(
    traces: &[&[u32]],
    work: &Work<'_>,
    finish: impl Fn(f64, &[u32], &[u32]) -> f64,
) -> Option<Vec<f64>> {
    let mut values = alignment::all::<false>(traces, work)?;
    for (later, other) in traces.iter().enumerate() {
        for (earlier, one) in traces[..later].iter().enumerate() {
            let value = &mut values[pairs::index(earlier, later)];
            let longer = one.len().max(other.len());
            *value = finish(1.0 - *value / longer as f64, one, other);
        }
    }
    Some(values)
}

/// Winkler's bonus for a common beginning.
fn with_prefix_bonus(similarity: f64, one: &[u32], other: &[u32]) -> f64 {
    let pairs = one.iter().zip(other).take(PREFIX_MAX);
    let prefix = pairs.take_while(|(a, b)| a == b).count();
    similarity + prefix as f64 * PREFIX_SCALE * (1.0 - similarity)
}

/// Positions that differ; the shorter trace is filled up with a symbol of its own.
fn hamming(one: &[u32], other: &[u32]) -> usize {
    let differing = one.iter().zip(other).filter(|(a, b)| a != b).count();
    differing + one.len().abs_diff(other.len())
}

/// The distinct traces in order of appearance: equal ones need to be compared only once.
struct Classes<'a> {
    traces: Vec<&'a [u32]>,
    /// The class of each trace.
    class_of: Vec<usize>,
}

impl<'a> Classes<'a> {
    fn of(traces: &'a [Symbols]) -> Classes<'a> {
        let mut known: HashMap<&[u32], usize> = HashMap::new();
        let mut distinct = Vec::new();
        let mut class_of = Vec::with_capacity(traces.len());
        for trace in traces {
            let class = *known.entry(trace).or_insert_with(|| {
                distinct.push(trace.as_slice());
                distinct.len() - 1
            });
            class_of.push(class);
        }
        Classes {
            traces: distinct,
            class_of,
        }
    }

    /// The values of all pairs of traces, from those of all pairs of classes. Every metric here is
    /// symmetric, so the order within a pair is no matter.
    fn pairs<V: Value>(&self, values: &[f64]) -> Pairs<V> {
        let mut all = Vec::with_capacity(pairs::count(self.class_of.len()));
        for (later, &other) in self.class_of.iter().enumerate() {
            for &one in &self.class_of[..later] {
                all.push(if one == other {
                    V::OF_EQUALS
                } else {
                    V::from(values[pairs::index(one.min(other), one.max(other))])
                });
            }
        }
        Pairs::new(self.class_of.len(), all)
    }
}
