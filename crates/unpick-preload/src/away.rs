//! Tasks that block in code that is not ours: they are left, and the others go on.
//!
//! Only where tasks are threads. When no step has been made for a while, the driver sends a signal to
//! a thread that waits at its gate, and that one looks at the thread of the running task. If it sleeps
//! in a system call that is not the runtime's own, the task is *away*: it is announced as waiting for a semaphore of its own, and the strategy chooses who goes on. As soon as its thread
//! calls anything of the runtime again it stops there, the semaphore gets a permit, and the task goes
//! on when it is chosen.
//!
//! Whether a thread that is away has been woken is asked of the kernel before every decision, and
//! whoever was woken is waited for. What comes of a schedule so does not depend on how fast threads
//! are, as long as tasks are woken by each other and not by the world outside.

use crate::buffers;
use crate::context::thread_pointer;
use crate::process::note_motion;
use crate::runtime::{RUNNING, Runtime, decide, running};
use crate::sys;
use crate::tasks::{self, Slot};
use alloc::vec::Vec;
use core::fmt::Write as _;
use core::sync::atomic::Ordering;
use unpick_engine::Shape;
use unpick_protocol::Backend;
use unpick_trace::{ObjectId, Op, OpKind, TaskId};

/// The thread does what it is told.
pub const HERE: u32 = 0;
/// Somebody looks whether it is away; it must wait until that is known.
const SUSPECTED: u32 = 1;
/// Its task is away.
const AWAY: u32 = 2;
/// It has come to a call of the runtime and waits to be chosen.
const BACK: u32 = 3;

/// While somebody is away: threads must look whether it is their turn.
pub const WATCHED: u32 = 2;
/// The execution is over, and those who are away must stay there.
pub const HELD: u32 = 3;

/// How long the world outside may take before nobody is believed to come, in milliseconds.
const OUTSIDE_MS: u32 = 1_000;

/// The tasks that are away.
#[derive(Default)]
pub struct Away {
    absent: Vec<Absent>,
}

struct Absent {
    task: TaskId,
    slot: usize,
    object: ObjectId,
    /// Whether its semaphore has a permit.
    is_provided: bool,
}

impl Away {
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.absent.is_empty()
    }

    pub fn reset(&mut self) {
        self.absent.clear();
    }

    fn contains(&self, task: TaskId) -> bool {
        self.absent.iter().any(|absent| absent.task == task)
    }
}

