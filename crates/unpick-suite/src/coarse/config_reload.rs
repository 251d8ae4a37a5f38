//! `n` tasks read a configuration `m` times each, and one more replaces it.
//!
//! Locked: the configuration, inside one lock. Conflicts: the replacement with each reading; the
//! readers only borrow from their guard, so they do not conflict with each other.

use super::{program, run_tasks};
use crate::{Arguments, Parameter, Program};
use unpick::sync::Mutex;

pub(crate) const PROGRAM: Program = program(
    "coarse.config_reload",
    "a configuration inside one lock, read often and replaced once",
    &[
        Parameter::size("n", "readers", 3, 1, 16),
        Parameter::size("m", "readings of each reader", 2, 1, 100),
    ],
    body,
);

struct Settings {
    version: u32,
    name: String,
}

impl Settings {
    fn new(version: u32) -> Self {
        Settings {
            version,
            name: format!("version {version}"),
        }
    }
}

fn body(arguments: &Arguments) {
    let (readers, readings) = (arguments.size("n"), arguments.get("m"));
    run_tasks(
        readers + 1,
        Mutex::new(Settings::new(1)),
        move |settings, number| {
            if number == readers {
                let mut settings = settings.lock().unwrap();
                *settings = Settings::new(2);
                drop(settings);
                return;
            }
            for _ in 0..readings {
                let settings = settings.lock().unwrap();
                assert!(
                    settings
                        .name
                        .ends_with(if settings.version == 1 { '1' } else { '2' })
                );
                drop(settings);
            }
        },
        |settings| assert!(settings.into_inner().unwrap().version == 2),
    );
}
