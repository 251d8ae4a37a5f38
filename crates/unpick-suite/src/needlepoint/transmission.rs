//! Transmission: a session starts its event task and uses what that task makes, without waiting for it.
//!
//! Ordering violation, depth 1. Most of the points come after the bug.

use super::{Business, program};
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use unpick::sync::atomic::{AtomicBool, Ordering::SeqCst};
use unpick::thread;

pub(crate) const PROGRAM: Program = program(
    "needlepoint.transmission",
    "session that uses the work of its event task",
    "the session does not wait until the event task is ready",
    &[Parameter::twin("0 waits until the event task is ready")],
    body,
);

/// Points of the event task before it is ready, of the session before it uses that, and of both after it.
const STARTING: usize = 40;
const OPENING: usize = 60;
const SERVING: usize = 19_000;

fn body(arguments: &Arguments) {
    let is_ready = Arc::new(AtomicBool::new(false));
    let own = is_ready.clone();
    let events = thread::spawn(move || {
        let business = Business::default();
        business.pass(STARTING);
        own.store(true, SeqCst);
        business.pass(SERVING);
    });
    let business = Business::default();
    business.pass(OPENING);
    if !arguments.is_on("bug") {
        while !is_ready.load(SeqCst) {
            thread::yield_now();
        }
    }
    assert!(is_ready.load(SeqCst), "the event task is not ready");
    business.pass(SERVING);
    events.join().unwrap();
}
