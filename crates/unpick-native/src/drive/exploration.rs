//! An exploration of a native program, from choosing a back-end to checking what was found.

use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use unpick_config::room::{Room, Taken};
use unpick_engine::parts::{of_slice, slice};
use unpick_engine::{
    Exploration, FirstFailure, Limits, Proviso, Settings, StopReason, Warning, WarningKind,
};
use unpick_protocol::{
    Answer, Backend, Launch, Module, NamedCode, Order, Points, Reexecution, Trouble, TroubleKind,
    Work,
};
use unpick_strategies::Spec;
use unpick_trace::{Outcome, Trace};

use super::process::{Command, DriveError, Process, Progress, Watch, cannot_start};
use super::{confirmation, crew, named, parallel, planned};
use crate::memory_file::MemoryFile;
use crate::symbols::standard::Standard;

/// How to explore.
#[derive(Clone, Debug)]
pub struct Options {
    /// The strategy's text.
    pub strategy: String,
    /// Its seed.
    pub seed: u64,
    /// When to end.
    pub limits: Limits,
    /// How long to explore. Choosing a back-end counts, shrinking and explaining may take a little longer.
    pub time: Option<Duration>,
    /// How much memory may be taken, by this process and by those of the program.
    pub room: Room,
    /// What a program may run into besides the order of its tasks.
    pub settings: Settings,
    /// Whether data races and uses of freed memory are failures.
    pub races: bool,
    /// Which plain accesses are points.
    pub points: Points,
    /// Functions whose beginning is a point.
    pub point_at: Vec<String>,
    /// How tasks are run; `None` chooses.
    pub backend: Option<Backend>,
    /// How executions are repeated; `None` chooses.
    pub reexecution: Option<Reexecution>,
    /// Processors that the program is told to have.
    pub processors: u32,
    /// How long a task may take from one scheduling point to the next.
    pub hang_after: Duration,
    /// Whether the program's output is shown.
    pub shows_output: bool,
    /// Executions directed at each possible deadlock, at most.
    pub confirm: u64,
    /// Executions to shrink a failing schedule, at most.
    pub shrink: u64,
    /// Processes to share the work, where the strategy allows it.
    pub jobs: usize,
    /// Which of how many shares to run, from 0; `None` runs the whole.
    pub shard: Option<(u32, u32)>,
}

/// What an exploration has found, and how it was run.
#[derive(Debug)]
pub struct Explored {
    /// What was found; locations are those of machine code.
    pub exploration: Exploration,
    /// The files mapped into the program.
    pub modules: Vec<Module>,
    /// The addresses of the objects of the first failure.
    pub addresses: Vec<u64>,
    /// How tasks were run.
    pub backend: Backend,
    /// How executions were repeated.
    pub reexecution: Reexecution,
    /// Why so.
    pub reason: String,
    /// Program counters at which plain accesses were points.
    pub shared: Vec<u64>,
    /// When all work on what was found is to end.
    pub deadline: Option<Instant>,
}

impl Explored {
    /// Before anything is run.
    pub(super) fn nothing(launch: Launch, reason: String, shared: &[u64]) -> Explored {
        Explored {
            exploration: Exploration::default(),
            modules: Vec::new(),
            addresses: Vec::new(),
            backend: launch.backend,
            reexecution: launch.reexecution,
            reason,
            shared: shared.to_vec(),
            deadline: None,
        }
    }

    /// What an exploration has found that is still under way, or is never answered.
    pub fn so_far(answer: Answer, options: &Options) -> Explored {
        let launch = first_launch(options);
        let shared = answer.shared.clone();
        Explored::nothing(launch, String::new(), &shared).with(answer)
    }

    /// What another order to the same program has found.
    pub(super) fn with(&self, answer: Answer) -> Explored {
        Explored {
            exploration: answer.exploration,
            modules: answer.modules,
            addresses: answer.addresses,
            backend: self.backend,
            reexecution: self.reexecution,
            reason: self.reason.clone(),
            shared: self.shared.clone(),
            deadline: self.deadline,
        }
    }
}

/// Stacks that a program gets at first, and at most.
pub(super) const TASKS_FIRST: u32 = 16;
pub(super) const TASKS_MAX: u32 = 8_192;

