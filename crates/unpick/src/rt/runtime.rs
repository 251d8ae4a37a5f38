//! Runs executions: the host side of the fibers.

use super::context::{Context, restart, switch};
use super::fiber::Fiber;
use super::memory::Bytes;
use super::object_cell::STAMP_UNIT;
use super::ring::Rooms;
use super::shared::Blocks;
use super::statics::StaticsInUse;
use super::watchdog::Watched;
use super::{panic_hook, panicking};
use std::any::Any;
use std::cell::Cell;
use std::io;
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use unpick_engine::{Execution, Runtime as Engine, Settings, Strategy};
use unpick_trace::{Failure, FailureKind, OpKind, Outcome, TaskId};

thread_local! {
    /// The runtime whose fiber runs on this thread.
    static CURRENT: Cell<*mut Runtime> = const { Cell::new(null_mut()) };
}

/// The runtime whose fiber runs on this thread, or null outside an execution.
#[inline]
pub(super) fn current() -> *mut Runtime {
    CURRENT.get()
}

/// A number that differs between all threads that are alive.
#[inline]
pub(super) fn thread_token() -> usize {
    CURRENT.with(|current| std::ptr::from_ref(current) as usize)
}

/// Makes a runtime the current one for as long as it lives.
struct IsCurrent;

impl IsCurrent {
    fn new(runtime: *mut Runtime) -> IsCurrent {
        // Asked before anything is changed: the outer execution goes on, and fails by this.
        assert!(
            CURRENT.get().is_null(),
            "an exploration cannot run inside another one; call it outside of the closure"
        );
        CURRENT.set(runtime);
        IsCurrent
    }
}

impl Drop for IsCurrent {
    fn drop(&mut self) {
        CURRENT.set(null_mut());
    }
}

/// What makes a fiber unwind when its execution is over.
pub(super) struct Abandoned;

/// Stamps are given to runtimes in blocks, so that an execution takes one without contention.
const STAMP_BLOCK: u64 = STAMP_UNIT << 10;
static NEXT_STAMP_BLOCK: AtomicU64 = AtomicU64::new(1);

/// A task's stack unless it asks for a larger one.
pub(crate) const STACK_SIZE: usize = 1 << 20;

