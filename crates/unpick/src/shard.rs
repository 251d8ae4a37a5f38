//! Which share of an exploration to run: one of several machines, each with a share of its own.

mod merge;

pub use merge::{MergeError, merge};
use std::ops::Range;

/// One of several equal shares of an exploration, as in `2/8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Invariant: from 1 to `count`.
    index: u32,
    count: u32,
}

impl Shard {
    /// Share number `index`, from 1, of `count`; none if there is no such share.
    pub fn new(index: u32, count: u32) -> Option<Shard> {
        (1..=count)
            .contains(&index)
            .then_some(Shard { index, count })
    }

    /// Its number, from 1.
    pub fn index(self) -> u32 {
        self.index
    }

    /// Number of shares.
    pub fn count(self) -> u32 {
        self.count
    }

    /// Reads `I/N`, `auto`, or `auto/N`. `auto` asks the environment, where `N` is needed if that
    /// tells the number of this share only.
    pub fn parse(text: &str) -> Result<Shard, String> {
        Shard::parse_with(text, &|name| std::env::var(name).ok())
    }

    fn parse_with(text: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<Shard, String> {
        let no_shard = || format!("`{text}` is no shard; write it like 2/8, from 1/8 to 8/8");
        let (index, count) = match text.split_once('/') {
            Some((index, count)) => (index, Some(count.parse::<u32>().map_err(|_| no_shard())?)),
            None => (text, None),
        };
        if index == "auto" {
            return find(count, variable);
        }
        let index = index.parse().map_err(|_| no_shard())?;
        let shard = count.and_then(|count| Shard::new(index, count));
        shard.ok_or_else(no_shard)
    }

    /// Its slice of so many executions.
    pub(crate) fn slice(self, executions: u64) -> Range<u64> {
        unpick_engine::parts::slice(self.from_zero(), executions)
    }

    /// Its number, from 0, and the number of shares, as the engine wants them.
    pub fn from_zero(self) -> (u32, u32) {
        (self.index - 1, self.count)
    }
}

impl std::fmt::Display for Shard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

/// A service that numbers its machines: variables with the number of this one, of all, of the first
/// one and the step, and the number that the first one has otherwise.
struct Service {
    index: &'static str,
    count: &'static str,
    first: &'static str,
    step: &'static str,
    first_otherwise: u32,
}

const SERVICES: &[Service] = &[
    Service {
        index: "CI_NODE_INDEX",
        count: "CI_NODE_TOTAL",
        first: "",
        step: "",
        first_otherwise: 1,
    },
    Service {
        index: "SLURM_ARRAY_TASK_ID",
        count: "SLURM_ARRAY_TASK_COUNT",
        first: "SLURM_ARRAY_TASK_MIN",
        step: "SLURM_ARRAY_TASK_STEP",
        first_otherwise: 1,
    },
    Service {
        index: "JOB_COMPLETION_INDEX",
        count: "",
        first: "",
        step: "",
        first_otherwise: 0,
    },
];

fn find(told: Option<u32>, variable: &dyn Fn(&str) -> Option<String>) -> Result<Shard, String> {
    let number = |name: &str| -> Result<Option<u32>, String> {
        let text = variable(name).filter(|text| !name.is_empty() && !text.is_empty());
        let parsed = text.map(|text| {
            let error = format!("{name}: `{text}` is no number; write the shard like 2/8");
            text.parse().map_err(|_| error)
        });
        parsed.transpose()
    };
    for service in SERVICES {
        let Some(index) = number(service.index)? else {
            continue;
        };
        let count = match (number(service.count)?, told) {
            (Some(count), None) => count,
            (None, Some(told)) => told,
            (Some(count), Some(told)) if count == told => told,
            (Some(count), Some(told)) => {
                return Err(format!(
                    "{} says {count} shards and not {told}; write `auto` alone",
                    service.count
                ));
            }
            (None, None) => {
                return Err(format!(
                    "{} tells which shard this is but not of how many; write auto/N",
                    service.index
                ));
            }
        };
        let first = number(service.first)?.unwrap_or(service.first_otherwise);
        let step = number(service.step)?.unwrap_or(1).max(1);
        let position = index.checked_sub(first).map(|offset| offset / step + 1);
        let shard = position.and_then(|position| Shard::new(position, count));
        return shard.ok_or_else(|| {
            format!(
                "{} is {index}, which is none of {count} shards; write the shard like 2/8",
                service.index
            )
        });
    }
    Err(
        "`auto` finds no shard in the environment: neither CI_NODE_INDEX nor SLURM_ARRAY_TASK_ID \
         nor JOB_COMPLETION_INDEX is set; write it like 2/8"
            .to_string(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str, variables: &[(&str, &str)]) -> Result<(u32, u32), String> {
        let find = |name: &str| {
            let found = variables.iter().find(|(other, _)| *other == name);
            found.map(|(_, value)| (*value).to_string())
        };
        Shard::parse_with(text, &find).map(|shard| (shard.index, shard.count))
    }

    #[test]
    fn shards_are_read_or_refused_with_a_remedy() {
        assert_eq!(parse("1/1", &[]), Ok((1, 1)));
        assert_eq!(parse("8/8", &[]), Ok((8, 8)));
        for wrong in ["", "3", "0/3", "4/3", "1/0", "a/b", "1/3/5", "-1/3"] {
            let error = parse(wrong, &[]).unwrap_err();
            assert!(error.contains("write it like 2/8"), "{wrong}: {error}");
        }
    }

    #[test]
    fn the_environment_is_asked_for_auto() {
        let gitlab = [("CI_NODE_INDEX", "2"), ("CI_NODE_TOTAL", "5")];
        assert_eq!(parse("auto", &gitlab), Ok((2, 5)));
        assert_eq!(parse("auto/5", &gitlab), Ok((2, 5)));
        assert!(
            parse("auto/4", &gitlab)
                .unwrap_err()
                .contains("5 shards and not 4")
        );
        let slurm = [
            ("SLURM_ARRAY_TASK_ID", "14"),
            ("SLURM_ARRAY_TASK_COUNT", "3"),
            ("SLURM_ARRAY_TASK_MIN", "10"),
            ("SLURM_ARRAY_TASK_STEP", "2"),
        ];
        assert_eq!(parse("auto", &slurm), Ok((3, 3)));
        let kubernetes = [("JOB_COMPLETION_INDEX", "0")];
        assert_eq!(parse("auto/4", &kubernetes), Ok((1, 4)));
        assert!(
            parse("auto", &kubernetes)
                .unwrap_err()
                .contains("write auto/N")
        );
        assert!(parse("auto", &[]).unwrap_err().contains("CI_NODE_INDEX"));
        let wrong = [("CI_NODE_INDEX", "6"), ("CI_NODE_TOTAL", "5")];
        assert!(
            parse("auto", &wrong)
                .unwrap_err()
                .contains("none of 5 shards")
        );
    }

    #[test]
    fn slices_follow_each_other() {
        for (executions, count) in [(10, 3), (2, 5), (1_000, 7), (u64::MAX, 4), (0, 2)] {
            let mut end = 0;
            for index in 1..=count {
                let slice = Shard::new(index, count).unwrap().slice(executions);
                assert_eq!(slice.start, end);
                end = slice.end;
            }
            assert_eq!(end, executions);
        }
    }
}
