//! A value that must not leave its thread is taken on another one.

use atomic_option::AtomicOption;
use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::thread;

#[test]
fn an_rc_is_taken_elsewhere() {
    let here = Rc::new(0_u32);
    let option = AtomicOption::new(Box::new(Rc::clone(&here)));
    thread::scope(|scope| {
        let option = &option;
        scope.spawn(move || {
            let there = option.take(Ordering::SeqCst).unwrap();
            drop(Rc::clone(&there));
        });
        drop(Rc::clone(&here));
    });
    assert_eq!(Rc::strong_count(&here), 1);
}
