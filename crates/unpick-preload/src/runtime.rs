//! All that changes while a program runs, and the way of an operation through the engine.

use crate::address_table::AddressTable;
use crate::away::{self, Away};
use crate::buffers::{self, Buffers};
use crate::context::{Context, thread_pointer};
use crate::crew::Crew;
use crate::draft::Draft;
use crate::ending::Ending;
use crate::io::Io;
use crate::named::Named;
use crate::openmp::OpenMp;
use crate::plain::Plain;
use crate::posix::keys::Keys;
use crate::prelude::{self, Prelude};
use crate::random::Random;
use crate::signals::{self, Pending, Stacks};
use crate::sites::{Calls, Sites};
use crate::snapshot::Snapshot;
use crate::spinning::{PATIENCE, Spinning};
use crate::strings;
use crate::sys;
use crate::tasks::{self, Slot};
use crate::timestamp;
use crate::waiting::{self, Waits};
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ffi::c_void;
use core::ops::Range;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, AtomicU32, Ordering};
use unpick_engine::{
    Begin, Decision, Execution, Grant, Proviso, Settings, Shape, Stop, Strategy, View,
};
use unpick_memory::{Clocks, Heap, Learning, Shadow, Shared};
use unpick_protocol::{
    Desk, Launch, Module, Order, Points, STOP_AT_NEXT_STEP, StandardCode, Start, Trouble,
    TroubleKind, Work,
};
use unpick_trace::{
    Choice, Failure, FailureKind, ObjectId, ObjectKind, Op, OpKind, SiteId, TaskId,
};

static RUNTIME: AtomicPtr<Runtime> = AtomicPtr::new(null_mut());

/// No execution is under way.
pub const OVER: u32 = 0;
/// An execution is under way, and whoever runs is the task that should.
pub const RUNNING: u32 = 1;

/// Marks the number of an object, in its first word, as ours: what the C library leaves there is small.
pub const OURS: u32 = 0x5000_0000;

/// One task of the program.
pub struct Task {
    pub slot: usize,
    pub start: Option<crate::real::Start>,
    pub argument: *mut c_void,
    pub result: *mut c_void,
    pub is_detached: bool,
    pub is_joined: bool,
    pub calls: Calls,
    /// The innermost handler that plain C has pushed for the end of the task.
    pub handlers: *mut c_void,
    /// The innermost one-time initialisation that it performs.
    pub initialisation: *mut c_void,
    /// Where it threw its last exception of C++.
    pub thrown: Option<SiteId>,
    /// Where on its stack its first function lies.
    pub base: usize,
    /// Its stack.
    pub stack: Range<usize>,
    /// The program counter of its last call into the runtime.
    pub pc: usize,
    /// The variable that its last compare-and-exchange did not change: a lock that it may take next in code
    /// that is not instrumented.
    pub refused_by: ObjectId,
    pub locks: Locks,
}

/// The variables that a task has tried to lock, as it seems, and was not seen to release since: it may hold them,
/// and release and take them again in code that is not instrumented, as a wait for a condition does.
#[derive(Clone, Copy)]
pub struct Locks {
    variables: [ObjectId; Locks::COUNT],
    /// How many have been put in.
    count: usize,
}

impl Locks {
    /// The latest ones are kept, for a task that locks without ever releasing: it does something else.
    const COUNT: usize = 16;

    const NONE: Locks = Locks {
        variables: [ObjectId::NONE; Locks::COUNT],
        count: 0,
    };

    #[inline]
    pub fn add(&mut self, variable: ObjectId) {
        if !self.variables.contains(&variable) {
            self.variables[self.count % Locks::COUNT] = variable;
            self.count += 1;
        }
    }

    #[inline]
    pub fn remove(&mut self, variable: ObjectId) {
        if self.count > 0 {
            let place = self.variables.iter().position(|one| *one == variable);
            place
                .into_iter()
                .for_each(|place| self.variables[place] = ObjectId::NONE);
        }
    }
}

impl Task {
    fn new() -> Task {
        Task {
            slot: 0,
            start: None,
            argument: null_mut(),
            result: null_mut(),
            is_detached: false,
            is_joined: false,
            calls: Calls::default(),
            handlers: null_mut(),
            initialisation: null_mut(),
            thrown: None,
            base: usize::MAX,
            stack: 0..0,
            pc: 0,
            refused_by: ObjectId::NONE,
            locks: Locks::NONE,
        }
    }

