//! The programs of figures 3.1 and 3.2 of P. Thomson's thesis, which show what a preemption bound
//! and a delay bound cost.
//!
//! All tasks are created in one step, as in the figures. An assertion over two variables is one
//! step as well, so each variable has a twin whose accesses are no scheduling points.

pub(crate) mod fig3_1;
pub(crate) mod fig3_2;

use std::sync::atomic::{self, Ordering::Relaxed};
use unpick::sync::atomic::{AtomicU32, Ordering::SeqCst};

/// The variables x and y of both figures.
#[derive(Default)]
struct Variables {
    x: Variable,
    y: Variable,
}

impl Variables {
    /// The step `assert x == y`: its visible operation is one load of x.
    fn assert_equal(&self) {
        self.x.visible.load(SeqCst);
        let (x, y) = (self.x.twin.load(Relaxed), self.y.twin.load(Relaxed));
        assert!(x == y, "x and y differ");
    }
}

/// A variable that can also be read within somebody else's step.
#[derive(Default)]
struct Variable {
    visible: AtomicU32,
    // Invariant: equals `visible` at every scheduling point.
    twin: atomic::AtomicU32,
}

impl Variable {
    fn set(&self) {
        self.visible.store(1, SeqCst);
        self.twin.store(1, Relaxed);
    }
}