/// Where threads come in while somebody is away or the execution is over. Gives the runtime to the
/// one whose turn it is, at once or when it is.
#[cold]
pub fn enter(this: &'static mut Runtime) -> Option<&'static mut Runtime> {
    let me = thread_pointer();
    let is_mine = |slot: &&Slot| slot.mark.load(Ordering::Acquire) != HERE && slot.handle == me;
    let Some(slot) = this.slots.iter().find(is_mine) else {
        return (this.phase.load(Ordering::Acquire) == WATCHED).then_some(this);
    };
    loop {
        match slot.mark.load(Ordering::Acquire) {
            HERE => return Some(this),
            AWAY if this.phase.load(Ordering::Acquire) != HELD => {
                slot.mark.store(BACK, Ordering::Release);
                slot.wait_at_gate();
                break;
            }
            mark => sys::futex_wait(&slot.mark, mark),
        }
    }
    slot.mark.store(HERE, Ordering::Release);
    let task = this.current;
    this.away.absent.retain(|absent| absent.task != task);
    if this.away.is_empty() {
        this.phase.store(RUNNING, Ordering::Release);
    }
    // It was woken by something that was not seen, and may know of all that has happened.
    this.clocks.acquire_all(task);
    Some(this)
}

/// Looks whether the running task is away, and if so lets others go on. Called on a thread that waits
/// at its gate, by the signal of the driver.
pub fn consider(this: &'static mut Runtime) {
    if this.launch.backend != Backend::Threads {
        return;
    }
    let number = this.tasks[this.current.index()].slot;
    let slot = &this.slots[number];
    if slot.handle == thread_pointer() {
        return;
    }
    // From here on the thread waits if it comes in, until it is known what it is.
    slot.mark.store(SUSPECTED, Ordering::SeqCst);
    let blocked_at = match change_phase(this, RUNNING, WATCHED) {
        RUNNING | WATCHED => sleep_outside(this, slot),
        _ => None,
    };
    let mark = match blocked_at {
        Some(_) => AWAY,
        None => HERE,
    };
    if mark == HERE && this.away.is_empty() {
        change_phase(this, WATCHED, RUNNING);
    }
    slot.mark.store(mark, Ordering::SeqCst);
    sys::futex_wake(&slot.mark);
    if let Some(pc) = blocked_at {
        leave_behind(this, number, pc);
    }
}

/// Changes the phase if it is the expected one: the task that runs may end the execution meanwhile.
/// Gives the phase before.
fn change_phase(this: &Runtime, from: u32, to: u32) -> u32 {
    let change = this
        .phase
        .compare_exchange(from, to, Ordering::SeqCst, Ordering::SeqCst);
    change.unwrap_or_else(|found| found)
}

/// Lets the strategy choose somebody else while the running task is away.
fn leave_behind(this: &'static mut Runtime, slot: usize, pc: usize) {
    let task = this.current;
    // It may go on before it is chosen, and must see what it stored.
    buffers::let_out(this, Some(task));
    let object = this.add_object(Shape::Semaphore { permits: 0 }, 0);
    this.execution
        .name_object(object, "a call that is not controlled");
    this.away.absent.push(Absent {
        task,
        slot,
        object,
        is_provided: false,
    });
    let departures = &this.desk().departures;
    departures.fetch_add(1, Ordering::Relaxed);
    let mut op = Op::new(OpKind::Acquire, object);
    op.argument = 1;
    let site = this.site(pc);
    this.execution.announce_at(task, op, site);
    let next = match this.creator.take() {
        Some(creator) => {
            this.current = creator;
            creator
        }
        None => match decide() {
            Some(next) => next,
            None => tasks::leave(),
        },
    };
    tasks::let_go_on(next);
}

/// Before a decision: those who have come back can go on.
#[cold]
pub fn provide(this: &mut Runtime) {
    settle(this);
    for _ in 0..OUTSIDE_MS {
        if !this.execution.is_stuck() {
            return;
        }
        pause(1_000_000);
        note_motion(this);
        settle(this);
    }
}

/// Waits for every thread that was woken, and gives a permit to those that are back.
fn settle(this: &mut Runtime) {
    for index in 0..this.away.absent.len() {
        let absent = &this.away.absent[index];
        if absent.is_provided {
            continue;
        }
        let slot = &this.slots[absent.slot];
        let is_back = || slot.mark.load(Ordering::Acquire) == BACK;
        while !is_back() && Sleep::of(slot).is_none_or(|sleep| !sleep.is_asleep) {
            pause(20_000);
        }
        // It may have come back and gone to sleep at its gate in between.
        if is_back() {
            let object = absent.object;
            this.away.absent[index].is_provided = true;
            this.execution.provide(object, 1);
        }
    }
}

fn pause(nanoseconds: i64) {
    let time = libc::timespec {
        tv_sec: 0,
        tv_nsec: nanoseconds,
    };
    // SAFETY: the kernel reads the time.
    unsafe { sys::call(libc::SYS_nanosleep, [&raw const time as i64, 0, 0, 0, 0, 0]) };
}

/// A thread that can be asked to look after the others: one that waits at its gate.
pub fn helper(this: &Runtime, except: TaskId) -> u32 {
    let fits = |&index: &usize| {
        let task = TaskId(index as u32);
        let slot = &this.slots[this.tasks[index].slot];
        let has_thread = slot.thread.load(Ordering::Relaxed) != 0;
        task != except && slot.task == Some(task) && has_thread && !this.away.contains(task)
    };
    let found = (0..this.task_count).find(fits);
    found.map_or(0, |index| {
        let slot = &this.slots[this.tasks[index].slot];
        slot.thread.load(Ordering::Relaxed)
    })
}

/// Where a thread sleeps, if it does so in a system call that is not the runtime's own. The runtime
/// makes its calls itself, so that nothing of it is under way then but what waits for code of the
/// program to return, and that calls [`come_back`].
fn sleep_outside(this: &Runtime, slot: &Slot) -> Option<usize> {
    let sleep = Sleep::of(slot)?;
    let is_it = sleep.is_asleep && !this.own_code.contains(&sleep.pc);
    is_it.then_some(sleep.pc)
}

/// To be called where code of the program, or of a library that may block, has returned to the
/// runtime: its task may be away, and must wait until it is chosen.
#[inline]
pub fn come_back() {
    let _ = running();
}

/// What the kernel says of a thread.
struct Sleep {
    /// It does so in a system call.
    is_asleep: bool,
    pc: usize,
}

impl Sleep {
    /// `None` if the kernel does not know.
    fn of(slot: &Slot) -> Option<Sleep> {
        let thread = slot.thread.load(Ordering::Relaxed);
        let mut buffer = [0; 512];
        let state = read(thread, "stat", &mut buffer)?;
        let (_, state) = state.rsplit_once(") ")?;
        let is_asleep = state.starts_with('S');
        let text = read(thread, "syscall", &mut buffer)?;
        let mut words = text.split_whitespace();
        // A word instead of the number of the call says that it runs.
        let number: i64 = words.next()?.parse().unwrap_or(-1);
        let pc = words.last().and_then(|word| word.strip_prefix("0x"));
        let pc = pc.and_then(|digits| usize::from_str_radix(digits, 16).ok());
        Some(Sleep {
            is_asleep: is_asleep && number >= 0,
            pc: pc.unwrap_or(0),
        })
    }
}

/// A file that the kernel keeps about a thread of this process.
fn read<'a>(thread: u32, name: &str, buffer: &'a mut [u8; 512]) -> Option<&'a str> {
    let mut path = sys::Text::new();
    write!(path, "/proc/self/task/{thread}/{name}\0").ok()?;
    let path = path.as_bytes().as_ptr() as i64;
    // SAFETY: a path that ends in zero, and a buffer of that size.
    let count = unsafe {
        let flags = i64::from(libc::O_RDONLY | libc::O_CLOEXEC);
        let file = sys::call(libc::SYS_open, [path, flags, 0, 0, 0, 0]);
        if file < 0 {
            return None;
        }
        let place = buffer.as_mut_ptr() as i64;
        let count = sys::call(libc::SYS_read, [file, place, buffer.len() as i64, 0, 0, 0]);
        sys::call(libc::SYS_close, [file, 0, 0, 0, 0, 0]);
        count
    };
    core::str::from_utf8(buffer.get(..usize::try_from(count).ok()?)?).ok()
}
