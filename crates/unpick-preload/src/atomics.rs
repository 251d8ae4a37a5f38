//! Atomic operations of instrumented code: each is a scheduling point and is performed here.
//!
//! In an execution only one task runs at a time, so that plain reads and writes do. Outside of one, the
//! program's threads really run at once, and the operation must be atomic.

use crate::buffers;
use crate::free;
use crate::interpose::interpose;
use crate::memory::{self, Order, ordering};
use crate::runtime::{Runtime, operate, running, runtime, take_turn};
use crate::signals;
use crate::tasks;
use core::arch::asm;
use core::ffi::c_int;
use core::sync::atomic::Ordering::SeqCst;
use core::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, fence};
use unpick_engine::Proviso;
use unpick_memory::AccessKind;
use unpick_noise::Operation;
use unpick_trace::{ObjectId, Op, OpKind};

/// What fits into a step's value.
pub trait Word: Copy + Eq {
    fn word(self) -> u64;

    /// Puts a value in the place of the one expected, atomically; gives what was found.
    ///
    /// # Safety
    ///
    /// The program passes a variable.
    unsafe fn replace(address: *mut Self, expected: Self, value: Self) -> Self;

    /// Changes a variable, atomically; gives what was found.
    ///
    /// # Safety
    ///
    /// The program passes a variable.
    unsafe fn change(address: *mut Self, change: impl Fn(Self) -> Self) -> Self {
        // SAFETY: by the caller. What is read in two parts is no value that is found.
        let mut known = unsafe { address.read_volatile() };
        loop {
            // SAFETY: by the caller.
            let found = unsafe { Self::replace(address, known, change(known)) };
            if found == known {
                return found;
            }
            known = found;
        }
    }
}

macro_rules! words {
    ($($kind:ty: $atomic:ty;)*) => { $(impl Word for $kind {
        fn word(self) -> u64 {
            self as u64
        }

        // SAFETY: asks of the caller what the trait does.
        unsafe fn replace(address: *mut $kind, expected: $kind, value: $kind) -> $kind {
            // SAFETY: by the caller.
            let variable = unsafe { <$atomic>::from_ptr(address) };
            match variable.compare_exchange(expected, value, SeqCst, SeqCst) {
                Ok(found) | Err(found) => found,
            }
        }
    })* };
}

words! {
    u8: AtomicU8;
    u16: AtomicU16;
    u32: AtomicU32;
    u64: AtomicU64;
}

impl Word for u128 {
    fn word(self) -> u64 {
        self as u64
    }

    // SAFETY: asks of the caller what the trait does.
    unsafe fn replace(address: *mut u128, expected: u128, value: u128) -> u128 {
        let mut low = expected as u64;
        let mut high = (expected >> 64) as u64;
        // SAFETY: by the caller; every processor with two cores has the instruction, and compilers
        // that emit calls for sixteen bytes rely on it. It wants a half in rbx, which is LLVM's own.
        unsafe {
            asm!(
                "mov r8, rbx",
                "mov rbx, rsi",
                "lock cmpxchg16b [rdi]",
                "mov rbx, r8",
                in("rdi") address,
                in("rsi") value as u64,
                in("rcx") (value >> 64) as u64,
                inout("rax") low,
                inout("rdx") high,
                out("r8") _,
                options(nostack),
            );
        }
        u128::from(high) << 64 | u128::from(low)
    }
}

/// Lets others run before an atomic operation. `None` outside of an execution.
#[inline]
fn point<T>(address: *const T, kind: OpKind, pc: usize) -> Option<ObjectId> {
    let this = running()?;
    let object = this.variable(address as usize);
    if !this.is_alone() {
        operate(Op::new(kind, object), pc);
    }
    Some(object)
}

/// The same for a store, which others may see later.
#[inline]
fn point_before_store<T>(address: *const T, order: c_int, pc: usize) -> Option<Op> {
    let this = running()?;
    let mut op = Op::new(OpKind::Store, this.variable(address as usize));
    if !this.is_alone() {
        let (address, size) = (address as usize, size_of::<T>());
        op.argument = buffers::argument(this, op.object, address, size, ordering(order));
        match op.is_buffered() {
            true => take_turn(op, pc),
            false => {
                operate(op, pc);
            }
        }
    }
    Some(op)
}

