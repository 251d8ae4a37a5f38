//! The rows of tables 3.3 and 3.4 for the programs of this crate, one constant for each. Data only.

use super::{Bounded, Dfs, Published, UNREADABLE, checked, printed};

pub(crate) const STRINGBUFFER: Published = Published {
    id: 2,
    name: "CB.stringbuffer-jdk1.4",
    threads: 2,
    enabled_max: 2,
    steps_max: 10,
    ipb: Bounded::new(2, Some(9), 13, 8, 1).exact(),
    idb: Bounded::new(2, Some(9), 13, 8, 1).exact(),
    dfs: Dfs::new(Some(7), 24, 1).exact(),
    random: checked(6_308),
    pct: [checked(0), checked(0), checked(1_979)],
};

pub(crate) const ACCOUNT: Published = Published {
    id: 3,
    name: "CS.account_bad",
    threads: 4,
    enabled_max: 3,
    steps_max: 8,
    ipb: Bounded::new(0, Some(3), 6, 6, 2).exact(),
    idb: Bounded::new(1, Some(3), 5, 4, 1).exact(),
    dfs: Dfs::new(Some(3), 28, 4).exact(),
    random: checked(11_912),
    pct: [checked(25_060), checked(21_936), checked(19_527)],
};

pub(crate) const ARITHMETIC_PROG: Published = Published {
    id: 4,
    name: "CS.arithmetic_prog_bad",
    threads: 3,
    enabled_max: 2,
    steps_max: 20,
    ipb: Bounded::new(0, Some(1), 4, 4, 4).exact(),
    idb: Bounded::new(0, Some(1), 1, 1, 1).exact(),
    dfs: Dfs::new(Some(1), 19_680, 19_680).exact(),
    random: printed(100_000),
    pct: [printed(100_000), printed(100_000), printed(100_000)],
};

pub(crate) const BLUETOOTH_DRIVER: Published = Published {
    id: 5,
    name: "CS.bluetooth_driver_bad",
    threads: 2,
    enabled_max: 2,
    steps_max: 13,
    ipb: Bounded::new(1, Some(6), 7, 6, 1).exact(),
    idb: Bounded::new(1, Some(6), 7, 6, 1).exact(),
    dfs: Dfs::new(Some(36), 177, 10).exact(),
    random: checked(6_436),
    pct: [checked(0), checked(3_871), checked(5_968)],
};

pub(crate) const CARTER01: Published = Published {
    id: 6,
    name: "CS.carter01_bad",
    threads: 5,
    enabled_max: 3,
    steps_max: 19,
    ipb: Bounded::new(1, Some(9), 19, 16, 2).exact(),
    idb: Bounded::new(1, Some(8), 12, 11, 1).exact(),
    dfs: Dfs::new(Some(8), 1_708, 49).exact(),
    random: checked(46_877),
    pct: [checked(0), checked(16_028), checked(29_243)],
};

pub(crate) const CIRCULAR_BUFFER: Published = Published {
    id: 7,
    name: "CS.circular_buffer_bad",
    threads: 3,
    enabled_max: 2,
    steps_max: 31,
    ipb: Bounded::new(1, Some(23), 35, 32, 12).exact(),
    idb: Bounded::new(2, Some(25), 79, 56, 36).exact(),
    dfs: Dfs::new(Some(20), 3_991, 2_043).exact(),
    random: checked(91_146),
    pct: [checked(0), checked(12_818), checked(28_763)],
};

pub(crate) const DEADLOCK01: Published = Published {
    id: 8,
    name: "CS.deadlock01_bad",
    threads: 3,
    enabled_max: 2,
    steps_max: 11,
    ipb: Bounded::new(1, Some(9), 12, 9, 2).exact(),
    idb: Bounded::new(1, Some(7), 9, 8, 1).exact(),
    dfs: Dfs::new(Some(10), 46, 3).exact(),
    random: checked(37_405),
    pct: [checked(0), checked(9_020), checked(17_234)],
};

pub(crate) const DIN_PHIL2: Published = Published {
    id: 9,
    name: "CS.din_phil2_sat",
    threads: 3,
    enabled_max: 2,
    steps_max: 21,
    ipb: Bounded::new(0, Some(1), 3, 3, 3).exact(),
    idb: Bounded::new(0, Some(1), 1, 1, 1).exact(),
    dfs: Dfs::new(Some(1), 5_336, 4_686).exact(),
    random: checked(96_860),
    pct: [checked(100_000), checked(95_337), checked(93_558)],
};

pub(crate) const DIN_PHIL3: Published = Published {
    id: 10,
    name: "CS.din_phil3_sat",
    threads: 4,
    enabled_max: 3,
    steps_max: 32,
    ipb: Bounded::new(0, Some(1), 13, 13, 13).exact(),
    idb: Bounded::new(0, Some(1), 1, 1, 1).exact(),
    dfs: Dfs::new(Some(1), 100_000, 85_542).exact(),
    random: checked(92_850),
    pct: [checked(100_000), checked(93_792), checked(90_207)],
};

