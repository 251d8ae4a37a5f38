//! Waiting for any of several descriptors.

use super::{Kind, learn, observe, point, wish};
use crate::free;
use crate::interpose::interpose;
use crate::real;
use crate::runtime::{running, runtime};
use crate::sys::{self, with_errno};
use crate::time::{Limit, nanoseconds};
use crate::waiting::{self, Waited, Wanted};
use alloc::vec::Vec;
use core::ffi::{c_int, c_void};
use unpick_noise::Operation;

const MILLISECOND_NS: u64 = 1_000_000;

/// Asks without waiting, again and again until there is an answer or the time is over. `None` is no
/// limit.
fn look(files: &[libc::pollfd], limit_ns: Option<u64>, pc: usize, call: &dyn Fn() -> i64) -> c_int {
    let limit = Limit::from_here(limit_ns);
    loop {
        let is_point = point(pc);
        let result = call();
        observe(
            is_point,
            if result == 0 {
                i64::from(-libc::EAGAIN)
            } else {
                result
            },
        );
        if result != 0 || limit_ns == Some(0) {
            learn(Kind::Other);
            return with_errno(result) as c_int;
        }
        let standard = 0..super::STANDARD as c_int;
        let wanted = Wanted {
            files,
            signals: 0,
            is_outside: runtime().io.is_outside
                || files.iter().any(|file| standard.contains(&file.fd)),
            is_inside: false,
            name: "descriptors to be ready".into(),
        };
        match waiting::wait(&wanted, limit, pc) {
            Waited::Woken => {}
            Waited::TimedOut => return with_errno(call()) as c_int,
            Waited::Interrupted { .. } => return with_errno(i64::from(-libc::EINTR)) as c_int,
        }
    }
}

/// A limit in milliseconds; less than zero is none.
fn limit(time_ms: c_int) -> Option<u64> {
    u64::try_from(time_ms)
        .ok()
        .map(|time| time * MILLISECOND_NS)
}

/// # Safety
///
/// Null, or a time of the program.
unsafe fn limit_of(time: *const libc::timespec) -> Option<u64> {
    // SAFETY: by the caller.
    (!time.is_null()).then(|| unsafe { nanoseconds(time) })
}

/// # Safety
///
/// The program passes a list of that length.
unsafe fn poll_for(list: *mut libc::pollfd, count: u64, limit_ns: Option<u64>, pc: usize) -> c_int {
    let mut files = Vec::new();
    if count > 0 {
        // SAFETY: by the caller.
        files.extend_from_slice(unsafe { core::slice::from_raw_parts(list, count as usize) });
    }
    let arguments = [list as i64, count as i64, 0, 0, 0, 0];
    // SAFETY: by the caller.
    look(&files, limit_ns, pc, &|| unsafe {
        sys::call(libc::SYS_poll, arguments)
    })
}

fn await_set(set: c_int, out: *mut c_void, max: c_int, limit_ns: Option<u64>, pc: usize) -> c_int {
    let arguments = [set.into(), out as i64, max.into(), 0, 0, 0];
    // SAFETY: as the program asks.
    let call = || unsafe { sys::call(libc::SYS_epoll_wait, arguments) };
    look(&[wish(set, libc::POLLIN)], limit_ns, pc, &call)
}

/// A set of descriptors as `select` has it.
type Set = *mut libc::fd_set;

/// The descriptors of three sets with the events that they stand for.
///
/// # Safety
///
/// Each is null, or a set of at least `count` descriptors.
unsafe fn members(count: c_int, sets: [Set; 3]) -> Vec<libc::pollfd> {
    let events = [libc::POLLIN, libc::POLLOUT, libc::POLLPRI];
    let mut files = Vec::new();
    for (set, events) in sets.into_iter().zip(events) {
        for file in 0..count {
            // SAFETY: by the caller.
            if !set.is_null() && unsafe { libc::FD_ISSET(file, set) } {
                files.push(wish(file, events));
            }
        }
    }
    files
}

