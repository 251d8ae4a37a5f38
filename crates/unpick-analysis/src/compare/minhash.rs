//! MinHash: the resemblance of long traces from short signatures.
//!
//! A. Z. Broder, *On the resemblance and containment of documents*, Compression and Complexity of
//! Sequences, 1997; proposed for traces in section 7.2 of OSCAR.
//!
//! *Departures from the paper.* Seeded hash functions stand in for permutations. A trace shorter than
//! the width of a shingle is one shingle.

use std::collections::HashSet;

/// How signatures are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MinHash {
    /// Symbols of a shingle.
    pub width: usize,
    /// Values of a signature; the standard error of a similarity is at most 1 / (2 sqrt(count)).
    pub count: usize,
    /// The seed of the hash functions.
    pub seed: u64,
}

impl Default for MinHash {
    fn default() -> MinHash {
        MinHash {
            width: 4,
            count: 256,
            seed: 0,
        }
    }
}

/// What is kept of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature(pub Vec<u64>);

impl MinHash {
    /// The smallest hash of any shingle of the trace, for each hash function.
    pub fn sign(&self, trace: &[u32]) -> Signature {
        let set: HashSet<&[u32]> = shingles(trace, self.width);
        let hashes: Vec<u64> = set.into_iter().map(hash).collect();
        let least = |function: u64| {
            let key = mixed(self.seed ^ mixed(function + 1));
            let values = hashes.iter().map(|hash| mixed(hash ^ key));
            values.min().unwrap_or(u64::MAX)
        };
        Signature((0..self.count as u64).map(least).collect())
    }
}

impl Signature {
    /// The share of equal values: an estimate of [`resemblance`].
    pub fn similarity(&self, other: &Signature) -> f64 {
        let equal = self.0.iter().zip(&other.0).filter(|(a, b)| a == b).count();
        equal as f64 / self.0.len().max(1) as f64
    }
}

/// The distinct runs of `width` symbols.
pub fn shingles(trace: &[u32], width: usize) -> HashSet<&[u32]> {
    if trace.is_empty() {
        return HashSet::new();
    }
    trace.windows(width.clamp(1, trace.len())).collect()
}

/// The share of common shingles among those of either trace.
pub fn resemblance(one: &[u32], other: &[u32], width: usize) -> f64 {
    let (one, other) = (shingles(one, width), shingles(other, width));
    let either = one.union(&other).count();
    if either == 0 {
        return 1.0;
    }
    one.intersection(&other).count() as f64 / either as f64
}

/// The share of the shingles of `one` that `other` has too.
pub fn containment(one: &[u32], other: &[u32], width: usize) -> f64 {
    let (one, other) = (shingles(one, width), shingles(other, width));
    if one.is_empty() {
        return 1.0;
    }
    one.intersection(&other).count() as f64 / one.len() as f64
}

fn hash(shingle: &[u32]) -> u64 {
    let start = shingle.len() as u64;
    let step = |hash, symbol: &u32| mixed(hash ^ u64::from(*symbol));
    shingle.iter().fold(start, step)
}

/// A bijection that spreads its argument over all bits.
fn mixed(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}
