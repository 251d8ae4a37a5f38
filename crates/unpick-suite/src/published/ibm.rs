//! What was printed about the programs of the IBM benchmark: the kind of bug, and how often noise was called in one execution
//! of the original with all locations active and the highest contention. Data only.

/// A program, its bug, and its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IbmProgram {
    /// The program here.
    pub name: &'static str,
    /// What kind of bug it has.
    pub bug: IbmBug,
    /// Calls of noise in one execution.
    pub noise_calls: u32,
}

/// The kinds of bugs that the dissertation tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IbmBug {
    /// Steps that should be one.
    AtomicityViolation,
    /// Accesses without a lock.
    DataRace,
    /// Tasks that wait for each other.
    Deadlock,
    /// Both of these.
    DeadlockAndDataRace,
    /// Something happens before what should be before it.
    OrderViolation,
    /// A pattern that is wrong in itself: a sleep for an order, a wait without a loop.
    AntiPattern,
    /// A value that is no longer, or not yet, the right one.
    StaleValue,
    /// A task that waits for ever.
    Starvation,
}

use IbmBug::*;

/// In the order of the alphabet.
pub const IBM: &[IbmProgram] = &[
    row("ibm.account", AtomicityViolation, 888),
    row("ibm.airlinetickets", DataRace, 31_838),
    row("ibm.allocationvector", AtomicityViolation, 343_104),
    row("ibm.boundedbuffer", Deadlock, 4_873),
    row("ibm.bubblesort", OrderViolation, 940),
    row("ibm.bubblesort2", AntiPattern, 6_916_998),
    row("ibm.bufwriter", DataRace, 33_208),
    row("ibm.critical", DeadlockAndDataRace, 49),
    row("ibm.dcl", StaleValue, 1_323_346),
    row("ibm.deadlock", Deadlock, 129),
    row("ibm.deadlockexception", Deadlock, 3_465),
    row("ibm.garagemanager", Deadlock, 39_685_260),
    row("ibm.linkedlist", StaleValue, 12),
    row("ibm.liveness", Starvation, 636),
    row("ibm.lottery", DataRace, 1_356_970),
    row("ibm.manager", DeadlockAndDataRace, 29_198_882),
    row("ibm.mergesort", AtomicityViolation, 860),
    row("ibm.mergesortbug", DataRace, 3_380),
    row("ibm.pingpong", OrderViolation, 1_454),
    row("ibm.piper", AntiPattern, 19_986),
    row("ibm.producerconsumer", AntiPattern, 4_371),
    row("ibm.shop", AntiPattern, 2_056),
    row("ibm.suns_account", StaleValue, 80_837),
    row("ibm.xtangoanimation", Deadlock, 281),
];

const fn row(name: &'static str, bug: IbmBug, noise_calls: u32) -> IbmProgram {
    IbmProgram {
        name,
        bug,
        noise_calls,
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
            .filter(|program| program.source == Source::Ibm);
        let names = family.map(|program| program.name);
        assert!(names.eq(IBM.iter().map(|row| row.name)));
    }
}
