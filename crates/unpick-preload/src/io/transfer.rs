//! Reading and writing, receiving and sending.

use super::{Descriptor, Kind, learn, perform, point, see, standard};
use crate::free;
use crate::interpose::interpose;
use crate::prelude;
use crate::real;
use crate::runtime::{refuse, running};
use crate::strings::{counts, reads, writes};
use crate::sys::{self, with_errno};
use alloc::vec::Vec;
use core::ffi::{c_int, c_void};
use core::mem::zeroed;
use unpick_noise::Operation;
use unpick_protocol::TroubleKind;

const DONT_WAIT: i64 = libc::MSG_DONTWAIT as i64;

/// What was taken out of a descriptor has been written to a buffer.
fn filled(out: *mut c_void, result: isize, pc: usize) -> isize {
    if result > 0 && counts(pc) {
        writes(out.cast::<u8>(), result as usize, pc);
    }
    result
}

/// The same for several buffers.
///
/// # Safety
///
/// As many pieces of the program.
unsafe fn filled_all(pieces: *const libc::iovec, count: usize, result: isize, pc: usize) -> isize {
    let mut left = usize::try_from(result).unwrap_or(0);
    if left > 0 && counts(pc) {
        // SAFETY: by the caller.
        for piece in unsafe { core::slice::from_raw_parts(pieces, count) } {
            let part = left.min(piece.iov_len);
            writes(piece.iov_base.cast::<u8>(), part, pc);
            left -= part;
        }
    }
    result
}

/// Some buffers are about to be put into a descriptor.
fn emptied(pieces: &[libc::iovec], pc: usize) {
    if counts(pc) {
        for piece in pieces {
            reads(piece.iov_base.cast::<u8>(), piece.iov_len, pc);
        }
    }
}

/// A system call that takes something out of a descriptor.
fn take(number: i64, arguments: [i64; 6], flags: i64, pc: usize) -> isize {
    take_from(
        Descriptor::of(arguments[0] as c_int),
        number,
        arguments,
        flags,
        pc,
    )
}

fn take_from(
    descriptor: Descriptor,
    number: i64,
    arguments: [i64; 6],
    flags: i64,
    pc: usize,
) -> isize {
    // SAFETY: as the program asks.
    let mut call = || unsafe { sys::call(number, arguments) };
    if !descriptor.is_modelled() {
        prelude::spoil();
        return with_errno(call()) as isize;
    }
    let is_blocking = flags & DONT_WAIT == 0 && descriptor.is_blocking();
    with_errno(perform(
        descriptor,
        libc::POLLIN,
        is_blocking,
        pc,
        &mut call,
    )) as isize
}

fn read_some(file: c_int, out: *mut c_void, count: usize, pc: usize) -> isize {
    let descriptor = Descriptor::of(file);
    if descriptor.kind == Kind::Random {
        return crate::random::fill(out.cast(), count);
    }
    take_from(
        descriptor,
        libc::SYS_read,
        [file.into(), out as i64, count as i64, 0, 0, 0],
        0,
        pc,
    )
}

/// Receives; all that is asked for if the program wants to wait for it.
fn receive(mut arguments: [i64; 6], pc: usize) -> isize {
    let (wait_all, count, flags) = (i64::from(libc::MSG_WAITALL), arguments[2], arguments[3]);
    if flags & wait_all == 0 || flags & DONT_WAIT != 0 {
        return take(libc::SYS_recvfrom, arguments, flags, pc);
    }
    arguments[3] &= !wait_all;
    let mut done = 0;
    loop {
        let got = take(libc::SYS_recvfrom, arguments, flags, pc);
        if got <= 0 {
            return if done > 0 { done } else { got };
        }
        done += got;
        arguments[1] += got as i64;
        arguments[2] -= got as i64;
        if done as i64 >= count {
            return done;
        }
    }
}

/// Puts all of some pieces into a descriptor, waiting for room if that is what the program would do.
/// The call gets what is left.
fn put(
    file: c_int,
    flags: i64,
    pieces: &[libc::iovec],
    pc: usize,
    call: &dyn Fn(&[libc::iovec]) -> i64,
) -> isize {
    let descriptor = Descriptor::of(file);
    if !descriptor.is_modelled() || descriptor.is_inherited {
        if descriptor.kind != Kind::Nothing {
            prelude::spoil();
        }
        return with_errno(call(pieces)) as isize;
    }
    let is_blocking = flags & DONT_WAIT == 0 && descriptor.is_blocking();
    let mut left: Vec<libc::iovec> = pieces.to_vec();
    let mut done = 0;
    loop {
        let mut attempt = || descriptor.without_blocking(|| call(&left));
        let result = perform(descriptor, libc::POLLOUT, is_blocking, pc, &mut attempt);
        if result < 0 && done > 0 {
            return done;
        }
        if result == i64::from(-libc::EPIPE) && flags & i64::from(libc::MSG_NOSIGNAL) == 0 {
            crate::signals::raise(libc::SIGPIPE, pc);
        }
        if result < 0 {
            return with_errno(result) as isize;
        }
        done += result as isize;
        skip(&mut left, result as usize);
        if left.is_empty() || !is_blocking {
            return done;
        }
    }
}

