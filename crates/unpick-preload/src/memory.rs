//! Plain memory accesses of instrumented code: watched for races and uses of freed memory, and
//! scheduling points where memory is shared.

use crate::allocation;
use crate::bounds;
use crate::free;
use crate::interpose::interpose;
use crate::named;
use crate::plain::point;
use crate::real;
use crate::runtime::{running, running_here, runtime};
use crate::spinning;
use crate::strings::copies;
use crate::tasks;
use alloc::format;
use core::ffi::{c_int, c_void};
use core::sync::atomic::Ordering;
use unpick_engine::Proviso;
use unpick_memory::{Access, AccessKind, Clocks, Finding};
use unpick_protocol::Points;
use unpick_trace::{FailureKind, ObjectId, TaskId};

/// What an atomic operation orders.
#[derive(Clone, Copy)]
pub struct Order {
    pub reads: bool,
    pub writes: bool,
    is_update: bool,
    acquires: bool,
    pub releases: bool,
    /// Whether it counts as an access to memory.
    pub is_watched: bool,
    /// Whether it asks for less than sequential consistency.
    pub is_weak: bool,
}

/// Beside the order of an operation: it is no access that could be a race.
pub const UNWATCHED: c_int = 1 << 30;

const CONSUME: c_int = 1;
const ACQUIRE: c_int = 2;
const RELEASE: c_int = 3;
const ACQUIRE_RELEASE: c_int = 4;
const SEQUENTIALLY_CONSISTENT: c_int = 5;

impl Order {
    fn new(order: c_int) -> Order {
        let is_watched = order & UNWATCHED == 0;
        // Compilers put flags for hardware lock elision above the order.
        let order = order & 0x7;
        Order {
            reads: true,
            writes: true,
            is_update: true,
            is_watched,
            is_weak: order != SEQUENTIALLY_CONSISTENT,
            acquires: matches!(order, CONSUME | ACQUIRE) || order >= ACQUIRE_RELEASE,
            releases: order >= RELEASE,
        }
    }

    pub fn load(order: c_int) -> Order {
        Order {
            writes: false,
            ..Order::new(order)
        }
    }

    pub fn store(order: c_int) -> Order {
        Order {
            reads: false,
            is_update: false,
            ..Order::new(order)
        }
    }

    pub fn modify(order: c_int) -> Order {
        Order::new(order)
    }

    /// Whether a compare-and-exchange of this order looks like one that takes a lock: it learns from others, and
    /// tells them nothing.
    #[inline]
    pub fn locks(self) -> bool {
        self.acquires && !self.releases
    }

    /// Tells the clocks what an operation on a variable learns: before it counts as an access.
    #[inline]
    pub fn tell_read(self, clocks: &mut Clocks, task: TaskId, object: ObjectId) {
        if self.reads {
            match self.acquires {
                true => clocks.acquire(task, object),
                false => clocks.observe(task, object),
            }
        }
    }

    /// Tells the clocks what it publishes: after it has counted as an access, which is published too.
    #[inline]
    pub fn tell_write(self, clocks: &mut Clocks, task: TaskId, object: ObjectId) {
        if self.writes {
            match (self.releases, self.is_update) {
                (true, true) => clocks.release(task, object),
                (true, false) => clocks.replace(task, object),
                (false, true) => clocks.update(task, object),
                (false, false) => clocks.overwrite(task, object),
            }
        }
    }

    /// Tells the clocks of a fence.
    pub fn tell_fence(self, clocks: &mut Clocks, task: TaskId) {
        if self.acquires {
            clocks.fence_acquire(task);
        }
        if self.releases {
            clocks.fence_release(task);
        }
    }
}

/// The order that compilers know by a number.
pub fn ordering(order: c_int) -> Ordering {
    match order & 0x7 {
        0 => Ordering::Relaxed,
        CONSUME | ACQUIRE => Ordering::Acquire,
        RELEASE => Ordering::Release,
        ACQUIRE_RELEASE => Ordering::AcqRel,
        _ => Ordering::SeqCst,
    }
}

/// Looks whether an access is wrong; if so, the execution ends here.
#[inline(always)]
pub fn check(address: usize, size: usize, kind: AccessKind, pc: usize) {
    let this = runtime();
    if !this.watches_memory() {
        if this.races && allocation::is_in(address) {
            bounds::check(address, size, kind, pc);
        }
        return;
    }
    let (shadow, clocks) = (&mut this.shadow, &this.clocks);
    if !shadow.access_own(clocks, this.current, address, size, kind, pc) {
        check_known(address, size, kind, pc);
    }
}