/// Executions that are compared between two ways of repeating them.
const CHECKED: u64 = 3;

/// How long shrinking and explaining may go on when the time is over, besides a twentieth of it.
const SLACK: Duration = Duration::from_millis(500);

/// A program that is explored with one launch.
pub(super) struct Launched<'a> {
    pub command: &'a Command,
    pub options: &'a Options,
    pub launch: Launch,
    pub named: &'a [NamedCode],
}

impl Launched<'_> {
    /// The same with several processes.
    fn share(&mut self, order: &Order, watch: &mut Watch<'_>) -> Result<Answer, DriveError> {
        let explore = match order.work {
            Work::Search { .. } => crew::explore,
            _ => parallel::explore,
        };
        loop {
            match explore(self.command, self.options, self.launch, order, watch) {
                Err(DriveError::Trouble { trouble, .. }) if self.wants_more_tasks(&trouble) => {}
                other => return other,
            }
        }
    }

    /// Whether more stacks may help; if so, there are more from now on.
    fn wants_more_tasks(&mut self, trouble: &Trouble) -> bool {
        let is_it = trouble.kind == TroubleKind::TooManyTasks && self.launch.tasks_max < TASKS_MAX;
        if is_it {
            self.launch.tasks_max = (4 * self.launch.tasks_max).min(TASKS_MAX);
        }
        is_it
    }

    /// Explores in one process, or in several where that is wanted or needed.
    fn explore(&mut self, order: &Order, watch: &mut Watch<'_>) -> Result<Answer, DriveError> {
        while let Some(technique) = planned::technique(self.options) {
            match planned::explore(self, technique, order, watch) {
                Err(DriveError::Trouble { trouble, .. }) if self.wants_more_tasks(&trouble) => {}
                other => return other,
            }
        }
        let is_part = match &order.work {
            Work::Search { .. } => true,
            Work::Explore { range, .. } => range.is_some(),
            _ => false,
        };
        let is_anew = self.launch.reexecution == Reexecution::Exec;
        let is_many = (self.options.jobs > 1 || is_anew) && is_randomised(&self.options.strategy);
        match is_part || is_many {
            true => self.share(order, watch),
            false => self.perform(order, watch),
        }
    }

    /// Gives an order to a fresh process; one with more stacks if they do not suffice.
    pub fn perform(&mut self, order: &Order, watch: &mut Watch<'_>) -> Result<Answer, DriveError> {
        loop {
            let hang_after = self.options.hang_after;
            let mut process = Process::start(self.command, self.launch, hang_after, None)?;
            match process.perform(order, watch) {
                Err(DriveError::Trouble { trouble, .. }) if self.wants_more_tasks(&trouble) => {}
                other => return other,
            }
        }
    }
}

pub(super) fn order(
    options: &Options,
    work: Work,
    limits: Limits,
    shared: &[u64],
    named: &[NamedCode],
) -> Order {
    Order {
        work,
        settings: options.settings,
        limits,
        races: options.races,
        points: options.points,
        shared: shared.to_vec(),
        named: named.to_vec(),
    }
}

