//! The end of the program, which cuts off whatever the other tasks had still to do.
//!
//! It is an operation, [`OpKind::End`], wherever another task could notice it. A program that returns from
//! `main` or calls `exit` or `quick_exit` has one when it begins to end: its handlers and destructors run behind
//! it, with points like any other code. If there were points, there is another operation when they are over. A
//! second task that comes to `exit` waits for ever, as POSIX has it since 2024.

use crate::away;
use crate::exceptions;
use crate::interpose::interpose;
use crate::libraries;
use crate::real;
use crate::runtime::{Runtime, operate, running, runtime};
use crate::tasks;
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicBool, AtomicI32, AtomicUsize, Ordering};
use unpick_engine::{Effect, Shape};
use unpick_trace::{FailureKind, ObjectId, Op, OpKind, Outcome, TaskId};

/// What the shell sees of an exit code.
const EXIT_CODE: c_int = 0xff;

/// The loader's own end of the process.
static LOADERS_END: AtomicUsize = AtomicUsize::new(0);
/// What `quick_exit` was called with: its handlers are not told.
static QUICK_CODE: AtomicI32 = AtomicI32::new(0);
/// Whether the program has ever asked for something to be called at its end.
static HAS_HANDLERS: AtomicBool = AtomicBool::new(false);

/// How far the program has come with its end.
#[derive(Default)]
pub struct Ending {
    /// What stands for it, once a task has come to it while there were others.
    object: Option<ObjectId>,
    begun: Option<Begun>,
}

/// A task runs handlers and destructors.
#[derive(Clone, Copy)]
struct Begun {
    task: TaskId,
    /// Where it called `exit`; zero if it returned from `main`.
    pc: usize,
    /// Operations of all tasks before.
    operation_count: u64,
}

impl Ending {
    pub fn reset(&mut self) {
        *self = Ending::default();
    }
}

/// What the C library is to call at the end, instead of the loader. It is registered before the program's
/// static objects are made, so that it is called last: handlers and destructors of the program have
/// run by then.
pub fn at_end_instead_of(loaders_end: usize) -> usize {
    LOADERS_END.store(loaders_end, Ordering::Relaxed);
    HAS_HANDLERS.store(false, Ordering::Relaxed);
    // SAFETY: a function without arguments, of a library that stays.
    unsafe { real::__cxa_at_quick_exit()(at_quick_end, core::ptr::null_mut()) };
    at_end as *const () as usize
}

// SAFETY: called by the C library, which passes the exit code to all handlers of this kind.
unsafe extern "C" fn at_end(argument: *mut c_void, code: c_int) {
    let is_controlled = running().is_some();
    let address = LOADERS_END.load(Ordering::Relaxed);
    if address != 0 && (!is_controlled || libraries::have_destructors()) {
        // Destructors run here, as part of the execution.
        // SAFETY: the loader passed it for this very purpose.
        unsafe {
            core::mem::transmute::<usize, unsafe extern "C" fn(*mut c_void, c_int)>(address)(
                argument, code,
            );
        }
    }
    if is_controlled {
        finish(code);
    }
}

// SAFETY: called by the C library.
unsafe extern "C" fn at_quick_end(_: *mut c_void) {
    if running().is_some() {
        finish(QUICK_CODE.load(Ordering::Relaxed));
    }
}

/// Ends the program when its handlers have run.
fn finish(code: c_int) -> ! {
    // SAFETY: all streams; what the program printed should be seen.
    unsafe { libc::fflush(core::ptr::null_mut()) };
    away::come_back();
    let begun = runtime().ending.begun;
    exit(code, begun.map_or(0, |begun| begun.pc))
}

