//! The programs of figures of P. Thomson's thesis: 3.1 and 3.2 show what a preemption bound and a
//! delay bound cost, 4.1 to 4.3 what can be gained and missed when the order of locking is ignored.
//!
//! All tasks are created in one step, as in the figures, and the first task has ended then. In
//! chapter 3 an assertion over two variables is one step as well, so each variable has a twin whose
//! accesses are no scheduling points. In chapter 4 a variable is an atomic, and no two writes to it
//! have the same value: the last one can be told from the final state.

pub(crate) mod disjoint;
pub(crate) mod fig3_1;
pub(crate) mod fig3_2;
pub(crate) mod fig4_1;
pub(crate) mod fig4_2;
pub(crate) mod fig4_3;

use crate::{Arguments, Program, Source};
use std::sync::Arc;
use std::sync::atomic::{self, Ordering::Relaxed};
use unpick::sync::atomic::{AtomicU32, Ordering::SeqCst};
use unpick::thread;

/// A program of chapter 4; none has parameters.
const fn figure(
    name: &'static str,
    summary: &'static str,
    fault: Option<&'static str>,
    body: fn(&Arguments),
) -> Program {
    Program {
        name,
        summary,
        source: Source::Thesis,
        parameters: &[],
        fault,
        published: None,
        body,
    }
}

/// Creates all tasks in one step.
fn spawn_tasks<S: Send + Sync + 'static>(shared: &Arc<S>, tasks: &[fn(&S)]) {
    let bodies = tasks.iter().map(|task| {
        let (shared, task) = (shared.clone(), *task);
        Box::new(move || task(&shared)) as Box<dyn FnOnce() + Send>
    });
    thread::spawn_all(bodies.collect());
}

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