/// Explores a program.
pub fn explore(
    command: &Command,
    options: &Options,
    watch: &mut Watch<'_>,
) -> Result<Explored, DriveError> {
    let start = Instant::now();
    let time = options.time;
    let is_full = Cell::new(false);
    let mut watch = |progress: Progress| {
        let is_late = time.is_some_and(|limit| start.elapsed() >= limit);
        let takers = progress.taken.iter().copied();
        let is_exceeded = options.room.is_exceeded_by(Taken::by_us(), takers);
        is_full.set(is_full.get() || is_exceeded);
        watch(progress) && !is_late && !is_exceeded
    };
    let named = named::find(command, options, first_launch(options))?;
    let (launch, reason) = choose_within(command, options, &named, &mut watch)?;
    let mut launched = Launched {
        command,
        options,
        launch,
        named: &named,
    };
    let shared = survey(&mut launched, &mut watch)?;
    let work = work(options);
    let mut order = order(options, work, options.limits, &shared, &named);
    let mut answer = learn(&mut launched, &mut order, &mut watch).or_else(with_failures)?;
    let shared = order.shared.clone();
    let is_late = || time.is_some_and(|limit| start.elapsed() >= limit);
    let wish = confirmation::wish(options);
    // A shard leaves that to the whole.
    let is_shard = options.shard.is_some();
    if !is_shard {
        wish.settle(&mut answer.exploration);
    }
    if !is_shard && wish.is_wanted(&answer.exploration) && !is_late() {
        let limits = options.limits;
        answer = confirmation::run(&mut launched, limits, &shared, answer, &mut watch)?;
    }
    if is_full.get() && answer.exploration.stopped_because == StopReason::Interrupted {
        answer.exploration.stopped_because = StopReason::Memory;
    }
    if is_late() && answer.exploration.stopped_because == StopReason::Interrupted {
        answer.exploration.stopped_because = StopReason::Time;
    }
    if let (
        Some(shard),
        Work::Explore {
            range: Some(range), ..
        },
    ) = (options.shard, &order.work)
    {
        answer.exploration = of_slice(answer.exploration, range, shard);
    }
    if Standard::of(&command.program).unknown.is_some() {
        answer.exploration.provided.add(Proviso::NotInstrumented);
    }
    let warnings = named::warnings(&named, &answer.entered);
    answer.exploration.warnings.extend(warnings);
    Ok(Explored {
        exploration: answer.exploration,
        modules: answer.modules,
        addresses: answer.addresses,
        backend: launched.launch.backend,
        reexecution: launched.launch.reexecution,
        reason,
        shared,
        deadline: time.map(|time| start + time + time / 20 + SLACK),
    })
}

/// What was found before an error, if the program has failed before. That is a finding; the error is a warning beside
/// it.
pub(super) fn with_failures(mut error: DriveError) -> Result<Answer, DriveError> {
    let Some(mut answer) = error.take_answer() else {
        return Err(error);
    };
    if answer.exploration.failures == 0 {
        return Err(error.with_answer(Some(*answer)));
    }
    let text = match &error {
        DriveError::Trouble { trouble, .. } if trouble.kind == TroubleKind::Unmodelled => format!(
            "explored no further than to a call of {}, which is not modelled",
            trouble.what
        ),
        error => format!("not explored to the end: {error}"),
    };
    let found = &mut answer.exploration;
    if let DriveError::Died { executions, .. } | DriveError::Hangs { executions, .. } = error {
        found.executions = found.executions.max(executions);
    }
    let warning = Warning::new(WarningKind::EndedEarly, text);
    found.warnings.push(warning);
    Ok(*answer)
}

/// What there is to do, for one process or for each of several.
fn work(options: &Options) -> Work {
    let strategy = options.strategy.clone();
    let seed = options.seed;
    let shard = options.shard;
    if is_randomised(&strategy) {
        let executions = options.limits.executions_max;
        return Work::Explore {
            strategy,
            seed,
            range: shard.map(|shard| slice(shard, executions)),
            profile: None,
        };
    }
    // Processes that follow each other cannot share anything.
    let is_shared = options.jobs > 1 && options.reexecution != Some(Reexecution::Exec);
    match shard.is_some() || is_shared && can_split(&strategy) {
        true => Work::Search {
            strategy,
            seed,
            shard,
        },
        false => Work::Explore {
            strategy,
            seed,
            range: None,
            profile: None,
        },
    }
}

/// Whether the executions of a strategy can be run anywhere, in any order.
fn is_randomised(strategy: &str) -> bool {
    Spec::parse(strategy).is_ok_and(|spec| spec.technique().is_randomised)
}

/// Whether a strategy is a search that several processes can share.
pub fn can_split(strategy: &str) -> bool {
    let spec = Spec::parse(strategy);
    spec.is_ok_and(|spec| {
        let technique = spec.technique();
        let is_search = !technique.is_randomised && !technique.is_planned;
        is_search && spec.build_shared(0).duplicate().is_some()
    })
}

