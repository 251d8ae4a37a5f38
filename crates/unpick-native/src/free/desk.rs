//! The driver's side of the memory of free executions.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, RawFd};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use unpick_noise::{NoiseOrder, Operation, PLACEMENT_COUNT, Placement};
use unpick_protocol::{FreeDesk, FreeEvent, FreeThread, PriorityOrder, UNKNOWN};

use super::{Event, Priorities, Thread};

/// The memory, mapped.
pub(super) struct SharedFreeDesk {
    file: File,
    memory: *mut u8,
    size: usize,
    ticks_per_ms: u64,
}

impl SharedFreeDesk {
    pub fn new(threads_max: u32, events_max: u32) -> io::Result<SharedFreeDesk> {
        let size = FreeDesk::size(threads_max, events_max);
        // SAFETY: a name that ends in zero. The file is inherited by the program on purpose.
        let file = unsafe { libc::memfd_create(c"unpick-free".as_ptr(), 0) };
        if file < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: made a moment ago, and nobody else owns it.
        let file = unsafe { File::from_raw_fd(file) };
        file.set_len(size as u64)?;
        // SAFETY: a fresh mapping of a file of that size.
        let memory = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                size,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_NORESERVE,
                file.as_raw_fd(),
                0,
            )
        };
        if memory == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let memory = memory.cast::<u8>();
        let ticks_per_ms = ticks_per_ms();
        // SAFETY: fresh zeroed memory that nobody else has yet; zeroes are a desk.
        let desk = unsafe { &mut *memory.cast::<FreeDesk>() };
        desk.threads_max = threads_max;
        desk.events_max = events_max;
        desk.ticks_per_ms = ticks_per_ms;
        desk.open();
        Ok(SharedFreeDesk {
            file,
            memory,
            size,
            ticks_per_ms,
        })
    }

    /// The number under which the program inherits it.
    pub fn inherited(&self) -> io::Result<RawFd> {
        Ok(self.file.as_raw_fd())
    }

    fn top(&self) -> &FreeDesk {
        // SAFETY: mapped and aligned; atomics, and words that the program does not write.
        unsafe { &*self.memory.cast::<FreeDesk>() }
    }

    /// Forgets the last execution and writes down the order for the next. No program runs now.
    pub fn prepare(&mut self, order: &NoiseOrder, priorities: &PriorityOrder) {
        let used = self.record_count();
        let had_memory = is_about_memory(&self.top().order);
        for number in 0..used {
            if let Some(offset) = self.top().thread_at(number) {
                // SAFETY: the record of a thread, within the mapping; zeroes are a record.
                unsafe {
                    self.memory
                        .add(offset)
                        .write_bytes(0, size_of::<FreeThread>())
                };
            }
        }
        // SAFETY: no program runs, so that this is the only reference.
        let desk = unsafe { &mut *self.memory.cast::<FreeDesk>() };
        desk.order = *order;
        // SAFETY: as above; zeroes are a desk of priorities.
        desk.priorities = unsafe { std::mem::zeroed() };
        desk.priorities.order = *priorities;
        for word in [&desk.is_manned, &desk.threads, &desk.halted, &desk.alone] {
            word.store(0, Ordering::Relaxed);
        }
        for word in [&desk.bell, &desk.listeners] {
            word.store(0, Ordering::Relaxed);
        }
        desk.alone_until.store(0, Ordering::Relaxed);
        if had_memory {
            for place in &desk.conflicts {
                place.store(0, Ordering::Relaxed);
            }
            for owner in &desk.owners {
                owner.touch.store(0, Ordering::Relaxed);
                owner.pc.store(0, Ordering::Relaxed);
            }
        }
    }

    /// What came of priorities, if there were any.
    pub fn priorities(&self) -> Priorities {
        let desk = &self.top().priorities;
        let [passed, stalled] = [0, 1].map(|at: usize| desk.passed[at].load(Ordering::Relaxed));
        Priorities {
            step_count: desk.steps.load(Ordering::Relaxed),
            low_count: desk.low_count.load(Ordering::Relaxed),
            passed,
            stalled,
        }
    }

    pub fn is_manned(&self) -> bool {
        self.top().is_manned.load(Ordering::Acquire) != 0
    }

    /// Records that were handed out.
    fn record_count(&self) -> u32 {
        let desk = self.top();
        desk.threads.load(Ordering::Acquire).min(desk.threads_max)
    }

    /// Threads for which there was no record.
    pub fn threads_lost(&self) -> u32 {
        let desk = self.top();
        desk.threads
            .load(Ordering::Acquire)
            .saturating_sub(desk.threads_max)
    }

    /// The records of all threads, by number.
    pub fn records(&self) -> impl Iterator<Item = &FreeThread> {
        (0..self.record_count()).filter_map(|number| {
            let offset = self.top().thread_at(number)?;
            // SAFETY: within the mapping, and made of atomics.
            Some(unsafe { &*self.memory.add(offset).cast::<FreeThread>() })
        })
    }

    pub fn threads(&self) -> Vec<Thread> {
        let all = |words: &[AtomicU64; PLACEMENT_COUNT]| {
            std::array::from_fn(|at| words[at].load(Ordering::Relaxed))
        };
        let thread = |record: &FreeThread| {
            let index = record.index.load(Ordering::Relaxed);
            Thread {
                parent: record.parent.load(Ordering::Relaxed),
                index: (index != UNKNOWN).then_some(index),
                has_begun: record.kernel_id.load(Ordering::Acquire) != 0,
                reached: all(&record.reached),
                fired: all(&record.fired),
            }
        };
        self.records().map(thread).collect()
    }

    /// All entries of the trace in the order of time, and how many found no room.
    pub fn events(&self) -> (Vec<Event>, u64) {
        let room = u64::from(self.top().events_max);
        let mut events = Vec::new();
        let mut lost = 0;
        for (number, record) in (0..).zip(self.records()) {
            let count = record.event_count.load(Ordering::Acquire);
            lost += count.saturating_sub(room);
            for at in 0..count.min(room) {
                // SAFETY: the record is followed by room for so many, made of atomics.
                let event = unsafe {
                    let first = std::ptr::from_ref(record).add(1).cast::<FreeEvent>();
                    &*first.add(at as usize)
                };
                let placement = event.placement.load(Ordering::Relaxed) as usize;
                events.extend(Placement::of_number(placement).map(|placement| Event {
                    time: event.time.load(Ordering::Relaxed),
                    thread: number,
                    placement,
                    object: event.object.load(Ordering::Relaxed),
                    pc: event.pc.load(Ordering::Relaxed),
                }));
            }
        }
        // Entries of one thread stay in their order.
        events.sort_by_key(|event: &Event| event.time);
        (events, lost)
    }

    pub fn noise_time(&self) -> Duration {
        let ticks: u64 = self
            .records()
            .map(|one| one.noise_ticks.load(Ordering::Relaxed))
            .sum();
        Duration::from_secs_f64(ticks as f64 / self.ticks_per_ms as f64 / 1e3)
    }

    /// Places in the code that touch what threads share, in order.
    pub fn conflicts(&self) -> Vec<u64> {
        let places = self
            .top()
            .conflicts
            .iter()
            .map(|place| place.load(Ordering::Relaxed));
        let mut places: Vec<u64> = places.filter(|&pc| pc != 0).collect();
        places.sort_unstable();
        places
    }
}

impl Drop for SharedFreeDesk {
    fn drop(&mut self) {
        // SAFETY: mapped by `new`, and nobody has a reference any more.
        unsafe { libc::munmap(self.memory.cast(), self.size) };
    }
}

fn is_about_memory(order: &NoiseOrder) -> bool {
    [Operation::Read, Operation::Write]
        .into_iter()
        .any(|operation| order.active().contains(Placement::before(operation)))
}

/// Ticks of the processor's clock in a millisecond, measured.
fn ticks_per_ms() -> u64 {
    const MEASURED: Duration = Duration::from_millis(10);
    let (start, from) = (Instant::now(), ticks());
    while start.elapsed() < MEASURED {
        std::hint::spin_loop();
    }
    let passed = start.elapsed();
    let counted = ticks().saturating_sub(from);
    (counted as f64 / passed.as_secs_f64() / 1e3).max(1.0) as u64
}

#[cfg(target_arch = "x86_64")]
fn ticks() -> u64 {
    // SAFETY: every such processor has it.
    unsafe { std::arch::x86_64::_rdtsc() }
}

/// Elsewhere there is no runtime that would count anything.
#[cfg(not(target_arch = "x86_64"))]
fn ticks() -> u64 {
    0
}
