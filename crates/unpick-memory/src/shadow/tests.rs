//! What only shows from inside: where cells are, what chains cost, what old stamps leave.

extern crate std;

use std::alloc::{Layout, alloc_zeroed};

use super::*;

const PAGE_COUNT: usize = 4;

fn shadow() -> Shadow {
    let bytes = PAGE_COUNT * PAGE_SHADOW_BYTES;
    // SAFETY: the layout is not empty; the memory is never given back.
    let memory = unsafe { alloc_zeroed(Layout::from_size_align(bytes, 64).unwrap()) };
    // SAFETY: fresh zeroed memory of that size that nobody else knows.
    let mut shadow = unsafe { Shadow::new(memory, bytes) };
    shadow.learn(Learning::Nothing);
    shadow
}

fn tasks(count: u32) -> Clocks {
    let mut clocks = Clocks::new();
    clocks.begin(None, TaskId(0));
    for task in 1..count {
        clocks.begin(Some(TaskId(0)), TaskId(task));
    }
    clocks
}

/// Two pages whose cells are the same.
fn aliases(shadow: &Shadow) -> (usize, usize) {
    let other = (2..).find(|page| shadow.slot(*page) == shadow.slot(1));
    (PAGE_BYTES, other.unwrap() * PAGE_BYTES)
}

const PAGE_BYTES: usize = range::PAGE_BYTES;

#[test]
fn a_chain_is_given_back_when_a_write_follows_all_readers() {
    let mut shadow = shadow();
    let mut clocks = tasks(20);
    for task in 1..20 {
        let raced = shadow.access(&clocks, TaskId(task), 64, 4, AccessKind::Read, 1);
        assert_eq!(raced, None);
    }
    assert_eq!(shadow.links.taken(), 16);
    for task in 1..20 {
        clocks.join(TaskId(0), TaskId(task));
    }
    let write = shadow.access(&clocks, TaskId(0), 64, 4, AccessKind::Write, 2);
    assert_eq!(write, None);
    assert_eq!(shadow.links.taken(), 0);
}

#[test]
fn a_cell_taken_by_another_page_gives_its_chain_back_and_makes_no_race() {
    let mut shadow = shadow();
    let clocks = tasks(20);
    let (one, other) = aliases(&shadow);
    for task in 1..20 {
        shadow.access(&clocks, TaskId(task), one, 8, AccessKind::Read, 1);
    }
    assert_ne!(shadow.links.taken(), 0);
    let access = shadow.access(&clocks, TaskId(0), other, 8, AccessKind::Write, 2);
    assert_eq!(access, None);
    assert_eq!(shadow.links.taken(), 0);
    // What was known of the first page is lost, which is a miss and not a false alarm.
    let access = shadow.access(&clocks, TaskId(0), one, 8, AccessKind::Write, 2);
    assert_eq!(access, None);
}

#[test]
fn allocating_a_page_forgets_its_cells_although_another_page_shares_them() {
    let mut shadow = shadow();
    let clocks = tasks(3);
    let (one, other) = aliases(&shadow);
    shadow.access(&clocks, TaskId(1), one, 8, AccessKind::Write, 1);
    // The entry of the page is now that of the other one.
    shadow.free(TaskId(1), other, PAGE_BYTES, 2, &clocks);
    shadow.allocate(one, PAGE_BYTES);
    let access = shadow.access(&clocks, TaskId(2), one, 8, AccessKind::Write, 3);
    assert_eq!(access, None);
    let used = shadow.access(&clocks, TaskId(2), other + 8, 8, AccessKind::Read, 4);
    assert!(matches!(used, Some(Finding::UseAfterFree { .. })));
}

#[test]
fn a_page_that_was_partly_allocated_again_is_not_freed_as_a_whole() {
    let mut shadow = shadow();
    let clocks = tasks(3);
    let (one, other) = aliases(&shadow);
    shadow.free(TaskId(1), one, PAGE_BYTES, 1, &clocks);
    shadow.allocate(one, 8);
    // Takes the cell, so that the page is all that is left to ask.
    shadow.access(&clocks, TaskId(1), other, 8, AccessKind::Write, 2);
    let access = shadow.access(&clocks, TaskId(2), one, 8, AccessKind::Write, 3);
    assert_eq!(access, None);
}

#[test]
fn stamps_begin_anew_without_showing_what_they_stamped_before() {
    let mut shadow = shadow();
    let clocks = tasks(3);
    assert_eq!(shadow.stamp, 1);
    shadow.access(&clocks, TaskId(1), 64, 8, AccessKind::Write, 1);
    shadow.free(TaskId(1), PAGE_BYTES, PAGE_BYTES, 1, &clocks);
    shadow.stamp = u32::MAX;
    shadow.access(&clocks, TaskId(1), 128, 8, AccessKind::Write, 1);
    shadow.begin_execution();
    assert_eq!(shadow.stamp, 1);
    for address in [64, 128, PAGE_BYTES] {
        let access = shadow.access(&clocks, TaskId(2), address, 8, AccessKind::Write, 2);
        assert_eq!(access, None);
    }
}

#[test]
fn neighbouring_pages_do_not_take_each_others_cells() {
    let pages = 1024;
    let bytes = pages * PAGE_SHADOW_BYTES;
    // SAFETY: the layout is not empty; the memory is never given back, nor touched.
    let memory = unsafe { alloc_zeroed(Layout::from_size_align(bytes, 64).unwrap()) };
    // SAFETY: fresh zeroed memory of that size that nobody else knows.
    let shadow = unsafe { Shadow::new(memory, bytes) };
    for first in [0x40_0000 / 4096, 0x7fff_f7a0_0000 / 4096] {
        let mut slots: std::vec::Vec<_> = (first..first + pages * 2 / 5)
            .map(|page| shadow.slot(page))
            .collect();
        let count = slots.len();
        slots.sort_unstable();
        slots.dedup();
        assert_eq!(slots.len(), count);
    }
}
