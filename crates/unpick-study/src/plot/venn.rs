//! Three sets that overlap, with the size of each region.

use super::{COLOURS, opening};
use crate::page::escaped;
use std::fmt::Write as _;

/// A diagram of three sets. `counts[m]` is the size of the region whose members are in exactly the sets of the
/// bits of `m`; `counts[0]` stands outside.
#[must_use]
pub fn venn(names: [&str; 3], counts: [u64; 8]) -> String {
    let centres = [(190.0, 150.0), (310.0, 150.0), (250.0, 250.0)];
    let mut svg = opening(500.0, 400.0);
    for ((x, y), colour) in centres.iter().zip(COLOURS) {
        let _ = writeln!(
            svg,
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"100\" fill=\"{colour}\" fill-opacity=\"0.16\" stroke=\"{colour}\"/>"
        );
    }
    let labels = [
        (94.0, 40.0, "start"),
        (406.0, 40.0, "end"),
        (250.0, 376.0, "middle"),
    ];
    for (set, (x, y, anchor)) in labels.into_iter().enumerate() {
        let total: u64 = (1..8)
            .filter(|region| region & (1 << set) != 0)
            .map(|region| counts[region])
            .sum();
        let (name, colour) = (escaped(names[set]), COLOURS[set]);
        let _ = writeln!(
            svg,
            "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\" font-weight=\"bold\" fill=\"{colour}\">{name} {total}</text>"
        );
    }
    let places = [
        (466.0, 340.0),
        (138.0, 130.0),
        (362.0, 130.0),
        (250.0, 110.0),
        (250.0, 306.0),
        (184.0, 224.0),
        (316.0, 224.0),
        (250.0, 190.0),
    ];
    for ((x, y), count) in places.into_iter().zip(counts) {
        let _ = writeln!(
            svg,
            "<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\" font-size=\"16\">{count}</text>"
        );
    }
    svg.push_str(
        "<text x=\"466\" y=\"358\" text-anchor=\"middle\" fill=\"#55606b\">none</text></svg>",
    );
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_set_says_its_size_and_each_region_its_own() {
        let svg = venn(["A", "B", "C & D"], [9, 1, 2, 3, 4, 5, 6, 7]);
        for text in [">A 16<", ">B 18<", ">C &amp; D 22<", ">9<", ">7<"] {
            assert!(svg.contains(text), "{text} in {svg}");
        }
    }
}
