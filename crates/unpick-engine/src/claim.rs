//! What an exploration claims when it is over, and what it assumed.
//!
//! A search that has run everything it wanted to run is *exhausted*. That is a proof only if the search
//! left nothing out on the way. Whatever leaves something out adds a [`Proviso`] where it does so; what
//! no execution needed is not assumed.

use core::fmt;
use serde::{Deserialize, Serialize};

/// Something that a complete exploration assumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum Proviso {
    /// A task that yields, sleeps or waits with a deadline had to let another task run.
    ForcedSwitch,
    /// A task that repeats itself while nothing changes had to let another task run.
    SpinCutShort,
    /// A wait could not end spuriously, because the ration was used up.
    SpuriousWakes,
    /// A weak compare-and-exchange could not fail spuriously, because the ration was used up.
    WeakFailures,
    /// A timer could not fire, because it was further away than a task that can run may be held up.
    Timeouts,
    /// An execution reached its step limit.
    StepLimit,
    /// A task performed operations while it unwound from a panic that it caught, and no other task could run.
    Unwinding,
    /// Code without instrumentation ran between two scheduling points.
    NotInstrumented,
    /// Plain accesses of shared memory were no scheduling points, and races were not looked for.
    PlainAccesses,
    /// An atomic operation weaker than `SeqCst` was explored under a stronger memory model.
    WeakOrderings,
    /// A task read the virtual clock, which a reduction does not take for something shared.
    Clock,
    /// The technique did not look for what lies behind a failing execution.
    BehindFailure,
    /// The technique ended by its own rule, a bound for instance, with schedules left.
    Bound,
    /// The reduction ignores orders of critical sections, and cannot prove that they do not matter.
    LazyLocks,
    /// The technique plans from traces, and did not ask everything about one of them.
    Unplanned,
    /// A task sent a signal to another task, or to the process.
    Signals,
}

impl Proviso {
    /// All of them, in the order in which they are reported.
    pub const ALL: &'static [Proviso] = &[
        Proviso::ForcedSwitch,
        Proviso::SpinCutShort,
        Proviso::SpuriousWakes,
        Proviso::WeakFailures,
        Proviso::Timeouts,
        Proviso::StepLimit,
        Proviso::Unwinding,
        Proviso::NotInstrumented,
        Proviso::PlainAccesses,
        Proviso::WeakOrderings,
        Proviso::Clock,
        Proviso::BehindFailure,
        Proviso::Bound,
        Proviso::LazyLocks,
        Proviso::Unplanned,
        Proviso::Signals,
    ];

    /// The proviso in one word, for machines.
    pub fn word(self) -> &'static str {
        match self {
            Proviso::ForcedSwitch => "forced-switch",
            Proviso::SpinCutShort => "spin-cut-short",
            Proviso::SpuriousWakes => "spurious-wakes",
            Proviso::WeakFailures => "weak-failures",
            Proviso::Timeouts => "timeouts",
            Proviso::StepLimit => "step-limit",
            Proviso::NotInstrumented => "not-instrumented",
            Proviso::PlainAccesses => "plain-accesses",
            Proviso::WeakOrderings => "weak-orderings",
            Proviso::Clock => "clock",
            Proviso::BehindFailure => "behind-failure",
            Proviso::Bound => "bound",
            Proviso::LazyLocks => "lazy-locks",
            Proviso::Unplanned => "unplanned",
            Proviso::Unwinding => "unwinding",
            Proviso::Signals => "signals",
        }
    }

    /// The proviso of a word.
    pub fn from_word(word: &str) -> Option<Proviso> {
        let mut all = Proviso::ALL.iter().copied();
        all.find(|proviso| proviso.word() == word)
    }

    /// What is assumed, to follow "provided that".
    pub fn sentence(self) -> &'static str {
        match self {
            Proviso::ForcedSwitch => {
                "no bug needs a task to go on past its yield, sleep or timed wait while others can run"
            }
            Proviso::SpinCutShort => {
                "no bug needs a waiting loop to go round more than a few times while nothing changes"
            }
            Proviso::SpuriousWakes => {
                "no more waits end without a notification than the setting `spurious_wakes` allows"
            }
            Proviso::WeakFailures => {
                "no more weak compare-and-exchanges fail than the setting `weak_failures` allows"
            }
            Proviso::Timeouts => {
                "no task that can run is held up for longer than the setting `max_delay`"
            }
            Proviso::StepLimit => "no bug lies behind the step limit, which an execution reached",
            Proviso::NotInstrumented => {
                "code without instrumentation does nothing that another task can notice half done"
            }
            Proviso::PlainAccesses => {
                "the order of plain accesses that are no scheduling points does not matter"
            }
            Proviso::WeakOrderings => {
                "orderings weaker than SeqCst behave as in the memory model that was explored"
            }
            Proviso::Clock => "no bug depends on the order in which tasks read the clock",
            Proviso::BehindFailure => "the executions that failed hide no other failure",
            Proviso::Bound => "no bug needs a schedule beyond the bound of the technique",
            Proviso::LazyLocks => {
                "no bug depends on an order of critical sections that the technique ignored"
            }
            Proviso::Unplanned => "the plans that the technique left out lead to no bug",
            Proviso::Signals => {
                "no bug depends on when a signal arrives, which task handles it, or what it interrupts"
            }
            Proviso::Unwinding => {
                "no bug needs a task to run while another task unwinds from a panic that it catches"
            }
        }
    }

    const fn bit(self) -> u32 {
        1 << self as u8
    }
}

