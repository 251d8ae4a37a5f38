//! A model of a platform for replicated services, on actors.
//!
//! P. Thomson, *Practical systematic concurrency testing for concurrent and distributed software*, PhD thesis,
//! Imperial College London, 2016, chapter 6: the second model of Azure Service Fabric. A service has one primary,
//! which serves clients, and secondaries, which keep copies of its state. The platform replicates what the primary
//! tells it, lets new secondaries catch up, and promotes one when the primary dies.
//!
//! | actor | what it is |
//! |---|---|
//! | [`Cluster`](protocol::Cluster) | gives out ids, knows where services are, kills primaries |
//! | [`Service`](protocol::Service) | the platform's side of one service: replicas, sequence numbers, quorum, copies |
//! | [`Host`](protocol::Host), [`Provider`](protocol::Provider) | the platform's way to a replica and to its state |
//! | [`Listener`](protocol::Listener) | where clients talk to a replica |
//! | [`Consumer`](protocol::Consumer), [`Completion`](protocol::Completion) | who reads a stream, and who waits until something is replicated |
//!
//! What a service implements is in [`api`]; the service here is a shopping list. [`run`] is the test of the thesis:
//! three replicas, somebody who kills the primary, a client, and a check of all replicas when everything is quiet.
//! [`Scenario`] has its variants. Each [`Bug`] of the thesis is behind a switch of its own. `docs/fabric.md` tells
//! more.

pub mod api;
mod buffer;
mod bugs;
mod client;
mod cluster;
mod disk;
mod election;
mod harness;
pub mod protocol;
mod service;
mod shopping;
mod wrapper;

pub use bugs::{Bug, Bugs};
pub use disk::{Disk, OpenDisk};
pub use election::{Election, News};
pub use harness::{Scenario, all_lists, run};

/// How operations get to secondaries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replication {
    /// As in the first model of the thesis: the service tells itself to send an operation to each secondary, so that
    /// a kill can fall in between, and secondaries get it without asking.
    First,
    /// As in the second: operations wait in a stream for each secondary until it asks.
    Second,
}