/// The same for memory that is not the task's own, as far as is seen at a glance.
#[inline(never)]
fn check_known(address: usize, size: usize, kind: AccessKind, pc: usize) {
    let this = runtime();
    let (shadow, clocks) = (&mut this.shadow, &this.clocks);
    if !shadow.access_known(clocks, this.current, address, size, kind, pc) {
        check_thoroughly(address, size, kind, pc);
    }
}

/// The same for any memory.
#[inline(never)]
fn check_thoroughly(address: usize, size: usize, kind: AccessKind, pc: usize) {
    let this = runtime();
    let task = this.current;
    let is_heap = this.races && allocation::is_in(address);
    if is_heap {
        bounds::check(address, size, kind, pc);
    }
    let found = this
        .shadow
        .access_any(&this.clocks, task, address, size, kind, pc);
    if is_heap {
        bounds::forbid_tail(address, size);
    }
    match found.filter(|_| this.races) {
        Some(Finding::Race { .. }) if this.has_learned_unseen(0..0) => {}
        Some(finding) => report(finding, noun_of(kind), pc),
        None => {}
    }
}

/// Ends the execution with a finding, made by something of the running task that is called so.
#[cold]
pub fn report(finding: Finding, deed: &str, pc: usize) -> ! {
    let this = runtime();
    let here = this.mention_here(pc);
    let name = |access: &Access| this.execution.trace().task_name(access.task);
    let place = |access: &Access| this.sites.mention(access.pc);
    let (kind, message) = match &finding {
        Finding::Race { earlier, later } => {
            // A copy of many bytes races in those that the other one uses.
            let what = this.sites.mention_data(later.address.max(earlier.address));
            let message = format!(
                "data race: {} {} {what} at {}, and nothing orders that before the {deed} by {} at {here}",
                name(earlier),
                past(earlier),
                place(earlier),
                name(later),
            );
            (FailureKind::DataRace, message)
        }
        Finding::UseAfterFree { freed, used } => {
            let message = format!(
                "use after free: {} freed memory at {}, before the {deed} by {}",
                name(freed),
                place(freed),
                name(used),
            );
            (FailureKind::UseAfterFree, message)
        }
    };
    this.fail(kind, message, pc);
    tasks::leave()
}

/// What an access is called.
pub fn noun_of(kind: AccessKind) -> &'static str {
    match kind {
        AccessKind::Read => "read",
        AccessKind::AtomicRead => "atomic read",
        AccessKind::Write => "write",
        AccessKind::AtomicWrite => "atomic write",
    }
}

fn past(access: &Access) -> &'static str {
    match access.kind {
        AccessKind::Read => "read",
        AccessKind::AtomicRead => "read atomically",
        AccessKind::Write => "wrote",
        AccessKind::AtomicWrite => "wrote atomically",
    }
}

/// A plain access. The usual way calls nothing before it ends, so that it has no registers to save.
#[inline(always)]
pub fn access(address: usize, size: usize, kind: AccessKind, pc: usize) {
    let Some(this) = running_here().filter(|this| this.is_calm) else {
        return access_with_care(address, size, kind, pc);
    };
    if kind == AccessKind::Read {
        this.patience = this.patience.wrapping_sub(1);
        if this.patience == 0 {
            spinning::begin();
        }
    }
    if this.watches_memory() {
        let (shadow, clocks) = (&mut this.shadow, &this.clocks);
        if !shadow.access_own(clocks, this.current, address, size, kind, pc) {
            check_known(address, size, kind, pc);
        }
    } else if this.races {
        if allocation::is_in(address) {
            bounds::check(address, size, kind, pc);
        }
    } else if this.task_count > 1 {
        this.execution.assume(Proviso::PlainAccesses);
    }
}

fn count_read() {
    let this = runtime();
    this.patience = this.patience.wrapping_sub(1);
    if this.patience == 0 {
        spinning::begin();
    }
}

/// The same, wherever it is.
#[inline(never)]
fn access_with_care(address: usize, size: usize, kind: AccessKind, pc: usize) {
    let Some(this) = running() else {
        return free::access(address, kind == AccessKind::Write, pc);
    };
    if this.points != Points::Sync {
        point(address, size, kind, pc);
        if kind == AccessKind::Read {
            count_read();
        }
    }
    spinning::look(address, size, kind, pc);
    check(address, size, kind, pc);
}

