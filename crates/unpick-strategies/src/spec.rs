//! Strategies from their text: `NAME[:key=value,…]`.

mod error;

use crate::dpor::chain::Chain;
use crate::technique::{Technique, WORDS, techniques};
use crate::{
    ActorPct, ActorRandom, AtomFuzzer, Bound, Dfs, Dpor, HbrCache, Idb, Ipb, LazyDpor,
    LazyHbrCache, LazyOdpor, Maple, Odpor, Pct, Portfolio, Pos, Ppct, PreemptAlways, PreemptBound,
    RandomSleep, RoundRobin, Select, Surw, random,
};
use alloc::{
    boxed::Box,
    format,
    string::{String, ToString},
    vec::Vec,
};
use core::fmt;
pub use error::SpecError;
use unpick_engine::{Profile, Strategy};

/// A technique with its parameters.
#[derive(Clone)]
pub struct Spec {
    technique: &'static Technique,
    values: Vec<(&'static str, u64)>,
}

impl Spec {
    /// Reads `NAME[:key=value,…]`.
    pub fn parse(text: &str) -> Result<Spec, SpecError> {
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let technique = techniques()
            .iter()
            .find(|technique| technique.name == name)
            .ok_or_else(|| SpecError::UnknownName {
                name: name.to_string(),
                known: join(techniques().iter().map(|technique| technique.name)),
            })?;
        let mut spec = Spec {
            technique,
            values: Vec::new(),
        };
        for pair in rest.split(',').filter(|pair| !pair.is_empty()) {
            spec.add(pair)?;
        }
        let bounds = ["preemptions", "delays", "iterate"];
        let mut given = bounds.into_iter().filter(|key| spec.value(key).is_some());
        if let (Some(one), Some(other)) = (given.next(), given.next()) {
            let name = technique.name;
            return Err(SpecError::Exclusive { name, one, other });
        }
        Ok(spec)
    }

    fn add(&mut self, pair: &str) -> Result<(), SpecError> {
        let name = self.technique.name;
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        let &(parameter, min, max, _) = self
            .technique
            .parameters
            .iter()
            .find(|(parameter, ..)| *parameter == key)
            .ok_or_else(|| SpecError::UnknownParameter {
                name,
                parameter: key.to_string(),
                known: match self.technique.parameters {
                    [] => "it has none".to_string(),
                    some => format!("it has {}", join(some.iter().map(|entry| entry.0))),
                },
            })?;
        let number = match words_of(parameter) {
            Some(words) => words
                .iter()
                .position(|word| *word == value)
                .map(|at| at as u64),
            None => value.parse().ok(),
        };
        let number = number.filter(|number| (min..=max).contains(number));
        let number = number.ok_or_else(|| match words_of(parameter) {
            Some(words) => SpecError::BadWord {
                name,
                parameter,
                value: value.to_string(),
                words: words.join(" or "),
            },
            None => SpecError::BadValue {
                name,
                parameter,
                value: value.to_string(),
                min,
                max,
            },
        })?;
        if self.value(parameter).is_some() {
            return Err(SpecError::Repeated { name, parameter });
        }
        self.values.push((parameter, number));
        Ok(())
    }

    /// The value that was given for a parameter; of one that is given as a word, its place among the words.
    pub fn value(&self, parameter: &str) -> Option<u64> {
        let found = self.values.iter().find(|(name, _)| *name == parameter);
        found.map(|(_, value)| *value)
    }

    /// The technique.
    pub fn technique(&self) -> &'static Technique {
        self.technique
    }

    /// Whether no failing state is left when an exploration is complete: no bound is set, and nothing
    /// is left out on purpose.
    pub fn is_exhaustive(&self) -> bool {
        let bounds = ["bound", "preemptions", "delays"];
        let is_literal = self.value("mode") == Some(1);
        self.technique.is_exhaustive
            && !is_literal
            && bounds.iter().all(|name| self.value(name).is_none())
    }

    /// The probability with which one execution finds a bug of the depth that `pct` or `ppct` was asked
    /// for, at least: `1 / (n k^(d-1))`, for what is told or else was seen of the size of the program.
    pub fn guarantee(&self, profile: &Profile) -> Option<f64> {
        if !["pct", "ppct"].contains(&self.technique.name) {
            return None;
        }
        let depth = self.value("d").unwrap_or(3) as i32;
        let tasks = self
            .value("n")
            .unwrap_or(u64::from(profile.tasks_max))
            .max(1);
        let steps = self
            .value("k")
            .unwrap_or(profile.contended_steps_max)
            .max(1);
        let mut chance = 1.0 / tasks as f64;
        for _ in 1..depth {
            chance /= steps as f64;
        }
        Some(chance)
    }

    fn cache_bound(&self) -> Bound {
        match (self.value("preemptions"), self.value("delays")) {
            (Some(most), _) => Bound::Preemptions(most as u32),
            (None, Some(most)) => Bound::Delays(most as u32),
            (None, None) => match self.value("iterate") {
                Some(0) => Bound::EachPreemptions(0),
                Some(_) => Bound::EachDelays(0),
                None => Bound::None,
            },
        }
    }

    /// The strategy, at its beginning, for workers or shards that share it.
    pub fn build_shared(&self, seed: u64) -> Box<dyn Strategy> {
        match self.technique.name {
            "odpor" => Box::new(Chain::new(Odpor::new(), self.value("part"))),
            _ => self.build(seed),
        }
    }

