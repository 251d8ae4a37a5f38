//! What was printed about the programs: the study's tables and some counts that go beyond them.
//!
//! Source: P. Thomson, "Practical systematic concurrency testing for concurrent and distributed
//! software", PhD thesis, Imperial College London, 2016, tables 3.3 and 3.4 and figures 3.1,
//! 3.2 and 4.1 to 4.3. Cells that the printed text lost were restored by re-computation on exact
//! models of the programs. Data only: nothing here is computed at run time.

mod first_bug;
mod ibm;
mod needlepoint;
mod reductions;
pub(crate) mod rows;

pub use first_bug::{FIRST_BUG_TECHNIQUES, FIRST_BUGS, FirstBug, Mean};
pub use ibm::{IBM, IbmBug, IbmProgram};
pub use needlepoint::{Found, NEEDLEPOINT, NeedlepointBug};
pub use reductions::{REDUCTIONS, Reduction, reduction};

/// Every technique of the study stopped at this many schedules; see [`Published::schedules_max`].
pub const SCHEDULE_COUNT_MAX: u64 = 100_000;

/// One program's rows of tables 3.3 and 3.4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Published {
    /// The row.
    pub id: u32,
    /// The program's name.
    pub name: &'static str,
    /// Tasks, the first one included.
    pub threads: u32,
    /// The most tasks that were enabled at once.
    pub enabled_max: u32,
    /// The steps of the longest schedule seen, counted from the first point with a choice. An
    /// input to PCT; rows 4, 5, 12 to 14 and 28 are not the true maxima.
    pub steps_max: u32,
    /// Where every technique stopped: [`SCHEDULE_COUNT_MAX`], and less for two long programs.
    pub schedules_max: u64,
    /// Iterative preemption bounding.
    pub ipb: Bounded,
    /// Iterative delay bounding.
    pub idb: Bounded,
    /// Unbounded depth-first search.
    pub dfs: Dfs,
    /// Uniformly random choices.
    pub random: Randomised,
    /// PCT with depth 1, 2 and 3.
    pub pct: [Randomised; 3],
    /// The algorithm of Maple.
    pub maple: Maple,
}

impl Published {
    /// Whether the program has every scheduling point of the study's, so that counts must agree. Of the
    /// others, a model of the faulty part is here: what is found can be compared, counts cannot.
    #[must_use]
    pub const fn is_modelled_exactly(&self) -> bool {
        self.ipb.exact || self.idb.exact || self.dfs.exact
    }
}

/// The counts of an iteratively bounded search. A search that found the fault finished its bound;
/// one that did not stopped at the limit. `None` stands for a number that the printed table no longer shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounded {
    /// The bound at which the search stopped.
    pub bound: u32,
    /// Whether the fault was found.
    pub found: bool,
    /// The rank, from 1, of the first failing schedule; `None` also if none was found.
    pub first: Option<u64>,
    /// Schedules within the bound.
    pub schedules: Option<u64>,
    /// Schedules of exactly the bound.
    pub new: Option<u64>,
    /// Failing schedules.
    pub buggy: Option<u64>,
    /// Whether a correct engine must reproduce these counts digit for digit.
    pub exact: bool,
}

impl Bounded {
    const fn new(bound: u32, first: Option<u64>, schedules: u64, new: u64, buggy: u64) -> Self {
        let found = first.is_some();
        Bounded {
            found,
            ..Bounded::damaged(bound, [first, Some(schedules), Some(new), Some(buggy)])
        }
    }

    /// A search that found the fault, with some of first, schedules, new and buggy unreadable.
    const fn damaged(bound: u32, [first, schedules, new, buggy]: [Option<u64>; 4]) -> Self {
        Bounded {
            bound,
            found: true,
            first,
            schedules,
            new,
            buggy,
            exact: false,
        }
    }

    const fn exact(mut self) -> Self {
        self.exact = true;
        self
    }
}

/// The counts of the unbounded search, of the explored part if it stopped at
/// [`SCHEDULE_COUNT_MAX`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dfs {
    /// The rank, from 1, of the first failing schedule; `None` if none was found.
    pub first: Option<u64>,
    /// Schedules explored.
    pub schedules: u64,
    /// Failing schedules.
    pub buggy: u64,
    /// Whether a correct engine must reproduce these counts digit for digit.
    pub exact: bool,
}

impl Dfs {
    const fn new(first: Option<u64>, schedules: u64, buggy: u64) -> Self {
        Dfs {
            first,
            schedules,
            buggy,
            exact: false,
        }
    }

