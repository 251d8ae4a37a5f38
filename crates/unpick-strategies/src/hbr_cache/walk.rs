//! How much of a tree a depth-first search has done that leaves some branches out.

use unpick_engine::TREE;

/// Where such a search stands: what lies before the way to its last execution is done, run or left out.
#[derive(Default)]
pub(super) struct Walk {
    done: u64,
}

impl Walk {
    /// The part of the tree that has been done since the last call, now that an execution has gone a way:
    /// at each of its points, the branches before the taken one, and all.
    pub fn portion(&mut self, way: impl Iterator<Item = (u32, u32)>) -> u64 {
        let (before, end) = way.fold((0, TREE), |(done, part), (before, options)| {
            let part = part / u64::from(options.max(1));
            (done + part * u64::from(before), part)
        });
        let done = core::mem::replace(&mut self.done, before + end);
        self.done - done
    }
}