    /// Makes it another one that runs in a slot; keeps the memory.
    fn renew(&mut self, slot: usize) {
        let mut calls = core::mem::take(&mut self.calls);
        calls.clear();
        *self = Task {
            slot,
            calls,
            ..Task::new()
        };
    }
}

/// The runtime.
pub struct Runtime {
    pub desk: *const Desk,
    pub launch: Launch,
    /// What the program has of Rust's standard library.
    pub standard: Vec<StandardCode>,
    /// The processes that share a search, and which of them this is.
    pub crew: &'static Crew,
    pub number: usize,
    pub execution: Execution,
    /// Valid while an execution runs.
    pub strategy: *mut dyn Strategy,
    /// Whether an execution is under way: otherwise functions do what they do without us.
    pub phase: AtomicU32,
    pub current: TaskId,
    /// The creator of the running task, while that is new: it runs up to its first operation within
    /// the transition of its creator.
    pub creator: Option<TaskId>,
    /// Tasks whose end nobody has waited for, the first one among them.
    pub open_count: usize,
    pub tasks: Vec<Task>,
    pub task_count: usize,
    pub slots: Vec<Slot>,
    pub variables: AddressTable,
    pub plain: Plain,
    /// Whether plain accesses are no points and nothing else is asked of them.
    pub is_calm: bool,
    /// Plain reads that the running task may make until its next step before it is asked whether it spins.
    pub patience: u32,
    pub spinning: Spinning,
    pub futexes: AddressTable,
    /// Where each object lies; zero if nowhere.
    pub addresses: Vec<u64>,
    pub sites: Sites,
    /// Whether instrumented code has atomic operations that are not seen.
    pub has_unseen_atomics: bool,
    /// Which places of calls are in instrumented code, as far as that was asked.
    pub instrumented: AddressTable,
    pub keys: Keys,
    pub openmp: OpenMp,
    pub stacks: Stacks,
    pub pending: Pending,
    pub waits: Waits,
    /// Tasks that block in code that is not ours.
    pub away: Away,
    /// Stores that others do not see yet.
    pub buffers: Buffers,
    /// The code of the runtime itself.
    pub own_code: core::ops::Range<usize>,
    pub io: Io,
    pub controller: Context,
    /// Whether an execution has run in this process, where each has one of its own.
    pub is_spent: bool,
    pub snapshot: Snapshot,
    pub prelude: Prelude,
    pub trouble: Option<Trouble>,
    pub draft: Draft,
    /// How far the program has come with its end.
    pub ending: Ending,
    pub points: Points,
    /// The program counters at which plain accesses are points.
    pub points_at: Shared,
    /// The functions whose beginning is a point.
    pub named: Named,
    /// Whether races and uses of freed memory are failures.
    pub races: bool,
    /// Whether a technique plans from the events of each execution, which tell nothing of memory that is freed.
    pub is_planned: bool,
    pub clocks: Clocks,
    pub shadow: Shadow,
    pub heap: Heap,
    pub random: Random,
    pub timestamps: timestamp::Places,
    /// The lowest address of the first task's stack, and its size.
    pub main_stack: (usize, usize),
    /// Bytes of the stacks of the other tasks.
    pub stack_size: usize,
    /// What each variable held when it was last seen, by number; `None` if it is no variable or was
    /// never seen.
    pub values: Vec<Option<u64>>,
}

/// Bytes of shadow memory: a gibibyte of cells and what is known of their pages. What is never touched
/// costs nothing.
const SHADOW_SIZE: usize = (1 << 30) + (8 << 20);

fn open_shadow() -> Shadow {
    let memory = crate::arena::reserve(SHADOW_SIZE);
    let memory = memory.expect("cannot reserve shadow memory");
    // SAFETY: fresh memory, shared with forks so that the stamps of executions stay right.
    unsafe { Shadow::new(memory, SHADOW_SIZE) }
}

/// A strategy that stands in while no execution runs.
struct NoStrategy;

impl Strategy for NoStrategy {
    fn begin(&mut self, _index: u64) -> Begin {
        Begin::Exhausted
    }
    fn choose(&mut self, _view: &View<'_>) -> Result<TaskId, Stop> {
        Err(Stop::Cut)
    }
    fn answer(&mut self, _view: &View<'_>, _question: Choice) -> Result<u32, Stop> {
        Err(Stop::Cut)
    }
}

