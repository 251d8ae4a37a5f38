//! Actors in production: each is a task of tokio.

mod post;

pub(crate) use post::Traffic;

use crate::address::{Address, Envelope};
use crate::origin::Origin;
use crate::runtime::{End, Runtime};
use crate::supervision::{Crash, Verdict};
use crate::system::About;
use crate::{Context, Handle, Message, Options, Serve};
use post::{Inbox, mailbox};
use std::any::Any;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tracing::Instrument;

/// Time between two looks at whether a system is quiet, once it was not at the first ones.
const PAUSE: Duration = Duration::from_millis(1);

/// Looks without a pause.
const LOOKS_AT_ONCE: u32 = 64;

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
    let (post, inbox) = mailbox(Arc::clone(&about), bound);
    let life = Life {
        number: system.add(post.clone()),
        system: system.clone(),
        about,
    };
    let proxy = P::from_address(Address::new(post));
    let context = Context::new(proxy.clone(), system.clone());
    let task = async move {
        let mut inbox = inbox;
        let mut restarts = 0;
        while let Some(mut actor) = origin.next() {
            let Some(crash) = live(&life, &mut actor, &mut inbox, &context).await else {
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
    life: &Life,
    actor: &mut A,
    inbox: &mut Inbox<P::Message>,
    context: &Context<P>,
) -> Option<Crash> {
    if let Err(panic) = survive(P::begin(actor, context)).await {
        return Some(life.crash(None, panic));
    }
    inbox.is_done();
    while !context.is_halting()
        && let Envelope::Message(message) = inbox.next().await
    {
        let name = message.name();
        let span = tracing::debug_span!("handle", message = name);
        if let Err(panic) = survive(P::serve(actor, message, context).instrument(span)).await {
            return Some(life.crash(Some(name), panic));
        }
        inbox.is_done();
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
struct Life {
    system: Handle,
    number: u64,
    about: Arc<About>,
}

impl Life {
    fn crash(&self, message: Option<&'static str>, panic: Box<dyn Any + Send>) -> Crash {
        let text = panic.downcast_ref::<&str>().copied();
        let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        Crash {
            actor: self.about.name.clone(),
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

impl Drop for Life {
    fn drop(&mut self) {
        self.system.remove(self.number);
        if let End::Production(end) = &self.about.end {
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
