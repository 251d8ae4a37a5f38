//! The program's heap, inside a region of memory that is handed to it.
//!
//! All state is in the region, so that putting back the bytes of the region puts back the heap, and
//! the same calls give the same places. Memory that was freed is not used again as long as there is
//! fresh memory within the limit given to [`Heap::format`]; after that, the block of its size that was
//! freed first goes first. Until then a use after free touches memory that belongs to nobody else, so
//! that the shadow can tell. Every call takes constant time.
//!
//! A block has a header of 32 bytes in front, with a check that depends on the place, the size and
//! whether it has been freed: wild pointers and second frees are told apart from blocks. A second free
//! is not noticed if the block was handed out again in between. Blocks are never split nor put
//! together; one asked for with a large alignment lies inside of a larger one if no fresh memory is
//! left.
//!
//! Headers, and what a block has beyond the size that was asked for, are *red zones*: the program has
//! no business there. [`Heap::locate`] finds the block that an address belongs to or lies beside. Fresh
//! blocks lie behind each other, so that a list of them in the order of allocation is sorted. The list
//! grows down from the end of the region. It is not part of what is saved and put back: its valid length
//! is, and an execution that is led along the same way writes the same entries.

mod class;
mod locate;

use class::{CLASS_COUNT, UNIT_BYTES, bytes_of, class_of};
pub use locate::{Origin, Placed};

/// A region has at most this many units, as units are counted in 32 bits.
const UNIT_COUNT_MAX: usize = u32::MAX as usize;

const HEADER_UNITS: u32 = 2;

const ROOT_MAGIC: u64 = 0x756e_7069_636b_6870;

const CLASS_WORDS: usize = CLASS_COUNT.div_ceil(64);

/// A handle to a heap. Copies of the region's bytes are copies of the heap.
#[derive(Debug)]
pub struct Heap {
    /// Invariant: points to a root, followed by the region that the root describes.
    root: *mut Root,
    /// The live block that [`Heap::locate`] found last: neighbouring words are asked for one by one.
    last: Option<Placed>,
}

/// What a released block was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Released {
    /// How many bytes the program has asked for.
    pub size: usize,
}

/// What a program frees that it must not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misuse {
    /// The block has been freed before.
    DoubleFree,
    /// No block of this heap begins there.
    NotABlock,
}

/// The state, at the beginning of the region.
#[repr(C, align(16))]
struct Root {
    magic: u64,
    /// Units in the region.
    unit_count: u32,
    /// Fresh memory is used first while less than this is.
    fresh_unit_count: u32,
    /// The first unit that was never handed out.
    used: u32,
    /// How many blocks are in the list at the end of the region.
    block_count: u32,
    /// One bit a class that has freed blocks.
    classes: [u64; CLASS_WORDS],
    /// Freed blocks of each class, in the order of freeing.
    freed: [Queue; CLASS_COUNT],
}

/// Freed blocks by their units, zero for none.
#[derive(Clone, Copy)]
#[repr(C)]
struct Queue {
    first: u32,
    last: u32,
}

/// In front of every block.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
struct Header {
    allocated: Origin,
    freed: Origin,
    check: u32,
    class: u32,
    /// Freed: the next block in the queue. Live: how many units of the block lie before this header's
    /// place, for alignment.
    link: u32,
    /// Bytes at the end of the block that were not asked for, or as many as can be told.
    slack: u32,
}

const _: () = assert!(size_of::<Header>() == HEADER_UNITS as usize * UNIT_BYTES);

/// What a header says of its block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Live,
    /// Also one whose memory is used again from a place further inside, with a header of its own:
    /// whoever frees it here has been given it before.
    Freed,
    /// Its memory is used again from a place further inside, as many units away as the link says.
    Moved,
}

