//! `n` producers send `m` messages each over one channel to the task that created them.
//!
//! Each producer's messages arrive in order, which is always asserted; with `bug=1` the consumer
//! also believes that a producer is finished before the next one starts. Used by all the Rust
//! peers.

use crate::join::join_all;
use crate::{Arguments, Parameter, Program, Source};
use unpick::sync::mpsc;
use unpick::thread;

pub(crate) const PROGRAM: Program = Program {
    name: "channel",
    summary: "several producers and one consumer of a channel",
    source: Source::Peers,
    parameters: &[
        Parameter::size("n", "tasks", 2, 1, 64),
        Parameter::size("m", "messages of each producer", 2, 1, 1000),
        Parameter::switch("bug", "1 asserts that the producers do not interleave", 0),
    ],
    fault: None,
    published: None,
    body,
};

fn body(arguments: &Arguments) {
    let (producers, messages) = (arguments.size("n"), arguments.size("m"));
    let (sender, receiver) = mpsc::channel();
    let handles = (0..producers)
        .map(|producer| {
            let sender = sender.clone();
            thread::spawn(move || {
                for message in 0..messages {
                    sender.send((producer, message)).unwrap();
                }
            })
        })
        .collect();
    let mut expected = vec![0; producers];
    let mut order = Vec::with_capacity(producers * messages);
    for _ in 0..producers * messages {
        let (producer, message) = receiver.recv().unwrap();
        assert!(expected[producer] == message, "a message overtook another");
        expected[producer] += 1;
        order.push(producer);
    }
    join_all(handles);
    if arguments.is_on("bug") {
        let in_turn = order.windows(2).all(|pair| pair[0] <= pair[1]);
        assert!(in_turn, "the producers interleaved");
    }
}
