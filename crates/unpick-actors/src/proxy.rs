//! What the attribute `actor` implements: messages, proxies, and how an actor serves them.

use crate::origin::Origin;
use crate::runtime::Runtime;
use crate::{Address, Context, Handle, Options, controlled};
use std::fmt::Debug;
use std::future::Future;
use std::panic::Location;
use std::time::Duration;

/// The messages of an actor.
pub trait Message: Send + 'static {
    /// What the message is called, for reports.
    fn name(&self) -> &'static str;

    /// Whether there can be two of a message.
    const CAN_BE_COPIED: bool = false;

    /// The same message again. A copy of a request answers nobody.
    fn copy(&self) -> Option<Self>
    where
        Self: Sized,
    {
        None
    }
}

/// A reference to an actor, with a method for each of its messages. Copies refer to the same actor.
pub trait Proxy: Clone + Debug + Send + Sync + Sized + 'static {
    /// The messages it can send.
    type Message: Message;

    /// A proxy that sends to an address.
    fn from_address(address: Address<Self::Message>) -> Self;

    /// Where it sends to.
    fn address(&self) -> &Address<Self::Message>;

    /// Creates an actor. Its options are its name, or [`Options`].
    #[track_caller]
    fn create<A>(system: &Handle, options: impl Into<Options>, actor: A) -> Self
    where
        Self: Serve<A>,
        A: Send + 'static,
    {
        create(system, options.into(), Origin::Given(Some(actor)))
    }

    /// Creates an actor that can begin anew after a crash, by making it again.
    #[track_caller]
    fn create_from<A>(
        system: &Handle,
        options: impl Into<Options>,
        make: impl FnMut() -> A + Send + 'static,
    ) -> Self
    where
        Self: Serve<A>,
        A: Send + 'static,
    {
        create(system, options.into(), Origin::Made(Box::new(make)))
    }

    /// The same proxy, but what it sends takes its time. In production the message arrives after `delay`;
    /// in an exploration it arrives at any time, or rather at each.
    fn after(&self, delay: Duration) -> Self {
        Self::from_address(self.address().after(delay))
    }

    /// Asks the actor to end after the messages that are in its mailbox.
    #[track_caller]
    fn halt(&self) {
        self.address().halt(Location::caller());
    }

    /// Waits until the actor has ended.
    fn join(&self) -> impl Future<Output = ()> + Send {
        self.address().join()
    }
}

#[track_caller]
fn create<P: Serve<A>, A: Send + 'static>(
    system: &Handle,
    options: Options,
    origin: Origin<A>,
) -> P {
    match system.runtime() {
        Runtime::Controlled(injector) => {
            controlled::create(injector, system, options, origin, Location::caller())
        }
        #[cfg(feature = "tokio")]
        Runtime::Production(tokio) => crate::production::create(tokio, system, options, origin),
    }
}

/// A proxy whose messages an actor of type `A` understands.
pub trait Serve<A>: Proxy {
    /// Lets the actor do what it does before its first message: nothing, if it is a typed one.
    fn begin(actor: &mut A, context: &Context<Self>) -> impl Future<Output = ()> + Send {
        let _ = (actor, context);
        std::future::ready(())
    }

    /// Lets the actor handle a message.
    fn serve(
        actor: &mut A,
        message: Self::Message,
        context: &Context<Self>,
    ) -> impl Future<Output = ()> + Send;
}
