//! Shares of the executions, by Thompson sampling.

use super::RandomSource;

/// Entries of the table of shares that a member always has.
const EVEN: usize = 8;

/// Observations that the evidence is scaled down to, at most, before a belief is drawn from it: a
/// share never rests on so much that it cannot change within an epoch.
const EVIDENCE_MAX: u64 = 30;

/// Executions before which there is no evidence worth a look.
const EVIDENCE_AT: u64 = 64;

/// Distinguishes the numbers drawn here from those that the members draw.
const SALT: u64 = 0x7368_6172_6573;

/// Who gets which share of the executions.
pub(super) struct Shares<const MEMBERS: usize> {
    seed: u64,
    /// A member for each equally probable draw.
    table: [[u8; MEMBERS]; 2 * EVEN],
    /// Executions of each member and how many of them were successes, old ones discounted.
    tried: [u64; MEMBERS],
    successes: [u64; MEMBERS],
}

impl<const MEMBERS: usize> Shares<MEMBERS> {
    pub fn new(seed: u64) -> Self {
        Shares {
            seed: seed ^ SALT,
            table: [core::array::from_fn(|member| member as u8); 2 * EVEN],
            tried: [0; MEMBERS],
            successes: [0; MEMBERS],
        }
    }

    /// The member of an execution.
    pub fn draw(&self, index: u64) -> usize {
        let mut source = RandomSource::for_execution(self.seed, index);
        let at = source.below((2 * EVEN * MEMBERS) as u64) as usize;
        usize::from(self.table[at / MEMBERS][at % MEMBERS])
    }

    /// Takes note of an execution.
    pub fn count(&mut self, member: usize, is_success: bool) {
        self.tried[member] += 1;
        self.successes[member] += u64::from(is_success);
    }

    /// Gives half of the shares anew, for the executions from number `first` on.
    pub fn adapt(&mut self, first: u64) {
        if first < EVIDENCE_AT {
            return;
        }
        let mut source = RandomSource::for_execution(!self.seed, first);
        for entry in self.table[EVEN..].iter_mut().flatten() {
            let beliefs: [u64; MEMBERS] = core::array::from_fn(|member| {
                belief(self.successes[member], self.tried[member], &mut source)
            });
            let best = (0..MEMBERS).max_by_key(|&member| beliefs[member]);
            *entry = best.expect("internal error: no members") as u8;
        }
        for count in self.tried.iter_mut().chain(&mut self.successes) {
            *count /= 2;
        }
    }
}

/// A probability of success, drawn from what is believed of it: Beta(successes + 1, failures + 1), which
/// is the distribution of that order statistic of so many uniform numbers.
fn belief(successes: u64, tried: u64, source: &mut RandomSource) -> u64 {
    let total = tried.min(EVIDENCE_MAX);
    let rank = (successes * total).checked_div(tried).unwrap_or(0) as usize;
    let mut numbers = [0; EVIDENCE_MAX as usize + 1];
    let numbers = &mut numbers[..=total as usize];
    numbers
        .iter_mut()
        .for_each(|number| *number = source.next());
    *numbers.select_nth_unstable(rank).1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(shares: &Shares<3>) -> [u64; 3] {
        let mut counts = [0; 3];
        for index in 0..9_000 {
            counts[shares.draw(index)] += 1;
        }
        counts
    }

    #[test]
    fn shares_are_even_as_long_as_nothing_tells_members_apart() {
        let mut shares = Shares::<3>::new(7);
        assert!(drawn(&shares).iter().all(|&count| count > 2_800));
        for index in 0..300 {
            shares.count(index % 3, true);
        }
        shares.adapt(1_024);
        let counts = drawn(&shares);
        assert!(counts.iter().all(|&count| count > 2_000), "{counts:?}");
    }

    #[test]
    fn who_finds_nothing_new_keeps_half_of_an_even_share_until_the_others_find_nothing_either() {
        let mut shares = Shares::<3>::new(7);
        for index in 0..300 {
            shares.count(index % 3, index % 3 != 0);
        }
        shares.adapt(1_024);
        let counts = drawn(&shares);
        assert!((1_400..1_600).contains(&counts[0]), "{counts:?}");
        assert!(counts[1] > 2_500 && counts[2] > 2_500, "{counts:?}");
        for epoch in 0..6 {
            (0..3_000).for_each(|index| shares.count(index % 3, false));
            shares.adapt(2_048 << epoch);
        }
        let counts = drawn(&shares);
        assert!(counts[0] > 2_000, "{counts:?}");
    }
}
