//! Actors under the control of an exploration: each is a task with a name.

use crate::address::{Address, Destination, Envelope};
use crate::faults::{Crashed, Injector};
use crate::origin::Origin;
use crate::runtime::{End, Runtime};
use crate::system::{About, Member};
use crate::wait::complete;
use crate::{Context, Handle, Message, Options, Serve};
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};
use std::sync::{Arc, OnceLock};
use unpick::mailbox::{Mailbox, Patience};
use unpick::thread;

/// The mailbox of an actor.
struct Post<M> {
    about: Arc<About>,
    mailbox: Mailbox<Envelope<M>>,
}

impl<M: Message> Destination<M> for Post<M> {
    fn post(&self, envelope: Envelope<M>, location: &'static Location<'static>) {
        let name = match &envelope {
            Envelope::Message(message) => message.name(),
            Envelope::Halt => "halt",
        };
        // What comes too late is dropped.
        drop(self.mailbox.send(envelope, name, location));
    }

    fn about(&self) -> &Arc<About> {
        &self.about
    }
}

impl<M: Message> Member for Post<M> {
    fn about(&self) -> &Arc<About> {
        &self.about
    }

    fn end(&self) {
        self.mailbox.close();
    }

    #[cfg(feature = "tokio")]
    fn traffic(&self) -> crate::production::Traffic {
        panic!("internal error: the traffic of an actor under control")
    }
}

/// Creates an actor: one visible operation.
#[track_caller]
pub(crate) fn create<P: Serve<A>, A: Send + 'static>(
    injector: &Arc<Injector>,
    system: &Handle,
    options: Options,
    mut origin: Origin<A>,
    location: &'static Location<'static>,
) -> P {
    let Options { name, bound, wipe } = options;
    if let Origin::Made(_) = origin {
        injector.add_crashable(&name, wipe.is_some());
    }
    let mailbox = Mailbox::new(bound);
    mailbox.set_name(&name);
    let task = thread::Builder::new().name(name.clone());
    let about = Arc::new(About {
        name,
        runtime: Runtime::Controlled(Arc::clone(injector)),
        end: End::Controlled(OnceLock::new()),
    });
    let post = Arc::new(Post { about, mailbox });
    let life = Life {
        number: system.add(post.clone()),
        system: system.clone(),
        post: post.clone(),
    };
    let proxy = P::from_address(Address::new(post.clone()));
    let context = Context::new(proxy.clone(), system.clone());
    let task = task.spawn(move || {
        loop {
            // To make it can crash, too: it may send.
            let end = catch_unwind(AssertUnwindSafe(|| {
                if let Some(mut actor) = origin.next() {
                    live(&life, &mut actor, &context, location);
                }
            }));
            let Err(panic) = end else {
                break;
            };
            match panic.downcast::<Crashed>() {
                Ok(crashed) => wipe
                    .iter()
                    .filter(|_| crashed.is_wiped)
                    .for_each(|wipe| wipe()),
                Err(panic) => resume_unwind(panic),
            }
        }
    });
    let task = task.expect("a task can be created");
    post.about.end.set_task(task.thread());
    proxy
}

/// An actor from its first message to its end.
fn live<P: Serve<A>, A>(
    life: &Life<P::Message>,
    actor: &mut A,
    context: &Context<P>,
    location: &'static Location<'static>,
) {
    let Post { mailbox, about } = &*life.post;
    complete(P::begin(actor, context));
    while !context.is_halting()
        && let Ok(Envelope::Message(message)) = mailbox.receive(Patience::Idle, location)
    {
        if let Some(injector) = about.runtime.injector() {
            injector.take_risk(&about.name);
        }
        complete(P::serve(actor, message, context));
    }
}

/// What an actor leaves behind when it ends, however it ends.
struct Life<M> {
    system: Handle,
    number: u64,
    post: Arc<Post<M>>,
}

impl<M> Drop for Life<M> {
    fn drop(&mut self) {
        self.system.remove(self.number);
        self.post.mailbox.abandon();
    }
}
