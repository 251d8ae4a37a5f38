//! An upgrade beside a reader that leaves and a writer that waits.

use parking_lot::{RwLock, RwLockUpgradableReadGuard};
use std::sync::Arc;
use std::thread;

#[test]
fn an_upgrade_ends() {
    let lock = Arc::new(RwLock::new(0_u32));
    let reader = lock.read();
    let (first, second) = (Arc::clone(&lock), Arc::clone(&lock));
    let upgrading = thread::spawn(move || {
        let mut guard = RwLockUpgradableReadGuard::upgrade(first.upgradable_read());
        *guard += 1;
    });
    let writing = thread::spawn(move || *second.write() += 1);
    drop(reader);
    upgrading.join().unwrap();
    writing.join().unwrap();
    assert_eq!(*lock.read(), 2);
}
