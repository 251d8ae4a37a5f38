//! The program's writable memory as it was before `main`, and the way back to it.
//!
//! Everything that the process may write and that is private to it is copied, except what the
//! runtime owns. Stacks are copied from their stack pointer up: what lies below is dead. Of large
//! regions only the pages that were written are put back, where the kernel can tell (`written.rs`).
//! There may be a second image, from behind the prelude (`prelude.rs`).

use crate::restoring::Restoring;
use crate::runtime::Runtime;
use crate::sys;
use crate::tasks::Slot;
use crate::written::Written;
use alloc::vec::Vec;
use core::ops::Range;
use unpick_protocol::Reexecution;

struct Region {
    start: usize,
    length: usize,
    /// Where its copy lies in the store.
    offset: usize,
    /// The slot whose stack it is.
    slot: Option<usize>,
    /// Whether it is known which of its pages were written.
    is_watched: bool,
    /// Its runs in the list of all.
    runs: Range<usize>,
}

/// A part of a region that holds nothing but zeros, or that does not.
struct Run {
    length: usize,
    is_zero: bool,
}

/// Bytes of an image that is copied whole, and of a region of a larger one.
const IMAGE_MAX: usize = 2 << 20;
const REGION_MAX: usize = 64 << 10;

/// Bytes of which runs are made.
const PART: usize = 1 << 10;

/// Bytes of an image of which there is a second one.
const SECOND_MAX: usize = 64 << 20;

/// A copy of memory.
#[derive(Default)]
struct Image {
    regions: Vec<Region>,
    runs: Vec<Run>,
    store: Vec<u8>,
}

impl Image {
    fn add(&mut self, range: Range<usize>, slot: Option<usize>, is_watched: bool) {
        if range.is_empty() {
            return;
        }
        let length = range.len();
        let offset = self.store.len();
        // SAFETY: the kernel says that this memory can be read, and nothing else runs.
        let bytes = unsafe { core::slice::from_raw_parts(range.start as *const u8, length) };
        self.store.extend_from_slice(bytes);
        let runs = self.add_runs(bytes);
        self.regions.push(Region {
            start: range.start,
            length,
            offset,
            slot,
            is_watched,
            runs,
        });
    }

    /// Adds the runs of a region: much of memory is zero.
    fn add_runs(&mut self, bytes: &[u8]) -> Range<usize> {
        let start = self.runs.len();
        for part in bytes.chunks(PART) {
            let is_zero = part.iter().all(|byte| *byte == 0);
            match self.runs[start..].last_mut() {
                Some(run) if run.is_zero == is_zero => run.length += part.len(),
                _ => self.runs.push(Run {
                    length: part.len(),
                    is_zero,
                }),
            }
        }
        start..self.runs.len()
    }

    /// Puts one region back.
    fn restore_region(&self, region: &Region, restoring: Restoring) {
        let mut copy = &self.store[region.offset..][..region.length];
        // SAFETY: the region was writable when it was copied, and nobody runs on it now.
        let mut memory =
            unsafe { core::slice::from_raw_parts_mut(region.start as *mut u8, region.length) };
        for run in &self.runs[region.runs.clone()] {
            let (part, rest) = memory.split_at_mut(run.length);
            let (copy_of_part, copy_of_rest) = copy.split_at(run.length);
            match run.is_zero {
                true => restoring.clear(part),
                false => restoring.put_back(part, copy_of_part),
            }
            (memory, copy) = (rest, copy_of_rest);
        }
    }

    /// Puts back what was written of the regions that are watched.
    fn restore_written(&self, written: &Written) {
        written.for_each(|range| {
            let mut regions = self.regions.iter();
            let is_it = |region: &&Region| {
                region.is_watched
                    && (region.start..region.start + region.length).contains(&range.start)
            };
            if let Some(region) = regions.find(is_it) {
                let offset = region.offset + (range.start - region.start);
                let copy = self.store[offset..][..range.len()].as_ptr();
                // SAFETY: as for whole regions.
                unsafe {
                    core::ptr::copy_nonoverlapping(copy, range.start as *mut u8, range.len())
                };
            }
        });
    }
}

/// The memory that executions begin with.
pub struct Snapshot {
    /// From before `main`.
    first: Image,
    /// From behind the prelude, without the stacks of other tasks than the first one: they are as they
    /// were.
    second: Option<Image>,
    /// Whether memory that is watched may differ from the first image where nothing was written since
    /// it was last put back.
    is_far: bool,
    program_break: i64,
    /// Whether the last execution has made no system call: descriptors and mappings are as they were.
    pub is_kernel_clean: bool,
    /// What tells which pages were written, if anything does.
    written: Option<Written>,
    /// Memory that the execution at hand has mapped.
    mapped: Vec<Range<usize>>,
    /// The first file descriptor that the program has not inherited.
    files_from: i64,
    /// Memory of the runtime among what the process may write.
    own: Vec<Range<usize>>,
    pub restoring: Restoring,
}

