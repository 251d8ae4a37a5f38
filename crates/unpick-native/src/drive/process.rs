//! One process of the program, with the runtime inside.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::num::NonZero;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use unpick_config::room::Taken;
use unpick_engine::Covered;
use unpick_protocol::{
    Answer, Backend, DESK_VARIABLE, Desk, LOOK_SIGNAL, Launch, Module, Order, STOP_AFTER_EXECUTION,
    STOP_AT_NEXT_STEP, Start, Trouble, encode,
};

use super::desk::SharedDesk;
use super::life::{Life, Nursery};
use crate::memory_file::MemoryFile;
use crate::symbols::standard::Standard;

/// The program to run.
#[derive(Clone, Debug)]
pub struct Command {
    /// Its file.
    pub program: PathBuf,
    /// What it is given.
    pub arguments: Vec<OsString>,
    /// Environment variables that differ from ours.
    pub environment: BTreeMap<OsString, OsString>,
    /// Where it runs, if not here.
    pub directory: Option<PathBuf>,
    /// The runtime library.
    pub runtime: PathBuf,
}

/// Why a program cannot be run under control.
#[derive(Debug, thiserror::Error)]
pub enum DriveError {
    /// It cannot be started at all.
    #[error("cannot start {}: {cause}{}", program.display(), limits_on(cause))]
    Start {
        /// The program.
        program: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
    /// It ran without ever coming under control.
    #[error(
        "{} ended before it came under control ({status}); {}",
        program.display(),
        reason_for_no_control()
    )]
    NotControlled {
        /// The program.
        program: PathBuf,
        /// How it ended.
        status: ExitStatus,
    },
    /// The process died under an order.
    #[error(
        "the process ended in the middle of the exploration ({})",
        describe(status)
    )]
    Died {
        /// How.
        status: ExitStatus,
        /// Executions done before.
        executions: u64,
        /// The failures that they have shown, if there are any.
        answer: Option<Box<Answer>>,
    },
    /// A task never came back.
    #[error(
        "a task has not come to a scheduling point for {} s: {}",
        after.as_secs(),
        reason(*is_watched)
    )]
    Hangs {
        /// How long it was waited for.
        after: Duration,
        /// The task, and where it is: return addresses, innermost first. `None` if it does not even
        /// hear signals.
        place: Option<(u64, Vec<u64>)>,
        /// Whether it is in a function that is instrumented.
        is_watched: bool,
        /// The files mapped into the program.
        modules: Vec<Module>,
        /// Executions done before.
        executions: u64,
        /// The failures that they have shown, if there are any.
        answer: Option<Box<Answer>>,
    },
    /// The runtime refuses.
    #[error("{}", trouble.what)]
    Trouble {
        /// What it says.
        trouble: Trouble,
        /// The answer it came with.
        answer: Box<Answer>,
    },
    /// A name of a function that the program does not have.
    #[error(
        "there is no function `{name}` in the program and its libraries; one that the compiler has \
         inlined everywhere has no code of its own (mark it `noinline`, `#[inline(never)]`)"
    )]
    NoFunction {
        /// The name.
        name: String,
    },
    /// A name that several functions have.
    #[error(
        "`{name}` may be {}; give more of the path",
        candidates.join(" or ")
    )]
    ManyFunctions {
        /// The name.
        name: String,
        /// Which it may be.
        candidates: Vec<String>,
    },
    /// The runtime's answer makes no sense.
    #[error(
        "what the runtime has answered cannot be read: the program writes over memory that is not its own"
    )]
    Garbled,
}

impl DriveError {
    /// What was found before the error.
    pub(super) fn take_answer(&mut self) -> Option<Box<Answer>> {
        match self {
            DriveError::Trouble { answer, .. } => Some(answer.clone()),
            DriveError::Died { answer, .. } | DriveError::Hangs { answer, .. } => answer.take(),
            _ => None,
        }
    }

    /// Puts something in the place of what was found before the error.
    pub(super) fn with_answer(mut self, whole: Option<Answer>) -> DriveError {
        match (&mut self, whole) {
            (DriveError::Trouble { answer, .. }, Some(whole)) => **answer = whole,
            (DriveError::Died { answer, .. } | DriveError::Hangs { answer, .. }, whole) => {
                *answer = whole.map(Box::new);
            }
            _ => {}
        }
        self
    }
}

