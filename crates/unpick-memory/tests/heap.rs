//! The heap against a model of it: blocks lie apart, are aligned and keep what is written to them, and
//! misuse is what it is.

use std::alloc::{Layout, alloc, dealloc};
use std::collections::{HashMap, VecDeque};

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use unpick_memory::{Heap, Misuse, Origin, Released};

const REGION_ALIGN: usize = 4096;

/// Who allocates and frees, where that does not matter.
const BY: Origin = Origin::NONE;

/// A heap with its memory, which is not zeroed.
struct Owned {
    heap: Heap,
    memory: *mut u8,
    bytes: usize,
}

impl Owned {
    fn new(bytes: usize, fresh_bytes: usize) -> Owned {
        let layout = Layout::from_size_align(bytes, REGION_ALIGN).unwrap();
        // SAFETY: the layout is not empty.
        let memory = unsafe { alloc(layout) };
        // SAFETY: all of the memory is ours.
        unsafe { memory.write_bytes(0xa5, bytes) };
        // SAFETY: of that size, aligned, and used by nobody else.
        let heap = unsafe { Heap::format(memory, bytes, fresh_bytes) };
        Owned {
            heap,
            memory,
            bytes,
        }
    }

    fn offset(&self, block: *mut u8) -> usize {
        block.addr() - self.memory.addr()
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        let layout = Layout::from_size_align(self.bytes, REGION_ALIGN).unwrap();
        // SAFETY: allocated with this layout; the heap is not used any more.
        unsafe { dealloc(self.memory, layout) }
    }
}

#[derive(Clone, Copy, Debug)]
enum Act {
    Allocate { size: usize, align: usize },
    Release(usize),
    ReleaseAgain(usize),
    ReleaseInside(usize, usize),
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let size = prop_oneof![5 => 0_usize..100, 3 => 100_usize..3_000, 1 => 3_000_usize..40_000];
    let align = prop_oneof![3 => Just(1_usize), 1 => (0_u32..13).prop_map(|bits| 1 << bits)];
    let allocate = (size, align).prop_map(|(size, align)| Act::Allocate { size, align });
    let act = prop_oneof![
        8 => allocate,
        7 => any::<usize>().prop_map(Act::Release),
        1 => any::<usize>().prop_map(Act::ReleaseAgain),
        1 => any::<(usize, usize)>().prop_map(|(block, at)| Act::ReleaseInside(block, at)),
    ];
    prop::collection::vec(act, 1..200)
}

#[derive(Clone, Copy, Debug)]
struct Block {
    place: *mut u8,
    size: usize,
    fill: u8,
}

impl Block {
    fn fill(&self) {
        // SAFETY: a live block of that size.
        unsafe { self.place.write_bytes(self.fill, self.size) }
    }

    fn is_filled(&self) -> bool {
        // SAFETY: a live block of that size, all of which was written.
        let bytes = unsafe { std::slice::from_raw_parts(self.place, self.size) };
        bytes.iter().all(|byte| *byte == self.fill)
    }
}

/// The model: blocks that the program holds, and places that it has given back.
struct Model {
    owned: Owned,
    live: Vec<Block>,
    freed: Vec<*mut u8>,
    places: Vec<Option<usize>>,
}

impl Model {
    fn new(bytes: usize, fresh_bytes: usize) -> Model {
        Model {
            owned: Owned::new(bytes, fresh_bytes),
            live: Vec::new(),
            freed: Vec::new(),
            places: Vec::new(),
        }
    }