impl Runtime {
    /// Makes the runtime; it lives as long as the process.
    pub fn install(
        desk: *const Desk,
        start: Start,
        (crew, number): (&'static Crew, usize),
        modules: Vec<Module>,
    ) -> &'static mut Runtime {
        let runtime = Box::leak(Box::new(Runtime {
            desk,
            launch: start.launch,
            standard: start.standard,
            crew,
            number,
            execution: Execution::new(Settings::default()),
            strategy: core::ptr::from_mut(Box::leak(Box::new(NoStrategy))),
            phase: AtomicU32::new(OVER),
            current: TaskId::MAIN,
            creator: None,
            open_count: 0,
            tasks: Vec::new(),
            task_count: 0,
            slots: Vec::new(),
            variables: AddressTable::new(),
            plain: Plain::new(),
            is_calm: true,
            patience: PATIENCE,
            spinning: Spinning::default(),
            futexes: AddressTable::new(),
            addresses: Vec::new(),
            sites: Sites::new(modules),
            has_unseen_atomics: crate::instrumented::has_atomics_of_its_own(),
            instrumented: AddressTable::new(),
            keys: Keys::new(),
            openmp: OpenMp::default(),
            stacks: Stacks::new(),
            pending: Pending::new(),
            waits: Waits::new(),
            away: Away::default(),
            buffers: Buffers::default(),
            own_code: 0..0,
            io: Io::new(),
            controller: Context::NOWHERE,
            is_spent: false,
            snapshot: Snapshot::new(),
            prelude: Prelude::new(),
            trouble: None,
            draft: Draft::default(),
            ending: Ending::default(),
            points: Points::Sync,
            points_at: Shared::new(),
            named: Named::default(),
            races: true,
            is_planned: false,
            clocks: Clocks::new(),
            shadow: open_shadow(),
            heap: crate::allocation::open(),
            random: Random::new(),
            timestamps: timestamp::Places::NONE,
            main_stack: crate::posix::main_stack(),
            stack_size: crate::posix::stack_size(),
            values: Vec::new(),
        }));
        RUNTIME.store(runtime, Ordering::Release);
        runtime
    }

