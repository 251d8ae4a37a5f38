//! The corrected test vectors of OSCAR, and random traces against the definitions.

use proptest::prelude::*;

use super::*;

fn symbols(text: &str) -> Symbols {
    text.chars().map(u32::from).collect()
}

fn distance(metric: DistanceMetric, one: &str, other: &str) -> f64 {
    let traces = [symbols(one), symbols(other)];
    let pairs = distances(&traces, metric, &Work::with_jobs(1)).expect("nobody ended the work");
    assert_eq!(pairs.pair_count(), 1);
    pairs.of(0, 1).0
}

fn similarity(metric: SimilarityMetric, one: &str, other: &str) -> f64 {
    let traces = [symbols(one), symbols(other)];
    let pairs = similarities(&traces, metric, &Work::with_jobs(1)).expect("nobody ended the work");
    let value = pairs.of(0, 1).0;
    (value * 10_000.0).round() / 10_000.0
}

#[test]
fn the_vectors_of_distances_hold() {
    use DistanceMetric::{DamerauLevenshtein, Hamming, Levenshtein};
    let vectors = [
        (Hamming, "ABC", "ACB", 2.0),
        (Hamming, "AAA", "BBB", 3.0),
        (Hamming, "AA", "ABA", 2.0),
        (Levenshtein, "AAA", "ABA", 1.0),
        (Levenshtein, "AAA", "AA", 1.0),
        (Levenshtein, "ABC", "ACB", 2.0),
        (Levenshtein, "AA", "ABA", 1.0),
        (Levenshtein, "ABC", "ADF", 2.0),
        (DamerauLevenshtein, "ABC", "ACB", 1.0),
        (DamerauLevenshtein, "AAB", "BAA", 2.0),
        // Two without edits of what was edited: three in this variant, two in the unrestricted one.
        (DamerauLevenshtein, "CA", "ABC", 3.0),
        (Levenshtein, "", "ABC", 3.0),
        (Hamming, "ABC", "", 3.0),
    ];
    for (metric, one, other, expected) in vectors {
        assert_eq!(
            distance(metric, one, other),
            expected,
            "{metric:?} {one} {other}"
        );
    }
}

#[test]
fn the_vectors_of_similarities_hold() {
    use SimilarityMetric::{Jaro, JaroWinkler, LevenshteinSimilarity, ModifiedLevenshtein};
    let vectors = [
        (Jaro, "ABCCDE", "ABCDE", 0.9444),
        (Jaro, "ABXYZDE", "ABCDE", 0.7905),
        (Jaro, "ABCCCCCDE", "ABCDE", 0.6444),
        (Jaro, "ABCCCCCCDE", "ABCDE", 0.6333),
        (Jaro, "ABC", "ACB", 0.5556),
        (Jaro, "ABC", "ADF", 0.5556),
        (Jaro, "", "ABC", 0.0),
        (JaroWinkler, "ABCDE", "ABCDX", 0.92),
        (JaroWinkler, "ABCDE", "XBCDE", 0.8667),
        (LevenshteinSimilarity, "ABCDE", "ABCDX", 0.8),
        (ModifiedLevenshtein, "ABCDE", "ABCDX", 0.88),
        (ModifiedLevenshtein, "ABCDE", "XBCDE", 0.8),
    ];
    for (metric, one, other, expected) in vectors {
        assert_eq!(
            similarity(metric, one, other),
            expected,
            "{metric:?} {one} {other}"
        );
    }
}

#[test]
fn shingles_and_signatures_are_those_of_the_example() {
    let text = symbols("NoiseInjection");
    assert_eq!(shingles(&text, 2).len(), 13);
    let column = |values: [u64; 4]| Signature(values.to_vec());
    let a = column([1, 1, 1, 2]);
    assert_eq!(a.similarity(&column([2, 1, 3, 1])), 0.25);
    assert_eq!(a.similarity(&column([1, 1, 1, 3])), 0.75);
    assert_eq!(resemblance(&symbols("ABCD"), &symbols("ABCE"), 2), 0.5);
    assert_eq!(containment(&symbols("ABC"), &symbols("ABCDE"), 2), 1.0);
}

#[test]
fn signatures_estimate_the_resemblance() {
    let minhash = MinHash {
        width: 2,
        count: 400,
        seed: 7,
    };
    for shift in [0, 100, 400, 800, 1_000] {
        let one: Symbols = (0..1_000).collect();
        let other: Symbols = (shift..shift + 1_000).collect();
        let estimate = minhash.sign(&one).similarity(&minhash.sign(&other));
        let exact = resemblance(&one, &other, 2);
        // Four times the standard error, which is at most 1 / (2 sqrt(400)).
        assert!(
            (estimate - exact).abs() <= 0.1,
            "{shift}: {estimate} for {exact}"
        );
    }
}

