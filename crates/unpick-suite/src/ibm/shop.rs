//! A supplier starts, the main task sleeps for a while, and then the customers come; nobody looks whether the
//! goods are there.

use super::{program, run_all};
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use std::time::Duration;
use unpick::sync::Mutex;
use unpick::thread;

pub(crate) const PROGRAM: Program = program(
    "ibm.shop",
    "customers who come after a sleep",
    "a sleep is no order",
    &[Parameter::twin("0 waits for the supplier")],
    body,
);

const CUSTOMERS: u32 = 2;

fn body(arguments: &Arguments) {
    let waits = !arguments.is_on("bug");
    let goods = Arc::new(Mutex::new(0));
    let shared = goods.clone();
    let supplier = thread::spawn(move || {
        for _ in 0..CUSTOMERS {
            *shared.lock().unwrap() += 1;
        }
    });
    let supplier = match waits {
        true => supplier.join().map(|()| None).unwrap(),
        false => {
            thread::sleep(Duration::from_millis(10));
            Some(supplier)
        }
    };
    run_all(CUSTOMERS as usize, move |_| {
        let mut goods = goods.lock().unwrap();
        assert!(*goods > 0, "nothing is left");
        *goods -= 1;
        drop(goods);
    });
    if let Some(supplier) = supplier {
        supplier.join().unwrap();
    }
}
