//! Stacks and threads for tasks, and the hand-over from one to the next.
//!
//! Before the program begins, a number of real threads is created and parked; each gives a stack and a thread
//! control block, at the same addresses in every back-end: programs hash and compare addresses of locals and
//! thread-locals. *Fibers*: one thread runs on all of these stacks. *Threads*: a task is a thread of the system, made
//! for one of these stacks, and waits at its gate until it is its turn.

use crate::away;
use crate::context::{self, Context, exchange, park, thread_pointer};
use crate::ending;
use crate::real;
use crate::runtime::{OVER, Runtime, decide, refuse, runtime};
use crate::signals;
use crate::sys;
use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;
use core::ffi::c_void;
use core::ptr::null;
use core::sync::atomic::{AtomicU32, Ordering};
use unpick_protocol::{Backend, Reexecution, TroubleKind};
use unpick_trace::TaskId;

/// Bytes of the stack on which a thread whose stack was taken waits.
const PARKED_STACK: usize = 1024;

/// Aligned as stacks are.
type ParkedStack = [u128; PARKED_STACK / size_of::<u128>()];

/// A stack with its thread.
pub struct Slot {
    pub task: Option<TaskId>,
    /// What `pthread_self` gives there.
    pub handle: usize,
    /// The lowest address of the stack, and its size.
    pub stack: (usize, usize),
    pub context: Context,
    /// The context before the first task ran there.
    fresh: Context,
    is_parked: AtomicU32,
    /// One: the task of this slot may run.
    gate: AtomicU32,
    /// Whether its task is away; see `away.rs`.
    pub mark: AtomicU32,
    /// The number that the system gives its thread, where tasks are threads.
    pub thread: AtomicU32,
    /// The same number, until the thread has left the stack for ever; kept by the kernel.
    on_stack: AtomicU32,
    parked_stack: Box<ParkedStack>,
    /// Where its thread handles signals; empty before it first needs that. It is kept from execution to
    /// execution, also where each has threads of its own: forks share it.
    handler_stack: Vec<u8>,
    /// Whether a task has used it in this execution.
    pub is_used: bool,
}

impl Slot {
    fn new() -> Slot {
        Slot {
            task: None,
            handle: 0,
            stack: (0, 0),
            context: Context::NOWHERE,
            fresh: Context::NOWHERE,
            is_parked: AtomicU32::new(0),
            gate: AtomicU32::new(0),
            mark: AtomicU32::new(away::HERE),
            thread: AtomicU32::new(0),
            on_stack: AtomicU32::new(0),
            parked_stack: Box::new([0; PARKED_STACK / size_of::<u128>()]),
            handler_stack: Vec::new(),
            is_used: false,
        }
    }

    /// Goes back to before the first task.
    pub fn reset(&mut self) {
        self.task = None;
        self.context = self.fresh;
        self.is_used = false;
        self.mark.store(away::HERE, Ordering::Relaxed);
        // The kernel does not clear that of the last thread of a process.
        self.on_stack.store(0, Ordering::Relaxed);
    }

    /// Makes the stack for handlers of signals, if there is none.
    pub fn make_handler_stack(&mut self) {
        self.handler_stack.resize(signals::STACK, 0);
    }

    /// The stack for handlers of signals, [`signals::STACK`] bytes of it.
    pub fn handler_stack(&mut self) -> *mut u8 {
        self.handler_stack.as_mut_ptr()
    }

    fn open_gate(&self) {
        self.gate.store(1, Ordering::Release);
        sys::futex_wake(&self.gate);
    }

    /// Waits until the thread of the last task here uses the stack no more.
    fn wait_until_left(&self) {
        loop {
            let thread = self.on_stack.load(Ordering::Acquire);
            if thread == 0 {
                return;
            }
            sys::futex_wait(&self.on_stack, thread);
        }
    }

    pub fn wait_at_gate(&self) {
        while self.gate.swap(0, Ordering::Acquire) == 0 {
            sys::futex_wait(&self.gate, 0);
        }
    }
}

