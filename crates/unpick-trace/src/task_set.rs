//! Sets of tasks as bit masks: one word for the usual case, more when there are more tasks.

use crate::TaskId;
use alloc::vec::Vec;

/// A set of tasks that grows with the number of tasks. The first 64 need no memory of their own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskSet {
    low: u64,
    more: Vec<u64>,
}

impl TaskSet {
    /// The empty set.
    pub fn new() -> TaskSet {
        TaskSet::default()
    }

    /// Empties the set; keeps its memory.
    #[inline]
    pub fn clear(&mut self) {
        self.low = 0;
        self.more.clear();
    }

    /// Adds a task. Answers whether it was not there.
    #[inline]
    pub fn insert(&mut self, task: TaskId) -> bool {
        if task.0 >= 64 {
            return self.insert_high(task);
        }
        let bit = 1 << task.0;
        let is_new = self.low & bit == 0;
        self.low |= bit;
        is_new
    }

    #[cold]
    fn insert_high(&mut self, task: TaskId) -> bool {
        let index = task.index() / 64;
        if self.more.len() < index {
            self.more.resize(index, 0);
        }
        let word = &mut self.more[index - 1];
        let bit = 1 << (task.0 % 64);
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    /// Removes a task. Answers whether it was there.
    #[inline]
    pub fn remove(&mut self, task: TaskId) -> bool {
        if task.0 >= 64 {
            return self.remove_high(task);
        }
        let bit = 1 << task.0;
        let was_there = self.low & bit != 0;
        self.low &= !bit;
        was_there
    }

    #[cold]
    fn remove_high(&mut self, task: TaskId) -> bool {
        let Some(word) = self.more.get_mut(task.index() / 64 - 1) else {
            return false;
        };
        let bit = 1 << (task.0 % 64);
        let was_there = *word & bit != 0;
        *word &= !bit;
        was_there
    }

    /// Whether the task is in the set.
    #[inline]
    pub fn contains(&self, task: TaskId) -> bool {
        match task.0 {
            0..64 => self.low & (1 << task.0) != 0,
            _ => contains_high(&self.more, task),
        }
    }

    /// Whether no task above 63 was ever in the set.
    #[inline]
    pub fn is_low(&self) -> bool {
        self.more.is_empty()
    }

    /// A view of the tasks 0 to 63 of the set.
    #[inline]
    pub fn low_bits(&self) -> TaskBits<'static> {
        TaskBits {
            low: self.low,
            more: &[],
        }
    }

    /// Makes this set equal to `bits`; keeps its memory.
    pub fn copy_from(&mut self, bits: TaskBits<'_>) {
        self.low = bits.low;
        self.more.clear();
        self.more.extend_from_slice(bits.more);
    }

    /// Removes every task that is not in `bits`.
    #[inline]
    pub fn retain_in(&mut self, bits: TaskBits<'_>) {
        self.low &= bits.low;
        for (index, word) in self.more.iter_mut().enumerate() {
            *word &= bits.word(index + 1);
        }
    }

    /// Removes every task that is in `bits`.
    #[inline]
    pub fn remove_all(&mut self, bits: TaskBits<'_>) {
        self.low &= !bits.low;
        if !bits.more.is_empty() {
            self.remove_all_high(bits);
        }
    }

    #[cold]
    fn remove_all_high(&mut self, bits: TaskBits<'_>) {
        for (mine, word) in self.more.iter_mut().zip(bits.more) {
            *mine &= !word;
        }
    }

    /// Adds every task of `bits`.
    #[inline]
    pub fn insert_all(&mut self, bits: TaskBits<'_>) {
        self.low |= bits.low;
        if !bits.more.is_empty() {
            self.insert_all_high(bits);
        }
    }

    #[cold]
    fn insert_all_high(&mut self, bits: TaskBits<'_>) {
        if self.more.len() < bits.more.len() {
            self.more.resize(bits.more.len(), 0);
        }
        for (mine, word) in self.more.iter_mut().zip(bits.more) {
            *mine |= word;
        }
    }

