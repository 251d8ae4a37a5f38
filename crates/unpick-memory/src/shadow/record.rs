//! One remembered access to some bytes of a word, and what two of them mean for each other.

use unpick_trace::TaskId;

use super::range::span;
use super::{Access, AccessKind, Learning};
use crate::{Clocks, Shared};

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
    #[inline(always)]
    pub fn of(kind: AccessKind) -> Mark {
        match kind {
            AccessKind::Read => Mark::Read,
            AccessKind::Write => Mark::Write,
            AccessKind::AtomicRead => Mark::AtomicRead,
            AccessKind::AtomicWrite => Mark::AtomicWrite,
        }
    }

    fn from_bits(bits: u8) -> Mark {
        match bits {
            0 => Mark::Read,
            1 => Mark::Write,
            2 => Mark::AtomicRead,
            3 => Mark::AtomicWrite,
            _ => Mark::Free,
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
}

/// An access to some bytes of one word. Sixteen bytes, so that a cell is a line of the cache.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Record {
    /// From the lowest bit: the epoch in 32 bits, the task in 16, one bit a byte of the word (none:
    /// there is no access here), the mark in eight. Most questions are answered with all at once.
    head: u64,
    /// The address of the code in 48 bits, then where in the word the access began and how many
    /// bytes of it follow the first one, three bits each.
    place: u64,
}

const TASK_BIT: u32 = 32;
const BYTES_BIT: u32 = 48;
const MARK_BIT: u32 = 56;
const PC_BITS: u32 = 48;

impl Record {
    /// No access.
    pub const NONE: Record = Record { head: 0, place: 0 };

    /// An access to `size` bytes of a word, of which `start` is the first.
    #[inline(always)]
    pub fn new(task: u16, epoch: u32, start: usize, size: usize, mark: Mark, pc: usize) -> Record {
        let pc = pc as u64 & ((1 << PC_BITS) - 1);
        let first = (start as u64 & 7) << PC_BITS;
        let more = (size.wrapping_sub(1) as u64 & 7) << (PC_BITS + 3);
        Record {
            head: u64::from(epoch)
                | u64::from(task) << TASK_BIT
                | u64::from(span(start, size)) << BYTES_BIT
                | (mark as u64) << MARK_BIT,
            place: pc | first | more,
        }
    }

    #[inline]
    pub fn epoch(&self) -> u32 {
        self.head as u32
    }

    #[inline]
    pub fn task(&self) -> TaskId {
        TaskId(u32::from(self.task_number()))
    }

    #[inline]
    pub fn task_number(&self) -> u16 {
        (self.head >> TASK_BIT) as u16
    }

    /// Whether it is an access of a task, and no free.
    #[inline]
    pub fn is_of(&self, task: u16) -> bool {
        self.task_number() == task && !self.is_free()
    }

    /// One bit a byte of the word.
    #[inline]
    pub fn bytes(&self) -> u8 {
        (self.head >> BYTES_BIT) as u8
    }

    /// Forgets some bytes.
    #[inline]
    pub fn forget(&mut self, bytes: u8) {
        self.head &= !(u64::from(bytes) << BYTES_BIT);
        if self.bytes() == 0 {
            self.head = 0;
        }
    }

    /// No access.
    #[inline]
    pub fn clear(&mut self) {
        self.head = 0;
    }

    fn mark(&self) -> Mark {
        Mark::from_bits((self.head >> MARK_BIT) as u8)
    }

    #[inline]
    pub fn is_free(&self) -> bool {
        self.head >> MARK_BIT & 4 != 0
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
            kind: self.mark().kind(),
            address: word * WORD_BYTES + first,
            size: more + 1,
        }
    }

    #[inline]
    pub fn writes(&self) -> bool {
        self.head >> MARK_BIT & 1 != 0
    }

    /// Whether the two race if nothing orders them.
    #[inline]
    pub fn conflicts(&self, other: &Record) -> bool {
        let (this, other) = (self.head >> MARK_BIT, other.head >> MARK_BIT);
        (this | other) & 1 != 0 && this & other & 2 == 0
    }

    /// Whether nothing can be wrong with a later access as far as this one goes: they have no byte in
    /// common, or the task of the later one, which knows `now`, comes after this one and no free.
    #[inline(always)]
    pub fn is_before(&self, later: &Record, now: &[u32]) -> bool {
        if self.bytes() & later.bytes() == 0 {
            return true;
        }
        let known = now.get(usize::from(self.task_number()));
        !self.is_free() && known.is_some_and(|known| *known >= self.epoch())
    }

    /// Whether the two are the same, in the same place of the code.
    #[inline]
    pub fn is_same(&self, other: &Record) -> bool {
        self.head == other.head && self.pc() == other.pc()
    }

    /// Whether the two are the same but for their places in the code.
    #[inline]
    pub fn is_like(&self, other: &Record) -> bool {
        self.head == other.head
    }

    /// Whether everything conflicts with this: it is a plain write.
    #[inline]
    pub fn covers_all(&self) -> bool {
        self.head >> MARK_BIT & 3 == 1
    }

    /// Whether all that conflicts with the other conflicts with this one too.
    #[inline]
    pub fn covers(&self, other: &Record) -> bool {
        // Not so if the other writes and this one does not, or this one is atomic and the
        // other is not.
        let (this, other) = (self.head >> MARK_BIT, other.head >> MARK_BIT);
        other & !this & 1 == 0 && this & !other & 2 == 0
    }

    /// Remembers a later access of the same task here, if there is room or it stands for what is here.
    /// Answers whether it is remembered now.
    #[inline(always)]
    pub fn take(&mut self, later: &Record) -> bool {
        // Without bytes there is nothing here, whatever the mark.
        let is_room =
            self.bytes() & !later.bytes() == 0 && (self.bytes() == 0 || later.covers(self));
        if is_room {
            *self = *later;
        }
        is_room || self.stands_for(later)
    }

    /// Whether remembering this makes it needless to remember the other, later one: the same task
    /// did as much to the same bytes, and nobody can know of the one without knowing of the other.
    #[inline(always)]
    pub fn stands_for(&self, later: &Record) -> bool {
        /// Task and epoch.
        const WHEN: u64 = (1 << BYTES_BIT) - 1;
        (self.head ^ later.head) & WHEN == 0
            && later.bytes() & !self.bytes() == 0
            && !self.is_free()
            && self.covers(later)
    }
}