/// Takes what has been written from the front of some pieces.
fn skip(pieces: &mut Vec<libc::iovec>, mut count: usize) {
    while let Some(first) = pieces.first_mut() {
        if count < first.iov_len {
            first.iov_base = first.iov_base.wrapping_byte_add(count);
            first.iov_len -= count;
            return;
        }
        count -= first.iov_len;
        pieces.remove(0);
    }
}

fn write_all(file: c_int, pieces: &[libc::iovec], pc: usize) -> isize {
    emptied(pieces, pc);
    if let Some(count) = standard::throw_away(file, pieces) {
        return count;
    }
    put(file, 0, pieces, pc, &|left| {
        let arguments = [
            file.into(),
            left.as_ptr() as i64,
            left.len() as i64,
            0,
            0,
            0,
        ];
        // SAFETY: as the program asks.
        unsafe { sys::call(libc::SYS_writev, arguments) }
    })
}

fn piece(from: *const c_void, count: usize) -> [libc::iovec; 1] {
    [libc::iovec {
        iov_base: from.cast_mut(),
        iov_len: count,
    }]
}

/// Sends a message.
///
/// # Safety
///
/// The header is one of the program, or one made for it.
unsafe fn send_message(file: c_int, header: &libc::msghdr, flags: c_int, pc: usize) -> isize {
    let pieces = match header.msg_iov.is_null() {
        true => &[],
        // SAFETY: by the caller.
        false => unsafe { core::slice::from_raw_parts(header.msg_iov, header.msg_iovlen) },
    };
    emptied(pieces, pc);
    put(file, flags.into(), pieces, pc, &|left| {
        let mut now = *header;
        now.msg_iov = left.as_ptr().cast_mut();
        now.msg_iovlen = left.len();
        let flags = i64::from(flags | libc::MSG_NOSIGNAL);
        // SAFETY: as the program asks.
        unsafe {
            sys::call(
                libc::SYS_sendmsg,
                [file.into(), &raw const now as i64, flags, 0, 0, 0],
            )
        }
    })
}

