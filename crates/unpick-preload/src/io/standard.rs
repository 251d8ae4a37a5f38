//! Standard input, output and error: what they lead to is asked once, as long as the program leaves them
//! alone, and what is written to `/dev/null` is not written at all.
//!
//! A test harness prints ten times in an execution, and its output is thrown away.

use super::{Descriptor, Kind, STANDARD};
use crate::interpose::interpose;
use crate::real;
use crate::runtime::{running, runtime};
use core::ffi::{c_char, c_int, c_long, c_uint, c_void};

/// Bytes that the kernel takes at a time, and pieces.
const BYTES_MAX: usize = 0x7fff_f000;
const PIECES_MAX: usize = 1024;

/// What is known of the descriptors that every program has.
#[derive(Default)]
pub struct Standard {
    known: [Option<Known>; STANDARD],
    /// Whether the program has changed one. Descriptors are not put back, so that this holds for later
    /// executions as well.
    is_changed: bool,
}

#[derive(Clone, Copy)]
struct Known {
    descriptor: Descriptor,
    /// Whether what is written there is gone.
    is_sink: bool,
}

impl Known {
    fn of(file: c_int) -> Known {
        let descriptor = Descriptor::look(file);
        let mode = descriptor.flags() & i64::from(libc::O_ACCMODE);
        let is_writable = mode == i64::from(libc::O_WRONLY) || mode == i64::from(libc::O_RDWR);
        Known {
            descriptor,
            is_sink: descriptor.kind == Kind::Nothing && is_writable,
        }
    }
}

/// What is known of a descriptor; nothing if it is none of those, or is not what it was.
fn known(file: c_int) -> Option<Known> {
    let standard = &mut runtime().io.standard;
    if standard.is_changed {
        return None;
    }
    let place = standard.known.get_mut(usize::try_from(file).ok()?)?;
    Some(*place.get_or_insert_with(|| Known::of(file)))
}

/// A descriptor that was looked at before.
pub fn descriptor(file: c_int) -> Option<Descriptor> {
    known(file).map(|known| known.descriptor)
}

/// What a write of some pieces comes to, if they only have to be thrown away.
pub fn throw_away(file: c_int, pieces: &[libc::iovec]) -> Option<isize> {
    if pieces.len() > PIECES_MAX || !known(file)?.is_sink {
        return None;
    }
    let mut bytes = 0_usize;
    for piece in pieces {
        bytes = bytes.checked_add(piece.iov_len)?;
    }
    (bytes <= BYTES_MAX).then_some(bytes as isize)
}

/// The program may be about to change a descriptor.
pub fn note_change(file: c_int) {
    if (0..STANDARD as c_int).contains(&file) && running().is_some() {
        runtime().io.standard.is_changed = true;
        crate::prelude::spoil();
    }
}

/// The same for a system call that it makes by hand.
pub fn note_call(number: c_long, arguments: [c_long; 2]) {
    match number {
        libc::SYS_close | libc::SYS_close_range => note_change(arguments[0] as c_int),
        libc::SYS_dup2 | libc::SYS_dup3 => note_change(arguments[1] as c_int),
        _ => {}
    }
}

/// The same for a stream.
///
/// # Safety
///
/// Null, or a stream of the program.
unsafe fn note_stream(stream: *mut c_void) {
    if !stream.is_null() {
        // SAFETY: by the caller.
        note_change(unsafe { libc::fileno(stream.cast()) });
    }
}

interpose! {
    fn dup2(from: c_int, to: c_int; pc) -> c_int {
        note_change(to);
        real::dup2()(from, to)
    }

    fn dup3(from: c_int, to: c_int, flags: c_int; pc) -> c_int {
        note_change(to);
        real::dup3()(from, to, flags)
    }

    fn close_range(from: c_uint, to: c_uint, flags: c_int; pc) -> c_int {
        note_change(from as c_int);
        real::close_range()(from, to, flags)
    }

    fn closefrom(from: c_int; pc) {
        note_change(from.max(0));
        real::closefrom()(from)
    }

    fn fclose(stream: *mut c_void; pc) -> c_int {
        note_stream(stream);
        real::fclose()(stream)
    }

    fn fcloseall(; pc) -> c_int {
        note_change(0);
        real::fcloseall()()
    }

    fn freopen(path: *const c_char, mode: *const c_char, stream: *mut c_void; pc) -> *mut c_void {
        note_stream(stream);
        real::freopen()(path, mode, stream)
    }

    fn freopen64(path: *const c_char, mode: *const c_char, stream: *mut c_void; pc) -> *mut c_void {
        note_stream(stream);
        real::freopen64()(path, mode, stream)
    }
}
