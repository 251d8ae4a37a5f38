//! The rows of tables 3.3 and 3.4 for the programs that are modelled exactly, one constant for each. Data only.

use super::{Bounded, Dfs, MISSED, Maple, Published, damaged, hit};

mod larger;

pub(crate) use larger::*;

pub(crate) const STRINGBUFFER: Published = Published {
    id: 2,
    name: "CB.stringbuffer-jdk1.4",
    threads: 2,
    enabled_max: 2,
    steps_max: 10,
    schedules_max: 100_000,
    ipb: Bounded::new(2, Some(9), 13, 8, 1).exact(),
    idb: Bounded::new(2, Some(9), 13, 8, 1).exact(),
    dfs: Dfs::new(Some(7), 24, 1).exact(),
    random: hit(23, 6_308).checked(),
    pct: [
        MISSED.checked(),
        MISSED.checked(),
        damaged(None, Some(1_979)).checked(),
    ],
    maple: Maple::new(true, 9, Some(7)),
};

pub(crate) const ACCOUNT: Published = Published {
    id: 3,
    name: "CS.account_bad",
    threads: 4,
    enabled_max: 3,
    steps_max: 8,
    schedules_max: 100_000,
    ipb: Bounded::new(0, Some(3), 6, 6, 2).exact(),
    idb: Bounded::new(1, Some(3), 5, 4, 1).exact(),
    dfs: Dfs::new(Some(3), 28, 4).exact(),
    random: hit(8, 11_912).checked(),
    pct: [
        hit(5, 25_060).checked(),
        hit(5, 21_936).checked(),
        hit(5, 19_527).checked(),
    ],
    maple: Maple::new(true, 20, Some(12)),
};

pub(crate) const ARITHMETIC_PROG: Published = Published {
    id: 4,
    name: "CS.arithmetic_prog_bad",
    threads: 3,
    enabled_max: 2,
    steps_max: 20,
    schedules_max: 100_000,
    ipb: Bounded::new(0, Some(1), 4, 4, 4).exact(),
    idb: Bounded::new(0, Some(1), 1, 1, 1).exact(),
    dfs: Dfs::new(Some(1), 19_680, 19_680).exact(),
    random: hit(1, 100_000),
    pct: [hit(1, 100_000), hit(1, 100_000), hit(1, 100_000)],
    maple: Maple::new(true, 1, Some(1)),
};

pub(crate) const BLUETOOTH_DRIVER: Published = Published {
    id: 5,
    name: "CS.bluetooth_driver_bad",
    threads: 2,
    enabled_max: 2,
    steps_max: 13,
    schedules_max: 100_000,
    ipb: Bounded::new(1, Some(6), 7, 6, 1).exact(),
    idb: Bounded::new(1, Some(6), 7, 6, 1).exact(),
    dfs: Dfs::new(Some(36), 177, 10).exact(),
    random: hit(8, 6_436).checked(),
    pct: [
        MISSED.checked(),
        hit(11, 3_871).checked(),
        hit(11, 5_968).checked(),
    ],
    maple: Maple::new(false, 11, Some(7)),
};

pub(crate) const CARTER01: Published = Published {
    id: 6,
    name: "CS.carter01_bad",
    threads: 5,
    enabled_max: 3,
    steps_max: 19,
    schedules_max: 100_000,
    ipb: Bounded::new(1, Some(9), 19, 16, 2).exact(),
    idb: Bounded::new(1, Some(8), 12, 11, 1).exact(),
    dfs: Dfs::new(Some(8), 1_708, 49).exact(),
    random: hit(1, 46_877).checked(),
    pct: [
        MISSED.checked(),
        hit(9, 16_028).checked(),
        hit(3, 29_243).checked(),
    ],
    maple: Maple::new(true, 6, Some(5)),
};

