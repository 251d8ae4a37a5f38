//! Whether a program fails in every order, as far as orders drawn at random tell.

use crate::shrink::{Ended, Run};
use unpick_trace::{Plan, Segment, TaskId};

/// Orders that are drawn.
pub(super) const ORDERS: usize = 200;

/// Whether all orders that were drawn fail, in whatever way; not if there was no time for all of them. The same execution
/// gets the same orders.
pub(super) fn all_fail(failing: &Ended, run: &mut Run<'_>) -> bool {
    let trace = &failing.trace;
    let mut counts = vec![1; trace.tasks.len()];
    // There is one order.
    if counts.len() < 2 {
        return true;
    }
    for step in trace.operations() {
        counts[step.task.index()] += 1;
    }
    let mut random = Random(0x5eed);
    (0..ORDERS).all(|number| {
        let order = draw(counts.clone(), number % 4, &mut random);
        let ended = run(&Plan::new(trace, &Segment::of(order)));
        ended.is_some_and(|ended| ended.outcome.is_failure())
    })
}

/// Draws an order of tasks that perform so many operations each. The larger `patience`, the longer a task goes on.
fn draw(mut left: Vec<usize>, patience: usize, random: &mut Random) -> Vec<TaskId> {
    let mut order: Vec<TaskId> = Vec::new();
    loop {
        let last = order.last().copied();
        let stays = last.filter(|task| left[task.index()] > 0 && random.below(1 << patience) > 0);
        let next = stays.or_else(|| {
            let able: Vec<usize> = (0..left.len()).filter(|task| left[*task] > 0).collect();
            let chosen = able.get(random.below(able.len().max(1)));
            chosen.map(|task| TaskId(*task as u32))
        });
        let Some(next) = next else {
            return order;
        };
        left[next.index()] -= 1;
        order.push(next);
    }
}

/// Numbers by SplitMix64, which are the same everywhere and for ever.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut number = self.0;
        number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((number ^ (number >> 31)) % bound as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_has_all_operations() {
        let mut random = Random(1);
        let mut orders = Vec::new();
        for number in 0..ORDERS {
            let order = draw(vec![3, 2], number % 4, &mut random);
            let count = |task| order.iter().filter(|one| **one == TaskId(task)).count();
            assert_eq!((count(0), count(1)), (3, 2));
            orders.push(order);
        }
        orders.sort();
        orders.dedup();
        assert_eq!(orders.len(), 10, "all orders of three and two are drawn");
    }
}
