//! Free executions: the program runs on real threads as it always does, and the runtime inside counts,
//! traces and disturbs ([`unpick_noise`]).
//!
//! A [`Session`] has the memory that the runtime writes to. It outlives the program, so that nothing is
//! lost when that crashes or has to be killed. An [`Execution`] says how the program ended, what it printed
//! and what its threads came to; a [`Verdict`], whether that is a failure.

mod desk;
mod judge;
mod ppct;
mod watch;

use std::os::unix::process::CommandExt;
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};

use unpick_noise::{NoiseOrder, PLACEMENT_COUNT, Placement};
use unpick_protocol::{FREE_VARIABLE, PriorityOrder};

use crate::drive::{Command, DriveError, cannot_start, preload};
use crate::memory_file::MemoryFile;
use desk::SharedFreeDesk;
pub use judge::{Expectation, Verdict};
pub use ppct::ParallelPpct;
pub use watch::Stack;

/// Bytes of an output that are compared and reported.
const OUTPUT_MAX: u64 = 16 << 20;

/// How free executions are run.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// Threads that are told apart.
    pub threads_max: u32,
    /// Entries of the trace of each.
    pub events_max: u32,
    /// How long the program may take.
    pub time_max: Duration,
    /// How long all threads may sleep and use no time. Then nothing more is waited for: it is a deadlock, if
    /// neither the program nor noise sleeps that long.
    pub asleep_max: Option<Duration>,
}

impl Default for Setup {
    fn default() -> Setup {
        Setup {
            threads_max: 1_024,
            events_max: 1 << 16,
            time_max: Duration::from_secs(10),
            asleep_max: None,
        }
    }
}

/// How the program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// By itself, with a code.
    Exited(i32),
    /// By a signal.
    Signalled(i32),
    /// Not at all: it was killed.
    TimedOut {
        /// Whether all threads slept and used no time: a deadlock, as far as one can tell from outside.
        is_asleep: bool,
        /// Where its threads were.
        stacks: Vec<Stack>,
    },
}

/// A thread of an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// The number of its creator.
    pub parent: u32,
    /// How many threads that one had created before; `None` if it was created in a way that is not seen.
    pub index: Option<u32>,
    /// Whether it has begun.
    pub has_begun: bool,
    /// How often it came to each placement, by number.
    pub reached: [u64; PLACEMENT_COUNT],
    /// How often noise fired there.
    pub fired: [u64; PLACEMENT_COUNT],
}

/// An entry of the trace: a thread has come to a placement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// The processor's clock.
    pub time: u64,
    /// The thread, by the order of creation.
    pub thread: u32,
    /// The placement.
    pub placement: Placement,
    /// The address of the object, or zero.
    pub object: u64,
    /// The place in the code.
    pub pc: u64,
}

/// What came of priorities in an execution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Priorities {
    /// Steps of all threads, counted while there were two, and those by which a thread that was alone created or joined
    /// others.
    pub step_count: u64,
    /// Threads that were held back.
    pub low_count: u32,
    /// Steps that these made out of turn by chance.
    pub passed: u32,
    /// Steps that they made because nobody else went on.
    pub stalled: u32,
}

/// One free execution.
#[derive(Clone, Debug)]
pub struct Execution {
    /// How it ended.
    pub end: End,
    /// What the program wrote to its standard output.
    pub output: Vec<u8>,
    /// What it wrote to its standard error.
    pub error_output: Vec<u8>,
    /// How long it took.
    pub elapsed: Duration,
    /// Processor time of all its threads.
    pub processor_time: Duration,
    /// How long noise has held threads up, all together.
    pub noise_time: Duration,
    /// Its threads, by number.
    pub threads: Vec<Thread>,
    /// The trace, in the order of time.
    pub events: Vec<Event>,
    /// Entries of the trace for which there was no room.
    pub events_lost: u64,
    /// Threads for which there was no record.
    pub threads_lost: u32,
    /// What came of priorities.
    pub priorities: Priorities,
    /// Places in the code that were seen to touch plain memory that threads share.
    pub conflicts: Vec<u64>,
}

