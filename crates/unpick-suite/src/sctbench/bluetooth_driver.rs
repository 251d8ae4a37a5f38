//! A Bluetooth driver accepts a request while another task stops it.
//!
//! The request looks at the stopping flag before it announces itself, so that the driver can be
//! stopped under a request in progress. From the CS suite in SCTBench (id 5), first in S. Qadeer
//! and D. Wu, "KISS: keep it simple and sequential", PLDI 2004.

use super::with_twin;
use crate::published::rows::BLUETOOTH_DRIVER;
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use unpick::sync::Mutex;
use unpick::sync::atomic::{AtomicBool, Ordering::SeqCst};
use unpick::thread;

pub(crate) const PROGRAM: Program = with_twin(
    &BLUETOOTH_DRIVER,
    "driver request against driver stop",
    "the stopping flag is tested before the request is counted",
    &[Parameter::twin(
        "0 counts the request before it tests the flag",
    )],
    body,
);

struct Driver {
    /// Goes below zero where both sides give back: the original counts in a signed integer.
    pending: Mutex<i32>,
    stopping: AtomicBool,
    stop_event: AtomicBool,
    stopped: AtomicBool,
}

fn body(arguments: &Arguments) {
    let driver = Arc::new(Driver {
        pending: Mutex::new(1),
        stopping: AtomicBool::new(false),
        stop_event: AtomicBool::new(false),
        stopped: AtomicBool::new(false),
    });
    let shared = driver.clone();
    let stopper = thread::spawn(move || stop(&shared));
    match arguments.is_on("bug") {
        true => request(&driver),
        false => request_counted(&driver),
    }
    stopper.join().unwrap();
}

fn request(driver: &Driver) {
    if !driver.stopping.load(SeqCst) {
        let mut pending = driver.pending.lock().unwrap();
        *pending += 1;
        drop(pending);
        assert!(!driver.stopped.load(SeqCst), "the driver is stopped");
    }
    release(driver);
}

/// What the driver should do: whoever has counted himself keeps it from being stopped.
fn request_counted(driver: &Driver) {
    let mut pending = driver.pending.lock().unwrap();
    *pending += 1;
    drop(pending);
    if !driver.stopping.load(SeqCst) {
        assert!(!driver.stopped.load(SeqCst), "the driver is stopped");
    }
    release(driver);
}

fn stop(driver: &Driver) {
    driver.stopping.store(true, SeqCst);
    release(driver);
    if driver.stop_event.load(SeqCst) {
        driver.stopped.store(true, SeqCst);
    }
}

/// Gives one count back; whoever gives back the last one raises the stop event.
fn release(driver: &Driver) {
    let mut pending = driver.pending.lock().unwrap();
    *pending -= 1;
    let left = *pending;
    drop(pending);
    if left == 0 {
        driver.stop_event.store(true, SeqCst);
    }
}
