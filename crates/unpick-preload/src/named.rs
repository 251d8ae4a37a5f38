//! Functions that the user has named: their beginning is a scheduling point.
//!
//! Nobody knows what such a function does that others could notice, so all of them count as one
//! object that each may change.

use crate::runtime::{Runtime, operate};
use alloc::vec::Vec;
use core::ops::Range;
use unpick_engine::Shape;
use unpick_protocol::{Module, NamedCode};
use unpick_trace::{ObjectId, Op, OpKind};

/// The functions of an order.
#[derive(Default)]
pub struct Named {
    functions: Vec<Function>,
    /// What they all use, in this execution.
    object: Option<ObjectId>,
}

struct Function {
    code: Range<usize>,
    /// Whether it has begun in any execution.
    is_entered: bool,
}

impl Named {
    /// Finds the code in memory. What lies in no module is never reached.
    pub fn new(named: &[NamedCode], modules: &[Module]) -> Named {
        let place = |code: &NamedCode| {
            let module = modules.iter().find(|module| module.path == code.module);
            let base = module.map(|module| module.base);
            let at = |address: u64| base.map_or(0, |base| (base + address) as usize);
            Function {
                code: at(code.start)..at(code.end),
                is_entered: false,
            }
        };
        Named {
            functions: named.iter().map(place).collect(),
            object: None,
        }
    }

    /// Forgets the execution, but not what has begun.
    pub fn reset(&mut self) {
        self.object = None;
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.functions.is_empty()
    }

    /// Which of them have begun.
    pub fn entered(&self) -> Vec<bool> {
        let functions = self.functions.iter();
        functions.map(|function| function.is_entered).collect()
    }
}

/// A function begins, whose code is at `pc`: others may run before it does, if it was named.
#[cold]
pub fn enter(this: &mut Runtime, pc: usize) {
    let mut functions = this.named.functions.iter_mut();
    let Some(function) = functions.find(|function| function.code.contains(&pc)) else {
        return;
    };
    function.is_entered = true;
    if this.is_alone() {
        return;
    }
    let object = match this.named.object {
        Some(object) => object,
        None => {
            let object = this.add_object(Shape::Variable, 0);
            this.execution.name_object(object, "named functions");
            this.named.object = Some(object);
            object
        }
    };
    operate(Op::new(OpKind::Enter, object), pc);
}