impl Execution {
    /// How often a placement was reached, and how often noise fired there.
    pub fn count(&self, placement: Placement) -> (u64, u64) {
        let at = placement.number();
        let reached = self.threads.iter().map(|thread| thread.reached[at]).sum();
        let fired = self.threads.iter().map(|thread| thread.fired[at]).sum();
        (reached, fired)
    }
}

/// Many free executions of one program.
pub struct Session {
    command: Command,
    setup: Setup,
    desk: SharedFreeDesk,
    priorities: PriorityOrder,
}

impl Session {
    /// Makes the memory; nothing is started yet.
    pub fn new(command: &Command, setup: Setup) -> Result<Session, DriveError> {
        let desk = SharedFreeDesk::new(setup.threads_max, setup.events_max);
        Ok(Session {
            command: command.clone(),
            setup,
            desk: desk.map_err(|cause| cannot_start(command, cause))?,
            priorities: PriorityOrder::NOBODY,
        })
    }

    /// Holds threads of low priority back in the executions that follow.
    pub fn prioritise(&mut self, priorities: PriorityOrder) {
        self.priorities = priorities;
    }

    /// Runs the program once. `goes_on` is asked now and then; if it says no, the program is ended and
    /// there is no execution.
    pub fn execute(
        &mut self,
        order: &NoiseOrder,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Execution>, DriveError> {
        self.desk.prepare(order, &self.priorities);
        let fail = |cause| cannot_start(&self.command, cause);
        let new = || MemoryFile::new().map_err(fail);
        let output = [new()?, new()?];
        let start = Instant::now();
        let mut life = self.spawn(&output)?;
        let Some(watched) = life.watch(&self.desk, &self.setup, goes_on) else {
            return Ok(None);
        };
        let elapsed = start.elapsed();
        if !self.desk.is_manned() {
            return Err(DriveError::NotControlled {
                program: self.command.program.clone(),
                status: std::os::unix::process::ExitStatusExt::from_raw(watched.status),
            });
        }
        let [output, error_output] = output.map(|file| file.content(OUTPUT_MAX));
        let (events, events_lost) = self.desk.events();
        Ok(Some(Execution {
            end: watched.end,
            output,
            error_output,
            elapsed,
            processor_time: watched.processor_time,
            noise_time: self.desk.noise_time(),
            threads: self.desk.threads(),
            events,
            events_lost,
            threads_lost: self.desk.threads_lost(),
            priorities: self.desk.priorities(),
            conflicts: self.desk.conflicts(),
        }))
    }

    fn spawn(&self, output: &[MemoryFile; 2]) -> Result<watch::Life, DriveError> {
        let fail = |cause| cannot_start(&self.command, cause);
        let command = &self.command;
        let preload = preload(&command.runtime).map_err(fail)?;
        let mut child = std::process::Command::new(&command.program);
        let file = self.desk.inherited().map_err(fail)?;
        child
            .args(&command.arguments)
            .envs(&command.environment)
            .env(FREE_VARIABLE, file.to_string())
            .env("LD_PRELOAD", &preload.list)
            .env("LD_BIND_NOW", "1")
            // Ctrl-C is for us.
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(output[0].writer().map_err(fail)?)
            .stderr(output[1].writer().map_err(fail)?);
        if let Some(directory) = &command.directory {
            child.current_dir(directory);
        }
        // SAFETY: only system calls between fork and exec.
        unsafe {
            child.pre_exec(move || {
                // The same addresses in every process.
                libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong);
                Ok(())
            });
        }
        child.spawn().map(watch::Life::new).map_err(fail)
    }
}

/// How a process ended, in the terms of the standard library.
pub(crate) fn end_of(status: i32) -> End {
    let status: ExitStatus = std::os::unix::process::ExitStatusExt::from_raw(status);
    match std::os::unix::process::ExitStatusExt::signal(&status) {
        Some(signal) => End::Signalled(signal),
        None => End::Exited(status.code().unwrap_or(-1)),
    }
}
