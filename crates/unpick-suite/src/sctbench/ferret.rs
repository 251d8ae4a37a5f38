//! A pipeline of six stages that searches images: one task loads, four stages of two tasks work, one puts out.
//!
//! The loader counts an image after it has put it into the first queue. An image that has passed through the whole
//! pipeline before it is counted is one that came out without having gone in. From the PARSEC suite in
//! SCTBench (id 39). The study says of the schedule that it delays one task early, at one place, and lets it
//! starve until all others have done what they can; random choice has practically no chance.
//!
//! *Kept*: stages, tasks, bounded queues with a lock and two condition variables, the end that is passed on from stage to
//! stage, and the two counters. *Left out*: images and what is computed. The study had many more images (k =
//! 24,453). The thesis does not say which statement fails; this counter is our reading of it.

use super::with_twin;
use crate::published::rows::FERRET;
use crate::{Arguments, Parameter, Program};
use std::collections::VecDeque;
use std::sync::Arc;
use unpick::sync::atomic::{AtomicU32, Ordering::SeqCst};
use unpick::sync::{Condvar, Mutex};
use unpick::thread;

pub(crate) const PROGRAM: Program = with_twin(
    &FERRET,
    "pipeline of six stages that counts what goes in and out",
    "an image is counted after it was put into the first queue",
    &[Parameter::twin("0 counts an image before it is put in")],
    body,
);

const STAGES: usize = 4;
const WIDTH: usize = 2;
const IMAGES: u32 = 12;
const CAPACITY: usize = 20;

#[derive(Default)]
struct Queue {
    inside: Mutex<Inside>,
    not_empty: Condvar,
    not_full: Condvar,
}

#[derive(Default)]
struct Inside {
    images: VecDeque<u32>,
    /// Tasks that put in and have ended.
    ended: usize,
}

impl Queue {
    fn put(&self, image: u32) {
        let mut inside = self.inside.lock().unwrap();
        while inside.images.len() == CAPACITY {
            inside = self.not_full.wait(inside).unwrap();
        }
        inside.images.push_back(image);
        drop(inside);
        self.not_empty.notify_one();
    }

    /// Takes an image; `None` when all `sources` have ended.
    fn take(&self, sources: usize) -> Option<u32> {
        let mut inside = self.inside.lock().unwrap();
        while inside.images.is_empty() && inside.ended < sources {
            inside = self.not_empty.wait(inside).unwrap();
        }
        let image = inside.images.pop_front();
        drop(inside);
        self.not_full.notify_one();
        image
    }

    fn end(&self) {
        let mut inside = self.inside.lock().unwrap();
        inside.ended += 1;
        drop(inside);
        self.not_empty.notify_all();
    }
}

#[derive(Default)]
struct Pipeline {
    queues: [Queue; STAGES + 1],
    entered: AtomicU32,
    left: AtomicU32,
}

fn body(arguments: &Arguments) {
    let pipeline = Arc::new(Pipeline::default());
    let counts_late = arguments.is_on("bug");
    let shared = pipeline.clone();
    let mut handles = vec![thread::spawn(move || load(&shared, counts_late))];
    for stage in 0..STAGES {
        for _ in 0..WIDTH {
            let shared = pipeline.clone();
            handles.push(thread::spawn(move || work(&shared, stage)));
        }
    }
    handles.push(thread::spawn(move || put_out(&pipeline)));
    for handle in handles {
        handle.join().unwrap();
    }
}

fn load(pipeline: &Pipeline, counts_late: bool) {
    for image in 0..IMAGES {
        if counts_late {
            pipeline.queues[0].put(image);
            pipeline.entered.fetch_add(1, SeqCst);
        } else {
            pipeline.entered.fetch_add(1, SeqCst);
            pipeline.queues[0].put(image);
        }
    }
    pipeline.queues[0].end();
}

fn work(pipeline: &Pipeline, stage: usize) {
    let sources = if stage == 0 { 1 } else { WIDTH };
    while let Some(image) = pipeline.queues[stage].take(sources) {
        pipeline.queues[stage + 1].put(image);
    }
    pipeline.queues[stage + 1].end();
}

fn put_out(pipeline: &Pipeline) {
    while pipeline.queues[STAGES].take(WIDTH).is_some() {
        let left = pipeline.left.fetch_add(1, SeqCst) + 1;
        let entered = pipeline.entered.load(SeqCst);
        assert!(left <= entered, "{left} images left and {entered} entered");
    }
}
