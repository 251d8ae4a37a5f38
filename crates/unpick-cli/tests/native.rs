//! The command on native programs, from the outside: odd ones, failures kept and replayed, the
//! examples. Needs a C and a C++ compiler; what else is missing is said and left out.

#[path = "native/confirm.rs"]
mod confirm;
#[path = "native/elsewhere.rs"]
mod elsewhere;
#[path = "native/examples.rs"]
mod examples;
#[path = "native/foreign.rs"]
mod foreign;
#[path = "native/found.rs"]
mod found;
#[path = "native/jobs.rs"]
mod jobs;
#[path = "native/nondeterminism.rs"]
mod nondeterminism;
#[path = "native/odd.rs"]
mod odd;
#[path = "native/place.rs"]
mod place;
#[path = "native/points.rs"]
mod points;
#[path = "native/prediction.rs"]
mod prediction;
#[path = "native/reductions.rs"]
mod reductions;
#[path = "native/regressions.rs"]
mod regressions;
#[path = "native/round_trip.rs"]
mod round_trip;
#[path = "native/shards.rs"]
mod shards;
#[path = "native/understanding.rs"]
mod understanding;
#[path = "native/untrusted.rs"]
mod untrusted;
#[path = "native/weak_memory.rs"]
mod weak_memory;
