//! A value that must not leave its thread is taken on another one.

use atom::Atom;
use std::rc::Rc;
use std::thread;

#[test]
fn an_rc_is_taken_elsewhere() {
    let here = Rc::new(0_u32);
    let atom = Atom::new(Box::new(Rc::clone(&here)));
    thread::scope(|scope| {
        let atom = &atom;
        scope.spawn(move || {
            let there = atom.take().unwrap();
            drop(Rc::clone(&there));
        });
        drop(Rc::clone(&here));
    });
    assert_eq!(Rc::strong_count(&here), 1);
}
