//! The time stamp of the processor: an instruction reads it, no function, so the kernel makes it a fault.
//!
//! A task gets the virtual clock instead, the same in every execution, and the places are reported: what they read
//! is not what they read without unpick. Code that runs uncontrolled gets the real one.

use crate::runtime::{Runtime, running};
use crate::{sys, time};
use alloc::{format, string::String, vec::Vec};
use unpick_engine::{Warning, WarningKind};
use unpick_trace::Site;

/// Places that are kept, at most.
const PLACES_MAX: usize = 8;

const RDTSC: [u8; 2] = [0x0f, 0x31];
const RDTSCP: [u8; 3] = [0x0f, 0x01, 0xf9];

/// From `linux/prctl.h`.
const PR_SET_TSC: i64 = 26;
const PR_TSC_ENABLE: i64 = 1;
const PR_TSC_SIGSEGV: i64 = 2;

/// Where tasks have read the time stamp, in all executions.
pub struct Places {
    /// Addresses behind the instructions; zero where there is none yet.
    places: [usize; PLACES_MAX],
}

impl Places {
    pub const NONE: Places = Places {
        places: [0; PLACES_MAX],
    };

    fn note(&mut self, pc: usize) {
        for place in &mut self.places {
            if *place == 0 || *place == pc {
                *place = pc;
                return;
            }
        }
    }
}

/// A warning for each place.
pub fn warnings(this: &Runtime) -> Vec<Warning> {
    let places = this.timestamps.places.iter();
    let places = places.take_while(|place| **place != 0);
    let warnings = places.map(|&place| {
        let site = Site::new(this.sites.frame(place), 0, 0);
        Warning {
            kind: WarningKind::Uncontrolled,
            text: text(&site),
            site: Some(site),
            cycle: None,
        }
    });
    warnings.collect()
}

fn text(site: &Site) -> String {
    format!(
        "uncontrolled nondeterminism: rdtsc at {site}; executions read the virtual clock there instead; \
         use clock_gettime or Instant::now, which are controlled"
    )
}

/// Reading the time stamp is a fault from now on, of this thread and of those that it creates. Where the kernel cannot
/// do that, it is not noticed.
pub fn trap() {
    set(PR_TSC_SIGSEGV);
}

fn set(mode: i64) {
    // SAFETY: concerns nothing but the instructions that read the time stamp.
    unsafe { sys::call(libc::SYS_prctl, [PR_SET_TSC, mode, 0, 0, 0, 0]) };
}

/// Answers a fault, if an instruction that reads the time stamp was its cause.
///
/// # Safety
///
/// These are the registers at a fault that the kernel says came from an instruction and from no address.
pub unsafe fn answer(registers: &mut [libc::greg_t]) -> bool {
    let pc = registers[libc::REG_RIP as usize] as usize;
    let code = pc as *const u8;
    // SAFETY: the processor has read the instruction there; the third byte belongs to it if the second does.
    let (is_short, is_long) = unsafe {
        let first = [*code, *code.add(1)];
        let is_long = || first == RDTSCP[..2] && *code.add(2) == RDTSCP[2];
        (first == RDTSC, is_long())
    };
    let length = match (is_short, is_long) {
        (true, _) => RDTSC.len(),
        (_, true) => RDTSCP.len(),
        _ => return false,
    };
    let stamp = match running() {
        Some(this) if this.sites.knows(pc) => {
            this.timestamps.note(pc + 1);
            time::now_at_once_ns()
        }
        // The functions of the kernel that tell the time lie in no file.
        _ => {
            set(PR_TSC_ENABLE);
            // SAFETY: allowed a moment ago.
            let stamp = unsafe { core::arch::x86_64::_rdtsc() };
            set(PR_TSC_SIGSEGV);
            stamp
        }
    };
    registers[libc::REG_RAX as usize] = i64::from(stamp as u32);
    registers[libc::REG_RDX as usize] = (stamp >> 32) as i64;
    if is_long {
        // The number of the processor.
        registers[libc::REG_RCX as usize] = 0;
    }
    registers[libc::REG_RIP as usize] = (pc + length) as i64;
    true
}
