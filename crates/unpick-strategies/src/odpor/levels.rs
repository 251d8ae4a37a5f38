//! Which kept executions can begin with how much of the path.
//!
//! Most of them differ from the path early on. Points that the path keeps are not compared again.

use alloc::vec::Vec;

/// Numbers of executions that can begin with so many points of the path, fewer and fewer.
#[derive(Clone, Default)]
pub(super) struct Levels {
    levels: Vec<(usize, Vec<usize>)>,
    /// How many sections had lost their privilege, by which executions can begin with others.
    fixed_count: usize,
}

impl Levels {
    pub fn clear(&mut self) {
        self.levels.clear();
    }

    /// The executions that can begin with these points of the path, and perhaps some more; `None` if
    /// any may. What is known of later points is forgotten.
    pub fn narrow(&mut self, depth: usize, fixed_count: usize) -> Option<Vec<usize>> {
        if self.fixed_count != fixed_count {
            self.fixed_count = fixed_count;
            self.clear();
        }
        self.levels.retain(|(points, _)| *points <= depth);
        self.levels.last().map(|(_, numbers)| numbers.clone())
    }

    /// Adds how many points executions can begin with. They are put down where half of them are left
    /// behind, so that it takes no more memory than twice their number.
    pub fn add(&mut self, mut reached: Vec<(usize, usize)>) {
        reached.sort_unstable();
        let mut size = reached.len();
        for at in 1..reached.len() {
            let (before, rest) = (reached[at - 1].0, &reached[at..]);
            if rest[0].0 > before && 2 * rest.len() <= size {
                size = rest.len();
                let numbers = rest.iter().map(|(_, number)| *number).collect();
                self.levels.push((rest[0].0, numbers));
            }
        }
    }
}
