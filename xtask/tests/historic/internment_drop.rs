//! Two tasks intern equal values and drop them, so that one drops the last while the other interns.

use internment::ArcIntern;
use std::thread;

fn come_and_go() {
    for _ in 0..2 {
        let value = ArcIntern::new("a".to_string());
        assert_eq!(*value, "a");
    }
}

#[test]
fn a_value_lives_as_long_as_it_is_used() {
    let other = thread::spawn(come_and_go);
    come_and_go();
    other.join().unwrap();
}
