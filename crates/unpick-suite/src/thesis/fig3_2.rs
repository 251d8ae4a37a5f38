//! Two tasks set x and y, and a third one asserts that x equals y.
//!
//! The assertion fails after the first write to x: one preemption is enough, but the second setter
//! stands between, so it takes two delays. From figure 3.2 of the thesis; 24 schedules in all.

use super::Variables;
use crate::{Arguments, Program, Source};
use std::sync::Arc;
use unpick::thread;

pub(crate) const PROGRAM: Program = Program {
    name: "thesis.fig3_2",
    summary: "a pair written by two tasks and compared by a third",
    source: Source::Thesis,
    parameters: &[],
    fault: Some("the comparison can come between the two writes"),
    published: None,
    body,
};

fn body(_: &Arguments) {
    let variables = Arc::new(Variables::default());
    let (first, second) = (variables.clone(), variables.clone());
    thread::spawn_all(vec![
        Box::new(move || set_both(&first)),
        Box::new(move || set_both(&second)),
        Box::new(move || variables.assert_equal()),
    ]);
}

fn set_both(variables: &Variables) {
    variables.x.set();
    variables.y.set();
}