    fn apply(&mut self, act: Act) -> Result<(), TestCaseError> {
        match act {
            Act::Allocate { size, align } => self.allocate(size, align),
            Act::Release(number) if !self.live.is_empty() => {
                let block = self.live.swap_remove(number % self.live.len());
                prop_assert!(block.is_filled());
                let size = block.size;
                let released = self.owned.heap.release(block.place, BY);
                prop_assert_eq!(released, Ok(Released { size }));
                prop_assert_eq!(self.owned.heap.size_of(block.place), None);
                self.freed.push(block.place);
                Ok(())
            }
            Act::ReleaseAgain(number) if !self.freed.is_empty() => {
                let place = self.freed[number % self.freed.len()];
                let released = self.owned.heap.release(place, BY);
                prop_assert_eq!(released, Err(Misuse::DoubleFree));
                Ok(())
            }
            Act::ReleaseInside(number, at) if !self.live.is_empty() => {
                let block = self.live[number % self.live.len()];
                let inside = block.place.wrapping_add(1 + at % block.size.max(1));
                let released = self.owned.heap.release(inside, BY);
                prop_assert_eq!(released, Err(Misuse::NotABlock));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Addresses in the region and around it belong to the block that they lie in, and to no other.
    fn check_places(&mut self, acts: &[Act]) -> Result<(), TestCaseError> {
        for (number, act) in acts.iter().enumerate() {
            let near = self
                .live
                .get(number)
                .map_or(0, |block| self.owned.offset(block.place));
            let far = match act {
                Act::Release(at) | Act::ReleaseInside(_, at) => at % self.owned.bytes,
                _ => number * 97,
            };
            for (offset, size) in
                (near.saturating_sub(40)..near + 40).zip([1, 4, 8].into_iter().cycle())
            {
                self.check_place(offset, size)?;
            }
            self.check_place(far, 1)?;
        }
        Ok(())
    }

    fn check_place(&mut self, offset: usize, size: usize) -> Result<(), TestCaseError> {
        let address = self.owned.memory.addr() + offset;
        let is_in = |block: &&Block| {
            let start = block.place.addr();
            start <= address && address + size <= start + block.size
        };
        let expected = self.live.iter().find(is_in);
        let found = self.owned.heap.locate(address, size);
        let found = found.filter(|found| found.holds(address, size) && found.freed.is_none());
        prop_assert_eq!(
            found.map(|found| (found.start, found.size)),
            expected.map(|block| (block.place.addr(), block.size)),
            "{} bytes at {}",
            size,
            offset
        );
        Ok(())
    }

    fn allocate(&mut self, size: usize, align: usize) -> Result<(), TestCaseError> {
        let place = self.owned.heap.allocate(size, align, BY);
        let offset = (!place.is_null()).then(|| self.owned.offset(place));
        self.places.push(offset);
        if place.is_null() {
            return Ok(());
        }
        let usable = self.owned.heap.capacity_of(place).unwrap();
        prop_assert!(usable >= size);
        prop_assert_eq!(self.owned.heap.size_of(place), Some(size));
        prop_assert!(place.addr().is_multiple_of(align.max(16)));
        let start = self.owned.offset(place);
        prop_assert!(start + usable <= self.owned.heap.used_end());
        prop_assert!(self.owned.heap.used_end() <= self.owned.bytes);
        for other in &self.live {
            let other_start = self.owned.offset(other.place);
            prop_assert!(start + usable <= other_start || other_start + other.size <= start);
        }
        // What lies in a block that is live again is not known to be freed any more.
        self.freed
            .retain(|freed| !(place..place.wrapping_add(usable + 1)).contains(freed));
        let block = Block {
            place,
            size,
            fill: self.places.len() as u8,
        };
        block.fill();
        self.live.push(block);
        Ok(())
    }
}

/// The same cases on every machine.
fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(0x5eed),
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(cases(1_000))]

    #[test]
    fn blocks_lie_apart_and_misuse_is_found(
        acts in acts(),
        fresh_bytes in prop::sample::select(vec![0, 40_000, 1 << 30]),
        bytes in prop::sample::select(vec![60_000, 200_000, 2_000_000]),
    ) {
        let mut model = Model::new(bytes, fresh_bytes);
        let mut again = Model::new(bytes, fresh_bytes);
        for act in &acts {
            model.apply(*act)?;
            again.apply(*act)?;
        }
        // Alignment beyond that of the region apart, places depend on the calls alone.
        prop_assert_eq!(&model.places, &again.places);
        prop_assert!(model.live.iter().all(Block::is_filled));
        model.check_places(&acts)?;
    }
}

const MEGA: usize = 1 << 20;

#[test]
fn fresh_memory_comes_first_within_the_limit() {
    let mut owned = Owned::new(4 * MEGA, MEGA);
    let mut last = 0;
    while owned.heap.used_end() < MEGA {
        let block = owned.heap.allocate(64, 16, BY);
        assert!(block.addr() > last);
        last = block.addr();
        owned.heap.release(block, BY).unwrap();
    }
    let used_end = owned.heap.used_end();
    assert!(owned.heap.allocate(64, 16, BY).addr() < last);
    assert_eq!(owned.heap.used_end(), used_end);
}

#[test]
fn what_was_freed_first_is_used_first_in_its_class() {
    let mut owned = Owned::new(MEGA, 0);
    let blocks: Vec<_> = (0..10).map(|_| owned.heap.allocate(64, 16, BY)).collect();
    let large = owned.heap.allocate(1000, 16, BY);
    let mut queue = VecDeque::new();
    for index in [3, 1, 8, 2] {
        owned.heap.release(blocks[index], BY).unwrap();
        queue.push_back(blocks[index]);
    }
    owned.heap.release(large, BY).unwrap();
    for _ in 0..100 {
        let block = owned.heap.allocate(50, 8, BY);
        assert_eq!(Some(block), queue.pop_front());
        owned.heap.release(block, BY).unwrap();
        queue.push_back(block);
    }
    assert_eq!(owned.heap.allocate(1000, 16, BY), large);
    while let Some(block) = queue.pop_front() {
        assert_eq!(owned.heap.allocate(64, 16, BY), block);
    }
    assert!(owned.heap.allocate(64, 16, BY) > large);
}

#[test]
fn a_full_region_gives_larger_blocks_and_then_none() {
    let mut owned = Owned::new(MEGA, MEGA);
    let small = owned.heap.allocate(5_000, 16, BY);
    let large = owned.heap.allocate(100_000, 16, BY);
    while !owned.heap.allocate(1_000, 16, BY).is_null() {}
    while !owned.heap.allocate(0, 1, BY).is_null() {}
    owned.heap.release(small, BY).unwrap();
    owned.heap.release(large, BY).unwrap();
    assert_eq!(owned.heap.allocate(6_000, 16, BY), large);
    assert!(owned.heap.capacity_of(large).unwrap() >= 100_000);
    assert_eq!(owned.heap.size_of(large), Some(6_000));
    assert_eq!(owned.heap.allocate(1, 1, BY), small);
    assert!(owned.heap.allocate(1, 1, BY).is_null());
    owned.heap.release(small, BY).unwrap();
    owned.heap.release(large, BY).unwrap();
    assert_eq!(owned.heap.allocate(1, 1, BY), small);
    assert_eq!(owned.heap.allocate(1, 1, BY), large);
}

#[test]
fn an_aligned_block_inside_of_a_larger_one_is_released_as_a_whole() {
    let mut owned = Owned::new(MEGA, 0);
    let outer = owned.heap.allocate(8_000, 16, BY);
    while !owned.heap.allocate(1_000, 16, BY).is_null() {}
    while !owned.heap.allocate(0, 1, BY).is_null() {}
    owned.heap.release(outer, BY).unwrap();
    let inner = owned.heap.allocate(3_000, 4096, BY);
    assert!(inner > outer && inner.addr().is_multiple_of(4096));
    let size = owned.heap.size_of(inner).unwrap();
    assert!(size >= 3_000 && inner.addr() + size <= outer.addr() + 9_000);
    assert_eq!(owned.heap.size_of(outer), None);
    assert_eq!(owned.heap.release(outer, BY), Err(Misuse::DoubleFree));
    assert_eq!(owned.heap.release(inner, BY), Ok(Released { size }));
    assert_eq!(owned.heap.release(inner, BY), Err(Misuse::DoubleFree));
    assert_eq!(owned.heap.release(outer, BY), Err(Misuse::DoubleFree));
    assert_eq!(owned.heap.allocate(8_000, 16, BY), outer);
}

#[test]
fn impossible_requests_get_nothing() {
    let mut owned = Owned::new(MEGA, MEGA);
    let used_end = owned.heap.used_end();
    for (size, align) in [
        (usize::MAX, 16),
        (usize::MAX - 4096, 4096),
        (isize::MAX as usize, 1),
        (1 << 36, 1),
        (MEGA, 1),
        (16, 1 << 63),
        (16, 0),
        (16, 24),
    ] {
        assert!(
            owned.heap.allocate(size, align, BY).is_null(),
            "{size} {align}"
        );
    }
    assert_eq!(owned.heap.used_end(), used_end);
    assert!(!owned.heap.allocate(MEGA / 2, 1, BY).is_null());
}

#[test]
fn blocks_of_no_size_are_blocks() {
    let mut owned = Owned::new(MEGA, MEGA);
    let one = owned.heap.allocate(0, 1, BY);
    let other = owned.heap.allocate(0, 1, BY);
    assert!(!one.is_null() && one != other);
    assert_eq!(owned.heap.release(one, BY), Ok(Released { size: 0 }));
}

#[test]
fn what_lies_beside_a_block_is_told_with_the_nearest_one() {
    let mut owned = Owned::new(MEGA, MEGA);
    let [first, second] = [(13, 1), (40, 2)].map(|(size, task)| {
        let by = Origin::new(task, 0x1000 * task as usize);
        owned.heap.allocate(size, 16, by)
    });
    let mut nearest = |address: *mut u8| {
        let placed = owned.heap.locate(address.addr(), 1).unwrap();
        (
            placed.start,
            placed.holds(address.addr(), 1),
            placed.allocated.task(),
            placed.allocated.pc(),
        )
    };
    let (one, other) = (first.addr(), second.addr());
    assert_eq!(nearest(first.wrapping_add(12)), (one, true, 1, 0x1000));
    assert_eq!(nearest(first.wrapping_add(13)), (one, false, 1, 0x1000));
    assert_eq!(nearest(first.wrapping_sub(1)), (one, false, 1, 0x1000));
    assert_eq!(nearest(second.wrapping_sub(1)), (other, false, 2, 0x2000));
    assert_eq!(nearest(second.wrapping_add(39)), (other, true, 2, 0x2000));
    assert_eq!(nearest(second.wrapping_add(40)), (other, false, 2, 0x2000));
    assert_eq!(
        nearest(second.wrapping_add(4_000)),
        (other, false, 2, 0x2000)
    );
    owned.heap.release(first, Origin::new(3, 0x3000)).unwrap();
    let placed = owned.heap.locate(one, 1).unwrap();
    assert_eq!(placed.freed, Some(Origin::new(3, 0x3000)));
    assert_eq!((placed.start, placed.size), (one, 13));
}

#[test]
fn wild_pointers_are_no_blocks() {
    let mut owned = Owned::new(MEGA, MEGA);
    let block = owned.heap.allocate(100, 16, BY);
    let end = owned.memory.wrapping_add(owned.heap.used_end());
    let wild = [
        std::ptr::null_mut(),
        owned.memory,
        owned.memory.wrapping_add(16),
        owned.memory.wrapping_sub(16),
        block.wrapping_sub(16),
        block.wrapping_add(8),
        end,
        end.wrapping_add(16),
        owned.memory.wrapping_add(MEGA),
        std::ptr::without_provenance_mut(usize::MAX & !15),
    ];
    for pointer in wild {
        assert_eq!(owned.heap.release(pointer, BY), Err(Misuse::NotABlock));
        assert_eq!(owned.heap.size_of(pointer), None);
    }
    // A header that was copied is no header where it is now.
    let other = owned.heap.allocate(100, 16, BY);
    // SAFETY: both ranges are inside of blocks and their headers.
    unsafe { std::ptr::copy(block.sub(16), other, 16) };
    assert_eq!(
        owned.heap.release(other.wrapping_add(16), BY),
        Err(Misuse::NotABlock)
    );
}

#[test]
fn a_broken_header_costs_blocks_but_nothing_else() {
    let mut owned = Owned::new(MEGA, 0);
    let blocks: Vec<_> = (0..6).map(|_| owned.heap.allocate(64, 16, BY)).collect();
    for block in &blocks[..4] {
        owned.heap.release(*block, BY).unwrap();
    }
    for broken in [1, 3] {
        // SAFETY: inside of the region; this is what a program that writes before a block does.
        unsafe { blocks[broken].sub(16).write_bytes(0xee, 16) };
    }
    assert_eq!(owned.heap.release(blocks[1], BY), Err(Misuse::NotABlock));
    owned.heap.release(blocks[4], BY).unwrap();
    let mut seen = HashMap::new();
    for _ in 0..20 {
        let block = owned.heap.allocate(64, 16, BY);
        assert!(!block.is_null() && block != blocks[5]);
        assert_eq!(seen.insert(block, ()), None);
    }
}

#[test]
fn putting_the_bytes_back_puts_the_heap_back() {
    let mut owned = Owned::new(MEGA, 0);
    let kept = owned.heap.allocate(100, 16, BY);
    let freed = owned.heap.allocate(200, 16, BY);
    owned.heap.release(freed, BY).unwrap();
    let used_end = owned.heap.used_end();
    // SAFETY: the region up to there is readable.
    let saved = unsafe { std::slice::from_raw_parts(owned.memory, used_end) }.to_vec();
    let program = |heap: &mut Heap| -> Vec<*mut u8> {
        heap.release(kept, BY).unwrap();
        (0..100)
            .map(|size| heap.allocate(size * 7, 16, BY))
            .collect()
    };
    let first = program(&mut owned.heap);
    // SAFETY: puts back what was there.
    unsafe { std::ptr::copy_nonoverlapping(saved.as_ptr(), owned.memory, used_end) };
    // SAFETY: the region holds the heap that was saved; the old handle is replaced.
    owned.heap = unsafe { Heap::attach(owned.memory) };
    assert_eq!(owned.heap.used_end(), used_end);
    assert_eq!(owned.heap.release(freed, BY), Err(Misuse::DoubleFree));
    assert_eq!(program(&mut owned.heap), first);
}
