//! Tests of the portfolio without a program.

use super::*;

/// Lets a portfolio learn from executions of which those of one member are all the same.
fn taught(dull: usize) -> Portfolio {
    let mut portfolio = Portfolio::new(1);
    let mut profile = Profile::default();
    let mut start = 0;
    while start < LEARNING_MAX {
        let epoch = epoch(start, LEARNING_MAX);
        start = epoch.end;
        for index in epoch {
            let history = if portfolio.member_of(index) == dull {
                0
            } else {
                index
            };
            let options = alloc::vec![2; 40];
            let sample = Sample {
                history,
                options,
                ..Sample::default()
            };
            profile.samples.insert(index, sample);
        }
        portfolio.learn(&profile);
    }
    portfolio
}

#[test]
fn shares_follow_what_finds_new_histories() {
    for dull in 0..DRAWN {
        let portfolio = taught(dull);
        let mut counts = [0; DRAWN];
        for index in LEARNING_MAX..LEARNING_MAX + 10_000 {
            counts[portfolio.member_of(index)] += 1;
        }
        assert!((900..1_100).contains(&counts[dull]), "{dull}: {counts:?}");
        let others = counts.iter().filter(|&&count| count > 1_200).count();
        assert_eq!(others, DRAWN - 1, "{dull}: {counts:?}");
    }
}

#[test]
fn the_search_has_every_second_of_the_first_executions() {
    let portfolio = taught(0);
    let of_search = |index: &u64| portfolio.search.has(*index);
    let is_second = |index: u64| index.is_multiple_of(2) && index < SEARCH_UNTIL;
    assert!((0..2_000).filter(of_search).all(is_second));
    assert_eq!((0..2_000).filter(of_search).count(), 256);
}
