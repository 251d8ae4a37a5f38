//! Which pages of memory were written, where the kernel can tell: a large image is put back by copying
//! those pages only.
//!
//! The ranges are registered with `userfaultfd` in its asynchronous mode of write protection: the
//! first write to a page lifts the protection, and nobody is told. `PAGEMAP_SCAN` lists the pages
//! without it, and protects them again. Needs Linux 6.7; everything is copied elsewhere.

use crate::sys;
use alloc::vec::Vec;
use core::ops::Range;

/// Ranges under watch.
pub struct Written {
    /// Descriptors of the two facilities.
    faults: i64,
    pages: i64,
    ranges: Vec<Range<usize>>,
}

/// The lowest number for our own descriptors: the program expects the low ones for itself.
const FILES_FROM: i64 = 900;

const USER_MODE_ONLY: i64 = 1;
const API: u64 = 0xc018_aa3f;
const REGISTER: u64 = 0xc020_aa00;
const SCAN: u64 = 0xc060_6610;
/// Missing pages are protected as well, and writes go on by themselves.
const FEATURES: u64 = 1 << 13 | 1 << 15;
const PROTECT: u64 = 1 << 1;

/// Flags and categories of a scan.
const PROTECT_MATCHING: u64 = 1;
const ONLY_ASYNCHRONOUS: u64 = 2;
const IS_WRITTEN: u64 = 1 << 1;

#[repr(C)]
struct Api {
    api: u64,
    features: u64,
    calls: u64,
}

#[repr(C)]
struct Register {
    start: u64,
    length: u64,
    mode: u64,
    calls: u64,
}

#[repr(C)]
#[derive(Default)]
struct Scan {
    size: u64,
    flags: u64,
    start: u64,
    end: u64,
    walk_end: u64,
    found: u64,
    found_max: u64,
    pages_max: u64,
    inverted: u64,
    mask: u64,
    any_of: u64,
    wanted: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Found {
    start: u64,
    end: u64,
    categories: u64,
}

impl Written {
    /// Watches ranges of whole pages from now on; `None` if this kernel cannot.
    pub fn watch(ranges: Vec<Range<usize>>) -> Option<Written> {
        // SAFETY: these only make descriptors of our own.
        let (faults, pages) = unsafe {
            let flags = USER_MODE_ONLY | i64::from(libc::O_CLOEXEC);
            let faults = sys::call(libc::SYS_userfaultfd, [flags, 0, 0, 0, 0, 0]);
            let path = c"/proc/self/pagemap".as_ptr() as i64;
            let pages = sys::call(libc::SYS_open, [path, 0, 0, 0, 0, 0]);
            (out_of_the_way(faults), out_of_the_way(pages))
        };
        let this = Written {
            faults,
            pages,
            ranges,
        };
        let is_possible = faults >= 0 && pages >= 0 && this.register();
        if is_possible && this.protect() {
            return Some(this);
        }
        // SAFETY: what is registered is let go with the descriptor.
        unsafe {
            sys::call(libc::SYS_close, [faults, 0, 0, 0, 0, 0]);
            sys::call(libc::SYS_close, [pages, 0, 0, 0, 0, 0]);
        }
        None
    }

    /// The descriptors, which nobody else should close.
    pub fn files(&self) -> [i64; 2] {
        let mut files = [self.faults, self.pages];
        files.sort_unstable();
        files
    }

    fn register(&self) -> bool {
        let mut api = Api {
            api: 0xaa,
            features: FEATURES,
            calls: 0,
        };
        if !control(self.faults, API, &raw mut api) {
            return false;
        }
        self.ranges.iter().all(|range| {
            let mut register = Register {
                start: range.start as u64,
                length: range.len() as u64,
                mode: PROTECT,
                calls: 0,
            };
            control(self.faults, REGISTER, &raw mut register)
        })
    }

    /// Calls `each` with what was written since the last time.
    pub fn for_each(&self, mut each: impl FnMut(Range<usize>)) {
        for range in &self.ranges {
            let mut start = range.start as u64;
            while start < range.end as u64 {
                let mut found = [Found::default(); 64];
                let (count, walked) = scan(self.pages, start, range.end as u64, 0, &mut found);
                assert!(walked > start, "cannot list the written pages");
                for part in &found[..count] {
                    each(part.start as usize..part.end as usize);
                }
                start = walked;
            }
        }
    }

    /// From now on nothing counts as written. Answers whether the kernel did it.
    pub fn protect(&self) -> bool {
        self.ranges.iter().all(|range| {
            let flags = PROTECT_MATCHING | ONLY_ASYNCHRONOUS;
            let end = range.end as u64;
            scan(self.pages, range.start as u64, end, flags, &mut []).1 == end
        })
    }
}

/// One scan: how many ranges were found, and up to where. Up to the start if that failed.
fn scan(pages: i64, start: u64, end: u64, flags: u64, found: &mut [Found]) -> (usize, u64) {
    let mut scan = Scan {
        size: size_of::<Scan>() as u64,
        flags,
        start,
        end,
        found: if found.is_empty() {
            0
        } else {
            found.as_mut_ptr() as u64
        },
        found_max: found.len() as u64,
        mask: IS_WRITTEN,
        wanted: IS_WRITTEN,
        ..Scan::default()
    };
    let address = &raw mut scan as i64;
    // SAFETY: the kernel fills in what is found.
    let count = unsafe { sys::call(libc::SYS_ioctl, [pages, SCAN as i64, address, 0, 0, 0]) };
    match usize::try_from(count) {
        Ok(count) => (count, scan.walk_end),
        Err(_) => (0, start),
    }
}

fn control<T>(file: i64, request: u64, argument: *mut T) -> bool {
    let arguments = [file, request as i64, argument as i64, 0, 0, 0];
    // SAFETY: requests of `userfaultfd`, with the structures that they take.
    unsafe { sys::call(libc::SYS_ioctl, arguments) == 0 }
}

/// Moves a descriptor to a number that no program is likely to see.
///
/// # Safety
///
/// Nobody uses the descriptor yet.
unsafe fn out_of_the_way(file: i64) -> i64 {
    let moving = [file, i64::from(libc::F_DUPFD_CLOEXEC), FILES_FROM, 0, 0, 0];
    // SAFETY: by the caller.
    unsafe {
        let moved = sys::call(libc::SYS_fcntl, moving);
        if file >= 0 {
            sys::call(libc::SYS_close, [file, 0, 0, 0, 0, 0]);
        }
        moved
    }
}