impl Heap {
    /// Makes an empty heap of a region. The first `fresh_bytes` of it are used before any block is
    /// used a second time.
    ///
    /// # Panics
    ///
    /// If the region does not even hold the heap's own state, or is not aligned to 16 bytes.
    ///
    /// # Safety
    ///
    /// `memory` is `bytes` long, may be read and written, and lives as long as the heap. Nobody uses
    /// it but through this handle, except that the program may use its blocks, and that all of its
    /// bytes up to [`Heap::used_end`] may be put back to what they were.
    pub unsafe fn format(memory: *mut u8, bytes: usize, fresh_bytes: usize) -> Heap {
        assert!(
            bytes >= size_of::<Root>() && memory.align_offset(UNIT_BYTES) == 0,
            "internal error: a heap in {bytes} bytes at {memory:p}"
        );
        let units = |bytes: usize| (bytes / UNIT_BYTES).min(UNIT_COUNT_MAX) as u32;
        let root = memory.cast::<Root>();
        // SAFETY: the memory is large enough, aligned, and ours.
        unsafe {
            root.write(Root {
                magic: ROOT_MAGIC,
                unit_count: units(bytes),
                fresh_unit_count: units(fresh_bytes),
                used: units(size_of::<Root>()),
                block_count: 0,
                classes: [0; CLASS_WORDS],
                freed: [Queue { first: 0, last: 0 }; CLASS_COUNT],
            });
        }
        Heap { root, last: None }
    }

    /// A handle to a heap that is already in a region, such as one that was put back.
    ///
    /// # Panics
    ///
    /// If there is no heap.
    ///
    /// # Safety
    ///
    /// As for [`Heap::format`], which has been called for this region; other handles are gone.
    pub unsafe fn attach(memory: *mut u8) -> Heap {
        let root = memory.cast::<Root>();
        // SAFETY: the region begins with a root.
        let magic = unsafe { (*root).magic };
        assert!(magic == ROOT_MAGIC, "internal error: no heap at {memory:p}");
        Heap { root, last: None }
    }

    /// A block of at least `size` bytes at a multiple of `align` and of 16. Null if there is no room,
    /// or if `align` is not a power of two. The origin is told by [`Heap::locate`].
    pub fn allocate(&mut self, size: usize, align: usize, by: Origin) -> *mut u8 {
        if !align.is_power_of_two() {
            return core::ptr::null_mut();
        }
        let wish = Wish {
            size,
            align: align.max(UNIT_BYTES),
            by,
        };
        let unit = class_of(size).and_then(|class| self.find(class, &wish));
        match unit {
            Some(unit) => self.place(unit),
            None => core::ptr::null_mut(),
        }
    }

    /// Takes a block back and says how large it was.
    pub fn release(&mut self, block: *mut u8, by: Origin) -> Result<Released, Misuse> {
        let unit = self.unit(block).ok_or(Misuse::NotABlock)?;
        let header = self.header(unit);
        match self.state(unit) {
            Some(State::Live) => {}
            Some(State::Freed | State::Moved) => return Err(Misuse::DoubleFree),
            None => return Err(Misuse::NotABlock),
        }
        self.last = None;
        let outer = unit - header.link;
        let freed = Header {
            freed: by,
            ..header
        };
        if outer != unit {
            self.mark(unit, State::Freed, Header { link: 0, ..freed });
        }
        self.push(outer, freed);
        let size = asked_for(&header);
        Ok(Released { size })
    }

    /// How many bytes of a live block the program has asked for; nothing if it is none.
    pub fn size_of(&self, block: *const u8) -> Option<usize> {
        self.live(block).map(|header| asked_for(&header))
    }

    /// How many bytes a live block has, with those that were not asked for; nothing if it is none.
    pub fn capacity_of(&self, block: *const u8) -> Option<usize> {
        self.live(block).map(|header| usable(&header))
    }

    fn live(&self, block: *const u8) -> Option<Header> {
        let unit = self.unit(block)?;
        (self.state(unit) == Some(State::Live)).then(|| self.header(unit))
    }

    /// Where in the region the first byte is that was never handed out. All before it, with the
    /// heap's own state, is what has to be saved and put back.
    pub fn used_end(&self) -> usize {
        self.root().used as usize * UNIT_BYTES
    }

