//! Where messages go.

use crate::faults::Fate;
use crate::system::About;
use crate::{Message, Reply, Response};
use std::fmt;
use std::iter;
use std::panic::Location;
use std::sync::Arc;
use std::time::Duration;

/// What is in a mailbox.
pub(crate) enum Envelope<M> {
    Message(M),
    /// The actor is to end.
    Halt,
}

/// Takes messages for an actor.
pub(crate) trait Destination<M>: Send + Sync {
    /// Puts something into the mailbox; waits for room if that is bounded. What comes too late is dropped.
    fn post(&self, envelope: Envelope<M>, location: &'static Location<'static>);

    /// The actor.
    fn about(&self) -> &Arc<About>;
}

/// The address of an actor that understands messages `M`.
pub struct Address<M> {
    destination: Arc<dyn Destination<M>>,
    delay: Option<Duration>,
}

impl<M: Message> Address<M> {
    pub(crate) fn new(destination: Arc<dyn Destination<M>>) -> Address<M> {
        Address {
            destination,
            delay: None,
        }
    }

    /// The name of the actor.
    pub fn name(&self) -> &str {
        &self.destination.about().name
    }

    /// Sends a message.
    #[track_caller]
    pub fn send(&self, message: M) {
        self.send_at(message, Location::caller());
    }

    #[track_caller]
    fn send_at(&self, message: M, location: &'static Location<'static>) {
        let about = self.destination.about();
        if let Some(delay) = self.delay {
            return about
                .runtime
                .later(&about.name, delay, self.parcel(message, location));
        }
        let Some(injector) = about.runtime.injector() else {
            return self.destination.post(Envelope::Message(message), location);
        };
        let fate = injector.fate(&about.name, M::CAN_BE_COPIED);
        match fate {
            Fate::IsLost => injector.lose(message),
            Fate::ArrivesLater => {
                let parcel = self.parcel(message, location);
                about.runtime.later(&about.name, Duration::ZERO, parcel);
            }
            _ => {
                let copy = message.copy().filter(|_| fate == Fate::ArrivesTwice);
                for message in iter::once(message).chain(copy) {
                    match injector.courier(&about.name, fate) {
                        Some(courier) => courier.carry(Box::new(self.parcel(message, location))),
                        None => self.destination.post(Envelope::Message(message), location),
                    }
                }
            }
        }
    }

    /// What delivers a message when it is called.
    fn parcel(
        &self,
        message: M,
        location: &'static Location<'static>,
    ) -> impl FnOnce() + Send + use<M> {
        let destination = Arc::clone(&self.destination);
        move || destination.post(Envelope::Message(message), location)
    }

    /// Sends a message that will be answered.
    #[track_caller]
    pub fn request<T: Send + 'static>(&self, message: impl FnOnce(Reply<T>) -> M) -> Response<T> {
        let location = Location::caller();
        let (reply, response) = Response::pair(&self.destination.about().runtime, location);
        self.send_at(message(reply), location);
        response
    }

    /// The same address for those who know fewer messages.
    pub fn narrow<N>(&self) -> Address<N>
    where
        N: Message,
        M: From<N>,
    {
        Address {
            destination: Arc::new(Narrowed(Arc::clone(&self.destination))),
            delay: self.delay,
        }
    }

    pub(crate) fn after(&self, delay: Duration) -> Address<M> {
        Address {
            destination: Arc::clone(&self.destination),
            delay: Some(delay),
        }
    }

    pub(crate) fn halt(&self, location: &'static Location<'static>) {
        self.destination.post(Envelope::Halt, location);
    }

    pub(crate) fn join(&self) -> impl Future<Output = ()> + Send + use<M> {
        let about = Arc::clone(self.destination.about());
        async move { about.end.wait().await }
    }
}

/// A destination whose messages are some of those of another one.
struct Narrowed<M>(Arc<dyn Destination<M>>);

impl<M: Message + From<N>, N> Destination<N> for Narrowed<M> {
    fn post(&self, envelope: Envelope<N>, location: &'static Location<'static>) {
        let envelope = match envelope {
            Envelope::Message(message) => Envelope::Message(M::from(message)),
            Envelope::Halt => Envelope::Halt,
        };
        self.0.post(envelope, location);
    }

    fn about(&self) -> &Arc<About> {
        self.0.about()
    }
}

impl<M> Clone for Address<M> {
    fn clone(&self) -> Address<M> {
        Address {
            destination: Arc::clone(&self.destination),
            delay: self.delay,
        }
    }
}

impl<M> fmt::Debug for Address<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Address")
            .field(&self.destination.about().name)
            .finish()
    }
}
