//! Signals that the program sends to itself: what it wants done with them, who blocks them, which
//! have not arrived yet. The kernel knows nothing of all this.

use super::FATAL;
use crate::away;
use crate::process::signal_name;
use crate::runtime::{fail, operate, refuse, runtime};
use crate::tasks;
use alloc::vec::Vec;
use core::ffi::{c_int, c_void};
use core::mem::{transmute, zeroed};
use unpick_engine::{Effect, Proviso, Shape};
use unpick_protocol::TroubleKind;
use unpick_trace::{FailureKind, ObjectId, Op, OpKind, TaskId};

/// Signals there are, and one more.
const COUNT: usize = 65;

/// Signals that are ignored unless somebody cares.
const IGNORED: [c_int; 4] = [libc::SIGCHLD, libc::SIGCONT, libc::SIGURG, libc::SIGWINCH];
const STOPPING: [c_int; 4] = [libc::SIGSTOP, libc::SIGTSTP, libc::SIGTTIN, libc::SIGTTOU];

/// What the program wants done when a signal arrives.
#[derive(Clone, Copy)]
pub struct Action {
    pub handler: usize,
    pub flags: c_int,
    pub mask: u64,
}

const DEFAULT: Action = Action {
    handler: libc::SIG_DFL,
    flags: 0,
    mask: 0,
};

#[derive(Clone, Copy, Default)]
struct Receiver {
    mask: u64,
    pending: u64,
    /// How the last handler ran, if one did since the task last asked: whether calls that were
    /// interrupted go on.
    handled: Option<bool>,
}

/// The signals of one execution.
#[derive(Clone)]
pub struct Pending {
    /// What an execution begins with.
    first_actions: [Action; COUNT],
    first_mask: u64,
    actions: [Action; COUNT],
    receivers: Vec<Receiver>,
    /// For whoever wants them first.
    shared: u64,
    /// Whether some task has a signal coming.
    is_any: bool,
    object: Option<ObjectId>,
}

pub fn bit(signal: c_int) -> u64 {
    match signal {
        1..=64 => 1 << (signal - 1),
        _ => 0,
    }
}

impl Default for Pending {
    fn default() -> Pending {
        Pending::new()
    }
}

impl Pending {
    pub fn new() -> Pending {
        Pending {
            first_actions: [DEFAULT; COUNT],
            first_mask: 0,
            actions: [DEFAULT; COUNT],
            receivers: Vec::new(),
            shared: 0,
            is_any: false,
            object: None,
        }
    }

    /// Every execution begins with such an action.
    pub fn begin_with_action(&mut self, signal: c_int, action: Action) {
        self.first_actions[signal as usize] = action;
    }

    /// The first task of every execution begins with such a mask.
    pub fn begin_with_mask(&mut self, mask: u64) {
        self.first_mask = mask;
    }

    pub fn reset(&mut self) {
        self.actions = self.first_actions;
        self.receivers.clear();
        self.shared = 0;
        self.is_any = false;
        self.object = None;
    }

    /// Takes over what is pending in another execution; keeps the memory.
    pub fn copy_from(&mut self, other: &Pending) {
        self.actions = other.actions;
        self.receivers.clone_from(&other.receivers);
        self.shared = other.shared;
        self.is_any = other.is_any;
        self.object = other.object;
    }

    /// A task begins; it blocks what its creator blocks. One without a program blocks everything.
    pub fn begin(&mut self, parent: Option<TaskId>, task: TaskId) {
        let mask = parent.map_or(self.first_mask, |parent| {
            self.receivers[parent.index()].mask
        });
        self.receivers.resize(
            task.index(),
            Receiver {
                mask: u64::MAX,
                ..Receiver::default()
            },
        );
        self.receivers.push(Receiver {
            mask,
            ..Receiver::default()
        });
    }

    pub fn action(&mut self, signal: c_int) -> &mut Action {
        &mut self.actions[signal as usize]
    }

    pub fn mask(&mut self, task: usize) -> &mut u64 {
        &mut self.receivers[task].mask
    }

    /// All that has not arrived at a task yet.
    pub fn coming(&self, task: usize) -> u64 {
        self.receivers[task].pending | self.shared
    }

    /// Whether something for which a task waits has come: one of these signals, or one with a handler.
    pub fn has(&self, task: usize, signals: u64) -> bool {
        let coming = self.coming(task);
        coming & (signals | !self.receivers[task].mask) != 0
    }

    /// Takes one of some signals.
    pub fn take(&mut self, task: usize, signals: u64) -> Option<c_int> {
        let receiver = &mut self.receivers[task];
        let found = (receiver.pending | self.shared) & signals;
        if found == 0 {
            return None;
        }
        let signal = found.trailing_zeros() as c_int + 1;
        match receiver.pending & bit(signal) {
            0 => self.shared &= !bit(signal),
            _ => receiver.pending &= !bit(signal),
        }
        Some(signal)
    }

    /// How a handler has run since the task last asked, if one did.
    pub fn take_handled(&mut self, task: usize) -> Option<bool> {
        self.receivers.get_mut(task)?.handled.take()
    }
}

