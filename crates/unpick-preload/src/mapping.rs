//! Memory that the program maps: taken back after the execution.

use crate::prelude;
use crate::runtime::{Runtime, running};
use crate::sys::{self, with_errno};
use core::ffi::c_int;
use unpick_engine::Proviso;

fn map(address: usize, size: usize, rest: [i64; 4]) -> usize {
    let [protection, flags, file, offset] = rest;
    let arguments = [address as i64, size as i64, protection, flags, file, offset];
    // SAFETY: as the program asks.
    let result = unsafe { sys::call(libc::SYS_mmap, arguments) };
    if let (Some(this), true) = (running(), result > 0) {
        let range = result as usize..result as usize + size.next_multiple_of(4096);
        if this.keeps_shadow() {
            this.shadow.allocate(range.start, range.len());
        }
        this.snapshot.note_mapped(range);
    }
    with_errno(result) as usize
}

/// Memory goes away that other tasks may use: no operation stands for that.
fn note_change(this: &mut Runtime) {
    if !this.is_alone() {
        this.execution.assume(Proviso::NotInstrumented);
    }
}

/// Maps memory.
///
/// # Safety
///
/// As with the function it stands in for.
#[unsafe(no_mangle)]
unsafe extern "C" fn mmap(
    address: usize,
    size: usize,
    protection: c_int,
    flags: c_int,
    file: c_int,
    offset: i64,
) -> usize {
    let (protection, flags, file) = (protection.into(), flags.into(), file.into());
    map(address, size, [protection, flags, file, offset])
}

/// Maps memory.
///
/// # Safety
///
/// As with the function it stands in for.
#[unsafe(no_mangle)]
unsafe extern "C" fn mmap64(
    address: usize,
    size: usize,
    protection: c_int,
    flags: c_int,
    file: c_int,
    offset: i64,
) -> usize {
    let (protection, flags, file) = (protection.into(), flags.into(), file.into());
    map(address, size, [protection, flags, file, offset])
}

/// Unmaps memory.
///
/// # Safety
///
/// As with the function it stands in for.
#[unsafe(no_mangle)]
unsafe extern "C" fn munmap(address: usize, size: usize) -> c_int {
    let arguments = [address as i64, size as i64, 0, 0, 0, 0];
    // SAFETY: by the caller.
    let result = unsafe { sys::call(libc::SYS_munmap, arguments) };
    if let (Some(this), 0) = (running(), result) {
        note_change(this);
        prelude::spoil();
        let range = address..address + size.next_multiple_of(4096);
        this.buffers.forget(range.clone());
        this.snapshot.note_unmapped(range);
    }
    with_errno(result) as c_int
}

/// Moves or resizes mapped memory.
///
/// # Safety
///
/// As with the function it stands in for.
#[unsafe(no_mangle)]
unsafe extern "C" fn mremap(
    address: usize,
    size: usize,
    new_size: usize,
    flags: c_int,
    new_address: usize,
) -> usize {
    let arguments = [
        address as i64,
        size as i64,
        new_size as i64,
        flags.into(),
        new_address as i64,
        0,
    ];
    // SAFETY: by the caller.
    let result = unsafe { sys::call(libc::SYS_mremap, arguments) };
    if let (Some(this), true) = (running(), result > 0) {
        note_change(this);
        prelude::spoil();
        let gone = address..address + size.next_multiple_of(4096);
        this.buffers.forget(gone.clone());
        this.snapshot.note_unmapped(gone);
        let range = result as usize..result as usize + new_size.next_multiple_of(4096);
        this.snapshot.note_mapped(range);
    }
    with_errno(result) as usize
}