impl Snapshot {
    pub fn new() -> Snapshot {
        Snapshot {
            first: Image::default(),
            second: None,
            is_far: false,
            program_break: 0,
            is_kernel_clean: false,
            written: None,
            mapped: Vec::new(),
            files_from: 0,
            own: Vec::new(),
            restoring: Restoring::default(),
        }
    }

    /// Leaves out memory of the runtime.
    pub fn exclude(&mut self, range: Range<usize>) {
        self.own.push(range);
    }

    /// Watches the large regions of a large image.
    fn watch(&mut self) {
        const PAGE: usize = 4096;
        if self.first.store.len() <= IMAGE_MAX {
            return;
        }
        let is_page = |number: usize| number.is_multiple_of(PAGE);
        let is_large = |region: &&mut Region| {
            region.slot.is_none()
                && region.length > REGION_MAX
                && is_page(region.start)
                && is_page(region.length)
        };
        let large = self.first.regions.iter_mut().filter(is_large);
        let mut ranges = Vec::new();
        for region in large {
            region.is_watched = true;
            ranges.push(region.start..region.start + region.length);
        }
        self.written = Written::watch(ranges);
        if self.written.is_none() {
            for region in &mut self.first.regions {
                region.is_watched = false;
            }
        }
    }

    /// Whether the memory of the program can be copied a second time: the same parts of it are there as
    /// in the beginning, and it is not too much.
    pub fn can_keep(&self) -> bool {
        // SAFETY: only asks.
        let program_break = unsafe { sys::call(libc::SYS_brk, [0; 6]) };
        self.mapped.is_empty()
            && program_break == self.program_break
            && self.first.store.len() <= SECOND_MAX
    }

    /// Copies memory a second time: executions begin from here. The first task has come to `stack`.
    pub fn keep(&mut self, stack: usize) {
        let mut second = Image::default();
        for region in &self.first.regions {
            let end = region.start + region.length;
            match region.slot {
                None => second.add(region.start..end, None, region.is_watched),
                Some(0) => second.add((stack & !15)..end, Some(0), false),
                Some(_) => {}
            }
        }
        self.second = Some(second);
    }

    /// Executions begin before `main` again.
    pub fn forget(&mut self) {
        self.is_far |= self.second.take().is_some();
    }

    /// Puts the stack and the thread-locals of a slot back, for another task of the same execution.
    pub fn restore_thread(&self, slot: usize) {
        for region in &self.first.regions {
            if region.slot == Some(slot) {
                self.first.restore_region(region, self.restoring);
            }
        }
    }

    /// Notes that the program has mapped memory.
    pub fn note_mapped(&mut self, range: Range<usize>) {
        self.mapped.push(range);
    }

    /// Notes that the program has unmapped memory.
    pub fn note_unmapped(&mut self, range: Range<usize>) {
        let mut index = 0;
        while index < self.mapped.len() {
            let old = self.mapped[index].clone();
            if old.end <= range.start || range.end <= old.start {
                index += 1;
                continue;
            }
            self.mapped.swap_remove(index);
            if old.start < range.start {
                self.mapped.push(old.start..range.start);
            }
            if range.end < old.end {
                self.mapped.push(range.end..old.end);
            }
        }
    }

    /// Puts everything back, of threads only those in which the last execution had a task: nobody else
    /// writes to their stacks and thread-locals.
    pub fn restore(&mut self, slots: &[Slot]) {
        let image = self.second.as_ref().unwrap_or(&self.first);
        for region in &image.regions {
            let is_changed = match region.slot {
                Some(slot) => slot == 0,
                None => !region.is_watched || self.is_far,
            };
            if is_changed {
                image.restore_region(region, self.restoring);
            }
        }
        for region in &self.first.regions {
            if region
                .slot
                .is_some_and(|slot| slot > 0 && slots[slot].is_used)
            {
                self.first.restore_region(region, self.restoring);
            }
        }
        if let Some(written) = &self.written {
            image.restore_written(written);
            let is_protected = written.protect();
            assert!(is_protected, "cannot watch memory any more");
        }
        self.is_far = false;
        if !self.is_kernel_clean {
            self.clean_kernel();
        }
    }

    /// Undoes what the last execution has done to the process.
    fn clean_kernel(&mut self) {
        // SAFETY: what lies behind the old break belongs to the execution that is over, and so do
        // the mappings it made.
        unsafe {
            if sys::call(libc::SYS_brk, [0; 6]) != self.program_break {
                sys::call(libc::SYS_brk, [self.program_break, 0, 0, 0, 0, 0]);
            }
            for range in self.mapped.drain(..) {
                sys::unmap(range.start, range.len());
            }
        }
        self.close_files();
    }

