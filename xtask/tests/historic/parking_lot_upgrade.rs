//! A writer becomes a reader and leaves, while a reader becomes a writer and another writer waits.

use parking_lot::{RwLock, RwLockUpgradableReadGuard, RwLockWriteGuard};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

#[test]
fn an_upgrade_ends() {
    let lock = Arc::new(RwLock::new(0_u32));
    let [first, second] = [(); 2].map(|()| Arc::clone(&lock));
    let guard = lock.write();
    let upgrading = thread::spawn(move || {
        let mut guard = RwLockUpgradableReadGuard::upgrade(first.upgradable_read());
        *guard += 1;
    });
    let writing = thread::spawn(move || *second.write() += 1);
    // Both wait by then.
    thread::sleep(Duration::from_millis(100));
    drop(RwLockWriteGuard::downgrade(guard));
    upgrading.join().unwrap();
    writing.join().unwrap();
    assert_eq!(*lock.read(), 2);
}
