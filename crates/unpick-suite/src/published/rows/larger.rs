//! The rows of tables 3.3 and 3.4 for the programs of which a model of the faulty part is here. Data only.
//!
//! A model has other counts than the program: these rows say who found the fault, how soon and how often.
//! Rows 33 and 34 print 1 for the tasks enabled at once, which cannot be right.

use super::super::{Bounded, Dfs, MISSED, Maple, Published, damaged, hit};

pub(crate) const AGET: Published = Published {
    id: 0,
    name: "CB.aget-bug2",
    threads: 4,
    enabled_max: 3,
    steps_max: 24,
    schedules_max: 100_000,
    ipb: Bounded::new(0, Some(1), 10, 10, 4),
    idb: Bounded::new(0, Some(1), 1, 1, 1),
    dfs: Dfs::new(Some(1), 46_486, 29_513),
    random: hit(4, 48_591),
    pct: [hit(7, 25_053), hit(7, 40_313), hit(5, 46_938)],
    maple: Maple::new(true, 17, Some(37)),
};

pub(crate) const PBZIP2: Published = Published {
    id: 1,
    name: "CB.pbzip2-0.9.4",
    threads: 4,
    enabled_max: 4,
    steps_max: 54,
    schedules_max: 100_000,
    ipb: Bounded::new(0, Some(2), 12, 12, 4),
    idb: Bounded::new(1, Some(2), 31, 30, 13),
    dfs: Dfs::new(Some(2), 100_000, 68_226),
    random: damaged(None, None),
    pct: [hit(1, 16_466), hit(1, 22_971), damaged(None, Some(27_385))],
    maple: Maple::new(true, 4, Some(20)),
};

pub(crate) const FSBENCH: Published = Published {
    id: 15,
    name: "CS.fsbench_bad",
    threads: 28,
    enabled_max: 27,
    steps_max: 155,
    schedules_max: 100_000,
    ipb: Bounded::new(0, Some(1), 1, 1, 1),
    idb: Bounded::new(0, Some(1), 1, 1, 1),
    dfs: Dfs::new(Some(1), 100_000, 100_000),
    random: hit(1, 100_000),
    pct: [hit(1, 100_000), hit(1, 100_000), hit(1, 100_000)],
    maple: Maple::new(true, 1, Some(1)),
};

pub(crate) const IWSQ: Published = Published {
    id: 32,
    name: "chess.IWSQ",
    threads: 3,
    enabled_max: 3,
    steps_max: 169,
    schedules_max: 100_000,
    ipb: Bounded::new(1, None, 100_000, 99_997, 0),
    idb: Bounded::damaged(2, [Some(2_990), Some(4_378), Some(4_204), None]),
    dfs: Dfs::new(None, 100_000, 0),
    random: hit(19, 133),
    pct: [MISSED, hit(61, 4_829), hit(24, 8_069)],
    maple: Maple::new(false, 7, None),
};

pub(crate) const IWSQWS: Published = Published {
    id: 33,
    name: "chess.IWSQWS",
    threads: 3,
    enabled_max: 1,
    steps_max: 660,
    schedules_max: 10_000,
    ipb: Bounded::new(1, None, 10_000, 9_997, 0),
    idb: Bounded::damaged(1, [None, Some(471), Some(470), None]),
    dfs: Dfs::new(None, 10_000, 0),
    random: hit(3, 1_538),
    pct: [MISSED, hit(584, 8), hit(616, 19)],
    maple: Maple::new(false, 9, None),
};

pub(crate) const SWSQ: Published = Published {
    id: 34,
    name: "chess.SWSQ",
    threads: 3,
    enabled_max: 1,
    steps_max: 2_406,
    schedules_max: 10_000,
    ipb: Bounded::new(1, None, 10_000, 9_997, 0),
    idb: Bounded::damaged(1, [None, None, None, None]),
    dfs: Dfs::new(None, 10_000, 0),
    random: hit(15, 88),
    pct: [MISSED, hit(1_109, 2), hit(612, 11)],
    maple: Maple::new(false, 7, None),
};