    fn find(&mut self, class: usize, wish: &Wish) -> Option<u32> {
        if self.root().used < self.root().fresh_unit_count
            && let Some(unit) = self.fresh(class, wish)
        {
            return Some(unit);
        }
        self.reuse(wish)
            .or_else(|| self.fresh(class, wish))
            .or_else(|| self.larger(wish))
    }

    /// Memory that was never handed out.
    fn fresh(&mut self, class: usize, wish: &Wish) -> Option<u32> {
        let used_end = self.root.addr() + self.used_end();
        let place = used_end
            .checked_add(HEADER_UNITS as usize * UNIT_BYTES)?
            .checked_next_multiple_of(wish.align)?;
        let end = place.checked_add(bytes_of(class))?;
        let end = (end - self.root.addr()) / UNIT_BYTES;
        if end > self.list_start() / UNIT_BYTES {
            return None;
        }
        self.root_mut().used = end as u32;
        let unit = ((place - self.root.addr()) / UNIT_BYTES) as u32;
        self.list(unit);
        self.mark(unit, State::Live, wish.header(class, 0));
        Some(unit)
    }

    /// The block of the right class that was freed first.
    fn reuse(&mut self, wish: &Wish) -> Option<u32> {
        let class = class_of(wish.room()?)?;
        let outer = self.pop(class)?;
        Some(self.align(outer, class, wish))
    }

    /// A block of any larger class.
    fn larger(&mut self, wish: &Wish) -> Option<u32> {
        let class = class_of(wish.room()?)?;
        let mut word = class / 64;
        let mut bits = self.root().classes[word] & (!0 << (class % 64));
        while bits == 0 {
            word += 1;
            bits = *self.root().classes.get(word)?;
        }
        let class = word * 64 + bits.trailing_zeros() as usize;
        let outer = self.pop(class)?;
        Some(self.align(outer, class, wish))
    }

    /// Hands out a block, from its first place that is aligned.
    fn align(&mut self, outer: u32, class: usize, wish: &Wish) -> u32 {
        let base = self.place(outer).addr();
        let mut lead = ((base.next_multiple_of(wish.align) - base) / UNIT_BYTES) as u32;
        // A header of its own must not lie over that of the whole.
        while lead > 0 && lead < HEADER_UNITS {
            lead += (wish.align / UNIT_BYTES) as u32;
        }
        let unit = outer + lead;
        let header = wish.header(class, lead);
        if lead > 0 {
            self.mark(outer, State::Moved, header);
        }
        self.mark(unit, State::Live, header);
        unit
    }

    fn push(&mut self, unit: u32, header: Header) {
        self.mark(unit, State::Freed, Header { link: 0, ..header });
        let index = header.class as usize;
        let Queue { first, last } = self.root().freed[index];
        if first == 0 {
            self.root_mut().freed[index].first = unit;
        } else {
            // A header that was overwritten is repaired, as far as it matters here.
            let tail = match self.state(last) {
                Some(State::Freed) => self.header(last),
                _ => Header { slack: 0, ..header },
            };
            self.mark(last, State::Freed, Header { link: unit, ..tail });
        }
        self.root_mut().freed[index].last = unit;
        self.root_mut().classes[index / 64] |= 1 << (index % 64);
    }

    fn pop(&mut self, class: usize) -> Option<u32> {
        let Queue { first, last } = self.root().freed[class];
        if first == 0 {
            return None;
        }
        let header = self.header(first);
        let whole = self.state(first) == Some(State::Freed) && header.class as usize == class;
        let next = if whole && first != last {
            header.link
        } else {
            0
        };
        self.root_mut().freed[class].first = next;
        if next == 0 {
            self.root_mut().classes[class / 64] &= !(1 << (class % 64));
        }
        whole.then_some(first)
    }

    fn root(&self) -> &Root {
        // SAFETY: the invariant of the field; the reference ends before the root is changed.
        unsafe { &*self.root }
    }