macro_rules! accesses {
    ($($size:literal: $($read:ident)* / $($write:ident)*;)*) => {
        interpose! {
            $(
                $(fn $read(address: usize; pc) { access(address, $size, AccessKind::Read, pc) })*
                $(fn $write(address: usize; pc) { access(address, $size, AccessKind::Write, pc) })*
            )*
        }
    };
}

accesses! {
    1: __tsan_read1 __tsan_unaligned_read1 __tsan_volatile_read1 __tsan_unaligned_volatile_read1
        / __tsan_write1 __tsan_unaligned_write1 __tsan_volatile_write1
          __tsan_unaligned_volatile_write1 __tsan_read_write1 __tsan_unaligned_read_write1;
    2: __tsan_read2 __tsan_unaligned_read2 __tsan_volatile_read2 __tsan_unaligned_volatile_read2
        / __tsan_write2 __tsan_unaligned_write2 __tsan_volatile_write2
          __tsan_unaligned_volatile_write2 __tsan_read_write2 __tsan_unaligned_read_write2;
    4: __tsan_read4 __tsan_unaligned_read4 __tsan_volatile_read4 __tsan_unaligned_volatile_read4
        / __tsan_write4 __tsan_unaligned_write4 __tsan_volatile_write4
          __tsan_unaligned_volatile_write4 __tsan_read_write4 __tsan_unaligned_read_write4;
    8: __tsan_read8 __tsan_unaligned_read8 __tsan_volatile_read8 __tsan_unaligned_volatile_read8
        / __tsan_write8 __tsan_unaligned_write8 __tsan_volatile_write8
          __tsan_unaligned_volatile_write8 __tsan_read_write8 __tsan_unaligned_read_write8;
    16: __tsan_read16 __tsan_unaligned_read16 __tsan_volatile_read16 __tsan_unaligned_volatile_read16
        / __tsan_write16 __tsan_unaligned_write16 __tsan_volatile_write16
          __tsan_unaligned_volatile_write16 __tsan_read_write16 __tsan_unaligned_read_write16;
}

interpose! {
    fn __tsan_init(; pc) {}

    fn __tsan_func_entry(return_address: usize; pc) {
        let is_done = running_here().is_some_and(|this| {
            let task = this.tasks.get_mut(this.current.index());
            this.named.is_empty() && task.is_some_and(|task| task.calls.enter_if_room(return_address))
        });
        if !is_done {
            enter_function(return_address, pc);
        }
    }

    fn __tsan_func_exit(; pc) {
        match running_here().map(|this| this.tasks.get_mut(this.current.index())) {
            Some(Some(task)) => task.calls.leave(),
            _ => leave_function(),
        }
    }

    fn __tsan_ignore_thread_begin(; pc) {}

    fn __tsan_ignore_thread_end(; pc) {}

    fn __tsan_read_range(address: usize, size: usize; pc) {
        access(address, size, AccessKind::Read, pc)
    }

    fn __tsan_write_range(address: usize, size: usize; pc) {
        access(address, size, AccessKind::Write, pc)
    }

    fn __tsan_vptr_update(address: *const usize, value: usize; pc) {
        // Constructors and destructors write the same again and again.
        if *address != value {
            access(address as usize, size_of::<usize>(), AccessKind::Write, pc)
        }
    }

    fn __tsan_vptr_read(address: usize; pc) {
        access(address, size_of::<usize>(), AccessKind::Read, pc)
    }

    fn __tsan_memcpy(target: *mut c_void, source: *const c_void, size: usize; pc) -> *mut c_void {
        copies(target.cast::<u8>(), source.cast(), size, pc);
        real::memcpy()(target, source, size)
    }

    fn __tsan_memmove(target: *mut c_void, source: *const c_void, size: usize; pc) -> *mut c_void {
        copies(target.cast::<u8>(), source.cast(), size, pc);
        real::memmove()(target, source, size)
    }

    fn __tsan_memset(target: *mut c_void, value: c_int, size: usize; pc) -> *mut c_void {
        if size > 0 {
            access(target as usize, size, AccessKind::Write, pc);
        }
        real::memset()(target, value, size)
    }
}

/// A function begins, wherever it is. The usual way calls nothing, as that of an access.
#[inline(never)]
fn enter_function(return_address: usize, pc: usize) {
    if let Some(this) = running() {
        this.tasks[this.current.index()].calls.enter(return_address);
        if !this.named.is_empty() {
            named::enter(this, pc);
        }
    }
}

/// A function ends, wherever it is.
#[inline(never)]
fn leave_function() {
    if let Some(this) = running() {
        this.tasks[this.current.index()].calls.leave();
    }
}