pub(crate) const WSQ: Published = Published {
    id: 35,
    name: "chess.WSQ",
    threads: 3,
    enabled_max: 3,
    steps_max: 161,
    schedules_max: 100_000,
    ipb: Bounded::damaged(2, [Some(2_814), Some(8_852), None, None]),
    idb: Bounded::damaged(2, [Some(801), Some(2_048), None, None]),
    dfs: Dfs::new(None, 100_000, 0),
    random: hit(392, 106),
    pct: [MISSED, hit(61, 4_993), hit(24, 8_357)],
    maple: Maple::new(false, 12, Some(12)),
};

pub(crate) const QSORT_MT: Published = Published {
    id: 36,
    name: "inspect.qsort_mt",
    threads: 3,
    enabled_max: 3,
    steps_max: 81,
    schedules_max: 100_000,
    ipb: Bounded::damaged(1, [Some(31), Some(88), Some(84), None]),
    idb: Bounded::damaged(1, [Some(19), Some(28), Some(27), None]),
    dfs: Dfs::new(Some(75_861), 100_000, 2_127),
    random: hit(72, 1_024),
    pct: [MISSED, hit(109, 1_271), hit(109, 2_346)],
    maple: Maple::new(false, 142, Some(102)),
};

pub(crate) const CTRACE: Published = Published {
    id: 37,
    name: "misc.ctrace-test",
    threads: 3,
    enabled_max: 2,
    steps_max: 22,
    schedules_max: 100_000,
    ipb: Bounded::new(1, Some(4), 20, 19, 12),
    idb: Bounded::new(1, Some(4), 20, 19, 12),
    dfs: Dfs::new(Some(4), 20, 12),
    random: hit(1, 24_487),
    pct: [hit(2_193, 7), hit(5, 27_307), hit(5, 33_607)],
    maple: Maple::new(true, 1, Some(1)),
};

pub(crate) const SAFESTACK: Published = Published {
    id: 38,
    name: "misc.safestack",
    threads: 4,
    enabled_max: 3,
    steps_max: 117,
    schedules_max: 100_000,
    ipb: Bounded::new(1, None, 100_000, 99_987, 0),
    idb: Bounded::new(3, None, 100_000, 95_958, 0),
    dfs: Dfs::new(None, 100_000, 0),
    random: MISSED,
    pct: [MISSED, MISSED, MISSED],
    maple: Maple::new(false, 23, Some(16)),
};

pub(crate) const FERRET: Published = Published {
    id: 39,
    name: "parsec.ferret",
    threads: 11,
    enabled_max: 11,
    steps_max: 24_453,
    schedules_max: 100_000,
    ipb: Bounded::new(0, None, 100_000, 100_000, 0),
    idb: Bounded::new(1, Some(51), 4_575, 4_574, 1),
    dfs: Dfs::new(None, 100_000, 0),
    random: MISSED,
    pct: [hit(3, 39_389), hit(3, 63_027), hit(3, 69_745)],
    maple: Maple::new(true, 27, Some(205)),
};

pub(crate) const STREAMCLUSTER: Published = Published {
    id: 40,
    name: "parsec.streamcluster",
    threads: 5,
    enabled_max: 2,
    steps_max: 1_373,
    schedules_max: 100_000,
    ipb: Bounded::new(1, Some(7_951), 16_072, 16_066, 19),
    idb: Bounded::new(1, Some(1_336), 1_372, 1_371, 10),
    dfs: Dfs::new(None, 100_000, 0),
    random: hit(1, 68_746),
    pct: [hit(1, 49_831), hit(1, 50_194), hit(1, 50_428)],
    maple: Maple::new(true, 1, Some(2)),
};

pub(crate) const STREAMCLUSTER2: Published = Published {
    id: 41,
    name: "parsec.streamcluster2",
    threads: 7,
    enabled_max: 3,
    steps_max: 4_177,
    schedules_max: 100_000,
    ipb: Bounded::new(0, None, 100_000, 100_000, 0),
    idb: Bounded::new(1, Some(4_153), 4_175, 4_174, 20),
    dfs: Dfs::new(None, 100_000, 0),
    random: hit(21, 12_514),
    pct: [hit(2, 50_135), hit(2, 50_096), hit(2, 50_075)],
    maple: Maple::new(false, 24, Some(149)),
};

