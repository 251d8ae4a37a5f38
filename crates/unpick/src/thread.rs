//! Drop-in for `std::thread`.

mod builder;
mod handle;
mod local;
mod scope;

pub use crate::rt::{Scope, scope};
pub use builder::Builder;
pub use handle::{JoinHandle, Thread, ThreadId, current, spawn, spawn_all};
pub use local::{AccessError, LocalKey};
pub use scope::ScopedJoinHandle;
pub use std::thread::{Result, available_parallelism, panicking};

use crate::rt;
use std::time::Duration;
use unpick_trace::OpKind;

/// Lets other tasks go first.
#[track_caller]
pub fn yield_now() {
    if rt::operate_without_object(OpKind::Yield).is_none() {
        std::thread::yield_now();
    }
}

/// Sleeps. Under exploration it waits for virtual time to pass: see
/// [`Config::max_delay`](crate::Config::max_delay).
#[track_caller]
pub fn sleep(duration: Duration) {
    match rt::set_timer(duration) {
        None => std::thread::sleep(duration),
        Some(()) => {
            rt::operate_without_object(OpKind::Sleep);
        }
    }
}

/// Waits until the calling task is unparked. May return without reason.
#[track_caller]
pub fn park() {
    match rt::current_task() {
        None => std::thread::park(),
        Some(task) => {
            rt::park_prepare();
            rt::operate_on_task(OpKind::Park, false, task);
        }
    }
}

/// Waits until the calling task is unparked, but not for longer than `limit`.
#[track_caller]
pub fn park_timeout(limit: Duration) {
    match rt::current_task() {
        None => std::thread::park_timeout(limit),
        Some(task) => {
            rt::set_timer(limit);
            rt::park_prepare();
            rt::operate_on_task(OpKind::Park, true, task);
        }
    }
}
