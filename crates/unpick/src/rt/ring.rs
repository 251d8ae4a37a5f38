//! Messages in the order in which they came, in memory that a runtime keeps for the next ones.

use super::runtime::current;
use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::ptr::NonNull;

/// Messages that there is room for when the first one comes: programs that are explored are small, and most
/// of them need no more.
const FIRST_CAPACITY: usize = 8;

/// A queue of messages.
///
/// A standard one does not let go of its memory without moving what is in it to the front, which takes
/// longer than all else that is done for a channel when it ends.
pub(super) struct Ring<T> {
    room: NonNull<T>,
    /// A power of two, or zero as long as there is no room.
    capacity: usize,
    /// How many were put in and taken out. The message that came after `n` others is at `n` modulo
    /// the capacity.
    put_count: usize,
    taken_count: usize,
}

// SAFETY: it owns its messages.
unsafe impl<T: Send> Send for Ring<T> {}

impl<T> Ring<T> {
    pub fn new() -> Ring<T> {
        Ring {
            room: NonNull::dangling(),
            capacity: 0,
            put_count: 0,
            taken_count: 0,
        }
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.put_count == self.taken_count
    }

    #[inline]
    pub fn push(&mut self, message: T) {
        if self.put_count.wrapping_sub(self.taken_count) == self.capacity {
            self.grow();
        }
        // SAFETY: inside the room, at a place without a message.
        unsafe { self.place_of(self.put_count).write(message) };
        self.put_count = self.put_count.wrapping_add(1);
    }

    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        if self.is_empty() {
            return None;
        }
        // SAFETY: inside the room, at the place of a message, which is not looked at again.
        let message = unsafe { self.place_of(self.taken_count).read() };
        self.taken_count = self.taken_count.wrapping_add(1);
        Some(message)
    }

    /// Where the message is that came after so many others.
    ///
    /// # Safety
    /// There is room.
    #[inline]
    unsafe fn place_of(&self, count: usize) -> NonNull<T> {
        // SAFETY: less than the capacity, which is a power of two.
        unsafe { self.room.add(count & (self.capacity.wrapping_sub(1))) }
    }

    #[cold]
    fn grow(&mut self) {
        let capacity = (2 * self.capacity).max(FIRST_CAPACITY);
        let larger = Ring {
            room: room_for::<T>(capacity),
            capacity,
            put_count: self.put_count,
            taken_count: self.taken_count,
        };
        let mut count = self.taken_count;
        while count != self.put_count {
            // SAFETY: each message is moved to its place in the larger room.
            unsafe {
                larger
                    .place_of(count)
                    .copy_from_nonoverlapping(self.place_of(count), 1)
            };
            count = count.wrapping_add(1);
        }
        // All were moved.
        self.put_count = self.taken_count;
        *self = larger;
    }
}

impl<T> Drop for Ring<T> {
    #[inline]
    fn drop(&mut self) {
        if self.is_empty() {
            return give_back::<T>(self.room, self.capacity);
        }
        drop_messages(self);
    }
}

#[inline(never)]
fn drop_messages<T>(ring: &mut Ring<T>) {
    /// Drops what is left, also if a destructor unwinds.
    struct Rest<'a, T>(&'a mut Ring<T>);
    impl<T> Drop for Rest<'_, T> {
        fn drop(&mut self) {
            while let Some(message) = self.0.pop() {
                drop(message);
            }
            give_back(self.0.room, self.0.capacity);
        }
    }
    let rest = Rest(ring);
    while let Some(message) = rest.0.pop() {
        drop(message);
    }
}

/// Memory of rings that a runtime keeps for the next ones.
pub(super) struct Rooms {
    /// Each is for as many messages of some type as a first room. Its capacity says how many are kept.
    spare: Vec<(NonNull<u8>, Layout)>,
}

/// Rooms that a runtime keeps, at most: one is looked for among all of them.
const SPARE_COUNT_MAX: usize = 8;

impl Rooms {
    pub fn new() -> Rooms {
        Rooms {
            spare: Vec::with_capacity(SPARE_COUNT_MAX),
        }
    }
}

impl Drop for Rooms {
    fn drop(&mut self) {
        for (room, layout) in self.spare.drain(..) {
            // SAFETY: allocated by a ring with this layout, and nobody uses it.
            unsafe { dealloc(room.as_ptr(), layout) };
        }
    }
}

fn layout_of<T>(capacity: usize) -> Layout {
    Layout::array::<T>(capacity).expect("a channel holds too many messages")
}

fn room_for<T>(capacity: usize) -> NonNull<T> {
    let layout = layout_of::<T>(capacity);
    if layout.size() == 0 {
        return NonNull::dangling();
    }
    let runtime = current();
    if capacity == FIRST_CAPACITY && !runtime.is_null() {
        // SAFETY: not null means current; the reference ends before anything else happens.
        let spare = unsafe { &mut (*runtime).rooms.spare };
        if let Some(at) = spare.iter().rposition(|(_, of)| *of == layout) {
            return spare.swap_remove(at).0.cast();
        }
    }
    // SAFETY: not of size zero.
    let room = unsafe { alloc(layout) };
    NonNull::new(room.cast()).unwrap_or_else(|| handle_alloc_error(layout))
}

/// Keeps or frees a room that nobody uses any more.
#[inline]
fn give_back<T>(room: NonNull<T>, capacity: usize) {
    if capacity == 0 || size_of::<T>() == 0 {
        return;
    }
    let layout = layout_of::<T>(capacity);
    let runtime = current();
    if capacity == FIRST_CAPACITY && !runtime.is_null() {
        // SAFETY: not null means current; the reference ends before anything else happens.
        let spare = unsafe { &mut (*runtime).rooms.spare };
        if spare.len() < spare.capacity() {
            return spare.push((room.cast(), layout));
        }
    }
    // SAFETY: allocated with this layout.
    unsafe { dealloc(room.cast().as_ptr(), layout) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::collections::VecDeque;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::rc::Rc;

    #[test]
    fn it_holds_what_a_standard_queue_holds() {
        let (mut ring, mut queue) = (Ring::new(), VecDeque::new());
        let mut random = 1_u64;
        for message in 0..10_000_u64 {
            random = random.wrapping_mul(6_364_136_223_846_793_005) + 1;
            // Now longer, now shorter.
            if (random >> 40) % 100 < 30 + message / 1_000 % 2 * 40 {
                ring.push(Rc::new(message));
                queue.push_back(message);
            } else {
                assert_eq!(ring.pop().as_deref().copied(), queue.pop_front());
            }
            assert_eq!(ring.is_empty(), queue.is_empty());
        }
    }

    #[test]
    fn messages_without_a_size_are_counted() {
        let mut ring = Ring::new();
        (0..100).for_each(|_| ring.push(()));
        assert_eq!(std::iter::from_fn(|| ring.pop()).count(), 100);
    }

    #[test]
    fn what_is_left_is_dropped_also_when_a_destructor_panics() {
        struct Panics(Rc<Cell<u32>>);
        impl Drop for Panics {
            fn drop(&mut self) {
                self.0.set(self.0.get() + 1);
                if !std::thread::panicking() {
                    std::panic::resume_unwind(Box::new(1));
                }
            }
        }
        let drops = Rc::new(Cell::new(0));
        let mut ring = Ring::new();
        (0..20).for_each(|_| ring.push(Panics(Rc::clone(&drops))));
        assert!(catch_unwind(AssertUnwindSafe(|| drop(ring))).is_err());
        assert_eq!(drops.get(), 20);
    }
}
