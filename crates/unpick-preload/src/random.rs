//! Randomness and identity: the same in every execution.

use crate::interpose::interpose;
use crate::real;
use crate::runtime::{running, runtime};
use core::ffi::{c_int, c_long, c_void};

/// A stream of bytes that looks random and always is the same.
#[derive(Clone, Copy, Default)]
pub struct Random {
    state: u64,
}

impl Random {
    pub fn new() -> Random {
        Random { state: 0 }
    }

    pub fn reset(&mut self) {
        self.state = 0;
    }

    /// Steele, Lea, Flood, *Fast splittable pseudorandom number generators*, OOPSLA 2014.
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.state;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }
}

/// Fills memory of the program; answers how much.
pub fn fill(out: *mut u8, count: usize) -> isize {
    let random = &mut runtime().random;
    for index in 0..count {
        // SAFETY: the program passes memory of that size.
        unsafe { *out.add(index) = random.next() as u8 };
    }
    count as isize
}

/// Puts fixed bytes where the kernel has put random ones for the process, from which some hashes are seeded. What the C
/// library needs of them it has taken by then.
///
/// # Safety
///
/// Called before anything of the program runs.
pub unsafe fn fix_seed() {
    /// From `linux/auxvec.h`.
    const AT_RANDOM_SIZE: usize = 16;
    // SAFETY: the kernel has made room for so many bytes on the stack, which stays.
    unsafe {
        let place = libc::getauxval(libc::AT_RANDOM) as *mut u8;
        if !place.is_null() {
            core::ptr::write_bytes(place, 0x5e, AT_RANDOM_SIZE);
        }
    }
}

/// What the running task believes to be its number with the operating system.
pub fn task_number() -> c_long {
    1_000 + c_long::from(runtime().current.0)
}

interpose! {
    fn getrandom(out: *mut c_void, count: usize, flags: u32; pc) -> isize {
        if running().is_none() {
            return real::getrandom()(out, count, flags);
        }
        fill(out.cast(), count)
    }

    fn getentropy(out: *mut c_void, count: usize; pc) -> c_int {
        if running().is_none() {
            return real::getentropy()(out, count);
        }
        fill(out.cast(), count);
        0
    }

    fn arc4random(; pc) -> u32 {
        match running() {
            Some(this) => this.random.next() as u32,
            None => real::arc4random()(),
        }
    }

    fn arc4random_buf(out: *mut c_void, count: usize; pc) {
        if running().is_none() {
            return real::arc4random_buf()(out, count);
        }
        fill(out.cast(), count);
    }

    fn arc4random_uniform(bound: u32; pc) -> u32 {
        match running() {
            Some(this) => (this.random.next() % u64::from(bound.max(1))) as u32,
            None => real::arc4random_uniform()(bound),
        }
    }

    // `std::random_device::operator()`, which would ask the processor.
    fn _ZNSt13random_device9_M_getvalEv(device: *mut c_void; pc) -> u32 {
        match running() {
            Some(this) => this.random.next() as u32,
            None => real::_ZNSt13random_device9_M_getvalEv()(device),
        }
    }

    fn gettid(; pc) -> c_int {
        match running() {
            Some(_) => task_number() as c_int,
            None => real::gettid()(),
        }
    }

    fn sysconf(name: c_int; pc) -> c_long {
        match running() {
            Some(this) if matches!(name, libc::_SC_NPROCESSORS_ONLN | libc::_SC_NPROCESSORS_CONF) => {
                c_long::from(this.launch.processors)
            }
            _ => real::sysconf()(name),
        }
    }

    fn get_nprocs(; pc) -> c_int {
        match running() {
            Some(this) => this.launch.processors as c_int,
            None => real::get_nprocs()(),
        }
    }

    fn sched_getaffinity(process: c_int, size: usize, mask: *mut c_void; pc) -> c_int {
        let Some(this) = running() else {
            return real::sched_getaffinity()(process, size, mask);
        };
        core::ptr::write_bytes(mask.cast::<u8>(), 0, size);
        for processor in 0..(this.launch.processors as usize).min(8 * size) {
            *mask.cast::<u8>().add(processor / 8) |= 1 << (processor % 8);
        }
        0
    }
}
