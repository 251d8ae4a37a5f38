//! Machines: actors without types, for protocols that read better as states and events.
//!
//! P. Deligiannis et al., *Asynchronous programming, analysis and testing with state machines*, PLDI 2015.
//! A machine has a state out of a few. Each state says what is done on which event: handle it, *defer* it
//! until another state, or *ignore* it. An event of which the state says nothing is an error of the program.
//! Events are values of any type, and anybody can send any of them.

mod table;

pub use table::{At, States};

use crate::{Address, Context, Handle, Message, Options, Proxy, Serve};
use std::any::{Any, TypeId, type_name};
use std::collections::VecDeque;
use std::fmt::{self, Debug};
use table::Deed;

/// A machine: its data, and what its states do.
pub trait Machine: Send + Sized + 'static {
    /// The states.
    type State: Copy + Eq + Debug + Send + 'static;

    /// The state it begins in.
    const START: Self::State;

    /// Says what is done on which event.
    fn behave(states: &mut States<Self>);
}

/// Something that happens to a machine.
pub struct Event {
    value: Box<dyn Any + Send>,
    name: &'static str,
}

impl Event {
    fn new<E: Send + 'static>(event: E) -> Event {
        let name = type_name::<E>();
        Event {
            value: Box::new(event),
            name: name.rsplit("::").next().unwrap_or(name),
        }
    }

    /// The type of its value.
    fn kind(&self) -> TypeId {
        (*self.value).type_id()
    }
}

impl Message for Event {
    fn name(&self) -> &'static str {
        self.name
    }
}

impl Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// A reference to a machine.
#[derive(Clone, Debug)]
pub struct MachineProxy(Address<Event>);

impl Proxy for MachineProxy {
    type Message = Event;

    fn from_address(address: Address<Event>) -> MachineProxy {
        MachineProxy(address)
    }

    fn address(&self) -> &Address<Event> {
        &self.0
    }
}

impl MachineProxy {
    /// Creates a machine.
    #[track_caller]
    pub fn start<M: Machine>(
        system: &Handle,
        options: impl Into<Options>,
        machine: M,
    ) -> MachineProxy {
        MachineProxy::create(system, options, Running::new(machine))
    }

    /// Sends an event.
    #[track_caller]
    pub fn send<E: Send + 'static>(&self, event: E) {
        self.0.send(Event::new(event));
    }
}

/// What a machine does after it has handled an event or entered a state.
#[derive(Debug)]
pub enum Next<S> {
    /// Stays in its state.
    Stay,
    /// Goes to another state, or enters the same one again.
    Goto(S),
    /// Handles another event, before all that were sent. Made by [`Next::raise`].
    Raise(Event),
    /// Ends.
    Halt,
}

impl<S> Next<S> {
    /// Handles another event next, before all that were sent.
    pub fn raise<E: Send + 'static>(event: E) -> Next<S> {
        Next::Raise(Event::new(event))
    }
}

/// A machine and its state.
pub struct Running<M: Machine> {
    machine: M,
    states: States<M>,
    state: M::State,
    /// The events that wait for another state, oldest first.
    deferred: VecDeque<Event>,
}

impl<M: Machine> Running<M> {
    fn new(machine: M) -> Running<M> {
        let mut states = States::new();
        M::behave(&mut states);
        Running {
            machine,
            states,
            state: M::START,
            deferred: VecDeque::new(),
        }
    }

    /// Handles the oldest event that is not deferred, until there is none.
    fn settle(&mut self, context: &Context<MachineProxy>) {
        while !context.is_halting() {
            let Some(event) = self.next_event() else {
                return;
            };
            let next = self.handle(event, context);
            self.follow(next, context);
        }
    }

    fn next_event(&mut self) -> Option<Event> {
        let (states, state) = (&self.states, self.state);
        let is_due = |event: &Event| !matches!(states.deed(state, event), Some(Deed::Defer));
        let due = self.deferred.iter().position(is_due)?;
        self.deferred.remove(due)
    }

    /// Does what was said to be next, and what follows of that.
    fn follow(&mut self, mut next: Next<M::State>, context: &Context<MachineProxy>) {
        loop {
            next = match next {
                Next::Stay => return,
                Next::Halt => return context.halt(),
                Next::Raise(event) => self.handle(event, context),
                Next::Goto(state) => {
                    self.states.exit(self.state, &mut self.machine);
                    self.enter(state, context)
                }
            };
        }
    }

    fn enter(&mut self, state: M::State, context: &Context<MachineProxy>) -> Next<M::State> {
        self.state = state;
        self.states.enter(state, &mut self.machine, context)
    }

    fn handle(&mut self, event: Event, context: &Context<MachineProxy>) -> Next<M::State> {
        match self.states.deed(self.state, &event) {
            Some(Deed::Handle(act)) => act(&mut self.machine, event, context),
            Some(Deed::Ignore) => Next::Stay,
            // Raised where it is not handled yet.
            Some(Deed::Defer) => {
                self.deferred.push_front(event);
                Next::Stay
            }
            None => panic!(
                "{} cannot handle {event:?} in state {:?}; handle, defer or ignore it there",
                context.me().address().name(),
                self.state
            ),
        }
    }
}

impl<M: Machine> Serve<Running<M>> for MachineProxy {
    async fn begin(running: &mut Running<M>, context: &Context<MachineProxy>) {
        let next = running.enter(M::START, context);
        running.follow(next, context);
    }

    async fn serve(running: &mut Running<M>, event: Event, context: &Context<MachineProxy>) {
        running.deferred.push_back(event);
        running.settle(context);
    }
}

impl<M: Machine> Debug for Running<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running")
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}
