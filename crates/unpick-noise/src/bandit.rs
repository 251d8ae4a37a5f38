//! Which plan to try next: a bandit with several arms.
//!
//! Peter Auer, Nicolò Cesa-Bianchi, Paul Fischer, *Finite-time Analysis of the Multiarmed Bandit Problem*,
//! Machine Learning 47, 2002 (UCB1). No plan is best for every program, so plans are searched together with
//! executions, as in test and noise configuration search (Hrubá et al., 2012).
//!
//! Departures from the paper: rewards wear off. What is new today (a schedule never seen before) is not
//! new tomorrow, so that rewards are not drawn from one distribution for ever; older ones count less, by
//! a constant factor at each pull (discounted UCB, Garivier and Moulines, 2011).

/// What is known of the arms.
#[derive(Clone, Debug)]
pub struct Bandit {
    arms: Vec<Arm>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Arm {
    /// Pulls, of which older ones count less.
    weight: f64,
    /// Rewards, of which older ones count less.
    reward: f64,
}

/// How much of what was learned is left after each pull.
const MEMORY: f64 = 0.98;

impl Bandit {
    /// Arms that nobody has pulled.
    pub fn new(count: usize) -> Bandit {
        Bandit {
            arms: vec![Arm::default(); count],
        }
    }

    /// The arm to pull: one that was never pulled, else the one that may be the best.
    pub fn choose(&self) -> usize {
        let total: f64 = self.arms.iter().map(|arm| arm.weight).sum();
        let bound = |arm: &Arm| match arm.weight > 0.0 {
            true => arm.reward / arm.weight + (2.0 * total.max(1.0).ln() / arm.weight).sqrt(),
            false => f64::INFINITY,
        };
        let mut best = (0, f64::NEG_INFINITY);
        for (number, arm) in self.arms.iter().enumerate() {
            if bound(arm) > best.1 {
                best = (number, bound(arm));
            }
        }
        best.0
    }

    /// Learns what an arm gave, from 0 to 1.
    pub fn learn(&mut self, arm: usize, reward: f64) {
        for arm in &mut self.arms {
            arm.weight *= MEMORY;
            arm.reward *= MEMORY;
        }
        self.arms[arm].weight += 1.0;
        self.arms[arm].reward += reward.clamp(0.0, 1.0);
    }

    /// What an arm gave on average, of late.
    pub fn mean(&self, arm: usize) -> f64 {
        match self.arms[arm].weight {
            weight if weight > 0.0 => self.arms[arm].reward / weight,
            _ => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    fn pulls(rates: &dyn Fn(usize, usize) -> u64, arms: usize, count: usize) -> Vec<usize> {
        let mut bandit = Bandit::new(arms);
        let mut random = Random::new(9, 0);
        let mut pulled = vec![0; arms];
        for at in 0..count {
            let arm = bandit.choose();
            pulled[arm] += 1;
            let is_lucky = random.below(100) < rates(arm, at);
            bandit.learn(arm, f64::from(u8::from(is_lucky)));
        }
        pulled
    }

    #[test]
    fn every_arm_is_tried_and_the_best_most() {
        let pulled = pulls(&|arm, _| [2, 5, 90, 10][arm], 4, 400);
        assert!(pulled.iter().all(|&count| count > 0), "{pulled:?}");
        assert!(pulled[2] > 200, "{pulled:?}");
    }

    #[test]
    fn what_wears_off_is_left() {
        // The first arm is good at first and then gives nothing any more.
        let rates = |arm: usize, at: usize| match (arm, at < 200) {
            (0, true) => 90,
            (0, false) => 0,
            _ => 30,
        };
        let early = pulls(&rates, 2, 200);
        let all = pulls(&rates, 2, 600);
        assert!(early[0] > early[1]);
        assert!(all[0] - early[0] < 150, "{early:?} {all:?}");
    }
}
