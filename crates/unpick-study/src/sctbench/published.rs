//! What was published besides the rows of tables 3.3 and 3.4. Data only.

/// Programs of the study.
pub(super) const PROGRAMS: usize = 49;

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
    use unpick_suite::{Published, programs};

    fn is_found(row: &Published, technique: &str) -> bool {
        match technique {
            "ipb" => row.ipb.found,
            "idb" => row.idb.found,
            "dfs" => row.dfs.first.is_some(),
            "random" => row.random.found,
            "pct:d=1" => row.pct[0].found,
            "pct:d=2" => row.pct[1].found,
            "pct:d=3" => row.pct[2].found,
            "maple" => row.maple.found,
            other => panic!("{other} was not published"),
        }
    }

    fn rows() -> Vec<&'static Published> {
        programs()
            .iter()
            .filter_map(|program| program.published)
            .collect()
    }

    #[test]
    fn the_counts_are_those_of_the_rows() {
        assert_eq!(rows().len(), PROGRAMS);
        for (technique, count) in FOUND {
            let found = rows().into_iter().filter(|row| is_found(row, technique));
            assert_eq!(found.count() as u64, count, "{technique}");
        }
    }

    #[test]
    fn the_diagrams_are_those_of_the_rows() {
        for venn in &VENNS {
            let mut counts = [0; 8];
            for row in rows() {
                let bits = (0..3).filter(|&set| is_found(row, venn.sets[set]));
                counts[bits.map(|set| 1 << set).sum::<usize>()] += 1;
            }
            assert_eq!(counts, venn.counts, "{}", venn.letter);
        }
    }

    #[test]
    fn the_suites_are_forty_nine_programs() {
        assert_eq!(SUITES.iter().map(|suite| suite.3).sum::<u64>(), 49);
    }
}
