//! Threads: creation, joining, the end.

use crate::buffers;
use crate::free;
use crate::interpose::interpose;
use crate::prelude;
use crate::real::{self, Start};
use crate::runtime::{operate, operate_alone, refuse, running, runtime};
use crate::tasks;
use crate::time::{Limit, is_time};
use alloc::format;
use core::ffi::{CStr, c_char, c_int, c_void};
use unpick_engine::Grant;
use unpick_noise::Operation;
use unpick_protocol::TroubleKind;
use unpick_trace::{Op, OpKind, TaskId};

unsafe extern "C" {
    fn pthread_attr_getdetachstate(
        attributes: *const libc::pthread_attr_t,
        out: *mut c_int,
    ) -> c_int;
}

/// Creates a task.
pub(super) fn create(
    out: *mut libc::pthread_t,
    attributes: *const libc::pthread_attr_t,
    start: Start,
    argument: *mut c_void,
    pc: usize,
) -> c_int {
    let mut state = libc::PTHREAD_CREATE_JOINABLE;
    let mut stack = 0;
    if !attributes.is_null() {
        // SAFETY: attributes of the program.
        unsafe {
            pthread_attr_getdetachstate(attributes, &mut state);
            libc::pthread_attr_getstacksize(attributes, &mut stack);
        }
    }
    let room = runtime().stack_size;
    if stack > room {
        let what =
            format!("a thread with a stack of {stack} bytes; there are {room}, see `ulimit -s`");
        refuse(TroubleKind::Unmodelled, &what, pc);
    }
    prelude::reach();
    operate_alone(OpKind::Spawn, pc);
    let is_detached = state == libc::PTHREAD_CREATE_DETACHED;
    tasks::spawn(start, argument, is_detached, out.cast());
    0
}

/// Waits for the end of a task.
pub fn join(thread: usize, out: *mut *mut c_void, limit: Limit, pc: usize) -> c_int {
    let this = runtime();
    let Some(task) = tasks::find(this, thread) else {
        return libc::ESRCH;
    };
    let data = &this.tasks[task.index()];
    if data.is_detached || data.is_joined {
        return libc::EINVAL;
    }
    if task == this.current {
        return libc::EDEADLK;
    }
    let object = this.execution.object_of(task);
    let mut op = Op::new(OpKind::Join, object);
    // The time decides only if the task has not ended yet.
    if limit != Limit::Never && !look_at_end(task, pc) {
        op.timed = limit.set();
    }
    if operate(op, pc) == Grant::TimedOut {
        return libc::ETIMEDOUT;
    }
    finish_join(task, out);
    0
}

/// Looks whether a task has ended.
fn look_at_end(task: TaskId, pc: usize) -> bool {
    let object = runtime().execution.object_of(task);
    operate(Op::new(OpKind::TryJoin, object), pc);
    let this = runtime();
    let has_ended = this.execution.has_ended(task);
    this.execution
        .observe(this.current, u64::from(has_ended), false);
    has_ended
}

fn finish_join(task: TaskId, out: *mut *mut c_void) {
    let this = runtime();
    let data = &mut this.tasks[task.index()];
    data.is_joined = true;
    this.open_count -= 1;
    if !out.is_null() {
        // SAFETY: where the program wants it.
        unsafe { *out = data.result };
    }
    tasks::free_slot(this, task);
    this.clocks.join(this.current, task);
    if this.is_alone() {
        buffers::end(this);
    }
}

interpose! {
    fn pthread_create(out: *mut libc::pthread_t, attributes: *const libc::pthread_attr_t,
                      start: Start, argument: *mut c_void; pc) -> c_int {
        if running().is_none() {
            return free::create((start, argument), out, pc, |start, argument| {
                real::pthread_create()(out, attributes, start, argument)
            });
        }
        create(out, attributes, start, argument, pc)
    }

    fn pthread_join(thread: libc::pthread_t, out: *mut *mut c_void; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::Join, thread as usize, pc, || real::pthread_join()(thread, out));
        }
        join(thread as usize, out, Limit::Never, pc)
    }

    fn pthread_timedjoin_np(thread: libc::pthread_t, out: *mut *mut c_void,
                            time: *const libc::timespec; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::Join, thread as usize, pc, || real::pthread_timedjoin_np()(thread, out, time));
        }
        if !is_time(time) {
            return libc::EINVAL;
        }
        join(thread as usize, out, Limit::at(time), pc)
    }

    fn pthread_tryjoin_np(thread: libc::pthread_t, out: *mut *mut c_void; pc) -> c_int {
        let Some(this) = running() else {
            return free::around(Operation::Join, thread as usize, pc, || real::pthread_tryjoin_np()(thread, out));
        };
        let Some(task) = tasks::find(this, thread as usize) else {
            return libc::ESRCH;
        };
        operate_alone(OpKind::Yield, pc);
        if !runtime().execution.has_ended(task) {
            return libc::EBUSY;
        }
        finish_join(task, out);
        0
    }

    fn pthread_detach(thread: libc::pthread_t; pc) -> c_int {
        let Some(this) = running() else {
            return real::pthread_detach()(thread);
        };
        let Some(task) = tasks::find(this, thread as usize) else {
            return libc::ESRCH;
        };
        if core::mem::replace(&mut this.tasks[task.index()].is_detached, true) {
            return libc::EINVAL;
        }
        if this.execution.is_finished(task) {
            tasks::free_slot(this, task);
        }
        0
    }

    fn pthread_setname_np(thread: libc::pthread_t, name: *const c_char; pc) -> c_int {
        let Some(this) = running() else {
            return real::pthread_setname_np()(thread, name);
        };
        if let (Some(task), Ok(name)) = (tasks::find(this, thread as usize), CStr::from_ptr(name).to_str()) {
            this.execution.name_task(task, name);
        }
        0
    }

    fn pthread_getattr_np(thread: libc::pthread_t, out: *mut libc::pthread_attr_t; pc) -> c_int {
        let Some(this) = running().filter(|this| this.slots[0].handle == thread as usize) else {
            return real::pthread_getattr_np()(thread, out);
        };
        // The C library reads the list of mappings for the first thread, every time.
        let (stack, size) = this.main_stack;
        libc::pthread_attr_init(out);
        libc::pthread_attr_setstack(out, stack as *mut c_void, size);
        0
    }
}

/// Where the stack of the first task lies: its lowest address and its size.
pub fn main_stack() -> (usize, usize) {
    // SAFETY: only asks.
    stack_of(unsafe { libc::pthread_self() })
}

/// Where the stack of a thread lies: its lowest address and its size.
pub fn stack_of(thread: libc::pthread_t) -> (usize, usize) {
    let mut stack: *mut c_void = core::ptr::null_mut();
    let mut size = 0;
    // SAFETY: attributes that the C library fills in before they are read.
    unsafe {
        let mut attributes: libc::pthread_attr_t = core::mem::zeroed();
        real::pthread_getattr_np()(thread, &mut attributes);
        libc::pthread_attr_getstack(&attributes, &mut stack, &mut size);
        libc::pthread_attr_destroy(&mut attributes);
    }
    (stack as usize, size)
}

/// Bytes of the stack of a thread that asks for nothing special.
pub fn stack_size() -> usize {
    let mut size = 0;
    // SAFETY: attributes that the C library fills in before they are read.
    unsafe {
        let mut attributes: libc::pthread_attr_t = core::mem::zeroed();
        libc::pthread_attr_init(&mut attributes);
        libc::pthread_attr_getstacksize(&attributes, &mut size);
        libc::pthread_attr_destroy(&mut attributes);
    }
    size
}