/// Explores until nothing new is learnt about the plain accesses that are to be points. Whoever finds a new
/// one in an execution has not looked at what may happen before it, and begins again with it. Leaves the last
/// order, and gives its answer: these count.
fn learn(
    launched: &mut Launched<'_>,
    order: &mut Order,
    watch: &mut Watch<'_>,
) -> Result<Answer, DriveError> {
    loop {
        let mut is_wanted = true;
        let mut ask = |progress| {
            is_wanted = watch(progress);
            is_wanted
        };
        let mut answer = launched.explore(order, &mut ask)?;
        let mut shared = order.shared.clone();
        if !order.points.are_learnt() || !add(&mut shared, &answer) {
            return Ok(answer);
        }
        let found = &mut answer.exploration;
        let is_over = found.failures > 0 || found.diverged.is_some() || !is_wanted;
        // A share must be one of the same search as the others.
        if is_over || launched.options.shard.is_some() {
            found.provided.add(Proviso::PlainAccesses);
            return Ok(answer);
        }
        order.shared = shared;
    }
}

/// Adds the places that an answer tells of. Answers whether one is new.
fn add(shared: &mut Vec<u64>, answer: &Answer) -> bool {
    let count = shared.len();
    shared.extend(&answer.shared);
    shared.sort_unstable();
    shared.dedup();
    shared.len() > count
}

/// Finds plain accesses that are to be points, as far as a few executions show them.
pub(super) fn survey(
    launched: &mut Launched<'_>,
    watch: &mut Watch<'_>,
) -> Result<Vec<u64>, DriveError> {
    let options = launched.options;
    if !options.points.are_learnt() {
        return Ok(Vec::new());
    }
    let is_alone = launched.launch.reexecution != Reexecution::Exec;
    const SURVEY: u64 = 32;
    const ROUNDS_MAX: usize = 8;
    let mut shared: Vec<u64> = Vec::new();
    // New points may lead to code that was not reached before.
    for _ in 0..ROUNDS_MAX {
        let limits = Limits {
            executions_max: SURVEY.min(options.limits.executions_max),
            keep_going: true,
            fingerprint: false,
            classes: false,
            coverage: false,
            races: false,
        };
        let work = Work::Explore {
            strategy: "random".into(),
            seed: options.seed,
            range: None,
            profile: None,
        };
        let mut order = order(options, work, limits, &shared, launched.named);
        order.settings.steps_max = options.settings.steps_max;
        let answer = match is_alone {
            true => launched.perform(&order, watch)?,
            false => launched.share(&order, watch)?,
        };
        if !add(&mut shared, &answer) {
            break;
        }
    }
    Ok(shared)
}

/// The way that is tried first.
pub(super) fn first_launch(options: &Options) -> Launch {
    Launch {
        backend: options.backend.unwrap_or(Backend::Fibers),
        reexecution: options.reexecution.unwrap_or(Reexecution::Snapshot),
        tasks_max: TASKS_FIRST,
        processors: options.processors,
        shows_output: options.shows_output,
    }
}

/// Chooses the fastest way that is right for this program, and says why.
pub(super) fn choose(
    command: &Command,
    options: &Options,
    named: &[NamedCode],
) -> Result<(Launch, String), DriveError> {
    choose_within(command, options, named, &mut |_| true)
}

/// As [`choose`], with a part of the time that there is: a program of long executions is not compared.
fn choose_within(
    command: &Command,
    options: &Options,
    named: &[NamedCode],
    watch: &mut Watch<'_>,
) -> Result<(Launch, String), DriveError> {
    const TOO_LONG: &str = "executions take too long to compare some with forks";
    let start = Instant::now();
    let is_within = |thirds: u32| {
        let share = options.time.map(|time| time / 3 * thirds);
        share.is_none_or(|share| start.elapsed() < share)
    };
    let mut first_third = |progress| watch(progress) && is_within(1);
    let launch = first_launch(options);
    let fork = Launch {
        reexecution: Reexecution::Fork,
        ..launch
    };
    if options.reexecution.is_some() || options.backend.is_some() {
        if launch.backend == Backend::Threads && launch.reexecution == Reexecution::Snapshot {
            return Ok((fork, "threads cannot be put back into a snapshot".into()));
        }
        return Ok((launch, "as asked for".into()));
    }
    let fast = fingerprint(command, options, launch, named, &mut first_third);
    if matches!(fast, Err(DriveError::Hangs { .. })) {
        let threads = Launch {
            backend: Backend::Threads,
            ..fork
        };
        // If it spins, that does not help, and the first look at it was the better one.
        if fingerprint(command, options, threads, named, watch).is_err() {
            return fast.map(|_| (launch, String::new()));
        }
        let reason =
            "a task blocks in code that is not controlled, which only a thread can be left in";
        return Ok((threads, reason.into()));
    }
    let is_cut = |found: &Fingerprint| found.executions < CHECKED;
    if fast.as_ref().is_ok_and(is_cut) {
        return Ok((launch, TOO_LONG.into()));
    }
    let mut second_third = |progress| watch(progress) && is_within(2);
    let slow = fingerprint(command, options, fork, named, &mut second_third);
    match (fast, slow) {
        (Ok(_), Ok(slow)) if is_cut(&slow) => Ok((launch, TOO_LONG.into())),
        (Ok(fast), Ok(slow)) if fast == slow => {
            let reason = format!("the first {CHECKED} executions are the same as in forks");
            Ok((launch, reason))
        }
        (Ok(_), Ok(_)) => {
            let reason = "executions from a snapshot differ from those in forks";
            Ok((fork, reason.into()))
        }
        (Err(_), Ok(_)) => Ok((fork, "the program does not survive a snapshot".into())),
        (_, Err(error)) => Err(error),
    }
}

