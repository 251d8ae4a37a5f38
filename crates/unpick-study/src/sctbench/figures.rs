//! The pictures: sets of bugs, and bugs against schedules and bounds.

use super::compare::is_published_found;
use super::grid::{Grid, Row};
use super::published::{PROGRAMS, VENNS, Venn};
use crate::page::Page;
use crate::plot::{Axis, Series, steps, venn};
use crate::table::Table;

/// Adds all pictures.
pub(super) fn add(page: &mut Page, grid: &Grid) {
    page.heading("Who finds what others do not (figure 3.3)");
    page.text(
        "Each number is the number of programs whose bug was found by exactly the techniques whose circles it \
         stands in; the one outside was found by none of the three.",
    );
    for diagram in &VENNS {
        if diagram.sets.iter().all(|set| grid.has(set)) {
            let counts = regions(grid, &diagram.sets);
            let name = format!("venn-{}", diagram.letter);
            let caption = format!("Figure 3.3{}, measured", diagram.letter);
            page.figure(&name, &caption, venn(diagram.sets, counts));
            let mut table = Table::new(&["region", "published", "measured"]);
            let published = published_regions(grid, diagram);
            for region in 0..8 {
                table.add([
                    region_name(&diagram.sets, region),
                    published[region].to_string(),
                    counts[region].to_string(),
                ]);
            }
            page.table(table);
        }
    }
    page.heading("Bugs against schedules (figures 3.4 and 3.5)");
    page.text("How many bugs each technique has found within so many schedules.");
    page.figure("schedules", "Bugs found against schedules", schedules(grid));
    page.heading("Bugs against the bound (figures 3.6 and 3.7)");
    page.text("How many bugs a search has found with at most so many preemptions or delays.");
    page.figure(
        "bounds",
        "Bugs found against preemptions or delays",
        bounds(grid),
    );
}

/// Bugs that a technique has found within so many schedules.
pub(super) fn found_within(grid: &Grid, technique: &str, schedules: u64) -> u64 {
    let firsts = firsts(grid, technique);
    firsts.iter().filter(|&&first| first <= schedules).count() as u64
}

/// The ranks of the first failing schedules, in order.
fn firsts(grid: &Grid, technique: &str) -> Vec<u64> {
    let cells = grid.rows().iter().filter_map(|row| row.get(technique));
    let mut firsts: Vec<u64> = cells.filter_map(|cell| cell.measured.first).collect();
    firsts.sort_unstable();
    firsts
}

/// How many programs are in exactly the sets of the bits of each number.
pub(super) fn regions(grid: &Grid, sets: &[&str; 3]) -> [u64; 8] {
    count_regions(grid, |row, set| row.is_found(sets[set]))
}

/// The same as published, of the programs that are here.
pub(super) fn published_regions(grid: &Grid, diagram: &Venn) -> [u64; 8] {
    if grid.rows().len() == PROGRAMS {
        return diagram.counts;
    }
    count_regions(grid, |row, set| {
        is_published_found(row, diagram.sets[set]) == Some(true)
    })
}

fn count_regions(grid: &Grid, is_in: impl Fn(&Row, usize) -> bool) -> [u64; 8] {
    let mut counts = [0; 8];
    for row in grid.rows() {
        let bits = (0..3).filter(|&set| is_in(row, set));
        counts[bits.map(|set| 1 << set).sum::<usize>()] += 1;
    }
    counts
}

pub(super) fn region_name(sets: &[&str; 3], region: usize) -> String {
    let members: Vec<String> = (0..3)
        .filter(|set| region & (1 << set) != 0)
        .map(|set| format!("`{}`", sets[set]))
        .collect();
    match members.len() {
        0 => "none".to_string(),
        1 => format!("{} only", members[0]),
        3 => "all three".to_string(),
        _ => format!("{} only", members.join(" and ")),
    }
}

fn schedules(grid: &Grid) -> String {
    let limit = grid.rows().iter().flat_map(|row| &row.cells);
    let limit = limit.map(|cell| cell.limit).max().unwrap_or(1) as f64;
    let all: Vec<Series> = grid
        .techniques()
        .iter()
        .map(|technique| {
            let firsts = firsts(grid, technique);
            let mut points = vec![(1.0, 0.0)];
            for (count, &first) in (1..).zip(&firsts) {
                points.push((first as f64, f64::from(count)));
            }
            points.push((limit, firsts.len() as f64));
            Series::new(format!("{technique} ({})", firsts.len()), points)
        })
        .collect();
    let x = Axis::log("schedules", 1.0, limit);
    let y = Axis::linear("bugs found", 0.0, grid.rows().len() as f64);
    steps(&x, &y, &all)
}

fn bounds(grid: &Grid) -> String {
    let mut all = Vec::new();
    let mut most: f64 = 1.0;
    for (technique, name) in [("ipb", "preemptions (ipb)"), ("idb", "delays (idb)")] {
        let cells = grid.rows().iter().filter_map(|row| row.get(technique));
        let mut firsts: Vec<u32> = cells
            .filter_map(|cell| cell.measured.first_bound())
            .collect();
        firsts.sort_unstable();
        let last = f64::from(firsts.last().copied().unwrap_or(0));
        most = most.max(last);
        let mut points = vec![(0.0, 0.0)];
        for (count, &bound) in (1..).zip(&firsts) {
            points.push((f64::from(bound), f64::from(count)));
        }
        all.push((name, points, firsts.len()));
    }
    let series: Vec<Series> = all
        .into_iter()
        .map(|(name, mut points, found)| {
            points.push((most, found as f64));
            Series::new(format!("{name}: {found}"), points)
        })
        .collect();
    let x = Axis::linear("bound", 0.0, most);
    let y = Axis::linear("bugs found", 0.0, grid.rows().len() as f64);
    steps(&x, &y, &series)
}
