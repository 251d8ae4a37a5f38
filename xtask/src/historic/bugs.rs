//! The bugs: which test shows which version to be wrong, and which version mends it.

/// How a bug was mended.
pub enum Fix {
    /// In this version, with which the test passes.
    In(&'static str),
    /// By a bound on a type in this version, with which the test does not compile.
    Bound(&'static str),
    /// Not yet, as far as is known.
    None,
}

/// A function of a package.
pub struct Place {
    /// The source file, from the folder of the package on.
    pub file: &'static str,
    pub function: &'static str,
    /// Its first and its last line.
    pub lines: (u32, u32),
}

impl Place {
    const fn new(file: &'static str, function: &'static str, first: u32, last: u32) -> Place {
        Place {
            file,
            function,
            lines: (first, last),
        }
    }
}

/// A bug of a published crate.
pub struct Bug {
    pub name: &'static str,
    /// The file of the test in `xtask/tests/historic`.
    pub test: &'static str,
    pub package: &'static str,
    pub buggy: &'static str,
    pub fix: Fix,
    pub features: &'static [&'static str],
    /// Other crates that the test needs, with the requirement on their versions.
    pub others: &'static [(&'static str, &'static str)],
    pub known_as: &'static str,
    /// The functions that the published fix changed, as they stand in the version with the bug. None if the fix is a
    /// bound on a type: that is no step of an execution, which an explanation could name.
    pub places: &'static [Place],
    /// Why the test does not show the bug, if it does not.
    pub not_reached: Option<&'static str>,
}

impl Bug {
    /// The first function changed by the fix of which a text names a line.
    pub fn place_named_in(&self, text: &str) -> Option<&Place> {
        let is_named = |place: &&Place| {
            let file = format!("{}-{}/{}", self.package, self.buggy, place.file);
            let (first, last) = place.lines;
            let mut lines = text
                .match_indices(&file)
                .flat_map(|(at, _)| lines_at(&text[at + file.len()..]));
            lines.any(|line| (first..=last).contains(&line))
        };
        self.places.iter().find(is_named)
    }

    /// The manifest of a crate with the test, for a version of the package.
    pub fn manifest(&self, version: &str) -> String {
        let features: Vec<String> = self
            .features
            .iter()
            .map(|one| format!("\"{one}\""))
            .collect();
        let mut text = format!(
            "[package]\nname = \"historic-bug\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n[workspace]\n\n\
             [dependencies]\n{} = {{ version = \"={version}\", features = [{}] }}\n",
            self.package,
            features.join(", ")
        );
        for (name, requirement) in self.others {
            text.push_str(&format!("{name} = \"{requirement}\"\n"));
        }
        text
    }

    /// The packages whose version is fixed.
    pub fn pinned<'a>(&self, version: &'a str) -> Vec<(&'a str, &'a str)>
    where
        Self: 'a,
    {
        let mut pinned = vec![(self.package, version)];
        for (name, requirement) in self.others {
            pinned.extend(
                requirement
                    .strip_prefix('=')
                    .map(|version| (*name, version)),
            );
        }
        pinned
    }
}

/// The lines behind the name of a file: `:12`, or `:12 > :34` for calls within it.
fn lines_at(mut text: &str) -> Vec<u32> {
    let mut lines = Vec::new();
    while let Some(rest) = text.strip_prefix(':') {
        let end = rest.find(|one: char| !one.is_ascii_digit());
        let (line, behind) = rest.split_at(end.unwrap_or(rest.len()));
        lines.extend(line.parse::<u32>().ok());
        text = behind.strip_prefix(" > ").unwrap_or_default();
    }
    lines
}

