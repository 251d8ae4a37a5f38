//! Whether noise fires at a placement, of which type, and how strongly.
//!
//! Plain numbers that can lie in memory that two processes share. A draw takes a few nanoseconds and
//! neither locks nor allocates.

use crate::Random;

/// How a thread is held up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Type {
    /// It sleeps.
    #[default]
    Sleep,
    /// It offers its processor to others, so often.
    Yield,
    /// It keeps its processor busy.
    Busy,
    /// It waits until another thread comes to a placement at which noise fires, but not for longer.
    Wait,
    /// One of the four above, drawn anew each time.
    Mixed,
    /// It stops until no other thread has come to a placement for so long; only one thread at a time.
    Halt,
    /// All others stop at their next placement for so long.
    Alone,
    /// Its priority is set to a random value.
    Priority,
}

impl Type {
    /// All of them.
    pub const ALL: &[Type] = &[
        Type::Sleep,
        Type::Yield,
        Type::Busy,
        Type::Wait,
        Type::Mixed,
        Type::Halt,
        Type::Alone,
        Type::Priority,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Type::Sleep => "sleep",
            Type::Yield => "yield",
            Type::Busy => "busy",
            Type::Wait => "wait",
            Type::Mixed => "mixed",
            Type::Halt => "halt",
            Type::Alone => "alone",
            Type::Priority => "priority",
        }
    }

    /// What it does.
    pub fn meaning(self) -> &'static str {
        match self {
            Type::Sleep => "the thread sleeps",
            Type::Yield => "the thread yields, so often",
            Type::Busy => "the thread keeps its processor busy",
            Type::Wait => "the thread waits until noise fires in another one, but not for longer",
            Type::Mixed => "sleep, yield, busy or wait, drawn anew each time",
            Type::Halt => "one thread stops until no other has come to a placement for so long",
            Type::Alone => "all other threads stop at their next placement for so long",
            Type::Priority => "the thread gets a random nice value",
        }
    }

    /// Whether its strength is a time.
    pub fn is_timed(self) -> bool {
        !matches!(self, Type::Yield | Type::Priority)
    }
}

/// How strengths are spread over their interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Distribution {
    /// All are as likely as each other, both ends included.
    #[default]
    Uniform,
    /// One end or the other.
    Ends,
    /// Mostly weak, now and then strong: a uniform number to the power of three.
    Weak,
}

impl Distribution {
    /// All of them.
    pub const ALL: &[Distribution] = &[
        Distribution::Uniform,
        Distribution::Ends,
        Distribution::Weak,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Distribution::Uniform => "uniform",
            Distribution::Ends => "ends",
            Distribution::Weak => "weak",
        }
    }
}

/// How the probability falls with how often a thread has come to a place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Decay {
    /// Not at all.
    #[default]
    None,
    /// The k-th time, from zero, it is divided by k + 1.
    Harmonic,
    /// It is halved each time.
    Halving,
}

impl Decay {
    /// All of them.
    pub const ALL: &[Decay] = &[Decay::None, Decay::Harmonic, Decay::Halving];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Decay::None => "none",
            Decay::Harmonic => "harmonic",
            Decay::Halving => "halving",
        }
    }
}

/// Noise that fires now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Noise {
    /// How; never [`Type::Mixed`].
    pub kind: Type,
    /// Nanoseconds, repetitions, or a nice value.
    pub strength: u64,
}

/// Everything about the noise at one placement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Seeding {
    /// The probability that it fires, as a share of 2^32.
    pub probability: u64,
    /// The weakest.
    pub strength_min: u64,
    /// The strongest.
    pub strength_max: u64,
    /// How often a yield of mixed noise yields, at least.
    pub yields_min: u32,
    /// The same at most.
    pub yields_max: u32,
    /// How a thread is held up.
    pub kind: Type,
    /// How strengths are spread.
    pub distribution: Distribution,
    /// How the probability falls.
    pub decay: Decay,
}

/// The probability one.
pub const CERTAIN: u64 = 1 << 32;

impl Seeding {
    /// Draws whether noise fires; `visits` is how often the thread has come to the place before.
    #[inline]
    pub fn draw(&self, random: &mut Random, visits: u32) -> Option<Noise> {
        let probability = match self.decay {
            Decay::None => self.probability,
            Decay::Harmonic => self.probability / (u64::from(visits) + 1),
            Decay::Halving => self.probability.checked_shr(visits).unwrap_or(0),
        };
        if random.next() >> 32 >= probability {
            return None;
        }
        Some(self.fire(random))
    }

