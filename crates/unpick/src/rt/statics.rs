//! Statics begin every execution as they began the first.
//!
//! A drop-in type can stand in a `static`, which lives as long as the process. When an execution
//! first uses a value that lies in the writable data of the program, its bytes are remembered; when
//! the execution is over, the value is dropped and the bytes are put back. That is sound because the
//! initial value of a static is a constant, which owns nothing.
//!
//! A value inside another one that lies in a static, such as the mutex in a `OnceLock<Mutex<_>>`, was
//! not made by a constant. It is put back with the value around it, which an execution always uses
//! first. A value that can tell that it was changed before the execution keeps its changes.
//!
//! Statics are shared by everything in the process, so an execution that uses one keeps every other
//! such execution waiting until it is over.

use super::object_cell::Modelled;
use super::watchdog::Watched;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// How to put a static back to its beginning.
struct Initial {
    restore: Box<dyn Fn() + Send>,
}

static REGISTRY: Mutex<BTreeMap<usize, Initial>> = Mutex::new(BTreeMap::new());

/// The right to use statics, held by an execution from its first use of one to its end.
pub(super) struct StaticsInUse {
    registry: MutexGuard<'static, BTreeMap<usize, Initial>>,
    used: Vec<Used>,
}

/// A static that an execution uses.
struct Used {
    /// Invariant: no two overlap.
    bytes: Range<usize>,
    is_put_back: bool,
}

/// Whether a value lies in a static.
pub(super) fn is_static<M: ?Sized>(value: &M) -> bool {
    let address = std::ptr::from_ref(value).cast::<u8>() as usize;
    static RANGES: OnceLock<Vec<(usize, usize)>> = OnceLock::new();
    RANGES
        .get_or_init(writable_ranges)
        .iter()
        .any(|&(start, end)| (start..end).contains(&address))
}

impl StaticsInUse {
    /// Waits until no other exploration uses statics.
    pub fn acquire(watched: &Watched) -> StaticsInUse {
        let registry = watched.pause(|| REGISTRY.lock());
        StaticsInUse {
            registry: registry.unwrap_or_else(PoisonError::into_inner),
            used: Vec::new(),
        }
    }

    /// Notes that the execution uses a static, and remembers how it began if this is its first use
    /// in the process. Nothing is noted about a part of a static that is in use as a whole.
    pub fn note<M: Modelled + ?Sized>(&mut self, value: &M) {
        let address = std::ptr::from_ref(value).cast::<u8>() as usize;
        if self.used.iter().any(|used| used.bytes.contains(&address)) {
            return;
        }
        // Asked under the registry's lock: before, another execution may have been using it.
        let is_put_back = value.is_initial();
        self.used.push(Used {
            bytes: address..address + size_of_val(value),
            is_put_back,
        });
        if !is_put_back {
            return;
        }
        self.registry.entry(address).or_insert_with(|| {
            let place = Place(std::ptr::from_ref(value).cast_mut());
            let size = size_of_val(value);
            let mut bytes = vec![std::mem::MaybeUninit::<u8>::uninit(); size];
            // SAFETY: source and target are `size` bytes long and do not overlap; possibly
            // uninitialised bytes are copied as such.
            unsafe {
                std::ptr::copy_nonoverlapping(
                    place.0.cast::<std::mem::MaybeUninit<u8>>(),
                    bytes.as_mut_ptr(),
                    size,
                );
            }
            let leaks = value.lends_inside();
            let restore: Box<dyn Fn() + Send + '_> = Box::new(move || place.restore(&bytes, leaks));
            // SAFETY: only the lifetime changes; the value is a static, so its type lives for ever.
            let restore: Box<dyn Fn() + Send> = unsafe { std::mem::transmute(restore) };
            Initial { restore }
        });
    }

    /// Puts all statics back that the execution has used.
    pub fn restore(&mut self) {
        for used in self.used.drain(..).filter(|used| used.is_put_back) {
            (self.registry[&used.bytes.start].restore)();
        }
    }
}

/// The address of a static.
struct Place<M: ?Sized>(*mut M);

// SAFETY: a static can be used from every thread, and `restore` runs under the registry's lock.
unsafe impl<M: ?Sized> Send for Place<M> {}

impl<M: ?Sized> Place<M> {
    fn restore(&self, bytes: &[std::mem::MaybeUninit<u8>], leaks: bool) {
        // SAFETY: the place is a static, so it is valid for ever; the execution that used it is over
        // and holds the only right to it; nothing refers to what is dropped, since guards do not
        // outlive their execution and a value that lends its inside is leaked instead; the bytes
        // are those of its constant initial value, which owns nothing and may be duplicated.
        unsafe {
            if !leaks {
                std::ptr::drop_in_place(self.0);
            }
            std::ptr::copy_nonoverlapping(
                bytes.as_ptr(),
                self.0.cast::<std::mem::MaybeUninit<u8>>(),
                bytes.len(),
            );
        }
    }
}

/// Where the writable data of the program and its libraries lies.
#[cfg(target_os = "linux")]
fn writable_ranges() -> Vec<(usize, usize)> {
    // SAFETY: only the C library calls it, with what the call below hands over.
    unsafe extern "C" fn visit(
        info: *mut libc::dl_phdr_info,
        _size: libc::size_t,
        data: *mut libc::c_void,
    ) -> libc::c_int {
        // SAFETY: the C library hands over a valid description, and `data` is the vector below.
        let (info, ranges) = unsafe { (&*info, &mut *data.cast::<Vec<(usize, usize)>>()) };
        for index in 0..usize::from(info.dlpi_phnum) {
            // SAFETY: there are `dlpi_phnum` headers.
            let header = unsafe { &*info.dlpi_phdr.add(index) };
            if header.p_type == libc::PT_LOAD && header.p_flags & libc::PF_W != 0 {
                let start = info.dlpi_addr as usize + header.p_vaddr as usize;
                ranges.push((start, start + header.p_memsz as usize));
            }
        }
        0
    }
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    // SAFETY: `visit` matches the signature and `ranges` outlives the call.
    unsafe {
        libc::dl_iterate_phdr(Some(visit), std::ptr::from_mut(&mut ranges).cast());
    }
    ranges
}

/// Unknown here: statics keep their values from execution to execution.
#[cfg(not(target_os = "linux"))]
fn writable_ranges() -> Vec<(usize, usize)> {
    Vec::new()
}
