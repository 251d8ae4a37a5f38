//! One remembered access to some bytes of a word, and what two of them mean for each other.

use unpick_trace::TaskId;

use super::{Access, AccessKind};
use crate::Clocks;

/// Bytes of memory in a word, the unit that a cell remembers.
pub const WORD_BYTES: usize = 8;

/// What was done. The lowest bit says that it wrote, the next one that it was atomic; a free is
/// apart from all of these. Zeroed memory must be a valid value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Mark {
    Read = 0,
    Write = 1,
    AtomicRead = 2,
    AtomicWrite = 3,
    Free = 5,
}

impl Mark {
    pub fn of(kind: AccessKind) -> Mark {
        match kind {
            AccessKind::Read => Mark::Read,
            AccessKind::Write => Mark::Write,
            AccessKind::AtomicRead => Mark::AtomicRead,
            AccessKind::AtomicWrite => Mark::AtomicWrite,
        }
    }

    fn kind(self) -> AccessKind {
        match self {
            Mark::Read => AccessKind::Read,
            Mark::Write | Mark::Free => AccessKind::Write,
            Mark::AtomicRead => AccessKind::AtomicRead,
            Mark::AtomicWrite => AccessKind::AtomicWrite,
        }
    }

    #[inline]
    fn writes(self) -> bool {
        self as u8 & 1 != 0
    }

    #[inline]
    fn atomic(self) -> bool {
        self as u8 & 2 != 0
    }

    /// Whether the two race if nothing orders them.
    #[inline]
    pub fn conflicts(self, other: Mark) -> bool {
        (self.writes() || other.writes()) && !(self.atomic() && other.atomic())
    }

    /// Whether all that conflicts with the other conflicts with this one too.
    #[inline]
    pub fn covers(self, other: Mark) -> bool {
        (self.writes() || !other.writes()) && (!self.atomic() || other.atomic())
    }
}

/// An access to some bytes of one word. Sixteen bytes, so that a cell is a line of the cache.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Record {
    pub epoch: u32,
    pub task: u16,
    /// One bit a byte of the word; none: there is no access here.
    pub bytes: u8,
    pub mark: Mark,
    /// The address of the code in 48 bits, then where in the word the access began and how many
    /// bytes of it follow the first one, three bits each.
    place: u64,
}

const PC_BITS: u32 = 48;

impl Record {
    /// # Panics
    ///
    /// Never: `bytes` may be anything, but for [`Record::access`] it is one contiguous range.
    #[inline]
    pub fn new(task: u16, epoch: u32, bytes: u8, mark: Mark, pc: usize) -> Record {
        let first = u64::from(bytes.trailing_zeros() & 7);
        let more = u64::from(bytes.count_ones().wrapping_sub(1) & 7);
        let pc = pc as u64 & ((1 << PC_BITS) - 1);
        Record {
            epoch,
            task,
            bytes,
            mark,
            place: pc | first << PC_BITS | more << (PC_BITS + 3),
        }
    }

    #[inline]
    pub fn task(&self) -> TaskId {
        TaskId(u32::from(self.task))
    }

    #[inline]
    pub fn pc(&self) -> usize {
        (self.place & ((1 << PC_BITS) - 1)) as usize
    }

    /// The access as it was in its word, also if part of it has been overwritten.
    pub fn access(&self, word: usize) -> Access {
        let first = (self.place >> PC_BITS) as usize & 7;
        let more = (self.place >> (PC_BITS + 3)) as usize & 7;
        Access {
            task: self.task(),
            pc: self.pc(),
            kind: self.mark.kind(),
            address: word * WORD_BYTES + first,
            size: more + 1,
        }
    }

    /// Whether remembering this makes it needless to remember the other, later one: the same task
    /// did as much to the same bytes, and nobody can know of the one without knowing of the other.
    #[inline]
    pub fn stands_for(&self, later: &Record) -> bool {
        self.task == later.task
            && self.epoch == later.epoch
            && later.bytes & !self.bytes == 0
            && self.mark != Mark::Free
            && self.mark.covers(later.mark)
    }
}

/// What became of an access among the remembered ones of its word.
#[derive(Default)]
pub struct Meeting {
    /// An access that the new one races with.
    pub raced: Option<Record>,
    /// The free of memory that the new access touches.
    pub freed: Option<Record>,
    /// The new access need not be remembered.
    pub known: bool,
    /// Bytes now known to be shared.
    pub shared: u8,
}

impl Meeting {
    /// Holds a remembered access against a new one and forgets of it what the new one stands for.
    /// Says whether its place is one that shares memory with the new one's.
    #[inline]
    pub fn meet(&mut self, earlier: &mut Record, later: &Record, clocks: &Clocks) -> bool {
        let bytes = earlier.bytes & later.bytes;
        if bytes == 0 {
            return false;
        }
        if earlier.mark == Mark::Free {
            self.freed = Some(*earlier);
            return false;
        }
        if earlier.task == later.task {
            if earlier.stands_for(later) {
                self.known = true;
            } else if later.mark.covers(earlier.mark) {
                earlier.bytes &= !bytes;
            }
            return false;
        }
        let ordered = clocks.happens_before(earlier.task(), earlier.epoch, later.task());
        if !ordered && earlier.mark.conflicts(later.mark) && self.raced.is_none() {
            self.raced = Some(*earlier);
        }
        let shared = (earlier.mark.writes() || later.mark.writes())
            && !clocks.is_apart(earlier.task(), earlier.epoch, later.task());
        if shared {
            self.shared |= bytes;
        }
        // A reader could stand for an earlier one as far as races go, but then a write of its own
        // would not show that it shares the memory with the earlier one.
        if ordered && later.mark.writes() && later.mark.covers(earlier.mark) {
            earlier.bytes &= !bytes;
        }
        shared
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARKS: [Mark; 4] = [Mark::Read, Mark::Write, Mark::AtomicRead, Mark::AtomicWrite];

    #[test]
    fn conflicts_are_those_of_the_memory_model() {
        let conflicting = [
            (Mark::Read, Mark::Write),
            (Mark::Write, Mark::Write),
            (Mark::Write, Mark::AtomicRead),
            (Mark::Write, Mark::AtomicWrite),
            (Mark::Read, Mark::AtomicWrite),
        ];
        for one in MARKS {
            for other in MARKS {
                let expected =
                    conflicting.contains(&(one, other)) || conflicting.contains(&(other, one));
                assert_eq!(one.conflicts(other), expected, "{one:?} {other:?}");
            }
            assert!(Mark::Free.conflicts(one) && Mark::Free.covers(one));
        }
    }

    #[test]
    fn covering_is_conflicting_with_as_much() {
        for one in MARKS {
            for other in MARKS {
                let expected = MARKS
                    .iter()
                    .all(|third| !other.conflicts(*third) || one.conflicts(*third));
                assert_eq!(one.covers(other), expected, "{one:?} {other:?}");
            }
        }
    }

    #[test]
    fn a_record_gives_back_its_access() {
        for (first, size) in [(0, 8), (7, 1), (2, 4), (0, 1), (1, 7)] {
            let bytes = (0xff_u8 >> (8 - size)) << first;
            let mut record = Record::new(9, 4, bytes, Mark::AtomicWrite, 0x7fff_1234_5678);
            record.bytes = 0;
            let expected = Access {
                task: TaskId(9),
                pc: 0x7fff_1234_5678,
                kind: AccessKind::AtomicWrite,
                address: 80 + first,
                size,
            };
            assert_eq!(record.access(10), expected);
        }
    }
}