/// Runs one program, again and again, on the thread that made it.
pub(crate) struct Runtime {
    pub(super) execution: Execution,
    /// Valid while an execution runs.
    pub(super) strategy: *mut dyn Strategy,
    program: *const (dyn Fn() + Sync + 'static),
    /// Invariant: fiber number `i` runs task number `i` of every execution. Boxed, because a running
    /// fiber must not move when its task creates another.
    #[allow(clippy::vec_box)]
    pub(super) fibers: Vec<Box<Fiber>>,
    pub(super) blocks: Blocks,
    pub(super) rooms: Rooms,
    /// What cells held, where stores go through buffers.
    pub(super) bytes: Bytes,
    pub(super) host: Context,
    /// The context that runs.
    pub(super) context: *mut Context,
    /// The context of the creator of the running task, while that is new, and null otherwise: it runs up to
    /// its first operation within the transition of its creator.
    pub(super) creator: *mut Context,
    pub(super) is_tearing_down: bool,
    /// Invariant: no creator, no teardown, and no store buffers. The strategy then decides who goes on,
    /// unless a task unwinds.
    pub(super) is_deciding: bool,
    /// The task that was stopped in the middle of its own panic, if any.
    pub(super) panicking: Option<TaskId>,
    /// How often tasks were told to unwind in this teardown.
    pub(super) unwind_count: u32,
    pub(super) stamp: u64,
    stamp_end: u64,
    pub(super) statics: Option<StaticsInUse>,
    pub(super) stack_size: usize,
    /// The newest panic that the hook has seen: who, what, where. It may have been caught.
    last_panic: Option<(TaskId, String, Option<unpick_trace::Site>)>,
    /// Whether the running task has just run out of stack.
    pub(super) has_overflowed: bool,
    /// A panic of the engine or the strategy between two tasks; it goes on in the host.
    panic_between: Option<Box<dyn Any + Send>>,
    /// Ends the process if a task really waits.
    pub(super) watched: Watched,
}

/// A strategy that stands in while no execution runs.
struct NoStrategy;

impl Strategy for NoStrategy {
    fn begin(&mut self, _index: u64) -> unpick_engine::Begin {
        unpick_engine::Begin::Exhausted
    }
    fn choose(&mut self, _view: &unpick_engine::View<'_>) -> Result<TaskId, unpick_engine::Stop> {
        Err(unpick_engine::Stop::Cut)
    }
    fn answer(
        &mut self,
        _view: &unpick_engine::View<'_>,
        _question: unpick_trace::Choice,
    ) -> Result<u32, unpick_engine::Stop> {
        Err(unpick_engine::Stop::Cut)
    }
}

impl Runtime {
    /// A runtime for a program. The box must not be emptied: its fibers know its address.
    ///
    /// The program must outlive the runtime; [`crate::explore`] sees to that.
    pub fn new(
        program: &(dyn Fn() + Sync),
        settings: Settings,
        stack_size: usize,
        watchdog: Duration,
    ) -> Box<Runtime> {
        panic_hook::install();
        super::overflow::install();
        let program: *const (dyn Fn() + Sync + '_) = std::ptr::from_ref(program);
        // SAFETY: only the lifetime changes; the pointer is used while the program is borrowed.
        let program: *const (dyn Fn() + Sync + 'static) = unsafe { std::mem::transmute(program) };
        Box::new(Runtime {
            execution: Execution::new(settings),
            strategy: std::ptr::from_mut(Box::leak(Box::new(NoStrategy))),
            program,
            fibers: Vec::new(),
            blocks: Blocks::new(),
            rooms: Rooms::new(),
            bytes: Bytes::new(),
            host: Context::of_host(),
            context: null_mut(),
            creator: null_mut(),
            is_tearing_down: false,
            is_deciding: true,
            panicking: None,
            unwind_count: 0,
            stamp: 0,
            stamp_end: 0,
            statics: None,
            stack_size,
            last_panic: None,
            has_overflowed: false,
            panic_between: None,
            watched: Watched::new(watchdog),
        })
    }

    fn reset(&mut self) {
        self.execution.reset();
        self.creator = null_mut();
        self.is_tearing_down = false;
        self.is_deciding = !self.execution.is_relaxed();
        self.panicking = None;
        self.unwind_count = 0;
        self.last_panic = None;
        self.bytes.clear();
        self.stamp += STAMP_UNIT;
        if self.stamp >= self.stamp_end {
            let block = NEXT_STAMP_BLOCK.fetch_add(1, Ordering::Relaxed);
            self.stamp = block * STAMP_BLOCK;
            self.stamp_end = self.stamp + STAMP_BLOCK;
        }
    }

    /// Makes sure that there is an idle fiber for the next task to be created.
    #[inline]
    pub(super) fn prepare_fiber(&mut self, stack_size: Option<usize>) -> io::Result<()> {
        let stack_size = stack_size.unwrap_or(0).max(self.stack_size);
        let index = self.execution.task_count();
        match self.fibers.get(index) {
            Some(fiber) if !fiber.is_lost && fiber.stack_size() >= stack_size => Ok(()),
            _ => self.replace_fiber(index, stack_size),
        }
    }

    #[cold]
    fn replace_fiber(&mut self, index: usize, stack_size: usize) -> io::Result<()> {
        // Agents, which empty store buffers, have numbers of tasks and need no fibers.
        while self.fibers.len() < index {
            let unused = Fiber::new(self.stack_size, self.fibers.len())?;
            self.fibers.push(unused);
        }
        let fiber = Fiber::new(stack_size, index)?;
        match self.fibers.get_mut(index) {
            Some(unfit) => *unfit = fiber,
            None => self.fibers.push(fiber),
        }
        Ok(())
    }

    /// The context of a task's fiber.
    #[inline]
    pub(super) fn context_of(&mut self, task: TaskId) -> *mut Context {
        &raw mut self.fibers[task.index()].context
    }

    /// The running task.
    #[inline]
    pub(super) fn current(&self) -> TaskId {
        self.execution.running()
    }

    /// Suspends the context that runs, and goes on in another. Comes back when somebody switches to
    /// the one that ran.
    ///
    /// # Safety
    /// `this` is the current runtime, no reference into it is live, and `to` is another context of it
    /// than the one that runs.
    #[inline(always)]
    pub(super) unsafe fn switch(this: *mut Runtime, to: *mut Context) {
        // SAFETY: as the caller promises: all contexts of a runtime but the one that runs are suspended.
        unsafe {
            let from = (*this).context;
            (*this).context = to;
            switch(from, to);
        }
    }

    /// Goes on in another context, and lets the one that runs begin anew when it is switched to.
    ///
    /// # Safety
    /// As for [`Runtime::switch`]; nothing on the stack is used again or has a destructor to run.
    #[inline(always)]
    unsafe fn restart(this: *mut Runtime, to: *mut Context) {
        // SAFETY: as the caller promises.
        unsafe {
            let from = (*this).context;
            (*this).context = to;
            restart(from, to);
        }
    }

    fn note_overflow(&mut self, task: TaskId) {
        let fiber = &mut self.fibers[task.index()];
        fiber.is_lost = true;
        let size = fiber.stack_size();
        let name = self.execution.trace().task_name(task);
        self.execution.fail(Failure {
            kind: FailureKind::StackOverflow,
            task,
            message: format!(
                "{name} overflowed its stack of {size} bytes; give tasks more with \
                 Config::stack_size or Builder::stack_size"
            ),
            site: None,
        });
    }

    /// Lets a task go on, and whoever comes after it, until a fiber switches to the host.
    ///
    /// # Safety
    /// `this` is the current runtime, no reference into it is live, and the task's fiber is idle or
    /// suspended.
    #[inline(always)]
    unsafe fn run(this: *mut Runtime, task: TaskId) {
        // SAFETY: as the caller promises; the references end before the switch.
        unsafe {
            (*this).execution.set_running(task);
            (*this).context = &raw mut (*this).host;
            Runtime::switch(this, (*this).context_of(task));
            let runtime = &mut *this;
            if runtime.has_overflowed || runtime.panic_between.is_some() {
                runtime.take_trouble();
            }
        }
    }

    /// Does what is to be done when a fiber has left for another reason than an end.
    #[cold]
    fn take_trouble(&mut self) {
        if self.has_overflowed {
            self.has_overflowed = false;
            self.note_overflow(self.current());
        }
        if let Some(payload) = self.panic_between.take() {
            resume_unwind(payload);
        }
    }

    /// Unwinds every task that has not ended, youngest first.
    ///
    /// A task can only be unwound while no other is unwinding. If one was stopped in the middle of
    /// its own panic, it goes first, and the stacks of the younger ones are given up before, since
    /// they may borrow from it. If one cannot come to its end (a destructor blocks for ever), its
    /// stack is given up and so are the remaining ones.
    ///
    /// # Safety
    /// `this` is the current runtime, and no reference into it is live.
    unsafe fn tear_down(this: *mut Runtime) {
        // SAFETY: references end before each switch; the fiber of a task that has begun and not ended
        // is suspended inside it.
        unsafe {
            // Behind the last fiber there may be agents.
            let count = (*this).execution.task_count().min((*this).fibers.len());
            (*this).creator = null_mut();
            (*this).is_tearing_down = true;
            (*this).is_deciding = false;
            let panicking = (*this).panicking;
            for index in (0..count).rev() {
                let task = TaskId(index as u32);
                let fiber: *mut Fiber = &raw mut *(&mut (*this).fibers)[index];
                let has_code = !(*this).execution.is_agent(task);
                if has_code && !(*this).execution.is_finished(task) && !(*fiber).is_lost {
                    let is_its_turn = match panicking {
                        Some(first) if task >= first => task == first,
                        _ => !std::thread::panicking(),
                    };
                    if is_its_turn {
                        (*this).unwind_count = 0;
                        Runtime::run(this, task);
                    }
                    (*fiber).is_lost = !(*this).execution.is_finished(task);
                }
                (*fiber).locals.forget();
            }
        }
        panicking::settle();
    }
}

impl Engine for Runtime {
    fn execute(&mut self, strategy: &mut dyn Strategy) {
        assert!(
            !std::thread::panicking(),
            "internal error: tasks cannot switch on a thread that unwinds"
        );
        self.reset();
        // SAFETY: only the lifetime changes; the pointer is not used after this call.
        self.strategy = unsafe {
            std::mem::transmute::<*mut (dyn Strategy + '_), *mut (dyn Strategy + 'static)>(
                std::ptr::from_mut(strategy),
            )
        };
        if let Err(error) = self.prepare_fiber(None) {
            let size = self.stack_size;
            panic!("cannot allocate a stack of {size} bytes: {error}; set Config::stack_size");
        }
        let this: *mut Runtime = self;
        let is_current = IsCurrent::new(this);
        // SAFETY: `this` is current, and `self` is not used until it is no longer.
        unsafe {
            (*this).watched.begin((*this).stamp, this);
            let main = (*this).execution.add_task(None);
            let handle = (*this).context_of(main) as usize;
            (*this).execution.set_handle(main, handle);
            let host = &raw mut (*this).host as usize;
            (*this).execution.set_handle_of_end(host);
            Runtime::run(this, main);
            let has_passed = matches!((*this).execution.outcome(), Some(Outcome::Pass));
            if !has_passed || (*this).execution.has_exited() {
                Runtime::tear_down(this);
            }
        }
        drop(is_current);
        self.watched.end();
        if let Some(mut statics) = self.statics.take() {
            statics.restore();
        }
    }

    fn execution(&mut self) -> &mut Execution {
        &mut self.execution
    }
}

/// What a fiber does: it runs the current task to its end, and decides who goes on.
pub(super) extern "C" fn fiber_main() {
    let this = current();
    // SAFETY: a fiber runs only while its runtime is current; the references end at once. The fiber itself
    // stays where it is.
    let (task, fiber, body, program) = unsafe {
        let runtime = &mut *this;
        let task = runtime.current();
        let fiber: *mut Fiber = &raw mut *runtime.fibers[task.index()];
        (task, fiber, (*fiber).body.take(), runtime.program)
    };
    // Nothing may unwind out of a fiber. Every call is returned from before the fiber switches away for
    // good, so that the processor, which counts calls and returns, predicts those of all fibers.
    let mut end = catch_unwind(AssertUnwindSafe(move || {
        // SAFETY: the body was made by the task that has switched here; the program outlives the runtime;
        // this is the fiber that runs, and no reference to it is live.
        unsafe {
            match body {
                Some(body) => body.run(),
                None => (*program)(),
            }
            super::local::run_destructors(fiber, task);
        }
        if task == TaskId::MAIN {
            end_with_main();
        }
    }));
    loop {
        // SAFETY: the fiber runs, so `this` is current and no reference is live.
        let next = catch_unwind(AssertUnwindSafe(|| unsafe { (*this).end(task, end) }));
        match next {
            // SAFETY: as above. Nothing is left on the stack.
            Ok(next) => return unsafe { Runtime::restart(this, next) },
            // Not the task: the strategy, asked who goes on.
            Err(payload) => end = Err(payload),
        }
    }
}

/// Ends the execution with the first task, if the settings say so: others may run before, and what they have
/// not done by then they never do.
fn end_with_main() {
    let this = current();
    // SAFETY: a fiber runs only while its runtime is current; the references end before the switch.
    unsafe {
        let execution = &(*this).execution;
        if execution.settings().ends_with_main && execution.task_count() > 1 {
            super::task::operate_without_object(OpKind::End);
            (*this).execution.exit_among_others();
        }
    }
}

impl Runtime {
    /// Ends a task, and answers where to go on.
    #[inline]
    fn end(&mut self, task: TaskId, end: std::thread::Result<()>) -> *mut Context {
        if let Err(payload) = end {
            if self.execution.is_finished(task) {
                self.panic_between = Some(payload);
                return &raw mut self.host;
            }
            self.note_payload(task, payload);
        }
        if !self.is_deciding {
            if self.is_tearing_down {
                self.execution.finish(task);
                return &raw mut self.host;
            }
            if !self.creator.is_null() {
                self.execution.finish(task);
                return self.creator;
            }
        }
        // SAFETY: the strategy outlives the execution.
        let strategy = unsafe { &mut *self.strategy };
        strategy.advance_past_end(&mut self.execution) as *mut Context
    }

    /// Takes note of what a task has panicked with.
    #[cold]
    fn note_payload(&mut self, task: TaskId, payload: Box<dyn Any + Send>) {
        self.note_end(task, &*payload);
        // The destructor of an unusual payload could operate, which is no longer possible here.
        if !payload.is::<String>() {
            std::mem::forget(payload);
        }
    }

    /// The panic that a task unwinds from becomes the outcome.
    pub(super) fn note_panic_of(&mut self, task: TaskId) {
        let (message, site) = match self.last_panic.take() {
            Some((of, message, site)) if of == task => (message, site),
            _ => ("a panic".to_string(), None),
        };
        self.execution.fail(Failure {
            kind: FailureKind::Panic,
            task,
            message,
            site,
        });
    }

    pub(super) fn note_end(&mut self, task: TaskId, payload: &(dyn Any + Send)) {
        if payload.is::<Abandoned>() || self.is_tearing_down {
            return;
        }
        let message = panic_hook::message(payload);
        // The place is known only if this is the panic that was seen last.
        let site = match self.last_panic.take() {
            Some((of, noted, site)) if of == task && noted == message => site,
            _ => None,
        };
        self.execution.fail(Failure {
            kind: FailureKind::Panic,
            task,
            message,
            site,
        });
    }
}

/// Remembers a panic of the running task, in case nobody catches it.
pub(super) fn note_panic(message: String, location: Option<&Location<'_>>) {
    let site = location.map(|location| {
        unpick_trace::Site::new(location.file(), location.line(), location.column())
    });
    // SAFETY: called by the panic hook on a running fiber, where no other reference is live.
    unsafe {
        if !(*current()).is_tearing_down {
            let task = (*current()).current();
            (*current()).last_panic = Some((task, message, site));
        }
    }
}

/// If a fault at this address is an overflow of the running task's stack, gives the task up and
/// answers the registers with which the host goes on: `rip`, `rbx`, `rbp` and `rsp`.
#[cfg(all(target_os = "linux", target_arch = "x86_64", not(unpick_relay)))]
pub(super) fn note_fault(stack_pointer: usize, fault: usize) -> Option<[usize; 4]> {
    /// The smallest page of the supported systems; guard pages are at least as large.
    const PAGE_SIZE: usize = 4096;
    let runtime = current();
    if runtime.is_null() {
        return None;
    }
    // SAFETY: not null means current. Only plain data is used, and a fault on the stack of a fiber
    // means that the fiber runs, so that the host is suspended.
    unsafe {
        let fibers = &(*runtime).fibers;
        let stack = fibers
            .get((*runtime).current().index())?
            .context
            .addresses();
        let guard_page = stack.start..stack.start + PAGE_SIZE;
        if !guard_page.contains(&fault) || !stack.contains(&stack_pointer) {
            return None;
        }
        (*runtime).has_overflowed = true;
        Some((*runtime).host.registers())
    }
}
