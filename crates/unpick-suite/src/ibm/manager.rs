//! Workers ask a handler for memory by a flag and wait for its answer; a flag can overwrite another one.

use super::{program, run_all};
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use unpick::sync::{Condvar, Mutex};

pub(crate) const PROGRAM: Program = program(
    "ibm.manager",
    "requests that are handed over by a flag",
    "a request can be overwritten: deadlock",
    &[Parameter::twin("0 waits until the flag is free")],
    body,
);

const WORKERS: usize = 2;

struct Handler {
    /// Who asks, from 1; 0 is nobody.
    flag: Mutex<usize>,
    changed: Condvar,
    answered: Mutex<[bool; WORKERS]>,
    answer: Condvar,
    waits_for_flag: bool,
}

impl Handler {
    fn ask(&self, me: usize) {
        let mut flag = self.flag.lock().unwrap();
        while *flag != 0 && self.waits_for_flag {
            flag = self.changed.wait(flag).unwrap();
        }
        *flag = me + 1;
        drop(flag);
        self.changed.notify_all();
        let mut answered = self.answered.lock().unwrap();
        while !answered[me] {
            answered = self.answer.wait(answered).unwrap();
        }
        drop(answered);
    }

    fn serve(&self) {
        for _ in 0..WORKERS {
            let mut flag = self.flag.lock().unwrap();
            while *flag == 0 {
                flag = self.changed.wait(flag).unwrap();
            }
            let who = std::mem::take(&mut *flag) - 1;
            drop(flag);
            self.changed.notify_all();
            self.answered.lock().unwrap()[who] = true;
            self.answer.notify_all();
        }
    }
}

fn body(arguments: &Arguments) {
    let handler = Arc::new(Handler {
        flag: Mutex::new(0),
        changed: Condvar::new(),
        answered: Mutex::default(),
        answer: Condvar::new(),
        waits_for_flag: !arguments.is_on("bug"),
    });
    run_all(WORKERS + 1, move |me| match me {
        WORKERS => handler.serve(),
        _ => handler.ask(me),
    });
}