    const fn exact(mut self) -> Self {
        self.exact = true;
        self
    }
}

/// The counts of a randomised technique.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Randomised {
    /// Whether the fault was found.
    pub found: bool,
    /// The rank, from 1, of the first failing schedule; `None` if none was found or it is unreadable. It
    /// depends on the generator of random numbers and is not compared.
    pub first: Option<u64>,
    /// Failing schedules out of `schedules_max`; `None` if unreadable.
    pub buggy: Option<u64>,
    /// Whether an independent model agreed with the count within sampling noise.
    pub checked: bool,
}

impl Randomised {
    const fn checked(mut self) -> Self {
        self.checked = true;
        self
    }
}

/// The fault was found: the rank of the first failing schedule, and how many failed.
const fn hit(first: u64, buggy: u64) -> Randomised {
    damaged(Some(first), Some(buggy))
}

/// The fault was found, and the printed table no longer shows all of it.
const fn damaged(first: Option<u64>, buggy: Option<u64>) -> Randomised {
    Randomised {
        found: true,
        first,
        buggy,
        checked: false,
    }
}

/// No schedule failed.
const MISSED: Randomised = Randomised {
    found: false,
    first: None,
    buggy: Some(0),
    checked: false,
};

/// What became of the algorithm of Maple, which ends by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Maple {
    /// Whether the fault was found.
    pub found: bool,
    /// Executions until it ended or found the fault.
    pub schedules: u64,
    /// What that took; `None` where the tool hung and was stopped after 24 hours.
    pub seconds: Option<u64>,
}

impl Maple {
    const fn new(found: bool, schedules: u64, seconds: Option<u64>) -> Self {
        Maple {
            found,
            schedules,
            seconds,
        }
    }
}

/// Schedules with exactly 0, 1, 2, ... delays, as far as they were counted.
pub const DELAY_COUNTS: &[(&str, &[u64])] = &[
    ("CS.reorder_3_bad", &[1, 9, 35, 104, 169]),
    ("CS.reorder_4_bad", &[1, 12, 74, 330, 942, 2_522]),
    ("CS.reorder_5_bad", &[1, 15, 125, 697, 2_843, 9_881]),
    ("CS.reorder_10_bad", &[1, 30, 560, 6_192, 55_088, 404_996]),
];

/// A program, a number of delays, and how many schedules have at most that many.
pub const DELAY_TOTALS: &[(&str, u32, u64)] = &[
    ("CS.reorder_20_bad", 3, 78_977),
    ("CS.twostage_100_bad", 1, 696),
];

/// All schedules of a figure's program, by what they cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FigureCounts {
    /// The program's name.
    pub name: &'static str,
    /// All schedules.
    pub schedules: u64,
    /// Schedules with exactly 0, 1, 2, ... preemptions.
    pub by_preemptions: &'static [u64],
    /// The failing ones among them.
    pub buggy_by_preemptions: &'static [u64],
    /// Schedules with exactly 0, 1, 2, ... delays.
    pub by_delays: &'static [u64],
    /// The failing ones among them.
    pub buggy_by_delays: &'static [u64],
}

