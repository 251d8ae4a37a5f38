//! Drop-in for `std::time`: `Instant` on virtual time.
//!
//! Inside an exploration time passes only when a task sleeps or a wait times out, and a little at
//! every look at the clock, so that executions are repeatable and loops that wait for a moment end.

use crate::rt;
use std::ops::{Add, AddAssign, Sub, SubAssign};
pub use std::time::{Duration, SystemTime, SystemTimeError, TryFromFloatSecsError, UNIX_EPOCH};

/// A moment, as [`std::time::Instant`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(Moment);

/// Moments of different clocks do not meet: a program sees one clock or the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Moment {
    Real(std::time::Instant),
    Virtual(Duration),
}

impl Instant {
    /// The moment of the call.
    pub fn now() -> Instant {
        Instant(match rt::clock_look() {
            Some(nanoseconds) => Moment::Virtual(Duration::from_nanos(nanoseconds)),
            None => Moment::Real(std::time::Instant::now()),
        })
    }

    /// The time between an earlier moment and this one; zero if it is not earlier.
    pub fn duration_since(&self, earlier: Instant) -> Duration {
        self.checked_duration_since(earlier).unwrap_or_default()
    }

    /// The time between an earlier moment and this one, if it is earlier.
    pub fn checked_duration_since(&self, earlier: Instant) -> Option<Duration> {
        match (self.0, earlier.0) {
            (Moment::Real(this), Moment::Real(earlier)) => this.checked_duration_since(earlier),
            (Moment::Virtual(this), Moment::Virtual(earlier)) => this.checked_sub(earlier),
            _ => None,
        }
    }

    /// As [`Instant::duration_since`].
    pub fn saturating_duration_since(&self, earlier: Instant) -> Duration {
        self.duration_since(earlier)
    }

    /// The time that has passed since this moment.
    pub fn elapsed(&self) -> Duration {
        Instant::now().duration_since(*self)
    }

    /// This moment plus a time, if it can be expressed.
    pub fn checked_add(&self, duration: Duration) -> Option<Instant> {
        Some(Instant(match self.0 {
            Moment::Real(this) => Moment::Real(this.checked_add(duration)?),
            Moment::Virtual(this) => Moment::Virtual(this.checked_add(duration)?),
        }))
    }

    /// This moment less a time, if it can be expressed.
    pub fn checked_sub(&self, duration: Duration) -> Option<Instant> {
        Some(Instant(match self.0 {
            Moment::Real(this) => Moment::Real(this.checked_sub(duration)?),
            Moment::Virtual(this) => Moment::Virtual(this.checked_sub(duration)?),
        }))
    }
}

impl Add<Duration> for Instant {
    type Output = Instant;

    fn add(self, duration: Duration) -> Instant {
        self.checked_add(duration)
            .expect("overflow when adding duration to instant")
    }
}

impl AddAssign<Duration> for Instant {
    fn add_assign(&mut self, duration: Duration) {
        *self = *self + duration;
    }
}

impl Sub<Duration> for Instant {
    type Output = Instant;

    fn sub(self, duration: Duration) -> Instant {
        self.checked_sub(duration)
            .expect("overflow when subtracting duration from instant")
    }
}

impl SubAssign<Duration> for Instant {
    fn sub_assign(&mut self, duration: Duration) {
        *self = *self - duration;
    }
}

impl Sub<Instant> for Instant {
    type Output = Duration;

    fn sub(self, earlier: Instant) -> Duration {
        self.duration_since(earlier)
    }
}
