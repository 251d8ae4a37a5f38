//! Programs that were built with the runtime and are started without unpick: as if it were not there.

#[path = "support/programs.rs"]
mod support;

use support::Place;

#[test]
fn atomics_are_atomic_without_control() {
    let place = Place::new("uncontrolled");
    let program = place.build("plain/atomics.c", false).program;
    for _ in 0..3 {
        let output = std::process::Command::new(&program).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
}
