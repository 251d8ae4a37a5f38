//! The prelude: what a program does before it creates its first task, without any operation.
//!
//! Nothing has been decided by then, so it is the same in every execution. The first execution of an
//! order runs it; the later ones begin behind it, with memory and runtime as they were there. For a Rust
//! test that is the whole start of the test harness.
//!
//! That is right if the prelude changes nothing but memory. Its system calls are watched
//! (`prelude/calls.rs`), and what the runtime does with descriptors and mappings on its behalf is
//! told with [`spoil`]. A prelude that does more is run every time. Executions stay under watch behind it
//! until one makes a system call: what makes none leaves nothing in the kernel that must be undone.

mod calls;

use crate::allocation;
use crate::context::{Context, exchange};
use crate::openmp::OpenMp;
use crate::posix::keys::Keys;
use crate::random::Random;
use crate::runtime::{Runtime, runtime};
use crate::signals::{Pending, Stacks};
use crate::sites::Calls;
use crate::sys;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::ffi::c_void;
use unpick_engine::Shape;
use unpick_memory::Clocks;
use unpick_trace::{ObjectId, TaskId};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The next execution looks for its end.
    Unknown,
    /// It runs, under watch.
    Running,
    /// The program waits at its end.
    Reached,
    /// Executions begin behind it.
    Kept,
    /// Every execution runs it.
    Repeated,
}

/// What is known of the prelude.
pub struct Prelude {
    stage: Stage,
    /// Objects that it made known, in order.
    shapes: Vec<Shape>,
    /// How often it looked at the clock.
    looks: u32,
    kept: Option<Box<Kept>>,
}

/// The state of the runtime at the end of the prelude, as far as it is not that of a beginning.
struct Kept {
    context: Context,
    heap: Vec<u8>,
    objects: Vec<KeptObject>,
    /// Addresses and numbers of variables.
    variables: Vec<(u64, u32)>,
    values: Vec<Option<u64>>,
    clocks: Clocks,
    keys: Keys,
    openmp: OpenMp,
    stacks: Stacks,
    pending: Pending,
    random: Random,
    world: Option<ObjectId>,
    task: KeptTask,
}

/// What there is to know of the first task.
#[derive(Default)]
struct KeptTask {
    name: Option<String>,
    calls: Calls,
    handlers: usize,
    base: usize,
    pc: usize,
    is_detached: bool,
}

struct KeptObject {
    shape: Shape,
    address: u64,
    name: Option<String>,
}

impl Prelude {
    pub fn new() -> Prelude {
        Prelude {
            stage: Stage::Unknown,
            shapes: Vec::new(),
            looks: 0,
            kept: None,
        }
    }

    /// Goes back to where nothing is known, for another order.
    pub fn forget(&mut self) {
        self.stage = Stage::Unknown;
        self.kept = None;
    }

    /// The heap to begin with; nothing for an empty one.
    pub fn heap(&self) -> &[u8] {
        self.kept.as_ref().map_or(&[], |kept| &kept.heap)
    }

    /// Notes an object that was made known.
    #[inline]
    pub fn note_object(&mut self, shape: Shape) {
        if self.stage == Stage::Running {
            self.shapes.push(shape);
        }
    }

    /// Notes a look at the clock.
    #[inline]
    pub fn note_look(&mut self) {
        if self.stage == Stage::Running {
            self.looks += 1;
        }
    }
}

/// An execution is about to begin: if it is the first one, its prelude is watched.
pub fn begin(this: &mut Runtime) {
    if this.prelude.stage == Stage::Unknown {
        this.prelude.shapes.clear();
        this.prelude.looks = 0;
        this.prelude.stage = match calls::watch(&this.own_code) {
            true => Stage::Running,
            false => Stage::Repeated,
        };
    }
}

/// The program has given way to the controller. If it has come to the end of its prelude, everything is
/// kept as it is, and the answer is that it should go on; else its execution is over.
pub fn end(this: &mut Runtime) -> bool {
    match this.prelude.stage {
        Stage::Reached => {
            keep(this);
            this.prelude.stage = Stage::Kept;
            sys::forget_calls();
            true
        }
        Stage::Running => {
            calls::ignore();
            this.prelude.stage = Stage::Repeated;
            false
        }
        _ => false,
    }
}