/// Makes the slots: that of the first task, and a parked thread for each further one.
///
/// # Safety
///
/// Called once, before the program begins.
pub unsafe fn prepare(runtime: &mut Runtime) {
    let count = runtime.launch.tasks_max as usize + 1;
    runtime.slots.reserve_exact(count);
    for _ in 0..count {
        runtime.slots.push(Slot::new());
    }
    runtime.slots[0].handle = thread_pointer();
    runtime.slots[0].fresh.thread = thread_pointer();
    note_thread(0);
    runtime.slots[0].stack = runtime.main_stack;
    for slot in 1..count {
        let mut handle = 0;
        // SAFETY: the body of a parked thread uses its own slot only.
        let result = unsafe {
            real::pthread_create()(&mut handle, null(), begin_parked, slot as *mut c_void)
        };
        assert!(result == 0, "cannot create a thread: error {result}");
        let this = &runtime.slots[slot];
        while this.is_parked.load(Ordering::Acquire) == 0 {
            sys::futex_wait(&this.is_parked, 0);
        }
        let this = &mut runtime.slots[slot];
        this.handle = handle as usize;
        this.stack = crate::posix::stack_of(handle);
        this.fresh = this.context;
    }
}

/// Where the beginning of the first task is to be saved.
pub fn main_context(runtime: &mut Runtime) -> *mut Context {
    &raw mut runtime.slots[0].fresh
}

// SAFETY: called by the C library with what `prepare` gave it.
unsafe extern "C" fn begin_parked(slot: *mut c_void) -> *mut c_void {
    let slot = slot as usize;
    let this = &mut runtime().slots[slot];
    let top = &raw mut *this.parked_stack as usize + PARKED_STACK;
    // A fiber keeps its thread: the C library looks at some of what the kernel knows of it. Debuggers show threads.
    let rest = match runtime().launch.backend {
        Backend::Fibers => libc::SYS_pause,
        Backend::Threads => libc::SYS_exit,
    };
    // SAFETY: the little stack belongs to this slot.
    unsafe {
        park(
            &raw mut this.context,
            this.is_parked.as_ptr(),
            top,
            rest as u32,
        )
    };
    // From here on this is a task, again in each execution.
    if runtime().launch.backend == Backend::Threads {
        signals::use_stack(slot);
        note_thread(slot);
        runtime().slots[slot].wait_at_gate();
    }
    run_task();
    end_task()
}

/// Runs the function that the current task was created for.
fn run_task() {
    let runtime = runtime();
    let task = &mut runtime.tasks[runtime.current.index()];
    // What is left when the task ends early ends here.
    let mark = 0_u8;
    task.base = &raw const mark as usize;
    let (start, argument) = (task.start, task.argument);
    // SAFETY: the program asked for it.
    let result = unsafe { start.expect("internal error: a task without a beginning")(argument) };
    away::come_back();
    set_result(result);
}

/// Notes which thread of the system a slot has: the one that calls.
pub fn note_thread(slot: usize) {
    // SAFETY: only asks.
    let thread = unsafe { sys::call(libc::SYS_gettid, [0; 6]) };
    let slots = &runtime().slots;
    slots[slot].thread.store(thread as u32, Ordering::Relaxed);
}

/// Remembers what the current task gives to whoever joins it.
pub fn set_result(result: *mut c_void) {
    let runtime = crate::runtime::runtime();
    let task = runtime.current.index();
    runtime.tasks[task].result = result;
}

/// Ends the current task: thread-locals are destroyed, then somebody else goes on.
pub fn end_task() -> ! {
    // SAFETY: the thread-locals of this very thread, as the C library does at its end.
    unsafe { real::__call_tls_dtors()() };
    away::come_back();
    crate::posix::keys::run_destructors();
    ending::end_with_last_task();
    let runtime = runtime();
    let me = runtime.current;
    runtime.execution.finish(me);
    if runtime.tasks[me.index()].is_detached {
        free_slot(runtime, me);
    }
    let next = match runtime.creator.take() {
        Some(creator) => {
            runtime.current = creator;
            creator
        }
        None => match decide() {
            Some(next) => next,
            None => leave(),
        },
    };
    hand_over(me, next)
}

/// Gives the slot of a task that has ended to others.
pub fn free_slot(runtime: &mut Runtime, task: TaskId) {
    let slot = runtime.tasks[task.index()].slot;
    runtime.slots[slot].task = None;
}

/// The task behind a handle; the newest, because handles are used again.
pub fn find(runtime: &Runtime, handle: usize) -> Option<TaskId> {
    let is_it = |&index: &usize| {
        let slot = &runtime.slots[runtime.tasks[index].slot];
        slot.handle == handle && slot.task == Some(TaskId(index as u32))
    };
    let found = (0..runtime.task_count).rev().find(is_it);
    found.map(|index| TaskId(index as u32))
}

