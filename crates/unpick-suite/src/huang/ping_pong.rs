//! Five tasks use a reference to a player, take it out of its variable and put it back.

use super::{Variables, program};
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use unpick::sync::Mutex;
use unpick::thread;

pub(crate) const PROGRAM: Program = program(
    "huang.pingpong",
    "five tasks use a reference, take it out and put it back",
    &[Parameter::twin("0 does so under a lock")],
    Some("the reference is used while it is taken out"),
    body,
);

const WORKERS: u32 = 5;
const PLAYER: usize = 0;
const NULL: u32 = 0;

fn body(arguments: &Arguments) {
    let is_locked = !arguments.is_on("bug");
    let shared = Arc::new((Mutex::new(()), Variables::<1>::new()));
    shared.1.write(PLAYER, 1);
    let tasks: Vec<_> = (0..WORKERS)
        .map(|_| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                let (lock, variables) = &*shared;
                let _guard = is_locked.then(|| lock.lock().unwrap());
                assert!(variables.read(PLAYER) != NULL, "the player is null");
                let taken = variables.read(PLAYER);
                variables.write(PLAYER, NULL);
                variables.write(PLAYER, taken);
            })
        })
        .collect();
    tasks.into_iter().for_each(|task| task.join().unwrap());
}