/// What became of an access among the remembered ones of its word.
pub struct Meeting {
    /// An access that the new one races with. Without bytes: none.
    pub raced: Record,
    /// The free of memory that the new access touches. Without bytes: none.
    pub freed: Record,
    /// The new access need not be remembered.
    pub known: bool,
    /// Bytes now known to be shared.
    pub shared: u8,
}

impl Meeting {
    pub const NOTHING: Meeting = Meeting {
        raced: Record::NONE,
        freed: Record::NONE,
        known: false,
        shared: 0,
    };

    /// Whether something is wrong with the access.
    #[inline]
    pub fn is_bad(&self) -> bool {
        (self.raced.head | self.freed.head) != 0
    }

    /// Holds a remembered access against a new one, and forgets of it what the new one stands for. `now` is
    /// what the task of the new one knows.
    #[inline(always)]
    pub fn meet(&mut self, earlier: &mut Record, later: &Record, now: &[u32]) {
        if earlier.bytes() & later.bytes() == 0 {
            return;
        }
        if earlier.is_free() {
            self.freed = *earlier;
            return;
        }
        if earlier.task_number() == later.task_number() {
            if earlier.stands_for(later) {
                self.known = true;
            } else if later.covers(earlier) {
                earlier.forget(later.bytes());
            }
            return;
        }
        // Whatever races with the earlier one also races with this one, which it does not come after
        // either.
        if !self.race(earlier, later, now) && later.covers(earlier) {
            earlier.forget(later.bytes());
        }
    }

    /// Notes whether nothing orders a remembered access before a new one; answers whether that is so.
    #[inline(always)]
    fn race(&mut self, earlier: &Record, later: &Record, now: &[u32]) -> bool {
        let known = now.get(usize::from(earlier.task_number()));
        let is_concurrent = known.copied().unwrap_or(0) < earlier.epoch();
        if is_concurrent && earlier.conflicts(later) && self.raced.bytes() == 0 {
            self.raced = *earlier;
        }
        is_concurrent
    }

    /// The same while places are learnt. An access stands for another one of its own task and place only.
    pub fn meet_learning(
        &mut self,
        earlier: &mut Record,
        later: &Record,
        clocks: &Clocks,
        lesson: &mut Lesson<'_>,
    ) {
        let bytes = earlier.bytes() & later.bytes();
        if bytes == 0 {
            return;
        }
        if earlier.is_free() {
            self.freed = *earlier;
            return;
        }
        if earlier.task_number() == later.task_number() {
            let is_place = earlier.pc() == later.pc();
            if is_place && earlier.stands_for(later) {
                self.known = true;
            } else if is_place && later.covers(earlier) {
                earlier.forget(later.bytes());
            }
            return;
        }
        let is_concurrent = self.race(earlier, later, clocks.known_to(later.task()));
        match lesson.learning {
            Learning::Racy if is_concurrent && earlier.conflicts(later) => {
                lesson.places.insert(earlier.pc());
                lesson.places.insert(later.pc());
            }
            Learning::Shared if earlier.writes() || later.writes() => {
                let (task, epoch) = (earlier.task(), earlier.epoch());
                if !clocks.is_apart(task, epoch, later.task()) {
                    self.shared |= bytes;
                }
            }
            _ => {}
        }
    }
}

/// What is learnt, and where it is put.
pub struct Lesson<'a> {
    pub learning: Learning,
    pub places: &'a mut Shared,
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARKS: [Mark; 4] = [Mark::Read, Mark::Write, Mark::AtomicRead, Mark::AtomicWrite];

    fn record(mark: Mark) -> Record {
        Record::new(1, 1, 0, 8, mark, 0)
    }

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
                assert_eq!(
                    record(one).conflicts(&record(other)),
                    expected,
                    "{one:?} {other:?}"
                );
            }
            assert!(
                record(Mark::Free).conflicts(&record(one))
                    && record(Mark::Free).covers(&record(one))
            );
        }
    }

    #[test]
    fn covering_is_conflicting_with_as_much() {
        for one in MARKS {
            for other in MARKS {
                let expected = MARKS
                    .iter()
                    .map(|third| record(*third))
                    .all(|third| !record(other).conflicts(&third) || record(one).conflicts(&third));
                assert_eq!(
                    record(one).covers(&record(other)),
                    expected,
                    "{one:?} {other:?}"
                );
            }
        }
    }

    #[test]
    fn a_record_gives_back_its_access() {
        for (first, size) in [(0, 8), (7, 1), (2, 4), (0, 1), (1, 7)] {
            let mut record = Record::new(9, 4, first, size, Mark::AtomicWrite, 0x7fff_1234_5678);
            assert_eq!(record.bytes(), (0xff_u8 >> (8 - size)) << first);
            record.forget(!(1 << first));
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