/// Creates a task and runs it up to its first operation. Gives its handle.
pub fn spawn(start: real::Start, argument: *mut c_void, is_detached: bool, out: *mut usize) {
    let runtime = runtime();
    let me = runtime.current;
    let Some(slot) = runtime.slots.iter().position(|slot| slot.task.is_none()) else {
        let count = format!("{}", runtime.slots.len() - 1);
        refuse(TroubleKind::TooManyTasks, &count, 0);
    };
    let task = runtime.add_task(Some(me), slot);
    let data = &mut runtime.tasks[task.index()];
    data.start = Some(start);
    data.argument = argument;
    data.is_detached = is_detached;
    let is_threaded = runtime.launch.backend == Backend::Threads;
    let this = &mut runtime.slots[slot];
    if this.is_used {
        this.wait_until_left();
        this.context = this.fresh;
        runtime.snapshot.restore_thread(slot);
    }
    if is_threaded {
        create_thread(runtime, slot);
    }
    let this = &mut runtime.slots[slot];
    this.is_used = true;
    // SAFETY: where the program wants the handle.
    unsafe { *out = this.handle };
    runtime.creator = Some(me);
    runtime.current = task;
    switch(me, task);
}

/// Creates the thread of a task, on the stack of its slot.
fn create_thread(runtime: &mut Runtime, slot: usize) {
    let this = &mut runtime.slots[slot];
    // Not by the thread itself, which begins while this one still runs.
    this.make_handler_stack();
    // SAFETY: the slot is free, and its context the one before the first task.
    let thread = unsafe { context::begin(&this.context, this.on_stack.as_ptr()) };
    if thread < 0 {
        let count = format!("{}", slot - 1);
        refuse(TroubleKind::TooManyTasks, &count, 0);
    }
}

/// Lets `to` run, which is current already, and returns when `from` runs again.
#[inline]
pub fn switch(from: TaskId, to: TaskId) {
    let runtime = runtime();
    let (from, to) = (slot_of(runtime, from), slot_of(runtime, to));
    match runtime.launch.backend {
        // SAFETY: slots do not move, and the context of a task that does not run is saved.
        Backend::Fibers => unsafe {
            let slots = runtime.slots.as_mut_ptr();
            exchange(
                &raw mut (*slots.add(from)).context,
                &raw const (*slots.add(to)).context,
            );
        },
        Backend::Threads => {
            let thread = runtime.slots[from].thread.load(Ordering::Relaxed);
            runtime.desk().helper.store(thread, Ordering::Relaxed);
            runtime.slots[to].open_gate();
            self::runtime().slots[from].wait_at_gate();
        }
    }
}

fn slot_of(runtime: &Runtime, task: TaskId) -> usize {
    runtime.tasks[task.index()].slot
}

/// Lets the thread of a task run, which is current already.
pub fn let_go_on(to: TaskId) {
    let runtime = runtime();
    let helper = away::helper(runtime, to);
    runtime.desk().helper.store(helper, Ordering::Relaxed);
    runtime.slots[slot_of(runtime, to)].open_gate();
}

/// Lets `to` run for a task that has ended.
fn hand_over(from: TaskId, to: TaskId) -> ! {
    let runtime = runtime();
    if runtime.launch.backend == Backend::Threads {
        let slot = slot_of(runtime, from);
        if from != TaskId::MAIN {
            // Nobody can ask this thread for anything any more.
            runtime.slots[slot].thread.store(0, Ordering::Relaxed);
        }
        let_go_on(to);
        if from == TaskId::MAIN {
            loop {
                sys::futex_wait(&AtomicU32::new(0), 0);
            }
        }
        loop {
            // SAFETY: nothing of this thread is needed any more; its stack belongs to the slot.
            unsafe { sys::call(libc::SYS_exit, [0; 6]) };
        }
    }
    switch(from, to);
    unreachable!("internal error: a task that has ended goes on")
}

/// Where debuggers stop: the running task has just failed, its frames lie above this one.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn unpick_failing_step() {
    // SAFETY: does nothing; keeps the call from being removed.
    unsafe { core::arch::asm!("", options(nomem, nostack)) };
}

/// Leaves the execution, which is over.
pub fn leave() -> ! {
    let runtime = runtime();
    let phase = match runtime.away.is_empty() {
        true => OVER,
        false => away::HELD,
    };
    runtime.phase.store(phase, Ordering::Release);
    if runtime.launch.reexecution == Reexecution::Exec {
        unpick_failing_step();
    }
    if runtime.launch.reexecution == Reexecution::Fork {
        sys::exit_process(0);
    }
    let mut nowhere = Context::NOWHERE;
    // SAFETY: the controller waits for the end of the execution.
    unsafe { exchange(&raw mut nowhere, &raw const runtime.controller) };
    unreachable!("internal error: an execution that is over goes on")
}
