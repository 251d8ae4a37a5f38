//! The part of unpick inside a native program: threads, locks, atomics, time and memory under
//! control.
//!
//! The functions of the C library and of the thread sanitizer's interface that a program calls end
//! up here. Each becomes an operation of the engine, which runs in the same process: nothing ever
//! really blocks, and one task runs at a time. Without a driver (no desk in the environment) every
//! function does what the one it stands for does; so it does where a program runs freely, with something
//! before and after it (`free.rs`).
//!
//! Rules of the house: no standard library, no thread-locals and no locks, because tasks share one
//! operating system thread (processes that share a search have one, between executions); no allocation from the program's heap; what changes in an execution lives
//! in `runtime.rs`, in memory of its own that no snapshot touches.

#![no_std]

extern crate alloc;

mod address_table;
mod allocation;
mod arena;
mod atomics;
mod away;
mod bounds;
mod buffers;
mod context;
mod controller;
mod crew;
mod draft;
mod ending;
mod exceptions;
mod free;
mod futex;
mod instrumented;
mod interpose;
mod io;
mod libraries;
mod mapping;
mod memory;
mod named;
mod nursery;
mod openmp;
mod plain;
mod posix;
mod prelude;
mod process;
mod random;
mod real;
mod refusal;
mod restoring;
mod runtime;
mod signals;
mod sites;
mod snapshot;
mod spinning;
mod standard;
mod start;
mod strings;
mod sys;
mod tasks;
mod time;
mod timestamp;
mod unseen;
mod unwinding;
mod waiting;
mod watchdog;
mod written;

/// Our own mistakes end the process: there is nobody to unwind to.
///
/// Only in the library itself: checked together with the workspace, this crate may find the standard
/// library's handler among what its dependencies bring.
#[cfg_attr(unpick_runtime, panic_handler)]
#[cfg_attr(not(unpick_runtime), allow(dead_code))]
fn panic(info: &core::panic::PanicInfo<'_>) -> ! {
    let mut text = sys::Text::new();
    let _ = core::fmt::write(&mut text, format_args!("unpick: internal error: {info}\n"));
    sys::print(text.as_bytes());
    sys::exit_process(sys::INTERNAL_ERROR)
}