    /// A view of the set.
    #[inline]
    pub fn bits(&self) -> TaskBits<'_> {
        TaskBits {
            low: self.low,
            more: &self.more,
        }
    }
}

/// A borrowed set of tasks.
#[derive(Clone, Copy, Debug)]
pub struct TaskBits<'a> {
    low: u64,
    more: &'a [u64],
}

impl PartialEq for TaskBits<'_> {
    fn eq(&self, other: &TaskBits<'_>) -> bool {
        let longest = self.more.len().max(other.more.len());
        (0..=longest).all(|index| self.word(index) == other.word(index))
    }
}

impl Eq for TaskBits<'_> {}

impl<'a> TaskBits<'a> {
    /// A set from its words: tasks 0 to 63, and the rest in words of 64.
    #[inline]
    pub fn from_words(low: u64, more: &'a [u64]) -> TaskBits<'a> {
        TaskBits { low, more }
    }

    /// Tasks 0 to 63 of the set.
    #[inline]
    pub fn low_word(&self) -> u64 {
        self.low
    }

    /// Tasks 64 and above, in words of 64.
    #[inline]
    pub fn more_words(&self) -> &'a [u64] {
        self.more
    }

    #[inline]
    fn word(&self, index: usize) -> u64 {
        match index {
            0 => self.low,
            _ => self.more.get(index - 1).copied().unwrap_or(0),
        }
    }

    /// Whether the task is in the set.
    #[inline]
    pub fn contains(&self, task: TaskId) -> bool {
        match task.0 {
            0..64 => self.low & (1 << task.0) != 0,
            _ => contains_high(self.more, task),
        }
    }

    /// Number of tasks in the set.
    #[inline]
    pub fn len(&self) -> usize {
        let more: u32 = self.more.iter().map(|word| word.count_ones()).sum();
        (self.low.count_ones() + more) as usize
    }

    /// Whether no task is in the set.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.low == 0 && self.more.iter().all(|word| *word == 0)
    }

    /// The lowest task of the set.
    #[inline]
    pub fn first(&self) -> Option<TaskId> {
        self.first_from(TaskId(0))
    }

    /// The lowest task of the set that is not below `start`.
    #[inline]
    pub fn first_from(&self, start: TaskId) -> Option<TaskId> {
        if start.0 < 64 {
            let rest = self.low & (u64::MAX << start.0);
            if rest != 0 {
                return Some(TaskId(rest.trailing_zeros()));
            }
        }
        match self.more.is_empty() {
            true => None,
            false => first_high(self.more, start),
        }
    }

    /// The task at position `nth` of the set, lowest first.
    #[inline]
    pub fn nth(&self, nth: usize) -> Option<TaskId> {
        if self.more.is_empty() {
            return nth_bit(self.low, nth).map(TaskId);
        }
        nth_of_many(self.low, self.more, nth)
    }

    /// The task at position `nth` of the set, counted from `start` on and wrapping round.
    #[inline]
    pub fn nth_from(&self, start: TaskId, nth: usize) -> Option<TaskId> {
        if self.more.is_empty() && start.0 < 64 {
            let turned = self.low.rotate_right(start.0);
            return nth_bit(turned, nth).map(|position| TaskId((position + start.0) % 64));
        }
        nth_of_many_from(self.low, self.more, start, nth)
    }

    /// The tasks of the set, lowest first.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = TaskId> + 'a {
        let mut next = self.first();
        core::iter::from_fn(move || {
            let task = next?;
            next = self.first_from(TaskId(task.0 + 1));
            Some(task)
        })
    }

    /// The tasks of the set in order of creation, starting at `start` and wrapping round.
    #[inline]
    pub fn iter_from(self, start: TaskId) -> impl Iterator<Item = TaskId> + 'a {
        let mut next = self.first_from(start);
        let mut wrapped = false;
        core::iter::from_fn(move || {
            if next.is_none() && !wrapped {
                wrapped = true;
                next = self.first();
            }
            let task = next?;
            if wrapped && task >= start {
                return None;
            }
            next = self.first_from(TaskId(task.0 + 1));
            Some(task)
        })
    }
}

// What concerns more than 64 tasks is kept out of line and given plain words: that keeps sets in
// registers on the path of a step.

