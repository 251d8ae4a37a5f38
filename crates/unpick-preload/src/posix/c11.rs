//! The threads of the C standard: POSIX threads under other names, with other results.

use super::{condvar, mutex, once, thread};
use crate::free;
use crate::interpose::interpose;
use crate::real::{self, Destructor, Start};
use crate::runtime::{operate_alone, running};
use crate::time::{Limit, nanoseconds, sleep_for};
use core::ffi::{c_int, c_void};
use unpick_noise::Operation;
use unpick_trace::OpKind;

const SUCCESS: c_int = 0;
const BUSY: c_int = 1;
const ERROR: c_int = 2;
const TIMED_OUT: c_int = 4;

/// `mtx_recursive`, a bit of the kind of a mutex.
const RECURSIVE: c_int = 1;

/// The result of a POSIX function as the C standard has it.
fn result(error: c_int) -> c_int {
    match error {
        0 => SUCCESS,
        libc::EBUSY => BUSY,
        libc::ETIMEDOUT => TIMED_OUT,
        _ => ERROR,
    }
}

interpose! {
    fn thrd_create(out: *mut libc::pthread_t, start: Start, argument: *mut c_void; pc) -> c_int {
        if running().is_none() {
            return free::create((start, argument), out, pc, |start, argument| {
                real::thrd_create()(out, start, argument)
            });
        }
        // The function gives an `int`, in the lower half of the register of a pointer.
        result(thread::create(out, core::ptr::null(), start, argument, pc))
    }

    fn thrd_join(thread: libc::pthread_t, out: *mut c_int; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::Join, thread as usize, pc, || real::thrd_join()(thread, out));
        }
        let mut value = core::ptr::null_mut();
        let error = thread::join(thread as usize, &mut value, Limit::Never, pc);
        if error == 0 && !out.is_null() {
            *out = value as usize as c_int;
        }
        result(error)
    }

    fn thrd_detach(thread: libc::pthread_t; pc) -> c_int {
        if running().is_none() {
            return real::thrd_detach()(thread);
        }
        result(libc::pthread_detach(thread))
    }

    fn thrd_exit(value: c_int; pc) -> ! {
        libc::pthread_exit(value as usize as *mut c_void)
    }

    fn thrd_yield(; pc) {
        if running().is_none() {
            return free::around(Operation::Yield, 0, pc, || real::thrd_yield()());
        }
        operate_alone(OpKind::Yield, pc);
    }

    fn thrd_sleep(time: *const libc::timespec, left: *mut libc::timespec; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::Sleep, 0, pc, || real::thrd_sleep()(time, left));
        }
        sleep_for(nanoseconds(time), pc);
        0
    }

    fn mtx_init(address: *mut c_void, kind: c_int; pc) -> c_int {
        if running().is_none() {
            return real::mtx_init()(address, kind);
        }
        mutex::make(address, kind & RECURSIVE != 0, pc);
        SUCCESS
    }

    fn mtx_destroy(address: *mut c_void; pc) {
        if running().is_none() {
            return real::mtx_destroy()(address);
        }
        libc::pthread_mutex_destroy(address.cast());
    }

    fn mtx_lock(address: *mut c_void; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::Lock, address as usize, pc, || real::mtx_lock()(address));
        }
        result(mutex::lock(address, pc))
    }

    fn mtx_trylock(address: *mut c_void; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::TryLock, address as usize, pc, || real::mtx_trylock()(address));
        }
        result(mutex::try_lock(address, pc))
    }

    fn mtx_timedlock(address: *mut c_void, time: *const libc::timespec; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::Lock, address as usize, pc, || real::mtx_timedlock()(address, time));
        }
        result(mutex::lock_until(address, time, pc))
    }

    fn mtx_unlock(address: *mut c_void; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::Unlock, address as usize, pc, || real::mtx_unlock()(address));
        }
        result(mutex::unlock(address, pc))
    }

    fn cnd_init(address: *mut c_void; pc) -> c_int {
        if running().is_none() {
            return real::cnd_init()(address);
        }
        result(libc::pthread_cond_init(address.cast(), core::ptr::null()))
    }

    fn cnd_destroy(address: *mut c_void; pc) {
        if running().is_none() {
            return real::cnd_destroy()(address);
        }
        libc::pthread_cond_destroy(address.cast());
    }

    fn cnd_wait(address: *mut c_void, mutex: *mut c_void; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::Wait, address as usize, pc, || real::cnd_wait()(address, mutex));
        }
        result(condvar::wait(address, mutex, None, pc))
    }

    fn cnd_timedwait(address: *mut c_void, mutex: *mut c_void, time: *const libc::timespec; pc)
            -> c_int {
        if running().is_none() {
            return free::around(Operation::Wait, address as usize, pc, || real::cnd_timedwait()(address, mutex, time));
        }
        result(condvar::wait(address, mutex, Some(time), pc))
    }

    fn cnd_signal(address: *mut c_void; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::NotifyOne, address as usize, pc, || real::cnd_signal()(address));
        }
        result(condvar::notify(address, OpKind::NotifyOne, pc))
    }

    fn cnd_broadcast(address: *mut c_void; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::NotifyAll, address as usize, pc, || real::cnd_broadcast()(address));
        }
        result(condvar::notify(address, OpKind::NotifyAll, pc))
    }

    fn call_once(address: *mut c_void, routine: unsafe extern "C" fn(); pc) {
        if running().is_none() {
            return free::around(Operation::Once, address as usize, pc, || real::call_once()(address, routine));
        }
        once::call(address, routine, pc);
    }

    fn tss_create(out: *mut u32, destructor: Destructor; pc) -> c_int {
        result(libc::pthread_key_create(out, destructor))
    }

    fn tss_delete(key: u32; pc) {
        libc::pthread_key_delete(key);
    }

    fn tss_get(key: u32; pc) -> *mut c_void {
        libc::pthread_getspecific(key)
    }

    fn tss_set(key: u32, value: *mut c_void; pc) -> c_int {
        result(libc::pthread_setspecific(key, value))
    }
}
