//! Players take a reference out of a shared variable and put it back; meanwhile it refers to nothing.

use super::{program, run_all};
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use unpick::sync::Mutex;
use unpick::sync::atomic::{AtomicUsize, Ordering::SeqCst};

pub(crate) const PROGRAM: Program = program(
    "ibm.pingpong",
    "reference that is taken out and put back",
    "the reference is used while it is taken out",
    &[Parameter::twin("0 takes it out under a lock")],
    body,
);

const PLAYERS: usize = 3;
const NULL: usize = 0;

fn body(arguments: &Arguments) {
    let is_locked = !arguments.is_on("bug");
    let shared = Arc::new((Mutex::new(()), AtomicUsize::new(1)));
    run_all(PLAYERS, move |_| {
        let (lock, player) = &*shared;
        let guard = is_locked.then(|| lock.lock().unwrap());
        let taken = player.load(SeqCst);
        assert!(taken != NULL, "the player is null");
        player.store(NULL, SeqCst);
        player.store(taken, SeqCst);
        drop(guard);
    });
}