/// All of them.
pub const BUGS: &[Bug] = &[
    Bug {
        name: "crossbeam-channel-drop",
        test: "crossbeam_channel_drop",
        package: "crossbeam-channel",
        buggy: "0.5.14",
        fix: Fix::In("0.5.15"),
        features: &[],
        others: &[],
        known_as: "RUSTSEC-2025-0024, double free when the receiver is dropped",
        places: &[Place::new(
            "src/flavors/list.rs",
            "discard_all_messages",
            584,
            646,
        )],
        not_reached: None,
    },
    Bug {
        name: "crossbeam-channel-null",
        test: "crossbeam_channel_drop",
        package: "crossbeam-channel",
        buggy: "0.5.7",
        fix: Fix::In("0.5.8"),
        features: &[],
        others: &[],
        known_as: "null dereference when messages are discarded",
        places: &[Place::new(
            "src/flavors/list.rs",
            "discard_all_messages",
            568,
            617,
        )],
        not_reached: None,
    },
    Bug {
        name: "crossbeam-deque-0.7",
        test: "crossbeam_deque_batch",
        package: "crossbeam-deque",
        buggy: "0.7.3",
        fix: Fix::In("0.7.4"),
        features: &[],
        others: &[],
        known_as: "RUSTSEC-2021-0093, a task is stolen twice",
        places: &[
            Place::new("src/lib.rs", "Stealer::steal", 685, 726),
            Place::new("src/lib.rs", "Stealer::steal_batch", 751, 912),
            Place::new("src/lib.rs", "Stealer::steal_batch_and_pop", 936, 1109),
        ],
        not_reached: None,
    },
    Bug {
        name: "crossbeam-deque-0.8",
        test: "crossbeam_deque_batch",
        package: "crossbeam-deque",
        buggy: "0.8.0",
        fix: Fix::In("0.8.1"),
        features: &[],
        others: &[],
        known_as: "RUSTSEC-2021-0093, a task is stolen twice",
        places: &[
            Place::new("src/deque.rs", "Stealer::steal", 610, 651),
            Place::new("src/deque.rs", "Stealer::steal_batch", 676, 837),
            Place::new("src/deque.rs", "Stealer::steal_batch_and_pop", 861, 1034),
        ],
        not_reached: None,
    },
    Bug {
        name: "spin-once",
        test: "spin_once",
        package: "spin",
        buggy: "0.9.7",
        fix: Fix::In("0.9.8"),
        features: &[],
        others: &[],
        known_as: "RUSTSEC-2023-0031, initialisation that fails",
        places: &[Place::new("src/once.rs", "Once::try_call_once", 210, 316)],
        not_reached: None,
    },
    Bug {
        name: "thread-local-iter",
        test: "thread_local_iter",
        package: "thread_local",
        buggy: "1.1.3",
        fix: Fix::In("1.1.4"),
        features: &[],
        others: &[],
        known_as: "RUSTSEC-2022-0006, iteration beside insertion",
        places: &[Place::new("src/lib.rs", "RawIter::next", 378, 397)],
        not_reached: None,
    },
    Bug {
        name: "tokio-oneshot-close",
        test: "tokio_oneshot_close",
        package: "tokio",
        buggy: "1.13.0",
        fix: Fix::In("1.13.1"),
        features: &["sync"],
        others: &[],
        known_as: "RUSTSEC-2021-0124, close beside send",
        places: &[Place::new(
            "src/sync/oneshot.rs",
            "State::set_complete",
            1033,
            1039,
        )],
        not_reached: None,
    },
    Bug {
        name: "tokio-broadcast-clone",
        test: "tokio_broadcast_clone",
        package: "tokio",
        buggy: "1.44.1",
        fix: Fix::In("1.44.2"),
        features: &["sync"],
        others: &[],
        known_as: "RUSTSEC-2025-0023, clone without Sync",
        places: &[
            Place::new("src/sync/broadcast.rs", "Sender::send", 634, 670),
            Place::new("src/sync/broadcast.rs", "Receiver::recv_ref", 1226, 1334),
            Place::new(
                "src/sync/broadcast.rs",
                "RecvGuard::clone_value",
                1705,
                1710,
            ),
        ],
        not_reached: None,
    },
    Bug {
        name: "tokio-abort-local",
        test: "tokio_abort_local",
        package: "tokio",
        buggy: "1.8.0",
        fix: Fix::In("1.8.2"),
        features: &["rt"],
        others: &[],
        known_as: "RUSTSEC-2021-0072, a task is dropped on another thread",
        places: &[Place::new(
            "src/runtime/task/join.rs",
            "JoinHandle::abort",
            193,
            197,
        )],
        not_reached: None,
    },
    Bug {
        name: "tokio-abort-local-again",
        test: "tokio_abort_local",
        package: "tokio",
        buggy: "1.8.1",
        fix: Fix::In("1.8.2"),
        features: &["rt"],
        others: &[],
        known_as: "the case that 1.8.1 missed",
        places: &[Place::new(
            "src/runtime/task/harness.rs",
            "poll_future",
            416,
            462,
        )],
        not_reached: None,
    },
    Bug {
        name: "once-cell-wait",
        test: "once_cell_wait",
        package: "once_cell",
        buggy: "1.21.3",
        fix: Fix::In("1.21.4"),
        features: &["parking_lot"],
        others: &[],
        known_as: "wait returns before the value is there",
        places: &[Place::new("src/imp_pl.rs", "OnceCell::wait", 80, 92)],
        not_reached: None,
    },
    Bug {
        name: "oneshot-unpark",
        test: "oneshot_unpark",
        package: "oneshot",
        buggy: "0.1.3",
        fix: Fix::In("0.1.12"),
        features: &["std", "async"],
        others: &[],
        known_as: "the sender unparks through a freed channel",
        places: &[
            Place::new("src/lib.rs", "Sender::send", 214, 236),
            Place::new("src/lib.rs", "Sender::drop", 240, 256),
        ],
        not_reached: None,
    },
    Bug {
        name: "oneshot-poll-drop",
        test: "oneshot_poll_drop",
        package: "oneshot",
        buggy: "0.2.1",
        fix: Fix::None,
        features: &["std", "async"],
        others: &[],
        known_as: "poll, then drop, beside send: use after free",
        places: &[],
        not_reached: None,
    },
    Bug {
        name: "flume-async-lost",
        test: "flume_async_lost",
        package: "flume",
        buggy: "0.10.3",
        fix: Fix::In("0.10.14"),
        features: &[],
        others: &[("futures", "0.3")],
        known_as: "a message is lost when receivers are woken",
        places: &[Place::new("src/async.rs", "RecvFut::poll_inner", 323, 365)],
        not_reached: None,
    },
    Bug {
        name: "lock-api-mapped-guard",
        test: "lock_api_mapped_guard",
        package: "lock_api",
        buggy: "0.4.1",
        fix: Fix::Bound("0.4.2"),
        features: &[],
        others: &[],
        known_as: "RUSTSEC-2020-0070, mapped guards without bounds",
        places: &[],
        not_reached: None,
    },
    Bug {
        name: "atomic-option-send",
        test: "atomic_option_send",
        package: "atomic-option",
        buggy: "0.1.2",
        fix: Fix::None,
        features: &[],
        others: &[],
        known_as: "RUSTSEC-2020-0113, Sync without bounds",
        places: &[],
        not_reached: None,
    },
    Bug {
        name: "atom-send",
        test: "atom_send",
        package: "atom",
        buggy: "0.3.5",
        fix: Fix::Bound("0.3.6"),
        features: &[],
        others: &[],
        known_as: "RUSTSEC-2020-0044, Sync without bounds",
        places: &[],
        not_reached: None,
    },
    Bug {
        name: "futures-intrusive-guard",
        test: "futures_intrusive_guard",
        package: "futures-intrusive",
        buggy: "0.3.1",
        fix: Fix::Bound("0.4.0"),
        features: &[],
        others: &[],
        known_as: "a guard is Sync without bounds",
        places: &[],
        not_reached: None,
    },
    Bug {
        name: "internment-drop",
        test: "internment_drop",
        package: "internment",
        buggy: "0.3.13",
        fix: Fix::In("0.4.0"),
        features: &[],
        others: &[],
        known_as: "RUSTSEC-2020-0017, drop of ArcIntern beside new",
        places: &[Place::new("src/lib.rs", "ArcIntern::drop", 430, 470)],
        not_reached: None,
    },
    Bug {
        name: "try-mutex-send",
        test: "try_mutex_send",
        package: "try-mutex",
        buggy: "0.2.0",
        fix: Fix::Bound("0.3.0"),
        features: &[],
        others: &[],
        known_as: "Sync without bounds",
        places: &[],
        not_reached: None,
    },
    Bug {
        name: "late-static-sync",
        test: "late_static_sync",
        package: "late-static",
        buggy: "0.3.0",
        fix: Fix::Bound("0.4.0"),
        features: &[],
        others: &[],
        known_as: "Sync without bounds",
        places: &[],
        not_reached: None,
    },
    Bug {
        name: "conqueue-send",
        test: "conqueue_send",
        package: "conqueue",
        buggy: "0.3.0",
        fix: Fix::Bound("0.4.0"),
        features: &[],
        others: &[],
        known_as: "Send without bounds",
        places: &[],
        not_reached: None,
    },
    Bug {
        name: "tokio-0.2-broadcast",
        test: "tokio_02_broadcast",
        package: "tokio",
        buggy: "0.2.10",
        fix: Fix::In("0.2.11"),
        features: &["sync"],
        others: &[],
        known_as: "a notification is lost",
        places: &[
            Place::new("src/sync/broadcast.rs", "Sender::send2", 563, 608),
            Place::new("src/sync/broadcast.rs", "Slot::rx_unlock", 955, 970),
        ],
        not_reached: None,
    },
    Bug {
        name: "thingbuf-senders",
        test: "thingbuf_senders",
        package: "thingbuf",
        buggy: "0.1.5",
        fix: Fix::In("0.1.6"),
        features: &[],
        others: &[],
        known_as: "senders hang when the buffer is full",
        places: &[
            Place::new("src/lib.rs", "Core::push_ref", 193, 315),
            Place::new("src/lib.rs", "Core::pop_ref", 318, 422),
        ],
        not_reached: None,
    },
    Bug {
        name: "parking-lot-upgrade",
        test: "parking_lot_upgrade",
        package: "parking_lot",
        buggy: "0.7.0",
        fix: Fix::In("0.7.1"),
        features: &[],
        others: &[],
        known_as: "an upgrade deadlocks",
        places: &[Place::new(
            "src/raw_rwlock.rs",
            "RawRwLock::unlock_shared_slow",
            915,
            1017,
        )],
        not_reached: None,
    },
    Bug {
        name: "event-listener-insert",
        test: "event_listener_insert",
        package: "event-listener",
        buggy: "2.3.2",
        fix: Fix::In("2.3.3"),
        features: &[],
        others: &[("futures", "0.3")],
        known_as: "an entry is used while it is inserted",
        places: &[
            Place::new("src/lib.rs", "List::insert", 786, 817),
            Place::new("src/lib.rs", "List::remove", 820, 868),
        ],
        not_reached: None,
    },
    Bug {
        name: "event-listener-notify",
        test: "event_listener_permits",
        package: "event-listener",
        buggy: "5.3.0",
        fix: Fix::In("5.3.1"),
        features: &[],
        others: &[("futures", "0.3")],
        known_as: "a notification is dropped",
        places: &[
            Place::new("src/lib.rs", "Event::notify", 433, 454),
            Place::new("src/std.rs", "Inner::needs_notification", 68, 70),
        ],
        not_reached: Some("the test does not reach it"),
    },
    Bug {
        name: "parking-lot-reentrant",
        test: "parking_lot_reentrant",
        package: "parking_lot",
        buggy: "0.8.0",
        fix: Fix::In("0.12.3"),
        features: &[],
        others: &[],
        known_as: "the owner is read with too weak an ordering",
        places: &[],
        not_reached: Some("needs a memory model weaker than TSO"),
    },
    Bug {
        name: "crossbeam-epoch-defer",
        test: "crossbeam_epoch_defer",
        package: "crossbeam-epoch",
        buggy: "0.8.0",
        fix: Fix::In("0.8.1"),
        features: &[],
        others: &[],
        known_as: "use after free of a local",
        places: &[],
        not_reached: Some("the test does not reach it"),
    },
    Bug {
        name: "async-lock-starvation",
        test: "async_lock_starvation",
        package: "async-lock",
        buggy: "1.1.1",
        fix: Fix::In("1.1.5"),
        features: &[],
        others: &[("futures", "0.3")],
        known_as: "deadlock after 500 us of starvation",
        places: &[Place::new("src/lib.rs", "Lock::lock_slow", 120, 197)],
        not_reached: None,
    },
    Bug {
        name: "async-task-schedule",
        test: "async_task_schedule",
        package: "async-task",
        buggy: "1.1.0",
        fix: Fix::In("1.1.1"),
        features: &[],
        others: &[],
        known_as: "the schedule function is dropped while it runs",
        places: &[
            Place::new("src/raw.rs", "RawTask::wake", 200, 259),
            Place::new("src/raw.rs", "RawTask::wake_by_ref", 262, 323),
            Place::new("src/raw.rs", "RawTask::schedule", 393, 400),
        ],
        not_reached: None,
    },
    Bug {
        name: "async-executor-drop",
        test: "async_executor_drop",
        package: "async-executor",
        buggy: "1.14.0",
        fix: Fix::In("1.14.1"),
        features: &[],
        others: &[],
        known_as: "use after free when a waker fires during drop",
        places: &[
            Place::new("src/lib.rs", "Executor::spawn_inner", 248, 291),
            Place::new("src/lib.rs", "Executor::schedule", 357, 364),
            Place::new("src/lib.rs", "Executor::state", 368, 395),
            Place::new("src/lib.rs", "Executor::drop", 399, 416),
        ],
        not_reached: None,
    },
    Bug {
        name: "tokio-notify-drop",
        test: "tokio_notify_drop",
        package: "tokio",
        buggy: "1.4.0",
        fix: Fix::In("1.5.0"),
        features: &["sync"],
        others: &[],
        known_as: "a notification is lost when a waiter is dropped",
        places: &[Place::new("src/sync/notify.rs", "Notified::drop", 671, 728)],
        not_reached: None,
    },
    Bug {
        name: "rust-i18n-locale",
        test: "rust_i18n_locale",
        package: "rust-i18n-support",
        buggy: "3.0.0",
        fix: Fix::In("3.0.1"),
        features: &[],
        others: &[],
        known_as: "RUSTSEC-2024-0007, use after free when the locale is set",
        places: &[
            Place::new("src/atomic_str.rs", "AtomicStr::as_str", 16, 22),
            Place::new("src/atomic_str.rs", "AtomicStr::replace", 35, 42),
        ],
        not_reached: None,
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn every_bug_has_a_name_of_its_own_and_a_test() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/historic");
        for (number, bug) in BUGS.iter().enumerate() {
            let file = folder.join(format!("{}.rs", bug.test));
            assert!(file.is_file(), "{}", file.display());
            let is_other = |other: &Bug| other.name != bug.name;
            assert!(BUGS[..number].iter().all(is_other), "{}", bug.name);
        }
        assert!(BUGS.len() >= 25);
    }

    #[test]
    fn a_place_is_named_by_a_line_of_its_function() {
        const PLACES: &[Place] = &[Place::new("src/once.rs", "call", 20, 30)];
        let bug = Bug {
            name: "a",
            test: "a",
            package: "spin",
            buggy: "0.9.7",
            fix: Fix::None,
            features: &[],
            others: &[],
            known_as: "",
            places: PLACES,
            not_reached: None,
        };
        let named = |text: &str| bug.place_named_in(text).map(|place| place.function);
        assert_eq!(
            named("load (a.rs:4, in spin-0.9.7/src/once.rs:20)"),
            Some("call")
        );
        assert_eq!(
            named("at spin-0.9.7/src/once.rs:9 and spin-0.9.7/src/once.rs:30"),
            Some("call")
        );
        assert_eq!(
            named("spin-0.9.7/src/once.rs:31, spin-0.9.7/src/once.rs:200"),
            None
        );
        let by_helper = "in spin-0.9.7/src/once.rs:25 > :90 > lock_api-0.4.1/src/mutex.rs:7";
        assert_eq!(named(by_helper), Some("call"));
        assert_eq!(named("spin-0.9.7/src/once.rs:19 > :31 > :40"), None);
        assert_eq!(named("src/once.rs:25, spin-0.9.6/src/once.rs:25"), None);
    }

    #[test]
    fn exact_versions_are_pinned() {
        let bug = Bug {
            name: "a",
            test: "a",
            package: "lock_api",
            buggy: "0.4.1",
            fix: Fix::None,
            features: &["x", "y"],
            others: &[("parking_lot", "=0.11.0"), ("futures", "0.3")],
            known_as: "",
            places: &[],
            not_reached: None,
        };
        assert_eq!(
            bug.pinned("0.4.1"),
            [("lock_api", "0.4.1"), ("parking_lot", "0.11.0")]
        );
        let manifest = bug.manifest("0.4.1");
        let own = "lock_api = { version = \"=0.4.1\", features = [\"x\", \"y\"] }\n";
        assert!(manifest.contains(own), "{manifest}");
        assert!(manifest.contains("parking_lot = \"=0.11.0\"\nfutures = \"0.3\"\n"));
    }
}
