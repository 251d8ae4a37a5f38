//! One task sets x and y, one sets z, and one asserts that x equals y.
//!
//! The assertion fails between the two writes: one preemption, or one delay. From figure 3.1 of
//! the thesis; 11 schedules in all.

use super::Variables;
use crate::{Arguments, Program, Source};
use std::sync::Arc;
use unpick::sync::atomic::{AtomicU32, Ordering::SeqCst};
use unpick::thread;

pub(crate) const PROGRAM: Program = Program {
    name: "thesis.fig3_1",
    summary: "a pair written by one task and compared by another, with a bystander",
    source: Source::Thesis,
    parameters: &[],
    fault: Some("the comparison can come between the two writes"),
    published: None,
    body,
};

fn body(_: &Arguments) {
    let variables = Arc::new(Variables::default());
    let shared = variables.clone();
    thread::spawn_all(vec![
        Box::new(move || {
            shared.x.set();
            shared.y.set();
        }),
        Box::new(|| AtomicU32::new(0).store(1, SeqCst)),
        Box::new(move || variables.assert_equal()),
    ]);
}
