//! Workers take jobs and report; the manager waits for as many reports as there are workers with a job.
//!
//! A worker looks for a job and takes it in two steps; one that then finds none ends without a word.

use super::{program, run_all};
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use unpick::sync::{Condvar, Mutex};

pub(crate) const PROGRAM: Program = program(
    "ibm.garagemanager",
    "manager who waits for reports",
    "a worker without a job does not report: deadlock",
    &[Parameter::twin("0 reports in any case")],
    body,
);

const WORKERS: usize = 2;

struct Garage {
    /// Jobs that are left, and reports.
    state: Mutex<(usize, usize)>,
    reported: Condvar,
    always_reports: bool,
}

impl Garage {
    fn work(&self) {
        let has_job = self.state.lock().unwrap().0 > 0;
        if !has_job {
            self.report();
            return;
        }
        let mut state = self.state.lock().unwrap();
        let got_job = state.0 > 0;
        state.0 = state.0.saturating_sub(1);
        drop(state);
        if got_job || self.always_reports {
            self.report();
        }
    }

    fn report(&self) {
        self.state.lock().unwrap().1 += 1;
        self.reported.notify_one();
    }

    fn manage(&self) {
        let mut state = self.state.lock().unwrap();
        while state.1 < WORKERS {
            state = self.reported.wait(state).unwrap();
        }
        drop(state);
    }
}

fn body(arguments: &Arguments) {
    let garage = Arc::new(Garage {
        state: Mutex::new((WORKERS - 1, 0)),
        reported: Condvar::new(),
        always_reports: !arguments.is_on("bug"),
    });
    run_all(WORKERS + 1, move |me| match me {
        0 => garage.manage(),
        _ => garage.work(),
    });
}
