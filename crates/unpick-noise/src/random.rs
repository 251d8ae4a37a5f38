//! Random numbers for noise: a few instructions, no state but one word.

/// A generator that is made of a seed and the number of a thread, so that threads share nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Random(u64);

impl Random {
    /// The generator of a thread.
    pub fn new(seed: u64, thread: u32) -> Random {
        let mut random = Random(seed ^ (u64::from(thread) + 1).wrapping_mul(0xd1b5_4a32_d192_ed03));
        random.next();
        random
    }

    /// The generator as it was left.
    #[inline]
    pub fn from_state(state: u64) -> Random {
        Random(state)
    }

    /// What to go on with.
    #[inline]
    pub fn state(self) -> u64 {
        self.0
    }

    /// The next number (SplitMix64).
    #[inline]
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut number = self.0;
        number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        number ^ (number >> 31)
    }

    /// A number below `bound`, which is not zero.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_draw_different_numbers_and_seeds_the_same() {
        let draw = |seed, thread| Random::new(seed, thread).next();
        assert_eq!(draw(1, 2), draw(1, 2));
        assert_ne!(draw(1, 2), draw(1, 3));
        assert_ne!(draw(1, 2), draw(2, 2));
        let mut random = Random::new(7, 0);
        let mut seen = [0; 5];
        for _ in 0..5_000 {
            seen[random.below(5) as usize] += 1;
        }
        assert!(
            seen.iter().all(|&count| (900..1_100).contains(&count)),
            "{seen:?}"
        );
    }
}
