//! A static of a value that must not be shared.

use late_static::LateStatic;
use std::cell::Cell;
use std::thread;

static COUNT: LateStatic<Cell<u32>> = LateStatic::new();

#[test]
fn a_cell_is_shared() {
    // SAFETY: no other task runs yet, and nothing was assigned.
    unsafe { LateStatic::assign(&COUNT, Cell::new(0)) };
    let other = thread::spawn(|| COUNT.set(COUNT.get() + 1));
    COUNT.set(COUNT.get() + 1);
    other.join().unwrap();
    assert_eq!(COUNT.get(), 2);
}
