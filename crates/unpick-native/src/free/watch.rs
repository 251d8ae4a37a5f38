//! One process that runs freely, watched until it ends or has had its time.

use std::fs;
use std::process::Child;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use unpick_protocol::LOOK_SIGNAL;

use super::desk::SharedFreeDesk;
use super::{End, Setup, end_of};

/// Where a thread was when the program was ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stack {
    /// The thread.
    pub thread: u32,
    /// Return addresses, innermost first; none if it did not answer.
    pub frames: Vec<u64>,
}

/// How the process ended.
pub(super) struct Watched {
    pub end: End,
    pub status: i32,
    pub processor_time: Duration,
}

/// A process of its own group. It is killed when this goes.
pub(super) struct Life {
    process: libc::pid_t,
    is_over: bool,
}

/// How often it is asked whether to go on.
const LOOK: Duration = Duration::from_millis(50);

/// How long a thread may take to tell where it is.
const PATIENCE: Duration = Duration::from_millis(500);

impl Life {
    pub fn new(child: Child) -> Life {
        Life {
            process: child.id() as libc::pid_t,
            is_over: false,
        }
    }

    /// Waits for the end; `None` if it was not wanted any more.
    pub fn watch(
        &mut self,
        desk: &SharedFreeDesk,
        setup: &Setup,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Option<Watched> {
        let start = Instant::now();
        // SAFETY: a process of ours that nobody has waited for.
        let file = unsafe { libc::syscall(libc::SYS_pidfd_open, self.process, 0) } as i32;
        let closing = Closing(file);
        let mut stillness = Stillness::new(setup.asleep_max);
        loop {
            let left = setup.time_max.saturating_sub(start.elapsed());
            if closing.wait(left.min(LOOK)) {
                let (status, processor_time) = self.reap();
                return Some(Watched {
                    end: end_of(status),
                    status,
                    processor_time,
                });
            }
            if !goes_on() {
                self.kill();
                return None;
            }
            let mut is_still = || stillness.is_long(|| self.states()) && self.is_asleep(&closing);
            if left.is_zero() || is_still() {
                return Some(self.give_up(desk, &closing));
            }
        }
    }

    /// Looks where everybody is, and ends the process.
    fn give_up(&mut self, desk: &SharedFreeDesk, closing: &Closing) -> Watched {
        let is_asleep = self.is_asleep(closing);
        let stacks = self.stacks(desk, closing);
        let (status, processor_time) = self.kill();
        Watched {
            end: End::TimedOut { is_asleep, stacks },
            status,
            processor_time,
        }
    }

    /// Whether no thread runs or has run for a moment.
    fn is_asleep(&self, closing: &Closing) -> bool {
        const MOMENT: Duration = Duration::from_millis(100);
        let before = self.states();
        closing.wait(MOMENT);
        let after = self.states();
        before == after && all_sleep(&after)
    }

    /// What each thread does.
    fn states(&self) -> States {
        let folder = fs::read_dir(format!("/proc/{}/task", self.process));
        let threads = folder.into_iter().flatten().flatten();
        let texts =
            threads.filter_map(|thread| fs::read_to_string(thread.path().join("status")).ok());
        texts.map(|text| state_in(&text)).collect()
    }

    /// Asks each thread where it is.
    fn stacks(&self, desk: &SharedFreeDesk, closing: &Closing) -> Vec<Stack> {
        let mut stacks = Vec::new();
        for (number, record) in (0..).zip(desk.records()) {
            let kernel_id = record.kernel_id.load(Ordering::Acquire);
            let is_there = fs::exists(format!("/proc/{}/task/{kernel_id}", self.process));
            if kernel_id == 0 || !is_there.unwrap_or(false) {
                continue;
            }
            // SAFETY: a thread of a process of ours, which handles this signal.
            unsafe { libc::syscall(libc::SYS_tgkill, self.process, kernel_id, LOOK_SIGNAL) };
            let asked_at = Instant::now();
            while record.stack_length.load(Ordering::Acquire) == 0 && asked_at.elapsed() < PATIENCE
            {
                closing.wait(Duration::from_millis(1));
            }
            let length = record
                .stack_length
                .load(Ordering::Acquire)
                .saturating_sub(1) as usize;
            let frames = record.stack.iter().take(length);
            stacks.push(Stack {
                thread: number,
                frames: frames.map(|frame| frame.load(Ordering::Relaxed)).collect(),
            });
        }
        stacks
    }

    fn kill(&mut self) -> (i32, Duration) {
        // SAFETY: a group of processes of ours that was not waited for, so that its number is still its own.
        unsafe { libc::kill(-self.process, libc::SIGKILL) };
        self.reap()
    }

    fn reap(&mut self) -> (i32, Duration) {
        let mut status = 0;
        // SAFETY: zeroes are an account, and the kernel fills both in.
        let account = unsafe {
            let mut account: libc::rusage = std::mem::zeroed();
            while libc::wait4(self.process, &mut status, 0, &mut account) < 0
                && std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted
            {
            }
            account
        };
        self.is_over = true;
        let of = |time: libc::timeval| {
            Duration::from_secs(time.tv_sec as u64) + Duration::from_micros(time.tv_usec as u64)
        };
        (status, of(account.ru_utime) + of(account.ru_stime))
    }
}

impl Drop for Life {
    fn drop(&mut self) {
        if !self.is_over {
            self.kill();
        }
    }
}

/// The state of each thread, and how often it was left for another one. Processor time would not do: it is counted in
/// hundredths of a second, of which a thread that naps uses none.
type States = Vec<(char, Vec<u64>)>;

fn state_in(text: &str) -> (char, Vec<u64>) {
    let lines = text.lines().filter_map(|line| line.split_once(':'));
    let mut found = ('?', Vec::new());
    for (name, value) in lines {
        match name {
            "State" => found.0 = value.trim().chars().next().unwrap_or('?'),
            _ if name.ends_with("ctxt_switches") => found.1.extend(value.trim().parse::<u64>()),
            _ => {}
        }
    }
    found
}

fn all_sleep(states: &States) -> bool {
    states.iter().all(|(state, _)| *state == 'S')
}

/// For how long nothing has happened.
struct Stillness {
    asleep_max: Option<Duration>,
    states: States,
    since: Instant,
}

impl Stillness {
    fn new(asleep_max: Option<Duration>) -> Stillness {
        Stillness {
            asleep_max,
            states: Vec::new(),
            since: Instant::now(),
        }
    }

    /// Whether all have slept for longer than they may.
    fn is_long(&mut self, states: impl Fn() -> States) -> bool {
        let Some(asleep_max) = self.asleep_max else {
            return false;
        };
        let states = states();
        if states != self.states || !all_sleep(&states) {
            self.states = states;
            self.since = Instant::now();
        }
        self.since.elapsed() > asleep_max
    }
}

/// A descriptor that becomes readable when a process ends.
struct Closing(i32);

impl Closing {
    /// Whether it has ended, within a time.
    fn wait(&self, time: Duration) -> bool {
        let mut asked = libc::pollfd {
            fd: self.0,
            events: libc::POLLIN,
            revents: 0,
        };
        let milliseconds = time.as_millis().min(1_000) as i32;
        // SAFETY: one descriptor, which is ours.
        unsafe { libc::poll(&mut asked, 1, milliseconds) > 0 }
    }
}

impl Drop for Closing {
    fn drop(&mut self) {
        // SAFETY: opened by `watch`, and nobody else has it.
        unsafe { libc::close(self.0) };
    }
}
