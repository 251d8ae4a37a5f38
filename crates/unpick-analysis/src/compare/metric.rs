//! The metrics and their names.

use std::fmt;
use std::str::FromStr;

use super::MinHash;

/// Greater means more different.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DistanceMetric {
    /// Positions that differ; what one trace is longer counts as differing.
    Hamming,
    /// The fewest insertions, deletions and substitutions.
    Levenshtein,
    /// The same with swaps of adjacent symbols, in the variant *optimal string alignment*: no part of a
    /// trace is edited twice. It breaks the triangle inequality; the unrestricted variant does not.
    DamerauLevenshtein,
}

/// Greater means more alike; from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SimilarityMetric {
    /// Symbols that match within half the length, and how many are in order.
    Jaro,
    /// Jaro with Winkler's bonus for a common beginning of at most four symbols.
    JaroWinkler,
    /// 1 less the Levenshtein distance as a share of the longer trace.
    LevenshteinSimilarity,
    /// The same with Winkler's bonus.
    ModifiedLevenshtein,
    /// The estimated share of common shingles.
    MinHash(MinHash),
}

/// A metric of either polarity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// Greater means more different.
    Distance(DistanceMetric),
    /// Greater means more alike.
    Similarity(SimilarityMetric),
}

impl Metric {
    /// Every metric, in the order of the documentation.
    pub fn all() -> [Metric; 8] {
        use DistanceMetric::{DamerauLevenshtein, Hamming, Levenshtein};
        use SimilarityMetric::{Jaro, JaroWinkler, LevenshteinSimilarity, ModifiedLevenshtein};
        [
            Metric::Distance(Hamming),
            Metric::Distance(Levenshtein),
            Metric::Distance(DamerauLevenshtein),
            Metric::Similarity(Jaro),
            Metric::Similarity(JaroWinkler),
            Metric::Similarity(LevenshteinSimilarity),
            Metric::Similarity(ModifiedLevenshtein),
            Metric::Similarity(SimilarityMetric::MinHash(MinHash::default())),
        ]
    }

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Distance(DistanceMetric::Hamming) => "hamming",
            Metric::Distance(DistanceMetric::Levenshtein) => "levenshtein",
            Metric::Distance(DistanceMetric::DamerauLevenshtein) => "damerau-levenshtein",
            Metric::Similarity(SimilarityMetric::Jaro) => "jaro",
            Metric::Similarity(SimilarityMetric::JaroWinkler) => "jaro-winkler",
            Metric::Similarity(SimilarityMetric::LevenshteinSimilarity) => "levenshtein-similarity",
            Metric::Similarity(SimilarityMetric::ModifiedLevenshtein) => "modified-levenshtein",
            Metric::Similarity(SimilarityMetric::MinHash(_)) => "minhash",
        }
    }

    /// What its values say, in a word for a heading.
    pub fn polarity(self) -> &'static str {
        match self {
            Metric::Distance(_) => "distance",
            Metric::Similarity(_) => "similarity",
        }
    }
}

/// Nobody knows a metric of this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownMetric(String);

impl fmt::Display for UnknownMetric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = Metric::all().iter().map(|metric| metric.name()).collect();
        write!(
            f,
            "unknown metric `{}`; take one of {}",
            self.0,
            names.join(", ")
        )
    }
}

impl std::error::Error for UnknownMetric {}

impl FromStr for Metric {
    type Err = UnknownMetric;

    fn from_str(name: &str) -> Result<Metric, UnknownMetric> {
        let mut metrics = Metric::all().into_iter();
        let found = metrics.find(|metric| metric.name() == name);
        found.ok_or_else(|| UnknownMetric(name.to_owned()))
    }
}
