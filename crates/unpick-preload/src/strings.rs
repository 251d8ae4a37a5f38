//! Functions of the C library that read and write memory of the program: each counts as the accesses that it
//! makes, if instrumented code calls it.
//!
//! While there is nothing to watch, which is before the second task begins and between executions, a call
//! goes straight to the C library: a look at one byte, and a jump. The runtime itself, which copies memory
//! as well, calls the functions of this file too, and gets there in the same way.

mod early;
mod wide;

use crate::instrumented;
use crate::memory::access;
use crate::{allocation, real};
use core::ffi::{c_char, c_int, c_void};
use core::sync::atomic::{AtomicBool, Ordering};
use unpick_memory::AccessKind::{Read, Write};

/// Whether accesses matter now.
pub static WATCHING: AtomicBool = AtomicBool::new(false);

/// Whether a call that returns to a place counts as accesses.
#[inline]
pub fn counts(pc: usize) -> bool {
    WATCHING.load(Ordering::Relaxed) && instrumented::is_at(pc)
}

/// Defines functions as `interpose!` does that are only entered while accesses matter.
macro_rules! watched {
    ($(fn $name:ident($($argument:ident: $kind:ty),*; $pc:ident) $(-> $result:ty)? $body:block)*) => {
        $(const _: () = {
            // SAFETY: the program vouches for what it passes.
            unsafe extern "C" fn body($($argument: $kind,)* $pc: usize) $(-> $result)? {
                #[allow(unused_unsafe)]
                // SAFETY: as above.
                unsafe { $body }
            }

            // SAFETY: it does what the function of that name does, and more.
            #[unsafe(naked)]
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $name($($argument: $kind),*) $(-> $result)? {
                core::arch::naked_asm!(
                    "cmp byte ptr [rip + {watching}], 0",
                    "jne 2f",
                    "mov rax, [rip + {addresses} + {offset}]",
                    "test rax, rax",
                    "je 2f",
                    "jmp rax",
                    "2:",
                    concat!("mov ", $crate::interpose::register!($($argument)*), ", [rsp]"),
                    "jmp {body}",
                    watching = sym $crate::strings::WATCHING,
                    addresses = sym $crate::real::ADDRESSES,
                    offset = const $crate::real::offset::$name,
                    body = sym body,
                )
            }
        };)*
    };
}

use watched;

/// The running task reads memory.
#[inline]
pub fn reads<T>(address: *const T, count: usize, pc: usize) {
    if count > 0 {
        access(address as usize, count * size_of::<T>(), Read, pc);
    }
}

/// The running task writes memory.
#[inline]
pub fn writes<T>(address: *const T, count: usize, pc: usize) {
    if count > 0 {
        access(address as usize, count * size_of::<T>(), Write, pc);
    }
}

/// The running task copies memory.
#[inline]
pub fn copies<T>(target: *mut T, source: *const T, count: usize, pc: usize) {
    reads(source, count, pc);
    writes(target, count, pc);
}

/// Bytes of a string that end a search, at most as many as given: with the zero, if there is one.
///
/// # Safety
///
/// A string of the program, or as many bytes.
unsafe fn length(text: *const c_char, limit: usize) -> usize {
    // SAFETY: by the caller.
    let length = unsafe { real::strnlen()(text, limit) };
    length.saturating_add(1).min(limit)
}

/// Bytes of two strings up to where they differ or end, at most as many as given.
///
/// # Safety
///
/// Strings of the program, or as many bytes.
unsafe fn common(one: *const c_char, other: *const c_char, limit: usize, folds: bool) -> usize {
    let fold = |letter: c_char| match folds {
        true => (letter as u8).to_ascii_lowercase(),
        false => letter as u8,
    };
    let mut at = 0;
    while at < limit {
        // SAFETY: neither has ended before.
        let (mine, theirs) = unsafe { (*one.add(at), *other.add(at)) };
        at += 1;
        if fold(mine) != fold(theirs) || mine == 0 {
            break;
        }
    }
    at
}

/// Two strings are compared.
///
/// # Safety
///
/// Strings of the program, or as many bytes.
unsafe fn compared(one: *const c_char, other: *const c_char, limit: usize, folds: bool, pc: usize) {
    if counts(pc) {
        // SAFETY: by the caller.
        let count = unsafe { common(one, other, limit, folds) };
        reads(one, count, pc);
        reads(other, count, pc);
    }
}

