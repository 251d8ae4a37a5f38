//! A guard of a value that must not be shared is shared.

use futures_intrusive::sync::Mutex;
use std::cell::Cell;
use std::thread;

#[test]
fn a_guard_is_shared() {
    let mutex = Mutex::new(Cell::new(0_u32), false);
    let guard = mutex.try_lock().unwrap();
    thread::scope(|scope| {
        let shared = &guard;
        scope.spawn(move || shared.set(shared.get() + 1));
        guard.set(guard.get() + 1);
    });
    assert_eq!(guard.get(), 2);
}