    /// Closes what the program has left open.
    fn close_files(&self) {
        let close = |from: i64, to: i64| {
            if from <= to {
                // SAFETY: these belong to the execution that is over.
                unsafe { sys::call(libc::SYS_close_range, [from, to, 0, 0, 0, 0]) };
            }
        };
        let mut from = self.files_from;
        for own in self.written.iter().flat_map(Written::files) {
            close(from, own - 1);
            from = own + 1;
        }
        close(from, i64::from(u32::MAX));
    }
}

/// Copies the program's memory. Called on the controller's stack, before the first execution.
pub fn take(runtime: &mut Runtime) {
    // The C library's own heap is used before the program begins and hardly after: what it keeps in
    // store there would be copied every time.
    // SAFETY: nothing else runs.
    unsafe { libc::malloc_trim(0) };
    let text = read_maps();
    for slot in &mut runtime.slots {
        slot.reset();
    }
    let stacks = runtime.slots.iter().map(|slot| slot.context.stack);
    let stacks: Vec<usize> = stacks.collect();
    for line in text.split(|&byte| byte == b'\n') {
        let Some(range) = writable(line) else {
            continue;
        };
        let inside = |&(_, stack): &(usize, &usize)| range.contains(stack);
        match stacks.iter().enumerate().find(inside) {
            // A mapping may hold several stacks, one behind the other; the rest is found below.
            Some(_) => add_stacks(&mut runtime.snapshot, &stacks, range),
            None => add_outside(&mut runtime.snapshot, range),
        }
    }
    // SAFETY: these only ask.
    unsafe {
        runtime.snapshot.program_break = sys::call(libc::SYS_brk, [0; 6]);
        let standard_input = [0, i64::from(libc::F_DUPFD), 3, 0, 0, 0];
        let file = sys::call(libc::SYS_fcntl, standard_input);
        if file >= 0 {
            sys::call(libc::SYS_close, [file, 0, 0, 0, 0, 0]);
        }
        runtime.snapshot.files_from = file.max(3);
    }
    if runtime.launch.reexecution == Reexecution::Snapshot {
        runtime.snapshot.restoring = Restoring::new();
        runtime.snapshot.watch();
    }
}

/// Adds a mapping with stacks in it: each from its stack pointer up to the next stack's guard.
fn add_stacks(snapshot: &mut Snapshot, stacks: &[usize], range: Range<usize>) {
    let mut inside: Vec<(usize, usize)> = stacks
        .iter()
        .enumerate()
        .filter(|(_, stack)| range.contains(stack))
        .map(|(slot, &stack)| (stack, slot))
        .collect();
    inside.sort_unstable();
    for index in 0..inside.len() {
        let (stack, slot) = inside[index];
        let end = inside.get(index + 1).map_or(range.end, |next| next.0);
        snapshot.first.add((stack & !15)..end, Some(slot), false);
    }
}

/// Adds a mapping without what the runtime owns of it.
fn add_outside(snapshot: &mut Snapshot, range: Range<usize>) {
    let mut start = range.start;
    let mut own = snapshot.own.clone();
    own.sort_unstable_by_key(|range| range.start);
    for own in own {
        if own.end <= start || range.end <= own.start {
            continue;
        }
        if start < own.start {
            snapshot.first.add(start..own.start, None, false);
        }
        start = own.end;
    }
    if start < range.end {
        snapshot.first.add(start..range.end, None, false);
    }
}

/// The mappings of this process as the kernel lists them.
fn read_maps() -> Vec<u8> {
    let mut text: Vec<u8> = Vec::with_capacity(1 << 20);
    let path = c"/proc/self/maps".as_ptr() as i64;
    // SAFETY: the kernel writes into the free part of the buffer.
    unsafe {
        let file = sys::call(libc::SYS_open, [path, 0, 0, 0, 0, 0]);
        assert!(file >= 0, "cannot read the list of mappings");
        loop {
            if text.capacity() - text.len() < 1 << 16 {
                text.reserve(1 << 20);
            }
            let free = text.spare_capacity_mut();
            let arguments = [file, free.as_mut_ptr() as i64, free.len() as i64, 0, 0, 0];
            let count = sys::call(libc::SYS_read, arguments);
            if count <= 0 {
                break;
            }
            let length = text.len() + count as usize;
            text.set_len(length);
        }
        sys::call(libc::SYS_close, [file, 0, 0, 0, 0, 0]);
    }
    text
}

/// The range of a line of the list if it is private and may be written.
fn writable(line: &[u8]) -> Option<Range<usize>> {
    let text = core::str::from_utf8(line).ok()?;
    let (range, rest) = text.split_once(' ')?;
    let (start, end) = range.split_once('-')?;
    if !rest.starts_with("rw-p") && !rest.starts_with("rwxp") {
        return None;
    }
    let start = usize::from_str_radix(start, 16).ok()?;
    let end = usize::from_str_radix(end, 16).ok()?;
    Some(start..end)
}
