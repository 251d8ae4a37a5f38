//! Sockets: made so that nothing about them depends on the time, connected without blocking.

use super::{Descriptor, Kind, observe, perform, point, publish, standard};
use crate::free;
use crate::interpose::interpose;
use crate::prelude;
use crate::real;
use crate::runtime::{operate_alone, running, runtime};
use crate::sys::{self, with_errno};
use core::ffi::{c_int, c_void};
use unpick_noise::Operation;
use unpick_trace::OpKind;

fn set_option(file: c_int, level: c_int, option: c_int) {
    let on: c_int = 1;
    let value = &raw const on as i64;
    let size = size_of::<c_int>() as i64;
    // SAFETY: the kernel reads the value. If the socket has no such option, nothing is lost.
    unsafe {
        sys::call(
            libc::SYS_setsockopt,
            [file.into(), level.into(), option.into(), value, size, 0],
        )
    };
}

/// Whether an address is on another machine.
///
/// # Safety
///
/// An address of the program.
unsafe fn is_elsewhere(address: *const c_void) -> bool {
    // SAFETY: by the caller; what is read belongs to an address of that family.
    unsafe {
        match c_int::from(*address.cast::<libc::sa_family_t>()) {
            libc::AF_INET => {
                let address = &*address.cast::<libc::sockaddr_in>();
                let first = address.sin_addr.s_addr.to_ne_bytes()[0];
                first != 127 && first != 0
            }
            libc::AF_INET6 => {
                let address = &(*address.cast::<libc::sockaddr_in6>()).sin6_addr.s6_addr;
                address[..15].iter().any(|&byte| byte != 0)
            }
            _ => false,
        }
    }
}

/// The error that a connection has come to.
fn socket_error(file: c_int) -> i64 {
    let mut error: c_int = 0;
    let mut size = size_of::<c_int>() as u32;
    let (level, option) = (libc::SOL_SOCKET.into(), libc::SO_ERROR.into());
    let (out, size) = (&raw mut error as i64, &raw mut size as i64);
    // SAFETY: the kernel fills the error in.
    unsafe {
        sys::call(
            libc::SYS_getsockopt,
            [file.into(), level, option, out, size, 0],
        )
    };
    i64::from(-error)
}

/// Connects as a blocking socket does.
fn connect_fully(descriptor: Descriptor, call: &dyn Fn() -> i64, pc: usize) -> i64 {
    loop {
        let mut attempt = || descriptor.without_blocking(call);
        match -perform(descriptor, libc::POLLOUT, false, pc, &mut attempt) as c_int {
            // A local socket whose queue is full; nothing tells when it no longer is.
            libc::EAGAIN => {
                operate_alone(OpKind::Yield, pc);
            }
            libc::EINPROGRESS => {
                let file = descriptor.file;
                return perform(descriptor, libc::POLLOUT, true, pc, &mut || {
                    socket_error(file)
                });
            }
            error => return i64::from(-error),
        }
    }
}

fn accept_one(number: i64, arguments: [i64; 6], pc: usize) -> c_int {
    let descriptor = Descriptor::of(arguments[0] as c_int);
    let is_blocking = descriptor.is_blocking();
    // SAFETY: as the program asks.
    let mut call = || unsafe { sys::call(number, arguments) };
    with_errno(perform(
        descriptor,
        libc::POLLIN,
        is_blocking,
        pc,
        &mut call,
    )) as c_int
}

/// A call that others notice, such as the end of a descriptor.
fn touch(file: c_int, pc: usize, call: impl FnOnce() -> i64) -> c_int {
    prelude::spoil();
    let descriptor = Descriptor::of(file);
    if !descriptor.is_modelled() || descriptor.is_inherited {
        return with_errno(call()) as c_int;
    }
    let is_point = point(pc);
    publish(descriptor.kind);
    let result = call();
    observe(is_point, result);
    with_errno(result) as c_int
}

interpose! {
    fn socket(family: c_int, kind: c_int, protocol: c_int; pc) -> c_int {
        let file = real::socket()(family, kind, protocol);
        if file >= 0 && running().is_some() && matches!(family, libc::AF_INET | libc::AF_INET6) {
            // Else small messages would wait until a timer of the kernel lets them go.
            set_option(file, libc::IPPROTO_TCP, libc::TCP_NODELAY);
        }
        file
    }

    fn bind(file: c_int, address: *const c_void, length: u32; pc) -> c_int {
        if running().is_some() && Descriptor::of(file).kind == Kind::Socket {
            // The execution before may have used the same port a moment ago.
            set_option(file, libc::SOL_SOCKET, libc::SO_REUSEADDR);
        }
        real::bind()(file, address, length)
    }

    fn connect(file: c_int, address: *const c_void, length: u32; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::Output, file as usize, pc, || real::connect()(file, address, length));
        }
        let descriptor = Descriptor::of(file);
        let arguments = [file.into(), address as i64, i64::from(length), 0, 0, 0];
        let call = || sys::call(libc::SYS_connect, arguments);
        if !descriptor.is_modelled() || address.is_null() {
            return with_errno(call()) as c_int;
        }
        runtime().io.is_outside |= is_elsewhere(address);
        let result = match descriptor.is_blocking() {
            true => connect_fully(descriptor, &call, pc),
            false => perform(descriptor, libc::POLLOUT, false, pc, &mut || call()),
        };
        publish(descriptor.kind);
        with_errno(result) as c_int
    }

    fn accept(file: c_int, address: *mut c_void, length: *mut u32; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::Input, file as usize, pc, || real::accept()(file, address, length));
        }
        accept_one(libc::SYS_accept, [file.into(), address as i64, length as i64, 0, 0, 0], pc)
    }

    fn accept4(file: c_int, address: *mut c_void, length: *mut u32, flags: c_int; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::Input, file as usize, pc, || real::accept4()(file, address, length, flags));
        }
        let arguments = [file.into(), address as i64, length as i64, flags.into(), 0, 0];
        accept_one(libc::SYS_accept4, arguments, pc)
    }

    fn listen(file: c_int, count: c_int; pc) -> c_int {
        if running().is_none() {
            return real::listen()(file, count);
        }
        touch(file, pc, || sys::call(libc::SYS_listen, [file.into(), count.into(), 0, 0, 0, 0]))
    }

    // What is put into the set may be a pointer, which another task gets out again.
    fn epoll_ctl(set: c_int, operation: c_int, file: c_int, event: *mut c_void; pc) -> c_int {
        if running().is_none() {
            return real::epoll_ctl()(set, operation, file, event);
        }
        let arguments = [set.into(), operation.into(), file.into(), event as i64, 0, 0];
        touch(set, pc, || sys::call(libc::SYS_epoll_ctl, arguments))
    }

    fn shutdown(file: c_int, how: c_int; pc) -> c_int {
        if running().is_none() {
            return real::shutdown()(file, how);
        }
        touch(file, pc, || sys::call(libc::SYS_shutdown, [file.into(), how.into(), 0, 0, 0, 0]))
    }

    fn close(file: c_int; pc) -> c_int {
        if running().is_none() {
            return real::close()(file);
        }
        standard::note_change(file);
        touch(file, pc, || sys::call(libc::SYS_close, [file.into(), 0, 0, 0, 0, 0]))
    }
}
