//! Benchmark and litmus programs with known answers.
//!
//! Each program is an ordinary function over `unpick`'s copies of the standard library's types, so
//! that any strategy can explore it. Its sources: SCTBench as studied in P. Thomson's thesis
//! (with the printed counts beside it, see [`published`]), the figures of that thesis, the families
//! on which the Rust peers were measured, programs with coarse locking, for reductions, kernels of data
//! structures, and the programs of S. Huang's dissertation, for memory models.
//!
//! What is visible is part of a program's definition: an access that the study made a scheduling
//! point is one operation on an `unpick` type, every other access uses plain data behind its lock
//! or a `std` atomic, which nobody controls.
//!
//! Beside these there are programs made from numbers ([`generated`]) and a judge that holds
//! techniques to what they promise on them ([`judge`]). Nothing else in this crate explores, counts
//! or judges anything.

pub mod claims;
mod coarse;
mod facts;
pub mod generated;
mod huang;
mod ibm;
mod join;
pub mod judge;
mod kernels;
pub mod litmus;
mod needlepoint;
mod page;
mod patterns;
mod peers;
pub mod published;
mod sctbench;
mod section;
mod selection;
mod thesis;
mod work_steal;

pub use facts::{BugKind, Facts, facts};
pub use page::table as markdown_table;
pub use patterns::pattern_of;
pub use published::Published;
pub use selection::{Error, Selection, find};

/// Where a program comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// SCTBench, as re-modelled from the thesis's study.
    Sctbench,
    /// RADBench, as far as SCTBench does not have it.
    Radbench,
    /// A figure of the thesis.
    Thesis,
    /// The families on which the other Rust tools were measured.
    Peers,
    /// Coarse locking, for reductions that leave out the order of locking.
    Coarse,
    /// Kernels of data structures, for complete exploration beside loom.
    Kernels,
    /// Programs of the dissertation on maximal causality reduction.
    Huang,
    /// The bugs on which NeedlePoint compared its policies.
    Needlepoint,
    /// The IBM concurrency benchmark.
    Ibm,
}

impl Source {
    /// All sources, in the order of the programs.
    pub const ALL: &[Source] = &[
        Source::Sctbench,
        Source::Radbench,
        Source::Thesis,
        Source::Peers,
        Source::Coarse,
        Source::Kernels,
        Source::Huang,
        Source::Needlepoint,
        Source::Ibm,
    ];

    /// One word for lists.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Source::Sctbench => "sctbench",
            Source::Radbench => "radbench",
            Source::Thesis => "thesis",
            Source::Peers => "peers",
            Source::Coarse => "coarse",
            Source::Kernels => "kernels",
            Source::Huang => "huang",
            Source::Needlepoint => "needlepoint",
            Source::Ibm => "ibm",
        }
    }
}

/// One program of the suite.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// The name it is found by; unique without regard to case.
    pub name: &'static str,
    /// One line for a list of programs.
    pub summary: &'static str,
    /// Where it comes from.
    pub source: Source,
    /// What can be set, in the order in which a label shows it.
    pub parameters: &'static [Parameter],
    /// What is wrong with it at the default parameters; `None` if it is correct.
    pub fault: Option<&'static str>,
    /// The study's numbers for it, if the study has it.
    pub published: Option<&'static Published>,
    /// Executes the program once.
    pub body: fn(&Arguments),
}

/// A number that selects the size or the variant of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The key in `NAME:key=value`.
    pub name: &'static str,
    /// What the number means.
    pub meaning: &'static str,
    /// The value if none is given.
    pub default: u32,
    /// The smallest allowed value.
    pub min: u32,
    /// The largest allowed value.
    pub max: u32,
    /// Whether a label leaves it out where it has its default: programs of a study keep their names.
    pub is_quiet: bool,
}

impl Parameter {
    /// A size, with the range in which it makes sense.
    pub(crate) const fn size(
        name: &'static str,
        meaning: &'static str,
        default: u32,
        min: u32,
        max: u32,
    ) -> Self {
        Parameter {
            name,
            meaning,
            default,
            min,
            max,
            is_quiet: false,
        }
    }