/// A limit of `ulimit` on something, if there is one.
fn limit_of(resource: libc::__rlimit_resource_t) -> Option<u64> {
    let mut limit = libc::rlimit {
        rlim_cur: libc::RLIM_INFINITY,
        rlim_max: libc::RLIM_INFINITY,
    };
    // SAFETY: writes the limit.
    unsafe { libc::getrlimit(resource, &raw mut limit) };
    (limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur)
}

/// What is said of a limit of the address space, if there is one.
fn words_on_address_space() -> Option<String> {
    let limit = limit_of(libc::RLIMIT_AS)?;
    Some(format!(
        "`ulimit -v` allows {} KiB of address space, and the runtime reserves more than that, most of which it never uses; \
         run with `ulimit -v unlimited`, and limit memory with --max-memory or a control group",
        limit / 1024
    ))
}

/// Why a program may have ended before it came under control.
fn reason_for_no_control() -> String {
    words_on_address_space()
        .unwrap_or_else(|| "is it linked dynamically against glibc?".to_string())
}

/// What may be behind an error of the system, to follow it.
fn limits_on(cause: &io::Error) -> String {
    match cause.raw_os_error() {
        Some(libc::ENOMEM) => {
            words_on_address_space().map_or(String::new(), |words| format!("; {words}"))
        }
        Some(libc::EAGAIN) => match limit_of(libc::RLIMIT_NPROC) {
            Some(limit) => format!(
                "; `ulimit -u` allows {limit} processes and threads of this user; raise it, or end some"
            ),
            None => String::new(),
        },
        Some(libc::EMFILE) => match limit_of(libc::RLIMIT_NOFILE) {
            Some(limit) => {
                format!("; `ulimit -n` allows {limit} open files; raise it, or lower --jobs")
            }
            None => String::new(),
        },
        _ => String::new(),
    }
}

fn describe(status: &ExitStatus) -> String {
    match status.signal() {
        Some(signal) => format!("signal {signal}"),
        None => format!("{status}"),
    }
}

/// How far an order is.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// Executions done.
    pub executions: u64,
    /// Failing ones among them.
    pub failures: u64,
    /// Most tasks in one of them.
    pub tasks_max: u64,
    /// What they have covered, if that is wanted.
    pub covered: Option<Covered>,
    /// The failures so far, when there is a new one.
    pub found: Option<Box<Answer>>,
    /// The memory that its processes take.
    pub taken: Vec<Taken>,
}

impl Progress {
    fn of(desk: &Desk) -> Progress {
        Progress {
            executions: desk.executions.load(Ordering::Relaxed),
            failures: desk.failures.load(Ordering::Relaxed),
            tasks_max: desk.tasks_max.load(Ordering::Relaxed),
            covered: desk.covered.get(),
            found: None,
            taken: Vec::new(),
        }
    }
}

/// Looks at the progress every now and then; `false` ends the exploration after the execution that runs, or
/// in it if that takes longer than `CUT_AFTER`.
pub type Watch<'a> = dyn FnMut(Progress) -> bool + 'a;

/// How often progress is looked at.
pub(super) const LOOK: Duration = Duration::from_millis(50);

/// How long the last execution may take to its end when the exploration is over.
const CUT_AFTER: Duration = Duration::from_millis(300);

/// How long the runtime may take to tell what runs.
const PATIENCE: Duration = Duration::from_secs(2);

/// The desk of a process, seen from elsewhere.
pub(super) struct Look {
    desk: Arc<SharedDesk>,
    process: u32,
    /// The draft that was seen last.
    seen: Cell<u32>,
}

impl Look {
    /// Ends the order after the execution that runs.
    pub fn stop(&self) {
        stop(self.desk.top());
    }

    /// How far the order is.
    pub fn progress(&self) -> Progress {
        let mut seen = self.seen.get();
        let found = self.desk.draft(&mut seen).map(Box::new);
        self.seen.set(seen);
        Progress {
            found,
            taken: vec![Taken::by(self.process)],
            ..Progress::of(self.desk.top())
        }
    }

    /// The failures that the order has shown.
    pub fn found(&self) -> Option<Answer> {
        self.desk.draft(&mut 0)
    }
}

/// A running process.
pub(super) struct Process {
    life: Life,
    desk: Arc<SharedDesk>,
    command: Command,
    launch: Launch,
    hang_after: Duration,
    /// Where it prints to, if that is kept.
    output: Option<Arc<MemoryFile>>,
    /// The desks of all processes that share its work, if there are several.
    crew: Vec<Arc<SharedDesk>>,
    /// The files that were mapped into the program before its `main`.
    modules: Vec<Module>,
}

