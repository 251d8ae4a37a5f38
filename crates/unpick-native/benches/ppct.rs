//! `cargo xtask bench ppct`: `ppct` on real threads beside `pct`, one task at a time.
//!
//! First wall time: threads that work for a while between operations, under `pct` in the controlled runtime and under
//! `ppct` on as many processors as there are. Times are wall times on a machine that may have other things to do, so both
//! run in turn in short rounds, each begun when two processors are idle, and the best counts; if there is no such
//! moment, nothing is judged, and that is no success. That of `ppct` includes the start of a process for each execution, that of `pct` does not.
//! With as many threads as the depth, hardly any is left to run freely, so there are rows with twice as many. How many
//! processors the program had in its best execution stands beside. Then how often each finds the bugs of programs like
//! those of NeedlePoint, beside the bound 1 / (n k^(d-1)). Needs a C compiler.

#[path = "../tests/support/programs.rs"]
mod support;

use std::time::{Duration, Instant};

use support::{Place, options};
use unpick_native::drive::{Command, explore};
use unpick_native::free::{End, ParallelPpct, Session, Setup};
use unpick_native::noise::NoiseOrder;
use unpick_native::noise::statistics::Share;
use unpick_native::protocol::{Backend, Reexecution};

/// Threads of the program.
const THREADS: [u64; 2] = [4, 8];
/// Turns of work that take about a microsecond: a multiplication each.
const TURNS_PER_US: u64 = 1_000;
/// Operations of all threads together, which take some 80 ms of work, if a microsecond or more comes before each.
const OPERATIONS_MAX: u64 = 80_000;
/// Looks whether processors are idle, and how many must be.
const LOOKS: u64 = 600;
const IDLE_MIN: f64 = 1.7;
/// Processors that a parallel program has in its best execution, if there are two for it.
const PROCESSORS_MIN: f64 = 1.5;
/// Rounds; in each, both run once with each draw.
const ROUNDS: u64 = 3;
/// Executions of a round, each with priorities of its own.
const DRAWS: u64 = 5;
const SERIAL_EXECUTIONS: u64 = 100_000;
const FREE_EXECUTIONS: u64 = 10_000;
/// What a rate may be below another one by chance, in standard deviations.
const CHANCE: f64 = 3.0;

fn main() {
    let place = Place::new("bench-ppct");
    let is_fast = times(&place);
    let is_sharp = rates(&place);
    std::process::exit(i32::from(!(is_fast && is_sharp)));
}

/// Prints wall times; whether they are as promised.
fn times(place: &Place) -> bool {
    println!(
        "milliseconds an execution (mean of {DRAWS} draws, each the best of {ROUNDS} rounds):"
    );
    println!(
        "{:>8} {:>8} {:>3} {:>12} {:>12} {:>8} {:>12}",
        "threads", "work us", "d", "pct", "ppct", "ratio", "processors"
    );
    let command = place.build("free/parallel.c", false);
    let mut processors = 0.0_f64;
    let mut is_well = true;
    for threads in THREADS {
        let (is_fast, most) = times_of(&command, threads);
        is_well &= is_fast;
        processors = processors.max(most);
    }
    println!("most processors {processors:.2}, wanted {PROCESSORS_MIN}");
    is_well && processors >= PROCESSORS_MIN
}

/// Prints the rows for so many threads; whether they are as promised, and the most processors that were seen.
fn times_of(command: &Command, threads: u64) -> (bool, f64) {
    let mut most = 0.0_f64;
    let mut is_well = true;
    for (work, turns) in [
        ("0.1", TURNS_PER_US / 10),
        ("1", TURNS_PER_US),
        ("3", 3 * TURNS_PER_US),
        ("10", 10 * TURNS_PER_US),
    ] {
        let operations = (OPERATIONS_MAX * TURNS_PER_US / turns).min(OPERATIONS_MAX) / threads;
        let command = Command {
            arguments: [threads, operations, turns]
                .map(|size| size.to_string().into())
                .into(),
            ..command.clone()
        };
        for depth in 1..=4 {
            let Some([serial, parallel, processors]) = row(&command, depth, [threads, operations])
            else {
                println!(
                    "{threads:>8} {work:>8} {depth:>3}  not judged: two processors were never idle"
                );
                continue;
            };
            most = most.max(processors);
            let ratio = serial / parallel;
            let is_slower = ratio < 1.0 && turns >= TURNS_PER_US;
            let is_judged = processors >= PROCESSORS_MIN;
            is_well &= !(is_slower && is_judged);
            let word = match (is_slower, is_judged) {
                (false, _) => "",
                (true, true) => "  SLOWER",
                (true, false) => "  not judged: others had the processors",
            };
            println!(
                "{threads:>8} {work:>8} {depth:>3} {serial:>12.1} {parallel:>12.1} {ratio:>8.2} {processors:>12.2}{word}"
            );
        }
    }
    (is_well, most)
}

/// Milliseconds under `pct` and under `ppct`, and the processors that the latter had; nothing if the machine has other
/// things to do.
fn row(command: &Command, depth: u32, size: [u64; 2]) -> Option<[f64; 3]> {
    let mut free = Free::new(command, depth, size);
    let mut serial_best = [f64::MAX; 2];
    let mut rounds = 0;
    for _ in 0..LOOKS {
        if idle_processors() < IDLE_MIN {
            continue;
        }
        for (best, executions) in serial_best.iter_mut().zip([1, DRAWS + 1]) {
            *best = best.min(serial(command, depth, size, executions));
        }
        free.round();
        rounds += 1;
        if rounds == ROUNDS {
            break;
        }
    }
    let serial = (serial_best[1] - serial_best[0]) / DRAWS as f64;
    (rounds > 0).then(|| [serial, free.mean(), free.processors])
}

