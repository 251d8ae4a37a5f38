//! Actors with statically typed references.
//!
//! An actor is a task with a state of its own and a mailbox. What it understands is a trait: each method is
//! a message. [`actor`] makes of the trait a proxy with the same methods, and to call one of these is to
//! send. A message that the actor does not understand does not compile.
//!
//! ```
//! use unpick_actors::{Proxy, System, Wait, actor};
//!
//! #[actor]
//! trait Account {
//!     fn deposit(&mut self, amount: u64);
//!     fn balance(&mut self) -> u64;
//! }
//!
//! struct Vault(u64);
//!
//! impl Account for Vault {
//!     fn deposit(&mut self, amount: u64) {
//!         self.0 += amount;
//!     }
//!
//!     fn balance(&mut self) -> u64 {
//!         self.0
//!     }
//! }
//!
//! unpick::check(|| {
//!     let system = System::new();
//!     let account = AccountProxy::create(&system, "account", Vault(0));
//!     account.deposit(5);
//!     assert_eq!(account.balance().wait(), Ok(5));
//! });
//! ```
//!
//! ```compile_fail,E0599
//! # use unpick_actors::{Proxy, System, actor};
//! # #[actor]
//! # trait Account { fn deposit(&mut self, amount: u64); }
//! # fn wrong(account: AccountProxy) {
//! account.withdraw(5); // not a message of this actor
//! # }
//! ```
//!
//! Inside an exploration every creation, send and receive is a visible operation, and all strategies of
//! unpick apply. `docs/actors.md` is the guide.

// The attribute names this crate, and is used in here, too.
extern crate self as unpick_actors;

mod address;
mod context;
mod controlled;
mod faults;
mod machine;
mod monitor;
mod options;
mod origin;
#[cfg(feature = "tokio")]
mod production;
mod proxy;
mod response;
mod runtime;
#[cfg(feature = "tokio")]
mod supervision;
mod system;
mod wait;

pub use address::Address;
pub use context::Context;
pub use faults::Faults;
pub use machine::{At, Event, Machine, MachineProxy, Next, Running, States};
pub use monitor::{Monitor, Mood, Watched};
pub use options::Options;
pub use proxy::{Message, Proxy, Serve};
pub use response::{NoAnswer, Reply, Response};
#[cfg(feature = "tokio")]
pub use supervision::{Crash, Verdict};
pub use system::{Handle, System};
pub use unpick_macros::actor;
pub use wait::Wait;