    /// The strategy, at its beginning.
    ///
    /// # Panics
    /// If it [is planned](Technique::is_planned): front ends that can do so build it themselves.
    pub fn build(&self, seed: u64) -> Box<dyn Strategy> {
        let bound = self.value("bound").unwrap_or(u64::from(u32::MAX)) as u32;
        let sleeps = self.value("sleep") != Some(0);
        let falls_back = self.value("fallback") != Some(0);
        let beyond = self.value("beyond") == Some(1);
        let (depth, steps) = (self.value("d").unwrap_or(3) as u32, self.value("k"));
        match self.technique.name {
            "portfolio" => Box::new(Portfolio::new(seed)),
            "dfs" => Box::new(Dfs::new()),
            "ipb" => Box::new(Ipb::new(bound, beyond)),
            "idb" => Box::new(Idb::new(bound, beyond)),
            "hbr-cache" => Box::new(HbrCache::new(self.cache_bound())),
            "lazy-hbr-cache" => Box::new(LazyHbrCache::new(self.cache_bound())),
            "dpor" => Box::new(Chain::new(Dpor::new(sleeps), self.value("part"))),
            "lazy-dpor" => Box::new(LazyDpor::new(sleeps, falls_back)),
            "odpor" if self.value("part").is_some() => self.build_shared(seed),
            "odpor" => Box::new(Odpor::new()),
            "lazy-odpor" => Box::new(LazyOdpor::new()),
            "random" => random::build(seed, self.value("linger")),
            "pct" => Box::new(Pct::new(seed, depth, steps)),
            "ppct" => Box::new(Ppct::new(seed, depth, self.value("n"), steps)),
            "actor-random" => Box::new(ActorRandom::new(seed)),
            "actor-pct" => Box::new(ActorPct::new(seed, depth, steps)),
            "pos" => Box::new(Pos::new(seed)),
            "surw" => {
                let select = match self.value("all") {
                    Some(1) => Select::All,
                    _ => Select::Objects {
                        count: self.value("objects").unwrap_or(1) as u32,
                        weighs: self.value("weigh") == Some(1),
                    },
                };
                Box::new(Surw::new(seed, select))
            }
            "preempt-always" => Box::new(PreemptAlways::new(seed)),
            "preempt-bound" => {
                let preemptions = self.value("c").unwrap_or(2) as u32;
                Box::new(PreemptBound::new(seed, preemptions, steps))
            }
            "random-sleep" => {
                let odds = self.value("odds").unwrap_or(30);
                let sleep_max = self.value("sleep").unwrap_or(100);
                Box::new(RandomSleep::new(seed, odds, sleep_max))
            }
            "atom-fuzzer" => Box::new(AtomFuzzer::new(seed)),
            "maple" => Box::new(Maple::new(seed)),
            "round-robin" => Box::new(RoundRobin::new(self.value("quantum").unwrap_or(1))),
            name => panic!("internal error: strategy `{name}` is in the table but not here"),
        }
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.technique.name)?;
        for (position, (parameter, value)) in self.values.iter().enumerate() {
            let separator = if position == 0 { ':' } else { ',' };
            match words_of(parameter) {
                Some(words) => write!(f, "{separator}{parameter}={}", words[*value as usize])?,
                None => write!(f, "{separator}{parameter}={value}")?,
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Spec({self})")
    }
}

fn words_of(parameter: &str) -> Option<&'static [&'static str]> {
    let found = WORDS.iter().find(|(name, _)| *name == parameter);
    found.map(|(_, words)| *words)
}

fn join<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        Spec::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn every_technique_can_be_built_from_its_name() {
        for technique in techniques() {
            let spec = Spec::parse(technique.name).unwrap();
            assert_eq!(spec.to_string(), technique.name);
            if !technique.is_planned {
                let _ = spec.build(1);
            }
        }
        assert_eq!(
            Spec::parse("mcr:mode=literal").unwrap().to_string(),
            "mcr:mode=literal"
        );
        assert_eq!(
            Spec::parse("pct:d=2,k=40").unwrap().to_string(),
            "pct:d=2,k=40"
        );
    }

    #[test]
    fn the_guarantee_of_pct_has_the_exponent_of_the_paper() {
        let spec = Spec::parse("pct:d=3,n=4,k=10").unwrap();
        assert_eq!(
            spec.guarantee(&Profile::default()),
            Some(1.0 / 4.0 / 10.0 / 10.0)
        );
        assert_eq!(
            Spec::parse("dfs").unwrap().guarantee(&Profile::default()),
            None
        );
    }

    #[test]
    fn mistakes_are_named_with_their_remedy() {
        assert!(
            error("dsf").starts_with("unknown strategy `dsf`; there are portfolio, dfs, ipb, idb")
        );
        assert_eq!(
            error("pct:x=1"),
            "strategy `pct` has no parameter `x`; it has d, k, n"
        );
        assert_eq!(
            error("dfs:d=1"),
            "strategy `dfs` has no parameter `d`; it has none"
        );
        assert_eq!(
            error("pct:d=0"),
            "`0` is no value for `pct:d`; give a number from 1 to 64"
        );
        assert_eq!(
            error("mcr:mode=exact"),
            "`exact` is no value for `mcr:mode`; give complete or literal"
        );
        assert_eq!(
            error("hbr-cache:delays=1,preemptions=2"),
            "strategy `hbr-cache` takes either `preemptions` or `delays`; give one of them"
        );
        assert_eq!(
            error("pct:d=1,d=2"),
            "parameter `d` of strategy `pct` is given twice; give it once"
        );
    }
}
