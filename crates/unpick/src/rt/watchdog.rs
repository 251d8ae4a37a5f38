//! Ends the process with a message when a task waits for something that only another task could bring about, and that is
//! no operation: a lock of std that the other task holds across one. All tasks share a thread, so nothing could go on.
//!
//! A thread of its own looks now and then which system call the exploring threads are in. One that has been in the same
//! wait for a futex for long, within the same execution, is stuck. That costs an execution two stores. Nothing here
//! allocates while it looks: tests count allocations.

use super::runtime::Runtime;
use crate::found;
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, Once, PoisonError};
use std::time::{Duration, Instant};
use unpick_trace::{ObjectId, TaskId};

/// How long a task may wait unless the user says otherwise.
pub(crate) const WATCHDOG: Duration = Duration::from_secs(10);

/// How often a wait is looked at before it is too long.
const LOOKS: u32 = 20;

/// The exit code of a program that cannot be controlled.
const UNCONTROLLED: i32 = 3;

/// The exit code where a failure was found before, and was about to be explained.
const FOUND: i32 = 1;

/// What a thread does, as the kernel tells: at most this many bytes.
type Call = [u8; 160];

/// A thread that explores.
struct Entry {
    /// Its number.
    thread: i64,
    /// How long it may wait.
    limit: Duration,
    /// The execution that it is in; zero if in none, or if it may wait.
    execution: AtomicU64,
    runtime: AtomicPtr<Runtime>,
}

/// What is known of an entry.
struct Watch {
    entry: Arc<Entry>,
    call: Call,
    execution: u64,
    since: Instant,
}

static WATCHES: Mutex<Vec<Watch>> = Mutex::new(Vec::new());
static HAS_WATCHES: Condvar = Condvar::new();

/// A runtime that is watched for as long as this lives.
pub(super) struct Watched(Option<Arc<Entry>>);

impl Watched {
    /// Watches the calling thread. Without a limit nothing is watched.
    pub fn new(limit: Duration) -> Watched {
        let Some(thread) = own_number().filter(|_| !limit.is_zero()) else {
            return Watched(None);
        };
        let entry = Arc::new(Entry {
            thread,
            limit,
            execution: AtomicU64::new(0),
            runtime: AtomicPtr::new(null_mut()),
        });
        let watch = Watch {
            entry: Arc::clone(&entry),
            call: [0; size_of::<Call>()],
            execution: 0,
            since: Instant::now(),
        };
        WATCHES
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(watch);
        HAS_WATCHES.notify_one();
        start();
        Watched(Some(entry))
    }

    /// An execution begins.
    pub fn begin(&self, execution: u64, runtime: *mut Runtime) {
        if let Some(entry) = &self.0 {
            entry.runtime.store(runtime, Ordering::Relaxed);
            entry.execution.store(execution, Ordering::Release);
        }
    }

    /// An execution ends.
    pub fn end(&self) {
        if let Some(entry) = &self.0 {
            entry.execution.store(0, Ordering::Release);
        }
    }

    /// Lets the thread wait for another exploration.
    pub fn pause<R>(&self, wait: impl FnOnce() -> R) -> R {
        let execution = |value| {
            self.0
                .as_ref()
                .map(|entry| entry.execution.swap(value, Ordering::AcqRel))
        };
        let before = execution(0);
        let result = wait();
        execution(before.unwrap_or(0));
        result
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        if let Some(entry) = &self.0 {
            let mut watches = WATCHES.lock().unwrap_or_else(PoisonError::into_inner);
            watches.retain(|watch| !Arc::ptr_eq(&watch.entry, entry));
        }
    }
}

/// The number of the calling thread, if the kernel tells what threads do.
fn own_number() -> Option<i64> {
    #[cfg(target_os = "linux")]
    // SAFETY: it has no arguments, and cannot fail.
    return Some(unsafe { libc::syscall(libc::SYS_gettid) });
    #[cfg(not(target_os = "linux"))]
    None
}

/// Starts the thread that looks, once. Without it nothing is watched.
fn start() {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        let thread = std::thread::Builder::new().name("unpick watchdog".to_string());
        let _ = thread.spawn(look_for_ever);
    });
}

