//! Contexts: a stack each, and where execution stands on it.
//!
//! A switch goes straight from one context to another. The thread itself has one too, whose stack is
//! the thread's: the host's. On x86-64 the switch is our own, because the one that a coroutine
//! library offers leads back to the host, which would have to switch a second time: twice the jumps
//! that no processor can predict. Elsewhere coroutines stand in for it, with the host as a relay.

#[cfg(all(unix, target_arch = "x86_64", not(unpick_relay)))]
#[path = "context/x86_64.rs"]
mod direct;
#[cfg(all(unix, target_arch = "x86_64", not(unpick_relay)))]
pub(super) use direct::{Context, restart, switch};

#[cfg(not(all(unix, target_arch = "x86_64", not(unpick_relay))))]
mod relay;
#[cfg(not(all(unix, target_arch = "x86_64", not(unpick_relay))))]
pub(super) use relay::{Context, restart, switch};