/// The running task begins to end the program. Others may run before.
pub fn begin(pc: usize) {
    let me = runtime().current;
    // A handler that calls `exit` goes on with the next handler.
    if runtime().ending.begun.is_some_and(|begun| begun.task == me) {
        return;
    }
    if !runtime().is_alone() {
        let object = object(runtime());
        operate(Op::new(OpKind::End, object), pc);
        if runtime().ending.begun.is_some() {
            let mut op = Op::new(OpKind::Acquire, object);
            op.argument = 1;
            operate(op, pc);
            unreachable!("internal error: a program ends twice");
        }
    }
    let this = runtime();
    this.ending.begun = Some(Begun {
        task: me,
        pc,
        operation_count: this.execution.operation_count(),
    });
}

/// What stands for the end of the program. A task that comes too late waits for it for ever.
fn object(this: &mut Runtime) -> ObjectId {
    if let Some(object) = this.ending.object {
        return object;
    }
    let object = this.add_object(Shape::Semaphore { permits: 0 }, 0);
    this.execution.name_object(object, "the process");
    this.ending.object = Some(object);
    object
}

/// Ends the program with a code. Others may run before, unless it has only just begun to end.
fn exit(code: c_int, pc: usize) -> ! {
    let this = runtime();
    let has_just_begun = this.ending.begun.is_some_and(|begun| {
        let operation_count = this.execution.operation_count();
        (begun.task, begun.operation_count) == (this.current, operation_count)
    });
    if !has_just_begun {
        come_to_end(pc);
    }
    let this = runtime();
    let code = code & EXIT_CODE;
    let has_passed = |outcome: &Outcome| *outcome == Outcome::Pass;
    if code != 0 && this.execution.outcome().is_none_or(has_passed) {
        let message = alloc::format!("exit code {code}");
        this.fail(FailureKind::ExitCode, message, pc);
    } else if this.is_alone() {
        this.execution.exit();
    } else {
        this.execution.exit_among_others();
    }
    tasks::leave()
}

/// Others may run before what follows, which ends the program at once.
fn come_to_end(pc: usize) {
    if !runtime().is_alone() {
        operate(Op::new(OpKind::End, ObjectId::NONE), pc);
    }
}

/// The running task has come to its end. If the first task has ended without ending the program and no other
/// task is left, the program ends here, and its handlers run in this task.
pub fn end_with_last_task() {
    let this = runtime();
    let me = this.current;
    let is_over = |this: &Runtime, task| task == me || this.execution.is_finished(task);
    if !HAS_HANDLERS.load(Ordering::Relaxed) || !is_over(this, TaskId::MAIN) {
        return;
    }
    let mut is_last = true;
    for index in 0..this.task_count {
        let task = TaskId(index as u32);
        if task != me && !this.execution.is_agent(task) {
            let object = this.execution.object_of(task);
            this.execution.note(Effect::LooksAtEnd(object));
            is_last &= is_over(this, task);
        }
    }
    if is_last {
        begin(0);
        // SAFETY: it does not come back: the last handler leaves the execution.
        unsafe { real::exit()(0) }
    }
}

interpose! {
    fn exit(code: c_int; pc) -> ! {
        if running().is_some() {
            begin(pc);
        }
        real::exit()(code)
    }

    fn _exit(code: c_int; pc) -> ! {
        if running().is_some() {
            exit(code, pc);
        }
        real::_exit()(code)
    }

    fn _Exit(code: c_int; pc) -> ! {
        if running().is_some() {
            exit(code, pc);
        }
        real::_exit()(code)
    }

    fn quick_exit(code: c_int; pc) -> ! {
        if running().is_some() {
            begin(pc);
            QUICK_CODE.store(code, Ordering::Relaxed);
        }
        real::quick_exit()(code)
    }

    fn abort(; pc) -> ! {
        if running().is_some() {
            libc::fflush(core::ptr::null_mut());
            away::come_back();
            come_to_end(pc);
            exceptions::abort(pc);
        }
        real::abort()()
    }

    fn __cxa_atexit(handler: *mut c_void, argument: *mut c_void, module: *mut c_void; pc) -> c_int {
        HAS_HANDLERS.store(true, Ordering::Relaxed);
        real::__cxa_atexit()(handler, argument, module)
    }
}
