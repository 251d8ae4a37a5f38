//! How large each program is, and how its fault shows.
//!
//! Tasks and points are the most that five random executions of seed 0 have, of the fixed twin where there is one,
//! since a failure ends an execution early. `tests/programs.rs` holds the table to that, and the kind of
//! failure to what is found. Data only.

mod table;

use table::TABLE;

/// How a fault shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BugKind {
    /// An assertion that the program has fails.
    Assertion,
    /// Tasks wait for each other, or one for ever.
    Deadlock,
    /// Something is used that is not there: freed, out of bounds, null.
    Crash,
    /// The result is wrong.
    WrongOutput,
    /// A lock is used wrongly.
    Misuse,
    /// The fault shows under weak memory only.
    WeakMemory,
}

impl BugKind {
    /// All kinds.
    pub const ALL: &[BugKind] = &[
        BugKind::Assertion,
        BugKind::Deadlock,
        BugKind::Crash,
        BugKind::WrongOutput,
        BugKind::Misuse,
        BugKind::WeakMemory,
    ];

    /// One word for lists.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            BugKind::Assertion => "assertion",
            BugKind::Deadlock => "deadlock",
            BugKind::Crash => "crash",
            BugKind::WrongOutput => "wrong-output",
            BugKind::Misuse => "misuse",
            BugKind::WeakMemory => "weak-memory",
        }
    }
}

/// What is known of a program at its default parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The program's name.
    pub name: &'static str,
    /// Tasks, the first one included.
    pub tasks: u32,
    /// Scheduling points of an execution.
    pub points: u32,
    /// How its fault shows; `None` if it has none.
    pub kind: Option<BugKind>,
}

/// What is known of the program called `name`, without regard to case.
#[must_use]
pub fn facts(name: &str) -> Option<&'static Facts> {
    TABLE
        .iter()
        .find(|facts| facts.name.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs;

    #[test]
    fn there_are_facts_of_every_program_in_order() {
        let names = programs().iter().map(|program| program.name);
        assert!(names.eq(TABLE.iter().map(|facts| facts.name)));
    }

    #[test]
    fn those_with_a_fault_have_a_kind() {
        for program in programs() {
            let kind = facts(program.name).and_then(|facts| facts.kind);
            assert_eq!(program.fault.is_some(), kind.is_some(), "{}", program.name);
        }
    }
}
