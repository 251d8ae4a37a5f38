//! The one source of random numbers: SplitMix64.
//!
//! G. L. Steele, D. Lea, C. H. Flood, *Fast splittable pseudorandom number generators*, OOPSLA 2014.
//! Written out here and pinned by known answers: one seed gives one schedule, on every machine,
//! for ever.

/// A generator that is cheap to seed and to step.
#[derive(Clone, Debug)]
pub struct RandomSource {
    state: u64,
    /// What `state` gives. Worked out before it is asked for: who goes on hangs on it, and on that
    /// everything that a processor could do meanwhile.
    ahead: u64,
}

impl RandomSource {
    #[inline]
    fn new(state: u64) -> RandomSource {
        let mut source = RandomSource { state, ahead: 0 };
        source.next();
        source
    }

    /// The generator of execution `index` of an exploration with this seed.
    pub fn for_execution(seed: u64, index: u64) -> RandomSource {
        let start = RandomSource::new(seed).ahead;
        RandomSource::new(start ^ index.wrapping_mul(0xd1b5_4a32_d192_ed03))
    }

    /// The next 64 bits.
    #[inline]
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        core::mem::replace(&mut self.ahead, bits ^ (bits >> 31))
    }

    /// A number below `limit`, which is not zero. The bias is below `limit` in 2^64.
    #[inline]
    pub fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(limit)) >> 64) as u64
    }

    /// Whether an event of probability `part` in `whole` happens.
    #[inline]
    pub fn chance(&mut self, part: u64, whole: u64) -> bool {
        self.below(whole) < part
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_answers() {
        let mut source = RandomSource::new(1234567);
        let first: [u64; 3] = core::array::from_fn(|_| source.next());
        assert_eq!(
            first,
            [
                6457827717110365317,
                3203168211198807973,
                9817491932198370423
            ]
        );
        let mut source = RandomSource::for_execution(7, 0);
        let mut other = RandomSource::for_execution(7, 1);
        assert_ne!(source.next(), other.next());
    }

    #[test]
    fn numbers_stay_below_their_limit_and_reach_it() {
        let mut source = RandomSource::for_execution(1, 2);
        let mut seen = [0u32; 5];
        for _ in 0..5_000 {
            seen[source.below(5) as usize] += 1;
        }
        assert!(seen.iter().all(|&count| count > 850), "{seen:?}");
    }
}
