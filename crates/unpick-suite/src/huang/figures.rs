//! Figures and listings that are a few reads and writes.

use super::program;
use crate::litmus::Instruction::{self, Lock, Read, SkipUnless, Unlock, Write};
use crate::litmus::{Litmus, Outcome};
use crate::{Arguments, Program};
use std::sync::Arc;

const X: usize = 0;
const Y: usize = 1;
const Z: usize = 2;

/// Runs the tasks of a figure to their end.
fn run(tasks: &[&[Instruction]]) -> Outcome {
    let litmus = Litmus {
        variables: 3,
        tasks: tasks.iter().map(|task| task.to_vec()).collect(),
    };
    Arc::new(litmus).run_tasks()
}

const fn figure(name: &'static str, summary: &'static str, body: fn(&Arguments)) -> Program {
    program(name, summary, &[], None, body)
}

pub(crate) const FIG3_1: Program = figure(
    "huang.fig3_1",
    "a read that happens only if the one before returned 0",
    |_| {
        drop(run(&[
            &[Read(X), SkipUnless(0, 1), Read(X)],
            &[Write(X, 1)],
        ]))
    },
);

pub(crate) const FIG3_2: Program = figure("huang.fig3_2", "two pairs of writer and reader", |_| {
    drop(run(&[
        &[Write(X, 1)],
        &[Read(X)],
        &[Write(Y, 1)],
        &[Read(Y)],
    ]));
});

pub(crate) const SB: Program = program(
    "huang.sb",
    "figure 3.5a: store buffering",
    &[],
    Some("under TSO and PSO both tasks can read the old value"),
    |_| {
        let reads = run(&[&[Write(X, 1), Read(Y)], &[Write(Y, 1), Read(X)]]);
        assert!(reads != [[0], [0]], "both tasks read the old value");
    },
);

pub(crate) const MP: Program = program(
    "huang.mp",
    "figure 3.5b: message passing",
    &[],
    Some("under PSO the flag can be seen before the data"),
    |_| {
        let reads = run(&[&[Write(X, 1), Write(Y, 1)], &[Read(Y), Read(X)]]);
        assert!(reads[1] != [1, 0], "the flag came before the data");
    },
);

pub(crate) const LISTING4_1: Program = figure("huang.listing4_1", "one write, two reads", |_| {
    drop(run(&[&[Write(X, 1)], &[Read(X), Read(X)]]));
});

pub(crate) const FIG5_3: Program = figure(
    "huang.fig5_3",
    "two pairs, the second reader writes for the first one",
    |_| {
        drop(run(&[
            &[Write(X, 1)],
            &[Read(X)],
            &[Write(Y, 1)],
            &[Write(X, 2), Read(Y)],
        ]));
    },
);

pub(crate) const FIG5_5: Program = figure(
    "huang.fig5_5",
    "two pairs, both readers hold one lock",
    |_| {
        drop(run(&[
            &[Write(X, 1)],
            &[Lock(0), Read(X), Unlock(0)],
            &[Write(Y, 1)],
            &[Lock(0), Read(Y), Unlock(0)],
        ]));
    },
);

pub(crate) const FIG5_6: Program = figure(
    "huang.fig5_6",
    "three pairs, the readers come first",
    |_| {
        drop(run(&[
            &[Read(X)],
            &[Read(Y)],
            &[Read(Z)],
            &[Write(X, 1)],
            &[Write(Y, 1)],
            &[Write(Z, 1)],
        ]));
    },
);

pub(crate) const CE1: Program = figure(
    "huang.ce1",
    "a state that shortest seeds with kept prefixes lose",
    |_| drop(run(&[&[Read(X), Write(Y, 2)], &[Write(X, 1), Read(Y)]])),
);

pub(crate) const CE2: Program = figure("huang.ce2", "two readers of one writer", |_| {
    drop(run(&[&[Read(Y)], &[Read(Y)], &[Write(Y, 2)]]));
});

pub(crate) const SB_RFI: Program = figure(
    "huang.sb_rfi",
    "store buffering, where each task reads its own store first",
    |_| {
        drop(run(&[
            &[Write(X, 1), Read(X), Read(Y)],
            &[Write(Y, 1), Read(Y), Read(X)],
        ]));
    },
);