/// A set of provisos.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Provisos(u32);

impl Provisos {
    /// No proviso.
    pub const NONE: Provisos = Provisos(0);

    /// What techniques assume that follow one task as long as they can, or that reduce: randomised ones go on
    /// past yields, leave a loop when they like, and let signals arrive at any moment.
    pub const OF_SEARCHES: Provisos = Provisos(
        Proviso::ForcedSwitch.bit() | Proviso::SpinCutShort.bit() | Proviso::Signals.bit(),
    );

    /// Adds one.
    #[inline]
    pub fn add(&mut self, proviso: Proviso) {
        self.0 |= proviso.bit();
    }

    /// Adds those of another set.
    #[inline]
    pub fn merge(&mut self, other: Provisos) {
        self.0 |= other.0;
    }

    /// Whether this set has none.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether this set has one.
    pub fn contains(self, proviso: Proviso) -> bool {
        self.0 & proviso.bit() != 0
    }

    /// Whether both sets have one.
    pub fn meets(self, other: Provisos) -> bool {
        self.0 & other.0 != 0
    }

    /// Its provisos, in the order in which they are reported.
    pub fn iter(self) -> impl Iterator<Item = Proviso> {
        let all = Proviso::ALL.iter().copied();
        all.filter(move |proviso| self.contains(*proviso))
    }
}

impl From<Proviso> for Provisos {
    fn from(proviso: Proviso) -> Provisos {
        Provisos(proviso.bit())
    }
}

impl FromIterator<Proviso> for Provisos {
    fn from_iter<I: IntoIterator<Item = Proviso>>(provisos: I) -> Provisos {
        let mut set = Provisos::NONE;
        provisos.into_iter().for_each(|proviso| set.add(proviso));
        set
    }
}

impl fmt::Debug for Provisos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// What an exploration claims about the schedules of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Whether the search space of the strategy was exhausted.
    pub is_exhausted: bool,
    /// What was assumed so far.
    pub provided: Provisos,
}

impl Claim {
    /// Whether the exploration has shown every behaviour of the program, with nothing assumed.
    pub fn is_proof(&self) -> bool {
        self.is_exhausted && self.provided.is_empty()
    }
}

/// In words: "complete" is a proof.
impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.is_exhausted {
            return f.write_str("not complete");
        }
        f.write_str("complete")?;
        for (number, proviso) in self.provided.iter().enumerate() {
            let link = if number == 0 { ", provided" } else { ", and" };
            write!(f, "{link} that {}", proviso.sentence())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::{string::ToString, vec::Vec};

    #[test]
    fn every_proviso_has_a_bit_a_word_and_a_sentence() {
        for (number, &proviso) in Proviso::ALL.iter().enumerate() {
            assert_eq!(proviso as usize, number);
            assert_eq!(Proviso::from_word(proviso.word()), Some(proviso));
        }
        let set: Provisos = Proviso::ALL.iter().copied().collect();
        assert_eq!(set.iter().collect::<Vec<_>>(), Proviso::ALL);
        let mut sentences: Vec<_> = set.iter().map(Proviso::sentence).collect();
        sentences.sort_unstable();
        sentences.dedup();
        assert_eq!(sentences.len(), Proviso::ALL.len());
    }

    #[test]
    fn only_a_proof_is_called_complete_without_a_proviso() {
        let claim = |is_exhausted, provisos: &[Proviso]| Claim {
            is_exhausted,
            provided: provisos.iter().copied().collect(),
        };
        assert_eq!(claim(true, &[]).to_string(), "complete");
        assert_eq!(claim(false, &[]).to_string(), "not complete");
        let two = claim(true, &[Proviso::Timeouts, Proviso::Bound]);
        assert_eq!(
            two.to_string(),
            "complete, provided that no task that can run is held up for longer than the setting \
             `max_delay`, and that no bug needs a schedule beyond the bound of the technique"
        );
        assert!(claim(true, &[]).is_proof() && !two.is_proof() && !claim(false, &[]).is_proof());
    }
}
