//! A mutex of a value that must not leave its thread is shared.

use std::rc::Rc;
use std::thread;
use try_mutex::TryMutex;

#[test]
fn an_rc_is_cloned_elsewhere() {
    let here = Rc::new(0_u32);
    let mutex = TryMutex::new(Rc::clone(&here));
    thread::scope(|scope| {
        let mutex = &mutex;
        scope.spawn(move || drop(Rc::clone(&mutex.try_lock().unwrap())));
        drop(Rc::clone(&here));
    });
    assert_eq!(Rc::strong_count(&here), 2);
}
