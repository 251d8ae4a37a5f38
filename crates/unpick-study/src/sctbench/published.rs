//! What was published besides the rows of tables 3.3 and 3.4. Data only.

/// Programs of the study.
pub(super) const PROGRAMS: usize = 49;

/// The rows whose bug the Maple algorithm has found (table 3.4).
pub(super) const MAPLE_FOUND: [u32; 29] = [
    0, 1, 2, 3, 4, 6, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 25, 26, 27, 29, 30, 31, 37, 39, 40,
    42, 46, 47, 48,
];

/// Bugs that each technique has found within the limit; those of `pct:d=1` and `pct:d=2` are counted in the
/// table, not printed.
pub(super) const FOUND: [(&str, u64); 8] = [
    ("ipb", 38),
    ("idb", 45),
    ("dfs", 33),
    ("random", 43),
    ("pct:d=1", 24),
    ("pct:d=2", 46),
    ("pct:d=3", 48),
    ("maple", 29),
];

/// A Venn diagram of figure 3.3: its letter, its sets, and its regions. The size of the region whose members are
/// in exactly the sets of the bits of `m` is `counts[m]`.
pub(super) struct Venn {
    pub letter: char,
    pub sets: [&'static str; 3],
    pub counts: [u64; 8],
}

pub(super) const VENNS: [Venn; 4] = [
    Venn {
        letter: 'a',
        sets: ["dfs", "ipb", "idb"],
        counts: [4, 0, 0, 0, 7, 0, 5, 33],
    },
    Venn {
        letter: 'b',
        sets: ["random", "pct:d=2", "pct:d=3"],
        counts: [1, 0, 0, 0, 0, 2, 5, 41],
    },
    Venn {
        letter: 'c',
        sets: ["idb", "random", "pct:d=3"],
        counts: [1, 0, 0, 0, 3, 2, 0, 43],
    },
    Venn {
        letter: 'd',
        sets: ["maple", "pct:d=2", "pct:d=3"],
        counts: [1, 0, 0, 0, 1, 1, 18, 28],
    },
];

/// Bugs found within so many schedules (figures 3.4 and 3.5; those of `ipb` and `dfs` are derived).
pub(super) const FOUND_WITHIN: [(&str, u64, u64); 6] = [
    ("idb", 1_000, 40),
    ("random", 1_000, 42),
    ("ipb", 1_000, 34),
    ("dfs", 1_000, 30),
    ("random", 2, 27),
    ("random", 10, 32),
];

/// Table 3.2: how many programs are how trivial, and which.
pub(super) const FIRST_SCHEDULE: &[u32] = &[0, 4, 9, 10, 11, 12, 13, 14, 15, 16, 17, 25, 26];
pub(super) const FEW_SCHEDULES: &[u32] = &[
    0, 2, 3, 4, 5, 6, 7, 8, 9, 14, 16, 17, 21, 25, 26, 27, 29, 37,
];
pub(super) const MOST_FAIL: &[u32] = &[
    4, 7, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 24, 25, 26, 40, 47, 48,
];
pub(super) const ALL_FAIL: &[u32] = &[4, 12, 13, 14, 15, 17, 25, 26];

/// Table 3.1: the suites, how their programs are called here, what they are, and how many of them were used.
pub(super) const SUITES: [(&str, &str, &str, u64); 8] = [
    ("CB", "CB.", "test cases of real applications", 3),
    ("CHESS", "chess.", "tests of work-stealing queues", 4),
    ("CS", "CS.", "small tests and programs", 29),
    ("Inspect", "inspect.", "small tests and programs", 1),
    (
        "Miscellaneous",
        "misc.",
        "a lock-free stack; a debugging library",
        2,
    ),
    ("PARSEC 2.0", "parsec.", "parallel workloads", 4),
    ("RADBenchmark", "radbench.", "tests of real applications", 3),
    ("SPLASH-2", "splash2.", "parallel workloads", 3),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_diagrams_agree_with_the_counts() {
        for venn in &VENNS {
            assert_eq!(venn.counts.iter().sum::<u64>(), 49, "{}", venn.letter);
            for (set, name) in venn.sets.iter().enumerate() {
                let size: u64 = (0..8)
                    .filter(|region| region & (1 << set) != 0)
                    .map(|region| venn.counts[region])
                    .sum();
                let found = FOUND.iter().find(|(other, _)| other == name);
                assert_eq!(found, Some(&(*name, size)), "{}", venn.letter);
            }
        }
    }

    #[test]
    fn the_suites_are_forty_nine_programs() {
        assert_eq!(SUITES.iter().map(|suite| suite.3).sum::<u64>(), 49);
    }
}
