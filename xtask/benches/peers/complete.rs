//! Complete exploration of the suite's kernels: how many executions it takes, and how long.
//!
//! Rates say little when one tool needs a thousand times fewer executions than another for the same
//! answer. So here each search goes on to its end, or to a limit of time, and what counts is the
//! whole. loom also explores which store a load reads, and unpick does not: on kernels with atomics
//! loom has more to do. Neither wakes a task without reason here, since loom cannot.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::measurement::{execute, finished_count, processor_time_ns};
use crate::on_loom;
use crate::table::aligned;

/// A kernel of the suite, with its copy for loom.
pub struct Kernel {
    /// Its name in the suite.
    pub name: &'static str,
    on_loom: fn(),
}

/// All of them, in the order of the suite.
pub const KERNELS: &[Kernel] = &[
    Kernel {
        name: "kernel.treiber",
        on_loom: on_loom::treiber::run,
    },
    Kernel {
        name: "kernel.ms_queue",
        on_loom: on_loom::ms_queue::run,
    },
    Kernel {
        name: "kernel.ticket_lock",
        on_loom: on_loom::ticket_lock::run,
    },
    Kernel {
        name: "kernel.seqlock",
        on_loom: on_loom::seqlock::run,
    },
    Kernel {
        name: "kernel.bounded_buffer",
        on_loom: on_loom::bounded_buffer::run,
    },
];

/// The strategies of unpick that end with a complete exploration.
const UNPICK_STRATEGIES: &[&str] = &["dfs", "odpor", "lazy-odpor"];

const LOOM: &str = "loom";

/// loom looks at its limit of time once in so many executions.
const LOOM_INTERVAL: usize = 64;

/// What is set side by side: loom first, then each strategy of unpick.
pub fn tools() -> impl Iterator<Item = String> {
    let strategies = UNPICK_STRATEGIES
        .iter()
        .map(|strategy| format!("unpick {strategy}"));
    std::iter::once(LOOM.to_owned()).chain(strategies)
}

/// One search, up to its end or the limit.
#[derive(Clone, Copy)]
pub struct Search {
    executions: u64,
    /// Processor time.
    ns: u64,
    pub is_complete: bool,
}

impl Search {
    /// The line by which a child tells it.
    pub fn line(&self) -> String {
        let Search {
            executions,
            ns,
            is_complete,
        } = self;
        format!("executions {executions} ns {ns} complete {is_complete}")
    }

    /// The search that such a line tells of.
    pub fn parse(line: &str) -> Option<Search> {
        let rest = line.strip_prefix("executions ")?;
        let (executions, rest) = rest.split_once(" ns ")?;
        let (ns, is_complete) = rest.split_once(" complete ")?;
        Some(Search {
            executions: executions.parse().ok()?,
            ns: ns.parse().ok()?,
            is_complete: is_complete.parse().ok()?,
        })
    }
}

/// Explores a kernel in this process.
pub fn explore(kernel: &str, tool: &str, limit: Duration) -> Result<Search> {
    let kernel = KERNELS.iter().find(|other| other.name == kernel);
    let kernel = kernel.context("no such kernel; see the list in complete.rs")?;
    let start_ns = processor_time_ns();
    let (executions, is_complete) = match tool.strip_prefix("unpick ") {
        Some(strategy) => explore_with_unpick(kernel, strategy, limit)?,
        None => explore_with_loom(kernel, limit),
    };
    Ok(Search {
        executions,
        ns: processor_time_ns() - start_ns,
        is_complete,
    })
}

/// Executions that unpick cuts short count like all others.
fn explore_with_unpick(kernel: &Kernel, strategy: &str, limit: Duration) -> Result<(u64, bool)> {
    let selection = unpick_suite::find(kernel.name)?;
    let config = unpick::Config::new()
        .try_strategy(strategy)?
        .executions(u64::MAX)
        .time(limit)
        .spurious_wakes(0);
    let found = unpick::explore(config, move || selection.run());
    anyhow::ensure!(found.is_clean(), "{} failed; it is correct", kernel.name);
    Ok((found.executions, found.complete))
}

