//! What is remembered of one word: three accesses in the cell, further ones in a chain.

use super::links::Links;
use super::record::{Lesson, Meeting, Record};
use crate::Clocks;

/// How many accesses a cell holds itself: a line of the cache with its head.
const INLINE_COUNT: usize = 3;

/// Words have numbers of 48 bits: addresses of more than 51 are used by no program.
const WORD_BITS: u32 = 48;

/// Remembers the accesses to one word. Zeroed memory is a cell that belongs to no execution.
#[repr(C, align(64))]
pub struct Cell {
    /// The word in 48 bits; above them the number of its owner and one more, zero for none.
    ///
    /// Invariant: a cell with an owner remembers accesses of that task only, no free, and has no chain.
    key: u64,
    /// From the lowest bit: the execution that it belongs to in 32 bits, in eight the bytes that are
    /// known to be shared between tasks, in 24 the number of the first link of its chain, from one, zero
    /// for none.
    state: u64,
    records: [Record; INLINE_COUNT],
}

const _: () = assert!(size_of::<Cell>() == 64);

const SHARED_BIT: u32 = 32;
const CHAIN_BIT: u32 = 40;

/// How the cell of a word is marked that a task owns.
#[inline(always)]
fn key(word: usize, task: u16) -> u64 {
    (word as u64 & ((1 << WORD_BITS) - 1)) | (u64::from(task) + 1) << WORD_BITS
}

impl Cell {
    /// Whether the cell says something of a word in an execution.
    #[inline]
    pub fn holds(&self, word: usize, stamp: u32) -> bool {
        (self.key ^ word as u64) << (64 - WORD_BITS) == 0 && self.in_use(stamp)
    }

    /// Whether the cell is in use in an execution.
    #[inline]
    pub fn in_use(&self, stamp: u32) -> bool {
        self.state as u32 == stamp
    }

    /// Whether the cell of a word is owned by a task, and none of its bytes is known to be shared: then
    /// nothing can be wrong with an access of that task, and nobody wants to know of it.
    #[inline(always)]
    pub fn is_owned(&self, word: usize, task: u16, stamp: u32) -> bool {
        self.key == key(word, task) && self.state == u64::from(stamp)
    }

    /// Takes in an access of the owner: in the place of one that it stands for, or where there is room.
    /// Answers whether it did.
    ///
    /// What else a read may stand for stays. That is no harm: whatever races with a remembered access
    /// also races with a later one of the same task that conflicts with as much.
    #[inline(always)]
    pub fn renew(&mut self, later: &Record) -> bool {
        let [first, second, third] = &mut self.records;
        if first.is_like(later) {
            return true;
        }
        if later.covers_all() {
            for record in [&mut *first, &mut *second, &mut *third] {
                record.forget(later.bytes());
            }
        }
        first.take(later) || second.take(later) || third.take(later)
    }

    /// Takes in an access that comes after all that is remembered of its bytes, if there is room in the
    /// cell: nothing can be wrong with it. Answers whether it did. It does what `meet` and `insert` do,
    /// for the usual case. `now` is what the task knows; not while places are learnt.
    #[inline(always)]
    pub fn follow(&mut self, later: &Record, now: &[u32]) -> bool {
        if !self.is_before(later, now) {
            return false;
        }
        let mut room = None;
        let mut is_own = true;
        for (index, record) in self.records.iter_mut().enumerate() {
            if later.covers(record) {
                record.forget(later.bytes());
            }
            match record.bytes() {
                0 => room = room.or(Some(index)),
                _ => is_own &= record.is_of(later.task_number()),
            }
        }
        let Some(room) = room else {
            return false;
        };
        self.records[room] = *later;
        let word = self.key & ((1 << WORD_BITS) - 1);
        self.key = match is_own {
            true => key(word as usize, later.task_number()),
            false => word,
        };
        true
    }

    /// Whether an access comes after all that is remembered of its bytes, as far as the cell itself
    /// shows: nothing can be wrong with it.
    #[inline(always)]
    pub fn is_before(&self, later: &Record, now: &[u32]) -> bool {
        let [first, second, third] = &self.records;
        self.state >> SHARED_BIT == 0
            && first.is_before(later, now)
            && second.is_before(later, now)
            && third.is_before(later, now)
    }

    /// Takes in a read of a word that is only read, by whomever, if its task has read it before: nothing
    /// can be wrong with it. Answers whether it did.
    #[inline]
    pub fn read_again(&mut self, later: &Record) -> bool {
        let is_read = |one: &Record| !one.writes() && !one.is_free();
        if self.chain() != 0 || !is_read(later) || !self.records.iter().all(is_read) {
            return false;
        }
        let is_before =
            |one: &&mut Record| one.task_number() == later.task_number() && one.bytes() != 0;
        let own = self.records.iter_mut().find(is_before);
        own.is_some_and(|own| own.take(later))
    }

    /// Whether an access tells nothing new, as far as the cell itself shows.
    #[inline(always)]
    pub fn knows(&self, later: &Record) -> bool {
        let [first, second, third] = &self.records;
        first.stands_for(later) || second.stands_for(later) || third.stands_for(later)
    }

    /// The bytes that are known to be shared between tasks.
    #[inline]
    pub fn shared(&self) -> u8 {
        (self.state >> SHARED_BIT) as u8
    }

    #[inline]
    fn chain(&self) -> u32 {
        (self.state >> CHAIN_BIT) as u32
    }

    #[inline]
    fn set_chain(&mut self, link: u32) {
        self.state = u64::from(link) << CHAIN_BIT | self.state & ((1 << CHAIN_BIT) - 1);
    }

