//! Maximal causality reduction: one execution for each thing that the reads of a program can see.
//!
//! S. Huang, *Maximal Causality Reduction* (PhD dissertation, Texas A&M, 2019). An execution is analysed when
//! it is over: whatever its reads could have seen instead, by its events alone, is worth another one. In
//! rounds: all seeds that one round has found are run in the next, in the order in which they were found,
//! so that any number of workers finds the same.
//!
//! *SE-MCR* leaves out what comes of the same seeds in another order. In its complete form here it runs a
//! seed only if no execution so far keeps what the seed promises; otherwise the seeds behind it are found
//! from that execution. The seeds of a round contradict each other, so that each shows another state: there
//! is one execution for each state.

use crate::complete::Expansion;
use crate::literal::Analysis;
use crate::model::Model;
use crate::seed::Seed;
use crate::solver::Solver;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::time::Instant;
use unpick_engine::transcript::{Place, Route, Transcript};
use unpick_engine::{
    Begin, Execution, Findings, Memory, Planning, Proviso, Provisos, Round, Stop, Strategy, View,
    Warning, WarningKind,
};
use unpick_strategies::{Along, Spec};
use unpick_trace::{Choice, Outcome, TaskId};

/// States of the search for a shortest schedule.
const LITERAL_STATES_MAX: usize = 200_000;

/// Events of a trace that is planned from, at most: longer ones take minutes, and most are loops that go round and round.
const EVENTS_MAX: usize = 5_000;

/// Whether the algorithm is the published one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// No state is lost.
    #[default]
    Complete,
    /// As published: states can be lost.
    Literal,
}

/// What an execution has led to.
#[derive(Default)]
struct Finding {
    seeds: Vec<Seed>,
    /// For SE-MCR, in its complete form.
    trace: Option<Kept>,
}

/// An execution that may answer for seeds that are found later.
struct Kept {
    transcript: Transcript,
    reads: BTreeMap<Place, u64>,
}

/// The search.
pub struct Mcr {
    mode: Mode,
    is_switching: bool,
    /// The seed of the execution at hand, and what leads along it.
    seed: Seed,
    along: Along,
    /// The seeds of the round, as far as they are not run.
    round: VecDeque<Seed>,
    /// What the executions of the round have found.
    found: Vec<Finding>,
    /// Seeds that were put off.
    backlog: VecDeque<Seed>,
    known: HashSet<u128>,
    traces: Traces,
    planning: Planning,
    is_incomplete: bool,
    /// Whether an execution ended while tasks went on. Not every place at which the end can cut them off is
    /// asked for.
    has_cut_off: bool,
    /// Whether an execution failed in which stores may have stayed in buffers, since no event of its trace lets them
    /// out: not all that others would have read of them is asked for.
    has_kept_back: bool,
    /// Whether it depended on the clock in an execution which timers could fire. A plan does not know that.
    has_awaited_clock: bool,
    /// Whether this is a part of a round of another search.
    is_part: bool,
    /// When the exploration is over. Nothing is planned from then on.
    deadline: Option<Instant>,
}

impl Mcr {
    /// The search from its beginning: SE-MCR if `is_switching`.
    pub fn new(mode: Mode, is_switching: bool) -> Mcr {
        Mcr {
            round: VecDeque::from([Seed::default()]),
            known: HashSet::from([Seed::default().key()]),
            ..Mcr::part(mode, is_switching)
        }
    }

    /// The search that a text asks for; `None` if that is another one.
    pub fn of(spec: &Spec) -> Option<Mcr> {
        let mode = match spec.value("mode") {
            Some(1) => Mode::Literal,
            _ => Mode::Complete,
        };
        match spec.technique().name {
            "mcr" => Some(Mcr::new(mode, false)),
            "se-mcr" => Some(Mcr::new(mode, true)),
            _ => None,
        }
    }

    fn part(mode: Mode, is_switching: bool) -> Mcr {
        Mcr {
            mode,
            is_switching,
            seed: Seed::default(),
            along: Along::default(),
            round: VecDeque::new(),
            found: Vec::new(),
            backlog: VecDeque::new(),
            known: HashSet::new(),
            traces: Traces::default(),
            planning: Planning::default(),
            is_incomplete: false,
            has_cut_off: false,
            has_kept_back: false,
            has_awaited_clock: false,
            is_part: false,
            deadline: None,
        }
    }

    /// The same up to a moment: planning from one long trace may take longer than there is time.
    pub fn until(self, deadline: Option<Instant>) -> Mcr {
        Mcr { deadline, ..self }
    }

