//! What it takes to compare every two of 250 traces of 10,000 symbols, metric by metric.
//!
//! `cargo xtask bench compare [--traces N] [--symbols N] [--jobs N]`. Two kinds of traces: interleavings
//! of the same threads, as executions leave them, and symbols drawn at random, which are as different as
//! traces can be. Beside each metric stands what the crate `rapidfuzz` takes for one pair, where it has
//! that metric: the reason why edit distances are worked out here. On a machine with other work to do,
//! the processor time divided by the threads is what an idle one would take.

use std::hint::black_box;
use std::time::{Duration, Instant};

use rapidfuzz::distance::{jaro, levenshtein, osa};
use unpick_analysis::compare::{
    self, DistanceMetric, Metric, SimilarityMetric, Symbols, Work, distances, similarities,
};

/// What the slowest metric may take on two cores.
const TIME_MAX: Duration = Duration::from_secs(20);

struct Size {
    traces: usize,
    symbols: usize,
    jobs: usize,
}

fn main() {
    let mut size = Size {
        traces: 250,
        symbols: 10_000,
        jobs: 2,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(option) = arguments.next() {
        let place = match option.as_str() {
            "--traces" => &mut size.traces,
            "--symbols" => &mut size.symbols,
            "--jobs" => &mut size.jobs,
            // Cargo adds it.
            "--bench" => continue,
            other => panic!("unknown option `{other}`; there are --traces, --symbols and --jobs"),
        };
        let value = arguments.next().and_then(|value| value.parse().ok());
        *place = value.unwrap_or_else(|| panic!("{option} wants a number"));
    }
    let pair_count = size.traces * (size.traces - 1) / 2;
    println!(
        "{} traces of {} symbols, {pair_count} pairs, {} threads",
        size.traces, size.symbols, size.jobs
    );
    for (name, traces) in [
        ("interleavings of 8 threads", interleavings(&size)),
        ("random symbols", random(&size)),
    ] {
        println!("\n{name}: {} distinct", compare::unique_count(&traces));
        println!(
            "{:<24} {:>9} {:>11} {:>12} {:>13} {:>11} {:>10}",
            "metric", "seconds", "processor s", "us per pair", "rapidfuzz us", "mean", "deviation"
        );
        for metric in Metric::all() {
            measure(metric, &traces, &size);
        }
    }
}

fn measure(metric: Metric, traces: &[Symbols], size: &Size) {
    let work = Work::with_jobs(size.jobs);
    let (start, processor_start) = (Instant::now(), processor_seconds());
    let (mean, deviation) = match metric {
        Metric::Distance(metric) => {
            let pairs = distances(traces, metric, &work).expect("nobody ends the work");
            (pairs.mean().map(|value| value.0), pairs.deviation())
        }
        Metric::Similarity(metric) => {
            let pairs = similarities(traces, metric, &work).expect("nobody ends the work");
            (pairs.mean().map(|value| value.0), pairs.deviation())
        }
    };
    let time = start.elapsed();
    let processor = processor_seconds() - processor_start;
    let pair_count = size.traces * (size.traces - 1) / 2;
    println!(
        "{:<24} {:>9.2} {processor:>11.2} {:>12.1} {:>13} {:>11.4} {:>10.4}{}",
        metric.name(),
        time.as_secs_f64(),
        processor * 1e6 / pair_count as f64,
        peer(metric, traces).map_or("-".to_owned(), |micros| format!("{micros:.0}")),
        mean.unwrap_or(f64::NAN),
        deviation.unwrap_or(f64::NAN),
        if time > TIME_MAX { "  TOO SLOW" } else { "" },
    );
}

/// Processor time of all threads of this process, by the clock ticks that Linux counts.
fn processor_seconds() -> f64 {
    let status = std::fs::read_to_string("/proc/self/stat").expect("Linux tells it");
    let after_name = status.rsplit(')').next().expect("a name in brackets");
    let mut ticks = after_name.split_whitespace().skip(11).take(2);
    let mut next = || -> f64 {
        ticks
            .next()
            .and_then(|text| text.parse().ok())
            .expect("ticks")
    };
    (next() + next()) / 100.0
}

/// Microseconds of processor time that `rapidfuzz` takes for one pair, on one thread.
fn peer(metric: Metric, traces: &[Symbols]) -> Option<f64> {
    let (mut count, start) = (0, processor_seconds());
    for (one, other) in traces.iter().zip(&traces[1..]).take(20) {
        let (one, other) = (one.iter().copied(), other.iter().copied());
        let value = match metric {
            Metric::Distance(DistanceMetric::Levenshtein) => {
                levenshtein::distance(one, other) as f64
            }
            Metric::Distance(DistanceMetric::DamerauLevenshtein) => {
                osa::distance(one, other) as f64
            }
            Metric::Similarity(SimilarityMetric::Jaro) => jaro::similarity(one, other),
            _ => return None,
        };
        black_box(value);
        count += 1;
    }
    Some((processor_seconds() - start) * 1e6 / f64::from(count))
}

/// Eight threads, each going round its own 25 locations, interleaved at random.
fn interleavings(size: &Size) -> Vec<Symbols> {
    let mut draw = xorshift(1);
    let mut trace = || {
        let mut passed = [0; 8];
        let mut event = || {
            let thread = draw() % 8;
            let location = passed[thread as usize] % 25;
            passed[thread as usize] += 1;
            thread * 25 + location
        };
        (0..size.symbols).map(|_| event()).collect()
    };
    (0..size.traces).map(|_| trace()).collect()
}

fn random(size: &Size) -> Vec<Symbols> {
    let mut draw = xorshift(2);
    let mut trace = || (0..size.symbols).map(|_| draw() % 200).collect();
    (0..size.traces).map(|_| trace()).collect()
}

fn xorshift(seed: u64) -> impl FnMut() -> u32 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u32
    }
}
