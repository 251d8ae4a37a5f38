//! Whether the program or one of its libraries has functions to be called at the end, besides the one
//! that the compiler puts into each.
//!
//! The loader takes some microseconds to find out, in every execution.

use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicBool, Ordering};

/// Bytes of a list that holds the compiler's own function only.
const LIST_MIN: u64 = 8;

/// The tag of the size of the list, in the table that the loader reads.
const SIZE_TAG: i64 = 28;

static ARE_THERE: AtomicBool = AtomicBool::new(false);

/// Looks at everything that is loaded now.
pub fn look_up() {
    // SAFETY: the callback has the signature that is called.
    unsafe { libc::dl_iterate_phdr(Some(look_at), core::ptr::null_mut()) };
}

/// Whether something was found.
pub fn are_there() -> bool {
    ARE_THERE.load(Ordering::Relaxed)
}

/// An entry of the table.
#[repr(C)]
struct Entry {
    tag: i64,
    value: u64,
}

// SAFETY: called by the C library for each module.
unsafe extern "C" fn look_at(
    info: *mut libc::dl_phdr_info,
    _size: usize,
    _data: *mut c_void,
) -> c_int {
    // SAFETY: the tables of the module, as the C library tells them; the second ends with tag zero.
    unsafe {
        let info = &*info;
        let segments = core::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum));
        let is_table = |segment: &&libc::Elf64_Phdr| segment.p_type == libc::PT_DYNAMIC;
        let Some(table) = segments.iter().find(is_table) else {
            return 0;
        };
        let mut entry = (info.dlpi_addr + table.p_vaddr) as *const Entry;
        while (*entry).tag != 0 {
            if (*entry).tag == SIZE_TAG && (*entry).value > LIST_MIN {
                ARE_THERE.store(true, Ordering::Relaxed);
                return 1;
            }
            entry = entry.add(1);
        }
    }
    0
}
