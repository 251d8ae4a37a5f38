//! What a replica stores, so that it finds it again when it is built anew.

use crate::protocol::Operation;
use std::sync::{Arc, PoisonError};
use unpick::sync::{Mutex, MutexGuard};

/// A disk with a log of operations. Copies are the same disk.
#[derive(Clone, Default)]
pub struct Disk(Arc<Mutex<Log>>);

#[derive(Default)]
struct Log {
    operations: Vec<Operation>,
    /// Who has opened it: whoever did so before cannot write any more.
    opened: u64,
}

impl Disk {
    /// Opens it. Whoever had it open before is shut out.
    pub fn open(&self) -> OpenDisk {
        let mut log = self.log();
        log.opened += 1;
        OpenDisk {
            disk: self.clone(),
            number: log.opened,
        }
    }

    /// Loses everything.
    pub fn wipe(&self) {
        self.log().operations.clear();
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A disk that somebody has opened.
pub struct OpenDisk {
    disk: Disk,
    number: u64,
}

impl OpenDisk {
    /// What is on it.
    pub fn operations(&self) -> Vec<Operation> {
        self.disk.log().operations.clone()
    }

    /// Adds an operation. Answers whether it is stored: not if somebody else has the disk now.
    pub fn append(&self, operation: &Operation) -> bool {
        self.write(|operations| operations.push(operation.clone()))
    }

    /// Begins anew.
    pub fn clear(&self) -> bool {
        self.write(Vec::clear)
    }

    fn write(&self, change: impl FnOnce(&mut Vec<Operation>)) -> bool {
        let mut log = self.disk.log();
        let is_own = log.opened == self.number;
        if is_own {
            change(&mut log.operations);
        }
        is_own
    }
}
