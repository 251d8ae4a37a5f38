//! OpenMP as GCC compiles it: the functions of libgomp, made of operations of the engine.
//!
//! libgomp is not instrumented: its threads spin, and wait by system calls of their own. So each function of its
//! interface that a program calls ends here, and libgomp itself does nothing in an execution. What is not made here
//! is refused by name (`refusal.rs`).
//!
//! # Departures from libgomp
//!
//! * A parallel region creates its threads and joins them, where libgomp keeps them for the next region. A
//!   `threadprivate` variable does not keep its value from one region to the next, except for the first thread.
//! * `schedule(runtime)` is `dynamic, 1`, whatever `OMP_SCHEDULE` says.

mod explicit;
mod locks;
mod queries;
mod sharing;

use crate::away;
use crate::libraries;
use crate::posix::{enlist, join};
use crate::prelude;
use crate::runtime::{Runtime, operate, operate_alone, operate_then, running, runtime};
use crate::tasks;
use crate::time::Limit;
use alloc::{collections::VecDeque, vec::Vec};
use core::ffi::{CStr, c_void};
use core::ptr::null_mut;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use explicit::{Group, Record};
use sharing::Share;
use unpick_engine::{Grant, Shape};
use unpick_trace::{ObjectId, Op, OpKind, TaskId};

/// What a region or an explicit task runs.
type Body = unsafe extern "C" fn(*mut c_void);

/// Whether the program has libgomp.
static IS_LOADED: AtomicBool = AtomicBool::new(false);

/// Whether any part of the program calls the function that creates explicit tasks. Barriers without such tasks need
/// fewer operations.
static HAS_EXPLICIT_TASKS: AtomicBool = AtomicBool::new(false);

/// The number of threads that `OMP_NUM_THREADS` asks for; zero if it says nothing.
static THREADS_WANTED: AtomicU32 = AtomicU32::new(0);

/// Threads of a region, at most.
const THREADS_MAX: u32 = 256;

/// Looks for libgomp in the program, before it begins.
pub fn look_up() {
    IS_LOADED.store(libraries::has(b"libgomp.so"), Ordering::Relaxed);
    let has_tasks = libraries::any_imports(b"GOMP_task", b"libgomp.so");
    HAS_EXPLICIT_TASKS.store(has_tasks, Ordering::Relaxed);
    // SAFETY: the C library's own string, if there is one.
    let wanted = unsafe {
        let value = libc::getenv(c"OMP_NUM_THREADS".as_ptr());
        match value.is_null() {
            true => None,
            false => CStr::from_ptr(value).to_str().ok(),
        }
    };
    // A list has a number for each level; only the first level has more than one thread here.
    let first = wanted.and_then(|text| text.split(',').next()?.trim().parse().ok());
    THREADS_WANTED.store(first.unwrap_or(0), Ordering::Relaxed);
}

/// Whether our functions stand in for those of libgomp at this moment.
fn is_ours() -> bool {
    IS_LOADED.load(Ordering::Relaxed) && running().is_some()
}

/// What a thread is doing.
#[derive(Clone, Copy, Default)]
struct Member {
    /// Its team. A thread outside of regions has none, or one that it makes for itself.
    team: Option<usize>,
    /// Its number in the team.
    number: u32,
    /// Work-sharing constructs that it has begun in the team.
    share_count: usize,
    /// The last of them.
    share: usize,
    /// The task that it runs, of those of the team.
    record: usize,
    /// The innermost `taskgroup` that it is in.
    group: Option<usize>,
}

/// What a team has an object for.
#[derive(Clone, Copy)]
enum Part {
    /// The barrier of a program without explicit tasks.
    Barrier,
    /// A variable for all that threads change and look at when there are such tasks.
    Board,
    /// What threads wait for at barriers and for tasks.
    News,
}

/// The threads of a region, and what they share.
#[derive(Clone)]
struct Team {
    is_free: bool,
    size: u32,
    /// Regions around and with this one, and those among them with more than one thread.
    level: u32,
    active_level: u32,
    /// What the first thread was doing before.
    outer: Member,
    body: Option<Body>,
    data: usize,
    /// Whether its threads begin with a work-sharing construct.
    has_share: bool,
    /// The handles of its threads but the first.
    threads: Vec<usize>,
    /// The objects of the team, by [`Part`], each made when it is first used.
    objects: [Option<ObjectId>; 3],
    /// Threads that wait for news.
    waiting: u32,
    /// Threads that have arrived at the barrier, and how often all have.
    arrived: u32,
    generation: u64,
    /// Explicit tasks that no thread runs yet, and how many have not ended.
    queue: VecDeque<usize>,
    pending: u32,
    records: Vec<Record>,
    groups: Vec<Group>,
    shares: Vec<Share>,
    /// What `single copyprivate` hands to the others.
    copied: usize,
}

