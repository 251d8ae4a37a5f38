//! A shop that sells tickets to tasks of a tokio runtime and over TCP: once it sells a ticket twice,
//! once it does not.

#![forbid(unsafe_code)]

pub mod buggy;
pub mod fixed;
mod server;

pub use server::{Shop, buy_remotely, serve};
