//! `n` windows sell `seats` seats, and each counts its own sales.
//!
//! Locked: the seats and the counts, by one lock, in two sections. Conflicts: the sale of seats,
//! whose order decides who gets the last one; the counts not at all.

use super::{program, run_tasks, values, zeros};
use crate::section::section;
use crate::{Arguments, Parameter, Program};
use unpick::sync::Mutex;
use unpick::sync::atomic::{AtomicU32, Ordering::SeqCst};

pub(crate) const PROGRAM: Program = program(
    "coarse.ticket_office",
    "several windows sell the seats of one hall",
    &[
        Parameter::size("n", "windows", 3, 1, 16),
        Parameter::size("m", "customers at each window", 2, 1, 100),
        Parameter::size("seats", "seats", 4, 0, 100),
    ],
    body,
);

struct Office {
    lock: Mutex<()>,
    free: AtomicU32,
    sales: Box<[AtomicU32]>,
}

impl Office {
    fn sell(&self, window: usize) {
        let is_sold = section(&self.lock, || {
            let free = self.free.load(SeqCst);
            if free > 0 {
                self.free.store(free - 1, SeqCst);
            }
            free > 0
        });
        if is_sold {
            section(&self.lock, || self.sales[window].fetch_add(1, SeqCst));
        }
    }
}

fn body(arguments: &Arguments) {
    let (windows, customers) = (arguments.size("n"), arguments.size("m"));
    let seats = arguments.get("seats");
    let office = Office {
        lock: Mutex::new(()),
        free: AtomicU32::new(seats),
        sales: zeros(windows),
    };
    run_tasks(
        windows,
        office,
        move |office, window| (0..customers).for_each(|_| office.sell(window)),
        move |office| {
            let sold: u32 = values(office.sales).iter().sum();
            assert!(
                sold + office.free.into_inner() == seats,
                "a seat was sold twice"
            );
        },
    );
}
