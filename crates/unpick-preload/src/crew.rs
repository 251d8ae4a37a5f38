//! Processes that share a search: forks of one process, with the runtime's memory in common.
//!
//! A part of the search that one of them gives away is a pointer that is valid in the others: they have
//! the same code at the same addresses, and each other's arenas. What they share is locked between
//! executions only, never on the path of a step. Should one of them die with the lock, the driver ends
//! the others.

use crate::{runtime::runtime, sys};
use alloc::boxed::Box;
use core::cell::UnsafeCell;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, AtomicU32, Ordering};
use unpick_engine::parts::{Meeting, Search, Team};

/// Milliseconds after which a process that waits looks again.
const BETWEEN_LOOKS: i64 = 20;

/// All processes of a launch.
pub struct Crew {
    count: usize,
    /// The search at hand; null before the first process has begun it.
    team: AtomicPtr<Team<Room>>,
    /// Those who have nothing left to do in it.
    left: AtomicU32,
    /// Raised when one of the others changes.
    news: AtomicU32,
}

impl Crew {
    pub fn new(count: usize) -> Crew {
        Crew {
            count,
            team: AtomicPtr::new(null_mut()),
            left: AtomicU32::new(0),
            news: AtomicU32::new(0),
        }
    }

    /// Begins a search. Called by the first process.
    pub fn begin(&self, search: Search) {
        let team = Box::leak(Box::new(Team::new(Room::new(search))));
        self.left.store(0, Ordering::Relaxed);
        self.team.store(team, Ordering::Release);
        tell(&self.news);
    }

    /// The team that works on the search, as soon as it has begun.
    pub fn team(&self) -> &Team<Room> {
        wait_until(&self.news, || !self.team.load(Ordering::Acquire).is_null());
        // SAFETY: it lives until all processes have left.
        unsafe { &*self.team.load(Ordering::Acquire) }
    }

    /// Says that this process has left the team.
    pub fn leave(&self) {
        self.left.fetch_add(1, Ordering::AcqRel);
        tell(&self.news);
    }

    /// Takes the search back when all have left. Called by the first process.
    pub fn end(&self) -> Search {
        wait_until(&self.news, || {
            self.left.load(Ordering::Acquire) as usize == self.count
        });
        let team = self.team.swap(null_mut(), Ordering::AcqRel);
        // SAFETY: made by `begin`, and nobody uses it any more.
        let team = unsafe { Box::from_raw(team) };
        team.into_meeting().search.into_inner()
    }
}

/// Where processes meet over their search.
pub struct Room {
    /// One of the constants below.
    lock: AtomicU32,
    /// Raised when there may be work, or none is left.
    news: AtomicU32,
    search: UnsafeCell<Search>,
}

const FREE: u32 = 0;
const TAKEN: u32 = 1;
/// Taken, and somebody may wait for it.
const AWAITED: u32 = 2;

// SAFETY: the search is used by whoever has the lock only.
unsafe impl Sync for Room {}

impl Room {
    fn new(search: Search) -> Room {
        Room {
            lock: AtomicU32::new(FREE),
            news: AtomicU32::new(0),
            search: UnsafeCell::new(search),
        }
    }

    fn lock(&self) {
        let (free, taken) = (FREE, TAKEN);
        let is_mine = self
            .lock
            .compare_exchange(free, taken, Ordering::Acquire, Ordering::Relaxed);
        if is_mine.is_ok() {
            return;
        }
        while self.lock.swap(AWAITED, Ordering::Acquire) != FREE {
            wait_briefly(&self.lock, AWAITED);
        }
    }

    fn unlock(&self) {
        if self.lock.swap(FREE, Ordering::Release) == AWAITED {
            sys::futex_wake(&self.lock);
        }
    }
}

impl Meeting for Room {
    fn meet(&self, work: &mut dyn FnMut(&mut Search) -> bool) {
        loop {
            self.lock();
            let seen = self.news.load(Ordering::Relaxed);
            // SAFETY: nobody else has the lock.
            let is_done = work(unsafe { &mut *self.search.get() });
            self.unlock();
            if is_done {
                return;
            }
            wait_briefly(&self.news, seen);
        }
    }

    fn wake(&self) {
        tell(&self.news);
    }
}

/// Raises a word that others wait for.
fn tell(word: &AtomicU32) {
    word.fetch_add(1, Ordering::Release);
    sys::futex_wake(word);
}

/// Waits for a word to change, or for a moment. Meanwhile other processes work, and the driver looks at those.
fn wait_briefly(word: &AtomicU32, seen: u32) {
    let desk = runtime().desk();
    desk.is_idle.store(1, Ordering::Relaxed);
    sys::futex_wait_briefly(word, seen, BETWEEN_LOOKS);
    desk.is_idle.store(0, Ordering::Relaxed);
}

/// Waits until something holds, looking whenever a word is raised.
fn wait_until(word: &AtomicU32, holds: impl Fn() -> bool) {
    loop {
        let seen = word.load(Ordering::Acquire);
        if holds() {
            return;
        }
        wait_briefly(word, seen);
    }
}