pub(crate) const CIRCULAR_BUFFER: Published = Published {
    id: 7,
    name: "CS.circular_buffer_bad",
    threads: 3,
    enabled_max: 2,
    steps_max: 31,
    schedules_max: 100_000,
    ipb: Bounded::new(1, Some(23), 35, 32, 12).exact(),
    idb: Bounded::new(2, Some(25), 79, 56, 36).exact(),
    dfs: Dfs::new(Some(20), 3_991, 2_043).exact(),
    random: hit(1, 91_146).checked(),
    pct: [
        MISSED.checked(),
        hit(1, 12_818).checked(),
        hit(1, 28_763).checked(),
    ],
    maple: Maple::new(false, 17, Some(12)),
};

pub(crate) const DEADLOCK01: Published = Published {
    id: 8,
    name: "CS.deadlock01_bad",
    threads: 3,
    enabled_max: 2,
    steps_max: 11,
    schedules_max: 100_000,
    ipb: Bounded::new(1, Some(9), 12, 9, 2).exact(),
    idb: Bounded::new(1, Some(7), 9, 8, 1).exact(),
    dfs: Dfs::new(Some(10), 46, 3).exact(),
    random: hit(1, 37_405).checked(),
    pct: [
        MISSED.checked(),
        hit(15, 9_020).checked(),
        hit(15, 17_234).checked(),
    ],
    maple: Maple::new(false, 7, Some(5)),
};

pub(crate) const DIN_PHIL2: Published = Published {
    id: 9,
    name: "CS.din_phil2_sat",
    threads: 3,
    enabled_max: 2,
    steps_max: 21,
    schedules_max: 100_000,
    ipb: Bounded::new(0, Some(1), 3, 3, 3).exact(),
    idb: Bounded::new(0, Some(1), 1, 1, 1).exact(),
    dfs: Dfs::new(Some(1), 5_336, 4_686).exact(),
    random: hit(1, 96_860).checked(),
    pct: [
        hit(1, 100_000).checked(),
        hit(2, 95_337).checked(),
        hit(2, 93_558).checked(),
    ],
    maple: Maple::new(true, 1, Some(1)),
};

pub(crate) const DIN_PHIL3: Published = Published {
    id: 10,
    name: "CS.din_phil3_sat",
    threads: 4,
    enabled_max: 3,
    steps_max: 32,
    schedules_max: 100_000,
    ipb: Bounded::new(0, Some(1), 13, 13, 13).exact(),
    idb: Bounded::new(0, Some(1), 1, 1, 1).exact(),
    dfs: Dfs::new(Some(1), 100_000, 85_542).exact(),
    random: hit(1, 92_850).checked(),
    pct: [
        hit(1, 100_000).checked(),
        hit(1, 93_792).checked(),
        hit(1, 90_207).checked(),
    ],
    maple: Maple::new(true, 1, Some(1)),
};

pub(crate) const DIN_PHIL4: Published = Published {
    id: 11,
    name: "CS.din_phil4_sat",
    threads: 5,
    enabled_max: 4,
    steps_max: 43,
    schedules_max: 100_000,
    ipb: Bounded::new(0, Some(1), 73, 73, 73).exact(),
    idb: Bounded::new(0, Some(1), 1, 1, 1).exact(),
    dfs: Dfs::new(Some(1), 100_000, 86_231).exact(),
    random: hit(1, 88_754),
    pct: [hit(1, 100_000), hit(1, 93_040), hit(1, 88_414)],
    maple: Maple::new(true, 1, Some(1)),
};

pub(crate) const DIN_PHIL5: Published = Published {
    id: 12,
    name: "CS.din_phil5_sat",
    threads: 6,
    enabled_max: 5,
    steps_max: 39,
    schedules_max: 100_000,
    ipb: Bounded::new(0, Some(1), 501, 501, 501).exact(),
    idb: Bounded::new(0, Some(1), 1, 1, 1),
    dfs: Dfs::new(Some(1), 100_000, 100_000),
    random: hit(1, 100_000),
    pct: [hit(1, 100_000), hit(1, 100_000), hit(1, 100_000)],
    maple: Maple::new(true, 1, Some(1)),
};