fn look_for_ever() {
    loop {
        let mut watches = WATCHES.lock().unwrap_or_else(PoisonError::into_inner);
        while watches.is_empty() {
            watches = HAS_WATCHES
                .wait(watches)
                .unwrap_or_else(PoisonError::into_inner);
        }
        for watch in watches.iter_mut() {
            if watch.is_stuck() {
                end(&watch.entry);
            }
        }
        let limits = watches.iter().map(|watch| watch.entry.limit);
        let interval = limits.min().unwrap_or(WATCHDOG) / LOOKS;
        let wait = HAS_WATCHES.wait_timeout(watches, interval);
        drop(wait.unwrap_or_else(PoisonError::into_inner));
    }
}

impl Watch {
    /// Whether the thread has been in the same wait for too long.
    fn is_stuck(&mut self) -> bool {
        let execution = self.entry.execution.load(Ordering::Acquire);
        let call = call_of(self.entry.thread);
        if execution == 0 || execution != self.execution || call != self.call || !is_futex(&call) {
            self.execution = execution;
            self.call = call;
            self.since = Instant::now();
            return false;
        }
        self.since.elapsed() >= self.entry.limit
    }
}

/// The system call that a thread is in, with its arguments; nothing if it runs.
fn call_of(thread: i64) -> Call {
    let mut path = [0; 64];
    let mut call = [0; size_of::<Call>()];
    let mut rest = &mut path[..];
    if write!(rest, "/proc/self/task/{thread}/syscall").is_err() {
        return call;
    }
    let length = 64 - rest.len();
    let path = std::str::from_utf8(&path[..length]).unwrap_or_default();
    let read = File::open(path).and_then(|mut file| file.read(&mut call));
    if read.is_err() {
        call.fill(0);
    }
    call
}

#[cfg(target_os = "linux")]
fn is_futex(call: &Call) -> bool {
    let number = call.split(|byte| *byte == b' ').next();
    let number = number.and_then(|digits| std::str::from_utf8(digits).ok());
    number.and_then(|digits| digits.parse().ok()) == Some(libc::SYS_futex)
}

#[cfg(not(target_os = "linux"))]
fn is_futex(_: &Call) -> bool {
    false
}

/// Says what waits, and ends the process: a thread that waits cannot be made to unwind.
fn end(entry: &Entry) -> ! {
    let seconds = entry.limit.as_secs_f64();
    // SAFETY: the thread has been in the kernel all the time, inside of an execution of this runtime, and nothing but
    // a task of the same thread could wake it. What is read here is not changed any more.
    let words = unsafe { described(&*entry.runtime.load(Ordering::Relaxed)) };
    let found = found::unreported();
    // Harnesses catch what is printed by macros.
    let mut stderr = std::io::stderr();
    for text in &found {
        let _ = writeln!(stderr, "\n{text}");
    }
    let _ = writeln!(
        stderr,
        "\nunpick: nothing has happened for {seconds} s: {words}\n  All tasks of an execution share one thread. A \
         lock of std that a task holds across an operation stops all of them.\n  Use the locks of `unpick::sync`, or \
         drop the guard before the operation (docs/limits.md). `Config::watchdog` sets the limit."
    );
    std::process::exit(if found.is_empty() {
        UNCONTROLLED
    } else {
        FOUND
    })
}

/// The task that waits, and where the others stand.
fn described(runtime: &Runtime) -> String {
    let execution = &runtime.execution;
    let trace = execution.trace();
    let waiting = execution.running();
    let place = |task: TaskId| {
        let (op, site) = execution.last_announced(task);
        let object = match op.object {
            ObjectId::NONE => String::new(),
            object => format!(" on {}", trace.object_name(object)),
        };
        let site = site.map_or(String::new(), |site| format!(" at {site}"));
        format!("{}{object}{site}", op.verb())
    };
    let mut words = format!(
        "{} waits for a lock that is no operation, behind its {}",
        trace.task_name(waiting),
        place(waiting)
    );
    for index in 0..execution.task_count() {
        let task = TaskId(index as u32);
        if task != waiting && !execution.is_finished(task) {
            words.push_str(&format!(
                "\n  {} stands before its {}",
                trace.task_name(task),
                place(task)
            ));
        }
    }
    words
}