pub(crate) const DIN_PHIL4: Published = Published {
    id: 11,
    name: "CS.din_phil4_sat",
    threads: 5,
    enabled_max: 4,
    steps_max: 43,
    ipb: Bounded::new(0, Some(1), 73, 73, 73).exact(),
    idb: Bounded::new(0, Some(1), 1, 1, 1).exact(),
    dfs: Dfs::new(Some(1), 100_000, 86_231).exact(),
    random: printed(88_754),
    pct: [printed(100_000), printed(93_040), printed(88_414)],
};

pub(crate) const DIN_PHIL5: Published = Published {
    id: 12,
    name: "CS.din_phil5_sat",
    threads: 6,
    enabled_max: 5,
    steps_max: 39,
    ipb: Bounded::new(0, Some(1), 501, 501, 501).exact(),
    idb: Bounded::new(0, Some(1), 1, 1, 1),
    dfs: Dfs::new(Some(1), 100_000, 100_000),
    random: printed(100_000),
    pct: [printed(100_000), printed(100_000), printed(100_000)],
};

pub(crate) const DIN_PHIL6: Published = Published {
    id: 13,
    name: "CS.din_phil6_sat",
    threads: 7,
    enabled_max: 6,
    steps_max: 49,
    ipb: Bounded::new(0, Some(1), 4_051, 4_051, 4_051).exact(),
    idb: Bounded::new(0, Some(1), 1, 1, 1),
    dfs: Dfs::new(Some(1), 100_000, 100_000),
    random: printed(100_000),
    pct: [printed(100_000), printed(100_000), printed(100_000)],
};

pub(crate) const DIN_PHIL7: Published = Published {
    id: 14,
    name: "CS.din_phil7_sat",
    threads: 8,
    enabled_max: 7,
    steps_max: 59,
    ipb: Bounded::new(0, Some(1), 7, 7, 7).exact(),
    idb: Bounded::new(0, Some(1), 1, 1, 1).exact(),
    dfs: Dfs::new(Some(1), 924, 924).exact(),
    random: printed(100_000),
    pct: [printed(100_000), printed(100_000), printed(100_000)],
};

pub(crate) const LAZY01: Published = Published {
    id: 16,
    name: "CS.lazy01_bad",
    threads: 4,
    enabled_max: 3,
    steps_max: 11,
    ipb: Bounded::new(0, Some(1), 13, 13, 6).exact(),
    idb: Bounded::new(0, Some(1), 1, 1, 1).exact(),
    dfs: Dfs::new(Some(1), 118, 81).exact(),
    random: checked(60_626),
    pct: [checked(49_847), checked(53_343), checked(56_197)],
};

pub(crate) const PHASE01: Published = Published {
    id: 17,
    name: "CS.phase01_bad",
    threads: 3,
    enabled_max: 2,
    steps_max: 11,
    ipb: Bounded::new(0, Some(1), 2, 2, 2).exact(),
    idb: Bounded::new(0, Some(1), 1, 1, 1).exact(),
    dfs: Dfs::new(Some(1), 17, 17).exact(),
    random: printed(100_000),
    pct: [printed(100_000), printed(100_000), printed(100_000)],
};

pub(crate) const QUEUE: Published = Published {
    id: 18,
    name: "CS.queue_bad",
    threads: 3,
    enabled_max: 2,
    steps_max: 83,
    ipb: Bounded::new(1, Some(98), 100, 97, 2).exact(),
    idb: Bounded::new(2, Some(63), 482, 420, 326).exact(),
    dfs: Dfs::new(Some(43), 100_000, 59_036).exact(),
    random: checked(99_986),
    pct: [checked(0), checked(818), checked(14_046)],
};

pub(crate) const REORDER_10: Published = Published {
    id: 19,
    name: "CS.reorder_10_bad",
    threads: 11,
    enabled_max: 10,
    steps_max: 40,
    ipb: Bounded::new(0, None, 100_000, 100_000, 0),
    idb: Bounded::new(5, None, 100_000, 38_129, 0).exact(),
    dfs: Dfs::new(None, 100_000, 0),
    random: printed(0),
    pct: [printed(0), printed(89), printed(135)],
};

pub(crate) const REORDER_20: Published = Published {
    id: 20,
    name: "CS.reorder_20_bad",
    threads: 21,
    enabled_max: 20,
    steps_max: 89,
    ipb: Bounded::new(0, None, 100_000, 100_000, 0),
    idb: Bounded::new(4, None, 100_000, 21_023, 0).exact(),
    dfs: Dfs::new(None, 100_000, 0),
    random: printed(0),
    pct: [printed(0), printed(131), printed(224)],
};

pub(crate) const REORDER_3: Published = Published {
    id: 21,
    name: "CS.reorder_3_bad",
    threads: 4,
    enabled_max: 3,
    steps_max: 12,
    ipb: Bounded::new(1, Some(43), 74, 61, 2).exact(),
    idb: Bounded::new(2, Some(25), 45, 35, 3).exact(),
    dfs: Dfs::new(Some(126), 2_494, 23).exact(),
    random: printed(2_498),
    pct: [printed(0), UNREADABLE, UNREADABLE],
};