pub(crate) const DIN_PHIL6: Published = Published {
    id: 13,
    name: "CS.din_phil6_sat",
    threads: 7,
    enabled_max: 6,
    steps_max: 49,
    schedules_max: 100_000,
    ipb: Bounded::new(0, Some(1), 4_051, 4_051, 4_051).exact(),
    idb: Bounded::new(0, Some(1), 1, 1, 1),
    dfs: Dfs::new(Some(1), 100_000, 100_000),
    random: hit(1, 100_000),
    pct: [hit(1, 100_000), hit(1, 100_000), hit(1, 100_000)],
    maple: Maple::new(true, 1, Some(1)),
};

pub(crate) const DIN_PHIL7: Published = Published {
    id: 14,
    name: "CS.din_phil7_sat",
    threads: 8,
    enabled_max: 7,
    steps_max: 59,
    schedules_max: 100_000,
    ipb: Bounded::new(0, Some(1), 7, 7, 7).exact(),
    idb: Bounded::new(0, Some(1), 1, 1, 1).exact(),
    dfs: Dfs::new(Some(1), 924, 924).exact(),
    random: hit(1, 100_000),
    pct: [hit(1, 100_000), hit(1, 100_000), hit(1, 100_000)],
    maple: Maple::new(true, 1, Some(1)),
};

pub(crate) const LAZY01: Published = Published {
    id: 16,
    name: "CS.lazy01_bad",
    threads: 4,
    enabled_max: 3,
    steps_max: 11,
    schedules_max: 100_000,
    ipb: Bounded::new(0, Some(1), 13, 13, 6).exact(),
    idb: Bounded::new(0, Some(1), 1, 1, 1).exact(),
    dfs: Dfs::new(Some(1), 118, 81).exact(),
    random: hit(2, 60_626).checked(),
    pct: [
        hit(1, 49_847).checked(),
        hit(1, 53_343).checked(),
        hit(1, 56_197).checked(),
    ],
    maple: Maple::new(true, 1, Some(1)),
};

pub(crate) const PHASE01: Published = Published {
    id: 17,
    name: "CS.phase01_bad",
    threads: 3,
    enabled_max: 2,
    steps_max: 11,
    schedules_max: 100_000,
    ipb: Bounded::new(0, Some(1), 2, 2, 2).exact(),
    idb: Bounded::new(0, Some(1), 1, 1, 1).exact(),
    dfs: Dfs::new(Some(1), 17, 17).exact(),
    random: hit(1, 100_000),
    pct: [hit(1, 100_000), hit(1, 100_000), hit(1, 100_000)],
    maple: Maple::new(true, 1, Some(1)),
};

pub(crate) const QUEUE: Published = Published {
    id: 18,
    name: "CS.queue_bad",
    threads: 3,
    enabled_max: 2,
    steps_max: 83,
    schedules_max: 100_000,
    ipb: Bounded::new(1, Some(98), 100, 97, 2).exact(),
    idb: Bounded::new(2, Some(63), 482, 420, 326).exact(),
    dfs: Dfs::new(Some(43), 100_000, 59_036).exact(),
    random: hit(1, 99_986).checked(),
    pct: [
        MISSED.checked(),
        hit(38, 818).checked(),
        hit(6, 14_046).checked(),
    ],
    maple: Maple::new(true, 2, Some(1)),
};

pub(crate) const REORDER_10: Published = Published {
    id: 19,
    name: "CS.reorder_10_bad",
    threads: 11,
    enabled_max: 10,
    steps_max: 40,
    schedules_max: 100_000,
    ipb: Bounded::new(0, None, 100_000, 100_000, 0),
    idb: Bounded::new(5, None, 100_000, 38_129, 0).exact(),
    dfs: Dfs::new(None, 100_000, 0),
    random: MISSED,
    pct: [MISSED, hit(439, 89), hit(439, 135)],
    maple: Maple::new(false, 11, Some(7)),
};

