//! The queue with a lost wake-up: a job can come between the look and the wait.

use std::collections::VecDeque;

use parking_lot::{Condvar, Mutex};

use crate::Job;

/// Jobs in the order they came.
#[derive(Default)]
pub struct Queue {
    jobs: Mutex<VecDeque<Job>>,
    added: Condvar,
}

impl Queue {
    /// Puts a job at the end.
    pub fn push(&self, job: Job) {
        self.jobs.lock().push_back(job);
        self.added.notify_one();
    }

    /// Takes the first job, and waits for one if there is none.
    pub fn pop(&self) -> Job {
        loop {
            if let Some(job) = self.try_pop() {
                return job;
            }
            // A job that is pushed here is not seen, and its notification wakes nobody.
            let mut jobs = self.jobs.lock();
            self.added.wait(&mut jobs);
        }
    }

    /// Takes the first job, if there is one.
    pub fn try_pop(&self) -> Option<Job> {
        self.jobs.lock().pop_front()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::thread;

    use crossbeam::channel;

    use super::{Job, Queue};

    #[test]
    fn the_printer_gets_the_job() {
        let queue = Arc::new(Queue::default());
        let (printed, results) = channel::bounded(1);
        let printer = {
            let queue = Arc::clone(&queue);
            thread::spawn(move || printed.send(queue.pop().pages).unwrap())
        };
        queue.push(Job { pages: 3 });
        assert_eq!(results.recv(), Ok(3));
        printer.join().unwrap();
    }

    #[test]
    fn jobs_come_out_in_order() {
        let queue = Queue::default();
        queue.push(Job { pages: 1 });
        queue.push(Job { pages: 2 });
        assert_eq!((queue.pop().pages, queue.pop().pages), (1, 2));
        assert_eq!(queue.try_pop(), None);
    }
}
