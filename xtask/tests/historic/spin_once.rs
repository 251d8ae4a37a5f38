//! One task's initialisation fails while another one initialises.

use spin::Once;
use std::sync::Arc;
use std::thread;

#[test]
fn the_value_is_there_after_a_success() {
    let once: Arc<Once<Box<u32>>> = Arc::new(Once::new());
    let other = Arc::clone(&once);
    let failing = thread::spawn(move || {
        let _ = other.try_call_once(|| Err::<Box<u32>, ()>(()));
    });
    let value = once.try_call_once(|| Ok::<_, ()>(Box::new(42))).unwrap();
    assert_eq!(**value, 42);
    failing.join().unwrap();
    assert_eq!(once.get().map(|value| **value), Some(42));
}
