//! Joining several tasks in the order of their creation: one visible operation for each.

use unpick::thread::JoinHandle;

/// Joins every task in order and returns what they returned.
pub(crate) fn join_all<T>(handles: Vec<JoinHandle<T>>) -> Vec<T> {
    handles
        .into_iter()
        .map(|handle| handle.join().unwrap())
        .collect()
}
