//! The bit-parallel step of edit distances, for several traces at once.
//!
//! G. Myers, *A fast bit-vector algorithm for approximate string matching based on dynamic
//! programming*, Journal of the ACM 46, 1999; H. Hyyrö, *A bit-vector algorithm for computing
//! Levenshtein and Damerau edit distances*, Nordic Journal of Computing 10, 2003.
//!
//! A bit is the difference of two neighbouring cells of the matrix of distances; 64 rows are one word.
//! Eight traces stand beside each other in the lanes of a vector and are compared with one text, so
//! that no lane needs anything of another one. The compiler makes vectors of the loops over lanes, for
//! whatever the processor has ([`pulp`] asks it).

use std::array;

use pulp::{Simd, WithSimd};

/// Traces that are compared with one text at once.
pub(super) const LANES: usize = 8;

/// Words of a strip: what the vectors of one processor hold without going to memory.
pub(super) const WORDS: usize = 4;

/// Rows of a strip.
pub(super) const STRIP: usize = 64 * WORDS;

/// One word of each lane.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Lanes(pub [u64; LANES]);

impl Lanes {
    pub(super) const NONE: Lanes = Lanes([0; LANES]);
    pub(super) const ALL: Lanes = Lanes([u64::MAX; LANES]);

    #[inline(always)]
    fn from(word: impl FnMut(usize) -> u64) -> Lanes {
        Lanes(array::from_fn(word))
    }
}

/// What a column of a strip hands down to the strip below it, one bit a lane.
#[derive(Clone, Copy)]
pub(super) struct Carry {
    /// The last row is one more than in the column before.
    pub more: Lanes,
    /// It is one less.
    pub less: Lanes,
    /// The last row may begin a swap.
    swap: Lanes,
}

impl Carry {
    /// Of the row above the matrix, and of columns that nobody worked out: one more in each column.
    pub(super) const RISING: Carry = Carry {
        more: Lanes([1; LANES]),
        less: Lanes::NONE,
        swap: Lanes::NONE,
    };
}

/// Where the symbol of a column stands in the rows of a strip.
pub(super) type Match = [Lanes; WORDS];

/// One strip: a few words of rows, and the columns of a part of the text.
pub(super) struct Strip<'a, const SWAPS: bool> {
    /// The rows at which each symbol stands.
    pub matches: &'a [Match],
    /// For each column the place of its symbol in `matches`.
    pub text: &'a [u32],
    /// The symbol of the column before the first.
    pub before: Option<u32>,
    /// What comes from the strip above; afterwards what goes to the strip below.
    pub carries: &'a mut [Carry],
}

/// In the last column of a strip: rows that are one more than the row above, and one less.
pub(super) struct Column {
    pub more: [Lanes; WORDS],
    pub less: [Lanes; WORDS],
}

impl<const SWAPS: bool> WithSimd for Strip<'_, SWAPS> {
    type Output = Column;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) -> Column {
        let mut more = [Lanes::ALL; WORDS];
        let mut less = [Lanes::NONE; WORDS];
        let mut diagonal_before = [Lanes::ALL; WORDS];
        let mut equal_before = match self.before {
            Some(symbol) => self.matches[symbol as usize],
            None => [Lanes::NONE; WORDS],
        };
        for (&symbol, carry) in self.text.iter().zip(self.carries) {
            let equals = &self.matches[symbol as usize];
            let Carry {
                more: mut more_in,
                less: mut less_in,
                swap: mut swap_in,
            } = *carry;
            for word in 0..WORDS {
                let (equal, up, down) = (equals[word].0, more[word].0, less[word].0);
                let start = Lanes::from(|lane| equal[lane] | less_in.0[lane]).0;
                let sum = Lanes::from(|lane| (start[lane] & up[lane]).wrapping_add(up[lane])).0;
                let mut diagonal =
                    Lanes::from(|lane| (sum[lane] ^ up[lane]) | start[lane] | down[lane]).0;
                if SWAPS {
                    let before = diagonal_before[word].0;
                    let swap = Lanes::from(|lane| !before[lane] & equal[lane]).0;
                    diagonal = Lanes::from(|lane| {
                        let swapped =
                            ((swap[lane] << 1) | swap_in.0[lane]) & equal_before[word].0[lane];
                        diagonal[lane] | swapped
                    })
                    .0;
                    swap_in = Lanes::from(|lane| swap[lane] >> 63);
                    diagonal_before[word] = Lanes(diagonal);
                    equal_before[word] = Lanes(equal);
                }
                let right_up = Lanes::from(|lane| down[lane] | !(diagonal[lane] | up[lane])).0;
                let right_down = Lanes::from(|lane| diagonal[lane] & up[lane]).0;
                let above_up = Lanes::from(|lane| (right_up[lane] << 1) | more_in.0[lane]).0;
                let above_down = Lanes::from(|lane| (right_down[lane] << 1) | less_in.0[lane]).0;
                more_in = Lanes::from(|lane| right_up[lane] >> 63);
                less_in = Lanes::from(|lane| right_down[lane] >> 63);
                more[word] =
                    Lanes::from(|lane| above_down[lane] | !(diagonal[lane] | above_up[lane]));
                less[word] = Lanes::from(|lane| above_up[lane] & diagonal[lane]);
            }
            *carry = Carry {
                more: more_in,
                less: less_in,
                swap: swap_in,
            };
        }
        Column { more, less }
    }
}
