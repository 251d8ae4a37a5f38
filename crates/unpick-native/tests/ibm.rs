//! The programs of the IBM benchmark have the bugs that they are said to have. Needs a C compiler.

#[path = "support/programs.rs"]
mod support;

use support::{Place, options};
use unpick_native::drive::explore;
use unpick_native::ibm::programs;
use unpick_protocol::Points;

/// Sizes at which a few hundred schedules under control are enough, where the usual ones are not.
const SIZES: &[(&str, &[&str])] = &[
    ("account", &["2", "1"]),
    ("airlinetickets", &["2", "2"]),
    ("allocationvector", &["2", "1"]),
    ("boundedbuffer", &["2", "2", "2", "1"]),
    ("bubblesort", &["4"]),
    ("bubblesort2", &["3"]),
    ("bufwriter", &["2", "2"]),
    ("critical", &["1", "3"]),
    ("dcl", &["2"]),
    ("deadlock", &["2", "1"]),
    ("garagemanager", &["2", "1"]),
    ("linkedlist", &["2", "1"]),
    ("liveness", &["3", "1"]),
    ("lottery", &["2"]),
    ("manager", &["2", "5"]),
    ("mergesort", &["8", "2"]),
    ("mergesortbug", &["4", "2"]),
    ("pingpong", &["2", "1"]),
    ("piper", &["2", "2", "1"]),
    ("producerconsumer", &["1", "1"]),
    ("shop", &["2", "2"]),
    ("suns_account", &["2", "1"]),
    ("xtangoanimation", &["2", "1"]),
];

#[test]
fn every_bug_is_found_under_control() {
    let place = Place::new("ibm");
    let mut missed = Vec::new();
    for (name, sizes) in SIZES {
        let program = programs().iter().find(|program| program.name == *name);
        let command = program.expect("a program").build(&place.0, sizes).unwrap();
        let mut options = options("random", 3_000);
        options.points = Points::Shared;
        options.races = false;
        let explored = explore(&command, &options, &mut |_| true).unwrap();
        if explored.exploration.first_failure.is_none() {
            missed.push(*name);
        }
    }
    assert!(missed.is_empty(), "never seen: {missed:?}");
    // What the last one divides by is drawn from the clock, which control sets.
    assert_eq!(SIZES.len() + 1, programs().len());
}

#[test]
fn threads_that_build_the_same_program_do_not_disturb_each_other() {
    let place = Place::new("ibm-build");
    std::thread::scope(|scope| {
        let build = || programs()[0].build(&place.0, &[]).unwrap().program;
        let all: Vec<_> = (0..4).map(|_| scope.spawn(build)).collect();
        for one in all {
            assert!(one.join().unwrap().exists());
        }
    });
}
