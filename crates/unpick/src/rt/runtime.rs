//! Runs executions: the host side of the fibers.

use super::fiber::Fiber;
use super::local::Locals;
use super::panic_hook;
use super::spawn::Body;
use super::statics::StaticsInUse;
use corosensei::trap::CoroutineTrapHandler;
use std::any::Any;
use std::cell::Cell;
use std::io;
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU64, Ordering};
use unpick_engine::{Decision, Execution, Runtime as Engine, Settings, Strategy};
use unpick_trace::{Failure, FailureKind, Outcome, TaskId};

thread_local! {
    /// The runtime whose fiber runs on this thread.
    static CURRENT: Cell<*mut Runtime> = const { Cell::new(null_mut()) };
}

/// The runtime whose fiber runs on this thread, or null outside an execution.
#[inline]
pub(super) fn current() -> *mut Runtime {
    CURRENT.get()
}

/// Makes a runtime the current one for as long as it lives.
struct IsCurrent;

impl IsCurrent {
    fn new(runtime: *mut Runtime) -> IsCurrent {
        let outer = CURRENT.replace(runtime);
        assert!(
            outer.is_null(),
            "internal error: an execution inside an execution"
        );
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
const STAMP_BLOCK: u64 = 1 << 10;
static NEXT_STAMP_BLOCK: AtomicU64 = AtomicU64::new(1);

/// A task's stack unless it asks for a larger one.
pub(crate) const STACK_SIZE: usize = 1 << 20;

/// What a fiber runs next.
pub(super) enum Job {
    /// The body of the test.
    Main,
    /// A task that the program created.
    Task(Body),
}

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
    pub(super) jobs: Vec<Option<Job>>,
    pub(super) locals: Vec<Locals>,
    pub(super) current: TaskId,
    /// The task that was chosen by a fiber that could not go on itself.
    pub(super) next: Option<TaskId>,
    /// A new task runs up to its first operation, within the transition of its creator.
    pub(super) is_prelude: bool,
    pub(super) is_tearing_down: bool,
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
    pub fn new(program: &(dyn Fn() + Sync), settings: Settings, stack_size: usize) -> Box<Runtime> {
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
            jobs: Vec::new(),
            locals: Vec::new(),
            current: TaskId::MAIN,
            next: None,
            is_prelude: false,
            is_tearing_down: false,
            panicking: None,
            unwind_count: 0,
            stamp: 0,
            stamp_end: 0,
            statics: None,
            stack_size,
            last_panic: None,
        })
    }

    fn reset(&mut self) {
        self.execution.reset();
        self.next = None;
        self.is_tearing_down = false;
        self.panicking = None;
        self.unwind_count = 0;
        self.last_panic = None;
        self.stamp += 1;
        if self.stamp >= self.stamp_end {
            let block = NEXT_STAMP_BLOCK.fetch_add(1, Ordering::Relaxed);
            self.stamp = block * STAMP_BLOCK;
            self.stamp_end = self.stamp + STAMP_BLOCK;
        }
    }

    /// Makes sure that there is an idle fiber for the next task to be created.
    pub(super) fn prepare_fiber(&mut self, stack_size: Option<usize>) -> io::Result<()> {
        let stack_size = stack_size.unwrap_or(0).max(self.stack_size);
        let index = self.execution.task_count();
        match self.fibers.get(index) {
            None => {
                self.fibers.push(Fiber::new(stack_size)?);
                self.jobs.push(None);
                self.locals.push(Locals::default());
            }
            Some(fiber) if fiber.is_done() || fiber.stack_size() < stack_size => {
                self.fibers[index] = Fiber::new(stack_size)?;
            }
            Some(_) => {}
        }
        Ok(())
    }

    /// Runs a new task, whose fiber was prepared, up to its first operation. Answers whether the
    /// execution can go on.
    ///
    /// # Safety
    /// `this` is the current runtime, and no reference into it is live.
    pub(super) unsafe fn start(this: *mut Runtime, task: TaskId, job: Job) -> bool {
        // SAFETY: as the caller promises; the reference ends before the switch.
        let fiber: *mut Fiber = unsafe {
            let runtime = &mut *this;
            let index = task.index();
            runtime.jobs[index] = Some(job);
            runtime.is_prelude = true;
            runtime.current = task;
            &raw mut *runtime.fibers[index]
        };
        // SAFETY: the fiber is idle and belongs to this thread.
        unsafe {
            let overflowed = Fiber::resume(fiber);
            (*this).is_prelude = false;
            if overflowed {
                (*this).note_overflow(task);
            }
            (*this).execution.outcome().is_none()
        }
    }

    fn note_overflow(&mut self, task: TaskId) {
        let size = self.fibers[task.index()].stack_size();
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

    /// Lets one task after the other go on, until the execution has an outcome.
    ///
    /// # Safety
    /// `this` is the current runtime, no reference into it is live, and every task has been started.
    unsafe fn run(this: *mut Runtime) {
        loop {
            // SAFETY: the reference ends before the switch; the strategy outlives the execution.
            let fiber: *mut Fiber = unsafe {
                let runtime = &mut *this;
                let task = match runtime.next.take() {
                    Some(task) => task,
                    None => match runtime.execution.decide(&mut *runtime.strategy) {
                        Decision::Run(task) => task,
                        Decision::Over => return,
                    },
                };
                runtime.current = task;
                &raw mut *runtime.fibers[task.index()]
            };
            // SAFETY: the fiber is suspended at the operation that was just granted.
            unsafe {
                if Fiber::resume(fiber) {
                    (*this).note_overflow((*this).current);
                }
                if (*this).execution.outcome().is_some() {
                    return;
                }
            }
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
        // SAFETY: references end before each switch; a fiber whose job has begun and not ended is
        // suspended inside it.
        unsafe {
            let count = (*this).execution.task_count();
            (*this).is_tearing_down = true;
            let panicking = (*this).panicking;
            for index in (0..count).rev() {
                let task = TaskId(index as u32);
                let fiber: *mut Fiber = &raw mut *(&mut (*this).fibers)[index];
                if !(*this).execution.is_finished(task) && !(*fiber).is_done() {
                    let is_its_turn = match panicking {
                        Some(first) if task >= first => task == first,
                        _ => !std::thread::panicking(),
                    };
                    if is_its_turn {
                        (*this).current = task;
                        (*this).unwind_count = 0;
                        Fiber::resume(fiber);
                    }
                    if !(*this).execution.is_finished(task) {
                        (*fiber).discard();
                    }
                }
                (&mut (*this).locals)[index].forget();
            }
        }
    }

    /// Runs one execution on this thread.
    fn execute_here(&mut self, strategy: &mut dyn Strategy) {
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
            let main = (*this).execution.add_task(None);
            if Runtime::start(this, main, Job::Main) {
                Runtime::run(this);
            }
            if !matches!((*this).execution.outcome(), Some(Outcome::Pass)) {
                Runtime::tear_down(this);
            }
        }
        drop(is_current);
        if let Some(mut statics) = self.statics.take() {
            statics.restore();
        }
    }

    /// Runs one execution on a thread of its own. Needed once a stack of this thread was given up
    /// while it unwound: the standard library then takes this thread for panicking, for ever.
    #[cold]
    fn execute_on_fresh_thread(&mut self, strategy: &mut dyn Strategy) {
        let settings = *self.execution.settings();
        let (stack_size, execution) = (self.stack_size, &mut self.execution);
        // SAFETY: the program outlives the runtime.
        let program = unsafe { &*self.program };
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let mut fresh = Runtime::new(program, settings, stack_size);
                fresh.execute_here(strategy);
                std::mem::swap(execution, &mut fresh.execution);
            });
        });
    }
}