impl Team {
    fn new(size: u32, level: u32, active_level: u32) -> Team {
        Team {
            is_free: false,
            size,
            level,
            active_level,
            outer: Member::default(),
            body: None,
            data: 0,
            has_share: false,
            threads: Vec::new(),
            objects: [None; 3],
            waiting: 0,
            arrived: 0,
            generation: 0,
            queue: VecDeque::new(),
            pending: 0,
            records: Vec::new(),
            groups: Vec::new(),
            shares: Vec::new(),
            copied: 0,
        }
    }
}

/// The state of OpenMP in an execution.
#[derive(Clone, Default)]
pub struct OpenMp {
    teams: Vec<Team>,
    /// By task.
    members: Vec<Member>,
    /// The locks of critical sections, by the address of the name.
    locks: Vec<(usize, ObjectId)>,
    /// What `omp_set_num_threads` asked for; zero if it was not called.
    threads: u32,
    /// Levels with more than one thread, less one.
    nested_levels: u32,
}

impl OpenMp {
    pub fn reset(&mut self) {
        if !self.members.is_empty() {
            *self = OpenMp::default();
        }
    }

    fn member(&mut self, task: TaskId) -> &mut Member {
        if self.members.len() <= task.index() {
            self.members.resize(task.index() + 1, Member::default());
        }
        &mut self.members[task.index()]
    }

    /// Puts a team where an earlier one was, or at the end.
    fn add_team(&mut self, team: Team) -> usize {
        match self.teams.iter().position(|team| team.is_free) {
            Some(place) => {
                self.teams[place] = team;
                place
            }
            None => {
                self.teams.push(team);
                self.teams.len() - 1
            }
        }
    }

    /// How many threads a region gets unless it says so.
    fn threads_wanted(&self, processors: u32) -> u32 {
        match (self.threads, THREADS_WANTED.load(Ordering::Relaxed)) {
            (0, 0) => processors,
            (0, wanted) => wanted,
            (wanted, _) => wanted,
        }
    }
}

impl Runtime {
    /// What the running task does in OpenMP.
    fn member(&mut self) -> &mut Member {
        self.openmp.member(self.current)
    }

    /// The team of the running task. Outside of regions it is one of its own.
    fn team(&mut self) -> usize {
        if let Some(team) = self.member().team {
            return team;
        }
        let mut team = Team::new(1, 0, 0);
        team.records.push(Record::default());
        let team = self.openmp.add_team(team);
        self.member().team = Some(team);
        team
    }

    /// An object of a team.
    fn object_of_team(&mut self, team: usize, part: Part) -> ObjectId {
        let known = &self.openmp.teams[team];
        if let Some(object) = known.objects[part as usize] {
            return object;
        }
        let (shape, name) = match part {
            Part::Barrier => (
                Shape::Barrier { size: known.size },
                "the barrier of the team",
            ),
            Part::Board => (Shape::Variable, "the tasks of the team"),
            Part::News => (Shape::Condvar, "the barrier of the team"),
        };
        let object = self.add_object(shape, 0);
        self.execution.name_object(object, name);
        self.openmp.teams[team].objects[part as usize] = Some(object);
        object
    }
}

/// Lets others run before the running task changes something that threads share.
fn change(object: ObjectId, pc: usize) {
    if !runtime().is_alone() {
        operate(Op::new(OpKind::ReadModifyWrite, object), pc);
    }
}

/// Lets others run before the running task looks at the tasks of its team, and changes them.
fn change_board(team: usize, pc: usize) {
    let board = runtime().object_of_team(team, Part::Board);
    change(board, pc);
}

/// Tells all who wait that the tasks of the team have changed.
fn tell_news(team: usize, pc: usize) {
    let this = runtime();
    if this.openmp.teams[team].waiting > 0 {
        let news = this.object_of_team(team, Part::News);
        operate(Op::new(OpKind::NotifyAll, news), pc);
    }
}

/// Waits until something has changed, within the operation that looked at it.
fn wait_for_news(team: usize, pc: usize) {
    let this = runtime();
    let news = this.object_of_team(team, Part::News);
    this.openmp.teams[team].waiting += 1;
    enlist(news);
    operate(Op::new(OpKind::Wait, news), pc);
    runtime().openmp.teams[team].waiting -= 1;
    change_board(team, pc);
}

/// Runs a region: the first thread is the one that calls.
fn parallel(body: Body, data: *mut c_void, wanted: u32, share: Option<Share>, pc: usize) {
    prelude::reach();
    let this = runtime();
    let outer = *this.member();
    let (level, active_level) = match outer.team {
        None => (0, 0),
        Some(team) => {
            let team = &this.openmp.teams[team];
            (team.level, team.active_level)
        }
    };
    let size = match wanted {
        _ if active_level > this.openmp.nested_levels => 1,
        0 => this.openmp.threads_wanted(this.launch.processors),
        wanted => wanted,
    };
    let size = size.clamp(1, THREADS_MAX);
    let mut made = Team::new(size, level + 1, active_level + u32::from(size > 1));
    made.outer = outer;
    made.body = Some(body);
    made.data = data as usize;
    made.has_share = share.is_some();
    made.shares.extend(share);
    made.records.resize(size as usize, Record::default());
    let team = this.openmp.add_team(made);
    for record in 0..size as usize {
        let object = this.add_object(Shape::Variable, 0);
        this.openmp.teams[team].records[record].object = object;
    }
    for number in 1..size {
        operate_alone(OpKind::Spawn, pc);
        let place = (team as u64) << 32 | u64::from(number);
        let mut handle = 0;
        tasks::spawn(begin_thread, place as *mut c_void, false, &mut handle);
        runtime().openmp.teams[team].threads.push(handle);
    }
    take_part(team, 0, pc);
    while let Some(handle) = runtime().openmp.teams[team].threads.pop() {
        join(handle, null_mut(), Limit::Never, pc);
    }
    let this = runtime();
    this.openmp.teams[team].is_free = true;
    *this.member() = outer;
}