impl Process {
    /// Starts the program up to just before its `main`.
    pub fn start(
        command: &Command,
        launch: Launch,
        hang_after: Duration,
        output: Option<&Arc<MemoryFile>>,
    ) -> Result<Process, DriveError> {
        let desks = desks(command, launch, 1)?;
        let life = Life::Launched(spawn(command, launch, output.map(|file| &**file), &desks)?);
        let mut process = Process::at(desks[0].clone(), life, command, launch, hang_after);
        process.output = output.cloned();
        process.wait(&mut |_| true)?;
        process.note_modules();
        Ok(process)
    }

    /// Starts the program up to just before its `main`, and forks it there into so many processes, each
    /// kept on one processor. They can share a search.
    pub fn start_crew(
        command: &Command,
        launch: Launch,
        hang_after: Duration,
        count: usize,
    ) -> Result<Vec<Process>, DriveError> {
        if count == 1 {
            return Ok(vec![Process::start(command, launch, hang_after, None)?]);
        }
        let desks = desks(command, launch, count)?;
        let child = spawn(command, launch, None, &desks)?;
        let nursery = Arc::new(Nursery::new(child, desks.clone()));
        let mut crew = Vec::new();
        for (number, desk) in desks.iter().cloned().enumerate() {
            let life = Life::Forked(nursery.clone());
            let mut process = Process::at(desk, life, command, launch, hang_after);
            process.wait(&mut |_| true)?;
            process.note_modules();
            process.pin(number);
            process.crew.clone_from(&desks);
            crew.push(process);
        }
        Ok(crew)
    }

    fn at(
        desk: Arc<SharedDesk>,
        life: Life,
        command: &Command,
        launch: Launch,
        hang_after: Duration,
    ) -> Process {
        Process {
            life,
            desk,
            command: command.clone(),
            launch,
            hang_after,
            output: None,
            crew: Vec::new(),
            modules: Vec::new(),
        }
    }

    /// Keeps what is mapped into the program, in case that it never answers again.
    fn note_modules(&mut self) {
        let answer = self.desk.answer();
        self.modules = answer.map(|answer| answer.modules).unwrap_or_default();
    }

    /// Ends the process, and all that were forked with it.
    pub fn kill(&mut self) {
        self.life.kill();
    }

    /// Keeps the process on one processor, so that several do not move about.
    pub fn pin(&mut self, number: usize) {
        let count = thread::available_parallelism().map_or(1, NonZero::get);
        // SAFETY: a set of processors is plain data, and all zeroes is the empty one.
        unsafe {
            let mut set: libc::cpu_set_t = std::mem::zeroed();
            libc::CPU_SET(number % count, &mut set);
            let process = self.life.process(self.desk.top()) as libc::pid_t;
            // Zero would be this process. Where that is not allowed, the process stays where it likes.
            if process == 0 {
                return;
            }
            libc::sched_setaffinity(process, size_of::<libc::cpu_set_t>(), &set);
        }
    }

    /// A way to see and end the order at hand from elsewhere.
    pub fn look(&self) -> Look {
        Look {
            desk: self.desk.clone(),
            process: self.life.process(self.desk.top()),
            seen: Cell::new(0),
        }
    }

    /// Gives an order and waits for the answer.
    pub fn perform(&mut self, order: &Order, watch: &mut Watch<'_>) -> Result<Answer, DriveError> {
        self.desk.put_order(&encode(order));
        self.wait(watch)?;
        let answer = self.desk.answer().ok_or(DriveError::Garbled)?;
        match answer.trouble.clone() {
            None => Ok(answer),
            Some(trouble) => Err(DriveError::Trouble {
                trouble,
                answer: Box::new(answer),
            }),
        }
    }

    /// The answer before any order: what is mapped into the program, and that nothing was done.
    pub fn answer_to_nothing(&self) -> Result<Answer, DriveError> {
        self.desk.answer().ok_or(DriveError::Garbled)
    }