#[cold]
fn contains_high(more: &[u64], task: TaskId) -> bool {
    let word = more.get(task.index() / 64 - 1).copied().unwrap_or(0);
    word & (1 << (task.0 % 64)) != 0
}

/// The lowest task from 64 on that is not below `start`.
#[cold]
fn first_high(more: &[u64], start: TaskId) -> Option<TaskId> {
    let start = start.0.max(64);
    let mut mask = u64::MAX << (start % 64);
    for index in start / 64..=more.len() as u32 {
        let word = more[index as usize - 1] & mask;
        if word != 0 {
            return Some(TaskId(index * 64 + word.trailing_zeros()));
        }
        mask = u64::MAX;
    }
    None
}

#[cold]
fn nth_of_many(low: u64, more: &[u64], nth: usize) -> Option<TaskId> {
    TaskBits { low, more }.iter().nth(nth)
}

#[cold]
fn nth_of_many_from(low: u64, more: &[u64], start: TaskId, nth: usize) -> Option<TaskId> {
    TaskBits { low, more }.iter_from(start).nth(nth)
}

/// The position of bit number `nth` of a word, counted from the lowest one that is set.
#[inline]
fn nth_bit(word: u64, nth: usize) -> Option<u32> {
    // A loop whose length is random is mispredicted nearly every time: the first steps are taken
    // without branches.
    let without_lowest = |rest: u64| rest & rest.wrapping_sub(1);
    let one = without_lowest(word);
    let two = without_lowest(one);
    let three = without_lowest(two);
    let mut rest = if nth == 0 { word } else { one };
    rest = if nth < 2 { rest } else { two };
    rest = if nth < 3 { rest } else { three };
    if nth > 3 {
        rest = without_lowest_bits(rest, nth - 3);
    }
    (rest != 0).then(|| rest.trailing_zeros())
}

/// A word without so many of its lowest bits.
#[cold]
fn without_lowest_bits(mut word: u64, count: usize) -> u64 {
    for _ in 0..count {
        word &= word.wrapping_sub(1);
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(tasks: &[u32]) -> TaskSet {
        let mut set = TaskSet::new();
        for &task in tasks {
            set.insert(TaskId(task));
        }
        set
    }

    fn numbers(tasks: impl Iterator<Item = TaskId>) -> Vec<u32> {
        tasks.map(|task| task.0).collect()
    }

    #[test]
    fn order_wraps_round_from_the_start() {
        let some = set(&[0, 2, 3, 70]);
        assert_eq!(numbers(some.bits().iter_from(TaskId(3))), [3, 70, 0, 2]);
        assert_eq!(numbers(some.bits().iter_from(TaskId(1))), [2, 3, 70, 0]);
        assert_eq!(numbers(some.bits().iter_from(TaskId(71))), [0, 2, 3, 70]);
        assert_eq!(numbers(set(&[]).bits().iter_from(TaskId(5))), []);
    }

    #[test]
    fn position_from_a_start_is_that_of_the_order() {
        for tasks in [&[0, 2, 3, 63][..], &[5], &[], &[0, 2, 3, 70], &[64, 130]] {
            let some = set(tasks);
            for start in [0, 1, 3, 5, 63, 64, 100, 200].map(TaskId) {
                for nth in 0..6 {
                    let expected = some.bits().iter_from(start).nth(nth);
                    assert_eq!(some.bits().nth_from(start, nth), expected);
                }
            }
        }
    }

    #[test]
    fn position_and_membership_cross_words() {
        let some = set(&[1, 63, 64, 130]);
        assert_eq!(some.bits().len(), 4);
        assert_eq!(some.bits().nth(2), Some(TaskId(64)));
        assert_eq!(some.bits().nth(4), None);
        assert!(some.bits().contains(TaskId(130)));
        assert!(!some.bits().contains(TaskId(129)));
    }

    #[test]
    fn equality_ignores_trailing_empty_words() {
        let mut long = set(&[3, 100]);
        long.remove(TaskId(100));
        assert_eq!(long.bits(), set(&[3]).bits());
    }
}
