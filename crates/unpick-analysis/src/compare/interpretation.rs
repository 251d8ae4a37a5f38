//! From events of threads to strings of symbols.
//!
//! Thread numbers of the system mean nothing, so threads are numbered by their first event; then each
//! pair of thread and location is one symbol, by one map for all traces that are to be compared.

use std::collections::HashMap;

use super::Symbols;

/// One event of a trace: a thread passes a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Point {
    /// The thread, as the system numbers it.
    pub thread: u64,
    /// The place in the program.
    pub location: u64,
}

/// What becomes of the numbers of threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    /// Numbered by their first event: traces that differ in names of threads only are equal.
    ByAppearance,
    /// Taken as they are.
    AsRecorded,
    /// Left out: for many threads that all do the same.
    Ignored,
}

/// How events become symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interpretation {
    /// What becomes of the numbers of threads.
    pub threads: Threads,
    /// Whether the second passage of the same thread through the same location is another symbol than
    /// the first, and so on: no symbol is twice in a trace.
    pub tells_occurrences_apart: bool,
}

impl Interpretation {
    /// The four modes of OSCAR by their names.
    pub const NAMED: [(&'static str, Interpretation); 4] = [
        (
            "appearance",
            Interpretation::new(Threads::ByAppearance, false),
        ),
        ("recorded", Interpretation::new(Threads::AsRecorded, false)),
        ("threadless", Interpretation::new(Threads::Ignored, false)),
        (
            "occurrences",
            Interpretation::new(Threads::ByAppearance, true),
        ),
    ];

    const fn new(threads: Threads, tells_occurrences_apart: bool) -> Interpretation {
        Interpretation {
            threads,
            tells_occurrences_apart,
        }
    }

    /// The mode of this name.
    pub fn named(name: &str) -> Option<Interpretation> {
        let mut modes = Interpretation::NAMED.iter();
        modes.find(|mode| mode.0 == name).map(|mode| mode.1)
    }
}

impl Default for Interpretation {
    fn default() -> Interpretation {
        Interpretation::new(Threads::ByAppearance, false)
    }
}

/// The traces as strings of symbols, by one map for all.
pub fn interpret(traces: &[Vec<Point>], how: Interpretation) -> Vec<Symbols> {
    let mut map: HashMap<(u64, u64, u64), u32> = HashMap::new();
    let mut symbols_of = |trace: &Vec<Point>| {
        let mut threads: HashMap<u64, u64> = HashMap::new();
        let mut passages: HashMap<(u64, u64), u64> = HashMap::new();
        let symbol_of = |point: &Point| {
            let thread = match how.threads {
                Threads::AsRecorded => point.thread,
                Threads::Ignored => 0,
                Threads::ByAppearance => {
                    let next = threads.len() as u64;
                    *threads.entry(point.thread).or_insert(next)
                }
            };
            let mut occurrence = 0;
            if how.tells_occurrences_apart {
                let count = passages.entry((thread, point.location)).or_default();
                occurrence = *count;
                *count += 1;
            }
            let next = u32::try_from(map.len()).expect("more than 2^32 different events");
            *map.entry((thread, point.location, occurrence))
                .or_insert(next)
        };
        trace.iter().map(symbol_of).collect()
    };
    traces.iter().map(&mut symbols_of).collect()
}

/// How many symbols were taken away from each trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trimmed {
    /// From its beginning.
    pub leading: usize,
    /// From its end.
    pub trailing: usize,
}

/// Takes away what all traces begin with and what all traces end with: a serial start and a serial end
/// make everything look alike, to Jaro more than to others.
pub fn trim(traces: &mut [Symbols]) -> Trimmed {
    let Some((first, others)) = traces.split_first() else {
        return Trimmed {
            leading: 0,
            trailing: 0,
        };
    };
    let same = |count: usize, pairs: &mut dyn Iterator<Item = bool>| {
        pairs.take(count).take_while(|is_same| *is_same).count()
    };
    let (mut leading, mut trailing) = (first.len(), first.len());
    for other in others {
        let mut forwards = first.iter().zip(other).map(|(a, b)| a == b);
        leading = same(leading, &mut forwards);
        let mut backwards = first
            .iter()
            .rev()
            .zip(other.iter().rev())
            .map(|(a, b)| a == b);
        trailing = same(trailing, &mut backwards);
    }
    let shortest = traces.iter().map(Vec::len).min().unwrap_or(0);
    trailing = trailing.min(shortest - leading);
    for trace in traces {
        trace.truncate(trace.len() - trailing);
        trace.drain(..leading);
    }
    Trimmed { leading, trailing }
}