/// A string is copied behind another one, or to a place.
///
/// # Safety
///
/// Strings of the program, and room for them.
unsafe fn string_copied(target: *mut c_char, source: *const c_char, limit: usize, pc: usize) {
    if counts(pc) {
        // SAFETY: by the caller.
        let count = unsafe { length(source, limit) };
        copies(target, source, count, pc);
    }
}

/// A string is put behind another one, with a zero.
///
/// # Safety
///
/// Strings of the program, and room for them.
unsafe fn string_added(target: *mut c_char, source: *const c_char, limit: usize, pc: usize) {
    if counts(pc) {
        // SAFETY: by the caller.
        unsafe {
            let end = real::strlen()(target);
            let count = real::strnlen()(source, limit);
            reads(target, end + 1, pc);
            reads(source, length(source, limit), pc);
            writes(target.add(end), count + 1, pc);
        }
    }
}

/// A string is copied into a field, the rest of which is cleared.
///
/// # Safety
///
/// A string of the program, and a field of that size.
unsafe fn field_filled(target: *mut c_char, source: *const c_char, size: usize, pc: usize) {
    if counts(pc) {
        // SAFETY: by the caller.
        reads(source, unsafe { length(source, size) }, pc);
        writes(target, size, pc);
    }
}

/// A copy of a string, on the heap.
///
/// # Safety
///
/// A string of the program, or as many bytes.
unsafe fn duplicate(text: *const c_char, limit: usize, pc: usize) -> *mut c_char {
    // SAFETY: by the caller; the copy has room for the zero.
    unsafe {
        let count = real::strnlen()(text, limit);
        reads(text, length(text, limit), pc);
        let copy = allocation::allocate(count + 1, 16, pc).cast::<c_char>();
        if !copy.is_null() {
            writes(copy, count + 1, pc);
            real::memcpy()(copy.cast(), text.cast(), count);
            *copy.add(count) = 0;
        }
        copy
    }
}

/// What a search in a string has looked at.
///
/// # Safety
///
/// A string of the program.
unsafe fn searched(text: *const c_char, found: *const c_char, pc: usize) {
    if counts(pc) {
        let count = match found.is_null() {
            // SAFETY: by the caller.
            true => unsafe { real::strlen()(text) },
            false => found as usize - text as usize,
        };
        reads(text, count + 1, pc);
    }
}

