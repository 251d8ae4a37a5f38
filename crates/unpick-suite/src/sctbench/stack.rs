//! Ten pushes and ten pops by two tasks under one lock.
//!
//! A flag that is set at the first push and never reset lets the second task pop from an empty
//! stack. From the CS suite in SCTBench (id 24).

use super::with_twin;
use crate::published::rows::STACK;
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use unpick::sync::Mutex;
use unpick::thread;

pub(crate) const PROGRAM: Program = with_twin(
    &STACK,
    "pushes and pops under one lock",
    "the flag that allows a pop does not mean that there is an element",
    &[Parameter::twin("0 looks for an element")],
    body,
);

const SIZE: usize = 10;

struct Stack {
    top: usize,
    may_pop: bool,
}

fn body(arguments: &Arguments) {
    let trusts_flag = arguments.is_on("bug");
    let stack = Arc::new(Mutex::new(Stack {
        top: 0,
        may_pop: false,
    }));
    let shared = stack.clone();
    let pusher = thread::spawn(move || push_all(&shared));
    let popper = thread::spawn(move || pop_all(&stack, trusts_flag));
    pusher.join().unwrap();
    popper.join().unwrap();
}

fn push_all(stack: &Mutex<Stack>) {
    for _ in 0..SIZE {
        let mut stack = stack.lock().unwrap();
        assert!(stack.top != SIZE, "stack overflow");
        stack.top += 1;
        stack.may_pop = true;
        drop(stack);
    }
}

fn pop_all(stack: &Mutex<Stack>, trusts_flag: bool) {
    for _ in 0..SIZE {
        let mut stack = stack.lock().unwrap();
        if stack.may_pop && (trusts_flag || stack.top > 0) {
            assert!(stack.top != 0, "stack underflow");
            stack.top -= 1;
        }
        drop(stack);
    }
}
