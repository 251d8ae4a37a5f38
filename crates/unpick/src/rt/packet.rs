//! A task's body before it runs and its result after it has ended, in one allocation with two owners:
//! the task, and the handle to wait for it.

use super::runtime::current;
use super::task::stamp;
use crate::thread::Thread;
use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::any::Any;
use std::cell::{OnceCell, UnsafeCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread::Result;

/// The task's half: something it runs once.
pub(crate) struct Body<'a>(NonNull<dyn Work + 'a>);

/// The handle's half: something that gives the result of a task once.
pub(crate) struct Crop<'a, T>(NonNull<dyn Harvest<T> + 'a>);

/// The two halves of a new packet of the current execution.
#[inline]
pub(crate) fn packet<'a, F, T>(body: F) -> (Body<'a>, Crop<'a, T>)
where
    F: FnOnce() -> T + Send + 'a,
    T: Send + 'a,
{
    let packet = allocate(Layout::new::<Packet<F, T>>()).cast::<Packet<F, T>>();
    // SAFETY: the memory is fresh, and large enough.
    unsafe {
        packet.write(Packet {
            owners: AtomicU8::new(2),
            stamp: stamp(),
            thread: OnceCell::new(),
            body: UnsafeCell::new(Some(body)),
            result: UnsafeCell::new(None),
        });
    }
    (Body(packet), Crop(packet))
}

impl<'a> Body<'a> {
    fn work(&self) -> &(dyn Work + 'a) {
        // SAFETY: the packet lives until both halves are dropped.
        unsafe { self.0.as_ref() }
    }

    /// Runs the body and keeps its result. A panic goes on to the caller.
    #[inline]
    pub fn run(self) {
        let is_last = self.work().run_and_give_up();
        let packet = self.0;
        std::mem::forget(self);
        if is_last {
            // SAFETY: nobody else owns it any more.
            unsafe { destroy(packet) };
        }
    }

    /// Runs the body and keeps its result or its panic.
    pub fn run_and_catch(self) {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| self.work().run())) {
            self.work().fail(payload);
        }
    }

    /// The same body, taken for one that borrows nothing.
    ///
    /// # Safety
    /// What it borrows outlives the task that runs it.
    pub unsafe fn extend(self) -> Body<'static> {
        // SAFETY: only the lifetime changes, and the caller promises that it is long enough.
        unsafe { std::mem::transmute::<Body<'a>, Body<'static>>(self) }
    }
}

impl Drop for Body<'_> {
    #[inline]
    fn drop(&mut self) {
        if self.work().give_up() {
            // SAFETY: nobody else owns it any more.
            unsafe { destroy(self.0) };
        }
    }
}

impl<'a, T> Crop<'a, T> {
    fn harvest(&self) -> &(dyn Harvest<T> + 'a) {
        // SAFETY: the packet lives until both halves are dropped.
        unsafe { self.0.as_ref() }
    }

    /// The result, if the task has come to its end and nobody took it before.
    #[inline]
    pub fn take(&self) -> Option<Result<T>> {
        self.harvest().take()
    }

    /// Keeps the handle of the task, for as long as this half. To be called once.
    #[inline]
    pub fn set_thread(&self, thread: Thread) {
        if self.harvest().thread().set(thread).is_err() {
            panic!("internal error: a packet of two tasks");
        }
    }

    /// The handle of the task.
    #[inline]
    pub fn thread(&self) -> &Thread {
        let thread = self.harvest().thread().get();
        thread.expect("internal error: a packet without a task")
    }

    /// The same half, taken for one that borrows nothing.
    ///
    /// # Safety
    /// What it borrows outlives the task and its result.
    pub unsafe fn extend(self) -> Crop<'static, T>
    where
        T: 'a,
    {
        // SAFETY: only the lifetime changes, and the caller promises that it is long enough.
        unsafe { std::mem::transmute::<Crop<'a, T>, Crop<'static, T>>(self) }
    }
}

impl<T> Drop for Crop<'_, T> {
    #[inline]
    fn drop(&mut self) {
        if self.harvest().give_up() {
            // SAFETY: nobody else owns it any more.
            unsafe { destroy(self.0) };
        }
    }
}

// SAFETY: body and result may be sent; what a half does on another thread than that of its execution
// is checked, and giving up a half takes care of threads. The handle of the task is set before this half
// is given away, and only read then.
unsafe impl<T> Send for Crop<'_, T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Crop<'_, T> {}

/// A packet as one of its owners sees it.
trait Owned {
    /// Gives up one half. Answers whether the other one was given up before.
    fn give_up(&self) -> bool;
}

trait Work: Owned {
    fn run(&self);
    /// Runs, and gives up the task's half unless that panics.
    fn run_and_give_up(&self) -> bool;
    fn fail(&self, payload: Box<dyn Any + Send>);
}

trait Harvest<T>: Owned {
    fn take(&self) -> Option<Result<T>>;
    fn thread(&self) -> &OnceCell<Thread>;
}

