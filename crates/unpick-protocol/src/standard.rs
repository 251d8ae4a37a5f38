//! What the runtime replaces of Rust's standard library, which comes compiled without instrumentation.

use crate::Launch;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// What the runtime reads before the program begins.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Start {
    /// How the program is run. It comes first, and can be read without the rest.
    pub launch: Launch,
    /// The functions of the standard library that the program holds.
    pub standard: Vec<StandardCode>,
}

/// A function of the standard library in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StandardCode {
    /// Which one.
    pub function: StandardFunction,
    /// Its first address in the file. Of a thread-local variable, what to add to the thread pointer.
    pub start: u64,
    /// Bytes at its beginning that can run elsewhere: as many as a jump takes, or more. Zero where the
    /// function itself is never needed.
    pub movable: u8,
}

/// Bytes of the jump that stands at the beginning of a function that is replaced.
pub const JUMP_SIZE: usize = 13;

/// Functions of Rust's standard library that are replaced, and what their replacements need.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StandardFunction {
    /// `Mutex::lock` of a mutex that is locked.
    MutexLock,
    /// The wake-up of `Mutex::unlock`.
    MutexWake,
    /// `Condvar::wait`.
    CondvarWait,
    /// `Condvar::wait_timeout`.
    CondvarWaitTimeout,
    /// `Condvar::notify_one`.
    CondvarNotifyOne,
    /// `Condvar::notify_all`.
    CondvarNotifyAll,
    /// `RwLock::read` of a lock that is not free to read.
    RwLockRead,
    /// `RwLock::write` of a lock that is not free.
    RwLockWrite,
    /// The wake-up of the end of reading or writing.
    RwLockWake,
    /// `Once::call_once` and what is made of it, unless done.
    OnceCall,
    /// `Once::wait`, unless done.
    OnceWait,
    /// `Barrier::wait`.
    BarrierWait,
    /// `thread::park`.
    Park,
    /// `thread::park_timeout`.
    ParkTimeout,
    /// `Thread::park`, of the current thread.
    ThreadPark,
    /// `Thread::park_timeout`, of the current thread.
    ThreadParkTimeout,
    /// The wake-up of `Thread::unpark` and others.
    FutexWake,
    /// A thread of a scope is about to be created.
    ScopeEnter,
    /// A thread of a scope has ended.
    ScopeLeave,
    /// The thread-local variable that holds the current thread: not replaced, but read.
    CurrentThread,
    /// What creates the current thread's handle: not replaced, but called.
    CreateCurrentThread,
}