watched! {
    fn memcpy(target: *mut c_void, source: *const c_void, size: usize; pc) -> *mut c_void {
        if !real::is_ready() {
            return early::copy(target, source, size);
        }
        if counts(pc) {
            copies(target.cast::<u8>(), source.cast(), size, pc);
        }
        real::memcpy()(target, source, size)
    }

    fn memmove(target: *mut c_void, source: *const c_void, size: usize; pc) -> *mut c_void {
        if !real::is_ready() {
            return early::copy(target, source, size);
        }
        if counts(pc) {
            copies(target.cast::<u8>(), source.cast(), size, pc);
        }
        real::memmove()(target, source, size)
    }

    fn mempcpy(target: *mut c_void, source: *const c_void, size: usize; pc) -> *mut c_void {
        if counts(pc) {
            copies(target.cast::<u8>(), source.cast(), size, pc);
        }
        real::mempcpy()(target, source, size)
    }

    fn memset(target: *mut c_void, value: c_int, size: usize; pc) -> *mut c_void {
        if !real::is_ready() {
            return early::fill(target, value, size);
        }
        if counts(pc) {
            writes(target.cast::<u8>(), size, pc);
        }
        real::memset()(target, value, size)
    }

    fn bzero(target: *mut c_void, size: usize; pc) {
        if counts(pc) {
            writes(target.cast::<u8>(), size, pc);
        }
        real::bzero()(target, size)
    }

    fn memcmp(one: *const c_void, other: *const c_void, size: usize; pc) -> c_int {
        if !real::is_ready() {
            return early::compare(one, other, size);
        }
        if counts(pc) {
            reads(one.cast::<u8>(), size, pc);
            reads(other.cast::<u8>(), size, pc);
        }
        real::memcmp()(one, other, size)
    }

    fn bcmp(one: *const c_void, other: *const c_void, size: usize; pc) -> c_int {
        if !real::is_ready() {
            return early::compare(one, other, size);
        }
        if counts(pc) {
            reads(one.cast::<u8>(), size, pc);
            reads(other.cast::<u8>(), size, pc);
        }
        real::bcmp()(one, other, size)
    }

    fn memchr(from: *const c_void, byte: c_int, size: usize; pc) -> *mut c_void {
        let found = real::memchr()(from, byte, size);
        if counts(pc) {
            let count = if found.is_null() { size } else { found as usize - from as usize + 1 };
            reads(from.cast::<u8>(), count, pc);
        }
        found
    }

    fn memrchr(from: *const c_void, byte: c_int, size: usize; pc) -> *mut c_void {
        let found = real::memrchr()(from, byte, size);
        if counts(pc) {
            let start = if found.is_null() { from as usize } else { found as usize };
            reads(start as *const u8, from as usize + size - start, pc);
        }
        found
    }

    fn memmem(from: *const c_void, size: usize, wanted: *const c_void, count: usize; pc) -> *mut c_void {
        if counts(pc) {
            reads(from.cast::<u8>(), size, pc);
            reads(wanted.cast::<u8>(), count, pc);
        }
        real::memmem()(from, size, wanted, count)
    }

    fn strlen(text: *const c_char; pc) -> usize {
        let count = real::strlen()(text);
        if counts(pc) {
            reads(text, count + 1, pc);
        }
        count
    }

    fn strnlen(text: *const c_char, limit: usize; pc) -> usize {
        if counts(pc) {
            reads(text, length(text, limit), pc);
        }
        real::strnlen()(text, limit)
    }

    fn strcpy(target: *mut c_char, source: *const c_char; pc) -> *mut c_char {
        string_copied(target, source, usize::MAX, pc);
        real::strcpy()(target, source)
    }

    fn stpcpy(target: *mut c_char, source: *const c_char; pc) -> *mut c_char {
        string_copied(target, source, usize::MAX, pc);
        real::stpcpy()(target, source)
    }

    fn strncpy(target: *mut c_char, source: *const c_char, size: usize; pc) -> *mut c_char {
        field_filled(target, source, size, pc);
        real::strncpy()(target, source, size)
    }

    fn stpncpy(target: *mut c_char, source: *const c_char, size: usize; pc) -> *mut c_char {
        field_filled(target, source, size, pc);
        real::stpncpy()(target, source, size)
    }

    fn strcat(target: *mut c_char, source: *const c_char; pc) -> *mut c_char {
        string_added(target, source, usize::MAX, pc);
        real::strcat()(target, source)
    }

    fn strncat(target: *mut c_char, source: *const c_char, size: usize; pc) -> *mut c_char {
        string_added(target, source, size, pc);
        real::strncat()(target, source, size)
    }

    fn strcmp(one: *const c_char, other: *const c_char; pc) -> c_int {
        compared(one, other, usize::MAX, false, pc);
        real::strcmp()(one, other)
    }

    fn strncmp(one: *const c_char, other: *const c_char, limit: usize; pc) -> c_int {
        compared(one, other, limit, false, pc);
        real::strncmp()(one, other, limit)
    }

    fn strcasecmp(one: *const c_char, other: *const c_char; pc) -> c_int {
        compared(one, other, usize::MAX, true, pc);
        real::strcasecmp()(one, other)
    }

    fn strncasecmp(one: *const c_char, other: *const c_char, limit: usize; pc) -> c_int {
        compared(one, other, limit, true, pc);
        real::strncasecmp()(one, other, limit)
    }

    fn strchr(text: *const c_char, letter: c_int; pc) -> *mut c_char {
        let found = real::strchr()(text, letter);
        searched(text, found, pc);
        found
    }

    fn strchrnul(text: *const c_char, letter: c_int; pc) -> *mut c_char {
        let found = real::strchrnul()(text, letter);
        searched(text, found, pc);
        found
    }

    fn strrchr(text: *const c_char, letter: c_int; pc) -> *mut c_char {
        searched(text, core::ptr::null(), pc);
        real::strrchr()(text, letter)
    }

    fn strstr(text: *const c_char, wanted: *const c_char; pc) -> *mut c_char {
        if counts(pc) {
            reads(text, length(text, usize::MAX), pc);
            reads(wanted, length(wanted, usize::MAX), pc);
        }
        real::strstr()(text, wanted)
    }

    fn strdup(text: *const c_char; pc) -> *mut c_char {
        match counts(pc) {
            true => duplicate(text, usize::MAX, pc),
            false => real::strdup()(text),
        }
    }

    fn strndup(text: *const c_char, limit: usize; pc) -> *mut c_char {
        match counts(pc) {
            true => duplicate(text, limit, pc),
            false => real::strndup()(text, limit),
        }
    }

    fn __memcpy_chk(target: *mut c_void, source: *const c_void, size: usize, room: usize; pc) -> *mut c_void {
        if counts(pc) {
            copies(target.cast::<u8>(), source.cast(), size.min(room), pc);
        }
        real::__memcpy_chk()(target, source, size, room)
    }

    fn __memmove_chk(target: *mut c_void, source: *const c_void, size: usize, room: usize; pc) -> *mut c_void {
        if counts(pc) {
            copies(target.cast::<u8>(), source.cast(), size.min(room), pc);
        }
        real::__memmove_chk()(target, source, size, room)
    }

    fn __mempcpy_chk(target: *mut c_void, source: *const c_void, size: usize, room: usize; pc) -> *mut c_void {
        if counts(pc) {
            copies(target.cast::<u8>(), source.cast(), size.min(room), pc);
        }
        real::__mempcpy_chk()(target, source, size, room)
    }

    fn __memset_chk(target: *mut c_void, value: c_int, size: usize, room: usize; pc) -> *mut c_void {
        if counts(pc) {
            writes(target.cast::<u8>(), size.min(room), pc);
        }
        real::__memset_chk()(target, value, size, room)
    }

    fn __strcpy_chk(target: *mut c_char, source: *const c_char, room: usize; pc) -> *mut c_char {
        string_copied(target, source, room, pc);
        real::__strcpy_chk()(target, source, room)
    }

    fn __stpcpy_chk(target: *mut c_char, source: *const c_char, room: usize; pc) -> *mut c_char {
        string_copied(target, source, room, pc);
        real::__stpcpy_chk()(target, source, room)
    }

    fn __strncpy_chk(target: *mut c_char, source: *const c_char, size: usize, room: usize; pc) -> *mut c_char {
        field_filled(target, source, size.min(room), pc);
        real::__strncpy_chk()(target, source, size, room)
    }

    fn __strcat_chk(target: *mut c_char, source: *const c_char, room: usize; pc) -> *mut c_char {
        string_added(target, source, usize::MAX, pc);
        real::__strcat_chk()(target, source, room)
    }

    fn __strncat_chk(target: *mut c_char, source: *const c_char, size: usize, room: usize; pc) -> *mut c_char {
        string_added(target, source, size, pc);
        real::__strncat_chk()(target, source, size, room)
    }

    fn qsort(base: *mut c_void, count: usize, size: usize, compare: *mut c_void; pc) {
        let bytes = count.saturating_mul(size);
        if counts(pc) {
            reads(base.cast::<u8>(), bytes, pc);
        }
        real::qsort()(base, count, size, compare);
        // What compares is code of the program, and others may have run meanwhile.
        crate::away::come_back();
        if counts(pc) {
            writes(base.cast::<u8>(), bytes, pc);
        }
    }

    fn fread(target: *mut c_void, size: usize, count: usize, stream: *mut c_void; pc) -> usize {
        let done = real::fread()(target, size, count, stream);
        if counts(pc) {
            writes(target.cast::<u8>(), done * size, pc);
        }
        done
    }

    fn fwrite(source: *const c_void, size: usize, count: usize, stream: *mut c_void; pc) -> usize {
        if counts(pc) {
            reads(source.cast::<u8>(), size.saturating_mul(count), pc);
        }
        real::fwrite()(source, size, count, stream)
    }

    fn fgets(target: *mut c_char, size: c_int, stream: *mut c_void; pc) -> *mut c_char {
        let done = real::fgets()(target, size, stream);
        if !done.is_null() && counts(pc) {
            writes(target, real::strlen()(target) + 1, pc);
        }
        done
    }

    fn fputs(text: *const c_char, stream: *mut c_void; pc) -> c_int {
        searched(text, core::ptr::null(), pc);
        real::fputs()(text, stream)
    }

    fn puts(text: *const c_char; pc) -> c_int {
        searched(text, core::ptr::null(), pc);
        real::puts()(text)
    }
}