/// Tells what an operation has found and left. The trace takes what it has found, or, of a store, what it
/// has left.
#[inline]
fn note<T: Word>(object: ObjectId, address: *const T, found: T, left: T, order: Order, pc: usize) {
    let this = runtime();
    let task = this.current;
    // A task that sees what it has stored itself learns nothing from others.
    let is_own = this.buffers.hides(task, address as usize, size_of::<T>());
    if !is_own {
        this.note_value(object, found.word(), left.word());
        buffers::know(this, object, address as usize, size_of::<T>(), left.word());
    }
    if !this.is_alone() {
        this.note_order(order);
        this.execution.observe_store(left.word());
        let told = if order.reads { found } else { left };
        this.execution.observe(task, told.word(), found != left);
    } else {
        this.note_alone(object, order.reads, order.writes);
    }
    let kind = match order.writes {
        true => AccessKind::AtomicWrite,
        false => AccessKind::AtomicRead,
    };
    if !is_own {
        order.tell_read(&mut this.clocks, task, object);
    }
    if order.is_watched {
        memory::check(address as usize, size_of::<T>(), kind, pc);
    }
    let this = runtime();
    order.tell_write(&mut this.clocks, task, object);
    if order.writes && order.releases {
        this.tasks[task.index()].locks.remove(object);
    }
}

impl Runtime {
    /// Notes that an operation is explored under a stronger memory model than it asks for.
    #[inline]
    fn note_order(&mut self, order: Order) {
        if order.is_weak {
            self.execution.assume(Proviso::WeakOrderings);
        }
    }
}

/// Tells what a store finds that others see later, before it is performed, and what it leaves.
#[cold]
fn note_later<T: Word>(
    object: ObjectId,
    address: *const T,
    found: T,
    left: T,
    order: Order,
    pc: usize,
) {
    let this = runtime();
    let task = this.current;
    let (address, size) = (address as usize, size_of::<T>());
    if !this.buffers.hides(task, address, size) {
        this.note_value(object, found.word(), found.word());
        buffers::know(this, object, address, size, found.word());
    }
    this.note_order(order);
    memory::check(address, size, AccessKind::AtomicWrite, pc);
    let given = runtime().clocks.keep(task, order.releases);
    buffers::hold(object, address, size, left.word(), Some(given));
}

/// # Safety
///
/// The program passes a variable.
#[inline]
pub unsafe fn load<T: Word>(address: *const T, order: c_int, pc: usize) -> T {
    let Some(object) = point(address, OpKind::Load, pc) else {
        // SAFETY: by the caller.
        return free::around(Operation::Load, address as usize, pc, || unsafe {
            match size_of::<T>() {
                // Both halves must be of one moment.
                16 => T::change(address.cast_mut(), |found| found),
                _ => address.read_volatile(),
            }
        });
    };
    // SAFETY: by the caller.
    let found = unsafe { address.read_volatile() };
    note(object, address, found, found, Order::load(order), pc);
    found
}

/// # Safety
///
/// The program passes a variable.
#[inline]
pub unsafe fn store<T: Word>(address: *mut T, value: T, order: c_int, pc: usize) {
    let Some(op) = point_before_store(address, order, pc) else {
        // SAFETY: by the caller.
        let call = || unsafe { T::change(address, |_| value) };
        free::around(Operation::Store, address as usize, pc, call);
        return;
    };
    // SAFETY: by the caller.
    unsafe {
        let found = address.read_volatile();
        if op.is_buffered() {
            note_later(op.object, address, found, value, Order::store(order), pc);
            address.write_volatile(value);
            signals::deliver();
        } else {
            address.write_volatile(value);
            note(op.object, address, found, value, Order::store(order), pc);
        }
    }
}

/// # Safety
///
/// The program passes a variable.
#[inline]
pub unsafe fn modify<T: Word>(
    address: *mut T,
    order: c_int,
    pc: usize,
    change: impl Fn(T) -> T,
) -> T {
    let Some(object) = point(address, OpKind::ReadModifyWrite, pc) else {
        // SAFETY: by the caller.
        let call = || unsafe { T::change(address, change) };
        return free::around(Operation::Update, address as usize, pc, call);
    };
    // SAFETY: by the caller.
    let (found, left) = unsafe {
        let found = address.read_volatile();
        let left = change(found);
        address.write_volatile(left);
        (found, left)
    };
    note(object, address, found, left, Order::modify(order), pc);
    found
}