/// Whether the program is in a prelude that is watched.
fn is_running() -> bool {
    runtime().prelude.stage == Stage::Running
}

/// Whether the execution that is over has made no system call behind the prelude, on its own or by way of
/// the runtime. A program that makes calls is not watched any longer: each would take a signal.
pub fn made_no_calls() -> bool {
    let is_watching = calls::is_watching();
    if is_watching && sys::has_called() {
        calls::ignore();
        return false;
    }
    is_watching
}

/// The program does something that a later execution would have to do again.
pub fn spoil() {
    let prelude = &mut runtime().prelude;
    if prelude.stage == Stage::Running {
        calls::ignore();
        prelude.stage = Stage::Repeated;
    }
}

/// The running task is about to create one. Later executions may begin where this returns.
pub fn reach() {
    let this = runtime();
    if this.prelude.stage != Stage::Running {
        return;
    }
    let is_first = this.execution.operation_count() == 0 && this.task_count == 1;
    let is_small = this.heap.used_end() <= allocation::CLEARED_MAX;
    if !(is_first && is_small && this.snapshot.can_keep()) {
        spoil();
        return;
    }
    this.prelude.stage = Stage::Reached;
    // SAFETY: the controller waits for the end of the execution, and comes back here.
    unsafe { exchange(&raw mut this.slots[0].context, &raw const this.controller) };
}

/// Keeps memory and the state of the runtime.
fn keep(this: &mut Runtime) {
    let context = this.slots[0].context;
    this.snapshot.keep(context.stack);
    let infos = &this.execution.trace().objects;
    // The first object is the task itself.
    let objects = this.prelude.shapes.iter().zip(&this.addresses[1..]);
    let objects = objects.zip(&infos[1..]);
    let mut kept = Kept {
        context,
        heap: allocation::copy(&this.heap),
        objects: objects
            .map(|((&shape, &address), info)| KeptObject {
                shape,
                address,
                name: info.name.clone(),
            })
            .collect(),
        variables: this.variables.iter().collect(),
        values: this.values.clone(),
        keys: this.keys.clone(),
        openmp: this.openmp.clone(),
        stacks: this.stacks.clone(),
        pending: this.pending.clone(),
        random: this.random,
        world: this.io.world(),
        task: keep_task(this),
        clocks: Clocks::new(),
    };
    kept.clocks.copy_from(&this.clocks);
    this.prelude.kept = Some(Box::new(kept));
}

fn keep_task(this: &Runtime) -> KeptTask {
    let task = &this.tasks[TaskId::MAIN.index()];
    let info = &this.execution.trace().tasks[TaskId::MAIN.index()];
    KeptTask {
        name: info.name.clone(),
        calls: task.calls.clone(),
        handlers: task.handlers as usize,
        base: task.base,
        pc: task.pc,
        is_detached: task.is_detached,
    }
}

fn skip_task(this: &mut Runtime, kept: &KeptTask) {
    if let Some(name) = &kept.name {
        this.execution.name_task(TaskId::MAIN, name);
    }
    let task = &mut this.tasks[TaskId::MAIN.index()];
    task.calls.copy_from(&kept.calls);
    task.handlers = kept.handlers as *mut c_void;
    task.base = kept.base;
    task.pc = kept.pc;
    task.is_detached = kept.is_detached;
}

/// Brings a runtime that begins an execution to the end of the prelude, if it is kept.
pub fn skip(this: &mut Runtime) {
    let Some(kept) = this.prelude.kept.take() else {
        return;
    };
    for object in &kept.objects {
        let number = this.add_object(object.shape, object.address);
        if let Some(name) = &object.name {
            this.execution.name_object(number, name);
        }
    }
    for _ in 0..this.prelude.looks {
        this.execution.look_at_clock(TaskId::MAIN);
    }
    for &(address, number) in &kept.variables {
        this.variables.insert(address, number);
    }
    this.values.clone_from(&kept.values);
    this.clocks.copy_from(&kept.clocks);
    this.keys.copy_from(&kept.keys);
    this.openmp.clone_from(&kept.openmp);
    this.stacks.copy_from(&kept.stacks);
    this.pending.copy_from(&kept.pending);
    this.random = kept.random;
    this.io.set_world(kept.world);
    skip_task(this, &kept.task);
    this.slots[0].context = kept.context;
    this.prelude.kept = Some(kept);
}
