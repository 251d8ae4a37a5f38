//! A task waits for a value while an initialisation fails and another one succeeds.

use once_cell::sync::OnceCell;
use std::sync::Arc;
use std::thread;

#[test]
fn waiting_ends_with_the_value() {
    let cell: Arc<OnceCell<Box<u32>>> = Arc::new(OnceCell::new());
    let other = Arc::clone(&cell);
    let setting = thread::spawn(move || {
        let _ = other.get_or_try_init(|| Err::<Box<u32>, ()>(()));
        other.set(Box::new(3)).unwrap();
    });
    assert_eq!(**cell.wait(), 3);
    setting.join().unwrap();
}
