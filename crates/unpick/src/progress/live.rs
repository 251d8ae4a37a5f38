//! The line that a test shows on a terminal while it is explored. Nothing is shown elsewhere.
//!
//! Tests run side by side, and there is one line: whoever comes first has it until it is through.

use super::{Budget, Clock, Seen};
use crate::Exploration;
use std::io::{IsTerminal as _, Write, stderr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What takes less long shows no line: most tests are over by then.
const TIME_BEFORE: Duration = Duration::from_secs(1);
const TIME_BETWEEN_DRAWINGS: Duration = Duration::from_millis(100);

/// To the beginning of an empty line.
const CLEAR: &str = "\r\x1b[2K";

static TAKEN: AtomicBool = AtomicBool::new(false);

pub(crate) struct Live<'a> {
    name: &'a str,
    terminal: Option<Mutex<Line>>,
}

struct Line {
    terminal: Box<dyn Write + Send>,
    clock: Clock,
    /// When it is drawn next.
    due: Instant,
    /// Whether it is on the terminal.
    is_drawn: bool,
}

impl<'a> Live<'a> {
    pub(crate) fn new(name: &'a str, budget: Budget) -> Live<'a> {
        let terminal = stderr().is_terminal();
        let terminal = terminal.then(|| Line::new(Box::new(stderr()), budget, TIME_BEFORE));
        Live {
            name,
            terminal: terminal.map(Mutex::new),
        }
    }

    /// Shows how far it is, if it is time for that.
    pub(crate) fn show(&self, found: &Exploration) {
        if let Some(mut line) = self.line()
            && line.due <= Instant::now()
        {
            let (text, _) = line.clock.line(Seen::from(found));
            line.draw(self.name, &text);
        }
    }

    /// Says what is being done now that the executions are over, if they have taken long enough to be shown.
    pub(crate) fn say(&self, what: &str) {
        if let Some(mut line) = self.line()
            && line.is_drawn
        {
            line.draw(self.name, what);
        }
    }

    fn line(&self) -> Option<MutexGuard<'_, Line>> {
        let terminal = self.terminal.as_ref()?;
        Some(terminal.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Line {
    fn new(terminal: Box<dyn Write + Send>, budget: Budget, wait: Duration) -> Line {
        Line {
            terminal,
            clock: Clock::new(budget),
            due: Instant::now() + wait,
            is_drawn: false,
        }
    }

    /// Without a break: what does not fit is cut off. A terminal that cannot be written to is no matter.
    fn draw(&mut self, name: &str, text: &str) {
        self.due = Instant::now() + TIME_BETWEEN_DRAWINGS;
        self.is_drawn = self.is_drawn || !TAKEN.swap(true, Ordering::Relaxed);
        if self.is_drawn {
            let text = format!("{CLEAR}\x1b[?7lunpick: {name}: {text}\x1b[?7h\r");
            let _ = self.terminal.write_all(text.as_bytes());
            let _ = self.terminal.flush();
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        if self.is_drawn {
            let _ = self.terminal.write_all(CLEAR.as_bytes());
            let _ = self.terminal.flush();
            TAKEN.store(false, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Sender, channel};

    struct Terminal(Sender<u8>);

    impl Write for Terminal {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            bytes.iter().for_each(|&byte| self.0.send(byte).unwrap());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn one_line_at_a_time_that_goes_away() {
        let (sender, drawn) = channel();
        let budget = Budget {
            executions: 10,
            time: None,
            is_randomised: false,
        };
        let live = |name, wait| Live {
            name,
            terminal: Some(Mutex::new(Line::new(
                Box::new(Terminal(sender.clone())),
                budget,
                wait,
            ))),
        };
        let found = Exploration {
            executions: 1,
            ..Exploration::default()
        };
        let text = || String::from_utf8(drawn.try_iter().collect()).unwrap();
        let patient = live("patient", Duration::from_secs(3_600));
        patient.show(&found);
        patient.say("something");
        assert_eq!(text(), "", "it is not time yet");
        let (first, second) = (
            live("first", Duration::ZERO),
            live("second", Duration::ZERO),
        );
        first.show(&found);
        let line = text();
        let start = "\r\u{1b}[2K\u{1b}[?7lunpick: first: 1 execution (";
        assert!(line.starts_with(start), "{line:?}");
        second.show(&found);
        assert_eq!(text(), "", "the line is taken");
        first.say("explaining");
        assert!(text().contains("first: explaining"));
        drop(first);
        assert_eq!(text(), CLEAR);
        drop(second);
        assert_eq!(text(), "");
        live("third", Duration::ZERO).show(&found);
        assert!(text().contains("third: 1 execution"), "it is free again");
    }
}
