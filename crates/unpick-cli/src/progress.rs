//! Progress of an exploration, and its end by Ctrl-C.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use unpick::{Control, Exploration, StopReason};

const TIME_BETWEEN_LINES: Duration = Duration::from_secs(10);

/// Shows how far an exploration is: a bar on a terminal, a line now and then elsewhere.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    last_line: Mutex<Instant>,
    name: String,
    is_quiet: bool,
}

impl Progress {
    pub(crate) fn new(name: &str, executions_max: u64, is_quiet: bool) -> Progress {
        let bar = (!is_quiet && std::io::stderr().is_terminal()).then(|| {
            let bar = ProgressBar::with_draw_target(
                Some(executions_max),
                ProgressDrawTarget::stderr_with_hz(10),
            );
            let template = "{msg} {wide_bar} {human_pos}/{human_len} executions, {per_sec}, {eta}";
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            bar.set_message(name.to_string());
            bar
        });
        Progress {
            bar,
            last_line: Mutex::new(Instant::now()),
            name: name.to_string(),
            is_quiet,
        }
    }

    /// Takes note of what was found so far, and says whether to go on.
    pub(crate) fn observe(&self, found: &Exploration) -> Control {
        if is_interrupted() {
            return Control::Stop(StopReason::Interrupted);
        }
        match &self.bar {
            Some(bar) => {
                bar.set_position(found.executions);
                if found.failures > 0 {
                    bar.set_message(format!("{} ({} failing)", self.name, found.failures));
                }
            }
            None if !self.is_quiet => self.print_line(found),
            None => {}
        }
        Control::Continue
    }

    /// The same for an exploration that tells only counts; `false` ends it.
    pub(crate) fn watch(&self, executions: u64, failures: u64) -> bool {
        let found = Exploration {
            executions,
            failures,
            ..Exploration::default()
        };
        self.observe(&found) == Control::Continue
    }

    fn print_line(&self, found: &Exploration) {
        let mut last = self
            .last_line
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if last.elapsed() >= TIME_BETWEEN_LINES {
            *last = Instant::now();
            eprintln!(
                "{}: {} executions, {} failing",
                self.name, found.executions, found.failures
            );
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
        let flag = Arc::new(AtomicBool::new(false));
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
            // The order matters: the flag is still down the first time the shutdown looks at it.
            let shutdown =
                signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::clone(&flag));
            let listen = signal_hook::flag::register(signal, Arc::clone(&flag));
            if let Err(error) = shutdown.and(listen) {
                eprintln!("warning: cannot listen for Ctrl-C: {error}");
            }
        }
        flag
    })
}
