//! Three tasks take one lock.

use async_lock::Lock;
use futures::executor::block_on;
use std::thread;

#[test]
fn every_task_gets_the_lock() {
    let lock = Lock::new(0_u32);
    let threads = [(); 3].map(|()| {
        let lock = lock.clone();
        thread::spawn(move || block_on(async { *lock.lock().await += 1 }))
    });
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(*block_on(lock.lock()), 3);
}
