//! Tasks take resources in pairs, without an order of all resources.

use super::{program, run_all};
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use unpick::sync::Mutex;

pub(crate) const PROGRAM: Program = program(
    "ibm.deadlock",
    "resources taken in pairs",
    "no order of resources: deadlock",
    &[Parameter::twin("0 takes the smaller resource first")],
    body,
);

const RESOURCES: usize = 3;

fn body(arguments: &Arguments) {
    let is_ordered = !arguments.is_on("bug");
    let resources: Arc<[Mutex<()>; RESOURCES]> = Arc::default();
    run_all(RESOURCES, move |me| {
        let mut pair = [me, (me + 1) % RESOURCES];
        if is_ordered {
            pair.sort_unstable();
        }
        let first = resources[pair[0]].lock().unwrap();
        let second = resources[pair[1]].lock().unwrap();
        drop(second);
        drop(first);
    });
}