    /// The way of the execution at hand, for who runs it elsewhere.
    pub fn route(&self) -> Route {
        self.seed.route()
    }

    /// Takes in what the execution at hand was, and how it ended. Whether it counts.
    pub fn take_in(&mut self, transcript: Transcript, outcome: &Outcome) -> bool {
        let reads = transcript.reads();
        let seed = self.seed.clone();
        self.has_cut_off |= !transcript.cut_off.is_empty();
        self.has_kept_back |= transcript.memory != Memory::Sc && outcome.is_failure();
        let mut finding = Finding::default();
        let is_kept = seed.is_kept_by(&reads);
        if is_kept {
            finding.seeds = self.expand(&transcript, &seed);
        }
        if self.keeps_traces() && *outcome != Outcome::Cut {
            finding.trace = Some(Kept { transcript, reads });
        }
        self.found.push(finding);
        is_kept || outcome.is_failure()
    }

    /// The seeds that come of an execution with this transcript.
    fn expand(&mut self, transcript: &Transcript, seed: &Seed) -> Vec<Seed> {
        if transcript.events.len() > EVENTS_MAX {
            self.is_incomplete = true;
            return Vec::new();
        }
        let start = Instant::now();
        let (memory, performed) = (transcript.memory, transcript.performed);
        let (initial, events) = (&transcript.initial, &transcript.events);
        let model = match self.mode {
            Mode::Complete => Model::with_pending(memory, initial, events.clone(), performed),
            Mode::Literal => Model::as_printed(memory, initial, events[..performed].to_vec()),
        };
        // A variable that was changed behind the back of the front end.
        let Ok(model) = model else {
            self.is_incomplete = true;
            return Vec::new();
        };
        let mut solver = Solver {
            deadline: self.deadline,
            ..Solver::default()
        };
        let (seeds, is_cut) = match self.mode {
            Mode::Complete => {
                let expansion = Expansion::new(transcript, &model, &seed.content, &mut solver);
                expansion.seeds(&seed.content)
            }
            Mode::Literal => {
                solver.budget.state_count_max = LITERAL_STATES_MAX;
                let mut analysis = Analysis {
                    transcript,
                    model: &model,
                    seed,
                    solver: &mut solver,
                    is_cut: false,
                };
                let seeds = analysis.seeds(self.is_switching);
                (seeds, analysis.is_cut)
            }
        };
        self.is_incomplete |= is_cut;
        let counts = solver.counts;
        self.planning.merge(&Planning {
            seeds: seeds.len() as u64,
            queries: counts.queries,
            sat: counts.sat,
            unsat: counts.unsat,
            constraints: counts.constraints,
            nanoseconds: start.elapsed().as_nanos() as u64,
        });
        seeds
    }

    /// Whether a seed is new.
    fn is_new(&mut self, seed: &Seed) -> bool {
        match self.mode {
            Mode::Literal => true,
            Mode::Complete if seed.race != 0 => self.known.insert(seed.race.into()),
            Mode::Complete => self.known.insert(seed.key()),
        }
    }

    /// Makes the next round of what the last one has found.
    fn begin_round(&mut self) {
        for finding in std::mem::take(&mut self.found) {
            if let Some(trace) = finding.trace {
                self.traces.add(trace);
            }
            self.put_off(finding.seeds);
        }
        if !self.keeps_traces() {
            self.round = std::mem::take(&mut self.backlog);
            return;
        }
        let mut open = std::mem::take(&mut self.backlog);
        let mut aside = VecDeque::new();
        while let Some(seed) = open.pop_front() {
            match self.traces.find(&seed) {
                Some(known) => {
                    let kept = self.traces.all[known].transcript.clone();
                    let seeds = self.expand(&kept, &seed);
                    self.put_off(seeds);
                    open.append(&mut self.backlog);
                }
                None if self.round.iter().all(|other| other.contradicts(&seed)) => {
                    self.round.push_back(seed);
                }
                None => aside.push_back(seed),
            }
        }
        self.backlog = aside;
    }

    /// Keeps the seeds that are new.
    fn put_off(&mut self, seeds: Vec<Seed>) {
        for seed in seeds {
            if self.is_new(&seed) {
                self.backlog.push_back(seed);
            }
        }
    }

    /// Whether executions are kept to answer for seeds.
    fn keeps_traces(&self) -> bool {
        self.is_switching && self.mode == Mode::Complete
    }
}

