//! Values of all threads are gone through while threads add theirs.

use std::sync::Arc;
use std::thread;
use thread_local::ThreadLocal;

#[test]
fn only_whole_values_are_seen() {
    let values: Arc<ThreadLocal<Box<u32>>> = Arc::new(ThreadLocal::new());
    values.get_or(|| Box::new(1));
    let threads = [(); 2].map(|()| {
        let values = Arc::clone(&values);
        thread::spawn(move || **values.get_or(|| Box::new(2)))
    });
    let sum: u32 = values.iter().map(|value| **value).sum();
    assert!([1, 3, 5].contains(&sum), "{sum}");
    for thread in threads {
        assert_eq!(thread.join().unwrap(), 2);
    }
}
