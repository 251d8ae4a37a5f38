//! A critical section that guards variables beside the lock, not inside it.

use unpick::sync::Mutex;

/// Does `inside` while it holds the mutex: one visible operation before and one after.
pub(crate) fn section<R>(mutex: &Mutex<()>, inside: impl FnOnce() -> R) -> R {
    let guard = mutex.lock().unwrap();
    let result = inside();
    drop(guard);
    result
}
