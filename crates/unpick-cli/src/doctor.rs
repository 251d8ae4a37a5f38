//! `unpick doctor`: what of this machine helps or hinders the exploration of native programs.

use crate::Status;
use crate::output::say;
use unpick_native::doctor::{Facts, diagnose};

pub(crate) fn doctor() -> Status {
    let diagnosis = diagnose(&Facts::collect());
    say!("{diagnosis}");
    match diagnosis.is_usable {
        true => Status::Clean,
        false => Status::NothingRan,
    }
}
