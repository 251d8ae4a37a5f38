//! How an actor comes into being.

/// Where actors of type `A` come from.
pub(crate) enum Origin<A> {
    /// There is this one.
    Given(Option<A>),
    /// They are made, as often as needed.
    Made(Box<dyn FnMut() -> A + Send>),
}

impl<A> Origin<A> {
    /// A new actor, if there is another one.
    pub fn next(&mut self) -> Option<A> {
        match self {
            Origin::Given(actor) => actor.take(),
            Origin::Made(make) => Some(make()),
        }
    }
}
