//! What was printed about the bugs of NeedlePoint. Data only.
//!
//! Source: S. Nagarakatte, S. Burckhardt, M. Martin, M. Musuvathi, *Multicore acceleration of priority-based schedulers for
//! concurrency bug detection*, PLDI 2012. Each policy executed each program 100,000 times.

/// A bug, and who found it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NeedlepointBug {
    /// The program here.
    pub name: &'static str,
    /// Its name in the paper.
    pub title: &'static str,
    /// Scheduling points of an execution.
    pub points: u32,
    /// Tasks, the first one included.
    pub threads: u32,
    /// How many orderings a schedule must meet to fail.
    pub depth: u32,
    /// Whether each policy found it at least once in 1,000 executions; `None` for the variants of Memcached, of
    /// which the paper has no such row.
    pub found: Option<Found>,
}

/// Which policies found a bug at least once in 1,000 executions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// Random sleeps.
    pub random_sleep: bool,
    /// A switch to a random task at every point.
    pub preempt_always: bool,
    /// A few preemptions at random places.
    pub preempt_bound: bool,
    /// AtomFuzzer.
    pub atom_fuzzer: bool,
    /// PCT.
    pub pct: bool,
}

/// The bugs in the order of the paper's table of programs.
pub const NEEDLEPOINT: &[NeedlepointBug] = &[
    bug("needlepoint.pbzip2", "Pbzip2", 1_210, 3, 2, "....y"),
    bug("needlepoint.memcached", "Memcached", 845, 4, 2, "yyyyy"),
    bug(
        "needlepoint.memcached_15",
        "Memcached, 15 operations",
        2_300,
        4,
        2,
        "",
    ),
    bug(
        "needlepoint.memcached_25",
        "Memcached, 25 operations",
        3_400,
        4,
        2,
        "",
    ),
    bug(
        "needlepoint.memcached_35",
        "Memcached, 35 operations",
        3_900,
        4,
        2,
        "",
    ),
    bug(
        "needlepoint.memcached_all",
        "Memcached, all accesses",
        79_132,
        4,
        2,
        "..y.y",
    ),
    bug("needlepoint.wsq_1", "WSQ-1", 1_916, 4, 3, ".y.yy"),
    bug("needlepoint.wsq_2", "WSQ-2", 1_086, 4, 2, "yy.yy"),
    bug("needlepoint.wsq_3", "WSQ-3", 1_717, 4, 2, "..yyy"),
    bug(
        "needlepoint.transmission",
        "Transmission",
        38_118,
        2,
        1,
        ".yyyy",
    ),
    bug("needlepoint.nspr", "NSPR", 5_361, 3, 2, "..y.y"),
];

/// `found` has a letter a policy in the order of [`Found`], `y` for yes.
const fn bug(
    name: &'static str,
    title: &'static str,
    points: u32,
    threads: u32,
    depth: u32,
    found: &'static str,
) -> NeedlepointBug {
    let letters = found.as_bytes();
    let found = if letters.is_empty() {
        None
    } else {
        Some(Found {
            random_sleep: letters[0] == b'y',
            preempt_always: letters[1] == b'y',
            preempt_bound: letters[2] == b'y',
            atom_fuzzer: letters[3] == b'y',
            pct: letters[4] == b'y',
        })
    };
    NeedlepointBug {
        name,
        title,
        points,
        threads,
        depth,
        found,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Source, programs};

    #[test]
    fn every_program_of_the_family_has_its_row() {
        let family = programs()
            .iter()
            .filter(|program| program.source == Source::Needlepoint);
        let names = family.map(|program| program.name);
        assert!(names.eq(NEEDLEPOINT.iter().map(|bug| bug.name)));
    }

    #[test]
    fn pct_finds_all_eight() {
        let rows = NEEDLEPOINT.iter().filter_map(|bug| bug.found);
        assert!(rows.clone().all(|found| found.pct));
        assert_eq!(rows.count(), 8);
    }
}