pub(crate) const STREAMCLUSTER3: Published = Published {
    id: 42,
    name: "parsec.streamcluster3",
    threads: 5,
    enabled_max: 2,
    steps_max: 1_373,
    schedules_max: 100_000,
    ipb: Bounded::new(0, Some(2), 6, 6, 4),
    idb: Bounded::new(1, Some(2), 1_359, 1_358, 4),
    dfs: Dfs::new(Some(2), 100_000, 60_785),
    random: hit(2, 34_448),
    pct: [
        damaged(None, None),
        damaged(None, None),
        damaged(None, None),
    ],
    maple: Maple::new(true, 1, Some(1)),
};

pub(crate) const RADBENCH_BUG1: Published = Published {
    id: 43,
    name: "radbench.bug1",
    threads: 4,
    enabled_max: 3,
    steps_max: 21_889,
    schedules_max: 100_000,
    ipb: Bounded::new(1, None, 100_000, 99_962, 0),
    idb: Bounded::new(1, Some(616), 14_206, 14_205, 1),
    dfs: Dfs::new(None, 100_000, 0),
    random: MISSED,
    pct: [MISSED, damaged(None, None), damaged(None, None)],
    maple: Maple::new(false, 583, Some(13_811)),
};

pub(crate) const RADBENCH_BUG2: Published = Published {
    id: 44,
    name: "radbench.bug2",
    threads: 2,
    enabled_max: 2,
    steps_max: 171,
    schedules_max: 100_000,
    ipb: Bounded::new(3, Some(59_354), 72_704, 69_895, 48),
    idb: Bounded::new(3, Some(59_354), 72_704, 69_895, 48),
    dfs: Dfs::new(None, 100_000, 0),
    random: damaged(Some(27_071), None),
    pct: [MISSED, MISSED, damaged(None, Some(7))],
    maple: Maple::new(false, 239, Some(950)),
};

pub(crate) const RADBENCH_BUG6: Published = Published {
    id: 45,
    name: "radbench.bug6",
    threads: 3,
    enabled_max: 3,
    steps_max: 101,
    schedules_max: 100_000,
    ipb: Bounded::new(1, Some(84), 168, 165, 3),
    idb: Bounded::new(1, Some(60), 86, 85, 3),
    dfs: Dfs::new(None, 100_000, 0),
    random: damaged(None, None),
    pct: [MISSED, hit(15, 4_543), damaged(None, Some(7_675))],
    maple: Maple::new(false, 11, Some(10)),
};

pub(crate) const BARNES: Published = Published {
    id: 46,
    name: "splash2.barnes",
    threads: 2,
    enabled_max: 2,
    steps_max: 4_449,
    schedules_max: 100_000,
    ipb: Bounded::new(1, Some(2), 4_378, 4_377, 326),
    idb: Bounded::new(1, Some(2), 4_378, 4_377, 326),
    dfs: Dfs::new(Some(2), 100_000, 23_504),
    random: damaged(Some(1), None),
    pct: [
        hit(2, 49_967),
        damaged(None, Some(49_967)),
        damaged(None, Some(49_967)),
    ],
    maple: Maple::new(true, 1, Some(1)),
};

pub(crate) const FFT: Published = Published {
    id: 47,
    name: "splash2.fft",
    threads: 2,
    enabled_max: 2,
    steps_max: 152,
    schedules_max: 100_000,
    ipb: Bounded::new(1, Some(2), 134, 133, 61),
    idb: Bounded::new(1, Some(2), 134, 133, 61),
    dfs: Dfs::new(Some(2), 100_000, 75_434),
    random: hit(2, 62_188),
    pct: [hit(2, 49_967), hit(2, 50_007), hit(2, 50_017)],
    maple: Maple::new(true, 2, Some(2)),
};

pub(crate) const LU: Published = Published {
    id: 48,
    name: "splash2.lu",
    threads: 2,
    enabled_max: 2,
    steps_max: 140,
    schedules_max: 100_000,
    ipb: Bounded::new(1, Some(2), 105, 104, 49),
    idb: Bounded::new(1, Some(2), 105, 104, 49),
    dfs: Dfs::new(Some(2), 100_000, 49_887),
    random: hit(1, 97_329),
    pct: [hit(2, 49_967), hit(2, 53_574), hit(2, 56_605)],
    maple: Maple::new(true, 2, Some(3)),
};
