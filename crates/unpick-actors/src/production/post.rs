//! The mailbox of an actor in production, and the counting of what goes through it.
//!
//! A queue behind a lock, which senders take once for a message and the actor once for all that came meanwhile. The
//! same lock guards the counts of what was sent and done. Nothing is allocated for a message but room in the queue.
//! What senders and the actor both write lies on one line of the cache, and what only one of them writes on others.

use crate::address::{Destination, Envelope};
use crate::system::{About, Member};
use std::collections::VecDeque;
use std::future::poll_fn;
use std::mem::{replace, swap, take};
use std::panic::Location;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};
use tokio::task::coop::consume_budget;

/// Messages for which a queue keeps its memory when it is empty.
const KEPT: usize = 32;

/// How many messages were sent to an actor, and how many of them it is done with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Traffic {
    pub sent: u64,
    pub done: u64,
}

/// A line of the cache.
#[repr(align(64))]
struct Line<T>(T);

/// The end of a mailbox that senders have.
pub(super) struct Post<M> {
    state: Line<Mutex<State<M>>>,
    room: Line<Room>,
    about: Arc<About>,
    bound: Option<u64>,
}

/// With the lock before it, the actor is at the end of the line.
#[repr(C)]
struct State<M> {
    /// Oldest first. With a bound there can be more, and then their senders wait.
    queue: VecDeque<Envelope<M>>,
    actor: Actor,
    /// How many went from the queue to the actor. To begin counts as one.
    moved: u64,
    /// How many of those the actor was done with when it last looked into the queue.
    done: u64,
    /// Who waits for room, in the order of the numbers of their messages.
    senders: VecDeque<(u64, Arc<Condvar>)>,
}

/// What the actor does.
enum Actor {
    Works,
    /// It waits for a message.
    Sleeps(Waker),
    HasEnded,
}

/// Where there is a bound: what the actor tells senders without the lock.
struct Room {
    /// How many messages it has begun to handle.
    begun: AtomicU64,
    /// Whether somebody waits for room. Each side writes one of these and then reads the other, in the one order of
    /// all such accesses, so that one of the two sees the other.
    is_wanted: AtomicBool,
}

/// The end that the actor has.
pub(super) struct Inbox<M> {
    post: Arc<Post<M>>,
    /// What came out of the queue and is to be handled next. The bound holds for this and the queue together.
    batch: VecDeque<Envelope<M>>,
    begun: u64,
    done: u64,
}

/// A mailbox, with a bound or without.
pub(super) fn mailbox<M>(about: Arc<About>, bound: Option<usize>) -> (Arc<Post<M>>, Inbox<M>) {
    let state = State {
        queue: VecDeque::new(),
        actor: Actor::Works,
        moved: 1,
        done: 0,
        senders: VecDeque::new(),
    };
    let room = Room {
        begun: AtomicU64::new(1),
        is_wanted: AtomicBool::new(false),
    };
    let post = Arc::new(Post {
        state: Line(Mutex::new(state)),
        room: Line(room),
        about,
        bound: bound.map(|bound| bound as u64),
    });
    let inbox = Inbox {
        post: Arc::clone(&post),
        batch: VecDeque::new(),
        begun: 1,
        done: 0,
    };
    (post, inbox)
}

impl<M> Inbox<M> {
    /// The next message.
    pub async fn next(&mut self) -> Envelope<M> {
        // An actor with much to do lets others go on as often as any other task that receives.
        consume_budget().await;
        let envelope = match self.batch.pop_front() {
            Some(envelope) => envelope,
            None => poll_fn(|context| self.refill(context.waker())).await,
        };
        if let Some(bound) = self.post.bound {
            self.make_room(bound);
        }
        envelope
    }

    /// Takes all that is in the queue, and answers the first of it. If there is nothing the next sender wakes the actor.
    fn refill(&mut self, waker: &Waker) -> Poll<Envelope<M>> {
        let mut state = self.post.state();
        state.done = self.done;
        let Some(envelope) = state.queue.pop_front() else {
            state.actor = Actor::Sleeps(waker.clone());
            return Poll::Pending;
        };
        state.moved += 1 + state.queue.len() as u64;
        swap(&mut state.queue, &mut self.batch);
        // There may have been much to do once, which is no reason to keep the memory.
        if state.queue.capacity() > KEPT {
            let memory = take(&mut state.queue);
            drop(state);
            drop(memory);
        }
        Poll::Ready(envelope)
    }