    /// The noise, once it is decided that it fires.
    #[cold]
    fn fire(&self, random: &mut Random) -> Noise {
        let kind = match self.kind {
            Type::Mixed => {
                [Type::Sleep, Type::Yield, Type::Busy, Type::Wait][random.below(4) as usize]
            }
            other => other,
        };
        let is_other_unit = self.kind == Type::Mixed && kind == Type::Yield;
        let (low, high) = match is_other_unit {
            true => (u64::from(self.yields_min), u64::from(self.yields_max)),
            false => (self.strength_min, self.strength_max),
        };
        Noise {
            kind,
            strength: self.distribution.between(low, high, random),
        }
    }
}

impl Distribution {
    /// A number from `low` to `high`, both included.
    fn between(self, low: u64, high: u64, random: &mut Random) -> u64 {
        let span = high.saturating_sub(low);
        match self {
            Distribution::Uniform => low + random.below(span.saturating_add(1)),
            Distribution::Ends => match random.next() & 1 {
                0 => low,
                _ => high,
            },
            Distribution::Weak => {
                let share = random.next() >> 43;
                let cube = u128::from(share) * u128::from(share) * u128::from(share);
                low + ((u128::from(span) * cube) >> 63) as u64
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seeding(probability: f64) -> Seeding {
        Seeding {
            probability: (probability * CERTAIN as f64) as u64,
            strength_min: 3,
            strength_max: 7,
            ..Seeding::default()
        }
    }

    fn fired(seeding: &Seeding, count: u32) -> u32 {
        let mut random = Random::new(11, 0);
        (0..count)
            .filter(|_| seeding.draw(&mut random, 0).is_some())
            .count() as u32
    }

    #[test]
    fn noise_fires_as_often_as_it_is_likely() {
        assert_eq!(fired(&seeding(0.0), 10_000), 0);
        assert_eq!(fired(&seeding(1.0), 10_000), 10_000);
        // Five standard deviations.
        assert!(fired(&seeding(0.25), 10_000).abs_diff(2_500) < 217);
    }

    #[test]
    fn strengths_keep_to_their_closed_interval() {
        for &distribution in Distribution::ALL {
            let seeding = Seeding {
                distribution,
                ..seeding(1.0)
            };
            let mut random = Random::new(5, 0);
            let mut seen = [0_u32; 10];
            for _ in 0..10_000 {
                let noise = seeding.draw(&mut random, 0).expect("it is certain");
                seen[noise.strength as usize] += 1;
            }
            assert_eq!(seen[..3], [0; 3]);
            assert_eq!(seen[8..], [0; 2]);
            match distribution {
                Distribution::Uniform => {
                    assert!(seen[3..8].iter().all(|&n| n.abs_diff(2_000) < 200))
                }
                Distribution::Ends => assert_eq!(seen[4..7], [0; 3]),
                // A third of the cubes lies below one in twenty-seven.
                Distribution::Weak => assert!(seen[3] > 5_000, "{seen:?}"),
            }
        }
    }

    #[test]
    fn the_probability_falls_with_visits() {
        let mut random = Random::new(1, 0);
        let mut count = |decay, visits| {
            let seeding = Seeding {
                decay,
                ..seeding(1.0)
            };
            (0..10_000)
                .filter(|_| seeding.draw(&mut random, visits).is_some())
                .count()
        };
        assert_eq!(count(Decay::None, 99), 10_000);
        assert_eq!(count(Decay::Harmonic, 0), 10_000);
        assert!(count(Decay::Harmonic, 3).abs_diff(2_500) < 217);
        assert!(count(Decay::Halving, 2).abs_diff(2_500) < 217);
        assert_eq!(count(Decay::Halving, 80), 0);
    }

    #[test]
    fn mixed_noise_uses_four_types_and_the_right_units() {
        let seeding = Seeding {
            kind: Type::Mixed,
            strength_min: 1_000,
            strength_max: 2_000,
            yields_min: 1,
            yields_max: 9,
            ..seeding(1.0)
        };
        let mut random = Random::new(3, 0);
        let mut seen = alloc::vec::Vec::new();
        for _ in 0..200 {
            let noise = seeding.draw(&mut random, 0).expect("it is certain");
            assert_eq!(noise.kind == Type::Yield, noise.strength < 10);
            if !seen.contains(&noise.kind) {
                seen.push(noise.kind);
            }
        }
        assert_eq!(seen.len(), 4);
    }
}
