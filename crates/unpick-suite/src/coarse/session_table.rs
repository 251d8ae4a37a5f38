//! `n` users log in and out, and one more task counts who is there.
//!
//! Locked: the whole table, inside one lock. Conflicts: seen from the guard everything that logs in
//! or out, though each user has a place of his own.

use super::{program, run_tasks};
use crate::{Arguments, Parameter, Program};
use unpick::sync::Mutex;

pub(crate) const PROGRAM: Program = program(
    "coarse.session_table",
    "a table of sessions inside one lock",
    &[
        Parameter::size("n", "users", 3, 1, 16),
        Parameter::size("m", "counts of the sweeper", 2, 0, 100),
    ],
    body,
);

fn body(arguments: &Arguments) {
    let (users, sweeps) = (arguments.size("n"), arguments.size("m"));
    run_tasks(
        users + 1,
        Mutex::new(vec![false; users]),
        move |sessions, number| {
            if number == users {
                for _ in 0..sweeps {
                    let sessions = sessions.lock().unwrap();
                    let present = sessions.iter().filter(|is_present| **is_present).count();
                    drop(sessions);
                    assert!(present <= users);
                }
                return;
            }
            for is_present in [true, false] {
                let mut sessions = sessions.lock().unwrap();
                sessions[number] = is_present;
                drop(sessions);
            }
        },
        |sessions| assert!(!sessions.into_inner().unwrap().contains(&true)),
    );
}