#[test]
fn events_become_symbols_in_four_modes() {
    let trace = |events: &[(u64, char)]| -> Vec<Point> {
        let point = |&(thread, location): &(u64, char)| Point {
            thread,
            location: u64::from(location),
        };
        events.iter().map(point).collect()
    };
    let mode = |name| Interpretation::named(name).expect("a mode");
    let example = [trace(&[
        (12, 'a'),
        (1, 'a'),
        (3, 'a'),
        (2, 'b'),
        (1, 'c'),
        (12, 'a'),
    ])];
    assert_eq!(
        interpret(&example, mode("appearance")),
        [[0, 1, 2, 3, 4, 0]]
    );
    assert_eq!(
        interpret(&example, mode("threadless")),
        [[0, 0, 0, 1, 2, 0]]
    );
    assert_eq!(
        interpret(&example, mode("occurrences")),
        [[0, 1, 2, 3, 4, 5]]
    );

    let renamed = [
        trace(&[(1, 'a'), (1, 'b'), (2, 'a'), (2, 'c')]),
        trace(&[(2, 'a'), (2, 'b'), (1, 'a'), (1, 'c')]),
    ];
    let same = interpret(&renamed, mode("appearance"));
    assert_eq!(same[0], same[1]);
    assert_eq!(unique_count(&same), 1);
    let other = interpret(&renamed, mode("recorded"));
    assert_eq!(other, [[0, 1, 2, 3], [2, 4, 0, 5]]);
    assert!(Interpretation::named("other").is_none());
}

#[test]
fn common_ends_are_taken_away_once() {
    let mut traces = [symbols("ABXCD"), symbols("ABYYCD"), symbols("ABZD")];
    let taken = Trimmed {
        leading: 2,
        trailing: 1,
    };
    assert_eq!(trim(&mut traces), taken);
    assert_eq!(traces, [symbols("XC"), symbols("YYC"), symbols("Z")]);

    let mut same = [symbols("AAA"), symbols("AA")];
    let taken = Trimmed {
        leading: 2,
        trailing: 0,
    };
    assert_eq!(trim(&mut same), taken);
    assert_eq!(same, [symbols("A"), symbols("")]);
}

#[test]
fn all_pairs_count_and_the_deviation_is_that_of_the_population() {
    let traces = [
        symbols("AAA"),
        symbols("AAB"),
        symbols("ABB"),
        symbols("AAA"),
    ];
    let pairs = distances(&traces, DistanceMetric::Hamming, &Work::with_jobs(3)).expect("an end");
    let values: Vec<f64> = pairs.values().iter().map(|value| value.0).collect();
    assert_eq!(values, [1.0, 2.0, 1.0, 0.0, 1.0, 2.0]);
    assert_eq!(pairs.mean(), Some(Distance(7.0 / 6.0)));
    let variance = (1.0 + 4.0 + 1.0 + 0.0 + 1.0 + 4.0) / 6.0 - (7.0f64 / 6.0).powi(2);
    assert!((pairs.deviation().expect("pairs") - variance.sqrt()).abs() < 1e-12);
    assert_eq!(pairs.of_first(2).mean(), Some(Distance(1.0)));
    assert_eq!(unique_count(&traces), 3);

    let many: Vec<Symbols> = (0..250).map(|number| vec![number]).collect();
    let pairs = distances(&many, DistanceMetric::Levenshtein, &Work::with_jobs(2)).expect("an end");
    assert_eq!(pairs.pair_count(), 31_125);
    assert_eq!(
        (pairs.mean(), pairs.deviation()),
        (Some(Distance(1.0)), Some(0.0))
    );

    let none: [Symbols; 0] = [];
    let pairs = similarities(&none, SimilarityMetric::Jaro, &Work::with_jobs(2)).expect("an end");
    assert_eq!(
        (pairs.pair_count(), pairs.mean(), pairs.deviation()),
        (0, None, None)
    );
}

#[test]
fn who_watches_can_end_the_work() {
    let traces: Vec<Symbols> = (0..100).map(|number| vec![number]).collect();
    let work = Work {
        jobs: 2,
        observe: &|done| done < 50,
    };
    assert!(distances(&traces, DistanceMetric::Hamming, &work).is_none());
}

#[test]
fn metrics_are_found_by_their_names() {
    for metric in Metric::all() {
        assert_eq!(metric.name().parse(), Ok(metric));
    }
    let error = "cosine"
        .parse::<Metric>()
        .expect_err("no such metric")
        .to_string();
    assert!(
        error.starts_with("unknown metric `cosine`; take one of hamming, "),
        "{error}"
    );
}

#[test]
fn a_similarity_ranks_pairs_against_a_distance() {
    let traces = ["ABCD", "ABCE", "AXYE", "PQRS"].map(symbols);
    let work = Work::with_jobs(1);
    let edit = distances(&traces, DistanceMetric::Levenshtein, &work).expect("an end");
    let same =
        similarities(&traces, SimilarityMetric::LevenshteinSimilarity, &work).expect("an end");
    let correlation = rank_correlation(&edit, &same).expect("several values");
    assert!((correlation + 1.0).abs() < 1e-12, "{correlation}");
    assert_eq!(rank_correlation(&edit.of_first(2), &same.of_first(2)), None);
}

