//! The litmus tests of the literature, with the outcome that tells the models apart.
//!
//! J. Alglave, L. Maranget, M. Tautschnig, *Herding cats*, TOPLAS 2014, for the names; the critical sections
//! of Peterson, Dekker and Lamport are cut down to one attempt without waiting.

use super::Instruction::{
    self, Fence, FenceAcquire, FenceRelease, Read, Release, SkipUnless, Write, WriteSeqCst,
};
use unpick::Memory;

/// A litmus test with what is asked about it.
pub struct Classic {
    /// Its name.
    pub name: &'static str,
    /// How many variables it has.
    pub variables: usize,
    /// Its tasks.
    pub tasks: &'static [&'static [Instruction]],
    /// The question: what reads return, by task, and perhaps the variables at the end.
    pub asked: &'static [&'static [u32]],
    /// The models that allow it.
    pub allowed: &'static [Memory],
    /// How many outcomes there are under the three models.
    pub counts: [usize; 3],
}

const X: usize = 0;
const Y: usize = 1;
const Z: usize = 2;

const WEAK: &[Memory] = &[Memory::Tso, Memory::Pso];
const WEAKEST: &[Memory] = &[Memory::Pso];
const NONE: &[Memory] = &[];

const fn test(
    name: &'static str,
    tasks: &'static [&'static [Instruction]],
    asked: &'static [&'static [u32]],
    allowed: &'static [Memory],
    counts: [usize; 3],
) -> Classic {
    Classic {
        name,
        variables: 3,
        tasks,
        asked,
        allowed,
        counts,
    }
}

/// All of them.
pub const CLASSICS: &[Classic] = &[
    test(
        "SB",
        &[&[Write(X, 1), Read(Y)], &[Write(Y, 1), Read(X)]],
        &[&[0], &[0]],
        WEAK,
        [3, 4, 4],
    ),
    test(
        "SB+fences",
        &[
            &[Write(X, 1), Fence, Read(Y)],
            &[Write(Y, 1), Fence, Read(X)],
        ],
        &[&[0], &[0]],
        NONE,
        [3, 3, 3],
    ),
    test(
        "SB+seqcst",
        &[&[WriteSeqCst(X, 1), Read(Y)], &[WriteSeqCst(Y, 1), Read(X)]],
        &[&[0], &[0]],
        NONE,
        [3, 3, 3],
    ),
    test(
        "MP",
        &[&[Write(X, 1), Write(Y, 1)], &[Read(Y), Read(X)]],
        &[&[], &[1, 0]],
        WEAKEST,
        [3, 3, 4],
    ),
    test(
        "MP+release",
        &[&[Write(X, 1), Release(Y, 1)], &[Read(Y), Read(X)]],
        &[&[], &[1, 0]],
        NONE,
        [3, 3, 3],
    ),
    // A fence that releases keeps stores in order, and nothing else.
    test(
        "SB+release-fences",
        &[
            &[Write(X, 1), FenceRelease, Read(Y)],
            &[Write(Y, 1), FenceRelease, Read(X)],
        ],
        &[&[0], &[0]],
        WEAK,
        [3, 4, 4],
    ),
    test(
        "MP+release-fence",
        &[
            &[Write(X, 1), FenceRelease, Write(Y, 1)],
            &[Read(Y), FenceAcquire, Read(X)],
        ],
        &[&[], &[1, 0]],
        NONE,
        [3, 3, 3],
    ),
    test(
        "LB",
        &[&[Read(X), Write(Y, 1)], &[Read(Y), Write(X, 1)]],
        &[&[1], &[1]],
        NONE,
        [3, 3, 3],
    ),
    test(
        "IRIW",
        &[
            &[Write(X, 1)],
            &[Write(Y, 1)],
            &[Read(X), Read(Y)],
            &[Read(Y), Read(X)],
        ],
        &[&[], &[], &[1, 0], &[1, 0]],
        NONE,
        [15, 15, 15],
    ),
    test(
        "WRC",
        &[&[Write(X, 1)], &[Read(X), Write(Y, 1)], &[Read(Y), Read(X)]],
        &[&[], &[1], &[1, 0]],
        NONE,
        [7, 7, 7],
    ),
    test(
        "2+2W",
        &[&[Write(X, 1), Write(Y, 2)], &[Write(Y, 1), Write(X, 2)]],
        &[&[], &[], &[1, 1, 0]],
        WEAKEST,
        [3, 3, 4],
    ),
    test(
        "S",
        &[&[Write(X, 2), Write(Y, 1)], &[Read(Y), Write(X, 1)]],
        &[&[], &[1], &[2, 1, 0]],
        WEAKEST,
        [3, 3, 4],
    ),
    test(
        "R",
        &[&[Write(X, 1), Write(Y, 1)], &[Write(Y, 2), Read(X)]],
        &[&[], &[0], &[1, 2, 0]],
        WEAK,
        [3, 4, 4],
    ),
    test(
        "SB+rfi",
        &[
            &[Write(X, 1), Read(X), Read(Y)],
            &[Write(Y, 1), Read(Y), Read(X)],
        ],
        &[&[1, 0], &[1, 0]],
        WEAK,
        [3, 4, 4],
    ),
    test(
        "CoRR",
        &[&[Write(X, 1)], &[Read(X), Read(X)]],
        &[&[], &[1, 0]],
        NONE,
        [3, 3, 3],
    ),
    test(
        "CoWW",
        &[&[Write(X, 1), Write(X, 2)], &[Read(X), Read(X)]],
        &[&[], &[2, 1]],
        NONE,
        [6, 6, 6],
    ),
    // Both enter: each has seen that the other one does not want to.
    test(
        "Peterson",
        &[
            &[Write(X, 1), Write(Z, 2), Read(Y), SkipUnless(1, 1), Read(Z)],
            &[Write(Y, 1), Write(Z, 1), Read(X), SkipUnless(1, 1), Read(Z)],
        ],
        &[&[0], &[0]],
        WEAK,
        [6, 12, 12],
    ),
    test(
        "Dekker",
        &[
            &[Write(X, 1), Read(Y), SkipUnless(0, 2), Write(Z, 1), Read(Z)],
            &[Write(Y, 1), Read(X), SkipUnless(0, 2), Write(Z, 2), Read(Z)],
        ],
        &[&[0, 1], &[0, 2]],
        WEAK,
        [3, 7, 7],
    ),
    // The fast path: both have written their number last and seen nobody at the gate.
    test(
        "Lamport",
        &[
            &[Write(X, 1), Read(Y), SkipUnless(0, 2), Write(Y, 1), Read(X)],
            &[Write(X, 2), Read(Y), SkipUnless(0, 2), Write(Y, 2), Read(X)],
        ],
        &[&[0, 1], &[0, 2]],
        WEAK,
        [10, 14, 14],
    ),
];
