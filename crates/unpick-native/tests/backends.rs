//! One seed, one exploration: whatever way tasks are run and executions are repeated, the outcome,
//! the number of steps and every step are the same. Needs a C and a C++ compiler.

#[path = "support/programs.rs"]
mod support;

use std::{fs, thread};

use support::{Line, Place, WAYS, each, is_full, options, table};
use unpick_engine::StopReason;
use unpick_native::drive::{Command, explore};
use unpick_protocol::{Backend, Points, Reexecution};

/// Programs that use every kind of object there is.
const SHORT: [&str; 8] = [
    "c/ab_ba.c",
    "c/racy_counter.c",
    "c/bounded_buffer.c",
    "c/rwlock_upgrade.c",
    "c/cancel_complete.c",
    "c/key_destructor.c",
    "cpp/semaphore_pool.cc",
    "cpp/throw_locked.cc",
];

/// Programs and seeds of `cargo xtask native backends`.
const FULL_PROGRAMS: usize = 20;
const FULL_SEEDS: u64 = 200;
const SHORT_SEEDS: u64 = 10;

/// What an exploration comes to, as far as it must be the same everywhere.
#[derive(Debug, PartialEq, Eq)]
struct Came {
    outcome: String,
    steps: u64,
    hash: u64,
}

#[test]
fn every_way_of_running_gives_the_same_executions() {
    let mut lines = table();
    let seeds = match is_full() {
        true => FULL_SEEDS,
        false => SHORT_SEEDS,
    };
    match is_full() {
        true => spread(&mut lines, FULL_PROGRAMS),
        false => lines.retain(|line| SHORT.contains(&line.path.as_str())),
    }
    let place = Place::new("backends");
    let wrong = each(&lines, |line| compare(&place, line, seeds));
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Tables that hash addresses of locals, thread-locals or thread control blocks, such as that of parking_lot, do the
/// same in every back-end.
#[test]
fn stacks_and_thread_locals_lie_at_the_same_addresses() {
    let place = Place::new("addresses");
    let command = place.build("nondeterminism/hashed.c", false);
    let explored = |(backend, reexecution), jobs| {
        let mut options = options("random", 20);
        options.limits.keep_going = true;
        options.backend = Some(backend);
        options.reexecution = Some(reexecution);
        options.jobs = jobs;
        let found = explore(&command, &options, &mut |_| true).unwrap();
        let found = found.exploration;
        (found.failures, found.steps_total, found.hash)
    };
    let expected = explored(WAYS[0], 1);
    assert_eq!(expected.0, 0);
    for way in WAYS {
        for jobs in [1, 2] {
            let words = (way.0.word(), way.1.word());
            assert_eq!(explored(way, jobs), expected, "{words:?}, {jobs}");
        }
    }
}

/// What is learned from earlier executions must reach the later ones, whoever runs them.
#[test]
fn a_process_for_each_execution_explores_the_same() {
    let place = Place::new("anew");
    for (path, points, strategy) in [
        ("c/bounded_buffer.c", Points::Sync, "pct"),
        ("c/racy_counter.c", Points::Shared, "pct"),
        ("c/racy_counter.c", Points::Shared, "portfolio"),
    ] {
        let command = place.build(path, true);
        let mut options = options(strategy, 40);
        options.points = points;
        options.limits.keep_going = true;
        let explored = |reexecution, jobs| {
            let mut options = options.clone();
            options.reexecution = Some(reexecution);
            options.jobs = jobs;
            let found = explore(&command, &options, &mut |_| true).unwrap();
            let what = found.exploration;
            (what.executions, what.steps_total, what.hash, found.shared)
        };
        let expected = explored(Reexecution::Snapshot, 1);
        assert_eq!(expected.0, 40);
        for jobs in [1, 2] {
            assert_eq!(
                explored(Reexecution::Exec, jobs),
                expected,
                "{path}, {jobs}"
            );
        }
    }
}

/// A search goes on from process to process and takes the same decisions as within one.
#[test]
fn searches_go_on_from_process_to_process() {
    let place = Place::new("heritage");
    for (path, is_fixed, strategy, shard) in [
        ("c/ab_ba.c", true, "dfs", None),
        ("c/ab_ba.c", false, "ipb", None),
        ("c/rwlock_upgrade.c", false, "idb", None),
        ("c/bounded_buffer.c", true, "dpor", None),
        ("c/key_destructor.c", false, "odpor", None),
        ("cpp/throw_locked.cc", false, "hbr-cache", None),
        ("c/ab_ba.c", true, "dfs", Some((1, 2))),
    ] {
        let command = place.build(path, is_fixed);
        let mut options = options(strategy, 30);
        options.limits.keep_going = true;
        options.shard = shard;
        let explored = |backend, reexecution, jobs| {
            let mut options = options.clone();
            options.backend = Some(backend);
            options.reexecution = Some(reexecution);
            options.jobs = jobs;
            let found = explore(&command, &options, &mut |_| true).unwrap();
            let found = found.exploration;
            let first = found
                .first_failure
                .map(|first| (first.trace, first.outcome));
            let counts = (found.executions, found.failures, found.steps_total);
            (counts, found.complete, found.hash, first)
        };
        let expected = explored(Backend::Fibers, Reexecution::Snapshot, 1);
        assert!(expected.0.0 > 1, "{path}: {expected:?}");
        for (backend, jobs) in [(Backend::Fibers, 1), (Backend::Threads, 2)] {
            let found = explored(backend, Reexecution::Exec, jobs);
            assert_eq!(found, expected, "{path}, {strategy}, {}", backend.word());
        }
    }
}

/// However long a process takes to begin, and however soon it ends, the driver knows which is which.
#[test]
fn a_search_goes_on_in_processes_that_begin_slowly() {
    let place = Place::new("slowly");
    let command = place.build("measured/slow_start.c", false);
    let mut options = options("dfs", 4);
    options.reexecution = Some(Reexecution::Exec);
    let found = explore(&command, &options, &mut |_| true).unwrap();
    let found = found.exploration;
    assert_eq!((found.executions, found.failures), (4, 0));
    // It is asked whether to go on, also when processes follow each other at once.
    let command = place.build("c/bounded_buffer.c", true);
    options.limits.executions_max = 1_000;
    let mut looks = 0;
    let found = explore(&command, &options, &mut |_| {
        looks += 1;
        looks < 10
    });
    let found = found.unwrap().exploration;
    assert_eq!(found.stopped_because, StopReason::Interrupted);
    assert!(found.executions < 100, "{}", found.executions);
}

/// What a process leaves is of no use to one that has the runtime at another address.
#[test]
fn a_search_is_refused_where_addresses_cannot_be_kept() {
    let place = Place::new("addresses");
    let command = place.build("c/ab_ba.c", true);
    let result = thread::spawn(move || {
        let explored = |strategy| {
            let mut options = options(strategy, 20);
            options.reexecution = Some(Reexecution::Exec);
            explore(&command, &options, &mut |_| true)
        };
        forbid_personality();
        let random = explored("random").unwrap().exploration;
        assert_eq!((random.executions, random.failures), (20, 0));
        explored("dfs").map(|found| found.exploration.executions)
    });
    let result = result.join().unwrap();
    let setting = fs::read_to_string("/proc/sys/kernel/randomize_va_space").unwrap();
    match setting.trim() {
        "0" => assert_eq!(result.unwrap(), 20),
        _ => {
            let error = result.unwrap_err().to_string();
            assert!(error.contains("at other addresses"), "{error}");
        }
    }
}

/// Lets the system call that turns the randomisation of addresses off fail, for this thread and what it
/// starts.
fn forbid_personality() {
    let step = |code, k, jump_if_not| libc::sock_filter {
        code: code as u16,
        jt: 0,
        jf: jump_if_not,
        k,
    };
    let load = libc::BPF_LD | libc::BPF_W | libc::BPF_ABS;
    let compare = libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K;
    let give = libc::BPF_RET | libc::BPF_K;
    let mut steps = [
        step(load, 0, 0),
        step(compare, libc::SYS_personality as u32, 1),
        step(give, libc::SECCOMP_RET_ERRNO | libc::EPERM as u32, 0),
        step(give, libc::SECCOMP_RET_ALLOW, 0),
    ];
    let program = libc::sock_fprog {
        len: steps.len() as u16,
        filter: steps.as_mut_ptr(),
    };
    // SAFETY: the kernel copies the program, which outlives the call.
    let result = unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        libc::prctl(
            libc::PR_SET_SECCOMP,
            libc::SECCOMP_MODE_FILTER,
            &raw const program,
        )
    };
    assert_eq!(result, 0, "{}", std::io::Error::last_os_error());
}

