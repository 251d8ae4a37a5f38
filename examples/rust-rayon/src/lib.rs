//! A rate limiter that is asked from a rayon pool: once with a lost update, once without.

#![forbid(unsafe_code)]

pub mod buggy;
pub mod fixed;