interpose! {
    fn read(file: c_int, out: *mut c_void, count: usize; pc) -> isize {
        if running().is_none() {
            return free::around(Operation::Input, file as usize, pc, || real::read()(file, out, count));
        }
        filled(out, read_some(file, out, count, pc), pc)
    }

    fn __read_chk(file: c_int, out: *mut c_void, count: usize, room: usize; pc) -> isize {
        if running().is_none() || count > room {
            return free::around(Operation::Input, file as usize, pc, || real::__read_chk()(file, out, count, room));
        }
        filled(out, read_some(file, out, count, pc), pc)
    }

    fn readv(file: c_int, pieces: *const libc::iovec, count: c_int; pc) -> isize {
        if running().is_none() {
            return free::around(Operation::Input, file as usize, pc, || real::readv()(file, pieces, count));
        }
        let result = take(libc::SYS_readv, [file.into(), pieces as i64, count.into(), 0, 0, 0], 0, pc);
        filled_all(pieces, count.max(0) as usize, result, pc)
    }

    fn write(file: c_int, from: *const c_void, count: usize; pc) -> isize {
        if running().is_none() {
            return free::around(Operation::Output, file as usize, pc, || real::write()(file, from, count));
        }
        write_all(file, &piece(from, count), pc)
    }

    fn writev(file: c_int, pieces: *const libc::iovec, count: c_int; pc) -> isize {
        if running().is_none() || count < 0 || pieces.is_null() {
            return free::around(Operation::Output, file as usize, pc, || real::writev()(file, pieces, count));
        }
        write_all(file, core::slice::from_raw_parts(pieces, count as usize), pc)
    }

    fn recv(file: c_int, out: *mut c_void, count: usize, flags: c_int; pc) -> isize {
        if running().is_none() {
            return free::around(Operation::Input, file as usize, pc, || real::recv()(file, out, count, flags));
        }
        filled(out, receive([file.into(), out as i64, count as i64, flags.into(), 0, 0], pc), pc)
    }

    fn __recv_chk(file: c_int, out: *mut c_void, count: usize, room: usize, flags: c_int; pc)
            -> isize {
        if running().is_none() || count > room {
            return free::around(Operation::Input, file as usize, pc, || real::__recv_chk()(file, out, count, room, flags));
        }
        filled(out, receive([file.into(), out as i64, count as i64, flags.into(), 0, 0], pc), pc)
    }

    fn recvmsg(file: c_int, header: *mut libc::msghdr, flags: c_int; pc) -> isize {
        if running().is_none() {
            return free::around(Operation::Input, file as usize, pc, || real::recvmsg()(file, header, flags));
        }
        if flags & libc::MSG_WAITALL != 0 {
            refuse(TroubleKind::Unmodelled, "recvmsg with MSG_WAITALL", pc);
        }
        let flags = i64::from(flags);
        let result = take(libc::SYS_recvmsg, [file.into(), header as i64, flags, 0, 0, 0], flags, pc);
        filled_all((*header).msg_iov, (*header).msg_iovlen, result, pc)
    }

    fn send(file: c_int, from: *const c_void, count: usize, flags: c_int; pc) -> isize {
        if running().is_none() {
            return free::around(Operation::Output, file as usize, pc, || real::send()(file, from, count, flags));
        }
        let mut pieces = piece(from, count);
        let mut header: libc::msghdr = zeroed();
        header.msg_iov = pieces.as_mut_ptr();
        header.msg_iovlen = pieces.len();
        send_message(file, &header, flags, pc)
    }

    fn sendmsg(file: c_int, header: *const libc::msghdr, flags: c_int; pc) -> isize {
        if running().is_none() {
            return free::around(Operation::Output, file as usize, pc, || real::sendmsg()(file, header, flags));
        }
        send_message(file, &*header, flags, pc)
    }

    fn eventfd_read(file: c_int, out: *mut u64; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::Input, file as usize, pc, || real::eventfd_read()(file, out));
        }
        let size = size_of::<u64>();
        if read_some(file, out.cast(), size, pc) == size as isize { 0 } else { -1 }
    }

    fn eventfd_write(file: c_int, value: u64; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::Output, file as usize, pc, || real::eventfd_write()(file, value));
        }
        let size = size_of::<u64>();
        if write_all(file, &piece((&raw const value).cast(), size), pc) == size as isize { 0 } else { -1 }
    }

    fn ioctl(file: c_int, request: u64, argument: *mut c_void; pc) -> c_int {
        if running().is_none() || !matches!(request, libc::FIONREAD | libc::TIOCOUTQ) {
            return real::ioctl()(file, request, argument);
        }
        // How much waits there depends on what others have written and read.
        let descriptor = Descriptor::of(file);
        let is_point = descriptor.is_modelled() && !descriptor.is_inherited && point(pc);
        let result = real::ioctl()(file, request, argument);
        if is_point {
            see(match result {
                0 => i64::from(*argument.cast::<c_int>()),
                error => error.into(),
            });
            learn(descriptor.kind);
        }
        result
    }
}

/// Sends to an address.
///
/// # Safety
///
/// As with the function it stands in for.
#[unsafe(no_mangle)]
unsafe extern "C" fn sendto(
    file: c_int,
    from: *const c_void,
    count: usize,
    flags: c_int,
    address: *const c_void,
    length: u32,
) -> isize {
    // SAFETY: by the caller; zeroes are a header.
    unsafe {
        if running().is_none() {
            return free::around(Operation::Output, file as usize, 0, || {
                real::sendto()(file, from, count, flags, address, length)
            });
        }
        let mut pieces = piece(from, count);
        let mut header: libc::msghdr = zeroed();
        header.msg_name = address.cast_mut();
        header.msg_namelen = length;
        header.msg_iov = pieces.as_mut_ptr();
        header.msg_iovlen = pieces.len();
        send_message(file, &header, flags, 0)
    }
}

/// Receives, with the sender's address.
///
/// # Safety
///
/// As with the function it stands in for.
#[unsafe(no_mangle)]
unsafe extern "C" fn recvfrom(
    file: c_int,
    out: *mut c_void,
    count: usize,
    flags: c_int,
    address: *mut c_void,
    length: *mut u32,
) -> isize {
    if running().is_none() {
        // SAFETY: by the caller.
        let call = || unsafe { real::recvfrom()(file, out, count, flags, address, length) };
        return free::around(Operation::Input, file as usize, 0, call);
    }
    let rest = [flags.into(), address as i64, length as i64];
    receive(
        [
            file.into(),
            out as i64,
            count as i64,
            rest[0],
            rest[1],
            rest[2],
        ],
        0,
    )
}

/// Receives, with the sender's address, into a buffer of known size.
///
/// # Safety
///
/// As with the function it stands in for.
#[unsafe(no_mangle)]
unsafe extern "C" fn __recvfrom_chk(
    file: c_int,
    out: *mut c_void,
    count: usize,
    room: usize,
    flags: c_int,
    address: *mut c_void,
    length: *mut u32,
) -> isize {
    // SAFETY: by the caller.
    unsafe {
        if running().is_none() || count > room {
            return free::around(Operation::Input, file as usize, 0, || {
                real::__recvfrom_chk()(file, out, count, room, flags, address, length)
            });
        }
        recvfrom(file, out, count, flags, address, length)
    }
}
