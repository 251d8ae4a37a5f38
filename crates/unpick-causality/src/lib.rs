//! What else could have happened: the maximal causal model of a trace, and questions to it.
//!
//! One trace implies many others: every program that can produce it can also produce all those in which
//! the reads of each task that came before still return what they returned. A [`Model`] is this set, under
//! sequential consistency, TSO or PSO. A [`Solver`] answers questions about it, exactly and with a schedule
//! that replays: can this read see that value, can these two accesses race, can these requests for locks
//! deadlock?
//!
//! ```
//! use unpick_causality::{Answer, Event, Goal, Kind, Memory, Model, Query, Solver};
//!
//! let write = |task, place, location| Event::new(task, place, Kind::Write { location, value: 1 });
//! let read = |task, place, location, value| Event::new(task, place, Kind::Read { location, value });
//! // Task 0 ran first: it did not see what task 1 wrote, but task 1 saw what task 0 wrote.
//! let trace = vec![write(0, 0, 0), read(0, 1, 1, 0), write(1, 0, 1), read(1, 1, 0, 1)];
//! let query = Query::new(Goal::Value { read: 3, value: 0 }).including(vec![1]);
//!
//! let ask = |memory| {
//!     let model = Model::new(memory, &[Some(0), Some(0)], trace.clone())?;
//!     Ok::<_, unpick_causality::ModelError>(Solver::default().solve(&model, &query))
//! };
//! // Both read 0 only if stores are delayed.
//! assert_eq!(ask(Memory::Sc)?, Answer::Unsat);
//! assert_eq!(ask(Memory::Tso)?, Answer::Sat(vec![1, 3]));
//! # Ok::<(), unpick_causality::ModelError>(())
//! ```
//!
//! | module | |
//! |---|---|
//! | `order` | what of program order is kept, by memory model |
//! | `model` | the model, and when a trace has none |
//! | `groups` | transitions of several events |
//! | `replay` | performing events and taking them back |
//! | `query` | questions, and the one form they all have |
//! | `candidates` | what is worth asking about |
//! | `search`, `closure`, `lazy` | three ways to an answer; `solver` tries them in turn |
//! | `shortest` | the shortest schedule, for short traces |
//! | `smtlib` | questions written down for other solvers, with the feature `smtlib` |
//! | `trim` | schedules without what they do not need |
//! | `window` | parts of long traces |
//! | `predict` | all the questions that one execution gives rise to |
//! | `foretell` | the answers, run before they are believed |
//!
//! This crate needs memory and time as it likes and runs between executions, never inside one. It knows
//! nothing of engines and front ends.

mod candidates;
mod closure;
mod complete;
mod foretell;
mod groups;
mod lazy;
mod literal;
mod mcr;
mod model;
mod order;
mod predict;
mod query;
mod replay;
mod search;
mod seed;
mod shortest;
#[cfg(feature = "smtlib")]
mod smtlib;
mod solver;
mod trim;
mod window;

pub use foretell::{Found, Predicted, foretell};
pub use mcr::{Mcr, Mode};
pub use model::{Model, ModelError};
pub use predict::{Expected, Foretold, Prediction};
pub use query::{Goal, Query};
pub use replay::Violation;
pub use seed::{Continuation, Seed};
#[cfg(feature = "smtlib")]
pub use smtlib::smtlib;
pub use solver::{Answer, Budget, Counts, Solver};
pub use unpick_engine::Memory;
pub use unpick_engine::transcript::{Event, EventId, Kind};
