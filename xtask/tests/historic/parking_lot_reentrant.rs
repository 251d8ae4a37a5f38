//! A counter behind a lock that its owner may take twice.

use parking_lot::ReentrantMutex;
use std::cell::Cell;
use std::sync::Arc;
use std::thread;

#[test]
fn nothing_is_lost() {
    let count = Arc::new(ReentrantMutex::new(Cell::new(0_u32)));
    let threads = [(); 2].map(|()| {
        let count = Arc::clone(&count);
        thread::spawn(move || {
            let outer = count.lock();
            let before = outer.get();
            count.lock().set(before + 1);
        })
    });
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(count.lock().get(), 2);
}
