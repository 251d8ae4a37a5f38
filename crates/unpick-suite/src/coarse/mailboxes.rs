//! `n` tasks post to their neighbour's mailbox and then look into their own.
//!
//! Locked: all mailboxes, by one lock. Conflicts: the posting to a mailbox with the look into it:
//! neighbours only.

use super::{program, run_tasks, values, zeros};
use crate::section::section;
use crate::{Arguments, Parameter, Program};
use unpick::sync::Mutex;
use unpick::sync::atomic::Ordering::SeqCst;

pub(crate) const PROGRAM: Program = program(
    "coarse.mailboxes",
    "mailboxes of neighbours behind one lock",
    &[
        Parameter::size("n", "tasks", 4, 2, 16),
        Parameter::size("m", "looks of each task", 1, 0, 100),
    ],
    body,
);

fn body(arguments: &Arguments) {
    let (tasks, looks) = (arguments.size("n"), arguments.size("m"));
    run_tasks(
        tasks,
        (Mutex::new(()), zeros(tasks)),
        move |(lock, mailboxes), number| {
            let neighbour = (number + 1) % tasks;
            section(lock, || {
                mailboxes[neighbour].store(number as u32 + 1, SeqCst)
            });
            for _ in 0..looks {
                section(lock, || mailboxes[number].load(SeqCst));
            }
        },
        |(_, mailboxes)| assert!(values(mailboxes).iter().all(|letter| *letter != 0)),
    );
}