/// What tells a few executions from others.
#[derive(PartialEq, Eq)]
struct Fingerprint {
    executions: u64,
    hash: u64,
    failures: u64,
    steps: u64,
}

/// Runs a few executions, fewer if the watch ends them.
fn fingerprint(
    command: &Command,
    options: &Options,
    launch: Launch,
    named: &[NamedCode],
    watch: &mut Watch<'_>,
) -> Result<Fingerprint, DriveError> {
    let limits = Limits {
        executions_max: CHECKED,
        keep_going: true,
        fingerprint: true,
        classes: false,
        coverage: false,
        races: false,
    };
    let work = Work::Explore {
        strategy: "random".into(),
        seed: options.seed,
        range: None,
        profile: None,
    };
    let mut options = options.clone();
    options.points = Points::Sync;
    let mut launched = Launched {
        command,
        options: &options,
        launch,
        named,
    };
    let found = launched
        .perform(&order(&options, work, limits, &[], named), watch)?
        .exploration;
    Ok(Fingerprint {
        executions: found.schedules,
        hash: found.hash,
        failures: found.failures,
        steps: found.steps_total,
    })
}

/// Follows a recorded execution in a process of its own. The program's output goes into a file, if
/// one is given.
pub fn replay(
    command: &Command,
    options: &Options,
    launch: (Backend, Reexecution),
    trace: &Trace,
    shared: &[u64],
    output: Option<&Arc<MemoryFile>>,
) -> Result<(FirstFailure, Answer), DriveError> {
    let limits = Limits {
        executions_max: 1,
        keep_going: false,
        fingerprint: true,
        classes: false,
        coverage: false,
        races: false,
    };
    let named = named::find(command, options, first_launch(options))?;
    let mut tasks_max = TASKS_FIRST;
    loop {
        if let Some(output) = output {
            output
                .clear()
                .map_err(|cause| cannot_start(command, cause))?;
        }
        let launch = Launch {
            backend: launch.0,
            reexecution: launch.1,
            tasks_max,
            processors: options.processors,
            shows_output: options.shows_output,
        };
        let mut process = Process::start(command, launch, options.hang_after, output)?;
        let work = Work::Replay(trace.clone());
        let order = order(options, work, limits, shared, &named);
        match process.perform(&order, &mut |_| true) {
            Err(DriveError::Trouble { trouble, .. })
                if trouble.kind == TroubleKind::TooManyTasks && tasks_max < TASKS_MAX =>
            {
                tasks_max = (4 * tasks_max).min(TASKS_MAX);
            }
            Err(error) => return Err(error),
            Ok(answer) => {
                let found = &answer.exploration;
                let end = found
                    .first_failure
                    .clone()
                    .or_else(|| found.diverged.clone());
                let end = end.map(|end| *end).unwrap_or_else(|| FirstFailure {
                    rank: 1,
                    execution: 1,
                    is_directed: false,
                    member: None,
                    trace: trace.clone(),
                    outcome: Outcome::Pass,
                });
                return Ok((end, answer));
            }
        }
    }
}
