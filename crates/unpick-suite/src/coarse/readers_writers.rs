//! Readers and writers of a value, let in by a monitor.
//!
//! Locked: the number of readers and writers inside, by one lock with a condition. Conflicts: every
//! section of the monitor changes that number, so only the value itself, which is outside of the
//! monitor, is read side by side. Little for a lazy search to gain.

use super::{program, run_tasks};
use crate::{Arguments, Parameter, Program};
use unpick::sync::atomic::{AtomicU32, Ordering::SeqCst};
use unpick::sync::{Condvar, Mutex};

pub(crate) const PROGRAM: Program = program(
    "coarse.readers_writers",
    "readers and writers let in by a monitor",
    &[
        Parameter::size("readers", "readers", 2, 0, 16),
        Parameter::size("writers", "writers", 1, 0, 16),
    ],
    body,
);

#[derive(Default)]
struct Room {
    inside: Mutex<Inside>,
    changed: Condvar,
    value: AtomicU32,
}

#[derive(Default)]
struct Inside {
    readers: u32,
    writers: u32,
}

impl Room {
    fn read(&self) {
        let mut inside = self.inside.lock().unwrap();
        while inside.writers > 0 {
            inside = self.changed.wait(inside).unwrap();
        }
        inside.readers += 1;
        drop(inside);
        self.value.load(SeqCst);
        let mut inside = self.inside.lock().unwrap();
        inside.readers -= 1;
        if inside.readers == 0 {
            self.changed.notify_all();
        }
        drop(inside);
    }

    fn write(&self) {
        let mut inside = self.inside.lock().unwrap();
        while inside.readers + inside.writers > 0 {
            inside = self.changed.wait(inside).unwrap();
        }
        inside.writers += 1;
        drop(inside);
        let value = self.value.load(SeqCst);
        self.value.store(value + 1, SeqCst);
        let mut inside = self.inside.lock().unwrap();
        inside.writers -= 1;
        self.changed.notify_all();
        drop(inside);
    }
}

fn body(arguments: &Arguments) {
    let (readers, writers) = (arguments.size("readers"), arguments.size("writers"));
    run_tasks(
        readers + writers,
        Room::default(),
        move |room, number| match number < readers {
            true => room.read(),
            false => room.write(),
        },
        move |room| assert!(room.value.into_inner() == writers as u32),
    );
}
