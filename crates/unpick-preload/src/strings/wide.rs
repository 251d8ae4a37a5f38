//! The same for wide characters.

use super::{copies, counts, reads, watched, writes};
use crate::real;

watched! {
    fn wcslen(text: *const i32; pc) -> usize {
        let count = real::wcslen()(text);
        if counts(pc) {
            reads(text, count + 1, pc);
        }
        count
    }

    fn wcscpy(target: *mut i32, source: *const i32; pc) -> *mut i32 {
        if counts(pc) {
            copies(target, source, real::wcslen()(source) + 1, pc);
        }
        real::wcscpy()(target, source)
    }

    fn wmemcpy(target: *mut i32, source: *const i32, count: usize; pc) -> *mut i32 {
        if counts(pc) {
            copies(target, source, count, pc);
        }
        real::wmemcpy()(target, source, count)
    }

    fn wmemmove(target: *mut i32, source: *const i32, count: usize; pc) -> *mut i32 {
        if counts(pc) {
            copies(target, source, count, pc);
        }
        real::wmemmove()(target, source, count)
    }

    fn wmemset(target: *mut i32, value: i32, count: usize; pc) -> *mut i32 {
        if counts(pc) {
            writes(target, count, pc);
        }
        real::wmemset()(target, value, count)
    }
}
