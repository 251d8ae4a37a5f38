//! How many schedules of the programs of chapter 4 differ, and in what. Data only.
//!
//! The thesis prints the programs and what should come out; the counts were re-computed on exact
//! models of them. Those of DPOR and lazy DPOR belong to one straightforward implementation with
//! sleep sets that tries tasks in the order of their creation: another sound one may need more
//! schedules, or fewer, but never fewer than `hbrs` and `lazy_hbrs`.

/// One program's counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reduction {
    /// The program's label, with all its parameters.
    pub label: &'static str,
    /// All schedules.
    pub schedules: u64,
    /// Happens-before relations among them.
    pub hbrs: u64,
    /// Happens-before relations if the order in which tasks take locks is left out.
    pub lazy_hbrs: u64,
    /// Values of the shared variables at the end, together with who is blocked for ever.
    pub states: u64,
    /// Schedules that dynamic partial-order reduction explores.
    pub dpor: u64,
    /// Schedules that lazy dynamic partial-order reduction explores, without its fallback. It is
    /// unsound: in figure 4.3c it misses the deadlock.
    pub lazy_dpor: u64,
}

/// Figures 4.1 to 4.3, and the family `disjoint`, whose counts are k! and 1 for every k.
pub const REDUCTIONS: &[Reduction] = &[
    row("thesis.fig4_1", [24, 24, 11, 3, 24, 14]),
    row("thesis.fig4_2a", [2, 2, 2, 2, 2, 2]),
    row("thesis.fig4_2b", [5, 3, 2, 2, 3, 3]),
    row("thesis.fig4_2c", [12, 4, 2, 2, 4, 2]),
    row("thesis.fig4_2d", [25, 5, 3, 2, 5, 5]),
    row("thesis.fig4_3a", [12, 4, 2, 2, 4, 2]),
    row("thesis.fig4_3b", [18, 3, 2, 2, 3, 2]),
    row("thesis.fig4_3c", [6, 3, 2, 2, 3, 1]),
    row("thesis.fig4_3d", [78, 6, 2, 2, 6, 2]),
    row("disjoint:k=2", [2, 2, 1, 1, 2, 1]),
    row("disjoint:k=3", [6, 6, 1, 1, 6, 1]),
    row("disjoint:k=4", [24, 24, 1, 1, 24, 1]),
    row("disjoint:k=5", [120, 120, 1, 1, 120, 1]),
    row("disjoint:k=6", [720, 720, 1, 1, 720, 1]),
    row("disjoint:k=7", [5_040, 5_040, 1, 1, 5_040, 1]),
    row("disjoint:k=8", [40_320, 40_320, 1, 1, 40_320, 1]),
];

/// The counts of the program with this label, as [`Selection::label`](crate::Selection::label)
/// gives it.
#[must_use]
pub fn reduction(label: &str) -> Option<&'static Reduction> {
    REDUCTIONS.iter().find(|row| row.label == label)
}

/// In the order of the fields.
const fn row(label: &'static str, counts: [u64; 6]) -> Reduction {
    let [schedules, hbrs, lazy_hbrs, states, dpor, lazy_dpor] = counts;
    Reduction {
        label,
        schedules,
        hbrs,
        lazy_hbrs,
        states,
        dpor,
        lazy_dpor,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find;

    #[test]
    fn labels_are_those_of_the_programs() {
        for row in REDUCTIONS {
            assert_eq!(find(row.label).unwrap().label, row.label);
        }
        assert_eq!(reduction("thesis.fig4_2b").unwrap().schedules, 5);
        assert_eq!(reduction("thesis.fig3_1"), None);
    }

    #[test]
    fn each_count_refines_the_next() {
        for row in REDUCTIONS {
            let chain = [row.states, row.lazy_hbrs, row.hbrs, row.dpor, row.schedules];
            assert!(chain.is_sorted(), "{}", row.label);
            assert!(row.lazy_dpor <= row.dpor, "{}", row.label);
        }
    }
}
