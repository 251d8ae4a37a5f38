//! Damaged and forged files: whatever they hold, reading them, showing them, replaying them and explaining
//! them ends, without a panic and without much memory.

#[path = "damaged_files/forge.rs"]
mod forge;
#[path = "damaged_files/mutations.rs"]
mod mutations;

use mutations::{Random, damaged, forged, reworked};
use std::alloc::{GlobalAlloc, Layout, System};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;
use unpick::analysis::Meaning;
use unpick::report::{
    Columns, Sources, Timeline, columns, headline, page, perfetto, schedule, why,
};
use unpick::sync::atomic::{AtomicU32, Ordering};
use unpick::sync::{Condvar, Mutex};
use unpick::trace::{Plan, Record, decode, encode};
use unpick::{Config, Ended, FirstFailure};

/// Files that each way of damaging them makes.
const FILES: u64 = 4_000;

/// Bytes that may be asked for at once. The largest file here has some thousand.
const BYTES_MAX: usize = 64 << 20;

/// Gives out no more than a file can be worth.
struct Frugal;

// SAFETY: everything is passed on to the system's allocator, or refused as it may be.
unsafe impl GlobalAlloc for Frugal {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match layout.size() {
            // SAFETY: the caller keeps the rules of `alloc`.
            0..=BYTES_MAX => unsafe { System.alloc(layout) },
            _ => std::ptr::null_mut(),
        }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the rules of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static FRUGAL: Frugal = Frugal;

type Program = Arc<dyn Fn() + Send + Sync>;

/// A file, and the program to replay it with.
struct Sample {
    text: String,
    program: Program,
}

/// A program that is asked everything there is to ask.
fn questions() {
    let cell = Arc::new((Mutex::new(0), Condvar::new(), AtomicU32::new(0)));
    let tasks = ["reader", "writer\n\"<&>`"].map(|name| {
        let cell = Arc::clone(&cell);
        let task = move || {
            let (lock, waits, flag) = &*cell;
            let _ = flag.compare_exchange_weak(0, 1, Ordering::SeqCst, Ordering::SeqCst);
            let guard = lock.lock().unwrap();
            let (mut guard, _) = waits.wait_timeout(guard, Duration::from_millis(1)).unwrap();
            *guard += unpick::choose(3);
        };
        let task = unpick::thread::Builder::new().name(name.into()).spawn(task);
        task.unwrap()
    });
    cell.1.notify_one();
    for task in tasks {
        task.join().unwrap();
    }
    assert!(
        *cell.0.lock().unwrap() < 3,
        "too many \u{1f41b}\nin two lines"
    );
}

/// More tasks than a word has bits.
fn crowd() {
    let count = Arc::new(AtomicU32::new(0));
    let tasks: Vec<_> = (0..70)
        .map(|_| {
            let count = Arc::clone(&count);
            unpick::thread::spawn(move || {
                let seen = count.load(Ordering::SeqCst);
                count.store(seen + 1, Ordering::SeqCst);
            })
        })
        .collect();
    tasks.into_iter().for_each(|task| task.join().unwrap());
    assert_eq!(count.load(Ordering::SeqCst), 70);
}

fn samples() -> Vec<Sample> {
    let mut programs: Vec<(String, Program)> = vec![
        ("crowd".into(), Arc::new(crowd)),
        ("questions".into(), Arc::new(questions)),
    ];
    for name in [
        "CS.account_bad",
        "CS.deadlock01_bad",
        "CS.queue_bad",
        "CS.wronglock_3_bad",
        "treiber",
        "CB.stringbuffer-jdk1.4",
    ] {
        let selection = unpick_suite::find(name).unwrap();
        programs.push((format!("suite:{name}"), Arc::new(move || selection.run())));
    }
    let mut samples: Vec<Sample> = programs
        .into_iter()
        .map(|(name, program)| {
            let config = Config::new().strategy("random").executions(20_000);
            let run = Arc::clone(&program);
            let found = unpick::explore(config.clone(), move || run());
            let failure = found
                .first_failure
                .unwrap_or_else(|| panic!("{name} does not fail"));
            let body = Arc::clone(&program);
            let (least, known) =
                unpick::understand(&config, &move || body(), &failure).expect("it is to be shrunk");
            let text = encode(&unpick::record(&config, &name, &least, Some(&known)));
            Sample { text, program }
        })
        .collect();
    for text in [
        include_str!("files/native_cancel_complete.txt"),
        include_str!("files/native_list_insert.txt"),
        include_str!("files/native_lost_wakeup.txt"),
    ] {
        let program = Arc::clone(&samples[1].program);
        samples.push(Sample {
            text: text.to_string(),
            program,
        });
    }
    samples
}

/// Makes many files of the samples and uses those that can be read; gives how many.
fn try_files(seed: u64, change: &dyn Fn(&mut Random, &str, &str) -> String) -> u64 {
    let samples = samples();
    let mut read = 0;
    let mut said = String::new();
    for number in 0..FILES {
        let random = &mut Random::new(seed << 32 | number);
        // The first one is large: once in a while is enough.
        let first = usize::from(number % 64 != 0);
        let sample = &samples[first + random.below(samples.len() - first)];
        let other = &samples[random.below(samples.len())];
        let text = change(random, &sample.text, &other.text);
        let used = catch_unwind(AssertUnwindSafe(|| {
            let record = decode(&text).ok()?;
            show(&record);
            // These take longer.
            if number % 8 == 0 {
                run_again(&record, &*sample.program);
            }
            Some(())
        }));
        match used {
            Ok(used) => read += u64::from(used.is_some()),
            Err(_) => said.push_str(&format!("file {number} makes a panic:\n{text}\n")),
        }
    }
    assert!(said.is_empty(), "{said}");
    read
}

fn show(record: &Record) {
    let timeline = Timeline::new(record);
    let sources = Sources::read(&timeline, &mut |file| {
        (!file.is_empty()).then(|| "a line\n".repeat(50))
    });
    for (width, all) in [(120, false), (7, true), (0, true)] {
        columns(&timeline, &sources, Columns { width, all });
    }
    page(&[(&timeline, &sources)]);
    page(&[(&timeline, &sources), (&timeline, &sources)]);
    perfetto(&timeline, &sources);
    headline(&record.outcome, &record.trace);
    why(&record.outcome, &record.trace);
    schedule(record);
    assert_eq!(decode(&encode(record)).as_ref(), Ok(record));
}

fn run_again(record: &Record, program: &(dyn Fn() + Send + Sync)) {
    let config = Config::new()
        .settings_from(&record.header.settings)
        .shrink(20);
    unpick::replay(&config, program, record.trace.clone());
    unpick::follow(&config, program, &Plan::of(&record.trace));
    if record.trace.tasks.len() > 10 {
        return;
    }
    let failure = FirstFailure {
        rank: 1,
        execution: record.header.execution,
        is_directed: false,
        member: None,
        trace: record.trace.clone(),
        outcome: record.outcome.clone(),
    };
    if let Some((smaller, known)) = unpick::understand(&config, program, &failure) {
        unpick::report::explained(&smaller.outcome, &smaller.trace, &known.explanation);
    }
    let ended = Ended {
        outcome: failure.outcome,
        trace: failure.trace,
    };
    // Explained as it stands, by a program that has nothing to say.
    unpick::analysis::explain(&ended, 20, &|_| Meaning::Own, &mut |_| Some(ended.clone()));
}

#[test]
fn damaged_texts_do_no_harm() {
    let read = try_files(1, &damaged);
    assert!(read < FILES / 4, "{read} of {FILES} were not noticed");
}

#[test]
fn forged_bodies_do_no_harm() {
    let read = try_files(2, &forged);
    assert!(read > FILES / 50, "only {read} of {FILES} got through");
}

#[test]
fn forged_contents_do_no_harm() {
    let read = try_files(3, &reworked);
    assert!(read > FILES / 10, "only {read} of {FILES} got through");
}