pub(crate) const REORDER_4: Published = Published {
    id: 22,
    name: "CS.reorder_4_bad",
    threads: 5,
    enabled_max: 4,
    steps_max: 16,
    ipb: Bounded::new(1, Some(359), 774, 701, 3).exact(),
    idb: Bounded::new(3, Some(205), 417, 330, 7).exact(),
    dfs: Dfs::new(Some(6_409), 100_000, 86).exact(),
    random: UNREADABLE,
    pct: [printed(0), printed(1_207), printed(2_005)],
};

pub(crate) const REORDER_5: Published = Published {
    id: 23,
    name: "CS.reorder_5_bad",
    threads: 6,
    enabled_max: 5,
    steps_max: 20,
    ipb: Bounded::new(1, Some(3_378), 8_483, 7_982, 4).exact(),
    idb: Bounded::new(4, Some(1_513), 3_681, 2_843, 15).exact(),
    dfs: Dfs::new(None, 100_000, 0),
    random: printed(202),
    pct: [printed(0), UNREADABLE, UNREADABLE],
};

pub(crate) const STACK: Published = Published {
    id: 24,
    name: "CS.stack_bad",
    threads: 3,
    enabled_max: 2,
    steps_max: 43,
    ipb: Bounded::new(1, Some(23), 50, 47, 9).exact(),
    idb: Bounded::new(1, Some(22), 32, 31, 9).exact(),
    dfs: Dfs::new(Some(22), 100_000, 6_361).exact(),
    random: checked(60_949),
    pct: [checked(0), checked(27_680), checked(40_159)],
};

pub(crate) const SYNC01: Published = Published {
    id: 25,
    name: "CS.sync01_bad",
    threads: 3,
    enabled_max: 2,
    steps_max: 9,
    ipb: Bounded::new(0, Some(1), 2, 2, 2).exact(),
    idb: Bounded::new(0, Some(1), 1, 1, 1).exact(),
    dfs: Dfs::new(Some(1), 6, 6).exact(),
    random: printed(100_000),
    pct: [printed(100_000), printed(100_000), printed(100_000)],
};

pub(crate) const SYNC02: Published = Published {
    id: 26,
    name: "CS.sync02_bad",
    threads: 3,
    enabled_max: 2,
    steps_max: 18,
    ipb: Bounded::new(0, Some(1), 2, 2, 2).exact(),
    idb: Bounded::new(0, Some(1), 1, 1, 1).exact(),
    dfs: Dfs::new(Some(1), 88, 88).exact(),
    random: printed(100_000),
    pct: [printed(100_000), printed(100_000), printed(100_000)],
};

pub(crate) const TOKEN_RING: Published = Published {
    id: 27,
    name: "CS.token_ring_bad",
    threads: 5,
    enabled_max: 4,
    steps_max: 11,
    ipb: Bounded::new(0, Some(8), 24, 24, 4).exact(),
    idb: Bounded::new(2, Some(10), 29, 22, 3).exact(),
    dfs: Dfs::new(Some(8), 280, 57).exact(),
    random: checked(13_004),
    pct: [checked(8_238), checked(13_655), checked(16_908)],
};

pub(crate) const TWOSTAGE_100: Published = Published {
    id: 28,
    name: "CS.twostage_100_bad",
    threads: 101,
    enabled_max: 100,
    steps_max: 792,
    ipb: Bounded::new(0, None, 100_000, 100_000, 0),
    idb: Bounded::new(2, None, 100_000, 99_304, 0).exact(),
    dfs: Dfs::new(None, 100_000, 0),
    random: printed(0),
    pct: [printed(0), printed(5), printed(6)],
};

pub(crate) const TWOSTAGE: Published = Published {
    id: 29,
    name: "CS.twostage_bad",
    threads: 3,
    enabled_max: 2,
    steps_max: 11,
    ipb: Bounded::new(1, Some(9), 10, 7, 1).exact(),
    idb: Bounded::new(1, Some(7), 9, 8, 1).exact(),
    dfs: Dfs::new(Some(13), 87, 3).exact(),
    random: checked(7_848),
    pct: [checked(0), checked(12_097), checked(19_840)],
};

pub(crate) const WRONGLOCK_3: Published = Published {
    id: 30,
    name: "CS.wronglock_3_bad",
    threads: 5,
    enabled_max: 4,
    steps_max: 25,
    ipb: Bounded::new(1, Some(243), 856, 783, 66).exact(),
    idb: Bounded::new(1, Some(15), 22, 21, 2).exact(),
    dfs: Dfs::new(Some(3_233), 100_000, 3_006).exact(),
    random: checked(31_302),
    pct: [checked(0), checked(6_442), checked(11_107)],
};

pub(crate) const WRONGLOCK: Published = Published {
    id: 31,
    name: "CS.wronglock_bad",
    threads: 9,
    enabled_max: 8,
    steps_max: 49,
    ipb: Bounded::new(0, None, 100_000, 100_000, 0),
    idb: Bounded::new(1, Some(31), 42, 41, 2).exact(),
    dfs: Dfs::new(None, 100_000, 0),
    random: checked(32_534),
    pct: [checked(0), checked(3_636), checked(6_693)],
};