pub(crate) const REORDER_20: Published = Published {
    id: 20,
    name: "CS.reorder_20_bad",
    threads: 21,
    enabled_max: 20,
    steps_max: 89,
    schedules_max: 100_000,
    ipb: Bounded::new(0, None, 100_000, 100_000, 0),
    idb: Bounded::new(4, None, 100_000, 21_023, 0).exact(),
    dfs: Dfs::new(None, 100_000, 0),
    random: MISSED,
    pct: [MISSED, hit(219, 131), hit(219, 224)],
    maple: Maple::new(false, 11, Some(7)),
};

pub(crate) const REORDER_3: Published = Published {
    id: 21,
    name: "CS.reorder_3_bad",
    threads: 4,
    enabled_max: 3,
    steps_max: 12,
    schedules_max: 100_000,
    ipb: Bounded::new(1, Some(43), 74, 61, 2).exact(),
    idb: Bounded::new(2, Some(25), 45, 35, 3).exact(),
    dfs: Dfs::new(Some(126), 2_494, 23).exact(),
    random: damaged(None, Some(2_498)),
    pct: [MISSED, damaged(Some(108), None), damaged(None, None)],
    maple: Maple::new(false, 10, Some(7)),
};

pub(crate) const REORDER_4: Published = Published {
    id: 22,
    name: "CS.reorder_4_bad",
    threads: 5,
    enabled_max: 4,
    steps_max: 16,
    schedules_max: 100_000,
    ipb: Bounded::new(1, Some(359), 774, 701, 3).exact(),
    idb: Bounded::new(3, Some(205), 417, 330, 7).exact(),
    dfs: Dfs::new(Some(6_409), 100_000, 86).exact(),
    random: damaged(None, None),
    pct: [
        MISSED,
        damaged(None, Some(1_207)),
        damaged(None, Some(2_005)),
    ],
    maple: Maple::new(false, 11, Some(8)),
};

pub(crate) const REORDER_5: Published = Published {
    id: 23,
    name: "CS.reorder_5_bad",
    threads: 6,
    enabled_max: 5,
    steps_max: 20,
    schedules_max: 100_000,
    ipb: Bounded::new(1, Some(3_378), 8_483, 7_982, 4).exact(),
    idb: Bounded::new(4, Some(1_513), 3_681, 2_843, 15).exact(),
    dfs: Dfs::new(None, 100_000, 0),
    random: damaged(None, Some(202)),
    pct: [MISSED, damaged(None, None), damaged(None, None)],
    maple: Maple::new(false, 11, Some(7)),
};

pub(crate) const STACK: Published = Published {
    id: 24,
    name: "CS.stack_bad",
    threads: 3,
    enabled_max: 2,
    steps_max: 43,
    schedules_max: 100_000,
    ipb: Bounded::new(1, Some(23), 50, 47, 9).exact(),
    idb: Bounded::new(1, Some(22), 32, 31, 9).exact(),
    dfs: Dfs::new(Some(22), 100_000, 6_361).exact(),
    random: hit(2, 60_949).checked(),
    pct: [
        MISSED.checked(),
        hit(2, 27_680).checked(),
        hit(2, 40_159).checked(),
    ],
    maple: Maple::new(false, 10, Some(8)),
};

pub(crate) const SYNC01: Published = Published {
    id: 25,
    name: "CS.sync01_bad",
    threads: 3,
    enabled_max: 2,
    steps_max: 9,
    schedules_max: 100_000,
    ipb: Bounded::new(0, Some(1), 2, 2, 2).exact(),
    idb: Bounded::new(0, Some(1), 1, 1, 1).exact(),
    dfs: Dfs::new(Some(1), 6, 6).exact(),
    random: hit(1, 100_000),
    pct: [hit(1, 100_000), hit(1, 100_000), hit(1, 100_000)],
    maple: Maple::new(true, 1, Some(1)),
};

