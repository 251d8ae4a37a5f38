//! What kind of bug each faulty program has, judged by its source: the truth that explanations are held to.

use unpick::Pattern::{self, *};

/// The kind of the bug that a program has at its default parameters, if it has one that shows under
/// sequential consistency.
#[must_use]
pub fn pattern_of(name: &str) -> Option<Pattern> {
    let row = PATTERNS
        .iter()
        .find(|(of, _)| of.eq_ignore_ascii_case(name));
    row.map(|(_, pattern)| *pattern)
}

/// In the order of the programs.
static PATTERNS: &[(&str, Pattern)] = &[
    ("CB.stringbuffer-jdk1.4", CheckThenAct),
    ("CS.account_bad", OrderViolation),
    ("CS.arithmetic_prog_bad", EveryOrder),
    ("CS.bluetooth_driver_bad", CheckThenAct),
    ("CS.carter01_bad", LockOrder),
    ("CS.circular_buffer_bad", OrderViolation),
    ("CS.deadlock01_bad", LockOrder),
    // A few schedules pass: a philosopher eats twice before the last one looks.
    ("CS.din_phil2_sat", OrderViolation),
    ("CS.din_phil3_sat", OrderViolation),
    ("CS.din_phil4_sat", OrderViolation),
    ("CS.din_phil5_sat", EveryOrder),
    ("CS.din_phil6_sat", EveryOrder),
    ("CS.din_phil7_sat", EveryOrder),
    ("CS.lazy01_bad", OrderViolation),
    ("CS.phase01_bad", EveryOrder),
    ("CS.queue_bad", OrderViolation),
    ("CS.reorder_10_bad", HalfDone),
    ("CS.reorder_20_bad", HalfDone),
    ("CS.reorder_3_bad", HalfDone),
    ("CS.reorder_4_bad", HalfDone),
    ("CS.reorder_5_bad", HalfDone),
    ("CS.stack_bad", OrderViolation),
    ("CS.sync01_bad", EveryOrder),
    ("CS.sync02_bad", EveryOrder),
    ("CS.token_ring_bad", OrderViolation),
    ("CS.twostage_100_bad", HalfDone),
    ("CS.twostage_bad", HalfDone),
    ("CS.wronglock_3_bad", CheckThenAct),
    ("CS.wronglock_bad", CheckThenAct),
    ("thesis.fig3_1", HalfDone),
    ("thesis.fig3_2", HalfDone),
    ("thesis.fig4_3c", LockOrder),
    ("race_counter", LostUpdate),
    ("philosophers", LockOrder),
    ("bounded_buffer", LostWakeUp),
    ("treiber", Aba),
    ("rwlock_init", CheckThenAct),
    ("reorder", HalfDone),
    ("read_pair", HalfDone),
    ("missed_outcome", OrderViolation),
    ("coarse.philosophers_cycle", LockOrder),
    ("huang.stackunsafe", LostUpdate),
    ("huang.rvexample", HalfDone),
    ("huang.account", LostUpdate),
    ("huang.allocation", CheckThenAct),
    ("huang.pingpong", HalfDone),
];
