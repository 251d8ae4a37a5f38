//! The limiter with a lost update: the count is loaded and stored in two steps.

use std::sync::atomic::{AtomicU32, Ordering};

/// Lets so many requests through and no more.
pub struct Limiter {
    used: AtomicU32,
    limit: u32,
}

impl Limiter {
    /// A limiter that lets `limit` requests through.
    pub fn new(limit: u32) -> Limiter {
        Limiter {
            used: AtomicU32::new(0),
            limit,
        }
    }

    /// Whether one more request may pass.
    pub fn allow(&self) -> bool {
        let used = self.used.load(Ordering::SeqCst);
        if used >= self.limit {
            return false;
        }
        // Another request may have loaded the same count.
        self.used.store(used + 1, Ordering::SeqCst);
        true
    }
}

#[cfg(test)]
mod tests {
    use rayon::ThreadPoolBuilder;

    use super::Limiter;

    #[test]
    fn one_of_two_requests_passes() {
        let pool = ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        let limiter = Limiter::new(1);
        let passed = pool.broadcast(|_| limiter.allow());
        assert_eq!(passed.into_iter().filter(|&one| one).count(), 1);
    }

    #[test]
    fn the_limit_holds_in_sequence() {
        let limiter = Limiter::new(2);
        let passed: Vec<_> = (0..3).map(|_| limiter.allow()).collect();
        assert_eq!(passed, [true, true, false]);
    }
}