pub(crate) const SYNC02: Published = Published {
    id: 26,
    name: "CS.sync02_bad",
    threads: 3,
    enabled_max: 2,
    steps_max: 18,
    schedules_max: 100_000,
    ipb: Bounded::new(0, Some(1), 2, 2, 2).exact(),
    idb: Bounded::new(0, Some(1), 1, 1, 1).exact(),
    dfs: Dfs::new(Some(1), 88, 88).exact(),
    random: hit(1, 100_000),
    pct: [hit(1, 100_000), hit(1, 100_000), hit(1, 100_000)],
    maple: Maple::new(true, 1, Some(1)),
};

pub(crate) const TOKEN_RING: Published = Published {
    id: 27,
    name: "CS.token_ring_bad",
    threads: 5,
    enabled_max: 4,
    steps_max: 11,
    schedules_max: 100_000,
    ipb: Bounded::new(0, Some(8), 24, 24, 4).exact(),
    idb: Bounded::new(2, Some(10), 29, 22, 3).exact(),
    dfs: Dfs::new(Some(8), 280, 57).exact(),
    random: hit(9, 13_004).checked(),
    pct: [
        hit(44, 8_238).checked(),
        hit(11, 13_655).checked(),
        hit(11, 16_908).checked(),
    ],
    maple: Maple::new(true, 5, Some(4)),
};

pub(crate) const TWOSTAGE_100: Published = Published {
    id: 28,
    name: "CS.twostage_100_bad",
    threads: 101,
    enabled_max: 100,
    steps_max: 792,
    schedules_max: 100_000,
    ipb: Bounded::new(0, None, 100_000, 100_000, 0),
    idb: Bounded::new(2, None, 100_000, 99_304, 0).exact(),
    dfs: Dfs::new(None, 100_000, 0),
    random: MISSED,
    pct: [MISSED, hit(10_548, 5), hit(10_548, 6)],
    maple: Maple::new(false, 11, Some(9)),
};

pub(crate) const TWOSTAGE: Published = Published {
    id: 29,
    name: "CS.twostage_bad",
    threads: 3,
    enabled_max: 2,
    steps_max: 11,
    schedules_max: 100_000,
    ipb: Bounded::new(1, Some(9), 10, 7, 1).exact(),
    idb: Bounded::new(1, Some(7), 9, 8, 1).exact(),
    dfs: Dfs::new(Some(13), 87, 3).exact(),
    random: hit(15, 7_848).checked(),
    pct: [
        MISSED.checked(),
        hit(15, 12_097).checked(),
        hit(15, 19_840).checked(),
    ],
    maple: Maple::new(true, 8, Some(5)),
};

pub(crate) const WRONGLOCK_3: Published = Published {
    id: 30,
    name: "CS.wronglock_3_bad",
    threads: 5,
    enabled_max: 4,
    steps_max: 25,
    schedules_max: 100_000,
    ipb: Bounded::new(1, Some(243), 856, 783, 66).exact(),
    idb: Bounded::new(1, Some(15), 22, 21, 2).exact(),
    dfs: Dfs::new(Some(3_233), 100_000, 3_006).exact(),
    random: hit(1, 31_302).checked(),
    pct: [
        MISSED.checked(),
        hit(13, 6_442).checked(),
        hit(4, 11_107).checked(),
    ],
    maple: Maple::new(true, 6, Some(4)),
};

pub(crate) const WRONGLOCK: Published = Published {
    id: 31,
    name: "CS.wronglock_bad",
    threads: 9,
    enabled_max: 8,
    steps_max: 49,
    schedules_max: 100_000,
    ipb: Bounded::new(0, None, 100_000, 100_000, 0),
    idb: Bounded::new(1, Some(31), 42, 41, 2).exact(),
    dfs: Dfs::new(None, 100_000, 0),
    random: hit(1, 32_534).checked(),
    pct: [
        MISSED.checked(),
        hit(29, 3_636).checked(),
        hit(24, 6_693).checked(),
    ],
    maple: Maple::new(true, 6, Some(4)),
};
