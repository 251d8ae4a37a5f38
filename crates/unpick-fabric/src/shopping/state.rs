//! What is on a list, and how it got there.

use crate::disk::OpenDisk;
use crate::protocol::{Data, Epoch, Item, Lsn, Operation};
use crate::{Bug, Bugs};
use std::collections::VecDeque;
use unpick_actors::Reply;

/// All that can be on a list: the platform carries bytes, and clients want words.
pub(crate) const ITEMS: [Item; 3] = ["apples", "bread", "cheese"];

/// An addition that was replicated.
pub(super) struct Entry {
    pub operation: Operation,
    pub is_confirmed: bool,
    pub done: Option<Reply<bool>>,
}

/// The list of one replica.
pub(super) struct ListState {
    bugs: Bugs,
    pub epoch: Epoch,
    /// What was applied, in that order.
    applied: Vec<Operation>,
    /// The number applied last.
    pub last: Lsn,
    /// Additions that were replicated, in the order in which they are to be applied.
    pub entered: VecDeque<Entry>,
    disk: Option<OpenDisk>,
}

/// What a secondary has: the last operation and its epoch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Progress {
    lsn: Lsn,
    epoch: Epoch,
}

impl Progress {
    fn of(operation: &Operation) -> Progress {
        Progress {
            lsn: operation.lsn,
            epoch: operation.epoch,
        }
    }
}

impl ListState {
    /// An empty list, or what is found on the disk.
    pub fn new(bugs: Bugs, disk: Option<OpenDisk>) -> ListState {
        let applied = disk.as_ref().map(OpenDisk::operations).unwrap_or_default();
        let last = applied.last().map(Progress::of).unwrap_or_default();
        ListState {
            bugs,
            epoch: last.epoch,
            applied,
            last: last.lsn,
            entered: VecDeque::new(),
            disk,
        }
    }

    /// Applies an operation. Answers whether it is stored: not if the replica has died without knowing it.
    pub fn apply(&mut self, operation: Operation) -> bool {
        if !self.bugs.has(Bug::CommitAckedOpImmediatelySkipAssertions) {
            let (lsn, last) = (operation.lsn, self.last);
            assert_eq!(lsn, last + 1, "operation {lsn} is applied after {last}");
        }
        let is_stored = self
            .disk
            .as_ref()
            .is_none_or(|disk| disk.append(&operation));
        self.last = operation.lsn;
        self.applied.push(operation);
        is_stored
    }

    /// Applies what the primary has replicated.
    pub fn apply_replicated(&mut self, operation: Operation) {
        let (of, known) = (operation.epoch, self.epoch);
        assert_eq!(of, known, "operation {} is of another epoch", operation.lsn);
        self.apply(operation);
    }

    pub fn items(&self) -> Vec<Item> {
        let applied = self.applied.iter();
        applied.map(|one| decode_item(&one.data)).collect()
    }

    /// Whether an addition of this number was applied, or is under way.
    pub fn find(&self, number: u64) -> Option<bool> {
        let is_it = |operation: &Operation| number_of(&operation.data) == number;
        if self.applied.iter().any(is_it) {
            return Some(true);
        }
        let mut entered = self.entered.iter();
        let is_entered = entered.any(|entry| is_it(&entry.operation));
        is_entered.then_some(false)
    }

    /// What a primary needs to know to bring this list up to date.
    pub fn copy_context(&self) -> Vec<Data> {
        let last = self.applied.last().map(Progress::of).unwrap_or_default();
        vec![encode(last, b"")]
    }

    /// What another list needs to be as this one was after an operation: what comes after its last operation, if that
    /// is known here; otherwise it has made false progress, and gets everything.
    pub fn copy_state(&self, up_to: Lsn, context: &[Data]) -> Vec<Data> {
        let has = context.first().map(|data| decode(data).0);
        let has = has.unwrap_or_default();
        let mut known = self.applied.iter().filter(|one| one.lsn <= up_to);
        let is_known = has == Progress::default() || known.any(|one| Progress::of(one) == has);
        let (first, after) = match is_known {
            true => (None, has.lsn),
            false => (Some(encode(Progress::default(), b"")), 0),
        };
        let rest = self.applied.iter();
        let rest = rest.filter(|one| one.lsn > after && one.lsn <= up_to);
        let rest = rest.map(|one| encode(Progress::of(one), &one.data));
        first.into_iter().chain(rest).collect()
    }