/// The counts of figures 3.1 and 3.2.
pub const FIGURE_COUNTS: &[FigureCounts] = &[
    FigureCounts {
        name: "thesis.fig3_1",
        schedules: 11,
        by_preemptions: &[6, 5],
        buggy_by_preemptions: &[0, 3],
        by_delays: &[1, 3, 4, 3],
        buggy_by_delays: &[0, 1, 1, 1],
    },
    FigureCounts {
        name: "thesis.fig3_2",
        schedules: 24,
        by_preemptions: &[6, 10, 8],
        buggy_by_preemptions: &[0, 2, 2],
        by_delays: &[1, 4, 6, 5, 5, 3],
        buggy_by_delays: &[0, 0, 3, 0, 0, 1],
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Source, programs};

    fn all() -> impl Iterator<Item = &'static Published> {
        programs().iter().filter_map(|program| program.published)
    }

    #[test]
    fn bounded_counts_are_consistent() {
        for row in all() {
            for counts in [row.ipb, row.idb] {
                let found = counts.found;
                assert!(found || counts.first.is_none(), "{}", row.name);
                let (Some(schedules), Some(new)) = (counts.schedules, counts.new) else {
                    assert!(!counts.exact, "{}", row.name);
                    continue;
                };
                assert!(new <= schedules, "{}", row.name);
                assert!(schedules <= row.schedules_max, "{}", row.name);
                assert_eq!(counts.bound == 0, new == schedules, "{}", row.name);
                let is_new = |rank: u64| rank > schedules - new;
                assert!(counts.first.is_none_or(is_new), "{}", row.name);
                assert!(found || schedules == row.schedules_max, "{}", row.name);
                let Some(buggy) = counts.buggy else { continue };
                assert!(buggy <= new, "{}: smaller bounds were clean", row.name);
                assert_eq!(found, buggy > 0, "{}", row.name);
                let fits = |rank: u64| rank + buggy <= schedules + 1;
                assert!(counts.first.is_none_or(fits), "{}", row.name);
            }
            if row.threads == 2 {
                assert_eq!(row.ipb, row.idb, "{}", row.name);
            }
        }
    }

    #[test]
    fn unbounded_counts_are_consistent() {
        for row in all() {
            let Dfs {
                first,
                schedules,
                buggy,
                ..
            } = row.dfs;
            assert!(buggy <= schedules, "{}", row.name);
            assert!(schedules <= row.schedules_max, "{}", row.name);
            assert_eq!(first.is_some(), buggy > 0, "{}", row.name);
            assert!(
                first.is_none_or(|rank| rank + buggy <= schedules + 1),
                "{}",
                row.name
            );
            if schedules < row.schedules_max {
                for bounded in [row.ipb, row.idb] {
                    assert!(bounded.schedules <= Some(schedules), "{}", row.name);
                    assert!(bounded.buggy <= Some(buggy), "{}", row.name);
                }
            }
        }
    }

    #[test]
    fn random_counts_are_consistent() {
        for row in all() {
            for counts in row.pct.iter().chain([&row.random]) {
                let fits = |buggy: u64| buggy <= row.schedules_max;
                assert!(counts.buggy.is_none_or(fits), "{}", row.name);
                let finds = |buggy: u64| counts.found == (buggy > 0);
                assert!(counts.buggy.is_none_or(finds), "{}", row.name);
                assert!(counts.buggy.is_some() || !counts.checked, "{}", row.name);
            }
        }
    }

    /// The totals that the thesis prints.
    #[test]
    fn as_many_faults_are_found_as_the_study_says() {
        let found = |finds: fn(&Published) -> bool| all().filter(|row| finds(row)).count();
        assert_eq!(found(|_| true), 49);
        assert_eq!(found(|row| row.dfs.first.is_some()), 33);
        assert_eq!(found(|row| row.ipb.found), 38);
        assert_eq!(found(|row| row.idb.found), 45);
        assert_eq!(found(|row| row.random.found), 43);
        assert_eq!(found(|row| row.pct[0].found), 24);
        assert_eq!(found(|row| row.pct[1].found), 46);
        assert_eq!(found(|row| row.pct[2].found), 48);
        assert_eq!(found(|row| row.maple.found), 29);
    }

    #[test]
    fn delay_counts_agree_with_the_table() {
        for (name, counts) in DELAY_COUNTS {
            let row = all().find(|row| row.name == *name).unwrap();
            let bound = row.idb.bound as usize;
            let below: u64 = counts[..bound].iter().sum();
            assert_eq!(smaller_bounds(row), below, "{name}");
            if row.idb.found {
                assert_eq!(row.idb.new, Some(counts[bound]), "{name}");
            }
        }
        for (name, bound, total) in DELAY_TOTALS {
            let row = all().find(|row| row.name == *name).unwrap();
            assert_eq!(row.idb.bound, bound + 1, "{name}");
            assert_eq!(smaller_bounds(row), *total, "{name}");
        }
    }

    /// The schedules with fewer delays than the bound.
    fn smaller_bounds(row: &Published) -> u64 {
        row.idb.schedules.unwrap() - row.idb.new.unwrap()
    }

    #[test]
    fn figure_counts_add_up() {
        for figure in FIGURE_COUNTS {
            let by_preemptions: u64 = figure.by_preemptions.iter().sum();
            let by_delays: u64 = figure.by_delays.iter().sum();
            assert_eq!(by_preemptions, figure.schedules, "{}", figure.name);
            assert_eq!(by_delays, figure.schedules, "{}", figure.name);
            let buggy_by_preemptions: u64 = figure.buggy_by_preemptions.iter().sum();
            let buggy_by_delays: u64 = figure.buggy_by_delays.iter().sum();
            assert_eq!(buggy_by_preemptions, buggy_by_delays, "{}", figure.name);
            let program = programs()
                .iter()
                .find(|program| program.name == figure.name);
            assert!(program.is_some_and(|program| program.source == Source::Thesis));
        }
    }
}