/// How many processors two threads get that want them, for a moment.
fn idle_processors() -> f64 {
    const MOMENT: Duration = Duration::from_millis(5);
    let start = Instant::now();
    let spin = || {
        while start.elapsed() < MOMENT {
            std::hint::spin_loop();
        }
        let mut time = libc::timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        // SAFETY: the kernel fills it in.
        unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
        time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
    };
    let used: f64 = std::thread::scope(|scope| {
        let threads = [(); 2].map(|()| scope.spawn(spin));
        let times = threads.into_iter().map(|thread| thread.join());
        times.map(|time| time.expect("it only spins")).sum()
    });
    used / start.elapsed().as_secs_f64()
}

/// Prints how often bugs are found; whether that is as promised.
fn rates(place: &Place) -> bool {
    println!(
        "\nfailing executions in a thousand, of {SERIAL_EXECUTIONS} under pct and {FREE_EXECUTIONS} under ppct:"
    );
    println!(
        "{:<20} {:>3} {:>8} {:>8} {:>10} {:>10}",
        "program", "d", "pct", "ppct", "deviations", "bound"
    );
    let mut is_well = true;
    for (path, depth) in [
        ("free/ordered.c", 1),
        ("free/memcached.c", 2),
        ("free/nspr.c", 2),
        ("free/wsq.c", 2),
    ] {
        let command = place.build(path, false);
        let controlled = controlled_failures(&command, depth);
        let (free, bound) = free_failures(&command, depth);
        let spread = (bound * (1.0 - bound) / FREE_EXECUTIONS as f64).sqrt();
        let above = free.deviations_above(controlled);
        let word = match () {
            () if free.rate() < bound - CHANCE * spread => "  BELOW THE BOUND",
            () if above < -CHANCE => "  BELOW PCT",
            () => "",
        };
        is_well &= word.is_empty();
        let [controlled, free, bound] =
            [controlled.rate(), free.rate(), bound].map(|rate| rate * 1e3);
        println!(
            "{path:<20} {depth:>3} {controlled:>8.1} {free:>8.1} {above:>10.1} {bound:>10.1}{word}"
        );
    }
    is_well
}

/// Milliseconds of so many executions under `pct`, with the start of the process.
fn serial(command: &Command, depth: u32, [threads, operations]: [u64; 2], executions: u64) -> f64 {
    let mut options = options(
        &format!("pct:d={depth},k={}", threads * operations),
        executions,
    );
    options.settings.steps_max = u64::MAX;
    options.backend = Some(Backend::Fibers);
    options.reexecution = Some(Reexecution::Snapshot);
    options.races = false;
    let start = Instant::now();
    let explored = explore(command, &options, &mut |_| true).expect("the program can be run");
    assert!(
        explored.exploration.first_failure.is_none(),
        "nothing can fail"
    );
    start.elapsed().as_secs_f64() * 1e3
}

/// Executions under `ppct` on real threads, with the start of the process.
struct Free {
    session: Session,
    ppct: ParallelPpct,
    /// The best milliseconds of each draw: who is held back matters, and other programs run.
    best: [f64; DRAWS as usize],
    /// The most processor time for the wall time of an execution.
    processors: f64,
}

impl Free {
    fn new(command: &Command, depth: u32, [threads, operations]: [u64; 2]) -> Free {
        Free {
            session: session(command),
            ppct: ParallelPpct::new(1, depth, Some(threads + 1), Some(threads * operations)),
            best: [f64::MAX; DRAWS as usize],
            processors: 0.0,
        }
    }

    fn round(&mut self) {
        for (index, best) in (0..).zip(&mut self.best) {
            self.session.prioritise(self.ppct.order(index));
            let order = NoiseOrder::nothing(index);
            let found = self.session.execute(&order, &mut || true);
            let execution = found
                .expect("the program can be run")
                .expect("nobody ends it");
            assert_eq!(execution.end, End::Exited(0));
            let elapsed = execution.elapsed.as_secs_f64();
            *best = best.min(elapsed * 1e3);
            let processors = execution.processor_time.as_secs_f64() / elapsed;
            self.processors = self.processors.max(processors);
        }
    }

    fn mean(&self) -> f64 {
        self.best.iter().sum::<f64>() / DRAWS as f64
    }
}

fn session(command: &Command) -> Session {
    let setup = Setup {
        threads_max: 64,
        events_max: 16,
        time_max: Duration::from_secs(60),
        ..Setup::default()
    };
    Session::new(command, setup).expect("there is memory")
}

fn controlled_failures(command: &Command, depth: u32) -> Share {
    let mut options = options(&format!("pct:d={depth}"), SERIAL_EXECUTIONS);
    options.limits.keep_going = true;
    options.races = false;
    let explored = explore(command, &options, &mut |_| true).expect("the program can be run");
    Share {
        count: explored.exploration.failures,
        of: explored.exploration.executions,
    }
}

fn free_failures(command: &Command, depth: u32) -> (Share, f64) {
    let mut session = session(command);
    let mut ppct = ParallelPpct::new(1, depth, None, None);
    let mut failures = 0;
    for index in 0..FREE_EXECUTIONS {
        session.prioritise(ppct.order(index));
        let found = session.execute(&NoiseOrder::nothing(index), &mut || true);
        let execution = found
            .expect("the program can be run")
            .expect("nobody ends it");
        ppct.learn(&execution);
        failures += u64::from(execution.end == End::Exited(1));
    }
    let share = Share {
        count: failures,
        of: FREE_EXECUTIONS,
    };
    (share, ppct.guarantee())
}