/// Lets others run before a call that has to do with signals.
pub fn point(pc: usize) {
    let this = runtime();
    if !this.is_alone() {
        let object = match this.pending.object {
            Some(object) => object,
            None => {
                let object = this.add_object(Shape::Variable, 0);
                this.execution.name_object(object, "signals");
                this.pending.object = Some(object);
                object
            }
        };
        operate(Op::new(OpKind::ReadModifyWrite, object), pc);
        let this = runtime();
        this.execution.observe(this.current, 0, true);
        // Who sends and who gets, all through one object.
        this.clocks.acquire(this.current, object);
        this.clocks.release(this.current, object);
    }
}

/// Delivers what the running task does not block, if anything has come.
#[inline]
pub fn deliver() {
    if runtime().pending.is_any {
        deliver_all();
    }
}

#[cold]
fn deliver_all() {
    loop {
        let this = runtime();
        let task = this.current.index();
        let wanted = !this.pending.receivers[task].mask;
        let Some(signal) = this.pending.take(task, wanted) else {
            let pending = &mut this.pending;
            pending.is_any = pending.shared != 0
                || pending
                    .receivers
                    .iter()
                    .any(|receiver| receiver.pending != 0);
            return;
        };
        if let Some(object) = this.pending.object {
            // Whether the signal was sent before or after this transition makes a difference.
            this.execution.note(Effect::Arrives(object));
            this.clocks.acquire(this.current, object);
        }
        act(signal, this.tasks[task].pc);
    }
}

/// Does with a signal that arrives at the running task what the program wants.
fn act(signal: c_int, pc: usize) {
    let action = runtime().pending.actions[signal as usize];
    if FATAL.contains(&signal) || action.handler == libc::SIG_DFL {
        return act_by_default(signal, pc);
    }
    if action.handler != libc::SIG_IGN {
        run_handler(signal, action);
    }
}

fn act_by_default(signal: c_int, pc: usize) {
    if STOPPING.contains(&signal) {
        refuse(TroubleKind::Unmodelled, signal_name(signal), pc);
    }
    if !IGNORED.contains(&signal) {
        let kind = match signal {
            libc::SIGABRT => FailureKind::Abort,
            _ => FailureKind::Signal,
        };
        // SAFETY: all streams; what the program printed should be seen.
        unsafe { libc::fflush(core::ptr::null_mut()) };
        away::come_back();
        fail(kind, signal_name(signal), pc);
    }
}

fn run_handler(signal: c_int, action: Action) {
    let this = runtime();
    let task = this.current.index();
    let before = this.pending.receivers[task].mask;
    let own = match action.flags & libc::SA_NODEFER {
        0 => bit(signal),
        _ => 0,
    };
    this.pending.receivers[task].mask = before | action.mask | own;
    if action.flags & libc::SA_RESETHAND != 0 {
        this.pending.actions[signal as usize] = DEFAULT;
    }
    // SAFETY: the program has installed this function for this; zeroes are valid in both structures.
    unsafe {
        if action.flags & libc::SA_SIGINFO == 0 {
            transmute::<usize, extern "C" fn(c_int)>(action.handler)(signal);
        } else {
            let mut info: libc::siginfo_t = zeroed();
            info.si_signo = signal;
            let mut context: libc::ucontext_t = zeroed();
            let handler: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) =
                transmute(action.handler);
            handler(signal, &mut info, (&raw mut context).cast());
        }
    }
    away::come_back();
    let this = runtime();
    this.pending.receivers[task].mask = before;
    this.pending.receivers[task].handled = Some(action.flags & libc::SA_RESTART != 0);
}

/// Sends a signal to the running task: it arrives at once unless it is blocked.
pub fn raise(signal: c_int, pc: usize) {
    let this = runtime();
    let receiver = &mut this.pending.receivers[this.current.index()];
    if receiver.mask & bit(signal) != 0 && !FATAL.contains(&signal) {
        receiver.pending |= bit(signal);
        this.pending.is_any = true;
    } else {
        act(signal, pc);
    }
}

/// Sends a signal to a task: it arrives when that runs next.
pub fn send(task: TaskId, signal: c_int, pc: usize) {
    let this = runtime();
    if task == this.current {
        return raise(signal, pc);
    }
    this.execution.assume(Proviso::Signals);
    this.pending.receivers[task.index()].pending |= bit(signal);
    this.pending.is_any = true;
    end_at_once(signal, task.index(), pc);
}

/// Sends a signal to the program: to whoever waits for it, else to a task that does not block it.
pub fn send_to_all(signal: c_int, pc: usize) {
    let this = runtime();
    if !this.is_alone() {
        this.execution.assume(Proviso::Signals);
    }
    let current = this.current;
    let is_open = |this: &crate::runtime::Runtime, task: usize| {
        !this.execution.is_finished(TaskId(task as u32))
            && this.pending.receivers[task].mask & bit(signal) == 0
    };
    if is_open(this, current.index()) {
        return raise(signal, pc);
    }
    match (0..this.task_count).find(|&task| is_open(this, task)) {
        Some(task) => send(TaskId(task as u32), signal, pc),
        None => {
            this.pending.shared |= bit(signal);
            this.pending.is_any = true;
        }
    }
}

/// A signal that ends the program does so at once, whoever it was sent to.
fn end_at_once(signal: c_int, task: usize, pc: usize) {
    let pending = &runtime().pending;
    let is_default = pending.actions[signal as usize].handler == libc::SIG_DFL;
    if is_default && pending.receivers[task].mask & bit(signal) == 0 {
        act_by_default(signal, pc);
    }
}

/// The task behind a handle.
pub fn receiver(thread: usize) -> Option<TaskId> {
    tasks::find(runtime(), thread)
}
