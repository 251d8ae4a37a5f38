//! Two tasks defer functions to a collector and flush.

use crossbeam_epoch::Collector;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

#[test]
fn every_deferred_function_is_called_once() {
    let count = Arc::new(AtomicUsize::new(0));
    let collector = Collector::new();
    let threads = [(); 2].map(|()| {
        let (collector, count) = (collector.clone(), Arc::clone(&count));
        thread::spawn(move || {
            let handle = collector.register();
            for _ in 0..3 {
                let guard = handle.pin();
                let count = Arc::clone(&count);
                guard.defer(move || count.fetch_add(1, Ordering::SeqCst));
                guard.flush();
            }
        })
    });
    for thread in threads {
        thread.join().unwrap();
    }
    drop(collector);
    assert_eq!(count.load(Ordering::SeqCst), 6);
}
