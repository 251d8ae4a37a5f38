//! Sums over many verdicts, as a table.

use super::{Measured, Verdict};
use crate::generated::Flavour;
use std::collections::BTreeMap;
use std::fmt;

/// What was found out about many programs.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    flavours: BTreeMap<Flavour, Programs>,
    /// In the order of the promises.
    techniques: Vec<Technique>,
    /// Programs on which both were judged, and those on which `lazy-odpor` ran more executions than
    /// `odpor`.
    compared: u64,
    longer: u64,
}

/// Sums over the programs of one flavour.
#[derive(Clone, Copy, Debug, Default)]
struct Programs {
    judged: u64,
    rejected: u64,
    deadlocking: u64,
    failing: u64,
    racing: u64,
    schedules: u64,
    relations: u64,
    lazy_relations: u64,
    states: u64,
    breaches: u64,
}

/// Sums over what one technique did.
#[derive(Clone, Copy, Debug)]
struct Technique {
    name: &'static str,
    programs: u64,
    executions: u64,
    schedules: u64,
    states: u64,
    /// Programs of which it did not reach every state.
    programs_missed: u64,
    /// Programs about which it warned.
    programs_warned: u64,
    /// Programs of which it did not reach every state, having warned.
    programs_missed_and_warned: u64,
    breaches: u64,
}

impl Tally {
    /// Adds a program of this flavour; `None` stands for one that was too large.
    pub fn add(&mut self, flavour: Flavour, verdict: Option<&Verdict>) {
        let sums = self.flavours.entry(flavour).or_default();
        let Some(verdict) = verdict else {
            sums.rejected += 1;
            return;
        };
        sums.judged += 1;
        sums.deadlocking += u64::from(verdict.deadlocks);
        sums.failing += u64::from(verdict.fails);
        sums.racing += u64::from(verdict.races);
        sums.schedules += verdict.schedules;
        sums.relations += verdict.relations as u64;
        sums.lazy_relations += verdict.lazy_relations as u64;
        sums.states += verdict.states as u64;
        sums.breaches += verdict.breaches.len() as u64;
        for measured in &verdict.techniques {
            self.technique(measured.technique).add(measured);
        }
        for breach in &verdict.breaches {
            self.technique(breach.technique).breaches += 1;
        }
        let executions_of = |name: &str| {
            let mut techniques = verdict.techniques.iter();
            let found = techniques.find(|one| one.technique == name);
            found.map(|one| one.executions)
        };
        if let (Some(lazy), Some(optimal)) = (executions_of("lazy-odpor"), executions_of("odpor")) {
            self.compared += 1;
            self.longer += u64::from(lazy > optimal);
        }
    }

    /// Programs on which `lazy-odpor` ran more executions than `odpor`.
    #[must_use]
    pub fn longer(&self) -> u64 {
        self.longer
    }

    /// Programs that were judged.
    #[must_use]
    pub fn judged(&self) -> u64 {
        self.flavours.values().map(|sums| sums.judged).sum()
    }

    /// Promises that were not kept.
    #[must_use]
    pub fn breaches(&self) -> u64 {
        self.flavours.values().map(|sums| sums.breaches).sum()
    }

    /// Executions that a technique ran on all programs together.
    #[must_use]
    pub fn executions(&self, technique: &str) -> u64 {
        let mut techniques = self.techniques.iter();
        let found = techniques.find(|one| one.name == technique);
        found.map_or(0, |one| one.executions)
    }

    fn technique(&mut self, name: &'static str) -> &mut Technique {
        let known = self.techniques.iter().position(|one| one.name == name);
        let at = known.unwrap_or_else(|| {
            self.techniques.push(Technique {
                name,
                programs: 0,
                executions: 0,
                schedules: 0,
                states: 0,
                programs_missed: 0,
                programs_warned: 0,
                programs_missed_and_warned: 0,
                breaches: 0,
            });
            self.techniques.len() - 1
        });
        &mut self.techniques[at]
    }
}

impl Technique {
    fn add(&mut self, measured: &Measured) {
        self.programs += 1;
        self.executions += measured.executions;
        self.schedules += measured.schedules;
        self.states += measured.states as u64;
        let has_missed = measured.missing > 0;
        self.programs_missed += u64::from(has_missed);
        self.programs_warned += u64::from(measured.has_warned);
        self.programs_missed_and_warned += u64::from(has_missed && measured.has_warned);
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let heads = [
            "judged",
            "too large",
            "deadlock",
            "fail",
            "race",
            "schedules",
            "HBRs",
            "lazy HBRs",
            "states",
            "breaches",
        ];
        write_row(f, "programs", &heads)?;
        for (flavour, sums) in &self.flavours {
            let counts = [
                sums.judged,
                sums.rejected,
                sums.deadlocking,
                sums.failing,
                sums.racing,
                sums.schedules,
                sums.relations,
                sums.lazy_relations,
                sums.states,
                sums.breaches,
            ];
            write_row(f, flavour.name(), &counts)?;
        }
        writeln!(f)?;
        let heads = [
            "programs",
            "executions",
            "cut",
            "schedules",
            "states",
            "missed in",
            "warned in",
            "of missed",
            "breaches",
        ];
        write_row(f, "techniques", &heads)?;
        for one in &self.techniques {
            let counts = [
                one.programs,
                one.executions,
                one.executions - one.schedules,
                one.schedules,
                one.states,
                one.programs_missed,
                one.programs_warned,
                one.programs_missed_and_warned,
                one.breaches,
            ];
            write_row(f, one.name, &counts)?;
        }
        writeln!(
            f,
            "lazy-odpor ran more executions than odpor on {} of {} programs",
            self.longer, self.compared
        )
    }
}

fn write_row(f: &mut fmt::Formatter<'_>, name: &str, cells: &[impl fmt::Display]) -> fmt::Result {
    write!(f, "{name:<24}")?;
    for cell in cells {
        write!(f, "{cell:>11}")?;
    }
    writeln!(f)
}