// SAFETY: called with what `parallel` gave to the task.
unsafe extern "C" fn begin_thread(place: *mut c_void) -> *mut c_void {
    let place = place as u64;
    take_part((place >> 32) as usize, place as u32, 0);
    null_mut()
}

/// Runs the body of a region in one of its threads, and what explicit tasks are left at its end.
fn take_part(team: usize, number: u32, pc: usize) {
    let this = runtime();
    *this.member() = Member {
        team: Some(team),
        number,
        record: number as usize,
        share_count: usize::from(this.openmp.teams[team].has_share),
        ..Member::default()
    };
    let (body, data) = (this.openmp.teams[team].body, this.openmp.teams[team].data);
    // SAFETY: the program asked for it.
    unsafe { body.expect("internal error: a region without a body")(data as *mut c_void) };
    away::come_back();
    if HAS_EXPLICIT_TASKS.load(Ordering::Relaxed) {
        barrier(pc);
    }
}

/// Waits for all threads of the team, and for its explicit tasks, which those that wait run.
fn barrier(pc: usize) {
    let team = runtime().team();
    if HAS_EXPLICIT_TASKS.load(Ordering::Relaxed) {
        explicit::gather(team, pc);
    } else if runtime().openmp.teams[team].size > 1 {
        pass_barrier(team, pc);
    }
}

fn pass_barrier(team: usize, pc: usize) {
    let this = runtime();
    let object = this.object_of_team(team, Part::Barrier);
    let task = this.current;
    let arrival = Op::arrival(OpKind::BarrierWait, object);
    let arrival = operate_then(arrival, pc, |_| runtime().clocks.release(task, object));
    if arrival != Grant::Leader {
        operate(Op::new(OpKind::BarrierWait, object), pc);
    }
    runtime().clocks.acquire(task, object);
}

/// Defines functions that stand in for those of libgomp in an execution of a program that has it.
macro_rules! openmp {
    ($(fn $name:ident($($argument:ident: $kind:ty),*; $pc:ident) $(-> $result:ty)? $body:block)*) => {
        $crate::interpose::interpose! {
            $(fn $name($($argument: $kind),*; $pc) $(-> $result)? {
                if !$crate::openmp::is_ours() {
                    return $crate::real::$name()($($argument),*);
                }
                $body
            })*
        }
    };
}

/// The same for functions with so many arguments that the place of the call finds no register: it is noted ahead.
macro_rules! openmp_wide {
    ($(fn $name:ident($($argument:ident: $kind:ty),*) $(-> $result:ty)? $body:block)*) => {
        $(const _: () = {
            // SAFETY: the program vouches for what it passes.
            unsafe extern "C" fn body($($argument: $kind),*) $(-> $result)? {
                #[allow(unused_unsafe)]
                // SAFETY: as the caller of the function vouches for.
                unsafe {
                    if !$crate::openmp::is_ours() {
                        return $crate::real::$name()($($argument),*);
                    }
                    $body
                }
            }

            // SAFETY: leaves all arguments as they are, and does what the function of that name does.
            #[unsafe(naked)]
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $name($($argument: $kind),*) $(-> $result)? {
                core::arch::naked_asm!(
                    "push rdi",
                    "push rsi",
                    "push rdx",
                    "push rcx",
                    "push r8",
                    "push r9",
                    "push rax",
                    "mov rdi, [rsp + 56]",
                    "call {note}",
                    "pop rax",
                    "pop r9",
                    "pop r8",
                    "pop rcx",
                    "pop rdx",
                    "pop rsi",
                    "pop rdi",
                    "jmp {body}",
                    note = sym $crate::openmp::note_place,
                    body = sym body,
                )
            }
        };)*
    };
}

pub(crate) use {openmp, openmp_wide};

/// Notes where the running task calls from, for operations that do not say.
extern "C" fn note_place(pc: usize) {
    if let Some(this) = running() {
        let task = this.current.index();
        this.tasks[task].pc = pc;
    }
}

openmp! {
    fn GOMP_parallel(body: Body, data: *mut c_void, threads: u32, flags: u32; pc) {
        parallel(body, data, threads, None, pc);
    }

    fn GOMP_barrier(; pc) {
        barrier(pc);
    }
}