/// # Safety
///
/// As [`members`].
unsafe fn select_for(count: c_int, sets: [Set; 3], limit_ns: Option<u64>, pc: usize) -> c_int {
    // SAFETY: by the caller.
    let files = unsafe { members(count, sets) };
    // The kernel overwrites the sets, also if nothing is ready.
    let size = (count.max(0) as usize).div_ceil(64);
    let words = |set: Set| -> Vec<u64> {
        match set.is_null() {
            true => Vec::new(),
            // SAFETY: the set has a bit for each descriptor, in whole words.
            false => unsafe { core::slice::from_raw_parts(set.cast::<u64>(), size) }.to_vec(),
        }
    };
    let asked = sets.map(words);
    look(&files, limit_ns, pc, &|| {
        for (set, words) in sets.iter().zip(&asked) {
            // SAFETY: puts back what was there.
            unsafe { core::ptr::copy_nonoverlapping(words.as_ptr(), set.cast(), words.len()) };
        }
        let none = libc::timeval {
            tv_sec: 0,
            tv_usec: 0,
        };
        let [read, write, except] = sets.map(|set| set as i64);
        let arguments = [count.into(), read, write, except, &raw const none as i64, 0];
        // SAFETY: by the caller.
        unsafe { sys::call(libc::SYS_select, arguments) }
    })
}

interpose! {
    fn poll(list: *mut libc::pollfd, count: u64, time_ms: c_int; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::Poll, 0, pc, || real::poll()(list, count, time_ms));
        }
        poll_for(list, count, limit(time_ms), pc)
    }

    fn __poll_chk(list: *mut libc::pollfd, count: u64, time_ms: c_int, room: usize; pc) -> c_int {
        if running().is_none() || (room / size_of::<libc::pollfd>()) < count as usize {
            return free::around(Operation::Poll, 0, pc, || real::__poll_chk()(list, count, time_ms, room));
        }
        poll_for(list, count, limit(time_ms), pc)
    }

    fn ppoll(list: *mut libc::pollfd, count: u64, time: *const libc::timespec, mask: *const c_void;
             pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::Poll, 0, pc, || real::ppoll()(list, count, time, mask));
        }
        poll_for(list, count, limit_of(time), pc)
    }

    fn __ppoll_chk(list: *mut libc::pollfd, count: u64, time: *const libc::timespec,
                   mask: *const c_void, room: usize; pc) -> c_int {
        if running().is_none() || (room / size_of::<libc::pollfd>()) < count as usize {
            return free::around(Operation::Poll, 0, pc, || real::__ppoll_chk()(list, count, time, mask, room));
        }
        poll_for(list, count, limit_of(time), pc)
    }

    fn select(count: c_int, read: Set, write: Set, except: Set, time: *mut libc::timeval; pc)
            -> c_int {
        if running().is_none() {
            return free::around(Operation::Poll, 0, pc, || real::select()(count, read, write, except, time));
        }
        let limit_ns = (!time.is_null()).then(|| {
            let microseconds = (*time).tv_sec * 1_000_000 + (*time).tv_usec;
            microseconds.max(0) as u64 * 1_000
        });
        select_for(count, [read, write, except], limit_ns, pc)
    }

    fn epoll_wait(set: c_int, out: *mut c_void, max: c_int, time_ms: c_int; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::Poll, set as usize, pc, || real::epoll_wait()(set, out, max, time_ms));
        }
        await_set(set, out, max, limit(time_ms), pc)
    }

    fn epoll_pwait(set: c_int, out: *mut c_void, max: c_int, time_ms: c_int, mask: *const c_void; pc)
            -> c_int {
        if running().is_none() {
            return free::around(Operation::Poll, set as usize, pc, || real::epoll_pwait()(set, out, max, time_ms, mask));
        }
        await_set(set, out, max, limit(time_ms), pc)
    }

    fn epoll_pwait2(set: c_int, out: *mut c_void, max: c_int, time: *const libc::timespec,
                    mask: *const c_void; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::Poll, set as usize, pc, || real::epoll_pwait2()(set, out, max, time, mask));
        }
        await_set(set, out, max, limit_of(time), pc)
    }
}

/// Waits for any of several descriptors.
///
/// # Safety
///
/// As with the function it stands in for.
#[unsafe(no_mangle)]
unsafe extern "C" fn pselect(
    count: c_int,
    read: Set,
    write: Set,
    except: Set,
    time: *const libc::timespec,
    mask: *const c_void,
) -> c_int {
    // SAFETY: by the caller.
    unsafe {
        if running().is_none() {
            return free::around(Operation::Poll, 0, 0, || {
                real::pselect()(count, read, write, except, time, mask)
            });
        }
        select_for(count, [read, write, except], limit_of(time), 0)
    }
}
