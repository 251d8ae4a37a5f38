//! Progress of an exploration, and its end by Ctrl-C.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use std::io::IsTerminal as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use unpick::progress::{Budget, Clock, Seen};

const TIME_BETWEEN_LINES: Duration = Duration::from_secs(10);
const TIME_BETWEEN_DRAWINGS: Duration = Duration::from_millis(100);

/// The length of the bar: it tells a share.
const BAR: u64 = 1_000;

/// Shows how far an exploration is: a bar on a terminal, a line now and then elsewhere.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    name: String,
    shown: Mutex<Shown>,
    is_quiet: bool,
}

/// What was shown last.
struct Shown {
    clock: Clock,
    at: Instant,
    is_any: bool,
}

impl Progress {
    pub(crate) fn new(name: &str, budget: Budget, is_quiet: bool) -> Progress {
        let bar = (!is_quiet && std::io::stderr().is_terminal()).then(|| {
            let target = ProgressDrawTarget::stderr_with_hz(10);
            let bar = ProgressBar::with_draw_target(Some(BAR), target);
            let template = "{prefix} {bar:16} {wide_msg}";
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            bar.set_prefix(name.to_string());
            bar
        });
        Progress {
            bar,
            name: name.to_string(),
            shown: Mutex::new(Shown {
                clock: Clock::new(budget),
                at: Instant::now(),
                is_any: false,
            }),
            is_quiet,
        }
    }

    /// Takes note of what was found so far; `false` if the user wants it to end.
    pub(crate) fn observe(&self, seen: Seen) -> bool {
        if is_interrupted() {
            return false;
        }
        if !self.is_quiet {
            self.show(seen);
        }
        true
    }

    fn show(&self, seen: Seen) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let interval = match &self.bar {
            Some(_) => TIME_BETWEEN_DRAWINGS,
            None => TIME_BETWEEN_LINES,
        };
        if shown.at.elapsed() < interval {
            return;
        }
        shown.at = Instant::now();
        shown.is_any = true;
        let (line, done) = shown.clock.line(seen);
        match &self.bar {
            Some(bar) => {
                bar.set_position((done * BAR as f64) as u64);
                bar.set_message(line);
            }
            None => eprintln!("{}: {line}", self.name),
        }
    }

    /// Says what is being done now that the executions are over.
    pub(crate) fn say(&self, what: &str) {
        let shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        match &self.bar {
            Some(bar) => bar.set_message(what.to_string()),
            // Who has seen no line so far need not wait long.
            None if !self.is_quiet && shown.is_any => eprintln!("{}: {what}", self.name),
            None => {}
        }
    }

    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Whether the user has pressed Ctrl-C. The first time ends the exploration and keeps what it has
/// found; the second time ends the process.
pub(crate) fn is_interrupted() -> bool {
    interruption().load(Ordering::Relaxed)
}

/// Listens for Ctrl-C from now on.
pub(crate) fn listen() {
    interruption();
}

fn interruption() -> &'static Arc<AtomicBool> {
    static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    FLAG.get_or_init(|| {
        let interrupted = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            // By signal: Ctrl-C also ends Cargo, whose end sends another signal to what it has started.
            let is_second = Arc::new(AtomicBool::new(false));
            // The order matters: the flag is still down the first time the shutdown looks at it.
            let shutdown = flag::register_conditional_shutdown(signal, 130, Arc::clone(&is_second));
            let note = flag::register(signal, is_second);
            let listen = flag::register(signal, Arc::clone(&interrupted));
            if let Err(error) = shutdown.and(note).and(listen) {
                eprintln!("warning: cannot listen for Ctrl-C: {error}");
            }
        }
        interrupted
    })
}