/// Only what was written is put back, where the kernel can tell, and that must be all of it.
#[test]
fn a_large_image_is_put_back() {
    let place = Place::new("large");
    let command = place.build("measured/large_image.c", false);
    let mut options = options("random", 100);
    let explored = [Reexecution::Snapshot, Reexecution::Fork].map(|reexecution| {
        options.reexecution = Some(reexecution);
        let found = explore(&command, &options, &mut |_| true).unwrap();
        found.exploration
    });
    let [snapshot, fork] = explored;
    assert_eq!((snapshot.executions, snapshot.failures), (100, 0));
    assert_eq!(snapshot.hash, fork.hash);
}

/// What the runtime needs for a thread it needs once, not once an execution.
#[test]
fn forked_threads_take_no_new_memory() {
    let place = Place::new("handlers");
    let mut command = place.build("measured/handler_stack.c", false);
    command.arguments = vec![place.0.join("file").into()];
    let mut options = options("random", 20);
    options.backend = Some(Backend::Threads);
    let found = explore(&command, &options, &mut |_| true).unwrap();
    let found = found.exploration;
    assert_eq!((found.executions, found.failures), (20, 0));
}

/// What is printed to nowhere is not written, and what is printed to anywhere else is.
#[test]
fn standard_output_is_where_the_program_puts_it() {
    let place = Place::new("output");
    let mut command = place.build("measured/standard_output.c", false);
    let ways = [
        "dup2",
        "dup3",
        "close",
        "close_range",
        "syscall",
        "fclose",
        "freopen",
    ];
    for way in ways {
        command.arguments = vec![place.0.join("file").into(), way.into()];
        let hashes = [Reexecution::Snapshot, Reexecution::Fork].map(|reexecution| {
            let mut options = options("random", 20);
            options.reexecution = Some(reexecution);
            let found = explore(&command, &options, &mut |_| true).unwrap();
            let found = found.exploration;
            assert_eq!((found.executions, found.failures), (20, 0), "{way}");
            found.hash
        });
        assert_eq!(hashes[0], hashes[1], "{way}");
    }
}

