//! Two tasks intern equal values and drop them, so that both find their value to be the last one.

use internment::ArcIntern;
use std::thread;

fn come_and_go() {
    let value = ArcIntern::new("a".to_string());
    assert_eq!(*value, "a");
}

#[test]
fn a_value_lives_as_long_as_it_is_used() {
    // The first value of a type makes a place for values, by means of another crate.
    let kept = ArcIntern::new("b".to_string());
    let other = thread::spawn(come_and_go);
    come_and_go();
    other.join().unwrap();
    assert_eq!(*kept, "b");
}
