//! What the kernel of Linux and the processor offer.

use std::ffi::CStr;
use std::fs;
use std::io;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::process::Command;

/// `HWCAP2_FSGSBASE`: the instructions that read and write the FS base are permitted.
const HWCAP2_FSGSBASE: libc::c_ulong = 1 << 1;

/// `UFFDIO_API`: asks which features there are.
const UFFDIO_API: libc::c_ulong = 0xc018_aa3f;
/// `UFFD_FEATURE_WP_ASYNC`.
const WRITE_PROTECT_ASYNC: u64 = 1 << 15;
/// `UFFD_USER_MODE_ONLY`: needs no privilege.
const USER_MODE_ONLY: libc::c_long = 1;
/// `PAGEMAP_SCAN`.
const PAGEMAP_SCAN: libc::c_ulong = 0xc060_6610;

pub(super) fn has_fsgsbase() -> bool {
    // SAFETY: only reads what the kernel told this process.
    let bits = unsafe { libc::getauxval(libc::AT_HWCAP2) };
    cfg!(target_arch = "x86_64") && bits & HWCAP2_FSGSBASE != 0
}

pub(super) fn kernel() -> String {
    // SAFETY: all zeros is a valid value of this struct of byte arrays.
    let mut name: libc::utsname = unsafe { std::mem::zeroed() };
    // SAFETY: the kernel fills the struct with texts that end with zero.
    let (system, release) = unsafe {
        libc::uname(&mut name);
        (
            CStr::from_ptr(name.sysname.as_ptr()),
            CStr::from_ptr(name.release.as_ptr()),
        )
    };
    format!("{} {}", system.to_string_lossy(), release.to_string_lossy())
}

/// Asks for the written pages of one page of our own.
pub(super) fn has_pagemap_scan() -> bool {
    /// `struct pm_scan_arg`.
    #[repr(C)]
    #[derive(Default)]
    struct Scan {
        size: u64,
        flags: u64,
        start: u64,
        end: u64,
        walk_end: u64,
        vec: u64,
        vec_len: u64,
        max_pages: u64,
        category_inverted: u64,
        category_mask: u64,
        category_anyof_mask: u64,
        return_mask: u64,
    }
    const PAGE_IS_PRESENT: u64 = 1 << 3;
    let Ok(pagemap) = fs::File::open("/proc/self/pagemap") else {
        return false;
    };
    // SAFETY: only asks for the size of a page.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as u64;
    let mut region = [0_u64; 3];
    let here = &raw const region as u64 / page * page;
    let mut scan = Scan {
        size: size_of::<Scan>() as u64,
        start: here,
        end: here + page,
        vec: &raw mut region as u64,
        vec_len: 1,
        category_mask: PAGE_IS_PRESENT,
        return_mask: PAGE_IS_PRESENT,
        ..Scan::default()
    };
    // SAFETY: the struct is the kernel's, and its one result fits where it says.
    let found = unsafe { libc::ioctl(pagemap.as_raw_fd(), PAGEMAP_SCAN, &raw mut scan) };
    found >= 0
}

pub(super) fn userfaultfd() -> Result<(), String> {
    let flags = libc::c_long::from(libc::O_CLOEXEC) | USER_MODE_ONLY;
    // SAFETY: opens a descriptor and touches no memory.
    let descriptor = unsafe { libc::syscall(libc::SYS_userfaultfd, flags) };
    if descriptor < 0 {
        return Err(io::Error::last_os_error().to_string());
    }
    // SAFETY: the descriptor was just opened and nobody else knows it.
    let descriptor = unsafe { OwnedFd::from_raw_fd(descriptor as i32) };
    // `struct uffdio_api`: version, features wanted, calls offered.
    let mut question = [0xaa_u64, WRITE_PROTECT_ASYNC, 0];
    // SAFETY: the struct is as large as the call says.
    let answer = unsafe { libc::ioctl(descriptor.as_raw_fd(), UFFDIO_API, question.as_mut_ptr()) };
    match answer {
        0 => Ok(()),
        _ => Err("no asynchronous write protection".to_string()),
    }
}

/// In a child, because it stays in force.
pub(super) fn can_fix_addresses() -> bool {
    let mut command = Command::new("true");
    // SAFETY: the child makes one system call, which needs no memory and no lock.
    unsafe {
        command.pre_exec(|| {
            let old = libc::personality(0xffff_ffff);
            let new = old as libc::c_ulong | libc::ADDR_NO_RANDOMIZE as libc::c_ulong;
            match old >= 0 && libc::personality(new) >= 0 {
                true => Ok(()),
                false => Err(io::Error::last_os_error()),
            }
        });
    }
    command.status().is_ok_and(|status| status.success())
}

/// Lets a child ask to be traced. It stops at its exec; killed and waited for, it is gone.
pub(super) fn ptrace() -> Result<(), String> {
    let mut command = Command::new("true");
    // SAFETY: the child makes one system call, which needs no memory and no lock.
    unsafe {
        command.pre_exec(|| {
            let nothing = std::ptr::null_mut::<libc::c_void>();
            match libc::ptrace(libc::PTRACE_TRACEME, 0, nothing, nothing) {
                0 => Ok(()),
                _ => Err(io::Error::last_os_error()),
            }
        });
    }
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    let _ = child.kill();
    child.wait().map(|_| ()).map_err(|error| error.to_string())
}
