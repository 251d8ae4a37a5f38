//! What a user asks for: placements by name, a type, a strength, a probability. Checked before anything
//! runs.

use crate::seeding::CERTAIN;
use crate::{
    Decay, Distribution, NoiseOrder, PLACEMENT_COUNT, Placement, Placements, Seeding, Type,
    Variables, set_of,
};
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt;
use thiserror::Error;

/// Why a plan makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PlanError {
    /// A name that nothing has.
    #[error("there is no placement `{name}`{}; `unpick noise list` shows all", meant(.nearest))]
    UnknownPlacement {
        /// The name.
        name: String,
        /// A name that is much like it.
        nearest: Option<String>,
    },
    /// No placement at all.
    #[error(
        "no placement is active, so that there would be no noise; say where with --at, as in --at locks \
         (`unpick noise list` shows all)"
    )]
    NothingActive,
    /// A probability that is none.
    #[error("the probability {0} is not between 0 and 1; give a share, as 0.25")]
    Probability(String),
    /// Noise that never fires.
    #[error("the probability is 0, so that there would be no noise; give a share above 0, as 0.25")]
    Impossible,
    /// A strength that cannot be read.
    #[error("the strength `{0}` is no interval; give A..B, as 1..10 or 50us..2ms")]
    Strength(String),
    /// A strength below zero.
    #[error("the strength `{0}` is negative; give A..B from 0 up")]
    NegativeStrength(String),
    /// The wrong way round.
    #[error("the strength `{0}` ends before it begins; give the smaller number first")]
    Reversed(String),
    /// A time where a number is wanted, or the other way round.
    #[error("`{kind}` is measured in {unit}, and not as in `{strength}`; give A..B without a unit")]
    Unit {
        /// The type of noise.
        kind: &'static str,
        /// What its strength counts.
        unit: &'static str,
        /// What was given.
        strength: String,
    },
    /// A type that there is not.
    #[error("there is no noise `{0}`; use {types}", types = names_of_types())]
    UnknownType(String),
}

fn meant(nearest: &Option<String>) -> String {
    match nearest {
        Some(name) => format!("; did you mean `{name}`?"),
        None => String::new(),
    }
}

fn names_of_types() -> String {
    let names: Vec<&str> = Type::ALL.iter().map(|kind| kind.name()).collect();
    names.join(", ")
}

/// A closed interval of strengths: nanoseconds, or a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Strength {
    /// The weakest.
    pub min: u64,
    /// The strongest.
    pub max: u64,
}

const MILLISECOND_NS: u64 = 1_000_000;

impl Strength {
    /// What a type of noise has if nothing is said: one to ten milliseconds or yields.
    pub fn usual(kind: Type) -> Strength {
        match kind {
            Type::Priority => Strength { min: 0, max: 19 },
            _ if kind.is_timed() => Strength {
                min: MILLISECOND_NS,
                max: 10 * MILLISECOND_NS,
            },
            _ => Strength { min: 1, max: 10 },
        }
    }

    /// Reads `A..B`, or `A` for both ends. Times are milliseconds unless `us`, `ms` or `s` follows.
    pub fn parse(text: &str, kind: Type) -> Result<Strength, PlanError> {
        let (low, high) = text.split_once("..").unwrap_or((text, text));
        let min = number(low.trim(), text, kind)?;
        let max = number(high.trim(), text, kind)?;
        if max < min {
            return Err(PlanError::Reversed(text.to_string()));
        }
        Ok(Strength { min, max })
    }

    /// In words, as they can be read again.
    pub fn text(self, kind: Type) -> String {
        let one = |number: u64| match kind.is_timed() {
            false => format!("{number}"),
            true if number.is_multiple_of(MILLISECOND_NS) => {
                format!("{}ms", number / MILLISECOND_NS)
            }
            true => format!("{}us", number / 1_000),
        };
        format!("{}..{}", one(self.min), one(self.max))
    }
}

/// One end of an interval.
fn number(text: &str, whole: &str, kind: Type) -> Result<u64, PlanError> {
    if text.starts_with('-') {
        return Err(PlanError::NegativeStrength(whole.to_string()));
    }
    let units = [("us", 1_000.0), ("ms", 1e6), ("s", 1e9)];
    let unit = units.iter().find(|(unit, _)| text.ends_with(unit));
    let wrong = || PlanError::Strength(whole.to_string());
    if !kind.is_timed() {
        let number = text.parse::<u64>();
        let is_nice = |&number: &u64| kind != Type::Priority || number <= 19;
        return match (unit, number) {
            (None, Ok(number)) if is_nice(&number) => Ok(number),
            _ => Err(PlanError::Unit {
                kind: kind.name(),
                unit: match kind {
                    Type::Priority => "nice values from 0 to 19",
                    _ => "repetitions",
                },
                strength: whole.to_string(),
            }),
        };
    }
    let (digits, factor) = match unit {
        Some((unit, factor)) => (&text[..text.len() - unit.len()], *factor),
        None => (text, 1e6),
    };
    let number: f64 = digits.trim().parse().map_err(|_| wrong())?;
    // An hour of noise is a slip of the pen.
    (number.is_finite() && number * factor <= 3.6e12)
        .then_some((number * factor) as u64)
        .ok_or_else(wrong)
}