    /// One message less waits to be handled: whose message has room now goes on.
    fn make_room(&mut self, bound: u64) {
        self.begun += 1;
        let room = &self.post.room.0;
        room.begun.store(self.begun, Ordering::SeqCst);
        if !room.is_wanted.load(Ordering::SeqCst) {
            return;
        }
        let mut state = self.post.state();
        while let Some((number, _)) = state.senders.front()
            && *number <= self.begun + bound
            && let Some((_, sender)) = state.senders.pop_front()
        {
            sender.notify_one();
        }
        room.is_wanted
            .store(!state.senders.is_empty(), Ordering::SeqCst);
    }

    /// Notes that a message is done with. One at which the actor crashed is not until the actor has begun anew.
    pub fn is_done(&mut self) {
        self.done += 1;
    }
}

impl<M> Drop for Inbox<M> {
    /// What comes now is too late, and nobody waits for room any more.
    fn drop(&mut self) {
        let mut state = self.post.state();
        state.actor = Actor::HasEnded;
        let (queue, senders) = (take(&mut state.queue), take(&mut state.senders));
        drop(state);
        for (_, sender) in senders {
            sender.notify_one();
        }
        // Without the lock: messages may do anything when they are dropped.
        drop(queue);
    }
}

/// What became of something that was put into a mailbox.
enum Put {
    /// It has room.
    In,
    /// It is in there, in excess of the bound, by its number among all that ever were.
    Over { number: u64, bound: u64 },
    /// The actor has ended.
    Late,
}

impl<M> Post<M> {
    fn state(&self) -> MutexGuard<'_, State<M>> {
        let state = self.state.0.lock();
        state.unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts something into the mailbox, and does not wait.
    fn put(&self, envelope: Envelope<M>) -> Put {
        let mut state = self.state();
        if let Actor::HasEnded = state.actor {
            // The lock goes first: the message may do anything when it is dropped.
            drop(state);
            drop(envelope);
            return Put::Late;
        }
        state.queue.push_back(envelope);
        let over = self.bound.and_then(|bound| {
            let number = state.moved + state.queue.len() as u64;
            (!self.has_room(number, bound)).then_some(Put::Over { number, bound })
        });
        if let Actor::Sleeps(_) = state.actor
            && let Actor::Sleeps(actor) = replace(&mut state.actor, Actor::Works)
        {
            drop(state);
            actor.wake();
        }
        over.unwrap_or(Put::In)
    }

    fn has_room(&self, number: u64, bound: u64) -> bool {
        number <= self.room.0.begun.load(Ordering::SeqCst) + bound
    }

    /// Blocks until there is room for what is in the mailbox already: who came first gets it first.
    fn wait_for_room(&self, number: u64, bound: u64) {
        let mut state = self.state();
        let sender = Arc::new(Condvar::new());
        let place = state.senders.partition_point(|(other, _)| *other < number);
        state.senders.insert(place, (number, Arc::clone(&sender)));
        self.room.0.is_wanted.store(true, Ordering::SeqCst);
        while !matches!(state.actor, Actor::HasEnded) && !self.has_room(number, bound) {
            state = sender.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        // It is still there if there was room before the actor knew that somebody waits.
        state.senders.retain(|(other, _)| *other != number);
    }
}

impl<M: Send> Destination<M> for Post<M> {
    fn post(&self, envelope: Envelope<M>, _: &'static Location<'static>) {
        match self.put(envelope) {
            Put::In => {}
            Put::Over { number, bound } => {
                tokio::task::block_in_place(|| self.wait_for_room(number, bound));
            }
            Put::Late => tracing::debug!(actor = self.about.name, "a message came too late"),
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
        // Nobody has to wait for room for this.
        self.put(Envelope::Halt);
    }

    fn traffic(&self) -> Traffic {
        let state = self.state();
        Traffic {
            sent: state.moved + state.queue.len() as u64,
            done: state.done,
        }
    }
}