/// Gives what was found.
///
/// # Safety
///
/// The program passes a variable.
#[inline]
pub unsafe fn exchange<T: Word>(
    address: *mut T,
    expected: T,
    value: T,
    orders: (c_int, c_int),
    is_weak: bool,
    pc: usize,
) -> (T, bool) {
    let Some(object) = point(address, OpKind::CompareExchange, pc) else {
        // SAFETY: by the caller.
        let call = || unsafe { T::replace(address, expected, value) };
        let found = free::around(Operation::Update, address as usize, pc, call);
        return (found, found == expected);
    };
    // SAFETY: by the caller.
    let found = unsafe { address.read_volatile() };
    let succeeds = found == expected && !(is_weak && fails_weakly());
    let left = match succeeds {
        true => value,
        false => found,
    };
    if succeeds {
        // SAFETY: by the caller.
        unsafe { address.write_volatile(value) };
    }
    let order = match succeeds {
        true => Order::modify(orders.0),
        false => Order::load(orders.1),
    };
    note(object, address, found, left, order, pc);
    let this = runtime();
    let task = &mut this.tasks[this.current.index()];
    task.refused_by = match succeeds {
        true => ObjectId::NONE,
        false => object,
    };
    if Order::modify(orders.0).locks() {
        task.locks.add(object);
    }
    (found, succeeds)
}

fn fails_weakly() -> bool {
    let this = runtime();
    if this.is_alone() {
        return false;
    }
    let strategy = this.strategy();
    match this.execution.weak_failure(this.current, strategy) {
        Some(fails) => fails,
        None => tasks::leave(),
    }
}

macro_rules! atomics {
    ($kind:ty: $load:ident $store:ident $exchange:ident $add:ident $sub:ident $and:ident $or:ident
     $xor:ident $nand:ident $strong:ident $weak:ident $value:ident) => {
        interpose! {
            fn $load(address: *const $kind, order: c_int; pc) -> $kind {
                load(address, order, pc)
            }
            fn $store(address: *mut $kind, value: $kind, order: c_int; pc) {
                store(address, value, order, pc)
            }
            fn $exchange(address: *mut $kind, value: $kind, order: c_int; pc) -> $kind {
                modify(address, order, pc, |_| value)
            }
            fn $add(address: *mut $kind, value: $kind, order: c_int; pc) -> $kind {
                modify(address, order, pc, |found| found.wrapping_add(value))
            }
            fn $sub(address: *mut $kind, value: $kind, order: c_int; pc) -> $kind {
                modify(address, order, pc, |found| found.wrapping_sub(value))
            }
            fn $and(address: *mut $kind, value: $kind, order: c_int; pc) -> $kind {
                modify(address, order, pc, |found| found & value)
            }
            fn $or(address: *mut $kind, value: $kind, order: c_int; pc) -> $kind {
                modify(address, order, pc, |found| found | value)
            }
            fn $xor(address: *mut $kind, value: $kind, order: c_int; pc) -> $kind {
                modify(address, order, pc, |found| found ^ value)
            }
            fn $nand(address: *mut $kind, value: $kind, order: c_int; pc) -> $kind {
                modify(address, order, pc, |found| !(found & value))
            }
            fn $strong(address: *mut $kind, expected: *mut $kind, value: $kind, order: c_int,
                       failure: c_int; pc) -> c_int {
                let (found, succeeds) =
                    exchange(address, *expected, value, (order, failure), false, pc);
                if !succeeds {
                    *expected = found;
                }
                c_int::from(succeeds)
            }
            fn $weak(address: *mut $kind, expected: *mut $kind, value: $kind, order: c_int,
                     failure: c_int; pc) -> c_int {
                let (found, succeeds) =
                    exchange(address, *expected, value, (order, failure), true, pc);
                if !succeeds {
                    *expected = found;
                }
                c_int::from(succeeds)
            }
            fn $value(address: *mut $kind, expected: $kind, value: $kind, order: c_int,
                      failure: c_int; pc) -> $kind {
                exchange(address, expected, value, (order, failure), false, pc).0
            }
        }
    };
}

atomics!(u8: __tsan_atomic8_load __tsan_atomic8_store __tsan_atomic8_exchange
    __tsan_atomic8_fetch_add __tsan_atomic8_fetch_sub __tsan_atomic8_fetch_and
    __tsan_atomic8_fetch_or __tsan_atomic8_fetch_xor __tsan_atomic8_fetch_nand
    __tsan_atomic8_compare_exchange_strong __tsan_atomic8_compare_exchange_weak
    __tsan_atomic8_compare_exchange_val);
atomics!(u16: __tsan_atomic16_load __tsan_atomic16_store __tsan_atomic16_exchange
    __tsan_atomic16_fetch_add __tsan_atomic16_fetch_sub __tsan_atomic16_fetch_and
    __tsan_atomic16_fetch_or __tsan_atomic16_fetch_xor __tsan_atomic16_fetch_nand
    __tsan_atomic16_compare_exchange_strong __tsan_atomic16_compare_exchange_weak
    __tsan_atomic16_compare_exchange_val);
