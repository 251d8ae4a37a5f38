//! Whether two metrics put the same pairs first.

use super::{Pairs, Value};

/// Spearman's rank correlation of two metrics over the same pairs, ties sharing their mean rank: 1 if
/// they order the pairs alike, -1 if one is the other upside down, which a distance and a similarity
/// should be. `None` with fewer than two pairs, or if either metric knows one value only.
pub fn rank_correlation<V: Value, W: Value>(one: &Pairs<V>, other: &Pairs<W>) -> Option<f64> {
    assert_eq!(
        one.trace_count(),
        other.trace_count(),
        "internal error: the pairs of different traces"
    );
    let ranks = [ranks(one), ranks(other)];
    let mean = (one.pair_count() as f64 - 1.0) / 2.0;
    let product = |a: &[f64], b: &[f64]| -> f64 {
        let products = a.iter().zip(b).map(|(a, b)| (a - mean) * (b - mean));
        products.sum()
    };
    let spread = product(&ranks[0], &ranks[0]) * product(&ranks[1], &ranks[1]);
    (spread > 0.0).then(|| product(&ranks[0], &ranks[1]) / spread.sqrt())
}

fn ranks<V: Value>(pairs: &Pairs<V>) -> Vec<f64> {
    let values: Vec<f64> = pairs.values().iter().map(|&value| value.into()).collect();
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut rank = 0;
    for tied in order.chunk_by(|&a, &b| values[a] == values[b]) {
        for &at in tied {
            ranks[at] = rank as f64 + (tied.len() as f64 - 1.0) / 2.0;
        }
        rank += tied.len();
    }
    ranks
}
