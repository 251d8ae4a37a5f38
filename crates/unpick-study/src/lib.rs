//! Published studies of concurrency testing, measured again.
//!
//! A [`Study`] is a list of [cells](Cell), a way to measure one of them, and a way to show what was measured:
//! tables, plots and a page. [`run`] does the rest: it measures the cells that are not known yet, several at a
//! time, keeps each result as soon as it is there ([`Results`]), and writes the documents when all are known.
//!
//! To add a study, implement [`Study`] and put it into [`studies`]. Nothing here prints or listens for signals.

pub mod comparison;
mod fabric;
mod lazy_hbr;
mod mcr;
pub mod measure;
mod needlepoint;
mod noise;
pub mod page;
pub mod plot;
mod results;
mod runner;
mod sctbench;
mod study;
pub mod table;

pub use results::Results;
pub use runner::{Ended, Progress, Watch, run};
pub use study::{Cell, Document, Error, Measurement, Options, Study, is_a, specs};

/// Every study, in the order of the documentation.
#[must_use]
pub fn studies() -> Vec<Box<dyn Study>> {
    vec![
        Box::new(sctbench::Sctbench),
        Box::new(lazy_hbr::LazyHbr),
        Box::new(needlepoint::Needlepoint),
        Box::new(mcr::Mcr),
        Box::new(noise::Noise),
        Box::new(fabric::Fabric),
    ]
}

/// The study with this name.
///
/// # Errors
///
/// If there is none.
pub fn find(name: &str) -> Result<Box<dyn Study>, Error> {
    let found = studies().into_iter().find(|study| study.name() == name);
    found.ok_or_else(|| Error::UnknownStudy {
        name: name.to_string(),
        known: studies()
            .iter()
            .map(|study| study.name())
            .collect::<Vec<_>>()
            .join(", "),
    })
}