    /// Waits until the last order is answered.
    fn wait(&mut self, watch: &mut Watch<'_>) -> Result<(), DriveError> {
        let mut steps = 0;
        let mut stopped_at = None;
        let look = self.look();
        // How long nothing has moved. A time in which not even this thread was let run does not count:
        // then the machine stands still, and not the program.
        let mut still = Duration::ZERO;
        loop {
            let desk = self.desk.top();
            // A program in which one task blocks will do so again and again.
            let pause = match desk.departures.load(Ordering::Relaxed) {
                0 => LOOK,
                _ => LOOK / 10,
            };
            let asleep_at = Instant::now();
            self.desk.wait(pause);
            if self.desk.is_answered() {
                return Ok(());
            }
            if let Some(output) = &self.output {
                output.give_back();
            }
            still += asleep_at.elapsed().min(2 * pause);
            let executions = desk.executions.load(Ordering::Relaxed);
            if desk.is_left.swap(0, Ordering::Acquire) != 0 {
                self.life.wait();
                let desks = std::slice::from_ref(&self.desk);
                let child = spawn(&self.command, self.launch, None, desks)?;
                self.life = Life::Launched(child);
            } else if let Some(status) = self.life.end(desk) {
                // The answer may have come just before the end.
                if self.desk.is_answered() {
                    return Ok(());
                }
                return Err(self.died(status, &look, executions));
            }
            if !watch(look.progress()) {
                stop(desk);
            }
            // Another process of the same work may have been the one to stop this one.
            if desk.stop.load(Ordering::Relaxed) != 0 {
                let since = *stopped_at.get_or_insert_with(Instant::now);
                if since.elapsed() >= CUT_AFTER {
                    desk.stop.store(STOP_AT_NEXT_STEP, Ordering::Relaxed);
                }
            }
            let now = self.motion();
            if now != steps {
                steps = now;
                still = Duration::ZERO;
                continue;
            }
            // A task can be left if it has a thread of its own.
            if self.launch.backend == Backend::Threads && still > 2 * pause {
                self.wish();
            }
            // A process that waits for others is not the one to ask, unless all do.
            let grace = match desk.is_idle.load(Ordering::Relaxed) {
                0 => Duration::ZERO,
                _ => PATIENCE,
            };
            if still > self.hang_after + grace {
                return Err(self.hangs(&look, executions));
            }
        }
    }

    /// What changes while the process, or one that shares its work, goes on.
    fn motion(&self) -> u64 {
        let of = |desk: &SharedDesk| {
            let desk = desk.top();
            let executions = desk.executions.load(Ordering::Relaxed);
            desk.steps.load(Ordering::Relaxed).wrapping_add(executions)
        };
        let others = self.crew.iter().map(|desk| of(desk));
        others.fold(of(&self.desk), u64::wrapping_add)
    }

    /// The error that the process has ended before its answer.
    fn died(&self, status: ExitStatus, look: &Look, executions: u64) -> DriveError {
        match self.desk.top().is_manned.load(Ordering::Acquire) {
            0 => DriveError::NotControlled {
                program: self.command.program.clone(),
                status,
            },
            _ => DriveError::Died {
                status,
                executions,
                answer: look.found().map(Box::new),
            },
        }
    }

    /// The error that a task never comes back.
    fn hangs(&self, look: &Look, executions: u64) -> DriveError {
        let desk = self.desk.top();
        let place = self.ask();
        let found = look.found();
        let modules = found.as_ref().map(|found| found.modules.clone());
        let is_watched = desk.running_watched.load(Ordering::Relaxed) != 0;
        DriveError::Hangs {
            after: self.hang_after,
            is_watched: is_watched && place.is_some(),
            place,
            modules: modules.unwrap_or_else(|| self.modules.clone()),
            executions,
            answer: found.map(Box::new),
        }
    }

    /// Has the runtime see whether the task that runs blocks, and leave it if so.
    fn wish(&self) {
        let desk = self.desk.top();
        let helper = desk.helper.load(Ordering::Relaxed);
        let process = self.running();
        if helper != 0 && process != 0 {
            desk.wish.store(1, Ordering::Release);
            // SAFETY: a thread of a process of ours, which handles this signal.
            unsafe { libc::syscall(libc::SYS_tgkill, process, helper, LOOK_SIGNAL) };
        }
    }

    /// The process in which the execution runs.
    fn running(&self) -> u32 {
        let desk = self.desk.top();
        match desk.process.load(Ordering::Relaxed) {
            0 => self.life.process(desk),
            forked => self.life.checked(forked),
        }
    }

    /// Asks the runtime what runs.
    fn ask(&self) -> Option<(u64, Vec<u64>)> {
        let desk = self.desk.top();
        desk.wish.store(0, Ordering::Relaxed);
        let process = self.running();
        if process == 0 {
            return None;
        }
        let before = desk.looks.load(Ordering::Acquire);
        // SAFETY: a process of ours, which handles this signal.
        unsafe { libc::kill(process as libc::pid_t, LOOK_SIGNAL) };
        let start = Instant::now();
        while desk.looks.load(Ordering::Acquire) == before {
            if start.elapsed() > PATIENCE {
                return None;
            }
            self.desk.wait(LOOK);
        }
        let frames = desk
            .running_at
            .iter()
            .map(|frame| frame.load(Ordering::Relaxed));
        let frames = frames.take_while(|&frame| frame != 0).collect();
        Some((desk.running_task.load(Ordering::Relaxed), frames))
    }
}