impl Engine for Runtime {
    fn execute(&mut self, strategy: &mut dyn Strategy) {
        if std::thread::panicking() {
            self.execute_on_fresh_thread(strategy);
        } else {
            self.execute_here(strategy);
        }
    }

    fn execution(&mut self) -> &mut Execution {
        &mut self.execution
    }
}

/// Runs the task that a fiber was resumed for, to its end.
pub(super) fn run_task() {
    let this = current();
    // SAFETY: called on a fiber, whose runtime is current; the reference ends at once.
    let (task, job, program) = unsafe {
        let runtime = &mut *this;
        let task = runtime.current;
        let job = runtime.jobs[task.index()].take();
        (task, job, runtime.program)
    };
    let end = catch_unwind(AssertUnwindSafe(move || {
        match job {
            // SAFETY: the program outlives the runtime.
            Some(Job::Main) => unsafe { (*program)() },
            Some(Job::Task(body)) => body.run(),
            None => panic!("internal error: a fiber was resumed without a job"),
        }
        super::local::run_destructors(task);
    }));
    // SAFETY: the fiber runs again, so `this` is current and no other reference is live.
    let runtime = unsafe { &mut *this };
    if let Err(payload) = end {
        runtime.note_end(task, &*payload);
        // The destructor of an unusual payload could operate, which is no longer possible here.
        if !payload.is::<String>() {
            std::mem::forget(payload);
        }
    }
    runtime.execution.finish(task);
}

impl Runtime {
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
    let site = location.map(|location| unpick_trace::Site {
        file: location.file().to_string(),
        line: location.line(),
        column: location.column(),
    });
    // SAFETY: called by the panic hook on a running fiber, where no other reference is live.
    unsafe {
        if !(*current()).is_tearing_down {
            let task = (*current()).current;
            (*current()).last_panic = Some((task, message, site));
        }
    }
}

/// The trap handler of the running fiber, if a fault at this address is an overflow of its stack.
pub(super) fn current_trap_handler(
    stack_pointer: usize,
    fault: usize,
) -> Option<CoroutineTrapHandler<super::fiber::Ended>> {
    let runtime = current();
    if runtime.is_null() {
        return None;
    }
    // SAFETY: not null means current; only plain data is read.
    unsafe {
        let fibers = &(*runtime).fibers;
        let fiber = fibers.get((*runtime).current.index())?;
        let is_overflow = fiber.guard_page.contains(&fault)
            && fiber.trap_handler.stack_ptr_in_bounds(stack_pointer);
        is_overflow.then_some(fiber.trap_handler)
    }
}
