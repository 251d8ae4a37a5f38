//! What many free executions came to, as it is kept on disk.

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use unpick::analysis::compare::Point;
use unpick_noise::statistics::{Mean, Share};

/// The version of the file; others are refused.
const VERSION: u32 = 1;

/// The results of one command.
#[derive(Serialize, Deserialize)]
pub(super) struct Recorded {
    pub(super) version: u32,
    pub(super) name: String,
    pub(super) program: String,
    pub(super) seed: u64,
    /// Executions without noise, then those with noise.
    pub(super) groups: Vec<Group>,
    /// Places in traces, by number.
    pub(super) locations: Vec<String>,
    /// Pairs of synchronisation that are possible, as far as one can tell.
    pub(super) pairs_required: BTreeSet<(u64, u64)>,
    /// Whether the user has ended it before its time.
    pub(super) is_interrupted: bool,
}

/// Executions under one plan.
#[derive(Serialize, Deserialize)]
pub(super) struct Group {
    /// The plan in words; `None` without noise.
    pub(super) plan: Option<String>,
    pub(super) executions: Vec<Told>,
    /// Pairs of synchronisation that were seen.
    pub(super) pairs: BTreeSet<(u64, u64)>,
    /// By placement: how often it was reached, and how often noise fired.
    pub(super) counts: BTreeMap<String, (u64, u64)>,
}

/// One execution.
#[derive(Serialize, Deserialize)]
pub(super) struct Told {
    pub(super) seed: u64,
    pub(super) verdict: String,
    pub(super) is_failure: bool,
    pub(super) time_us: u64,
    pub(super) processor_us: u64,
    /// Entries of the trace that found no room.
    pub(super) lost: u64,
    /// Thread and location in turn.
    pub(super) trace: Vec<u32>,
}

impl Group {
    pub(super) fn new(plan: Option<String>) -> Group {
        Group {
            plan,
            executions: Vec::new(),
            pairs: BTreeSet::new(),
            counts: BTreeMap::new(),
        }
    }

    pub(super) fn label(&self) -> &str {
        self.plan.as_deref().unwrap_or("without noise")
    }

    pub(super) fn failures(&self) -> Share {
        Share {
            count: self.executions.iter().filter(|one| one.is_failure).count() as u64,
            of: self.executions.len() as u64,
        }
    }

    /// How often each verdict was given that is a failure.
    pub(super) fn verdicts(&self) -> BTreeMap<&str, u64> {
        let mut verdicts = BTreeMap::new();
        for told in self.executions.iter().filter(|one| one.is_failure) {
            *verdicts.entry(told.verdict.as_str()).or_default() += 1;
        }
        verdicts
    }

    pub(super) fn time_ms(&self) -> Mean {
        let times = self.executions.iter().map(|one| one.time_us as f64 / 1e3);
        times.collect()
    }

    pub(super) fn lost(&self) -> u64 {
        self.executions.iter().map(|one| one.lost).sum()
    }

    /// How often placements were reached, and how often noise fired, all together.
    pub(super) fn total(&self) -> (u64, u64) {
        let counts = self.counts.values();
        counts.fold((0, 0), |sum, count| (sum.0 + count.0, sum.1 + count.1))
    }

    pub(super) fn traces(&self) -> Vec<Vec<Point>> {
        let points = |told: &Told| {
            let pairs = told.trace.chunks_exact(2);
            let point = |pair: &[u32]| Point {
                thread: pair[0].into(),
                location: pair[1].into(),
            };
            pairs.map(point).collect()
        };
        self.executions.iter().map(points).collect()
    }
}

impl Recorded {
    pub(super) fn new(name: &str, program: &Path, seed: u64) -> Recorded {
        Recorded {
            version: VERSION,
            name: name.to_string(),
            program: program.display().to_string(),
            seed,
            groups: Vec::new(),
            locations: Vec::new(),
            pairs_required: BTreeSet::new(),
            is_interrupted: false,
        }
    }

    /// Where results of this name are kept.
    pub(super) fn path(name: &str) -> PathBuf {
        let is_plain = |c: char| c.is_alphanumeric() || "-_.".contains(c);
        let file: String = name
            .chars()
            .map(|c| if is_plain(c) { c } else { '_' })
            .collect();
        Path::new(".unpick/noise").join(format!("{file}.json"))
    }

    /// Writes it; a file of that name is replaced when all is written.
    pub(super) fn save(&self) -> Result<PathBuf> {
        let path = Recorded::path(&self.name);
        let folder = path.parent().unwrap_or(Path::new("."));
        let context = || format!("cannot write {}", path.display());
        fs::create_dir_all(folder).with_context(context)?;
        let draft = path.with_extension(format!("json.{}", std::process::id()));
        let text = serde_json::to_vec(self).context("internal error: results cannot be written")?;
        fs::write(&draft, text).with_context(context)?;
        fs::rename(&draft, &path).with_context(context)?;
        Ok(path)
    }

    /// Reads the results of a name, or of a file.
    pub(super) fn load(reference: &str) -> Result<Recorded> {
        // The program itself may lie here, under the same name.
        let kept = Recorded::path(reference);
        let file = Path::new(reference);
        let path = match !kept.is_file() && file.is_file() {
            true => file.to_path_buf(),
            false => kept,
        };
        let text = fs::read(&path).with_context(|| {
            format!(
                "there are no results `{reference}` (looked for {}); `unpick noise run` keeps them",
                path.display()
            )
        })?;
        let recorded: Recorded = serde_json::from_slice(&text)
            .with_context(|| format!("{} holds no results of noise", path.display()))?;
        if recorded.version != VERSION {
            bail!(
                "{} is of version {}, and this is version {VERSION}; run `unpick noise run` again",
                path.display(),
                recorded.version
            );
        }
        Ok(recorded)
    }
}
