//! How many schedules it took to the first failure, as printed: means over the trials of 20 that were successful. Data only.
//!
//! Source: the raw data of SURW (H. Zhao, D. Wolff, U. Mathur, A. Roychoudhury, *Selectively uniform concurrency
//! testing*, ASPLOS 2025), at most 10,000 schedules a trial and 1,000,000 of SafeStack, and of RFF (D. Wolff, Z. Shi,
//! G. Duck, U. Mathur, A. Roychoudhury, *Greybox fuzzing for concurrency testing*, ASPLOS 2024), five minutes a trial.
//! Only the subjects that have a program here.

/// A subject, and the means of each technique.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirstBug {
    /// The program here.
    pub name: &'static str,
    /// Its name in the paper.
    pub title: &'static str,
    /// Mean and successes of each technique, in the order of [`FIRST_BUG_TECHNIQUES`]; `None` if nothing is printed.
    pub means: [Option<Mean>; 6],
    /// At most so many schedules a trial.
    pub schedules_max: u64,
}

/// The mean over the successful trials of 20.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mean {
    /// Schedules to the first failure; zero if no trial was successful.
    pub schedules: u64,
    /// Successful trials.
    pub successes: u32,
}

/// The techniques of the table.
pub const FIRST_BUG_TECHNIQUES: [&str; 6] = ["SURW", "PCT-3", "PCT-10", "POS", "Random", "RFF"];

/// All trials were successful.
const fn all(schedules: u64) -> Option<Mean> {
    some(schedules, 20)
}

const fn some(schedules: u64, successes: u32) -> Option<Mean> {
    Some(Mean {
        schedules,
        successes,
    })
}

/// No trial was successful.
const ZERO: Option<Mean> = some(0, 0);

const fn row(name: &'static str, title: &'static str, means: [Option<Mean>; 6]) -> FirstBug {
    FirstBug {
        name,
        title,
        means,
        schedules_max: 10_000,
    }
}

/// In the order of the printed table.
pub const FIRST_BUGS: &[FirstBug] = &[
    row(
        "CS.reorder_3_bad",
        "CS/reorder_3",
        [all(6), all(184), all(147), all(86), ZERO, all(7)],
    ),
    row(
        "CS.reorder_4_bad",
        "CS/reorder_4",
        [all(6), all(553), all(361), all(533), ZERO, all(6)],
    ),
    row(
        "CS.reorder_5_bad",
        "CS/reorder_5",
        [all(9), all(646), all(1_093), all(2_169), ZERO, all(6)],
    ),
    row(
        "CS.reorder_10_bad",
        "CS/reorder_10",
        [
            all(16),
            some(3_224, 16),
            some(4_461, 12),
            ZERO,
            ZERO,
            all(6),
        ],
    ),
    row(
        "CS.reorder_20_bad",
        "CS/reorder_20",
        [all(5), all(3_004), some(3_296, 17), ZERO, ZERO, all(6)],
    ),
    row(
        "CS.reorder_20_bad:setters=25,checkers=25",
        "CS/reorder_50",
        [all(12), some(3_304, 6), some(9_421, 1), ZERO, ZERO, all(6)],
    ),
    row(
        "CS.reorder_20_bad:setters=50,checkers=50",
        "CS/reorder_100",
        [all(193), ZERO, ZERO, ZERO, ZERO, all(6)],
    ),
    row(
        "CS.twostage_bad",
        "CS/twostage",
        [all(6), all(12), all(8), all(15), all(464), all(8)],
    ),
    row(
        "CS.twostage_100_bad:writers=19",
        "CS/twostage_20",
        [all(5), all(158), all(100), all(156), ZERO, all(22)],
    ),
    row(
        "CS.twostage_100_bad:writers=49",
        "CS/twostage_50",
        [all(20), all(1_675), all(691), all(1_637), ZERO, all(35)],
    ),
    row(
        "CS.twostage_100_bad",
        "CS/twostage_100",
        [
            all(453),
            some(7_465, 3),
            some(5_725, 9),
            some(6_674, 3),
            ZERO,
            all(56),
        ],
    ),
    row(
        "CS.bluetooth_driver_bad",
        "CS/bluetooth_driver",
        [all(69), all(112), all(82), all(36), all(215), all(45)],
    ),
    row(
        "CS.stack_bad",
        "CS/stack",
        [all(4), all(2), all(2), all(2), all(176), all(2)],
    ),
    row(
        "CS.token_ring_bad",
        "CS/token_ring",
        [all(7), all(7), all(7), all(9), all(13), all(5)],
    ),
    row(
        "CS.wronglock_bad",
        "CS/wronglock",
        [all(6), all(50), all(19), all(10), all(36), all(1)],
    ),
    row(
        "CS.lazy01_bad",
        "CS/lazy01",
        [all(1), all(4), all(4), all(5), all(21), all(6)],
    ),
    row(
        "CS.deadlock01_bad",
        "CS/deadlock01",
        [all(1), all(12), all(6), all(4), all(3), all(5)],
    ),
    row(
        "CB.stringbuffer-jdk1.4",
        "CB/stringbuffer",
        [all(8), all(280), all(25), all(23), some(2_243, 19), all(15)],
    ),
    row(
        "CB.pbzip2-0.9.4",
        "CB/pbzip2-0.9.4",
        [None, None, None, ZERO, None, some(2, 1)],
    ),
    row(
        "chess.IWSQ",
        "Chess/InterlockedWSQ",
        [all(5), all(47), all(12), all(14), ZERO, all(1)],
    ),
    row(
        "chess.IWSQWS",
        "Chess/InterlockedWSQWithState",
        [all(5), all(906), all(204), all(5), all(26), all(7)],
    ),
    row(
        "chess.SWSQ",
        "Chess/StateWSQ",
        [all(6), all(842), all(198), all(6), None, all(1)],
    ),
    row(
        "chess.WSQ",
        "Chess/WSQ",
        [all(5), all(47), all(15), all(12), None, all(10)],
    ),
    row(
        "inspect.qsort_mt",
        "Inspect/qsort_mt",
        [
            some(3_047, 19),
            some(4_713, 14),
            some(3_688, 15),
            some(3_004, 18),
            some(3_442, 19),
            all(322),
        ],
    ),
    row(
        "bounded_buffer",
        "Inspect/boundedBuffer",
        [all(8), all(19), all(5), all(5), all(7), all(8)],
    ),
    row(
        "radbench.bug4",
        "RADBench bug4",
        [
            all(22),
            some(1_972, 19),
            all(1_043),
            all(240),
            some(1_688, 19),
            None,
        ],
    ),
    FirstBug {
        schedules_max: 1_000_000,
        ..row(
            "misc.safestack",
            "SafeStack",
            [some(368_920, 19), ZERO, ZERO, ZERO, ZERO, ZERO],
        )
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find;

    #[test]
    fn every_subject_has_a_program() {
        for row in FIRST_BUGS {
            assert!(find(row.name).is_ok(), "{}", row.name);
            for mean in row.means.into_iter().flatten() {
                assert_eq!(mean.schedules == 0, mean.successes == 0, "{}", row.name);
                assert!(mean.schedules <= row.schedules_max, "{}", row.name);
            }
        }
    }
}
