//! What a machine does in which state.

use super::{Event, Machine, MachineProxy, Next};
use crate::Context;
use std::any::TypeId;
use std::fmt;

type Handler<M> =
    dyn Fn(&mut M, Event, &Context<MachineProxy>) -> Next<<M as Machine>::State> + Send;
type Entry<M> = dyn Fn(&mut M, &Context<MachineProxy>) -> Next<<M as Machine>::State> + Send;
type Exit<M> = dyn Fn(&mut M) + Send;

/// What is done on an event.
pub(super) enum Deed<M: Machine> {
    Handle(Box<Handler<M>>),
    Defer,
    Ignore,
}

/// The states of a machine.
pub struct States<M: Machine> {
    all: Vec<At<M>>,
}

impl<M: Machine> States<M> {
    pub(super) fn new() -> States<M> {
        States { all: Vec::new() }
    }

    /// Says more about a state.
    pub fn at(&mut self, state: M::State) -> &mut At<M> {
        let known = self.all.iter().position(|at| at.state == state);
        let index = known.unwrap_or_else(|| {
            self.all.push(At::new(state));
            self.all.len() - 1
        });
        &mut self.all[index]
    }

    fn find(&self, state: M::State) -> Option<&At<M>> {
        self.all.iter().find(|at| at.state == state)
    }

    pub(super) fn deed(&self, state: M::State, event: &Event) -> Option<&Deed<M>> {
        let (kind, mut deeds) = (event.kind(), self.find(state)?.deeds.iter());
        let found = deeds.find(|(of, _)| *of == kind);
        found.map(|(_, deed)| deed)
    }

    pub(super) fn enter(
        &self,
        state: M::State,
        machine: &mut M,
        context: &Context<MachineProxy>,
    ) -> Next<M::State> {
        let entry = self.find(state).and_then(|at| at.entry.as_ref());
        entry.map_or(Next::Stay, |act| act(machine, context))
    }

    pub(super) fn exit(&self, state: M::State, machine: &mut M) {
        if let Some(act) = self.find(state).and_then(|at| at.exit.as_ref()) {
            act(machine);
        }
    }
}

/// One state of a machine. What is said twice holds as it was said last.
pub struct At<M: Machine> {
    state: M::State,
    deeds: Vec<(TypeId, Deed<M>)>,
    entry: Option<Box<Entry<M>>>,
    exit: Option<Box<Exit<M>>>,
}

impl<M: Machine> At<M> {
    fn new(state: M::State) -> At<M> {
        At {
            state,
            deeds: Vec::new(),
            entry: None,
            exit: None,
        }
    }

    fn set<E: 'static>(&mut self, deed: Deed<M>) -> &mut At<M> {
        let kind = TypeId::of::<E>();
        self.deeds.retain(|(of, _)| *of != kind);
        self.deeds.push((kind, deed));
        self
    }

    /// Handles events of type `E`.
    pub fn on<E: Send + 'static>(
        &mut self,
        act: impl Fn(&mut M, E, &Context<MachineProxy>) -> Next<M::State> + Send + 'static,
    ) -> &mut At<M> {
        let handler =
            move |machine: &mut M, event: Event, context: &Context<MachineProxy>| match event
                .value
                .downcast()
            {
                Ok(value) => act(machine, *value, context),
                Err(_) => panic!("internal error: an event of another type"),
            };
        self.set::<E>(Deed::Handle(Box::new(handler)))
    }

    /// Lets events of type `E` wait for another state.
    pub fn defer<E: 'static>(&mut self) -> &mut At<M> {
        self.set::<E>(Deed::Defer)
    }

    /// Drops events of type `E`.
    pub fn ignore<E: 'static>(&mut self) -> &mut At<M> {
        self.set::<E>(Deed::Ignore)
    }

    /// What is done when the state is entered.
    pub fn entry(
        &mut self,
        act: impl Fn(&mut M, &Context<MachineProxy>) -> Next<M::State> + Send + 'static,
    ) -> &mut At<M> {
        self.entry = Some(Box::new(act));
        self
    }

    /// What is done when the state is left.
    pub fn exit(&mut self, act: impl Fn(&mut M) + Send + 'static) -> &mut At<M> {
        self.exit = Some(Box::new(act));
        self
    }
}

impl<M: Machine> fmt::Debug for States<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.all.iter()).finish()
    }
}

impl<M: Machine> fmt::Debug for At<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("At").field(&self.state).finish()
    }
}
