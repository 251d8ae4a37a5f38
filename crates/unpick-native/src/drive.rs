//! Runs a program under control: launches it, gives orders, watches over it.
//!
//! The exploration itself happens inside the program's process; this side only sees to it that there
//! is one, and that it comes back.

mod cause;
mod confirmation;
mod crew;
mod debugger;
mod desk;
mod exploration;
mod following;
mod life;
mod named;
mod naming;
mod output;
mod parallel;
mod pinning;
mod planned;
mod prediction;
mod process;
mod reading;
mod regression;
mod understanding;
mod verification;

pub use debugger::debug;
pub use exploration::{Explored, Options, can_split, explore, replay};
pub use following::{Followed, follow};
pub use naming::Naming;
pub use output::explain_by_output;
pub use pinning::{Pinned, Sought, modules_of, pin, shared_places};
pub use prediction::{Foreseen, PredictError, Recorded, predict};
pub use process::{Command, DriveError, Progress, Watch};
pub(crate) use process::{cannot_start, preload};
pub use regression::{Tried, try_recorded};
pub use understanding::{Understood, first_execution, understand};
pub use verification::{Verification, difference, verify};