    /// A switch: 0 is off, 1 is on.
    pub(crate) const fn switch(name: &'static str, meaning: &'static str, default: u32) -> Self {
        Parameter::size(name, meaning, default, 0, 1)
    }

    /// The same in a program that keeps its name.
    pub(crate) const fn quiet(self) -> Self {
        Parameter {
            is_quiet: true,
            ..self
        }
    }

    /// A switch that is off unless it is asked for, in a program that keeps its name.
    pub(crate) const fn variant(name: &'static str, meaning: &'static str) -> Self {
        Parameter::switch(name, meaning, 0).quiet()
    }

    /// The switch between a faulty program and its fixed twin, `NAME:bug=0`; `meaning` says what is fixed.
    pub(crate) const fn twin(meaning: &'static str) -> Self {
        Parameter::switch("bug", meaning, 1).quiet()
    }
}

/// The values of a program's parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arguments {
    // Invariant: one entry for each parameter of the program, in the program's order.
    values: Vec<(&'static str, u32)>,
}

impl Program {
    /// Whether the program has a fixed twin, `NAME:bug=0`.
    #[must_use]
    pub fn has_twin(&self) -> bool {
        self.parameters.iter().any(|one| one.name == "bug")
    }
}

impl Arguments {
    /// The value of the parameter called `name`.
    ///
    /// # Panics
    ///
    /// If the program has no such parameter.
    #[must_use]
    pub fn get(&self, name: &str) -> u32 {
        match self.values.iter().find(|(key, _)| *key == name) {
            Some((_, value)) => *value,
            None => panic!("internal error: the program has no parameter `{name}`"),
        }
    }

    /// The value of a size, for counting and indexing.
    pub(crate) fn size(&self, name: &str) -> usize {
        self.get(name) as usize
    }

    /// Whether the switch called `name` is on.
    pub(crate) fn is_on(&self, name: &str) -> bool {
        self.get(name) != 0
    }
}

/// Every program, in the order of its source: SCTBench by id, figures, peers' families, coarse
/// locking, kernels, the dissertation on maximal causality.
#[must_use]
pub fn programs() -> &'static [Program] {
    PROGRAMS
}

/// The programs of which every operation is known: those on which reductions, shrinking, explanation and
/// prediction are measured. The others are models of larger programs.
pub fn exact_programs() -> impl Iterator<Item = &'static Program> {
    PROGRAMS.iter().filter(|program| match program.published {
        Some(published) => published.is_modelled_exactly(),
        None => !matches!(
            program.source,
            Source::Radbench | Source::Needlepoint | Source::Ibm
        ),
    })
}