    fn root_mut(&mut self) -> &mut Root {
        // SAFETY: the invariant of the field, and this is the only handle.
        unsafe { &mut *self.root }
    }

    /// The unit at an address, if a block may begin there.
    fn unit(&self, block: *const u8) -> Option<u32> {
        let offset = block.addr().checked_sub(self.root.addr())?;
        let first = size_of::<Root>() + HEADER_UNITS as usize * UNIT_BYTES;
        let inside = offset >= first && offset < self.used_end();
        (inside && offset.is_multiple_of(UNIT_BYTES)).then_some((offset / UNIT_BYTES) as u32)
    }

    fn place(&self, unit: u32) -> *mut u8 {
        // SAFETY: all units that are handed around are inside of the region.
        unsafe { self.root.cast::<u8>().add(unit as usize * UNIT_BYTES) }
    }

    /// What stands where the header of a block at this unit would be.
    fn header(&self, unit: u32) -> Header {
        let inside = unit >= HEADER_UNITS && unit < self.root().unit_count;
        assert!(inside, "internal error: unit {unit} of the heap");
        // SAFETY: inside of the region, and any bytes are a header.
        unsafe { self.place(unit - HEADER_UNITS).cast::<Header>().read() }
    }

    fn mark(&mut self, unit: u32, state: State, header: Header) {
        let header = Header {
            check: check(unit, &header, state),
            ..header
        };
        // SAFETY: the units of blocks have room for a header before them that belongs to the block.
        unsafe {
            self.place(unit - HEADER_UNITS)
                .cast::<Header>()
                .write(header)
        }
    }

    /// What the header of a block at this unit says; nothing if it is no header.
    fn state(&self, unit: u32) -> Option<State> {
        let header = self.header(unit);
        let mut states = [State::Live, State::Freed, State::Moved].into_iter();
        let state = states.find(|state| header.check == check(unit, &header, *state))?;
        let known = (header.class as usize) < CLASS_COUNT
            && (state == State::Freed || (header.link as usize) < units_of(header.class))
            && (header.slack as usize) <= bytes_of(header.class as usize);
        known.then_some(state)
    }
}

/// What is asked for.
struct Wish {
    size: usize,
    align: usize,
    by: Origin,
}

impl Wish {
    /// The header of a block of a class that is handed out from so many units inside.
    fn header(&self, class: usize, lead: u32) -> Header {
        let slack = bytes_of(class) - lead as usize * UNIT_BYTES - self.size;
        Header {
            check: 0,
            class: class as u32,
            link: lead,
            slack: u32::try_from(slack).unwrap_or(u32::MAX),
            allocated: self.by,
            freed: Origin::NONE,
        }
    }

    /// How large a block must be to hold an aligned one, wherever it lies. One of no size needs a place
    /// of its own too.
    fn room(&self) -> Option<usize> {
        let lead = match self.align {
            UNIT_BYTES => 0,
            align => align + (HEADER_UNITS as usize - 1) * UNIT_BYTES,
        };
        self.size.max(1).checked_add(lead)
    }
}

/// Depends on all that a header says of its block and differs for every place.
fn check(unit: u32, header: &Header, state: State) -> u32 {
    let state = match state {
        State::Live => 0x6c69_7665,
        State::Freed => 0x6672_6565,
        State::Moved => 0x6d6f_7665,
    };
    let one = u64::from(unit) << 32 | u64::from(header.class ^ state);
    let other = u64::from(header.link) | u64::from(header.slack) << 32;
    let mixed =
        (one.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ other).wrapping_mul(0xd6e8_feb8_6659_fd93);
    (mixed >> 32) as u32
}

fn units_of(class: u32) -> usize {
    bytes_of(class as usize) / UNIT_BYTES
}

fn usable(header: &Header) -> usize {
    bytes_of(header.class as usize) - header.link as usize * UNIT_BYTES
}

/// What the program may use of a block.
fn asked_for(header: &Header) -> usize {
    usable(header) - header.slack as usize
}