/// Where and how a program is disturbed.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Where noise may fire, and of which type there, if that differs from [`Plan::kind`].
    pub at: Vec<(Placement, Option<Type>)>,
    /// The type of noise.
    pub kind: Type,
    /// How strong; `None` takes what is usual.
    pub strength: Option<Strength>,
    /// How likely it fires each time.
    pub probability: f64,
    /// How strengths are spread.
    pub distribution: Distribution,
    /// How the probability falls.
    pub decay: Decay,
    /// Which plain accesses count.
    pub variables: Variables,
}

impl Default for Plan {
    /// Certain sleep of the usual length, nowhere.
    fn default() -> Plan {
        Plan {
            at: Vec::new(),
            kind: Type::Sleep,
            strength: None,
            probability: 1.0,
            distribution: Distribution::Uniform,
            decay: Decay::None,
            variables: Variables::Shared,
        }
    }
}

impl Plan {
    /// Adds placements by name, with commas in between; `NAME=TYPE` gives them a type of their own.
    pub fn add(&mut self, names: &str) -> Result<(), PlanError> {
        for name in names
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty())
        {
            let (name, kind) = match name.split_once('=') {
                Some((name, kind)) => (name.trim(), Some(type_named(kind.trim())?)),
                None => (name, None),
            };
            let Some(found) = Placements::named(name) else {
                return Err(PlanError::UnknownPlacement {
                    name: name.to_string(),
                    nearest: nearest(name),
                });
            };
            for placement in found.iter() {
                match self.at.iter_mut().find(|(known, _)| *known == placement) {
                    Some((_, known)) => *known = kind.or(*known),
                    None => self.at.push((placement, kind)),
                }
            }
        }
        Ok(())
    }

    /// The placements at which noise may fire.
    pub fn placements(&self) -> Placements {
        self.at.iter().map(|(placement, _)| *placement).collect()
    }

    /// Refuses what is no noise at all or makes no sense.
    pub fn check(&self) -> Result<(), PlanError> {
        let probability = self.probability;
        if !(0.0..=1.0).contains(&probability) {
            return Err(PlanError::Probability(format!("{probability}")));
        }
        if self.at.is_empty() {
            return Err(PlanError::NothingActive);
        }
        if probability == 0.0 {
            return Err(PlanError::Impossible);
        }
        Ok(())
    }

    /// The order for one execution, with what earlier ones have taught to aim at.
    pub fn order(&self, seed: u64, aim: &[u64]) -> NoiseOrder {
        let placements = self.placements();
        let mut seedings = [Seeding::default(); PLACEMENT_COUNT];
        for (placement, kind) in &self.at {
            seedings[placement.number()] = self.seeding(kind.unwrap_or(self.kind));
        }
        NoiseOrder {
            noised: placements,
            traced: placements,
            counted: placements,
            variables: self.variables,
            seedings,
            aim: set_of(aim),
            ..NoiseOrder::nothing(seed)
        }
    }

    fn seeding(&self, kind: Type) -> Seeding {
        // An interval that was given is for the type that was given.
        let given = self
            .strength
            .filter(|_| kind.is_timed() == self.kind.is_timed());
        let strength = given.unwrap_or(Strength::usual(kind));
        let yields = Strength::usual(Type::Yield);
        Seeding {
            probability: (self.probability * CERTAIN as f64) as u64,
            strength_min: strength.min,
            strength_max: strength.max,
            yields_min: yields.min as u32,
            yields_max: yields.max as u32,
            kind,
            distribution: self.distribution,
            decay: self.decay,
        }
    }
}

/// In words: where, what, how strong, how often.
impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let strength = self.strength.unwrap_or(Strength::usual(self.kind));
        write!(f, "{} {}", self.kind.name(), strength.text(self.kind))?;
        if self.probability < 1.0 {
            write!(f, " p={}", self.probability)?;
        }
        if self.distribution != Distribution::Uniform {
            write!(f, " {}", self.distribution.name())?;
        }
        if self.decay != Decay::None {
            write!(f, " decay={}", self.decay.name())?;
        }
        write!(f, " at {}", self.places())
    }
}

impl Plan {
    /// The placements by the shortest names.
    fn places(&self) -> String {
        let mut left = self.placements();
        let mut words: Vec<String> = Vec::new();
        let is_plain = self.at.iter().all(|(_, kind)| kind.is_none());
        for name in ["all", "sync"].into_iter().chain(Placements::names()) {
            let found = Placements::named(name).unwrap_or_default();
            let is_all = found.0 & left.0 == found.0;
            if is_plain && is_all && !found.is_empty() {
                words.push(name.to_string());
                left = Placements(left.0 & !found.0);
            }
        }
        for (placement, kind) in self.at.iter().filter(|(one, _)| left.contains(*one)) {
            words.push(match kind {
                Some(kind) => format!("{placement}={}", kind.name()),
                None => placement.name(),
            });
        }
        words.join(",")
    }
}

