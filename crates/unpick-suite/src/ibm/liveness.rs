//! A server has a place for one client; one that is rejected suspends itself, and is woken by the one that leaves.
//!
//! Between being rejected and suspending the last client may leave: the rejected one starves.

use super::{program, run_all};
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use unpick::sync::{Condvar, Mutex};

pub(crate) const PROGRAM: Program = program(
    "ibm.liveness",
    "server with a place for one client",
    "a client can suspend after the last one has looked: starvation",
    &[Parameter::twin(
        "0 decides and suspends in one critical section",
    )],
    body,
);

#[derive(Default)]
struct Server {
    is_busy: Mutex<bool>,
    left: Condvar,
}

impl Server {
    fn enter(&self, suspends_at_once: bool) {
        let mut is_busy = self.is_busy.lock().unwrap();
        if suspends_at_once {
            while *is_busy {
                is_busy = self.left.wait(is_busy).unwrap();
            }
        } else if *is_busy {
            drop(is_busy);
            is_busy = self.left.wait(self.is_busy.lock().unwrap()).unwrap();
        }
        *is_busy = true;
        drop(is_busy);
    }

    fn leave(&self) {
        *self.is_busy.lock().unwrap() = false;
        self.left.notify_one();
    }
}

fn body(arguments: &Arguments) {
    let suspends_at_once = !arguments.is_on("bug");
    let server = Arc::new(Server::default());
    run_all(2, move |_| {
        server.enter(suspends_at_once);
        server.leave();
    });
}
