//! Which code is instrumented: calls of `memcpy` and the like count as accesses only if such code makes them.
//!
//! A library without instrumentation may order its accesses by locks that are not seen, and so may a
//! function without instrumentation inside of the program, such as one of Rust's precompiled standard
//! library. So the question is asked for the function that the call returns to. Its beginning is found in
//! the table that unwinding uses; an instrumented function calls `__tsan_func_entry` somewhere. Asked
//! once for each place.

use crate::libraries::{self, Loaded};
use crate::runtime::runtime;
use core::ops::Range;

unsafe extern "C" {
    fn __tsan_func_entry(return_address: usize);
}

/// Whether the function that a call returns to is instrumented.
#[inline]
pub fn is_at(pc: usize) -> bool {
    match runtime().instrumented.get(pc as u64) {
        Some(answer) => answer != 0,
        None => look(pc),
    }
}

#[cold]
#[inline(never)]
fn look(pc: usize) -> bool {
    let answer = is_in(pc.wrapping_sub(1));
    runtime().instrumented.insert(pc as u64, u32::from(answer));
    answer
}

/// Whether the function around an address is instrumented. Allocates nothing.
pub fn is_in(address: usize) -> bool {
    let answer = libraries::find(address, |module| {
        let function = function_at(module, address);
        function.is_some_and(|function| announces_itself(module, function))
    });
    answer.unwrap_or(false)
}

/// Whether instrumented code has atomic operations that the instrumentation left as they are: a compare-and-exchange of
/// the processor, which is what `fetch_max` and `fetch_min` of Rust become, or assembly.
pub fn has_atomics_of_its_own() -> bool {
    libraries::any_calling(b"__tsan_func_entry", |module, code| {
        let places = code.windows(5).enumerate();
        let mut exchanges = places.filter(|(_, bytes)| is_exchange(bytes));
        exchanges.any(|(place, _)| {
            let address = code.as_ptr() as usize + place;
            let function = function_at(module, address);
            function.is_some_and(|function| announces_itself(module, function))
        })
    })
}

/// Whether code begins with a locked compare-and-exchange.
fn is_exchange(code: &[u8]) -> bool {
    const LOCK: u8 = 0xf0;
    let is_prefix = |byte: u8| byte == 0x66 || byte & 0xf0 == 0x40;
    if code[0] != LOCK {
        return false;
    }
    let start = 1 + code[1..3]
        .iter()
        .take_while(|&&byte| is_prefix(byte))
        .count();
    code[start] == 0x0f && matches!(code[start + 1], 0xb0 | 0xb1)
}

/// A number of four bytes in the memory of a module.
fn word(module: &Loaded<'_>, address: usize) -> Option<i32> {
    let is_mapped = module.holds(address..address + 4);
    // SAFETY: in a segment of the module that may be read.
    is_mapped.then(|| unsafe { (address as *const i32).read_unaligned() })
}

fn bytes<'a>(module: &Loaded<'_>, range: Range<usize>) -> Option<&'a [u8]> {
    let is_mapped = !range.is_empty() && module.holds(range.clone());
    // SAFETY: in a segment of the module that may be read, and code does not change.
    is_mapped.then(|| unsafe { core::slice::from_raw_parts(range.start as *const u8, range.len()) })
}

/// The function around an address, as the table of the module for unwinding has it: up to the next one.
fn function_at(module: &Loaded<'_>, address: usize) -> Option<Range<usize>> {
    /// Version, and how the three parts are encoded: as linkers do it.
    const HEADER: i32 = i32::from_le_bytes([1, 0x1b, 0x03, 0x3b]);
    let header = module.unwinding?;
    if word(module, header)? != HEADER {
        return None;
    }
    let count = word(module, header + 8)? as u32 as usize;
    let start = |index: usize| {
        let offset = word(module, header + 12 + 8 * index)?;
        Some(header.wrapping_add_signed(offset as isize))
    };
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low + (high - low) / 2;
        match start(middle)? <= address {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    let first = start(low.checked_sub(1)?)?;
    let end = match low < count {
        true => start(low)?,
        false => module.code_end(first)?,
    };
    Some(first..end)
}

/// Whether a function calls `__tsan_func_entry`.
fn announces_itself(module: &Loaded<'_>, function: Range<usize>) -> bool {
    let Some(code) = bytes(module, function.clone()) else {
        return false;
    };
    let is_entry = |target: usize| target == __tsan_func_entry as *const () as usize;
    code.windows(6).enumerate().any(|(place, window)| {
        let at = function.start + place;
        let number = |from: usize| {
            let bytes = [
                window[from],
                window[from + 1],
                window[from + 2],
                window[from + 3],
            ];
            i32::from_le_bytes(bytes) as isize
        };
        match *window {
            // A call, directly or by a stub.
            [0xe8, ..] => {
                let target = (at + 5).wrapping_add_signed(number(1));
                is_entry(target) || stub(module, target).is_some_and(is_entry)
            }
            // A call by a pointer.
            [0xff, 0x15, ..] => {
                let slot = (at + 6).wrapping_add_signed(number(2));
                pointer(module, slot).is_some_and(is_entry)
            }
            _ => false,
        }
    })
}

/// Where a stub of the linker leads.
fn stub(module: &Loaded<'_>, address: usize) -> Option<usize> {
    /// Marks the target of a jump.
    const LANDING: &[u8] = &[0xf3, 0x0f, 0x1e, 0xfa];
    let mut at = address;
    if bytes(module, at..at + 4)? == LANDING {
        at += 4;
    }
    if bytes(module, at..at + 1)? == [0xf2] {
        at += 1;
    }
    if bytes(module, at..at + 2)? != [0xff, 0x25] {
        return None;
    }
    let offset = word(module, at + 2)?;
    pointer(module, (at + 6).wrapping_add_signed(offset as isize))
}

fn pointer(module: &Loaded<'_>, address: usize) -> Option<usize> {
    let is_mapped = module.holds(address..address + 8);
    // SAFETY: in a segment of the module that may be read.
    is_mapped.then(|| unsafe { (address as *const usize).read_unaligned() })
}