struct Packet<F, T> {
    owners: AtomicU8,
    stamp: u64,
    /// The handle of the task, if somebody keeps it here.
    thread: OnceCell<Thread>,
    /// This and the result are used only inside the execution with this stamp, whose tasks run one
    /// at a time on one thread.
    body: UnsafeCell<Option<F>>,
    result: UnsafeCell<Option<Result<T>>>,
}

impl<F, T> Packet<F, T> {
    #[inline]
    fn check_execution(&self) {
        assert!(
            self.stamp == stamp(),
            "internal error: a task's packet is used outside of its execution"
        );
    }

    fn put_result(&self, result: Result<T>) {
        // SAFETY: called by the task, inside its execution; the reference ends at once.
        unsafe { *self.result.get() = Some(result) };
    }
}

impl<F, T> Owned for Packet<F, T> {
    /// Inside the execution nothing needs to be locked: the task's half never leaves it. If the
    /// handle was taken to another thread and is dropped there at this very moment, the count can be
    /// one too high afterwards, and the packet is leaked.
    #[inline]
    fn give_up(&self) -> bool {
        if self.stamp != stamp() {
            return self.owners.fetch_sub(1, Ordering::AcqRel) == 1;
        }
        let owners = self.owners.load(Ordering::Acquire);
        self.owners.store(owners - 1, Ordering::Release);
        owners == 1
    }
}

impl<F: FnOnce() -> T, T> Work for Packet<F, T> {
    #[inline]
    fn run(&self) {
        self.check_execution();
        // SAFETY: checked above; the reference ends at once.
        let body = unsafe { (*self.body.get()).take() };
        let value = body.expect("internal error: a task was run twice")();
        self.put_result(Ok(value));
    }

    fn run_and_give_up(&self) -> bool {
        self.run();
        self.give_up()
    }

    fn fail(&self, payload: Box<dyn Any + Send>) {
        self.put_result(Err(payload));
    }
}

impl<F, T> Harvest<T> for Packet<F, T> {
    fn take(&self) -> Option<Result<T>> {
        self.check_execution();
        // SAFETY: checked above; the reference ends at once.
        unsafe { (*self.result.get()).take() }
    }

    fn thread(&self) -> &OnceCell<Thread> {
        &self.thread
    }
}

/// Memory of packets that a runtime keeps for the next ones, in blocks of one size.
pub(super) struct Blocks {
    /// Its capacity says how many are kept.
    spare: Vec<NonNull<u8>>,
}

/// Enough for a closure with a dozen captured pointers.
const BLOCK: Layout = match Layout::from_size_align(176, 16) {
    Ok(layout) => layout,
    Err(_) => panic!("not a layout"),
};

/// Blocks that a runtime keeps, at most.
const SPARE_COUNT_MAX: usize = 64;

impl Blocks {
    pub fn new() -> Blocks {
        Blocks {
            spare: Vec::with_capacity(SPARE_COUNT_MAX),
        }
    }
}

impl Drop for Blocks {
    fn drop(&mut self) {
        for block in self.spare.drain(..) {
            // SAFETY: all were allocated as blocks, and nobody uses them.
            unsafe { dealloc(block.as_ptr(), BLOCK) };
        }
    }
}

/// Whether a packet lies in a block.
#[inline]
fn is_small(layout: Layout) -> bool {
    layout.size() <= BLOCK.size() && layout.align() <= BLOCK.align()
}

#[inline]
fn allocate(layout: Layout) -> NonNull<u8> {
    let runtime = current();
    if is_small(layout) && !runtime.is_null() {
        // SAFETY: not null means current; the reference ends at once.
        if let Some(block) = unsafe { (*runtime).blocks.spare.pop() } {
            return block;
        }
    }
    allocate_anew(if is_small(layout) { BLOCK } else { layout })
}

#[cold]
fn allocate_anew(layout: Layout) -> NonNull<u8> {
    // SAFETY: neither a block nor a packet is of size zero.
    let memory = unsafe { alloc(layout) };
    NonNull::new(memory).unwrap_or_else(|| handle_alloc_error(layout))
}

/// Drops a packet and gives its memory back.
///
/// # Safety
/// It was made by [`packet`], and nobody uses it any more.
#[inline]
unsafe fn destroy<P: ?Sized>(packet: NonNull<P>) {
    // SAFETY: as the caller promises. The memory is given back also if a destructor unwinds.
    unsafe {
        let _memory = Memory {
            start: packet.cast(),
            layout: Layout::for_value(packet.as_ref()),
        };
        packet.drop_in_place();
    }
}

/// The memory of a packet that is being dropped.
struct Memory {
    start: NonNull<u8>,
    layout: Layout,
}

impl Drop for Memory {
    #[inline]
    fn drop(&mut self) {
        let is_small = is_small(self.layout);
        let runtime = current();
        // SAFETY: not null means current, and no reference is live. The memory was allocated as a
        // block if it is small, and nobody uses it any more.
        unsafe {
            if is_small && !runtime.is_null() {
                let spare = &mut (*runtime).blocks.spare;
                if spare.len() < spare.capacity() {
                    spare.push(self.start);
                    return;
                }
            }
            let layout = if is_small { BLOCK } else { self.layout };
            dealloc(self.start.as_ptr(), layout);
        }
    }
}
