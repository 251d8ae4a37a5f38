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
//! | [`Replica`](protocol::Replica) | the service's own code: here a shopping list |
//! | [`Adder`](protocol::Adder) | one addition to the list, from its replication to its answer |
//! | [`Client`](protocol::Client) | adds three items, whatever becomes of the primary |
//!
//! [`run`] is the test of the thesis: three replicas, somebody who kills the primary, a client, and a check of all
//! replicas when everything is quiet. Each of the [`Bug`]s of the thesis that are modelled is behind a switch of its
//! own. `docs/fabric.md` tells more.

mod bugs;
mod client;
mod cluster;
mod harness;
pub mod protocol;
mod replica;
mod service;
mod stream;

pub use bugs::{Bug, Bugs};
pub use harness::run;