    /// Takes the cell for a word of which nothing is known yet.
    #[inline]
    pub fn claim(&mut self, word: usize, stamp: u32, links: &mut Links<Record>) {
        self.drop_chain(stamp, links);
        self.key = word as u64 & ((1 << WORD_BITS) - 1);
        self.state = u64::from(stamp);
        for record in &mut self.records {
            record.clear();
        }
    }

    /// Takes the cell, which is not in use, for a word with its first access.
    #[inline(always)]
    pub fn start(&mut self, word: usize, stamp: u32, record: Record) {
        *self = Cell {
            key: key(word, record.task_number()),
            state: u64::from(stamp),
            records: [record, Record::NONE, Record::NONE],
        };
    }

    /// Makes a cell that is owned, which has no chain, one that belongs to no execution.
    #[inline(always)]
    pub fn release(&mut self) {
        self.state = 0;
    }

    /// Makes the cell one that belongs to no execution.
    pub fn clear(&mut self, stamp: u32, links: &mut Links<Record>) {
        self.drop_chain(stamp, links);
        self.state = 0;
    }

    /// Forgets all accesses to some bytes.
    pub fn forget(&mut self, bytes: u8, links: &mut Links<Record>) {
        self.state &= !(u64::from(bytes) << SHARED_BIT);
        for record in &mut self.records {
            record.forget(bytes);
        }
        if self.chain() != 0 {
            self.each_link(links, |record| record.forget(bytes));
        }
    }

    /// Remembers the first access to a word, if nothing is remembered of it. Answers whether it did.
    #[inline]
    pub fn begin(&mut self, record: Record) -> bool {
        if self.records[0].bytes() != 0 {
            return false;
        }
        self.records[0] = record;
        self.key = key(self.key as usize, record.task_number());
        true
    }

    /// Whether this very access is remembered, of memory that is not known to be shared.
    #[inline]
    pub fn remembers(&self, later: &Record) -> bool {
        self.shared() & later.bytes() == 0 && self.records.iter().any(|one| one.is_same(later))
    }

    /// Whether the cell says that some bytes must not be used.
    pub fn forbids(&self, bytes: u8) -> bool {
        let is_it = |one: &Record| one.is_free() && bytes & !one.bytes() == 0;
        self.records.iter().any(is_it)
    }

    /// Holds all that is remembered against a new access, and notes places, if there is something to learn.
    #[inline(always)]
    pub fn meet(
        &mut self,
        later: &Record,
        clocks: &Clocks,
        links: &mut Links<Record>,
        lesson: Option<Lesson<'_>>,
    ) -> Meeting {
        if self.chain() != 0 || lesson.is_some() {
            return self.meet_all(later, clocks, links, lesson);
        }
        // The usual case, without calls.
        let mut meeting = Meeting::NOTHING;
        let now = clocks.known_to(later.task());
        for earlier in &mut self.records {
            meeting.meet(earlier, later, now);
        }
        meeting
    }

    #[inline(never)]
    fn meet_all(
        &mut self,
        later: &Record,
        clocks: &Clocks,
        links: &mut Links<Record>,
        mut lesson: Option<Lesson<'_>>,
    ) -> Meeting {
        let mut meeting = Meeting::NOTHING;
        let now = clocks.known_to(later.task());
        self.each(links, |earlier| match &mut lesson {
            Some(lesson) => meeting.meet_learning(earlier, later, clocks, lesson),
            None => meeting.meet(earlier, later, now),
        });
        if let Some(lesson) = lesson
            && meeting.shared != 0
        {
            self.share(meeting.shared, links, lesson);
            self.state |= u64::from(meeting.shared) << SHARED_BIT;
        }
        meeting
    }

    /// Some bytes turn out to be shared: so do all accesses to them.
    #[cold]
    fn share(&mut self, bytes: u8, links: &mut Links<Record>, lesson: Lesson<'_>) {
        self.each(links, |record| {
            if record.bytes() & bytes != 0 && !record.is_free() {
                lesson.places.insert(record.pc());
            }
        });
    }

    /// Calls `look` for all that is remembered.
    fn each(&mut self, links: &mut Links<Record>, mut look: impl FnMut(&mut Record)) {
        for record in &mut self.records {
            look(record);
        }
        if self.chain() != 0 {
            self.each_link(links, look);
        }
    }

    /// Remembers an access where there is room, else in the place of one that goes into the chain. Says
    /// who owns the cell from now on.
    #[inline]
    pub fn insert(&mut self, record: Record, links: &mut Links<Record>) {
        let free = self.records.iter().position(|one| one.bytes() == 0);
        if free.is_none()
            && let Some(link) = links.take(self.records[0], self.chain())
        {
            self.set_chain(link);
        }
        self.records[free.unwrap_or(0)] = record;
        let task = record.task_number();
        let is_own = |one: &Record| one.bytes() == 0 || one.is_of(task);
        let word = self.key & ((1 << WORD_BITS) - 1);
        self.key = match self.chain() == 0 && self.records.iter().all(is_own) {
            true => key(word as usize, task),
            false => word,
        };
    }

    /// Calls `change` for all records of the chain and takes out those that it leaves without bytes.
    #[inline(never)]
    fn each_link(&mut self, links: &mut Links<Record>, mut change: impl FnMut(&mut Record)) {
        let first = links.retain(self.chain(), |record| {
            change(record);
            record.bytes() != 0
        });
        self.set_chain(first);
    }

    #[inline]
    fn drop_chain(&mut self, stamp: u32, links: &mut Links<Record>) {
        if self.in_use(stamp) && self.chain() != 0 {
            links.retain(self.chain(), |_| false);
            self.set_chain(0);
        }
    }
}
