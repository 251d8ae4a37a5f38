//! Actors in production: each is a task of tokio.

use crate::address::{Address, Destination, Envelope};
use crate::origin::Origin;
use crate::runtime::{End, Runtime};
use crate::supervision::{Crash, Verdict};
use crate::system::{About, Member};
use crate::{Context, Handle, Message, Options, Serve};
use std::any::Any;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::mpsc;
use tracing::Instrument;

/// Time between two looks at whether a system is quiet, once it was not at the first ones.
const PAUSE: Duration = Duration::from_millis(1);

/// Looks without a pause.
const LOOKS_AT_ONCE: u32 = 64;

/// How many messages were sent to an actor, and how many of them it is done with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Traffic {
    pub sent: u64,
    pub done: u64,
}

/// The sending end of a mailbox.
enum Sender<M> {
    Unbounded(mpsc::UnboundedSender<Envelope<M>>),
    Bounded(mpsc::Sender<Envelope<M>>),
}

/// The receiving end.
enum Receiver<M> {
    Unbounded(mpsc::UnboundedReceiver<Envelope<M>>),
    Bounded(mpsc::Receiver<Envelope<M>>),
}

impl<M> Receiver<M> {
    async fn receive(&mut self) -> Option<Envelope<M>> {
        match self {
            Receiver::Unbounded(receiver) => receiver.recv().await,
            Receiver::Bounded(receiver) => receiver.recv().await,
        }
    }
}

/// The mailbox of an actor.
struct Post<M> {
    about: Arc<About>,
    sender: Sender<M>,
    sent: AtomicU64,
    done: AtomicU64,
}

impl<M: Send> Destination<M> for Post<M> {
    fn post(&self, envelope: Envelope<M>, _: &'static Location<'static>) {
        // Before it is done: whoever counts sees it in time.
        self.sent.fetch_add(1, Ordering::AcqRel);
        let is_sent = match &self.sender {
            Sender::Unbounded(sender) => sender.send(envelope).is_ok(),
            Sender::Bounded(sender) => match sender.try_send(envelope) {
                Ok(()) => true,
                Err(mpsc::error::TrySendError::Closed(_)) => false,
                Err(mpsc::error::TrySendError::Full(envelope)) => {
                    tokio::task::block_in_place(|| sender.blocking_send(envelope)).is_ok()
                }
            },
        };
        if !is_sent {
            self.done.fetch_add(1, Ordering::AcqRel);
            tracing::debug!(actor = self.about.name, "a message came too late");
        }
    }

    fn about(&self) -> &Arc<About> {
        &self.about
    }
}

impl<M: Send> Member for Post<M> {
    fn about(&self) -> &Arc<About> {
        &self.about
    }

    fn end(&self) {
        self.sent.fetch_add(1, Ordering::AcqRel);
        let is_sent = match &self.sender {
            Sender::Unbounded(sender) => sender.send(Envelope::Halt).is_ok(),
            Sender::Bounded(sender) => sender.try_send(Envelope::Halt).is_ok(),
        };
        if !is_sent {
            self.done.fetch_add(1, Ordering::AcqRel);
        }
    }

    fn traffic(&self) -> Traffic {
        let done = self.done.load(Ordering::Acquire);
        Traffic {
            sent: self.sent.load(Ordering::Acquire),
            done,
        }
    }
}

/// Creates an actor.
pub(crate) fn create<P: Serve<A>, A: Send + 'static>(
    tokio: &tokio::runtime::Handle,
    system: &Handle,
    options: Options,
    mut origin: Origin<A>,
) -> P {
    let Options { name, bound, .. } = options;
    let span = tracing::info_span!("actor", name = name);
    let about = Arc::new(About {
        name,
        runtime: Runtime::Production(tokio.clone()),
        end: End::Production(tokio::sync::Semaphore::new(0)),
    });
    let (sender, receiver) = match bound {
        None => {
            let (sender, receiver) = mpsc::unbounded_channel();
            (Sender::Unbounded(sender), Receiver::Unbounded(receiver))
        }
        Some(bound) => {
            let (sender, receiver) = mpsc::channel(bound);
            (Sender::Bounded(sender), Receiver::Bounded(receiver))
        }
    };
    let post = Arc::new(Post {
        about,
        sender,
        // To begin counts as a message.
        sent: AtomicU64::new(1),
        done: AtomicU64::new(0),
    });
    let life = Life {
        number: system.add(post.clone()),
        system: system.clone(),
        post: post.clone(),
    };
    let proxy = P::from_address(Address::new(post));
    let context = Context::new(proxy.clone(), system.clone());
    let task = async move {
        let mut receiver = receiver;
        let mut restarts = 0;
        while let Some(mut actor) = origin.next() {
            let Some(crash) = live(&life, &mut actor, &mut receiver, &context).await else {
                break;
            };
            drop(actor);
            if life.judge(Crash { restarts, ..crash }) == Verdict::End {
                break;
            }
            restarts += 1;
        }
    };
    tokio.spawn(task.instrument(span));
    proxy
}

