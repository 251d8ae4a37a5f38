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
    /// The end of the path of the source that the fix changed, if an explanation can name it: a bound on a type is no
    /// step of an execution.
    pub place: Option<&'static str>,
    /// Why the test does not show the bug, if it does not.
    pub not_reached: Option<&'static str>,
}

impl Bug {
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
        place: Some("flavors/list.rs"),
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
        place: Some("flavors/list.rs"),
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
        place: None,
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
        place: None,
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
        place: Some("once.rs"),
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
        place: None,
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
        place: Some("sync/oneshot.rs"),
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
        place: None,
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
        place: None,
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
        place: None,
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
        place: None,
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
        place: Some("src/lib.rs"),
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
        place: None,
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
        place: None,
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
        place: None,
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
        place: None,
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
        place: None,
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
        place: None,
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
        place: None,
        not_reached: Some("not found; the test may not reach it"),
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
        place: None,
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
        place: None,
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
        place: None,
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
        place: None,
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
        place: None,
        not_reached: Some("not found; the test may not reach it"),
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
        place: None,
        not_reached: Some("the test does not reach it"),
    },
    Bug {
        name: "event-listener-insert",
        test: "event_listener_permits",
        package: "event-listener",
        buggy: "2.3.2",
        fix: Fix::In("2.3.3"),
        features: &[],
        others: &[("futures", "0.3")],
        known_as: "an entry is used while it is inserted",
        place: None,
        not_reached: Some("the test does not reach it"),
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
        place: None,
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
        place: None,
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
        place: None,
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
        place: None,
        not_reached: Some("the test does not reach it"),
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
            place: None,
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