/// The matrix of the definition.
fn edit_distance(one: &[u32], other: &[u32], swaps: bool) -> usize {
    let mut cells = vec![vec![0; other.len() + 1]; one.len() + 1];
    for row in 0..=one.len() {
        for column in 0..=other.len() {
            if row == 0 || column == 0 {
                cells[row][column] = row.max(column);
                continue;
            }
            let differ = usize::from(one[row - 1] != other[column - 1]);
            let mut best = cells[row - 1][column - 1] + differ;
            best = best
                .min(cells[row - 1][column] + 1)
                .min(cells[row][column - 1] + 1);
            if swaps && row > 1 && column > 1 {
                let (a, b) = (&one[row - 2..row], &other[column - 2..column]);
                if a[0] == b[1] && a[1] == b[0] {
                    best = best.min(cells[row - 2][column - 2] + 1);
                }
            }
            cells[row][column] = best;
        }
    }
    cells[one.len()][other.len()]
}

/// The definition, symbol by symbol.
fn jaro_by_definition(one: &[u32], other: &[u32]) -> f64 {
    if one.is_empty() && other.is_empty() {
        return 1.0;
    }
    let window = (one.len().max(other.len()) / 2).saturating_sub(1);
    let mut is_taken = vec![false; other.len()];
    let mut of_one = Vec::new();
    for (place, symbol) in one.iter().enumerate() {
        let free = (place.saturating_sub(window)..other.len().min(place + window + 1))
            .find(|&at| !is_taken[at] && other[at] == *symbol);
        if let Some(at) = free {
            is_taken[at] = true;
            of_one.push(*symbol);
        }
    }
    let of_other = (0..other.len())
        .filter(|&at| is_taken[at])
        .map(|at| other[at]);
    let out_of_order = of_other.zip(&of_one).filter(|(a, b)| a != *b).count() as f64;
    let matching = of_one.len() as f64;
    if of_one.is_empty() {
        return 0.0;
    }
    let shares = matching / one.len() as f64 + matching / other.len() as f64;
    (shares + (matching - out_of_order / 2.0) / matching) / 3.0
}

/// Traces of one program: edited copies of one another, long enough for several strips.
fn relatives() -> impl Strategy<Value = Vec<Symbols>> {
    let edits = prop::collection::vec((any::<u16>(), 0..4u8, 0..6u32), 0..60);
    let copies = prop::collection::vec(edits, 2..11);
    let first = prop::collection::vec(0..6u32, 0..560);
    (first, copies).prop_map(|(first, copies)| {
        let copy = |edits: Vec<(u16, u8, u32)>| {
            let mut trace = first.clone();
            for (place, kind, symbol) in edits {
                let at = usize::from(place) % (trace.len() + 1);
                match kind {
                    0 => trace.insert(at, symbol),
                    1 if at < trace.len() => trace[at] = symbol,
                    2 if at < trace.len() => drop(trace.remove(at)),
                    3 if at + 1 < trace.len() => trace.swap(at, at + 1),
                    _ => {}
                }
            }
            trace
        };
        copies.into_iter().map(copy).collect()
    })
}

/// Traces that have nothing to do with each other, of any lengths.
fn strangers() -> impl Strategy<Value = Vec<Symbols>> {
    let trace = prop::collection::vec(0..40u32, 0..500);
    prop::collection::vec(trace, 2..11)
}

fn check_against_definitions(traces: &[Symbols]) -> Result<(), TestCaseError> {
    let work = Work::with_jobs(2);
    let levenshtein = distances(traces, DistanceMetric::Levenshtein, &work).expect("an end");
    let damerau = distances(traces, DistanceMetric::DamerauLevenshtein, &work).expect("an end");
    let jaro = similarities(traces, SimilarityMetric::Jaro, &work).expect("an end");
    for (later, other) in traces.iter().enumerate() {
        for (earlier, one) in traces[..later].iter().enumerate() {
            let expected = edit_distance(one, other, false) as f64;
            prop_assert_eq!(levenshtein.of(earlier, later).0, expected);
            let expected = edit_distance(one, other, true) as f64;
            prop_assert_eq!(damerau.of(earlier, later).0, expected);
            let expected = jaro_by_definition(one, other);
            prop_assert!((jaro.of(earlier, later).0 - expected).abs() < 1e-12);
            let turned_round = jaro_by_definition(other, one);
            prop_assert!((turned_round - expected).abs() < 1e-12, "not symmetric");
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 5, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn relatives_are_compared_as_defined(traces in relatives()) {
        check_against_definitions(&traces)?;
    }

    #[test]
    fn strangers_are_compared_as_defined(traces in strangers()) {
        check_against_definitions(&traces)?;
    }
}
