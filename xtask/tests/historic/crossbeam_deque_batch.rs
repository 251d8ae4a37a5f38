//! A thief steals a batch while the owner takes from the same end and lets the buffer shrink and grow.

use crossbeam_deque::{Steal, Worker};
use std::thread;

#[test]
fn every_task_is_taken_exactly_once() {
    const FIRST: usize = 64;
    let owner = Worker::new_lifo();
    for task in 0..FIRST {
        owner.push(task);
    }
    let stealer = owner.stealer();
    let thief = thread::spawn(move || {
        let (own, mut taken) = (Worker::new_lifo(), Vec::new());
        for _ in 0..2 {
            if let Steal::Success(task) = stealer.steal_batch_and_pop(&own) {
                taken.push(task);
            }
            while let Some(task) = own.pop() {
                taken.push(task);
            }
        }
        taken
    });
    owner.push(FIRST);
    owner.push(FIRST + 1);
    let mut taken: Vec<usize> = (0..60).filter_map(|_| owner.pop()).collect();
    for task in FIRST + 2..FIRST + 62 {
        owner.push(task);
    }
    taken.extend(thief.join().unwrap());
    while let Some(task) = owner.pop() {
        taken.push(task);
    }
    taken.sort_unstable();
    assert_eq!(taken, (0..FIRST + 62).collect::<Vec<_>>());
}