static PROGRAMS: &[Program] = &[
    sctbench::aget::PROGRAM,
    sctbench::pbzip2::PROGRAM,
    sctbench::stringbuffer::PROGRAM,
    sctbench::account::PROGRAM,
    sctbench::arithmetic_prog::PROGRAM,
    sctbench::bluetooth_driver::PROGRAM,
    sctbench::carter01::PROGRAM,
    sctbench::circular_buffer::PROGRAM,
    sctbench::deadlock01::PROGRAM,
    sctbench::din_phil::PROGRAM_2,
    sctbench::din_phil::PROGRAM_3,
    sctbench::din_phil::PROGRAM_4,
    sctbench::din_phil::PROGRAM_5,
    sctbench::din_phil::PROGRAM_6,
    sctbench::din_phil::PROGRAM_7,
    sctbench::fsbench::PROGRAM,
    sctbench::lazy01::PROGRAM,
    sctbench::phase01::PROGRAM,
    sctbench::queue::PROGRAM,
    sctbench::reorder::PROGRAM_10,
    sctbench::reorder::PROGRAM_20,
    sctbench::reorder::PROGRAM_3,
    sctbench::reorder::PROGRAM_4,
    sctbench::reorder::PROGRAM_5,
    sctbench::stack::PROGRAM,
    sctbench::sync01::PROGRAM,
    sctbench::sync02::PROGRAM,
    sctbench::token_ring::PROGRAM,
    sctbench::twostage::PROGRAM_100,
    sctbench::twostage::PROGRAM,
    sctbench::wronglock::PROGRAM_3,
    sctbench::wronglock::PROGRAM,
    sctbench::work_steal_queue::PROGRAM_INTERLOCKED,
    sctbench::work_steal_queue::PROGRAM_INTERLOCKED_STATE,
    sctbench::work_steal_queue::PROGRAM_STATE,
    sctbench::work_steal_queue::PROGRAM,
    sctbench::qsort_mt::PROGRAM,
    sctbench::ctrace::PROGRAM,
    sctbench::safestack::PROGRAM,
    sctbench::ferret::PROGRAM,
    sctbench::streamcluster::PROGRAM,
    sctbench::streamcluster::PROGRAM_2,
    sctbench::streamcluster::PROGRAM_3,
    sctbench::radbench::PROGRAM_1,
    sctbench::radbench::PROGRAM_2,
    sctbench::radbench::PROGRAM_6,
    sctbench::splash2::PROGRAM_BARNES,
    sctbench::splash2::PROGRAM_FFT,
    sctbench::splash2::PROGRAM_LU,
    sctbench::radbench::PROGRAM_3,
    sctbench::radbench::PROGRAM_4,
    sctbench::radbench::PROGRAM_5,
    thesis::fig3_1::PROGRAM,
    thesis::fig3_2::PROGRAM,
    thesis::fig4_1::PROGRAM,
    thesis::fig4_2::PROGRAM_A,
    thesis::fig4_2::PROGRAM_B,
    thesis::fig4_2::PROGRAM_C,
    thesis::fig4_2::PROGRAM_D,
    thesis::fig4_3::PROGRAM_A,
    thesis::fig4_3::PROGRAM_B,
    thesis::fig4_3::PROGRAM_C,
    thesis::fig4_3::PROGRAM_D,
    thesis::disjoint::PROGRAM,
    peers::race_counter::PROGRAM,
    peers::rmw_counter::PROGRAM,
    peers::philosophers::PROGRAM,
    peers::bounded_buffer::PROGRAM,
    peers::treiber::PROGRAM,
    peers::rwlock_init::PROGRAM,
    peers::mutex_disjoint::PROGRAM,
    peers::channel::PROGRAM,
    peers::independent::PROGRAM,
    peers::readers::PROGRAM,
    peers::last_zero::PROGRAM,
    peers::reorder::PROGRAM,
    peers::spinlock::PROGRAM,
    peers::sb::PROGRAM,
    peers::mp::PROGRAM,
    peers::lb::PROGRAM,
    peers::lock_order::PROGRAM,
    peers::read_pair::PROGRAM,
    peers::crossed::PROGRAM,
    peers::missed_outcome::PROGRAM,
    coarse::slots::PROGRAM,
    coarse::parity::PROGRAM,
    coarse::nested::PROGRAM,
    coarse::read_mostly::PROGRAM,
    coarse::config_reload::PROGRAM,
    coarse::directory::PROGRAM,
    coarse::snapshot::PROGRAM,
    coarse::rate_limiter::PROGRAM,
    coarse::event_bus::PROGRAM,
    coarse::matrix_rows::PROGRAM,
    coarse::bank::PROGRAM,
    coarse::histogram::PROGRAM,
    coarse::cache::PROGRAM,
    coarse::memo_table::PROGRAM,
    coarse::tree::PROGRAM,
    coarse::mailboxes::PROGRAM,
    coarse::pipeline::PROGRAM,
    coarse::pool_allocator::PROGRAM,
    coarse::inventory::PROGRAM,
    coarse::ticket_office::PROGRAM,
    coarse::work_queue::PROGRAM,
    coarse::registry::PROGRAM,
    coarse::session_table::PROGRAM,
    coarse::log_buffer::PROGRAM,
    coarse::reference_count::PROGRAM,
    coarse::stack::PROGRAM,
    coarse::lock_and_flag::PROGRAM,
    coarse::double_checked::PROGRAM,
    coarse::try_lock_poller::PROGRAM,
    coarse::hand_over_hand::PROGRAM,
    coarse::philosophers::PROGRAM_CYCLE,
    coarse::philosophers::PROGRAM_ORDER,
    coarse::philosophers::PROGRAM_WAITER,
    coarse::monitor::PROGRAM,
    coarse::readers_writers::PROGRAM,
    coarse::producer_consumer::PROGRAM,
    coarse::barrier::PROGRAM,
    kernels::TREIBER,
    kernels::MS_QUEUE,
    kernels::TICKET_LOCK,
    kernels::SEQLOCK,
    kernels::BOUNDED_BUFFER,
    huang::figures::FIG3_1,
    huang::figures::FIG3_2,
    huang::figures::SB,
    huang::figures::MP,
    huang::fig3_9a::PROGRAM,
    huang::figures::LISTING4_1,
    huang::figures::FIG5_3,
    huang::figures::FIG5_5,
    huang::figures::FIG5_6,
    huang::counter::PROGRAM,
    huang::figures::CE1,
    huang::figures::CE2,
    huang::figures::SB_RFI,
    huang::peterson::PROGRAM,
    huang::dekker::PROGRAM,
    huang::microscope::PROGRAM,
    huang::lamport::PROGRAM,
    huang::bakery::PROGRAM,
    huang::stack_unsafe::PROGRAM,
    huang::rv_example::PROGRAM,
    huang::account::PROGRAM,
    huang::airline::PROGRAM,
    huang::allocation::PROGRAM,
    huang::ping_pong::PROGRAM,
    needlepoint::pbzip2::PROGRAM,
    needlepoint::memcached::PROGRAM,
    needlepoint::memcached::PROGRAM_15,
    needlepoint::memcached::PROGRAM_25,
    needlepoint::memcached::PROGRAM_35,
    needlepoint::memcached::PROGRAM_ALL,
    needlepoint::work_steal_queue::PROGRAM_1,
    needlepoint::work_steal_queue::PROGRAM_2,
    needlepoint::work_steal_queue::PROGRAM_3,
    needlepoint::transmission::PROGRAM,
    needlepoint::nspr::PROGRAM,
    ibm::account::PROGRAM,
    ibm::airlinetickets::PROGRAM,
    ibm::allocationvector::PROGRAM,
    ibm::boundedbuffer::PROGRAM,
    ibm::bubblesort::PROGRAM,
    ibm::bubblesort2::PROGRAM,
    ibm::bufwriter::PROGRAM,
    ibm::critical::PROGRAM,
    ibm::dcl::PROGRAM,
    ibm::deadlock::PROGRAM,
    ibm::deadlockexception::PROGRAM,
    ibm::garagemanager::PROGRAM,
    ibm::linkedlist::PROGRAM,
    ibm::liveness::PROGRAM,
    ibm::lottery::PROGRAM,
    ibm::memory_manager::PROGRAM,
    ibm::mergesort::PROGRAM,
    ibm::mergesortbug::PROGRAM,
    ibm::pingpong::PROGRAM,
    ibm::piper::PROGRAM,
    ibm::producerconsumer::PROGRAM,
    ibm::shop::PROGRAM,
    ibm::suns_account::PROGRAM,
    ibm::xtangoanimation::PROGRAM,
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_are_unique_without_regard_to_case() {
        let mut seen = HashSet::new();
        for program in programs() {
            assert!(
                seen.insert(program.name.to_lowercase()),
                "{} is listed twice",
                program.name
            );
            assert!(!program.name.contains(':'), "{}", program.name);
        }
    }

    #[test]
    fn parameters_are_sound() {
        for program in programs() {
            let mut seen = HashSet::new();
            for parameter in program.parameters {
                assert!(seen.insert(parameter.name), "{}", program.name);
                assert!(parameter.min <= parameter.default, "{}", program.name);
                assert!(parameter.default <= parameter.max, "{}", program.name);
            }
        }
    }

    #[test]
    fn published_numbers_belong_to_the_sctbench_programs_in_order() {
        let ids: Vec<u32> = programs()
            .iter()
            .filter_map(|program| {
                assert_eq!(
                    program.published.is_some(),
                    program.source == Source::Sctbench,
                    "{}",
                    program.name
                );
                program.published.map(|published| published.id)
            })
            .collect();
        let expected: Vec<u32> = (0..=48).collect();
        assert_eq!(ids, expected);
    }

    #[test]
    fn published_numbers_name_their_program() {
        for program in programs() {
            if let Some(published) = program.published {
                assert_eq!(published.name, program.name);
            }
        }
    }
}