atomics!(u32: __tsan_atomic32_load __tsan_atomic32_store __tsan_atomic32_exchange
    __tsan_atomic32_fetch_add __tsan_atomic32_fetch_sub __tsan_atomic32_fetch_and
    __tsan_atomic32_fetch_or __tsan_atomic32_fetch_xor __tsan_atomic32_fetch_nand
    __tsan_atomic32_compare_exchange_strong __tsan_atomic32_compare_exchange_weak
    __tsan_atomic32_compare_exchange_val);
atomics!(u64: __tsan_atomic64_load __tsan_atomic64_store __tsan_atomic64_exchange
    __tsan_atomic64_fetch_add __tsan_atomic64_fetch_sub __tsan_atomic64_fetch_and
    __tsan_atomic64_fetch_or __tsan_atomic64_fetch_xor __tsan_atomic64_fetch_nand
    __tsan_atomic64_compare_exchange_strong __tsan_atomic64_compare_exchange_weak
    __tsan_atomic64_compare_exchange_val);

/// Sixteen bytes take two registers each, which leaves none for the address of the call.
macro_rules! wide {
    ($(fn $name:ident($($argument:ident: $kind:ty),*) $(-> $result:ty)? $body:block)*) => {
        $(
            /// As the smaller ones.
            ///
            /// # Safety
            ///
            /// The program passes a variable.
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $name($($argument: $kind),*) $(-> $result)? {
                // SAFETY: by the caller.
                unsafe { $body }
            }
        )*
    };
}

wide! {
    fn __tsan_atomic128_load(address: *const u128, order: c_int) -> u128 {
        load(address, order, 0)
    }
    fn __tsan_atomic128_store(address: *mut u128, value: u128, order: c_int) {
        store(address, value, order, 0)
    }
    fn __tsan_atomic128_exchange(address: *mut u128, value: u128, order: c_int) -> u128 {
        modify(address, order, 0, |_| value)
    }
    fn __tsan_atomic128_fetch_add(address: *mut u128, value: u128, order: c_int) -> u128 {
        modify(address, order, 0, |found| found.wrapping_add(value))
    }
    fn __tsan_atomic128_fetch_sub(address: *mut u128, value: u128, order: c_int) -> u128 {
        modify(address, order, 0, |found| found.wrapping_sub(value))
    }
    fn __tsan_atomic128_fetch_and(address: *mut u128, value: u128, order: c_int) -> u128 {
        modify(address, order, 0, |found| found & value)
    }
    fn __tsan_atomic128_fetch_or(address: *mut u128, value: u128, order: c_int) -> u128 {
        modify(address, order, 0, |found| found | value)
    }
    fn __tsan_atomic128_fetch_xor(address: *mut u128, value: u128, order: c_int) -> u128 {
        modify(address, order, 0, |found| found ^ value)
    }
    fn __tsan_atomic128_fetch_nand(address: *mut u128, value: u128, order: c_int) -> u128 {
        modify(address, order, 0, |found| !(found & value))
    }
    fn __tsan_atomic128_compare_exchange_strong(address: *mut u128, expected: *mut u128,
            value: u128, order: c_int, failure: c_int) -> c_int {
        let (found, succeeds) = exchange(address, *expected, value, (order, failure), false, 0);
        *expected = found;
        c_int::from(succeeds)
    }
    fn __tsan_atomic128_compare_exchange_weak(address: *mut u128, expected: *mut u128,
            value: u128, order: c_int, failure: c_int) -> c_int {
        let (found, succeeds) = exchange(address, *expected, value, (order, failure), true, 0);
        *expected = found;
        c_int::from(succeeds)
    }
    fn __tsan_atomic128_compare_exchange_val(address: *mut u128, expected: u128, value: u128,
            order: c_int, failure: c_int) -> u128 {
        exchange(address, expected, value, (order, failure), false, 0).0
    }
}

interpose! {
    fn __tsan_atomic_thread_fence(order: c_int; pc) {
        if let Some(this) = running() {
            if !this.is_alone() {
                let argument = this.execution.fence_argument(ordering(order));
                operate(Op { argument, ..Op::new(OpKind::Fence, ObjectId::NONE) }, pc);
                runtime().note_order(Order::modify(order));
            }
            let this = runtime();
            Order::modify(order).tell_fence(&mut this.clocks, this.current);
        } else {
            free::around(Operation::Fence, 0, pc, || fence(SeqCst));
        }
    }

    fn __tsan_atomic_signal_fence(order: c_int; pc) {
        let _ = order;
    }
}
