//! Actors under the control of an exploration: each is a task with a name.

use crate::address::{Address, Destination, Envelope};
use crate::system::{About, Member};
use crate::wait::complete;
use crate::{Context, Handle, Serve};
use std::panic::Location;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use unpick::mailbox::{Mailbox, Patience};
use unpick::thread;

/// The mailbox of an actor.
struct Post<M> {
    about: Arc<About>,
    mailbox: Mailbox<Envelope<M>>,
}

impl<M: Send> Destination<M> for Post<M> {
    fn post(&self, envelope: Envelope<M>, location: &'static Location<'static>) {
        // What comes too late is dropped.
        drop(self.mailbox.send(envelope, location));
    }

    fn about(&self) -> &Arc<About> {
        &self.about
    }
}

impl<M: Send> Member for Post<M> {
    fn about(&self) -> &About {
        &self.about
    }

    fn close(&self) {
        self.mailbox.close();
    }
}

/// Creates an actor: one visible operation.
#[track_caller]
pub(crate) fn create<P: Serve<A>, A: Send + 'static>(
    system: &Handle,
    name: &str,
    actor: A,
    location: &'static Location<'static>,
) -> P {
    let about = Arc::new(About {
        name: name.to_string(),
        has_ended: AtomicBool::new(false),
        thread: OnceLock::new(),
    });
    let mailbox = Mailbox::new(None);
    mailbox.set_name(name);
    let post = Arc::new(Post { about, mailbox });
    system.add(post.clone());
    let proxy = P::from_address(Address::new(post.clone()));
    let context = Context::new(proxy.clone(), system.clone());
    let body = {
        let post = Arc::clone(&post);
        move || live(&post, actor, &context, location)
    };
    let task = thread::Builder::new().name(name.to_string()).spawn(body);
    let task = task.expect("a task can be created");
    post.about.thread.get_or_init(|| task.thread().clone());
    proxy
}

/// Does something later, at any time.
#[track_caller]
pub(crate) fn later(name: &str, delay: Duration, act: impl FnOnce() + Send + 'static) {
    let timer = thread::Builder::new().name(name.to_string());
    let task = timer.spawn(move || {
        thread::sleep(delay);
        act();
    });
    task.expect("a task can be created");
}

/// An actor from its first message to its end.
fn live<P: Serve<A>, A>(
    post: &Post<P::Message>,
    mut actor: A,
    context: &Context<P>,
    location: &'static Location<'static>,
) {
    let _end = End(post);
    complete(P::begin(&mut actor, context));
    while !context.is_halting()
        && let Some(Envelope::Message(message)) = post.mailbox.receive(Patience::Idle, location)
    {
        complete(P::serve(&mut actor, message, context));
    }
    drop(actor);
}

/// Closes the mailbox of an actor that ends, however it ends.
struct End<'a, M>(&'a Post<M>);

impl<M> Drop for End<'_, M> {
    fn drop(&mut self) {
        self.0.about.has_ended.store(true, Ordering::Relaxed);
        self.0.mailbox.abandon();
    }
}
