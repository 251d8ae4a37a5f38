//! A queue of values that must not leave their thread takes one to another thread.

use conqueue::Queue;
use std::rc::Rc;
use std::thread;

#[test]
fn an_rc_is_sent() {
    let here = Rc::new(0_u32);
    let (sender, receiver) = Queue::unbounded::<Rc<u32>>();
    sender.push(Rc::clone(&here));
    let other = thread::spawn(move || {
        let mut receiver = receiver;
        drop(receiver.pop().map(|there| Rc::clone(&there)));
    });
    drop(Rc::clone(&here));
    other.join().unwrap();
    assert_eq!(Rc::strong_count(&here), 1);
}