    /// Takes in a part of a copy.
    pub fn apply_copy(&mut self, data: &[u8]) {
        let (Progress { lsn, epoch }, data) = decode(data);
        if lsn == 0 {
            self.applied.clear();
            self.last = 0;
            if let Some(disk) = &self.disk {
                disk.clear();
            }
            return;
        }
        let data = data.into();
        self.apply(Operation { lsn, epoch, data });
    }
}

/// An addition as the platform carries it.
pub(super) fn addition(number: u64, item: Item) -> Data {
    [&number.to_le_bytes(), item.as_bytes()].concat().into()
}

fn number_of(data: &[u8]) -> u64 {
    let bytes = data.first_chunk().expect("an addition has a number");
    u64::from_le_bytes(*bytes)
}

/// The item of an addition.
fn decode_item(data: &[u8]) -> Item {
    let mut all = ITEMS.iter();
    let item = all.find(|item| item.as_bytes() == &data[8..]);
    item.expect("an addition has an item")
}

fn encode(progress: Progress, data: &[u8]) -> Data {
    let Epoch {
        data_loss,
        configuration,
    } = progress.epoch;
    let head = [data_loss.to_le_bytes(), configuration.to_le_bytes()].concat();
    [&progress.lsn.to_le_bytes(), &head[..], data]
        .concat()
        .into()
}

fn decode(bytes: &[u8]) -> (Progress, &[u8]) {
    let (lsn, rest) = bytes.split_first_chunk().expect("a number");
    let (data_loss, rest) = rest.split_first_chunk().expect("an epoch");
    let (configuration, rest) = rest.split_first_chunk().expect("an epoch");
    let epoch = Epoch {
        data_loss: u32::from_le_bytes(*data_loss),
        configuration: u32::from_le_bytes(*configuration),
    };
    let lsn = u64::from_le_bytes(*lsn);
    (Progress { lsn, epoch }, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operation(lsn: Lsn, configuration: u32) -> Operation {
        let epoch = Epoch {
            data_loss: 0,
            configuration,
        };
        let data = addition(lsn, ITEMS[lsn as usize % ITEMS.len()]);
        Operation { lsn, epoch, data }
    }

    fn list(operations: &[(Lsn, u32)]) -> ListState {
        let mut list = ListState::new(Bugs::none(), None);
        for &(lsn, configuration) in operations {
            list.apply(operation(lsn, configuration));
        }
        list
    }

    #[track_caller]
    fn copied(primary: &ListState, secondary: &mut ListState, up_to: Lsn) -> usize {
        let parts = primary.copy_state(up_to, &secondary.copy_context());
        parts.iter().for_each(|part| secondary.apply_copy(part));
        let part = |list: &ListState| list.applied.clone();
        let expected: Vec<_> = part(primary)
            .into_iter()
            .filter(|one| one.lsn <= up_to)
            .collect();
        assert_eq!(part(secondary), expected);
        parts.len()
    }

    #[test]
    fn a_new_secondary_gets_everything_and_one_that_lags_the_rest() {
        let primary = list(&[(1, 1), (2, 1), (3, 2)]);
        assert_eq!(copied(&primary, &mut list(&[]), 3), 3);
        assert_eq!(copied(&primary, &mut list(&[(1, 1)]), 3), 2);
        assert_eq!(copied(&primary, &mut list(&[(1, 1), (2, 1)]), 2), 0);
    }

    #[test]
    fn false_progress_is_noticed_and_everything_is_sent() {
        let primary = list(&[(1, 1), (2, 2)]);
        // It has an operation 2 that never was, and one 3.
        assert_eq!(copied(&primary, &mut list(&[(1, 1), (2, 1)]), 2), 3);
        assert_eq!(copied(&primary, &mut list(&[(1, 1), (2, 1), (3, 1)]), 2), 3);
        // Having more than the copy is to contain is too much, too.
        assert_eq!(copied(&primary, &mut list(&[(1, 1), (2, 2)]), 1), 2);
    }
}
