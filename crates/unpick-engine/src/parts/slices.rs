//! Shares of a randomised strategy: slices of the numbers of its executions.

use crate::{Exploration, LEARNING_MAX, PartFound, ShardFound};
use alloc::{boxed::Box, vec};
use core::ops::Range;

/// The executions of share number `index`, from 0, of `count`.
pub fn slice((index, count): (u32, u32), executions: u64) -> Range<u64> {
    let end = |index: u32| (u128::from(executions) * u128::from(index) / u128::from(count)) as u64;
    end(index)..end(index + 1)
}

/// How many of the first executions tell what strategies that learn have learned when a slice begins,
/// and what they learn within it from the executions before it. Those are run for that alone.
pub fn learned_before(slice: &Range<u64>) -> u64 {
    let last = slice.end.saturating_sub(1).min(LEARNING_MAX);
    match last {
        0 => 0,
        // The last power of two at which something is learned.
        _ => (1 << last.ilog2()).min(slice.start),
    }
}

/// The last number of executions, up to `count`, after which strategies learn.
pub fn last_lesson(count: u64) -> u64 {
    match count {
        0 => 0,
        _ => 1 << count.min(LEARNING_MAX).ilog2(),
    }
}

/// What share number `index`, from 0, of `count` has found in its slice.
pub fn of_slice(
    mut found: Exploration,
    slice: &Range<u64>,
    (index, count): (u32, u32),
) -> Exploration {
    let mut part = found.clone();
    part.count_from(0u64.wrapping_sub(slice.start));
    found.hash = part.hash;
    found.shard = Some(Box::new(ShardFound {
        part_count: count,
        parts: vec![PartFound {
            bound: 0,
            part: index,
            found: part,
        }],
    }));
    found
}