/// The type of a name.
pub(crate) fn type_named(name: &str) -> Result<Type, PlanError> {
    let found = Type::ALL.iter().find(|kind| kind.name() == name);
    found
        .copied()
        .ok_or_else(|| PlanError::UnknownType(name.to_string()))
}

/// The name that shares most with one that nothing has.
fn nearest(name: &str) -> Option<String> {
    let singles = Placement::all().map(Placement::name);
    let names = Placements::names()
        .into_iter()
        .map(String::from)
        .chain(singles);
    let likeness = |other: &str| {
        let pairs = |text: &str| {
            text.as_bytes()
                .windows(2)
                .map(<[u8]>::to_vec)
                .collect::<Vec<_>>()
        };
        let (one, two) = (pairs(name), pairs(other));
        let common = one.iter().filter(|pair| two.contains(pair)).count();
        2 * common * 100 / (one.len() + two.len()).max(1)
    };
    let best = names.max_by_key(|other| likeness(other))?;
    (likeness(&best) >= 25).then_some(best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Operation;

    fn at(names: &str) -> Result<Plan, PlanError> {
        let mut plan = Plan::default();
        plan.add(names)?;
        Ok(plan)
    }

    #[test]
    fn bad_plans_are_refused_with_a_remedy() {
        let words = |error: PlanError| error.to_string();
        let unknown = words(at("lokcs").unwrap_err());
        assert!(
            unknown.contains("`lokcs`") && unknown.contains("did you mean"),
            "{unknown}"
        );
        assert_eq!(Plan::default().check(), Err(PlanError::NothingActive));
        for (probability, shown) in [(1.5, "1.5"), (-0.1, "-0.1"), (f64::NAN, "NaN")] {
            let plan = Plan {
                probability,
                ..at("locks").unwrap()
            };
            assert_eq!(plan.check(), Err(PlanError::Probability(shown.to_string())));
        }
        let never = Plan {
            probability: 0.0,
            ..at("locks").unwrap()
        };
        assert_eq!(never.check(), Err(PlanError::Impossible));
        assert!(matches!(at("lock=doze"), Err(PlanError::UnknownType(_))));
        assert_eq!(at("locks").unwrap().check(), Ok(()));
    }

    #[test]
    fn strengths_are_read_with_their_units() {
        let read = |text, kind| Strength::parse(text, kind);
        assert_eq!(
            read("1..10", Type::Sleep),
            Ok(Strength {
                min: 1_000_000,
                max: 10_000_000
            })
        );
        assert_eq!(
            read("50us..2ms", Type::Busy),
            Ok(Strength {
                min: 50_000,
                max: 2_000_000
            })
        );
        assert_eq!(read("3", Type::Yield), Ok(Strength { min: 3, max: 3 }));
        assert!(matches!(
            read("-1..5", Type::Sleep),
            Err(PlanError::NegativeStrength(_))
        ));
        assert!(matches!(
            read("5..1", Type::Sleep),
            Err(PlanError::Reversed(_))
        ));
        assert!(matches!(
            read("a..b", Type::Sleep),
            Err(PlanError::Strength(_))
        ));
        assert!(matches!(
            read("1ms..2ms", Type::Yield),
            Err(PlanError::Unit { .. })
        ));
        assert!(matches!(
            read("0..20", Type::Priority),
            Err(PlanError::Unit { .. })
        ));
        let text = Strength {
            min: 50_000,
            max: 2_000_000,
        }
        .text(Type::Sleep);
        assert_eq!(
            read(&text, Type::Sleep),
            Ok(Strength {
                min: 50_000,
                max: 2_000_000
            })
        );
    }

    #[test]
    fn placements_add_up_and_may_have_a_type_of_their_own() {
        let mut plan = at("locks,before-join").unwrap();
        assert_eq!(plan.placements().iter().count(), 7);
        plan.add("unlock=yield").unwrap();
        assert_eq!(plan.placements().iter().count(), 7);
        let order = plan.order(1, &[]);
        let kind = |operation| order.seeding(Placement::before(operation)).kind;
        assert_eq!(kind(Operation::Lock), Type::Sleep);
        assert_eq!(kind(Operation::Unlock), Type::Yield);
        let yields = order.seeding(Placement::before(Operation::Unlock));
        assert_eq!((yields.strength_min, yields.strength_max), (1, 10));
    }

    #[test]
    fn a_plan_says_what_it_is() {
        let mut plan = at("locks,before-join").unwrap();
        plan.probability = 0.25;
        assert_eq!(
            plan.to_string(),
            "sleep 1ms..10ms p=0.25 at locks,before-join"
        );
        assert_eq!(at("all").unwrap().to_string(), "sleep 1ms..10ms at all");
    }
}