    /// Takes over the runtime of a process that has ended. What belongs to a process is made anew.
    ///
    /// # Safety
    ///
    /// It lies there. What it knows of code must not be used before it is sure that ours lies where that
    /// of the other process did.
    pub unsafe fn inherit(address: u64, modules: Vec<Module>) -> &'static mut Runtime {
        // SAFETY: by the caller; nobody else uses it.
        let runtime = unsafe { &mut *(address as *mut Runtime) };
        runtime.phase.store(OVER, Ordering::Relaxed);
        runtime.sites.learn(modules);
        runtime.slots = Vec::new();
        runtime.controller.thread = thread_pointer();
        runtime.snapshot = Snapshot::new();
        runtime.heap = crate::allocation::open();
        runtime.main_stack = crate::posix::main_stack();
        runtime.stack_size = crate::posix::stack_size();
        runtime.is_spent = false;
        RUNTIME.store(runtime, Ordering::Release);
        runtime
    }

    pub fn desk(&self) -> &'static Desk {
        // SAFETY: mapped for as long as the process lives.
        unsafe { &*self.desk }
    }

    /// Prepares for an order.
    pub fn take_order(&mut self, order: &Order) {
        self.execution = Execution::new(order.settings);
        self.sites.clear();
        self.points = order.points;
        self.shadow.learn(match order.points {
            Points::Shared => Learning::Shared,
            Points::Racy => Learning::Racy,
            _ => Learning::Nothing,
        });
        self.points_at = self.plain.take_order(&order.shared);
        self.named = Named::new(&order.named, &self.sites.modules);
        self.races = order.races;
        self.is_planned = matches!(order.work, Work::Watch(_));
        self.trouble = None;
        self.draft.begin(order);
        self.prelude.forget();
        self.snapshot.forget();
    }

    /// Goes back to the beginning of the program, or to the end of its prelude.
    pub fn begin_execution(&mut self) {
        self.execution.reset();
        self.variables.clear();
        self.plain.reset();
        self.spinning.reset();
        self.is_calm = self.points == Points::Sync;
        self.patience = PATIENCE;
        self.futexes.clear();
        self.addresses.clear();
        self.keys.reset();
        self.openmp.reset();
        self.stacks.reset();
        self.pending.reset();
        self.waits.reset();
        self.away.reset();
        self.buffers.reset();
        self.io.reset();
        self.random.reset();
        self.named.reset();
        self.values.clear();
        self.clocks.reset();
        self.shadow.begin_execution();
        self.ending.reset();
        let heap = self.prelude.heap();
        crate::allocation::reset(&mut self.heap, heap, self.snapshot.restoring);
        strings::WATCHING.store(false, Ordering::Relaxed);
        self.creator = None;
        self.task_count = 0;
        self.open_count = 0;
        for slot in &mut self.slots {
            slot.reset();
        }
        self.current = self.add_task(None, 0);
        if self.has_unseen_atomics {
            self.execution.assume(Proviso::NotInstrumented);
        }
        prelude::skip(self);
        self.phase.store(RUNNING, Ordering::Release);
    }

    /// Makes a task that runs in a slot.
    pub fn add_task(&mut self, parent: Option<TaskId>, slot: usize) -> TaskId {
        let task = self.execution.add_task(parent);
        self.note_address(self.execution.object_of(task), 0);
        // Those in between empty buffers, and have no program.
        while self.task_count <= task.index() {
            if self.tasks.len() == self.task_count {
                self.tasks.push(Task::new());
            }
            let data = &mut self.tasks[self.task_count];
            data.renew(slot);
            data.is_joined = self.task_count < task.index();
            self.task_count += 1;
        }
        self.open_count += 1;
        let matters = self.keeps_shadow() || self.points != Points::Sync;
        strings::WATCHING.store(matters && self.task_count > 1, Ordering::Relaxed);
        self.clocks.begin(parent, task);
        let (stack, size) = self.slots[slot].stack;
        let (start, length) = if slot == 0 {
            self.main_stack
        } else {
            (stack, size)
        };
        self.tasks[task.index()].stack = start..start + length;
        if self.slots[slot].is_used {
            // What another task has left there is no business of this one.
            self.shadow.recycle(stack, size);
        }
        self.shadow.keep_private(task, stack, size);
        self.pending.begin(parent, task);
        self.slots[slot].task = Some(task);
        task
    }

    /// Whether what the running task does comes before or after all that others do, so that they cannot
    /// notice when it does it. That no other one is left is not enough: one that has ended did what it did
    /// before only this time, as long as nobody has waited for its end.
    pub fn is_alone(&self) -> bool {
        self.open_count <= 1
    }

    /// Notes that the running task, which is alone, uses a variable.
    #[inline]
    pub fn note_alone(&mut self, variable: ObjectId, reads: bool, writes: bool) {
        if reads {
            self.execution.note_alone(variable, false);
        }
        if writes {
            self.execution.note_alone(variable, true);
        }
    }

    fn note_address(&mut self, object: ObjectId, address: u64) {
        assert!(
            self.addresses.len() <= object.index(),
            "internal error: objects are numbered in order"
        );
        // Those in between are the engine's own, for buffers.
        self.addresses.resize(object.index(), 0);
        self.addresses.push(address);
    }

    /// Makes an object that the running task uses for the first time.
    pub fn add_object(&mut self, shape: Shape, address: u64) -> ObjectId {
        let object = self.execution.add_object(shape, self.current);
        self.note_address(object, address);
        self.prelude.note_object(shape);
        object
    }

    /// The variable at an address.
    #[inline]
    pub fn variable(&mut self, address: usize) -> ObjectId {
        match self.variables.get(address as u64) {
            Some(number) => ObjectId(number),
            None => {
                let object = self.add_object(Shape::Variable, address as u64);
                self.variables.insert(address as u64, object.0);
                object
            }
        }
    }

    /// Notes what a variable held and holds now. If it has changed since it was last seen, code that
    /// is not instrumented has done so, in whatever task: that may have been a release.
    #[inline]
    pub fn note_value(&mut self, variable: ObjectId, found: u64, left: u64) {
        let known = self.set_value(variable, left);
        if known.is_some_and(|known| known != found) {
            self.release_by_all(variable);
        }
    }

    /// Notes what all see in a variable now. Gives what they saw, if it is known.
    #[inline]
    pub fn set_value(&mut self, variable: ObjectId, value: u64) -> Option<u64> {
        let index = variable.index();
        if self.values.len() <= index {
            self.values.resize(index + 1, None);
        }
        self.values[index].replace(value)
    }

    /// Code that is not instrumented has written a variable, in whatever task: for all we know it was
    /// a release, and whoever reads it from now on may know of everything up to here. So may who was last
    /// seen to fail at it and may have gone on unseen.
    #[cold]
    fn release_by_all(&mut self, variable: ObjectId) {
        for index in 0..self.task_count {
            if !self.tasks[index].is_joined {
                self.clocks.release(TaskId(index as u32), variable);
            }
        }
        self.clocks.acquire_all(self.current);
        for index in 0..self.task_count {
            if self.tasks[index].refused_by == variable {
                self.tasks[index].refused_by = ObjectId::NONE;
                self.clocks.acquire_all(TaskId(index as u32));
            }
        }
        buffers::let_out(self, None);
    }

    /// The running task is about to wait or to wake others, and may have released what it has locked. That
    /// cannot always be told by the value: who has taken the lock unseen leaves none behind.
    pub fn release_unseen(&mut self) {
        let task = self.current;
        for variable in self.tasks[task.index()].locks.variables {
            if variable != ObjectId::NONE {
                self.clocks.release(task, variable);
            }
        }
    }

    /// Whether the running task has learned of others unseen, so that what seemed a race may be none: what has
    /// refused it has been written since, or a variable in memory that it frees (a count that is zero now).
    #[cold]
    pub fn has_learned_unseen(&mut self, freed: Range<usize>) -> bool {
        let refused_by = self.tasks[self.current.index()].refused_by;
        let written = self.variables.iter().find(|&(address, number)| {
            let is_suspect = ObjectId(number) == refused_by || freed.contains(&(address as usize));
            // How large a variable is is not known. The lowest byte tells locks and counts.
            let known = self.values.get(number as usize).copied().flatten();
            let differs =
                |known: u64| sys::peek(address as usize).is_some_and(|now| now != known as u8);
            is_suspect && known.is_some_and(differs)
        });
        let Some((_, number)) = written else {
            return false;
        };
        self.values[number as usize] = None;
        self.release_by_all(ObjectId(number));
        true
    }

    /// The waiters for a word.
    pub fn futex(&mut self, address: usize) -> ObjectId {
        match self.futexes.get(address as u64) {
            Some(number) => ObjectId(number),
            None => {
                let object = self.add_object(Shape::Condvar, address as u64);
                self.futexes.insert(address as u64, object.0);
                object
            }
        }
    }

    /// The object whose number is kept in its own first word; zero means that it has none yet.
    /// `None` if the word holds something else.
    pub fn object_in(
        &mut self,
        word: &mut u32,
        shape: Shape,
        kind: ObjectKind,
    ) -> Option<ObjectId> {
        if *word == 0 {
            let object = self.add_object(shape, core::ptr::from_ref(word) as u64);
            *word = OURS | object.0;
            return Some(object);
        }
        let object = ObjectId(*word ^ OURS);
        let info = self.execution.trace().objects.get(object.index());
        info.is_some_and(|info| info.kind == kind).then_some(object)
    }

    /// The number of the place at which the running task calls.
    pub fn site(&mut self, pc: usize) -> SiteId {
        let task = &mut self.tasks[self.current.index()];
        if pc != 0 {
            task.pc = pc;
        }
        self.sites
            .intern(task.pc, &mut task.calls, &mut self.execution)
    }

    /// The place at which the running task calls, with its callers, as the driver finds it in a message.
    pub fn mention_here(&self, pc: usize) -> String {
        let calls = &self.tasks[self.current.index()].calls;
        self.sites.mention_with(pc, calls)
    }

    /// Ends the execution with a fault of the running task.
    pub fn fail(&mut self, kind: FailureKind, message: String, pc: usize) {
        let site = self.site(pc);
        let site = self.execution.trace().site(site).cloned();
        self.execution.fail(Failure {
            kind,
            task: self.current,
            message,
            site,
        });
    }

    /// Whether accesses are looked at. What happens before the first task is created happens before
    /// everything else.
    #[inline]
    pub fn watches_memory(&self) -> bool {
        self.keeps_shadow() && self.task_count > 1
    }

    /// Whether it matters who used which memory: for races, or for which accesses are to be points.
    #[inline]
    pub fn keeps_shadow(&self) -> bool {
        self.races || self.points.are_learnt()
    }

    /// Asks the strategy something on behalf of the running task. Zero if the execution is over.
    pub fn strategy(&mut self) -> &'static mut dyn Strategy {
        // SAFETY: it outlives the execution.
        unsafe { &mut *self.strategy }
    }
}