/// Keeps so many, from all over the table.
fn spread(lines: &mut Vec<Line>, count: usize) {
    assert!(lines.len() >= count);
    let length = lines.len();
    *lines = (0..count)
        .map(|index| lines[index * length / count].clone())
        .collect();
}

fn compare(place: &Place, line: &Line, seeds: u64) -> Vec<String> {
    let command = place.build(&line.path, false);
    let mut wrong = Vec::new();
    for seed in 0..seeds {
        let ends = WAYS.map(|way| run(&command, seed, way));
        for (way, end) in WAYS.iter().zip(&ends) {
            if *end != ends[0] {
                wrong.push(format!(
                    "{} seed {seed}: {end:?} in {} by {}, but {:?} from a snapshot",
                    line.path,
                    way.0.word(),
                    way.1.word(),
                    ends[0]
                ));
            }
        }
    }
    wrong
}

/// One execution with a seed.
fn run(command: &Command, seed: u64, way: (Backend, Reexecution)) -> Result<Came, String> {
    let mut options = options(["random", "pct"][seed as usize % 2], 1);
    options.seed = seed;
    options.backend = Some(way.0);
    options.reexecution = Some(way.1);
    let explored = explore(command, &options, &mut |_| true).map_err(|error| error.to_string())?;
    let found = explored.exploration;
    let end = found.first_failure.or(found.diverged);
    Ok(Came {
        outcome: end.map_or("pass".into(), |end| format!("{:?}", end.outcome)),
        steps: found.steps_total,
        hash: found.hash,
    })
}