impl Strategy for Mcr {
    fn begin(&mut self, _: u64) -> Begin {
        if self.round.is_empty() && !self.is_part {
            self.begin_round();
        }
        match self.round.pop_front() {
            Some(seed) => {
                self.along = Along::new(seed.route());
                self.seed = seed;
                Begin::Ready
            }
            None => Begin::Exhausted,
        }
    }

    fn choose(&mut self, view: &View<'_>) -> Result<TaskId, Stop> {
        self.along.choose(view)
    }

    fn answer(&mut self, view: &View<'_>, question: Choice) -> Result<u32, Stop> {
        self.along.answer(view, question)
    }

    fn end(&mut self, execution: &Execution) -> Result<bool, Stop> {
        let outcome = execution.outcome().unwrap_or(&Outcome::Cut);
        self.has_awaited_clock |= execution.has_awaited_clock();
        Ok(self.take_in(Transcript::new(execution), outcome))
    }

    fn watches(&self) -> bool {
        true
    }

    fn warnings(&self) -> Vec<Warning> {
        let text = "some traces could not be analysed in full; states may be missing";
        let warning = || Warning::new(WarningKind::NotAnalysed, text.to_string());
        self.is_incomplete.then(warning).into_iter().collect()
    }

    fn provisos(&self) -> Provisos {
        let has_gaps = self.is_incomplete || self.has_cut_off || self.has_awaited_clock;
        let mut provisos = Provisos::NONE;
        if has_gaps || self.mode == Mode::Literal {
            provisos.add(Proviso::Unplanned);
        }
        if self.has_kept_back {
            provisos.add(Proviso::BehindFailure);
        }
        provisos
    }

    fn take_planning(&mut self) -> Option<Planning> {
        Some(std::mem::take(&mut self.planning))
    }

    fn goes_in_rounds(&self) -> bool {
        true
    }

    fn round(&mut self, parts: usize) -> Vec<Round> {
        if self.round.is_empty() {
            self.begin_round();
        }
        let length = self.round.len().div_ceil(parts.max(1)).max(1);
        let mut rounds = Vec::new();
        while !self.round.is_empty() {
            let rest = self.round.split_off(length.min(self.round.len()));
            let round = std::mem::replace(&mut self.round, rest);
            rounds.push(Round {
                executions: round.len() as u64,
                strategy: Box::new(Mcr {
                    round,
                    is_part: true,
                    deadline: self.deadline,
                    ..Mcr::part(self.mode, self.is_switching)
                }),
            });
        }
        rounds
    }

    fn leave(&mut self) -> Option<Findings> {
        Some(Box::new(std::mem::take(&mut self.found)))
    }

    fn receive(&mut self, findings: Findings) {
        let found = findings.downcast::<Vec<Finding>>();
        let found = *found.expect("internal error: findings of another technique");
        self.found.extend(found);
    }
}

/// The executions so far, by what they have seen.
#[derive(Default)]
struct Traces {
    all: Vec<Kept>,
    by_read: HashMap<(Place, u64), Vec<usize>>,
}

impl Traces {
    fn add(&mut self, trace: Kept) {
        for (&place, &value) in &trace.reads {
            let known = self.by_read.entry((place, value)).or_default();
            known.push(self.all.len());
        }
        self.all.push(trace);
    }

    /// The first execution that keeps what a seed promises, if that says all.
    fn find(&self, seed: &Seed) -> Option<usize> {
        if (seed.tag, seed.race) != (0, 0) {
            return None;
        }
        let none = Vec::new();
        let told = seed.content.iter();
        // The ordinary answer may also be none.
        let told = told.filter(|&(place, &value)| value != 0 || !place.is_rationed());
        let lists = told.map(|(&place, &value)| self.by_read.get(&(place, value)).unwrap_or(&none));
        let shortest = lists.min_by_key(|list| list.len())?;
        let is_it = |&&at: &&usize| {
            let reads = &self.all[at].reads;
            seed.is_kept_by(reads) && !takes_more(reads, seed)
        };
        shortest.iter().find(is_it).copied()
    }
}

/// Whether an execution has taken more of what is rationed than a seed promises. What others could have taken instead
/// was not asked in it.
fn takes_more(reads: &BTreeMap<Place, u64>, seed: &Seed) -> bool {
    let mut taken = reads
        .iter()
        .filter(|&(place, &value)| value != 0 && place.is_rationed());
    taken.any(|(place, _)| !seed.content.contains_key(place))
}
