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

/// Sleeps. Under exploration it is a yield that lets virtual time pass.
#[track_caller]
pub fn sleep(duration: Duration) {
    match rt::clock_now() {
        None => std::thread::sleep(duration),
        Some(now) => {
            rt::operate_without_object(OpKind::Sleep);
            rt::advance_clock(now.saturating_add(rt::nanoseconds(duration)));
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
    match (rt::current_task(), rt::clock_now()) {
        (Some(task), Some(now)) => {
            rt::park_prepare();
            let grant = rt::operate_on_task(OpKind::Park, true, task);
            if grant == Some(unpick_engine::Grant::TimedOut) {
                rt::advance_clock(now.saturating_add(rt::nanoseconds(limit)));
            }
        }
        _ => std::thread::park_timeout(limit),
    }
}