/// The runtime if an execution is under way.
#[inline]
pub fn running() -> Option<&'static mut Runtime> {
    let runtime = RUNTIME.load(Ordering::Relaxed);
    if runtime.is_null() {
        return None;
    }
    // SAFETY: it lives as long as the process; one task runs at a time and holds no reference while
    // others run.
    let runtime = unsafe { &mut *runtime };
    match runtime.phase.load(Ordering::Relaxed) {
        RUNNING => Some(runtime),
        OVER => None,
        _ => away::enter(runtime),
    }
}

/// The runtime if an execution is under way, and whoever runs is the task that should: [`running`] without
/// a call, for what is done all the time. `None` says nothing.
#[inline(always)]
pub fn running_here() -> Option<&'static mut Runtime> {
    let runtime = RUNTIME.load(Ordering::Relaxed);
    // SAFETY: as above.
    let runtime = unsafe { runtime.as_mut() }?;
    (runtime.phase.load(Ordering::Relaxed) == RUNNING).then_some(runtime)
}

/// The runtime if an execution is under way, whoever runs: for those who only look.
pub fn watching() -> Option<&'static mut Runtime> {
    let runtime = RUNTIME.load(Ordering::Relaxed);
    if runtime.is_null() {
        return None;
    }
    // SAFETY: as above.
    let runtime = unsafe { &mut *runtime };
    (runtime.phase.load(Ordering::Acquire) != OVER).then_some(runtime)
}