/// The search of loom's own, over everything: without a bound on preemptions.
fn explore_with_loom(kernel: &Kernel, limit: Duration) -> (u64, bool) {
    let body = kernel.on_loom;
    let mut model = loom::model::Builder::new();
    model.preemption_bound = None;
    model.max_duration = Some(limit);
    model.checkpoint_interval = LOOM_INTERVAL;
    let start = Instant::now();
    model.check(move || execute(body));
    (finished_count(), start.elapsed() < limit)
}

/// The searches so far, the fastest of each tool on each kernel.
#[derive(Default)]
pub struct Searches {
    /// In the order of exploring; `None` if the tool failed.
    rows: Vec<(&'static str, String, Option<Search>)>,
}

impl Searches {
    /// Keeps the search if it is the fastest so far.
    pub fn add(&mut self, kernel: &'static str, tool: &str, search: Option<Search>) {
        let known = self
            .rows
            .iter_mut()
            .find(|row| row.0 == kernel && row.1 == tool);
        let Some((_, _, best)) = known else {
            self.rows.push((kernel, tool.to_owned(), search));
            return;
        };
        let is_faster = |old: Search| search.is_some_and(|new| new.ns < old.ns);
        if best.is_none_or(is_faster) {
            *best = search;
        }
    }

    /// Executions and time of each tool, and what loom needs of both for each of unpick's.
    pub fn table(&self) -> String {
        let head = [
            "kernel",
            "tool strategy",
            "executions",
            "ms",
            "loom's / its executions",
            "loom's / its time",
        ];
        let mut cells = vec![head.map(str::to_owned)];
        for (kernel, tool, search) in &self.rows {
            let Some(search) = search else {
                let failed = || "failed".to_owned();
                cells.push([
                    (*kernel).to_owned(),
                    tool.clone(),
                    failed(),
                    failed(),
                    failed(),
                    failed(),
                ]);
                continue;
            };
            let mark = if search.is_complete { "" } else { ">" };
            cells.push([
                (*kernel).to_owned(),
                tool.clone(),
                format!("{mark}{}", search.executions),
                format!("{mark}{:.1}", search.ns as f64 / 1e6),
                self.beside_loom(kernel, search, |search| search.executions),
                self.beside_loom(kernel, search, |search| search.ns),
            ]);
        }
        format!(
            "complete exploration; > is a search that the limit of time ended\n\n{}",
            aligned(&cells)
        )
    }

    /// The same numbers as JSON objects.
    pub fn json(&self) -> Vec<String> {
        let searches = self
            .rows
            .iter()
            .filter_map(|(kernel, tool, search)| Some((kernel, tool, (*search)?)));
        searches
            .map(|(kernel, tool, search)| {
                format!(
                    "{{\"kernel\": \"{kernel}\", \"tool\": \"{tool}\", \"executions\": {}, \"ms\": {:.3}, \"complete\": {}}}",
                    search.executions,
                    search.ns as f64 / 1e6,
                    search.is_complete
                )
            })
            .collect()
    }

    /// What loom needs as a multiple of this search. A lower or upper bound is marked as one, and
    /// two unfinished searches cannot be compared.
    fn beside_loom(&self, kernel: &str, search: &Search, amount: fn(&Search) -> u64) -> String {
        let mut rows = self.rows.iter();
        let loom = rows.find(|row| row.0 == kernel && row.1 == LOOM);
        let Some(loom) = loom.and_then(|row| row.2) else {
            return "not measured".to_owned();
        };
        let ratio = amount(&loom) as f64 / amount(search) as f64;
        match (loom.is_complete, search.is_complete) {
            (true, true) => format!("{ratio:.2}x"),
            (false, true) => format!(">{ratio:.2}x"),
            (true, false) => format!("<{ratio:.2}x"),
            (false, false) => "unknown".to_owned(),
        }
    }
}
