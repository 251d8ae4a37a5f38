//! Three tasks take one lock, and keep it for a while.

use async_lock::Lock;
use futures::executor::block_on;
use std::thread;
use std::time::Duration;

#[test]
fn every_task_gets_the_lock() {
    let lock = Lock::new(0_u32);
    let threads = [(); 3].map(|()| {
        let lock = lock.clone();
        thread::spawn(move || {
            let mut count = block_on(lock.lock());
            thread::sleep(Duration::from_millis(1));
            *count += 1;
        })
    });
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(*block_on(lock.lock()), 3);
}