/// Ends the order of a desk after the execution that runs, if it does not end before.
fn stop(desk: &Desk) {
    desk.stop.fetch_max(STOP_AFTER_EXECUTION, Ordering::Relaxed);
}

/// Why a task does not come to a point.
fn reason(is_watched: bool) -> &'static str {
    match is_watched {
        true => "it computes for long, or spins in a loop that makes no access to memory",
        false => "it spins or blocks in code that is not instrumented",
    }
}

/// Desks for so many processes, with the launch on each.
fn desks(
    command: &Command,
    launch: Launch,
    count: usize,
) -> Result<Vec<Arc<SharedDesk>>, DriveError> {
    let open = |_| {
        let desk = SharedDesk::new().map_err(|cause| cannot_start(command, cause))?;
        desk.put_order(&start(command, launch));
        Ok(Arc::new(desk))
    };
    (0..count).map(open).collect()
}

/// What the runtime reads before the program begins.
pub(super) fn start(command: &Command, launch: Launch) -> Vec<u8> {
    let standard = Standard::of(&command.program).code.clone();
    encode(&Start { launch, standard })
}

pub(crate) fn cannot_start(command: &Command, cause: io::Error) -> DriveError {
    DriveError::Start {
        program: command.program.clone(),
        cause,
    }
}

/// Starts the program with these desks.
fn spawn(
    command: &Command,
    launch: Launch,
    output: Option<&MemoryFile>,
    desks: &[Arc<SharedDesk>],
) -> Result<Child, DriveError> {
    let cannot_start = |cause| cannot_start(command, cause);
    let preload = preload(&command.runtime).map_err(cannot_start)?;
    let files: Vec<String> = desks.iter().map(|desk| desk.file().to_string()).collect();
    let mut child = std::process::Command::new(&command.program);
    child
        .args(&command.arguments)
        .envs(&command.environment)
        .env(DESK_VARIABLE, files.join(","))
        .env("LD_PRELOAD", &preload.list)
        .env("LD_BIND_NOW", "1")
        // Ctrl-C is for us: the program is asked to end after the execution at hand.
        .process_group(0)
        .stdin(Stdio::null());
    if let Some(directory) = &command.directory {
        child.current_dir(directory);
    }
    if let Some(output) = output {
        let [file, other] = [output.writer(), output.writer()];
        child.stdout(file.map_err(cannot_start)?);
        child.stderr(other.map_err(cannot_start)?);
    } else if !launch.shows_output {
        child.stdout(Stdio::null()).stderr(Stdio::null());
    }
    // SAFETY: only a system call between fork and exec.
    unsafe {
        child.pre_exec(|| {
            // The same addresses in every process.
            libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong);
            Ok(())
        });
    }
    child.spawn().map_err(cannot_start)
}

/// What the loader is told to load first.
pub(crate) struct Preload {
    /// The runtime, in front of what the user preloads.
    pub list: OsString,
    /// The runtime, open until the program has been started, if its path cannot stand in a list.
    _file: Option<File>,
}

/// The list of what is loaded first. Spaces and colons separate its parts, so that a path with such in
/// it must be given by another name.
pub(crate) fn preload(runtime: &Path) -> io::Result<Preload> {
    let bytes = runtime.as_os_str().as_bytes();
    let file = match bytes.iter().any(|byte| b" :".contains(byte)) {
        true => Some(open_inherited(runtime)?),
        false => None,
    };
    let mut list = match &file {
        Some(file) => OsString::from(format!("/proc/self/fd/{}", file.as_raw_fd())),
        None => runtime.as_os_str().to_owned(),
    };
    if let Some(more) = std::env::var_os("LD_PRELOAD").filter(|more| !more.is_empty()) {
        list.push(":");
        list.push(more);
    }
    Ok(Preload { list, _file: file })
}

/// Opens a file that programs started from here inherit.
fn open_inherited(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    // SAFETY: only changes a flag of a descriptor that is ours.
    match unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETFD, 0) } {
        0 => Ok(file),
        _ => Err(io::Error::last_os_error()),
    }
}
