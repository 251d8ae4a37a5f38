//! Two tasks wait for permits, and another one begins to listen and gives up, three times.

use event_listener::Event;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

fn take(permits: &AtomicUsize) -> bool {
    let less = |count: usize| count.checked_sub(1);
    permits.fetch_update(Ordering::SeqCst, Ordering::SeqCst, less).is_ok()
}

#[test]
fn every_waiter_gets_a_permit() {
    let permits = Arc::new(AtomicUsize::new(0));
    let event = Arc::new(Event::new());
    let waiters = [(); 2].map(|()| {
        let (permits, event) = (Arc::clone(&permits), Arc::clone(&event));
        thread::spawn(move || {
            while !take(&permits) {
                let listener = event.listen();
                if take(&permits) {
                    break;
                }
                listener.wait();
            }
        })
    });
    for _ in 0..3 {
        drop(event.listen());
    }
    for _ in 0..2 {
        permits.fetch_add(1, Ordering::SeqCst);
        event.notify_additional(1);
    }
    for waiter in waiters {
        waiter.join().unwrap();
    }
}