/// An actor from its first message to its end. Answers how it crashed, if it did.
async fn live<P: Serve<A>, A>(
    life: &Life<P::Message>,
    actor: &mut A,
    receiver: &mut Receiver<P::Message>,
    context: &Context<P>,
) -> Option<Crash> {
    let begun = survive(P::begin(actor, context)).await;
    life.done(begun.is_err());
    if let Err(panic) = begun {
        return Some(life.crash(None, panic));
    }
    while !context.is_halting()
        && let Some(Envelope::Message(message)) = receiver.receive().await
    {
        let name = message.name();
        let span = tracing::debug_span!("handle", message = name);
        let end = survive(P::serve(actor, message, context).instrument(span)).await;
        life.done(end.is_err());
        if let Err(panic) = end {
            return Some(life.crash(Some(name), panic));
        }
    }
    None
}

/// Completes a future that may panic.
async fn survive<F: Future>(future: F) -> Result<F::Output, Box<dyn Any + Send>> {
    let mut future = pin!(future);
    poll_fn(|context| {
        // What panicked is dropped and never seen again.
        match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
            Ok(poll) => poll.map(Ok),
            Err(panic) => Err(panic).into(),
        }
    })
    .await
}

/// What an actor leaves behind when it ends, however it ends.
struct Life<M> {
    system: Handle,
    number: u64,
    post: Arc<Post<M>>,
}

impl<M> Life<M> {
    /// Notes that a message is done with. After a crash the actor may have to begin anew.
    fn done(&self, has_crashed: bool) {
        if has_crashed {
            self.post.sent.fetch_add(1, Ordering::AcqRel);
        }
        self.post.done.fetch_add(1, Ordering::AcqRel);
    }

    fn crash(&self, message: Option<&'static str>, panic: Box<dyn Any + Send>) -> Crash {
        let text = panic.downcast_ref::<&str>().copied();
        let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        Crash {
            actor: self.post.about.name.clone(),
            message,
            panic: text.unwrap_or("something that is no text").to_string(),
            restarts: 0,
        }
    }

    fn judge(&self, crash: Crash) -> Verdict {
        tracing::error!(
            message = crash.message,
            panic = crash.panic,
            "an actor panicked"
        );
        let mut supervisor = self.system.supervisor();
        let verdict = supervisor.as_mut().map(|decide| decide(&crash));
        verdict.unwrap_or(Verdict::End)
    }
}

impl<M> Drop for Life<M> {
    fn drop(&mut self) {
        self.system.remove(self.number);
        if let End::Production(end) = &self.post.about.end {
            end.close();
        }
    }
}

/// Waits until a system is quiet: F. Mattern, *Algorithms for distributed termination detection*, Distributed
/// Computing 2, 1987. If all that was ever sent was done before anybody looked at what was sent, nobody was left
/// to send in between.
pub(crate) async fn quiesce(system: &Handle) {
    let mut looks = 0;
    loop {
        let members = system.all();
        let done: u64 = members.iter().map(|member| member.traffic().done).sum();
        let sent: u64 = members.iter().map(|member| member.traffic().sent).sum();
        if sent == done && members.len() == system.all().len() {
            return;
        }
        looks += 1;
        match looks < LOOKS_AT_ONCE {
            true => tokio::task::yield_now().await,
            false => tokio::time::sleep(PAUSE).await,
        }
    }
}