/// The runtime; only where there is one.
#[inline]
pub fn runtime() -> &'static mut Runtime {
    // SAFETY: as above.
    unsafe { &mut *RUNTIME.load(Ordering::Relaxed) }
}

/// Performs an operation of the running task: others may run before it. Does not return if the
/// execution ends here.
#[inline]
pub fn operate(op: Op, pc: usize) -> Grant {
    operate_then(op, pc, |_| {})
}

/// The same with what belongs to the operation besides what it does to the engine's model. What the task publishes must
/// be published here: before the operation is performed no other task can know of it, and a handler for a signal,
/// which runs behind it, lets other tasks run.
#[inline]
pub fn operate_then(op: Op, pc: usize, perform: impl FnOnce(Grant)) -> Grant {
    if runtime().execution.is_relaxed() {
        buffers::drain(op, pc);
    }
    take_turn(op, pc);
    let grant = runtime().execution.grant();
    perform(grant);
    signals::deliver();
    grant
}

/// Announces an operation of the running task, and comes back when it is performed: before signals arrive, and
/// without a look at what it has stored.
#[inline]
pub fn take_turn(op: Op, pc: usize) {
    let runtime = runtime();
    let task = runtime.current;
    let site = runtime.site(pc);
    runtime.patience = PATIENCE;
    runtime.execution.announce_at(task, op, site);
    match runtime.creator.take() {
        Some(creator) => {
            runtime.current = creator;
            tasks::switch(task, creator);
        }
        None => go_on(task),
    }
}

/// The same for an operation without object.
pub fn operate_alone(kind: OpKind, pc: usize) -> Grant {
    operate(Op::new(kind, ObjectId::NONE), pc)
}

/// Lets the strategy choose who goes on, and returns when it is `task`.
#[inline]
fn go_on(task: TaskId) {
    match decide() {
        Some(next) if next == task => {}
        Some(next) => tasks::switch(task, next),
        None => tasks::leave(),
    }
}

/// Lets the strategy choose, and makes the chosen task current; `None` if the execution is over.
#[inline]
pub fn decide() -> Option<TaskId> {
    let runtime = runtime();
    crate::process::note_motion(runtime);
    if runtime.desk().stop.load(Ordering::Relaxed) == STOP_AT_NEXT_STEP {
        runtime.execution.stop(Stop::Cut);
        return None;
    }
    waiting::provide(runtime);
    let step_from = runtime.execution.trace().steps.len();
    let is_weak = buffers::leave(runtime);
    let strategy = runtime.strategy();
    match runtime.execution.decide(strategy) {
        Decision::Run(next) => {
            runtime.current = next;
            if is_weak {
                buffers::enter(runtime, step_from);
            }
            Some(next)
        }
        Decision::Over => None,
    }
}

/// Ends the execution with a fault of the running task.
pub fn fail(kind: FailureKind, message: &str, pc: usize) -> ! {
    runtime().fail(kind, message.to_string(), pc);
    tasks::leave()
}

/// Ends the exploration: the program does something that is not modelled.
pub fn refuse(kind: TroubleKind, what: &str, pc: usize) -> ! {
    let runtime = runtime();
    runtime.trouble.get_or_insert(Trouble {
        kind,
        what: what.to_string(),
        pc: pc as u64,
    });
    runtime.execution.stop(Stop::Cut);
    tasks::leave()
}
